# SPDX-License-Identifier: BSD-3-Clause
"""What each option puts into the parameter message, and how a client takes
a server's refusal. The server is half an iperf3 server in Python."""

from pylib import document as doc
from pylib import fakeserver
from pylib.runner import case

_DEFAULTS = {"tcp": True, "omit": 0, "parallel": 1, "len": 131072}

# Arguments, keys with their values, keys that must be absent.
_ROWS = [
    ("-t 7", {"time": 7, **_DEFAULTS}, ["reverse", "bidirectional"]),
    ("-n 3M", {"num": 3 << 20, "time": 0}, []),
    ("-k 5", {"blockcount": 5, "time": 0}, []),
    ("-R", {"reverse": True}, ["bidirectional"]),
    ("--bidir", {"bidirectional": True}, ["reverse"]),
    ("-P 3", {"parallel": 3}, []),
    ("-O 2", {"omit": 2}, []),
    ("-l 1K", {"len": 1024}, []),
    ("-w 64K", {"window": 65536}, []),
    ("-M 1200", {"MSS": 1200}, []),
    ("-N", {"nodelay": True}, []),
    ("-b 10M/7", {"bandwidth": 10_000_000, "burst": 7}, []),
    ("-b 1G", {"bandwidth": 1_000_000_000}, ["burst"]),
    ("-S 0x10", {"TOS": 16}, []),
    ("-S 020", {"TOS": 16}, []),
    ("-m", {"mptcp": True, "tcp": True}, []),
    ("--dscp ef", {"TOS": 0xB8}, []),
    ("--dscp 10", {"TOS": 40}, []),
    ("-C reno", {"congestion": "reno"}, ["congestion_used"]),
    ("--fq-rate 20G", {"fqrate": 20_000_000_000}, []),
    ("--bind-dev lo --cport 5000", {}, ["bind_dev", "cport"]),
    ("-T name", {"title": "name"}, []),
    ("--extra-data more", {"extra_data": "more"}, []),
    ("--get-server-output", {"get_server_output": 1}, []),
    ("--pacing-timer 500", {"pacing_timer": 500}, []),
]


def _same(got, want):
    return got == want and isinstance(got, bool) == isinstance(want, bool)


_NEEDS = {"-M": "--set-mss", "-S": "--tos", "-m": "--mptcp",
          "--pacing-timer": "--pacing-timer"}


def _register(text, present, absent):
    @case(f"wire {text}", core=text == "-t 7",
          needs=_NEEDS.get(text.split()[0]))
    def keys(bench):
        fake = fakeserver.FakeServer()
        try:
            c = bench.client(fake.port, *text.split())
            found = fake.parameters(10 * bench.slow)
            bench.finish(c, 1)
        finally:
            fake.close()
        for key, want in present.items():
            assert key in found, f'"{key}" is missing: {found}'
            assert _same(found[key], want), f"{key}: {found[key]!r}"
        for key in absent:
            assert not found.get(key), f"{key}: {found[key]!r}"
        assert len(fake.cookie) == 37 and fake.cookie[-1] == 0
        assert fake.cookie[:36].isalnum()
        if bench.program.is_ours:
            assert found["client_version"].startswith("3.21")
        assert len(fake.text) < 8192


for _row in _ROWS:
    _register(*_row)


@case("wire cookies differ from run to run")
def cookies(bench):
    seen = set()
    for _ in range(5):
        fake = fakeserver.FakeServer()
        c = bench.client(fake.port, "-n", "1")
        fake.parameters(10 * bench.slow)
        bench.finish(c, 1)
        fake.close()
        seen.add(fake.cookie)
    assert len(seen) == 5


def _refusal(name, answer, fragment, greeting=fakeserver.PARAM_EXCHANGE):
    @case(f"wire refusal: {name}", core=True)
    def refused(bench):
        for json in ([], ["-J"]):
            fake = fakeserver.FakeServer(answer, greeting)
            c = bench.client(fake.port, "-n", "1M", *json)
            bench.finish(c, 1 if bench.program.is_ours else None)
            fake.close()
            text = c.err
            if json:
                d = bench.document(c)
                doc.check_failed(d)
                text = d["error"]
            assert fragment in text, text


_refusal(
    "server error 142", fakeserver.server_error(142),
    "test authorization failed",
)
_refusal("server error without errno", b"\xfe\x00\x00\x00\x8e",
         "test authorization failed")
_refusal("unknown number", fakeserver.server_error(4242), "4242")
_refusal("close after parameters", b"",
         "control socket has closed unexpectedly")
_refusal("busy", b"", "the server is busy running a test. try again later",
         fakeserver.ACCESS_DENIED)
_refusal("unknown state", b"\x55", "unknown control message")

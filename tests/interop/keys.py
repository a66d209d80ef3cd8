# SPDX-License-Identifier: BSD-3-Clause
"""Every key that a released iperf3 prints is in our document of the same
run, with a value of the same kind. Ours may have more."""

from pylib import document as doc
from pylib.runner import case

# Key paths a released program may print that ours does not, and why.
_EXCEPTIONS = {}

_RUNS = [
    ("forward", ["-t", "1"]),
    ("reverse", ["-t", "1", "-R"]),
    ("bidir", ["-t", "1", "--bidir"]),
    ("forward -P 4", ["-t", "1", "-P", "4"]),
    ("bidir -P 2", ["-t", "1", "--bidir", "-P", "2"]),
    ("omit", ["-t", "1", "-O", "1"]),
    ("-n", ["-n", "40M"]),
    ("-w -N -b", ["-t", "1", "-w", "256K", "-N", "-b", "100M"]),
    ("title and data", ["-t", "1", "-T", "a", "--extra-data", "b"]),
    ("server output", ["-t", "1", "--get-server-output"]),
]


def _compare(theirs, ours, what):
    have = {}
    for path, kind in doc.paths(ours):
        have.setdefault(path, set()).add(kind)
    missing, differs = [], []
    for path, kind in sorted(set(doc.paths(theirs))):
        if path in _EXCEPTIONS:
            continue
        if path not in have:
            missing.append(path)
        elif kind not in have[path]:
            differs.append(f"{path}: {kind}, ours {have[path]}")
    assert not missing, f"{what} lacks {missing}"
    assert not differs, f"{what}: {differs}"


def _register(name, args):
    @case(f"keys of the documents: {name}")
    def keys(bench):
        # A short -n test of a released program has no interval at all.
        client, server = bench.pair(
            *args, client=bench.peer, server=bench.peer
        )
        our_client, _ = bench.pair(
            *args, client=bench.program, server=bench.peer
        )
        _, our_server = bench.pair(
            *args, client=bench.peer, server=bench.program
        )
        _compare(client, our_client, "our client")
        _compare(server, our_server, "our server")
        if bench.program.is_ours:
            both = bench.pair(*args)
            _compare(client, both[0], "our client at our server")
            _compare(server, both[1], "our server at our client")


for _name, _args in _RUNS:
    _register(_name, _args)


@case("keys of a failure document")
def failure_keys(bench):
    from pylib import ports

    args = ["-c", "127.0.0.1", "-p", str(ports.free_port()), "-J"]
    theirs = bench.document(bench.run(*args, program=bench.peer))
    ours = bench.document(bench.run(*args))
    _compare(theirs, ours, "our failure")


@case("key order of the parts is the released one")
def order(bench):
    theirs, _ = bench.pair("-t", "1", client=bench.peer, server=bench.peer)
    ours, _ = bench.pair("-t", "1", server=bench.peer)
    for pick in (
        lambda d: d,
        lambda d: d["end"],
        lambda d: d["intervals"][0]["streams"][0],
        lambda d: d["intervals"][0]["sum"],
        lambda d: d["end"]["streams"][0]["sender"],
        lambda d: d["end"]["sum_sent"],
    ):
        want = list(pick(theirs))
        got = [key for key in pick(ours) if key in want]
        assert got == want, f"{got} where {want} was expected"

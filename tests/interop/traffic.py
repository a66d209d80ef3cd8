# SPDX-License-Identifier: BSD-3-Clause
"""Data in every direction between our program and a released one.

A released server (3.12) stops reading the moment the client says so, and a
released client stops sending: bytes sent and received are equal only when
both ends are ours. What must hold here: the test succeeds, what is counted
is plausible, and both ends agree on what each of them says about itself.
"""

from pylib import document as doc
from pylib import textout
from pylib.runner import case

M = 1024 * 1024

OUR_CLIENT, OUR_SERVER = "our client", "our server"
SIDES = (OUR_CLIENT, OUR_SERVER)

# No test here takes more than three seconds unless an end waits in vain for
# the other one; the waits of both programs end after ten.
NO_STALL_S = 8

_ENDS = [
    ("-t 1", ["-t", "1"], None),
    ("-n 10M", ["-n", "10M"], 10 * M),
    ("-k 100", ["-k", "100"], 100 * 128 * 1024),
    ("-n 1", ["-n", "1"], 1),
    ("-l 1K -t 1", ["-l", "1K", "-t", "1"], None),
]


def programs(bench, side):
    """Which program is client and which is server."""
    if side == OUR_CLIENT:
        return {"client": bench.program, "server": bench.peer}
    return {"client": bench.peer, "server": bench.program}


def _check_agreement(client, server, direction):
    """What one end says about the other came over the wire."""
    for group in doc.groups(direction):
        half = "received" if group == doc.FORWARD else "sent"
        told = doc.total(client, half, group, direction)
        counted = doc.total(server, half, group, direction)
        assert told == counted, f"{group}: {told} told, {counted} counted"


def _check(bench, side, client, server, streams, direction, asked):
    ours = client if side == OUR_CLIENT else server
    assert "error" not in client, client["error"]
    assert "error" not in server, server["error"]
    for d in (client, server):
        doc.check_shape(d, streams, direction)
        doc.check_streams_add_up(d, direction)
    if bench.program.is_ours:
        doc.check_complete(ours)
        doc.check_intervals_add_up(ours, direction)
    _check_agreement(client, server, direction)
    for group in doc.groups(direction):
        sent = doc.total(client, "sent", group, direction)
        received = doc.total(client, "received", group, direction)
        assert received <= sent, f"{group}: {received} of {sent} received"
        if asked is None:
            assert received > 0, f"{group}: nothing received"
    if asked is not None:
        moved = max(
            doc.total(client, "sent", g, direction)
            for g in doc.groups(direction)
        )
        assert moved >= asked, f"moved {moved}, asked {asked}"


def _register(side, end, streams, direction):
    name, args, asked = end

    @case(f"{side}: {direction} -P {streams} {name}",
          core=streams == 1 and name == "-t 1")
    def run(bench):
        client, server = bench.pair(
            *args, "-P", str(streams), *doc.OPTION[direction],
            **programs(bench, side), seconds=NO_STALL_S,
        )
        _check(bench, side, client, server, streams, direction, asked)
        exact = bench.program.is_ours and side == OUR_CLIENT
        if exact and direction == doc.FORWARD and asked is not None:
            doc.check_moved(client, direction, asked)


for _side in SIDES:
    for _direction in doc.OPTION:
        for _end in _ENDS:
            for _streams in (1, 4):
                if _streams == 1 or _end[0] in ("-t 1", "-n 10M"):
                    _register(_side, _end, _streams, _direction)


def _omit_case(side, direction):
    @case(f"{side}: {direction} -O 1 -t 2")
    def omit(bench):
        client, server = bench.pair(
            "-O", "1", "-t", "2", *doc.OPTION[direction],
            **programs(bench, side), seconds=NO_STALL_S,
        )
        ours = client if side == OUR_CLIENT else server
        for d in (client, server):
            assert "error" not in d, d["error"]
            flags = [i["sum"]["omitted"] for i in d["intervals"]]
            assert flags[0] and not any(flags[1:]), flags
        if bench.program.is_ours:
            doc.check_intervals_add_up(ours, direction)
            if side == OUR_CLIENT:
                assert len(ours["intervals"]) == 3, len(ours["intervals"])
        _check_agreement(client, server, direction)


for _side in SIDES:
    for _direction in doc.OPTION:
        _omit_case(_side, _direction)


_NEEDS = {"-M": "--set-mss", "-S": "--tos"}


def _option_case(side, text, args):
    @case(f"{side}: {text}", needs=_NEEDS.get(args[0]))
    def option(bench):
        client, server = bench.pair(
            *args, "-n", "4M", **programs(bench, side)
        )
        assert "error" not in client, client["error"]
        assert "error" not in server, server["error"]
        for d in (client, server):
            test = d["start"]["test_start"]
            assert test["bytes"] == 4 * M, test
        assert client["start"]["cookie"] == server["start"]["cookie"]
        for key in ("title", "extra_data"):
            assert client.get(key) == server.get(key), key


for _side in SIDES:
    for _args in (
        ["-N"], ["-w", "256K"], ["-M", "1200"], ["-S", "16"],
        ["-b", "200M"], ["-b", "200M/4"], ["-T", "a title"],
        ["--extra-data", "more"], ["-A", "0,0"], ["-l", "1M"],
    ):
        _option_case(_side, " ".join(_args), _args)


def _server_output_case(side, json_server):
    kind = "JSON" if json_server else "text"

    @case(f"{side}: --get-server-output from a {kind} server")
    def server_output(bench):
        who = programs(bench, side)
        more = ["-J"] if json_server else []
        s = bench.server("-1", *more, program=who["server"])
        c = bench.run_client(
            s, "-t", "1", "-J", "--get-server-output",
            program=who["client"],
        )
        d = bench.document(c)
        assert "error" not in d, d["error"]
        if json_server:
            inner = d["server_output_json"]
            assert inner["end"]["sum_received"]["bytes"] == doc.total(
                d, "received", doc.FORWARD, doc.FORWARD
            )
        else:
            rows = textout.summary(d["server_output_text"])
            assert [r.tail for r in rows] == ["receiver"], rows


for _side in SIDES:
    for _json in (False, True):
        _server_output_case(_side, _json)


def _text_case(side):
    @case(f"{side}: text at both ends")
    def text(bench):
        who = programs(bench, side)
        for direction in doc.OPTION:
            s = bench.server("-1", program=who["server"])
            c = bench.run_client(
                s, "-t", "1", "-P", "2", *doc.OPTION[direction],
                program=who["client"],
            )
            bench.finish(s)
            assert c.out.rstrip().endswith("iperf Done."), c.out[-200:]
            tails = [r.tail for r in textout.summary(c.out)]
            n = 3 * len(doc.groups(direction))
            assert tails == ["sender", "receiver"] * n, tails
            assert c.err == "" and s.err == "", c.err + s.err


for _side in SIDES:
    _text_case(_side)


def _many_case(side):
    @case(f"{side}: ten tests in a row on one server")
    def many(bench):
        who = programs(bench, side)
        s = bench.server(program=who["server"])
        for i in range(10):
            args = [["-R"], ["--bidir"], ["-P", "4"], []][i % 4]
            # Released servers re-open their listener between tests.
            s.await_text("Server listening on", 10 * bench.slow,
                         count=i + 1)
            c = bench.run_client(
                s, "-n", "2M", "-J", *args, program=who["client"]
            )
            d = bench.document(c)
            assert "error" not in d, d["error"]


for _side in SIDES:
    _many_case(_side)


def _refused_case(side):
    @case(f"{side}: a busy server")
    def busy(bench):
        who = programs(bench, side)
        s = bench.server("-1", program=who["server"])
        first = bench.client(
            s, "-t", "3", "-J", program=who["client"]
        )
        s.await_text("connected to", 10 * bench.slow)
        second = bench.run_client(
            s, "-t", "1", status=1, program=who["client"]
        )
        assert "the server is busy running a test" in second.err
        bench.finish(first)
        assert "error" not in bench.document(first)


for _side in SIDES:
    _refused_case(_side)

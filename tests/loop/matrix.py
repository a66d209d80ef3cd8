# SPDX-License-Identifier: BSD-3-Clause
"""Every direction, number of streams and end condition.

Both ends report in JSON. For our own program every byte sent must have been
received and both ends must say the same numbers; a released iperf3 cuts a
test off and promises less.
"""

from pylib import document as doc
from pylib.runner import case

K = 1024
M = 1024 * 1024

# Name, arguments, bytes asked for (None: limited by time), block size.
_ENDS = [
    ("-t 1", ["-t", "1"], None, 128 * K),
    ("-n 10M", ["-n", "10M"], 10 * M, 128 * K),
    ("-n 100K -l 64K", ["-n", "100K", "-l", "64K"], 100 * K, 64 * K),
    ("-n 1", ["-n", "1"], 1, 128 * K),
    ("-k 100 -l 16K", ["-k", "100", "-l", "16K"], 1600 * K, 16 * K),
    ("-k 1", ["-k", "1"], 128 * K, 128 * K),
]


def _check(bench, client, server, streams, direction, asked):
    for d in (client, server):
        doc.check_shape(d, streams, direction)
        doc.check_streams_add_up(d, direction)
        if bench.program.is_ours:
            doc.check_complete(d)
        if d["intervals"]:
            doc.check_intervals_add_up(d, direction)
        start = d["start"]["test_start"]
        assert start["num_streams"] == streams
        assert start["reverse"] == (1 if direction == doc.REVERSE else 0)
    if bench.program.is_ours:
        doc.check_same_bytes(client, server, direction)
        if asked is not None:
            doc.check_moved(client, direction, asked)
    elif asked is not None:
        moved = max(
            doc.total(client, "sent", g, direction)
            for g in doc.groups(direction)
        )
        assert moved >= asked, f"moved {moved}, asked {asked}"


def _register(end, streams, direction):
    name, args, asked, block = end
    core = name in ("-t 1", "-n 10M", "-k 100 -l 16K")

    @case(f"matrix {direction} -P {streams} {name}", core=core)
    def run(bench):
        client, server = bench.pair(
            *args, "-P", str(streams), *doc.OPTION[direction]
        )
        _check(bench, client, server, streams, direction, asked)
        assert client["start"]["test_start"]["blksize"] == block


for _end in _ENDS:
    for _streams in (1, 4):
        for _direction in doc.OPTION:
            _register(_end, _streams, _direction)


@case("matrix -P 128 -n 64M", core=True)
def many_streams(bench):
    client, server = bench.pair("-P", "128", "-n", "64M")
    _check(bench, client, server, 128, doc.FORWARD, 64 * M)


@case("matrix -P 64 --bidir -t 1")
def many_both_ways(bench):
    client, server = bench.pair("-P", "64", "--bidir", "-t", "1")
    _check(bench, client, server, 64, doc.BOTH, None)


def _omit_case(direction):
    @case(f"matrix omit {direction}: one interval per second", core=True)
    def omit(bench):
        args = ["-O", "1", "-t", "2", *doc.OPTION[direction]]
        client, server = bench.pair(*args)
        for d in (client, server):
            doc.check_complete(d)
            assert d["start"]["test_start"]["omit"] == 1
            flags = [i["sum"]["omitted"] for i in d["intervals"]]
            assert flags[0] is True, "the first interval is not marked"
            assert not any(flags[1:]), f"omitted: {flags}"
            for i in d["intervals"]:
                marks = {s["omitted"] for s in i["streams"]}
                assert marks == {i["sum"]["omitted"]}
        if bench.program.is_ours:
            n = len(client["intervals"])
            assert n == 3, f"{n} intervals for 1 + 2 seconds"
            doc.check_intervals_add_up(client, direction)
        first = client["intervals"][1]["sum"]
        assert first["start"] < 0.5, "time does not restart after omit"


for _direction in doc.OPTION:
    _omit_case(_direction)


@case("matrix omit with -n counts only what follows", only_ours=True)
def omit_bytes(bench):
    client, _ = bench.pair("-O", "1", "-n", "4M", "-b", "20M")
    doc.check_complete(client)
    assert client["intervals"][0]["sum"]["omitted"]
    doc.check_moved(client, doc.FORWARD, 4 * M)


@case("matrix -t 2: one interval per second")
def whole_seconds(bench):
    for direction in (doc.FORWARD, doc.REVERSE):
        client, _ = bench.pair("-t", "2", *doc.OPTION[direction])
        n = len(client["intervals"])
        if bench.program.is_ours:
            assert n == 2, f"{direction}: {n} intervals"
        for i in client["intervals"]:
            s = i["sum"]
            want = s["bytes"] * 8 / s["seconds"]
            assert abs(want - s["bits_per_second"]) <= want * 1e-6


@case("matrix -i 0.5 -t 1")
def half_seconds(bench):
    client, _ = bench.pair("-i", "0.5", "-t", "1")
    n = len(client["intervals"])
    assert n == 2 or (not bench.program.is_ours and n == 3), n


@case("matrix -i 0: one interval at the end")
def no_interval(bench):
    client, server = bench.pair("-i", "0", "-t", "1")
    for d in (client, server):
        doc.check_complete(d)
        if bench.program.is_ours:
            n = len(d["intervals"])
            assert n == 1, f"{n} intervals"
        doc.check_intervals_add_up(d, doc.FORWARD)

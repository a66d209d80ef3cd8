# SPDX-License-Identifier: BSD-3-Clause
"""--sweep over TCP: the table, the document, cells that fail."""

import json
import os
import re
import signal

from pylib import document as doc
from pylib import relay, schema, strictjson
from pylib.runner import Skip, case

_ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
_SCHEMA = os.path.join(_ROOT, "docs", "sweep.schema.json")

K = 1024
_SHORT = ["--sweep=1K,4K,64K", "-t", "1"]


def _check_schema(document):
    if not os.path.exists(_SCHEMA):
        raise Skip("docs/sweep.schema.json is not there")
    with open(_SCHEMA, encoding="utf-8") as f:
        found = schema.errors(document, json.load(f))
    assert not found, "; ".join(found[:5])


def _table(text):
    """Header line and rows (lists of words) of the table."""
    lines = [x for x in text.splitlines() if x.strip()]
    at = next(
        i for i, x in enumerate(lines) if x.lstrip().startswith("pkt_size")
    )
    return lines[at], [x.split() for x in lines[at + 1:]]


def _is_number(word):
    return re.fullmatch(r"\d+(\.\d+)?", word) is not None


def _digits(word):
    return len(word.replace(".", "").lstrip("0"))


@case("sweep table", only_ours=True, core=True)
def table(bench):
    s = bench.server()
    c = bench.run_client(s, *_SHORT, seconds=60)
    head, rows = _table(c.out)
    assert re.search(
        r"^pkt_size +client -> server +server -> client +\[[KMGT]?bps\]$",
        head.strip(),
    ), head
    assert [r[0] for r in rows[:3]] == ["1K", "4K", "64K"], rows
    for row in rows[:3]:
        assert len(row) == 3 and all(map(_is_number, row[1:])), row
        assert all(_digits(word) <= 4 for word in row[1:]), row
    assert c.err == "", "progress on something that is no terminal"


@case("sweep shows its progress on a terminal", only_ours=True)
def progress(bench):
    s = bench.server()
    c = bench.run_client(s, "--sweep=1K,2K", "-t", "1", has_terminal=True)
    lines = [x for x in c.err.split("\r\x1b[K") if x]
    starts = ("[1/4] 1K client -> server,", "[2/4] 1K server -> client,",
              "[3/4] 2K client -> server,", "[4/4] 2K server -> client,")
    assert len(lines) == 4, lines
    for line, start in zip(lines, starts):
        assert line.startswith(start), line
        assert re.fullmatch(r"0:\d\d left", line[len(start):].strip()), line
    assert c.err.endswith("\r\x1b[K"), "the progress stays on the screen"


def _direction_case(name, column):
    @case(f"sweep --directions {name}", only_ours=True)
    def directions(bench):
        s = bench.server()
        c = bench.run_client(
            s, "--sweep=1K,2K", "-t", "1", "--directions", name
        )
        head, rows = _table(c.out)
        assert column in head, head
        assert head.count("->") == 1, head
        assert all(_is_number(r[1]) for r in rows[:2]), rows


_direction_case("forward", "client -> server")
_direction_case("reverse", "server -> client")


@case("sweep sizes: ranges double, lists mix, duplicates go",
      only_ours=True)
def sizes(bench):
    s = bench.server()
    c = bench.run_client(
        s, "--sweep=1K-4K,3K,2K", "-t", "1", "--directions", "forward"
    )
    _, rows = _table(c.out)
    names = [r[0] for r in rows if re.fullmatch(r"\d+[KM]?", r[0])]
    assert names == ["1K", "2K", "3K", "4K"], names


@case("sweep document", only_ours=True, core=True)
def document(bench):
    s = bench.server()
    c = bench.run_client(s, *_SHORT, "-J", seconds=60)
    d = strictjson.document(c.out)
    _check_schema(d)
    assert "error" not in d, d.get("error")
    results = list(_results(d))
    assert len(results) == 6, f"{len(results)} complete results"
    blocks = sorted(r["start"]["test_start"]["blksize"] for r in results)
    assert blocks == [K, K, 4 * K, 4 * K, 64 * K, 64 * K], blocks
    for r in results:
        doc.check_complete(r)
        end = r["end"]
        assert end["sum_sent"]["bytes"] == end["sum_received"]["bytes"] > 0


def _results(value):
    """Every complete test result inside a sweep document."""
    if isinstance(value, dict):
        if isinstance(value.get("start"), dict) and "intervals" in value:
            yield value
            return
        value = list(value.values())
    if isinstance(value, list):
        for inner in value:
            yield from _results(inner)


@case("sweep --json-out leaves the table on stdout", only_ours=True)
def json_out(bench):
    s = bench.server()
    name = bench.path("sweep.json")
    c = bench.run_client(
        s, "--sweep=1K,2K", "-t", "1", "--json-out", name, seconds=60
    )
    _, rows = _table(c.out)
    assert len(rows) >= 2
    with open(name, encoding="utf-8") as f:
        d = strictjson.document(f.read())
    _check_schema(d)
    assert len(list(_results(d))) == 4


def _cell_failure(bench, *args):
    s = bench.server()
    between = relay.Relay(s.port, cut_test=2)
    try:
        c = bench.run_client(
            between.port, *_SHORT, *args, status=None, seconds=60
        )
        assert between.was_cut.is_set(), "the second test was never cut"
        assert c.status == 1, f"exit status {c.status}, not 1"
    finally:
        between.close()
    return c


@case("sweep with a cell that fails goes on, exit status 1",
      only_ours=True, core=True)
def failing_cell(bench):
    c = _cell_failure(bench)
    _, rows = _table(c.out)
    cells = [word for row in rows[:3] for word in row[1:3]]
    good = [word for word in cells if _is_number(word)]
    assert len(good) == 5, f"{len(good)} cells have a number: {rows}"
    assert c.err, "not a word about the failed cell"


@case("sweep document with a cell that fails", only_ours=True)
def failing_document(bench):
    c = _cell_failure(bench, "-J")
    d = strictjson.document(c.out)
    _check_schema(d)
    good = [r for r in _results(d) if "error" not in r]
    assert len(good) == 5, f"{len(good)} good results"


@case("sweep whose server is killed tries every cell, exit status 1",
      only_ours=True)
def killed_server(bench):
    s = bench.server()
    c = bench.client(s, *_SHORT)
    s.await_text("connected to", 20 * bench.slow, count=2)
    s.signal(signal.SIGKILL)
    bench.finish(c, 1, 60)
    _, rows = _table(c.out)
    names = [r[0] for r in rows[:3]]
    assert names == ["1K", "4K", "64K"], rows
    good = [w for r in rows[:3] for w in r[1:] if _is_number(w)]
    assert len(good) == 1, rows


@case("sweep without a server: exit status 1 and one message",
      only_ours=True)
def no_server(bench):
    from pylib import ports

    port = ports.free_port()
    c = bench.run_client(port, *_SHORT, status=1)
    assert "Connection refused" in c.err + c.out
    c = bench.run_client(port, *_SHORT, "-J", status=1)
    d = strictjson.document(c.out)
    assert d.get("error"), "no error"


@case("sweep is ended by ^C with the cells so far", only_ours=True)
def interrupted(bench):
    s = bench.server()
    c = bench.client(s, "--sweep=1K,4K,64K", "-t", "30", "--directions",
                     "forward", "-J")
    s.await_text("connected to", 10 * bench.slow)
    c.signal(signal.SIGINT)
    bench.finish(c, None, 15)
    strictjson.document(c.out)


@case("sweep takes the options of a test", only_ours=True)
def with_options(bench):
    s = bench.server()
    c = bench.run_client(
        s, "--sweep=2K,4K", "-t", "1", "-P", "2", "-N", "-J", seconds=60
    )
    for r in _results(strictjson.document(c.out)):
        test = r["start"]["test_start"]
        assert test["num_streams"] == 2
        assert len(r["end"]["streams"]) == 2


@case("sweep against a released server", only_ours=True)
def released_server(bench):
    s = bench.server(program=bench.peer)
    c = bench.run_client(s, *_SHORT, "-J", seconds=60)
    d = strictjson.document(c.out)
    _check_schema(d)
    assert len(list(_results(d))) == 6

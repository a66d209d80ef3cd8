#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks the JSON that a lab job left behind.

Usage: check.py RESULTS_FOLDER

Each line of RESULTS_FOLDER/checks is "NAME KIND ARGS..."; NAME.out (or NAME
itself, where it has an ending) holds what a client printed. One line per
check, like those of the job.
"""

import json
import os
import shlex
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

from pylib import document as doc  # noqa: E402
from pylib import schema, strictjson  # noqa: E402

_SCHEMA = os.path.join(HERE, "..", "..", "docs", "sweep.schema.json")


def _both(text):
    """The client's document and the server's inside it."""
    client = strictjson.document(text)
    assert "error" not in client, client["error"]
    assert "server_output_json" in client, "no server output"
    return client, client["server_output_json"]


def check_bytes(text, direction, streams, asked):
    """Complete, added up, and every byte sent was received."""
    client, server = _both(text)
    for d in (client, server):
        doc.check_complete(d)
        doc.check_shape(d, int(streams), direction)
        doc.check_streams_add_up(d, direction)
        doc.check_intervals_add_up(d, direction)
        assert d["start"]["test_start"]["protocol"] == "VSOCK"
        _check_no_tcp(d)
    doc.check_same_bytes(client, server, direction)
    if asked != "any":
        doc.check_moved(client, direction, int(asked))


# Figures of TCP that a vsock socket does not have.
_TCP_ONLY = {
    "retransmits", "snd_cwnd", "rtt", "rttvar", "max_snd_cwnd", "max_rtt",
    "tcp_mss", "tcp_mss_default", "sender_tcp_congestion", "sndbuf_actual",
}


def _check_no_tcp(d):
    for path, _ in doc.paths(d):
        if path.startswith("server_output_json"):
            continue
        last = path.split(".")[-1]
        assert last not in _TCP_ONLY, f"{path} in a document of vsock"


def check_block(text, size):
    got = strictjson.document(text)["start"]["test_start"]["blksize"]
    assert got == int(size), f"block size {got}"


def check_omit(text, intervals):
    for d in _both(text):
        doc.check_complete(d)
        flags = [i["sum"]["omitted"] for i in d["intervals"]]
        assert flags[0] and not any(flags[1:]), flags
    n = len(strictjson.document(text)["intervals"])
    assert n == int(intervals), f"{n} intervals"


def check_window(text, size):
    """The credit window that the kernel granted, at both ends."""
    for d in _both(text):
        got = d["start"].get("window_granted")
        assert got == int(size), f"window {got}"


def check_port(text, port):
    """Ports are unsigned 32-bit numbers."""
    client, server = _both(text)
    one = client["start"]["connected"][0]
    assert one["remote_port"] == int(port), one
    assert one["local_port"] > 0, one
    one = server["start"]["connected"][0]
    assert one["local_port"] == int(port), one
    assert client["start"]["connecting_to"]["port"] == int(port)


def check_failed(text, *words):
    d = strictjson.document(text)
    doc.check_failed(d)
    for word in words:
        assert word.lower() in d["error"].lower(), (
            f'"{word}" is not in "{d["error"]}"'
        )


def check_interrupted(text, *words):
    d = strictjson.document(text)
    doc.check_failed(d, " ".join(words))
    assert d["end"].get("streams"), "no statistics"


def check_stream(text):
    names = [e["event"] for e in strictjson.lines(text)]
    assert names[0] == "start" and names[-1] == "end", names


def check_documents(text):
    found = strictjson.documents(text)
    assert found, "no documents"
    for d in found:
        assert "start" in d and "end" in d


def _results(value):
    if isinstance(value, dict):
        if isinstance(value.get("start"), dict) and "intervals" in value:
            yield value
            return
        value = list(value.values())
    if isinstance(value, list):
        for inner in value:
            yield from _results(inner)


def check_sweep(text, cells):
    d = strictjson.document(text)
    with open(_SCHEMA, encoding="utf-8") as f:
        wrong = schema.errors(d, json.load(f))
    assert not wrong, "; ".join(wrong[:5])
    results = list(_results(d))
    assert len(results) == int(cells), f"{len(results)} results"
    for r in results:
        doc.check_complete(r)
        end = r["end"]
        sent, received = end["sum_sent"], end["sum_received"]
        assert sent["bytes"] == received["bytes"] > 0, "bytes differ"


KINDS = {
    name[len("check_"):]: function
    for name, function in list(globals().items())
    if name.startswith("check_")
}


def _check(folder, line):
    name, kind, *args = shlex.split(line)
    path = os.path.join(folder, name if "." in name else name + ".out")
    label = f"lab json {name} {kind}"
    try:
        with open(path, encoding="utf-8") as f:
            KINDS[kind](f.read(), *args)
    except (AssertionError, strictjson.Invalid, OSError, KeyError,
            IndexError, TypeError) as e:
        kind_of_error = "" if isinstance(e, AssertionError) else (
            type(e).__name__ + ": "
        )
        print(f"not ok {label}: {kind_of_error}{e}")
        return False
    print(f"ok {label}")
    return True


def main():
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        print(__doc__, file=sys.stderr)
        return 0 if "--help" in sys.argv else 2
    folder = sys.argv[1]
    with open(os.path.join(folder, "checks"), encoding="utf-8") as f:
        lines = f.read().splitlines()
    good = [_check(folder, line) for line in lines]
    return 0 if good and all(good) else 1


if __name__ == "__main__":
    sys.exit(main())

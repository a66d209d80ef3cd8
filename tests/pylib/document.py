# SPDX-License-Identifier: BSD-3-Clause
"""Claims about iperf3's JSON documents, as functions that raise."""

FORWARD, REVERSE, BOTH = "forward", "reverse", "bidir"

# Command line of each direction.
OPTION = {FORWARD: [], REVERSE: ["-R"], BOTH: ["--bidir"]}

_SUFFIX = {FORWARD: "", REVERSE: "_bidir_reverse"}


def groups(direction):
    """The directions data flows in, by client to server or back."""
    return [FORWARD, REVERSE] if direction == BOTH else [direction]


def sum_name(half, group, direction):
    """Key in "end": half is "sent" or "received"."""
    suffix = _SUFFIX[group] if direction == BOTH else ""
    return f"sum_{half}{suffix}"


def total(doc, half, group, direction):
    return doc["end"][sum_name(half, group, direction)]["bytes"]


def error(doc):
    return doc.get("error")


def check_complete(doc):
    """A finished test: all parts are there and there is no error."""
    assert "error" not in doc, f"error: {doc.get('error')}"
    for part in ("start", "intervals", "end"):
        assert part in doc, f'no "{part}"'
    for part in ("connected", "version", "system_info", "test_start"):
        assert part in doc["start"], f'no "start.{part}"'
    assert doc["intervals"], "no intervals"
    assert "cpu_utilization_percent" in doc["end"]


def _streams_sent_received(doc):
    for entry in doc["end"]["streams"]:
        yield entry["sender"], entry["receiver"]


def check_streams_add_up(doc, direction):
    """The sums are the sums of the streams."""
    for half, index in (("sent", 0), ("received", 1)):
        for group in groups(direction):
            want = 0
            for pair in _streams_sent_received(doc):
                if direction != BOTH or _group_of(doc, pair) == group:
                    want += pair[index]["bytes"]
            got = total(doc, half, group, direction)
            assert got == want, f"{half} {group}: sum {got}, streams {want}"


def _is_client(doc):
    return "connecting_to" in doc["start"]


def _group_of(doc, pair):
    return FORWARD if pair[0]["sender"] == _is_client(doc) else REVERSE


def check_intervals_add_up(doc, direction):
    """Counted intervals together are what this end moved."""
    client = _is_client(doc)
    for group in groups(direction):
        half = "sent" if (group == FORWARD) == client else "received"
        key = "sum" + (_SUFFIX[group] if direction == BOTH else "")
        got = sum(
            i[key]["bytes"] for i in doc["intervals"]
            if not i[key]["omitted"]
        )
        want = total(doc, half, group, direction)
        assert got == want, f"{group}: intervals {got}, end {want}"


def check_same_bytes(client, server, direction):
    """Every byte sent was received, and both ends say the same number."""
    for group in groups(direction):
        sent = total(client, "sent", group, direction)
        received = total(client, "received", group, direction)
        half = "received" if group == FORWARD else "sent"
        other = total(server, half, group, direction)
        text = f"{group}: sent {sent}, received {received}, server {other}"
        assert sent > 0, text
        assert sent == received == other, text
    for sender, receiver in _streams_sent_received(client):
        assert sender["bytes"] == receiver["bytes"], (
            f"socket {sender['socket']}: sent {sender['bytes']}, "
            f"received {receiver['bytes']}"
        )
    _check_streams_match(client, server)


def _by_port(doc, port_key):
    """Bytes that this end itself counted, by the client's port."""
    port = {c["socket"]: c[port_key] for c in doc["start"]["connected"]}
    found = {}
    for sender, receiver in _streams_sent_received(doc):
        mine = sender if sender["sender"] else receiver
        found[port[sender["socket"]]] = mine["bytes"]
    return found


def _check_streams_match(client, server):
    here = _by_port(client, "local_port")
    there = _by_port(server, "remote_port")
    assert here == there, f"bytes by client port: {here} and {there}"


def check_moved(client, direction, asked):
    """-n and -k: what was asked, not a byte more. With --bidir the test ends
    when one direction is done."""
    moved = [
        total(client, "sent", group, direction)
        for group in groups(direction)
    ]
    assert max(moved) == asked, f"moved {moved}, asked {asked}"


def check_shape(doc, streams, direction):
    """Numbers of entries."""
    want = streams * len(groups(direction))
    assert len(doc["start"]["connected"]) == want
    assert len(doc["end"]["streams"]) == want
    for interval in doc["intervals"]:
        assert len(interval["streams"]) == want
        assert "sum" in interval
        assert ("sum_bidir_reverse" in interval) == (direction == BOTH)
    sockets = [c["socket"] for c in doc["start"]["connected"]]
    assert len(set(sockets)) == want, "socket numbers repeat"
    assert sockets == [
        e["sender"]["socket"] for e in doc["end"]["streams"]
    ], "end.streams is not in the order of start.connected"


def check_failed(doc, fragment=""):
    """A failed run: the error, and the parts a consumer expects."""
    text = doc.get("error")
    assert isinstance(text, str) and text, "no error text"
    assert fragment in text, f'"{fragment}" is not in the error "{text}"'
    for part in ("start", "intervals", "end"):
        assert part in doc, f'no "{part}"'
    assert "\n" not in text, "the error has more than one line"


def paths(value, prefix=""):
    """Every key path of a document with its kind; array entries are []."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from paths(inner, f"{prefix}.{key}" if prefix else key)
        yield prefix, "object"
    elif isinstance(value, list):
        for inner in value:
            yield from paths(inner, prefix + "[]")
        yield prefix, "array"
    elif isinstance(value, bool):
        yield prefix, "bool"
    elif isinstance(value, (int, float)):
        yield prefix, "number"
    elif value is None:
        yield prefix, "null"
    else:
        yield prefix, "string"

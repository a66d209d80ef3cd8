# SPDX-License-Identifier: BSD-3-Clause
"""Signals in the middle of a test, and ends that vanish."""

import signal

from pylib import document as doc
from pylib import ports, textout
from pylib.runner import case

_NAMES = {
    signal.SIGINT: "Interrupt(2)",
    signal.SIGTERM: "Terminated(15)",
    signal.SIGHUP: "Hangup(1)",
}


def _check_own_message(bench, err, who, number):
    text = f"interrupt - the {who} has terminated"
    if bench.program.is_ours:
        text += f" by signal {_NAMES[number]}"
    assert f"iperf3: {text}" in err, err
    assert len(textout.errors(err)) == 1, err


def _client_case(number, direction):
    @case(f"interrupt client {number.name} {direction}",
          core=number == signal.SIGINT,
          only_ours=direction != doc.FORWARD)
    def client(bench):
        s = bench.server()
        c = bench.client(
            s, "-t", "60", "--forceflush", *doc.OPTION[direction]
        )
        c.await_text("bits/sec", 10 * bench.slow)
        c.signal(number)
        bench.finish(c, 0 if bench.program.is_ours else None, 10)
        assert textout.summary(c.out), "no summary"
        assert "iperf Done." not in c.out
        _check_own_message(bench, c.err, "client", number)
        s.await_text("the client has terminated", 10 * bench.slow,
                     stream="err")
        s.await_text("Server listening on", 10 * bench.slow, count=2)
        assert textout.summary(s.out), "the server printed no summary"
        bench.run_client(s, "-n", "1M")


for _direction in doc.OPTION:
    _client_case(signal.SIGINT, _direction)
_client_case(signal.SIGTERM, doc.FORWARD)
_client_case(signal.SIGHUP, doc.REVERSE)


def _server_case(number, direction):
    @case(f"interrupt server {number.name} {direction}",
          core=number == signal.SIGTERM)
    def server(bench):
        s = bench.server()
        c = bench.client(
            s, "-t", "60", "--forceflush", *doc.OPTION[direction]
        )
        c.await_text("bits/sec", 10 * bench.slow)
        s.signal(number)
        bench.finish(s, 0 if bench.program.is_ours else None, 10)
        assert textout.summary(s.out), "no summary"
        _check_own_message(bench, s.err, "server", number)
        bench.finish(c, 1, 10)
        assert "the server has terminated" in c.err, c.err
        assert textout.summary(c.out), "the client printed no summary"


for _direction in doc.OPTION:
    _server_case(signal.SIGTERM, _direction)
_server_case(signal.SIGINT, doc.FORWARD)


@case("interrupt client with -J at both ends", core=True)
def json_client(bench):
    s = bench.server("-1", "-J")
    c = bench.client(s, "-t", "60", "-J")
    bench.until(lambda: _moves(s.port), "the test runs")
    c.signal(signal.SIGINT)
    bench.finish(c, 0 if bench.program.is_ours else None, 10)
    bench.finish(s, 0 if bench.program.is_ours else None, 10)
    client, server = bench.document(c), bench.document(s)
    doc.check_failed(client, "interrupt - the client has terminated")
    doc.check_failed(server, "the client has terminated")
    if bench.program.is_ours:
        assert "by signal Interrupt(2)" in client["error"]
        assert "interrupt" not in server["error"]
        assert doc.total(client, "sent", doc.FORWARD, doc.FORWARD) > 0
        assert doc.total(server, "received", doc.FORWARD, doc.FORWARD) > 0
        assert c.err == "" and s.err == "", c.err + s.err


@case("interrupt server with -J at both ends")
def json_server(bench):
    s = bench.server("-J")
    c = bench.client(s, "-t", "60", "-J")
    bench.until(lambda: _moves(s.port), "the test runs")
    s.signal(signal.SIGTERM)
    bench.finish(c, 1 if bench.program.is_ours else None, 10)
    bench.finish(s, 0 if bench.program.is_ours else None, 10)
    client, server = bench.document(c), bench.document(s)
    doc.check_failed(client, "the server has terminated")
    doc.check_failed(server, "interrupt - the server has terminated")


def _moves(port):
    """A test's data arrive: its connection exists before its first byte, and
    the control connection carries less than this in a whole test."""
    return max(ports.received_bytes(port), default=0) > 1 << 20


@case("interrupt an idle server")
def idle_server(bench):
    for number in (signal.SIGINT, signal.SIGTERM):
        s = bench.server()
        s.signal(number)
        bench.finish(s, 0 if bench.program.is_ours else None, 10)
        _check_own_message(bench, s.err, "server", number)


@case("interrupt an idle JSON server", only_ours=True)
def idle_json_server(bench):
    s = bench.server("-J")
    s.signal(signal.SIGTERM)
    bench.finish(s, 0, 10)
    doc.check_failed(bench.document(s),
                     "interrupt - the server has terminated by signal")


@case("interrupt json-stream client", only_ours=True)
def stream_client(bench):
    from pylib import strictjson

    s = bench.server()
    c = bench.client(s, "-t", "60", "--json-stream")
    c.await_text('"event":"interval"', 10 * bench.slow)
    c.signal(signal.SIGINT)
    bench.finish(c, 0, 10)
    events = strictjson.lines(c.out)
    names = [e["event"] for e in events]
    assert names[-2:] == ["error", "end"], names
    assert events[-1]["data"], "the end is empty"


def _vanish_case(who, direction):
    @case(f"killed {who} {direction}", core=direction == doc.FORWARD,
          only_ours=direction != doc.FORWARD)
    def vanish(bench):
        s = bench.server()
        c = bench.client(
            s, "-t", "60", "--forceflush", *doc.OPTION[direction]
        )
        c.await_text("bits/sec", 10 * bench.slow)
        if who == "server":
            s.signal(signal.SIGKILL)
            s.wait(5)
            bench.finish(c, 1, 15)
            assert textout.errors(c.err), "the client said nothing"
            return
        c.signal(signal.SIGKILL)
        c.wait(5)
        s.await_text("the client has unexpectedly closed the connection",
                     15 * bench.slow, stream="err")
        s.await_text("Server listening on", 10 * bench.slow, count=2)
        bench.run_client(s, "-n", "1M")


for _direction in doc.OPTION:
    _vanish_case("client", _direction)
    _vanish_case("server", _direction)


@case("interrupt a hundred tests in a row", only_ours=True)
def many(bench):
    """One server, clients that are ended at any moment. The server must be
    ready for each next one and for a real test at the end."""
    s = bench.server()
    for i in range(100):
        c = bench.client(s, "-t", "60", "--bidir", "-P", "2",
                         "--forceflush")
        if i % 3 == 1:
            c.await_text("Connecting to host", 10 * bench.slow)
        elif i % 3 == 2:
            c.await_text("connected to", 10 * bench.slow, count=4)
        c.signal(signal.SIGINT)
        status = c.wait(10 * bench.slow)
        # Before its handler is in place the signal itself ends it.
        assert status in (0, -signal.SIGINT), status
    c = bench.run_client(s, "-n", "10M", "-J")
    doc.check_complete(bench.document(c))

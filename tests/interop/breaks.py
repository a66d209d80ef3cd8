# SPDX-License-Identifier: BSD-3-Clause
"""Tests that one end breaks off: the other one says so and goes on."""

import signal

from pylib import document as doc
from pylib import textout
from pylib.runner import case

from traffic import OUR_CLIENT, OUR_SERVER, SIDES, programs


def _start(bench, side, direction, *server_args):
    who = programs(bench, side)
    s = bench.server(*server_args, program=who["server"])
    c = bench.client(
        s, "-t", "60", "--forceflush", *doc.OPTION[direction],
        program=who["client"],
    )
    c.await_text("bits/sec", 10 * bench.slow)
    return c, s, who


def _client_case(side, direction):
    @case(f"{side}: client is interrupted, {direction}",
          only_ours=direction == doc.BOTH)
    def client(bench):
        c, s, who = _start(bench, side, direction)
        c.signal(signal.SIGINT)
        ours = bench.program.is_ours and side == OUR_CLIENT
        bench.finish(c, 0 if ours else None, 15)
        assert textout.summary(c.out), "no summary"
        # A server with one thread that is writing learns of it from the
        # write, so a released one may name another cause.
        said = "the client has terminated"
        if side == OUR_CLIENT and direction != doc.FORWARD or (
            not bench.program.is_ours
        ):
            said = "iperf3: "
        s.await_text(said, 15 * bench.slow, stream="err")
        s.await_text("Server listening on", 10 * bench.slow, count=2)
        bench.run_client(s, "-n", "1M", program=who["client"])


def _server_case(side, direction):
    @case(f"{side}: server is interrupted, {direction}",
          only_ours=direction == doc.BOTH)
    def server(bench):
        c, s, _ = _start(bench, side, direction)
        s.signal(signal.SIGINT)
        ours = bench.program.is_ours and side == OUR_SERVER
        bench.finish(s, 0 if ours else None, 15)
        assert textout.summary(s.out), "no summary"
        bench.finish(c, 1, 15)
        if bench.program.is_ours and side == OUR_CLIENT:
            assert "the server has terminated" in c.err, c.err


def _killed_case(side, who_dies):
    @case(f"{side}: {who_dies} is killed")
    def killed(bench):
        c, s, who = _start(bench, side, doc.FORWARD)
        if who_dies == "server":
            s.signal(signal.SIGKILL)
            bench.finish(c, 1, 15)
            assert textout.errors(c.err), "the client said nothing"
            return
        c.signal(signal.SIGKILL)
        s.await_text("the client has unexpectedly closed the connection",
                     15 * bench.slow, stream="err")
        s.await_text("Server listening on", 10 * bench.slow, count=2)
        bench.run_client(s, "-n", "1M", program=who["client"])


for _side in SIDES:
    for _direction in doc.OPTION:
        _client_case(_side, _direction)
        _server_case(_side, _direction)
    for _who in ("client", "server"):
        _killed_case(_side, _who)


@case("our client: the server's JSON survives an interrupt")
def json_interrupt(bench):
    for side in SIDES:
        who = programs(bench, side)
        s = bench.server("-1", "-J", program=who["server"])
        c = bench.client(s, "-t", "60", "--forceflush",
                         program=who["client"])
        c.await_text("bits/sec", 10 * bench.slow)
        c.signal(signal.SIGTERM)
        bench.finish(c, None, 15)
        bench.finish(s, None, 15)
        d = bench.document(s)
        doc.check_failed(d, "the client has terminated")

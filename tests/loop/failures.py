# SPDX-License-Identifier: BSD-3-Clause
"""Everything a user can ask for that cannot be done: one clear line on
stderr, exit status 1; with -J one valid object that carries the error."""

import socket

from pylib import document as doc
from pylib import ports, textout
from pylib.runner import case

_C = ["-c", "127.0.0.1"]

# Name, arguments, what the message must contain at our program.
_BAD = [
    ("no role", [], "client (-c) or server (-s)"),
    ("both roles", ["-s", "-c", "127.0.0.1"], "both server and client"),
    ("port 0", [*_C, "-p", "0"], "port"),
    ("port 65536", [*_C, "-p", "65536"], "port"),
    ("port of a server", ["-s", "-p", "99999"], "port"),
    ("-t 86401", [*_C, "-t", "86401"], "duration"),
    ("-t -1", [*_C, "-t", "-1"], "duration"),
    ("-P 0", [*_C, "-P", "0"], "parallel"),
    ("-P 129", [*_C, "-P", "129"], "parallel"),
    ("-l 2M", [*_C, "-l", "2M"], "block size"),
    ("-l -1", [*_C, "-l", "-1"], "-1"),
    ("-w 1G", [*_C, "-w", "1G"], "buffer size"),
    ("-i 0.05", [*_C, "-i", "0.05"], "interval"),
    ("-i 61", [*_C, "-i", "61"], "interval"),
    ("-M 40000", [*_C, "-M", "40000"], "MSS"),
    ("-O 601", [*_C, "-O", "601"], "omit"),
    ("-b 1M/0", [*_C, "-b", "1M/0"], "burst"),
    ("-b 1M/1001", [*_C, "-b", "1M/1001"], "burst"),
    ("-S 256", [*_C, "-S", "256"], "256"),
    ("-f x", [*_C, "-f", "x"], "format"),
    ("-t and -n", [*_C, "-t", "1", "-n", "1M"], "-t"),
    ("-n and -k", [*_C, "-k", "1", "-n", "1M"], "-k"),
    ("-R and --bidir", [*_C, "-R", "--bidir"], "--bidir"),
    ("-n 1X", [*_C, "-n", "1X"], "1X"),
    ("-n without a number", [*_C, "-n", "much"], "much"),
    ("-l without a number", [*_C, "-l", "K"], "K"),
    ("-b without a number", [*_C, "-b", "fast"], "fast"),
    ("-P without a number", [*_C, "-P", "x"], "parallel"),
    ("-p without a number", [*_C, "-p", "x"], "port"),
    ("server with -t", ["-s", "-t", "1"], "for clients only"),
    ("server with -R", ["-s", "-R"], "for clients only"),
    ("server with -n", ["-s", "-n", "1M"], "for clients only"),
    ("client with -D", [*_C, "-D"], "for servers only"),
    ("client with -1", [*_C, "-1"], "for servers only"),
    ("client with --idle-timeout", [*_C, "--idle-timeout", "5"],
     "for servers only"),
    ("--rcv-timeout 50", [*_C, "-R", "--rcv-timeout", "50"], "timeout"),
    ("--rcv-timeout without receiving", [*_C, "--rcv-timeout", "500"],
     "timeout"),
    ("--snd-timeout -1", [*_C, "--snd-timeout", "-1"], "timeout"),
    ("--idle-timeout 0", ["-s", "--idle-timeout", "0"], "idle timeout"),
    ("-A 2000", [*_C, "-A", "2000"], "affinity"),
    ("unknown option", [*_C, "--no-such-option"], "no-such-option"),
    ("missing value", [*_C, "-t"], "t"),
    ("ambiguous option", [*_C, "--ver"], "ver"),
    ("--sweep with a bad size", [*_C, "--sweep=1K,zz"], "zz"),
    ("--sweep with -l", [*_C, "--sweep", "-l", "1K"], "sweep"),
    ("--sweep with -R", [*_C, "--sweep", "-R"], "--directions"),
    ("--sweep with -n", [*_C, "--sweep", "-n", "1M"], "--time"),
    ("--sweep with --json-stream", [*_C, "--sweep", "--json-stream"],
     "--json"),
    ("--sweep at a server", ["-s", "--sweep"], "for clients only"),
    ("--directions sideways", [*_C, "--sweep", "--directions", "sideways"],
     "sideways"),
    ("--vsock with -u", [*_C, "--vsock", "-u"], "-u"),
    ("vsock CID abc", ["--vsock", "-c", "abc"], "CID"),
    ("vsock CID any as a destination", ["--vsock", "-c", "any"], "CID"),
    ("vsock CID 2^32", ["--vsock", "-c", "4294967296"], "CID"),
    ("vsock CID -1", ["--vsock", "-c", "-1"], "CID"),
    ("vsock CID 4294967295", ["--vsock", "-c", "4294967295"], "CID"),
    ("vsock CID with text behind", ["--vsock", "-c", "3x"], "CID"),
]

# Released programs accept these, or lack the option.
_OURS = ("--sweep", "--directions", "--vsock", "vsock", "without a number",
         "-P 0", "-l -1", "-n 1X", "-t -1", "client with -1", "-O 601",
         "-M 40000", "-A 2000", "--rcv-timeout without", "--snd-timeout",
         "unknown option", "missing value", "ambiguous", "-R and", "-S 256")


_NEEDS = {"-M 40000": "--set-mss", "-S 256": "--tos"}


def _bad_case(name, args, fragment):
    ours = any(word in name for word in _OURS)

    @case(f"bad {name}", only_ours=ours, needs=_NEEDS.get(name))
    def bad(bench):
        p = bench.run(*args, status=1)
        if bench.program.is_ours and "--json-stream" not in args:
            assert p.out == "", p.out
        first = p.err.splitlines()[0]
        if bench.program.is_ours:
            assert fragment.lower() in first.lower(), first
            assert first.startswith("iperf3: "), first
            said = textout.errors(p.err)
            assert len(said) == 1, f"{len(said)} messages: {said}"
        p = bench.run("-J", *args, status=1)
        if bench.program.is_ours:
            doc.check_failed(bench.document(p))
            text = bench.document(p)["error"]
            assert fragment.lower() in text.lower(), text


for _row in _BAD:
    _bad_case(*_row)


def _check_failure(bench, args, fragment, port=None):
    """Both forms of a failure at run time."""
    where = ["-p", str(port)] if port else []
    p = bench.run(*args, *where, status=1)
    said = textout.errors(p.err)
    assert len(said) == 1 and p.err.count("\n") == 1, p.err
    assert said[0].startswith("iperf3: error - "), said[0]
    assert fragment in said[0], said[0]
    p = bench.run("-J", *args, *where)
    d = bench.document(p)
    doc.check_failed(d, fragment)
    assert d["intervals"] == [] and d["end"] == {}, d
    if bench.program.is_ours:
        assert p.status == 1, f"exit status {p.status} with -J"
        assert p.err == "", p.err


@case("fails: nobody listens", core=True)
def nobody(bench):
    _check_failure(bench, ["-c", "127.0.0.1"], "unable to connect to server",
                   ports.free_port())
    _check_failure(bench, ["-c", "127.0.0.1"], "Connection refused",
                   ports.free_port())


@case("fails: unknown host")
def unknown_host(bench):
    _check_failure(bench, ["-c", "no-such-host.invalid"],
                   "unable to connect to server")


@case("fails: -B address that is not ours")
def foreign_bind(bench):
    port = ports.free_port()
    _check_failure(bench, ["-c", "127.0.0.1", "-B", "192.0.2.77"],
                   "unable to connect to server", port)
    p = bench.run("-s", "-B", "192.0.2.77", "-p", str(port), status=1)
    assert "unable to start listener" in p.err, p.err


@case("fails: server port in use")
def port_in_use(bench):
    s = bench.server()
    p = bench.run("-s", "-p", str(s.port), status=1)
    assert "Address already in use" in p.err, p.err
    assert "unable to start listener" in p.err, p.err
    bench.run_client(s, "-n", "1M")


@case("fails: json-stream has an error and an end", only_ours=True)
def stream_failure(bench):
    from pylib import strictjson

    p = bench.run("-c", "127.0.0.1", "-p", str(ports.free_port()),
                  "--json-stream", status=1)
    names = [e["event"] for e in strictjson.lines(p.out)]
    assert names == ["error", "end"], names


@case("fails: the server is busy", core=True)
def busy(bench):
    text = "the server is busy running a test. try again later"
    s = bench.server("-J", "-1")
    first = bench.client(s, "-t", "4", "-J")
    bench.until(lambda: len(ports.received_bytes(s.port)) >= 2,
                "the first test runs")
    second = bench.run_client(s, "-t", "1", status=1)
    assert second.err == f"iperf3: error - {text}\n", second.err
    third = bench.run_client(s, "-t", "1", "-J", status=None)
    d = bench.document(third)
    assert d["error"] == text, d["error"]
    assert third.status == 1 or not bench.program.is_ours
    bench.finish(first)
    bench.finish(s)
    client, server = bench.document(first), bench.document(s)
    doc.check_complete(client)
    doc.check_complete(server)
    if bench.program.is_ours:
        doc.check_same_bytes(client, server, doc.FORWARD)


@case("fails: a stranger at the port changes nothing", only_ours=True)
def strangers(bench):
    s = bench.server("-J", "-1")
    for junk in (b"", b"GET / HTTP/1.0\r\n\r\n", b"\0" * 37):
        with socket.create_connection(("127.0.0.1", s.port)) as x:
            x.sendall(junk)
    c = bench.run_client(s, "-n", "10M", "-J")
    bench.finish(s)
    doc.check_same_bytes(bench.document(c), bench.document(s), doc.FORWARD)


@case("fails: unwritable log file and pid file")
def unwritable(bench):
    name = bench.path("no/such/folder")
    s = bench.server()
    for option in ("--logfile", "-I"):
        p = bench.run_client(s, "-n", "1M", option, name, status=1)
        assert "No such file or directory" in p.err, p.err

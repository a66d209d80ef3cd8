# SPDX-License-Identifier: BSD-3-Clause
"""Single options that change what a test does."""

import os
import signal
import socket

from pylib import document as doc
from pylib import ports
from pylib.runner import Skip, case

K = 1024
M = 1024 * 1024


def _block_case(text, size):
    @case(f"option -l {text}", core=text == "1K")
    def block(bench):
        for direction in doc.OPTION:
            args = ["-l", text, "-n", "4M", *doc.OPTION[direction]]
            client, server = bench.pair(*args)
            for d in (client, server):
                doc.check_complete(d)
                assert d["start"]["test_start"]["blksize"] == size
            if bench.program.is_ours:
                doc.check_same_bytes(client, server, direction)
                doc.check_moved(client, direction, 4 * M)


for _text, _size in (("1K", K), ("128K", 128 * K), ("1M", M), ("1", 1)):
    if _size > 1:
        _block_case(_text, _size)


@case("option -l 1 -n 1000")
def tiny_blocks(bench):
    client, server = bench.pair("-l", "1", "-n", "1000")
    doc.check_complete(client)
    if bench.program.is_ours:
        doc.check_same_bytes(client, server, doc.FORWARD)
        doc.check_moved(client, doc.FORWARD, 1000)


def _rate_case(text, args, want, streams=1):
    @case(f"option -b {text}")
    def rate(bench):
        for direction in (doc.FORWARD, doc.REVERSE):
            client, server = bench.pair(
                *args, "-l", "8K", "-t", "2", *doc.OPTION[direction]
            )
            for d in (client, server):
                doc.check_complete(d)
                assert d["start"]["target_bitrate"] == want // streams
            s = client["end"]["sum_sent"]
            ratio = s["bytes"] * 8 / s["seconds"] / want
            assert 0.9 < ratio < 1.1, f"{direction}: {ratio:.3f} of -b"


_rate_case("10M", ["-b", "10M"], 10_000_000)
_rate_case("10M/5", ["-b", "10M/5"], 10_000_000)
_rate_case("4M -P 4", ["-b", "4M", "-P", "4"], 16_000_000, 4)


@case("option -b 0 is unlimited")
def rate_zero(bench):
    client, _ = bench.pair("-b", "0", "-t", "1")
    assert client["start"]["target_bitrate"] == 0
    assert doc.total(client, "sent", doc.FORWARD, doc.FORWARD) > 10 * M


@case("option -w 256K: the value granted is reported")
def window(bench):
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as s:
        granted = {}
        for name in (socket.SO_SNDBUF, socket.SO_RCVBUF):
            s.setsockopt(socket.SOL_SOCKET, name, 256 * K)
            granted[name] = s.getsockopt(socket.SOL_SOCKET, name)
    client, server = bench.pair("-w", "256K", "-n", "10M")
    for d in (client, server):
        start = d["start"]
        assert start["sock_bufsize"] == 256 * K, start["sock_bufsize"]
        assert start["sndbuf_actual"] == granted[socket.SO_SNDBUF]
        assert start["rcvbuf_actual"] == granted[socket.SO_RCVBUF]


@case("option -M 1000", needs="--set-mss")
def mss(bench):
    client, _ = bench.pair("-M", "1000", "-n", "1M")
    doc.check_complete(client)
    assert client["start"]["tcp_mss"] == 1000
    assert "tcp_mss_default" not in client["start"]


@case("option -N")
def nodelay(bench):
    client, server = bench.pair("-N", "-n", "1M")
    doc.check_complete(client)
    doc.check_complete(server)


@case("option -4")
def family_4(bench):
    s = bench.server("-4", "-1", "-J")
    c = bench.run_client(s, "-4", "-n", "1M", "-J", host="localhost")
    one = bench.document(c)["start"]["connected"][0]
    assert one["remote_host"] == "127.0.0.1", one


@case("option -6 to ::1", core=True)
def family_6(bench):
    if not ports.has_ipv6():
        raise Skip("no IPv6 here")
    s = bench.server("-1", "-J")
    c = bench.run_client(s, "-6", "-n", "1M", "-J", host="::1")
    bench.finish(s)
    client, server = bench.document(c), bench.document(s)
    for d in (client, server):
        doc.check_complete(d)
        one = d["start"]["connected"][0]
        assert one["local_host"] == one["remote_host"] == "::1", one


@case("option -4 server refuses IPv6")
def family_server(bench):
    if not ports.has_ipv6():
        raise Skip("no IPv6 here")
    s = bench.server("-4")
    bench.run_client(s, "-n", "1M", host="::1", status=1)
    bench.run_client(s, "-n", "1M")


@case("option -B at both ends")
def bind_both(bench):
    s = bench.server("-1", "-J", "-B", "127.0.0.3")
    c = bench.run_client(
        s, "-J", "-n", "1M", "-B", "127.0.0.2", host="127.0.0.3"
    )
    bench.finish(s)
    client, server = bench.document(c), bench.document(s)
    one = client["start"]["connected"][0]
    assert one["local_host"] == "127.0.0.2", one
    assert one["remote_host"] == "127.0.0.3", one
    one = server["start"]["connected"][0]
    assert one["local_host"] == "127.0.0.3", one
    assert one["remote_host"] == "127.0.0.2", one
    assert server["start"]["accepted_connection"]["host"] == "127.0.0.2"


@case("option -B server is closed on other addresses")
def bind_server(bench):
    s = bench.server("-B", "127.0.0.3")
    bench.run_client(s, "-n", "1", status=1)
    bench.run_client(s, "-n", "1", host="127.0.0.3")


@case("option --no-fq-socket-pacing is a warning")
def no_fq_socket_pacing(bench):
    s = bench.server("-1")
    c = bench.run_client(s, "--no-fq-socket-pacing", "-n", "1M", "-J")
    bench.finish(s)
    if bench.program.is_ours:
        doc.check_complete(bench.document(c))
        assert "--no-fq-socket-pacing is obsolete" in c.err


@case("option -C, -M, -S, --fq-rate: in the documents of both ends")
def socket_options(bench):
    client, server = bench.pair("-C", "reno", "-M", "1200", "-S", "0x20",
                                "--fq-rate", "2G", "-n", "4M")
    for d in (client, server):
        doc.check_complete(d)
        assert d["start"]["tcp_mss"] == 1200
        assert "tcp_mss_default" not in d["start"]
        assert d["start"]["test_start"]["tos"] == 0x20
    assert client["end"]["sender_tcp_congestion"] == "reno"
    assert client["end"]["receiver_tcp_congestion"] == "reno"
    if bench.program.is_ours:
        for d in (client, server):
            assert d["start"]["fq_rate"] == 2_000_000_000
            assert d["start"]["test_start"]["fqrate"] == 2_000_000_000


@case("option --cport")
def cport(bench):
    port = ports.free_port(4)
    client, server = bench.pair("--cport", str(port), "-P", "2", "-n", "1M")
    used = [c["local_port"] for c in client["start"]["connected"]]
    assert used == [port, port + 1], used
    seen = [c["remote_port"] for c in server["start"]["connected"]]
    assert sorted(seen) == [port, port + 1], seen


def _allowed(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as f:
        for line in f:
            if line.startswith("Cpus_allowed_list:"):
                return line.split()[1]
    return ""


@case("option -A 0 and -A 0,0")
def affinity(bench):
    for value in ("0", "0,0"):
        s = bench.server("-1")
        c = bench.client(s, "-A", value, "-t", "2", "--forceflush")
        c.await_text("bits/sec", 10 * bench.slow)
        assert _allowed(c.pid) == "0", _allowed(c.pid)
        if "," in value:
            assert _allowed(s.pid) == "0", _allowed(s.pid)
        bench.finish(c)
        bench.finish(s)


@case("option -A of one test does not stay on the server", only_ours=True)
def affinity_restored(bench):
    s = bench.server()
    before = _allowed(s.pid)
    bench.run_client(s, "-A", "0,0", "-n", "1M")
    s.await_text("Server listening on", 10 * bench.slow, count=2)
    assert _allowed(s.pid) == before


@case("option --connect-timeout")
def connect_timeout(bench):
    """A listener whose queue is full does not answer at all."""
    full = socket.create_server(("127.0.0.1", 0), backlog=0)
    port = full.getsockname()[1]
    waiting = []
    for _ in range(4):
        s = socket.socket()
        s.setblocking(False)
        s.connect_ex(("127.0.0.1", port))
        waiting.append(s)
    try:
        c = bench.run(
            "-c", "127.0.0.1", "-p", str(port), "--connect-timeout", "300",
            "-n", "1M", status=1,
        )
        assert "unable to connect to server" in c.err, c.err
        assert "timed out" in c.err, c.err
    finally:
        for s in [*waiting, full]:
            s.close()


@case("option --rcv-timeout at a client whose server stops", core=True)
def rcv_timeout_client(bench):
    s = bench.server()
    c = bench.client(
        s, "-R", "-t", "60", "--rcv-timeout", "500", "--forceflush"
    )
    c.await_text("bits/sec", 10 * bench.slow)
    s.signal(signal.SIGSTOP)
    bench.finish(c, 1, 20)
    assert "idle timeout for receiving data" in c.err, c.err


@case("option --rcv-timeout at a server whose client stops")
def rcv_timeout_server(bench):
    s = bench.server("--rcv-timeout", "500")
    c = bench.client(s, "-t", "60", "--forceflush")
    c.await_text("bits/sec", 10 * bench.slow)
    c.signal(signal.SIGSTOP)
    s.await_text("idle timeout for receiving data", 20 * bench.slow,
                 stream="err")
    # It must be there for the next one.
    s.await_text("Server listening on", 10 * bench.slow, count=2)
    bench.run_client(s, "-n", "1M")


@case("option --idle-timeout with -1 ends the server")
def idle_timeout(bench):
    s = bench.server("-1", "--idle-timeout", "1")
    bench.finish(s, 0, 20)


@case("option --snd-timeout")
def snd_timeout(bench):
    client, _ = bench.pair("--snd-timeout", "5000", "-n", "1M")
    doc.check_complete(client)


@case("option -C", needs="--congestion")
def congestion(bench):
    name = "/proc/sys/net/ipv4/tcp_available_congestion_control"
    with open(name, encoding="ascii") as f:
        last = f.read().split()[-1]
    client, _ = bench.pair("-C", last, "-n", "1M")
    doc.check_complete(client)
    end = client["end"]
    assert end["sender_tcp_congestion"] == last
    assert end["receiver_tcp_congestion"] == last


@case("option TMPDIR does not matter", only_ours=True)
def no_temporary_file(bench):
    s = bench.server("-1")
    bench.run_client(
        s, "-n", "1M", env={"TMPDIR": os.path.join(bench.folder, "no")}
    )


@case("option abbreviations, bundles and = forms")
def getopt_forms(bench):
    s = bench.server()
    c = bench.run_client(s, "--byt=1M", "--len", "16K", "-RNJ")
    d = bench.document(c)
    doc.check_complete(d)
    assert d["start"]["test_start"]["reverse"] == 1
    assert d["start"]["test_start"]["blksize"] == 16 * K

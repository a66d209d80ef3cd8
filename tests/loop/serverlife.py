# SPDX-License-Identifier: BSD-3-Clause
"""A server's life: one-off, daemon, PID file, many tests in a row."""

import os
import signal

from pylib import document as doc
from pylib import ports, process
from pylib.runner import case


@case("server -1 ends after one test", core=True)
def one_off(bench):
    s = bench.server("-1")
    bench.run_client(s, "-n", "1M")
    bench.finish(s, 0, 10)


@case("server -1 ends with 0 after a failed test", only_ours=True)
def one_off_failed(bench):
    s = bench.server("-1")
    c = bench.client(s, "-t", "60", "--forceflush")
    c.await_text("bits/sec", 10 * bench.slow)
    c.signal(signal.SIGKILL)
    bench.finish(s, 0, 15)


def _daemon(bench, port, *args):
    name = bench.path("pid")
    bench.run("-s", "-D", "-p", str(port), "-I", name, *args, status=0)
    with open(name, encoding="ascii") as f:
        pid = int(f.read().rstrip("\0"))
    bench.daemons.append(pid)
    return pid, name


@case("server -D: the port answers when the command returns", core=True)
def daemon(bench):
    port = ports.free_port()
    if bench.program.is_ours:
        pid, name = _daemon(bench, port)
    else:
        pid, name = _released_daemon(bench, port)
    assert ports.listens(pid, port)
    bench.run_client(port, "-n", "1M")
    with open(f"/proc/{pid}/stat", encoding="ascii") as f:
        word = f.read().rpartition(")")[2].split()
    assert int(word[3]) == pid, "the daemon has no session of its own"
    for fd in (0, 1, 2):
        assert os.readlink(f"/proc/{pid}/fd/{fd}") == "/dev/null"
    os.kill(pid, signal.SIGTERM)
    bench.until(lambda: not os.path.exists(f"/proc/{pid}"), "its end")
    assert not os.path.exists(name), "the PID file is still there"


def _released_daemon(bench, port):
    """The launching command of a released iperf3 returns too early."""
    name = bench.path("pid")
    bench.run("-s", "-D", "-p", str(port), "-I", name, status=0)
    bench.until(lambda: ports.somebody_listens(port), "the port")
    with open(name, encoding="ascii") as f:
        pid = int(f.read().rstrip("\0"))
    bench.daemons.append(pid)
    return pid, name


@case("server -D keeps its working directory", only_ours=True)
def daemon_folder(bench):
    port = ports.free_port()
    pid, _ = _daemon(bench, port, "--logfile", "log")
    assert os.readlink(f"/proc/{pid}/cwd") == os.path.realpath(bench.folder)
    bench.run_client(port, "-n", "1M")
    assert os.path.exists(bench.path("log"))


@case("server -D -1 ends and removes its PID file", only_ours=True)
def daemon_one_off(bench):
    port = ports.free_port()
    pid, name = _daemon(bench, port, "-1")
    bench.run_client(port, "-n", "1M")
    bench.until(lambda: not os.path.exists(f"/proc/{pid}"), "its end")
    assert not os.path.exists(name)


@case("server -D on a used port: the command fails", only_ours=True)
def daemon_port_in_use(bench):
    s = bench.server()
    p = bench.run("-s", "-D", "-p", str(s.port), status=1)
    assert "Address already in use" in p.err, p.err


@case("pid file: content, mode, removal", core=True)
def pid_file(bench):
    name = bench.path("pid")
    s = bench.server("-I", name)
    with open(name, "rb") as f:
        text = f.read().rstrip(b"\0")
    assert text == str(s.pid).encode(), text
    if bench.program.is_ours:
        assert os.stat(name).st_mode & 0o777 == 0o600
    s.signal(signal.SIGTERM)
    bench.finish(s, None, 10)
    assert not os.path.exists(name)


@case("pid file of a running instance is respected", only_ours=True)
def pid_file_taken(bench):
    name = bench.path("pid")
    bench.server("-I", name)
    with open(name, "rb") as f:
        before = f.read()
    p = bench.run("-s", "-p", str(ports.free_port()), "-I", name, status=1)
    assert "Another instance of iperf3 appears to be running" in p.err
    with open(name, "rb") as f:
        assert f.read() == before


@case("pid file of a dead instance is taken over", only_ours=True)
def pid_file_stale(bench):
    name = bench.path("pid")
    dead = bench.run("-v", status=0)
    with open(name, "w", encoding="ascii") as f:
        f.write(str(dead.pid))
    s = bench.server("-I", name)
    with open(name, encoding="ascii") as f:
        assert f.read() == str(s.pid)


@case("twenty tests on one server: no descriptors, no threads left",
      core=True)
def twenty(bench):
    s = bench.server()

    def held():
        return process.descriptors(s.pid), process.threads(s.pid)

    # The first test may leave a thread of a sanitizer's own behind, but no
    # descriptor.
    descriptors = process.descriptors(s.pid)
    bench.run_client(s, "-n", "1M")
    if bench.program.is_ours:
        bench.until(lambda: process.descriptors(s.pid) == descriptors,
                    f"{descriptors} descriptors again")
    idle = held()
    args = [
        ["-n", "1M"], ["-n", "1M", "-R"], ["-n", "1M", "--bidir"],
        ["-n", "1M", "-P", "8"], ["-k", "1", "--bidir", "-P", "4"],
    ]
    seen = []
    for i in range(20):
        bench.run_client(s, *args[i % len(args)])
        s.await_text("Server listening on", 10 * bench.slow, count=i + 3)
        # The last client's connection is closed when it has closed it.
        if bench.program.is_ours:
            bench.until(lambda: held() == idle,
                        f"{idle} descriptors and threads again")
        seen.append(held())
    first, last = seen[len(args) - 1], seen[-1]
    assert first == last, f"{first} became {last}"


@case("a reconnect right after a test is served", only_ours=True)
def back_to_back(bench):
    """The listener stays open between two tests."""
    s = bench.server()
    for _ in range(20):
        c = bench.run_client(s, "-n", "64K", "-J")
        doc.check_complete(bench.document(c))


@case("settings of one test do not reach the next", only_ours=True)
def settings_reset(bench):
    s = bench.server("-J")
    bench.run_client(
        s, "-R", "-P", "3", "-l", "1K", "-w", "64K", "-N", "-b", "100M",
        "-T", "title", "--extra-data", "more", "-O", "1",
        "-t", "1",
    )
    c = bench.run_client(s, "-n", "1M", "-J")
    bench.until(lambda: s.out.count('"cpu_utilization') == 2, "2 documents")
    client = bench.document(c)
    doc.check_complete(client)
    from pylib import strictjson

    second = strictjson.documents(s.out)[1]
    assert "title" not in second and "extra_data" not in second
    start = second["start"]
    assert start["target_bitrate"] == 0 and start["sock_bufsize"] == 0
    test = start["test_start"]
    assert test["num_streams"] == 1 and test["reverse"] == 0
    assert test["blksize"] == 131072 and test["omit"] == 0

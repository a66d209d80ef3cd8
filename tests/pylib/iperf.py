# SPDX-License-Identifier: BSD-3-Clause
"""Servers and clients for one test case."""

import os
import subprocess

from . import ports, process, strictjson

# Words that only appear when a sanitizer or valgrind found something.
_FINDINGS = (
    "ERROR: AddressSanitizer",
    "ERROR: LeakSanitizer",
    "WARNING: ThreadSanitizer",
    "runtime error:",
    "ERROR SUMMARY: ",
)
_NO_FINDING = "ERROR SUMMARY: 0 errors"


class Program:
    """A path, what goes before it, and what it can do."""

    _known = {}
    _help = {}

    def __init__(self, path, wrap=()):
        self.path = path
        self.command = [*wrap, path]
        if path not in Program._known:
            said = subprocess.run(
                [*wrap, path, "-v"],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=30,
                check=True,
            ).stdout
            Program._known[path] = said
        self.version_text = Program._known[path]
        self.is_ours = "iperf3-vsock" in self.version_text

    def has(self, option):
        """Whether --help names this option; None is always there."""
        if option is None:
            return True
        if self.path not in Program._help:
            Program._help[self.path] = subprocess.run(
                [*self.command, "--help"],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=30,
                check=True,
            ).stdout.split()
        words = Program._help[self.path]
        return option in words or option + "," in words


class Bench:
    """What a case works with. Ends everything it started."""

    def __init__(self, program, peer, wrap, slow, folder):
        self.program = Program(program, wrap)
        self._peer = peer
        self.slow = slow
        self.folder = folder
        self.processes = []
        self.daemons = []

    @property
    def peer(self):
        return Program(self._peer)

    # --- starting ---------------------------------------------------------

    def start(self, *args, program=None, env=None, **more):
        """Starts a program with these arguments and nothing else."""
        program = program or self.program
        full = dict(os.environ, LC_ALL="C", TZ="UTC", **(env or {}))
        p = process.Process([*program.command, *args], full, self.folder,
                            **more)
        p.program = program
        self.processes.append(p)
        return p

    def server(self, *args, port=None, program=None, env=None):
        """A server on a free port that is ready for clients. A text server
        is ready when it says so, a JSON server when the port is open."""
        port = port or ports.free_port()
        p = self.start(
            "-s", "-p", str(port), "--forceflush", *args,
            program=program, env=env,
        )
        p.port = port
        if "-J" in args or "--json-stream" in args or "--logfile" in args:
            self.until(
                lambda: ports.listens(p.pid, port) or not p.is_running(),
                "the server's port is open",
            )
        else:
            p.await_text(f"Server listening on {port}", 10 * self.slow)
        return p

    def client(self, server, *args, host="127.0.0.1", **more):
        """Starts a client of a server (or of a port)."""
        port = server if isinstance(server, int) else server.port
        return self.start("-c", host, "-p", str(port), *args, **more)

    def run(self, *args, seconds=15, status=None, **more):
        """Runs a program to its end."""
        p = self.start(*args, **more)
        return self.finish(p, status, seconds)

    def run_client(self, server, *args, seconds=30, status=0, **more):
        """Runs a client to its end and checks its exit status."""
        p = self.client(server, *args, **more)
        return self.finish(p, status, seconds)

    def finish(self, p, status=0, seconds=30):
        p.status = p.wait(seconds * self.slow)
        if status is not None:
            assert p.status == status, f"exit status {p.status}, not {status}"
        return p

    def until(self, condition, what, seconds=10):
        return process.until(condition, seconds * self.slow, what)

    def pair(self, *args, server_args=(), client=None, server=None, **more):
        """One test with JSON at both ends. Returns both documents."""
        s = self.server("-1", "-J", *server_args, program=server)
        c = self.run_client(s, "-J", *args, program=client, **more)
        self.finish(s)
        return self.document(c), self.document(s)

    # --- what they said ---------------------------------------------------

    def document(self, p):
        """The single JSON object on stdout."""
        return strictjson.document(p.out, lenient=not p.program.is_ours)

    def path(self, name):
        return os.path.join(self.folder, name)

    def check_clean(self):
        """No sanitizer may have said anything, at either end."""
        for p in self.processes:
            for line in p.err.splitlines():
                if _NO_FINDING in line:
                    continue
                for word in _FINDINGS:
                    assert word not in line, line

    def describe(self):
        return "\n".join(p.describe() for p in self.processes)

    def end(self):
        for p in self.processes:
            p.end()
        for pid in self.daemons:
            process.end_by_pid(pid)

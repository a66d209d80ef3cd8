# SPDX-License-Identifier: BSD-3-Clause
"""A TCP relay in front of a server, to break tests from outside."""

import socket
import struct
import threading

from . import ports

_COOKIE = 37
_RESET = struct.pack("ii", 1, 0)


class Relay:
    """Passes connections on to a port; cut_test=N resets every connection
    of the Nth test once cut_after bytes of it have passed."""

    def __init__(self, to_port, cut_test=0, cut_after=1 << 20):
        self._to_port = to_port
        self._cut_test = cut_test
        self._cut_after = cut_after
        self._lock = threading.Lock()
        self._sockets = []
        self._seen = set()
        self._tests = []
        self._passed = 0
        self._doomed = set()
        self.port = ports.free_port()
        self.was_cut = threading.Event()
        self._listener = socket.create_server(
            ("127.0.0.1", self.port), backlog=64
        )
        self._spawn(self._accept)

    @staticmethod
    def _spawn(target, *args):
        threading.Thread(target=target, args=args, daemon=True).start()

    def _accept(self):
        while True:
            try:
                near, _ = self._listener.accept()
            except OSError:
                return
            self._spawn(self._connect, near)

    def _connect(self, near):
        try:
            far = socket.create_connection(("127.0.0.1", self._to_port), 10)
        except OSError:
            near.close()
            return
        far.settimeout(None)
        with self._lock:
            self._sockets += [near, far]
        self._spawn(self._pass, far, near, False)
        self._pass(near, far, True)

    def _note(self, cookie):
        """A test is a cookie with a data connection: the control connection
        alone may have met a busy server."""
        with self._lock:
            if cookie in self._seen and cookie not in self._tests:
                self._tests.append(cookie)
            self._seen.add(cookie)

    def _pass(self, source, to, from_client):
        if from_client:
            try:
                head = source.recv(_COOKIE, socket.MSG_PEEK)
            except OSError:
                head = b""
            if len(head) == _COOKIE:
                self._note(head)
        while True:
            try:
                piece = source.recv(1 << 16)
                if not piece:
                    self._pass_end(source, to)
                    return
                to.sendall(piece)
            except OSError:
                return
            self._count(len(piece))

    def _pass_end(self, source, to):
        """An end that is ours is not passed on: it shall be a reset."""
        with self._lock:
            if source not in self._doomed and to not in self._doomed:
                to.shutdown(socket.SHUT_WR)

    def _count(self, n):
        with self._lock:
            if len(self._tests) != self._cut_test or self.was_cut.is_set():
                return
            self._passed += n
            if self._passed < self._cut_after:
                return
            self.was_cut.set()
        self.cut()

    def cut(self):
        """Resets every connection that passes through."""
        with self._lock:
            doomed, self._sockets = self._sockets, []
            self._doomed.update(doomed)
        for s in doomed:
            try:
                s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
                # Wakes the thread that reads; close alone does not.
                s.shutdown(socket.SHUT_RD)
            except OSError:
                pass
            s.close()

    def close(self):
        self._listener.close()
        self.cut()

# SPDX-License-Identifier: BSD-3-Clause
"""Half an iperf3 server: takes a client's cookie and parameters, answers
with an error or with silence. Shows what a client puts on the wire."""

import socket
import struct
import threading

from . import strictjson

PARAM_EXCHANGE = b"\x09"
SERVER_ERROR = b"\xfe"
ACCESS_DENIED = b"\xff"


class FakeServer:
    """answer: bytes sent after the parameters; None: nothing, stay open.
    greeting: sent after the cookie."""

    def __init__(self, answer=b"", greeting=PARAM_EXCHANGE):
        self._answer = answer
        self._greeting = greeting
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self.cookie = b""
        self.text = ""
        self.done = threading.Event()
        threading.Thread(target=self._serve, daemon=True).start()

    @staticmethod
    def _read(conn, n):
        data = b""
        while len(data) < n:
            piece = conn.recv(n - len(data))
            if not piece:
                raise OSError("the client closed")
            data += piece
        return data

    def _serve(self):
        try:
            conn, _ = self._listener.accept()
            conn.settimeout(20)
            self.cookie = self._read(conn, 37)
            conn.sendall(self._greeting)
            if self._greeting == PARAM_EXCHANGE:
                n = struct.unpack("!I", self._read(conn, 4))[0]
                self.text = self._read(conn, n).decode()
                self.done.set()
                if self._answer is None:
                    conn.recv(1)
                conn.sendall(self._answer or b"")
            conn.shutdown(socket.SHUT_WR)
            while conn.recv(4096):
                pass
            conn.close()
        except OSError:
            pass
        self.done.set()

    def parameters(self, seconds=10):
        assert self.done.wait(seconds), "no parameters came"
        return strictjson.document(self.text)

    def close(self):
        self._listener.close()


def server_error(number, os_errno=0):
    """The bytes of a SERVER_ERROR."""
    return SERVER_ERROR + struct.pack("!ii", number, os_errno)

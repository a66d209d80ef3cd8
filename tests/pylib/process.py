# SPDX-License-Identifier: BSD-3-Clause
"""A program under test: its output is read as it comes, its end is waited
for with a deadline, and it is ended by its process id."""

import errno
import os
import pty
import shlex
import signal
import subprocess
import threading
import time


class Timeout(Exception):
    """Something that had to happen did not happen within its time."""


def until(condition, seconds, what):
    """Waits for a condition that no descriptor announces (a file, a line in
    /proc). Looks a hundred times a second."""
    deadline = time.monotonic() + seconds
    pause = threading.Event()
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise Timeout(f"{what}: not within {seconds:g} s")
        pause.wait(0.01)


class Process:
    """One running program. Lines of stdout and stderr are kept as text.
    has_terminal: its stderr is a terminal."""

    def __init__(self, argv, env=None, cwd=None, has_terminal=False):
        self.argv = argv
        self._changed = threading.Condition()
        self._text = {"out": "", "err": ""}
        self._open = 2
        err, err_end = pty.openpty() if has_terminal else os.pipe()
        self._popen = subprocess.Popen(
            argv,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=err_end,
            env=env,
            cwd=cwd,
        )
        os.close(err_end)
        self.pid = self._popen.pid
        for name, pipe in (
            ("out", self._popen.stdout),
            ("err", os.fdopen(err, "rb")),
        ):
            threading.Thread(
                target=self._read, args=(name, pipe), daemon=True
            ).start()

    def _read(self, name, pipe):
        while True:
            try:
                piece = os.read(pipe.fileno(), 65536)
            except OSError as e:
                if e.errno != errno.EIO:  # a terminal's end of file
                    raise
                piece = b""
            with self._changed:
                if piece:
                    self._text[name] += piece.decode("utf-8", "replace")
                else:
                    self._open -= 1
                self._changed.notify_all()
            if not piece:
                pipe.close()
                return

    @property
    def out(self):
        with self._changed:
            return self._text["out"]

    @property
    def err(self):
        with self._changed:
            return self._text["err"]

    def await_text(self, text, seconds=10, count=1, stream="out"):
        """Returns when text was printed count times."""
        deadline = time.monotonic() + seconds
        with self._changed:
            while self._text[stream].count(text) < count:
                left = deadline - time.monotonic()
                if left <= 0:
                    raise Timeout(
                        f'no "{text}" on std{stream} within {seconds:g} s'
                    )
                if self._open == 0:
                    raise Timeout(f'ended without "{text}" on std{stream}')
                self._changed.wait(left)

    def wait(self, seconds=30):
        """Waits for the end of the program and of its output. Returns the
        exit status (negative: the signal that killed it)."""
        try:
            status = self._popen.wait(seconds)
        except subprocess.TimeoutExpired as e:
            raise Timeout(f"did not end within {seconds:g} s") from e
        deadline = time.monotonic() + seconds
        with self._changed:
            while self._open > 0:
                left = deadline - time.monotonic()
                if left <= 0:
                    raise Timeout("ended, but its output stays open")
                self._changed.wait(left)
        return status

    def is_running(self):
        return self._popen.poll() is None

    def signal(self, number):
        self._popen.send_signal(number)

    def end(self):
        """Makes sure that it is gone, stopped or not."""
        if self.is_running():
            self._popen.kill()
        try:
            self.wait(10)
        except Timeout:
            pass

    def describe(self):
        """The command and the ends of its output, for a failed test."""
        status = self._popen.poll()
        said = [
            "$ " + shlex.join(self.argv),
            f"  status: {'running' if status is None else status}",
        ]
        for name in ("out", "err"):
            tail = self._text[name].splitlines()[-12:]
            said += [f"  {name}| {line}" for line in tail]
        return "\n".join(said)


def descriptors(pid):
    """Number of open descriptors of a process."""
    return len(os.listdir(f"/proc/{pid}/fd"))


def threads(pid):
    """Number of threads of a process."""
    return len(os.listdir(f"/proc/{pid}/task"))


def end_by_pid(pid):
    """Ends a process that is not our child (a daemon that we started)."""
    try:
        os.kill(pid, signal.SIGTERM)
    except OSError:
        return
    try:
        until(lambda: not os.path.exists(f"/proc/{pid}"), 5, "end of daemon")
    except Timeout:
        os.kill(pid, signal.SIGKILL)

# SPDX-License-Identifier: BSD-3-Clause
"""Free ports, and who listens where."""

import os
import random
import re
import socket
import subprocess
import threading

# Below the range from which the kernel takes ephemeral ports.
_FIRST, _LAST = 20000, 32000

_lock = threading.Lock()
_given = set()


def _is_free(port):
    for family, host in ((socket.AF_INET, ""), (socket.AF_INET6, "::")):
        with socket.socket(family, socket.SOCK_STREAM) as s:
            s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if family == socket.AF_INET6:
                s.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
            try:
                s.bind((host, port))
            except OSError as e:
                if family == socket.AF_INET6 and not has_ipv6():
                    continue
                del e
                return False
    return True


def has_ipv6():
    """Whether ::1 works here."""
    try:
        with socket.socket(socket.AF_INET6, socket.SOCK_STREAM) as s:
            s.bind(("::1", 0))
    except OSError:
        return False
    return True


def free_port(count=1):
    """The first of count adjacent ports that nobody uses."""
    with _lock:
        for _ in range(1000):
            port = random.randint(_FIRST, _LAST)
            block = range(port, port + count)
            if any(p in _given for p in block):
                continue
            if all(_is_free(p) for p in block):
                _given.update(block)
                return port
    raise RuntimeError("no free port found")


def _listening_inodes(port):
    found = set()
    for name in ("/proc/net/tcp", "/proc/net/tcp6"):
        try:
            with open(name, encoding="ascii") as f:
                rows = f.read().splitlines()[1:]
        except OSError:
            continue
        for row in rows:
            word = row.split()
            if word[3] == "0A" and int(word[1].split(":")[1], 16) == port:
                found.add(f"socket:[{word[9]}]")
    return found


def listens(pid, port):
    """Whether that process has a TCP listener on that port."""
    inodes = _listening_inodes(port)
    if not inodes:
        return False
    folder = f"/proc/{pid}/fd"
    try:
        names = os.listdir(folder)
    except OSError:
        return False
    for name in names:
        try:
            if os.readlink(f"{folder}/{name}") in inodes:
                return True
        except OSError:
            continue
    return False


def somebody_listens(port):
    """Whether any process listens on that port."""
    return bool(_listening_inodes(port))


def received_bytes(port):
    """What the kernel received for each established TCP connection to that
    port, in bytes. A connection that waits to be accepted counts too."""
    out = subprocess.run(
        ["ss", "-Htin", "state", "established", f"( sport = :{port} )"],
        check=True, stdout=subprocess.PIPE, text=True).stdout
    # What ss adds about a connection is on lines that begin with a blank.
    per_connection = re.findall(r"^\S.*(?:\n\s.*)*", out, re.MULTILINE)
    found = (re.search(r"\bbytes_received:(\d+)", t) for t in per_connection)
    return [int(m.group(1)) if m else 0 for m in found]

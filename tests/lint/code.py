#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Rules of the style page that need a look at C without its comments.

Usage: code.py RULE ROOT FILE...     with FILE relative to ROOT
Rules: length, calls, names
"""

import os
import re
import sys

_TOKEN = re.compile(
    r"""/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'""",
    re.S,
)


def _blank(text):
    return re.sub(r"[^\n]", " ", text)


def strip(text, strings=True):
    """Comments (and strings) replaced by blanks; lines keep their place."""

    def replace(match):
        token = match[0]
        if token[0] in "\"'":
            return token[0] + _blank(token[1:-1]) + token[-1] if (
                strings
            ) else token
        return _blank(token)

    return _TOKEN.sub(replace, text)


# --- length -----------------------------------------------------------------

FUNCTION_LINES = 80
PARAMETERS = 5
FILE_LINES = 700


def _parameters(signature):
    inner = signature[signature.index("(") + 1:signature.rindex(")")]
    # Attributes come after the parameter list only in declarations.
    depth, words = 0, [""]
    for c in inner:
        depth += (c in "([") - (c in ")]")
        if c == "," and depth == 0:
            words.append("")
        else:
            words[-1] += c
    names = [w.strip() for w in words]
    return [w for w in names if w not in ("", "void", "...")]


def _functions(text):
    """Name, first line, number of lines and parameters of each function.
    Kernel style: its braces are the only ones in the first column."""
    lines = text.split("\n")
    for at, line in enumerate(lines):
        if line != "{" or at == 0:
            continue
        first = at - 1
        while first > 0 and lines[first - 1].strip() and not lines[
            first - 1
        ].endswith((";", "}", "\\")) and not lines[first - 1].startswith("#"):
            first -= 1
        signature = " ".join(lines[first:at])
        if "(" not in signature or "=" in signature.split("(")[0]:
            continue
        try:
            last = lines.index("}", at)
        except ValueError:
            continue
        name = re.search(r"(\w+)\s*\(", signature)
        yield (
            name[1] if name else "?",
            first + 1,
            last - first + 1,
            len(_parameters(signature)),
        )


def check_length(name, text):
    n = text.count("\n")
    if n > FILE_LINES:
        yield 1, f"{n} lines; {FILE_LINES} are the limit"
    for function, line, size, parameters in _functions(strip(text)):
        if size > FUNCTION_LINES:
            yield line, (
                f"{function} has {size} lines; {FUNCTION_LINES} are the limit"
            )
        # A test's helper may take a row of its table.
        if parameters > PARAMETERS and not name.startswith("tests/"):
            yield line, (
                f"{function} has {parameters} parameters; "
                f"{PARAMETERS} are the limit"
            )


# --- calls ------------------------------------------------------------------

_NEVER = (
    "strcpy strcat sprintf vsprintf gets atoi atol atoll atof strtok setjmp "
    "longjmp sigsetjmp siglongjmp select pselect pthread_cancel alloca"
).split()
_PRINTING = (
    "printf fprintf vprintf vfprintf dprintf puts fputs putchar putc perror"
).split()
_PRINTERS = ("src/report/", "src/cli/", "src/main.c")
_EXITING = "exit _exit _Exit quick_exit".split()
_EXITERS = ("src/main.c", "src/cli/")


def _calls(text, names):
    pattern = re.compile(r"(?<![\w.>])(" + "|".join(names) + r")\s*\(")
    for number, line in enumerate(text.split("\n"), 1):
        for match in pattern.finditer(line):
            yield number, match[1]


def check_calls(name, text):
    code = strip(text)
    for number, call in _calls(code, _NEVER):
        yield number, f"{call} is banned"
    if not name.startswith("src/"):
        return
    if not name.startswith(_PRINTERS):
        for number, call in _calls(code, _PRINTING):
            yield number, f"{call}: only report/ and cli/ write to the user"
    if not name.startswith(_EXITERS):
        for number, call in _calls(code, _EXITING):
            yield number, f"{call}: only main exits"


# --- names ------------------------------------------------------------------

_TRANSPORT = re.compile(r"vsock|sctp|\budp|udp\b|_udp_|udp_|_udp", re.I)

# File and a pattern for what it may say, with the reason.
_ALLOWED_NAMES = [
    # The product is called that; its help may say so.
    ("", r"iperf3-vsock"),
    # net/ knows the address family, as it knows AF_INET.
    ("src/net/", r"\bAF_VSOCK\b|\bIOCTL_VM_\w+|/dev/vsock|linux/vm_sockets"),
    # The key of a datagram stream in "end.streams[]".
    ("src/report/", r'"udp"'),
    # Texts of iperf3's error numbers, which scripts match.
    ("src/base/err.c", r"TCP/SCTP|has no SCTP|\bERR_NO_SCTP\b"),
    ("src/base/err.h", r"\bERR_NO_SCTP\b"),
]


def check_names(name, text):
    if not name.startswith("src/") or name.startswith("src/transport/"):
        return
    code = strip(text, strings=False)
    for number, line in enumerate(code.split("\n"), 1):
        for prefix, pattern in _ALLOWED_NAMES:
            if name.startswith(prefix):
                line = re.sub(pattern, "", line)
        match = _TRANSPORT.search(line)
        if match:
            yield number, (
                f'"{match[0]}": only transport/ knows a transport by name'
            )


# ----------------------------------------------------------------------------

RULES = {"length": check_length, "calls": check_calls, "names": check_names}


def main():
    if len(sys.argv) < 3 or sys.argv[1] not in RULES:
        print(__doc__, file=sys.stderr)
        return 2
    rule, root = RULES[sys.argv[1]], sys.argv[2]
    bad = 0
    for name in sys.argv[3:]:
        with open(os.path.join(root, name), encoding="utf-8") as f:
            text = f.read()
        for number, wrong in rule(name, text):
            print(f"{name}:{number}: {wrong}")
            bad += 1
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

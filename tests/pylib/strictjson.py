# SPDX-License-Identifier: BSD-3-Clause
"""JSON as RFC 8259 has it, and stricter than most parsers.

Python's own parser takes the last of two equal keys and accepts NaN and
Infinity. A consumer of a report may do neither, so both are errors here.
"""

import json


class Invalid(Exception):
    """The text is not the JSON that was expected."""


def _pairs(pairs):
    seen = {}
    for key, value in pairs:
        if key in seen:
            raise Invalid(f'key "{key}" appears twice in one object')
        seen[key] = value
    return seen


def _constant(name):
    raise Invalid(f"{name} is not JSON")


_STRICT = json.JSONDecoder(
    object_pairs_hook=_pairs, parse_constant=_constant, strict=True
)
# What released iperf3 servers write: some keys twice.
_LENIENT = json.JSONDecoder(parse_constant=_constant, strict=True)


def documents(text, lenient=False):
    """All the documents that follow one another in text."""
    decoder = _LENIENT if lenient else _STRICT
    found = []
    at = 0
    while True:
        while at < len(text) and text[at] in " \t\r\n":
            at += 1
        if at == len(text):
            return found
        try:
            value, at = decoder.raw_decode(text, at)
        except ValueError as e:
            raise Invalid(f"{e}; text near: {text[at:at + 120]!r}") from e
        found.append(value)


def document(text, lenient=False):
    """The one object that is the whole of text."""
    found = documents(text, lenient)
    if len(found) != 1:
        raise Invalid(f"{len(found)} documents where one was expected")
    if not isinstance(found[0], dict):
        raise Invalid("the document is not an object")
    return found[0]


def lines(text, lenient=False):
    """One object per line, as --json-stream writes them."""
    if text and not text.endswith("\n"):
        raise Invalid("the last line has no line feed")
    return [document(line, lenient) for line in text.splitlines()]

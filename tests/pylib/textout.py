# SPDX-License-Identifier: BSD-3-Clause
"""iperf3's text output, taken apart."""

import re

BANNER = "-" * 59
SEPARATOR = " ".join("-" * 25)

HEADER = re.compile(r"^\[ ID\](?:\[Role\])? Interval {11}Transfer {5}Bitrate")

ROW = re.compile(
    r"^\[(?P<id>SUM|[ \d]{3,})\](?P<role>\[[RT]X-[CS]\])? "
    r"(?P<start>[ \d.]{6})-(?P<end>[\d.]+ *) +sec  "
    r"(?P<amount>[ \d.]{4,}) (?P<unit>[KMGT]?Bytes)  "
    r"(?P<rate>[ \d.]{4,}) (?P<rate_unit>[KMGT]?(?:bits|Bytes))/sec"
    r"(?P<rest>.*)$"
)


class Row:
    def __init__(self, match):
        self.id = match["id"].strip()
        self.role = match["role"] or ""
        self.start = float(match["start"])
        self.end = float(match["end"])
        self.amount = float(match["amount"])
        self.rate = float(match["rate"])
        self.rate_unit = match["rate_unit"]
        words = match["rest"].split()
        self.tail = (
            words[-1]
            if words and words[-1] in ("sender", "receiver", "(omitted)")
            else ""
        )


def rows(text):
    """All rows of figures, in order."""
    found = []
    for line in text.splitlines():
        match = ROW.match(line)
        if match:
            found.append(Row(match))
        else:
            assert not re.match(r"^\[(SUM|[ \d]{3})\].*sec ", line), (
                f"a row that a script would not understand: {line!r}"
            )
    return found


def summary(text):
    """Only the rows of the summary."""
    return [r for r in rows(text) if r.tail in ("sender", "receiver")]


def errors(text):
    """Lines that report an error."""
    return [
        line for line in text.splitlines()
        if line.startswith("iperf3:")
    ]

#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""clang-format, except for the white space before comments.

clang-format 14 knows no "leave trailing comments where they are": it either
aligns all of them or none. Comments that line up on tabs are worth having, so
this check compares lines with that white space taken out. --fix rewrites the
files in the same sense: lines that differ only there stay as they are.

Rows of tables ({ .name = ..., }) may be laid out by hand: clang-format puts
each member on a line of its own as soon as a row needs more than one line.
"""

import argparse
import difflib
import re
import subprocess
import sys


def _plain(line):
    """A line without what this check does not judge."""
    line = re.sub(r"[ \t]+/\*", " /*", line.rstrip("\n"))
    if re.match(r"^[ \t]+\*([ /]|$)", line):
        line = " " + line.lstrip()
    if re.match(r"^[ \t]+/\*", line):
        line = line.lstrip()
    return line


def _formatted(name):
    return subprocess.run(
        ["clang-format", "--style=file", name],
        check=True,
        capture_output=True,
        text=True,
    ).stdout.splitlines(keepends=True)


def _is_table(old, new):
    """Rows of initialisers that differ in their line breaks only."""
    if re.sub(r"\s", "", "".join(old)) != re.sub(r"\s", "", "".join(new)):
        return False
    return all(
        re.match(r'^\s*(\{ |\}|\.\w|[A-Z_]+\(|"|[A-Z_]+[,} ])', x) for x in old
    )


def _merge(have, want):
    """want, with those lines of have that differ only in white space before
    comments; and the differences that remain."""
    a, b = [_plain(x) for x in have], [_plain(x) for x in want]
    merged, differences = [], []
    matcher = difflib.SequenceMatcher(None, a, b, autojunk=False)
    for kind, a1, a2, b1, b2 in matcher.get_opcodes():
        if kind == "equal":
            merged += have[a1:a2]
            continue
        if _is_table(have[a1:a2], want[b1:b2]):
            merged += have[a1:a2]
            continue
        merged += want[b1:b2]
        differences.append((a1 + 1, have[a1:a2], want[b1:b2]))
    return merged, differences


def _columns(name, lines):
    """What clang-format does not enforce inside comments and strings."""
    for number, line in enumerate(lines, 1):
        if len(line.rstrip("\n").expandtabs(8)) > 80:
            yield f"{name}:{number}: line is longer than 80 columns"
        if re.search(r"[ \t]+$", line.rstrip("\n")):
            yield f"{name}:{number}: white space at the end of the line"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fix", action="store_true", help="rewrite files")
    parser.add_argument("files", nargs="+")
    options = parser.parse_args()
    bad = 0
    for name in options.files:
        with open(name, encoding="utf-8") as f:
            have = f.readlines()
        merged, differences = _merge(have, _formatted(name))
        if options.fix and merged != have:
            with open(name, "w", encoding="utf-8") as f:
                f.writelines(merged)
            print(f"{name}: rewritten")
            have, differences = merged, []
        for number, old, new in differences:
            bad += 1
            print(f"{name}:{number}: clang-format wants")
            print("".join(f"  -{x}" for x in old), end="")
            print("".join(f"  +{x}" for x in new), end="")
        for text in _columns(name, have):
            bad += 1
            print(text)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

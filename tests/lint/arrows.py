#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Includes point only downwards, as the table of docs/ARCHITECTURE.md says.

Every include of our own is written "layer/module.h", so the direction is
visible in the line. Usage: arrows.py SOURCE_FOLDER
"""

import os
import re
import sys

# What a layer may include beside itself. A name with a slash is one header.
ALLOWED = {
    "base": [],
    "model": ["base"],
    "net": ["base"],
    "transport": ["net", "model", "base"],
    "engine": ["transport", "model", "base"],
    "session": ["engine", "transport", "net", "model", "base"],
    "report": ["model", "base"],
    "tool": ["session", "model", "base"],
    "api": ["session", "report", "tool", "model", "base"],
    "cli": [
        "session", "report", "tool", "transport/registry.h", "model", "base",
    ],
    "": ["cli"],
}

# Written by configure.
_GENERATED = {"config.h"}


def _check_line(layer, text):
    """What is wrong with this include, or nothing."""
    match = re.match(r'\s*#\s*include\s+"([^"]+)"', text)
    if not match or match[1] in _GENERATED:
        return None
    header = match[1]
    if header.startswith(".") or header.count("/") != 1:
        return f'"{header}" is not written "layer/module.h"'
    target = header.split("/")[0]
    if target not in ALLOWED:
        return f'"{header}": there is no layer {target}'
    if target == layer or target in ALLOWED[layer]:
        return None
    if header in ALLOWED[layer]:
        return None
    return f'{layer or "main.c"} must not include "{header}"'


def main():
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    source = sys.argv[1]
    bad = 0
    for folder, _, names in sorted(os.walk(source)):
        layer = os.path.relpath(folder, source).split(os.sep)[0]
        layer = "" if layer == "." else layer
        for name in sorted(names):
            if not name.endswith((".c", ".h")):
                continue
            path = os.path.join(folder, name)
            if layer not in ALLOWED:
                print(f"{path}: {layer} is not a layer")
                bad += 1
                continue
            with open(path, encoding="utf-8") as f:
                for number, line in enumerate(f, 1):
                    wrong = _check_line(layer, line)
                    if wrong:
                        print(f"{path}:{number}: {wrong}")
                        bad += 1
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

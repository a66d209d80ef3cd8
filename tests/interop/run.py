#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Interoperability tests: our program against a released iperf3 (--peer) in
both roles, over TCP on this machine."""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
sys.path.insert(0, HERE)

from pylib import runner  # noqa: E402

# Importing a module registers its cases.
import traffic  # noqa: E402,F401
import keys  # noqa: E402,F401
import breaks  # noqa: E402,F401

if __name__ == "__main__":
    sys.exit(runner.main(__doc__))

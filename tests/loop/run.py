#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Loop tests: our client against our server over TCP on this machine.

With --program naming a released iperf3 the same cases run against that
program, except those where released programs are known to differ; that
proves the tests themselves.
"""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
sys.path.insert(0, HERE)

from pylib import runner  # noqa: E402

# Importing a module registers its cases.
import matrix  # noqa: E402,F401
import options  # noqa: E402,F401
import wirekeys  # noqa: E402,F401
import output  # noqa: E402,F401
import failures  # noqa: E402,F401
import interrupts  # noqa: E402,F401
import serverlife  # noqa: E402,F401
import sweeps  # noqa: E402,F401

if __name__ == "__main__":
    sys.exit(runner.main(__doc__))

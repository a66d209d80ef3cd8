# SPDX-License-Identifier: BSD-3-Clause
"""A small test runner: one line per case, and a count at the end.

A case is a function with the decorator @case; it gets an iperf.Bench and
fails by raising. Cases run side by side (-j), each with servers of its own.
"""

import argparse
import concurrent.futures
import os
import re
import shlex
import sys
import tempfile
import threading
import time
import traceback

from . import iperf
from .process import Timeout


class Skip(Exception):
    """This case does not apply to this program or machine."""


CASES = []


class _Case:
    def __init__(self, function, name, marks):
        self.function = function
        self.name = name
        self.marks = marks


def case(name, only_ours=False, alone=False, core=False, needs=None):
    """only_ours: released iperf3 is known to differ. alone: not beside other
    cases. core: also part of --core, the selection for slow builds. needs:
    an option that a build may not have."""

    def register(function):
        CASES.append(
            _Case(
                function,
                name,
                {
                    "ours": only_ours,
                    "alone": alone,
                    "core": core,
                    "needs": needs,
                },
            )
        )
        return function

    return register


def _options(description):
    parser = argparse.ArgumentParser(description=description)
    add = parser.add_argument
    add("--program", default="iperf3", metavar="PATH", help="program tested")
    add(
        "--peer",
        default="iperf3",
        metavar="PATH",
        help="the distribution's iperf3, for interoperability",
    )
    add(
        "-k",
        dest="filter",
        default="",
        metavar="REGEX",
        help="only cases whose name matches",
    )
    add(
        "--wrap",
        default="",
        metavar="CMD",
        help='put before the program, e.g. "env NAME=VALUE" or "valgrind"',
    )
    add("--core", action="store_true", help="the short selection")
    add(
        "--slow",
        type=float,
        default=1.0,
        metavar="FACTOR",
        help="multiply every deadline",
    )
    add(
        "-j",
        dest="jobs",
        type=int,
        default=0,
        metavar="N",
        help="cases at the same time (default: number of CPUs)",
    )
    add("--list", action="store_true", help="print the names and stop")
    add("-x", dest="stop", action="store_true", help="stop at a failure")
    return parser.parse_args()


class _Report:
    def __init__(self):
        self.lock = threading.Lock()
        self.count = {"ok": 0, "not ok": 0, "skip": 0}
        self.failed = []

    def say(self, verdict, name, seconds, why=""):
        with self.lock:
            self.count[verdict] += 1
            if verdict == "not ok":
                self.failed.append(name)
            line = f"{verdict} {name} ({seconds:.1f} s)"
            print(line + (f": {why}" if why else ""), flush=True)


def _run(item, options, report):
    if options.stop and report.failed:
        return
    started = time.monotonic()
    verdict, why = "ok", ""
    with tempfile.TemporaryDirectory(prefix="iperf3-test.") as folder:
        bench = iperf.Bench(
            options.program,
            options.peer,
            shlex.split(options.wrap),
            options.slow,
            folder,
        )
        try:
            if item.marks["ours"] and not bench.program.is_ours:
                raise Skip("only for our own program")
            if not bench.program.has(item.marks["needs"]):
                raise Skip(f"no option {item.marks['needs']} in this build")
            item.function(bench)
            bench.check_clean()
        except Skip as e:
            verdict, why = "skip", str(e)
        except Exception as e:  # a case may raise anything
            where = traceback.extract_tb(e.__traceback__)
            at = [f for f in where if "/pylib/" not in f.filename] or where
            kind = "" if isinstance(e, (AssertionError, Timeout)) else (
                type(e).__name__ + ": "
            )
            verdict = "not ok"
            why = (
                f"{kind}{e} [{os.path.basename(at[-1].filename)}"
                f":{at[-1].lineno} {at[-1].line}]\n{bench.describe()}"
            )
        finally:
            bench.end()
    report.say(verdict, item.name, time.monotonic() - started, why)


def _selected(options):
    pattern = re.compile(options.filter)
    for item in CASES:
        if options.core and not item.marks["core"]:
            continue
        if pattern.search(item.name):
            yield item


def main(description):
    options = _options(description)
    chosen = list(_selected(options))
    if options.list:
        for item in chosen:
            print(item.name)
        return 0
    report = _Report()
    jobs = options.jobs or os.cpu_count() or 1
    beside = [c for c in chosen if not c.marks["alone"]]
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for done in [pool.submit(_run, c, options, report) for c in beside]:
            done.result()
    for item in chosen:
        if item.marks["alone"]:
            _run(item, options, report)
    for name in report.failed:
        print(f"failed: {name}")
    count = report.count
    if count["skip"]:
        print(f"{count['skip']} skipped")
    print(f"{count['ok']} passed, {count['not ok']} failed")
    if not chosen:
        print("no case matches", file=sys.stderr)
        return 1
    return 1 if report.failed else 0

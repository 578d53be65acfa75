"""The experiments of general stream slicing (Traub et al., section 10), in process.

Run with `python -m benchmarks.papers.general_slicing [--quick] [--only in-order ...]`, or with
`report` for the tables of what was measured so far.
"""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path

from benchmarks.papers.cases import console, measured
from benchmarks.papers.general_slicing_functions import functions
from benchmarks.papers.general_slicing_latency import latency
from benchmarks.papers.general_slicing_memory import memory
from benchmarks.papers.general_slicing_point import Kept
from benchmarks.papers.general_slicing_report import read
from benchmarks.papers.general_slicing_scale import Case, Scale
from benchmarks.papers.general_slicing_throughput import (
    by_row_count,
    constraints,
    in_order,
    many_keys,
    medians,
    order,
)
from benchmarks.parts import show

OUT = Path(__file__).parents[1] / "out"
CASES: dict[str, Case] = {
    "in-order": in_order,
    "constraints": constraints,
    "order": order,
    "functions": functions,
    "rows": by_row_count,
    "memory": memory,
    "latency": latency,
    "keys": many_keys,
    "median": medians,
}


def main() -> int:
    given = _arguments()
    scale = Scale.quick() if given.quick else Scale()
    if given.rate:
        scale = replace(scale, rate=given.rate)
    if given.repeat:
        scale = replace(scale, repeat=given.repeat)
    kept = Kept.read(OUT / f"general_slicing{'-quick' if given.quick else ''}.json")
    if given.command == "report":
        return show(read(kept.path), kept.path, console)
    chosen = [name for name in CASES if not given.only or any(o in name for o in given.only)]
    if not chosen:
        console.print(f"no case is called {', '.join(given.only)}: {_names()}")
        return 2
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})  # one core for every side
    failed = [n for n in chosen if not measured(n, partial(CASES[n], scale), kept)]
    return 1 if show(read(kept.path), kept.path, console) or failed else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser("benchmarks.papers.general_slicing", epilog=_names())
    parser.add_argument("command", nargs="?", choices=["run", "report"], default="run")
    parser.add_argument("--quick", action="store_true", help="fewer rows, windows and slices")
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME", help="cases of this name")
    parser.add_argument("--rate", type=int, help="rows per second of event time (1,000,000)")
    parser.add_argument("--repeat", type=int, help="runs of each short side (7)")
    return parser.parse_args()


def _names() -> str:
    return "cases: " + ", ".join(CASES)


if __name__ == "__main__":
    sys.exit(main())

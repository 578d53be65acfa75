"""The experiments of frames: the source's buffers row by row, the same through the operator, frames
in order against a bare pass, and frames on Spark against SQL.

Run with `python -m benchmarks.papers.frames [--quick] [--only buffers ...]`, or with `report` for
the tables of what was measured so far.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from benchmarks.papers.cases import console, measured
from benchmarks.papers.frames_buffers import Scale, buffers
from benchmarks.papers.frames_in_order import in_order
from benchmarks.papers.frames_operator import PUSHES, through_operator
from benchmarks.papers.frames_point import Kept, Point
from benchmarks.papers.frames_report import read
from benchmarks.papers.frames_spark import on_spark
from benchmarks.parts import show

OUT = Path(__file__).parents[1] / "out"
NAMES = ("buffers", "operator", "in-order", "spark")
ROWS, KEYS = 10_000_000, 1_000
STREAM = 16_000_000
"""Rows in order: so many that what is done once for a stream weighs little, and that no cache keeps
them from one run to the next, which favours the bare pass."""


def main() -> int:
    given = _arguments()
    kept = Kept.read(OUT / f"frames{'-quick' if given.quick else ''}.json")
    if given.command == "report":
        return show(read(kept.path), kept.path, console)
    chosen = [name for name in NAMES if not given.only or name in given.only]
    if not chosen:
        console.print(f"no case is called {', '.join(given.only)}: {', '.join(NAMES)}")
        return 2
    cores = os.sched_getaffinity(0)
    failed = []
    for name in chosen:
        # one core for every side in process, all of them for Spark
        os.sched_setaffinity(0, cores if name == "spark" else {max(cores)})
        failed += [] if measured(name, _points(name, given.quick), kept) else [name]
    return 1 if show(read(kept.path), kept.path, console) or failed else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser("benchmarks.papers.frames")
    parser.add_argument("command", nargs="?", choices=["run", "report"], default="run")
    parser.add_argument("--quick", action="store_true", help="fewer rows, and fewer of them held")
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME", help=", ".join(NAMES))
    return parser.parse_args()


def _points(name: str, quick: bool) -> Callable[[], Iterator[Point]]:
    if name == "buffers":
        return partial(buffers, Scale.quick() if quick else Scale())
    if name == "operator":
        batches = (64, 1_024) if quick else tuple(PUSHES)
        return partial(through_operator, 10_000 if quick else 100_000, batches, 1 if quick else 3)
    if name == "in-order":
        return partial(in_order, 200_000 if quick else STREAM, 2 if quick else 7)
    rows, keys = (200_000, 100) if quick else (ROWS, KEYS)
    return partial(on_spark, rows, keys, OUT / "data", 1 if quick else 2)


if __name__ == "__main__":
    sys.exit(main())

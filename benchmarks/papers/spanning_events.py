"""The experiments of windows over events with a duration: the source's figures 10 to 15, real
flights, calls on Spark, and events out of order.

Run with `python -m benchmarks.papers.spanning_events [--quick] [--only map ...]`, or with `report`
for the tables of what was measured so far.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from benchmarks.papers.cases import console, measured
from benchmarks.papers.spanning_calls import on_spark
from benchmarks.papers.spanning_cases import (
    Scale,
    best_where,
    heights,
    in_the_air,
    overlaps,
    sizes,
)
from benchmarks.papers.spanning_disorder import disorder
from benchmarks.papers.spanning_point import Kept, Point
from benchmarks.papers.spanning_report import read
from benchmarks.parts import show

OUT = Path(__file__).parents[1] / "out"
IN_PROCESS = {
    "size": sizes,
    "height": heights,
    "overlap": overlaps,
    "map": best_where,
    "flights": in_the_air,
}
NAMES = (*IN_PROCESS, "disorder", "calls")
CALLS, TOWERS = 10_000_000, 1_000


def main() -> int:
    given = _arguments()
    kept = Kept.read(OUT / f"spanning_events{'-quick' if given.quick else ''}.json")
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
        os.sched_setaffinity(0, cores if name == "calls" else {max(cores)})
        failed += [] if measured(name, _points(name, given), kept) else [name]
    return 1 if show(read(kept.path), kept.path, console) or failed else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser("benchmarks.papers.spanning_events")
    parser.add_argument("command", nargs="?", choices=["run", "report"], default="run")
    parser.add_argument("--quick", action="store_true", help="fewer events, sizes and calls")
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME", help=", ".join(NAMES))
    parser.add_argument("--calls", type=int, help=f"calls on Spark ({CALLS:,})")
    parser.add_argument("--towers", type=int, default=TOWERS, help=f"keys of calls ({TOWERS:,})")
    return parser.parse_args()


def _points(name: str, given: argparse.Namespace) -> Callable[[], Iterator[Point]]:
    scale = Scale.quick() if given.quick else Scale()
    if name in IN_PROCESS:
        return partial(IN_PROCESS[name], scale)
    if name == "disorder":
        return partial(disorder, scale.events, min(3, scale.repeat))
    calls = given.calls or (20_000 if given.quick else CALLS)
    return partial(on_spark, calls, given.towers, OUT / "data", 1 if given.quick else 2)


if __name__ == "__main__":
    sys.exit(main())

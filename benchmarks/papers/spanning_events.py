"""The experiments of windows over events with a duration: the source's figures 10 to 15, real
flights, calls on Spark, and events out of order.

Run with `python -m benchmarks.papers.spanning_events [--quick] [--only map ...]`, or with `report`
for the tables of what was measured so far.
"""

from __future__ import annotations

import argparse
import os
import sys
import traceback
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from rich.console import Console

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
from benchmarks.papers.spanning_report import tables, write

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
console = Console(width=None if sys.stdout.isatty() else 190)


def main() -> int:
    given = _arguments()
    kept = Kept.read(OUT / f"spanning_events{'-quick' if given.quick else ''}.json")
    if given.command == "report":
        return _report(kept)
    chosen = [name for name in NAMES if not given.only or name in given.only]
    if not chosen:
        console.print(f"no case is called {', '.join(given.only)}: {', '.join(NAMES)}")
        return 2
    cores = os.sched_getaffinity(0)
    failed = []
    for name in chosen:
        # one core for every side in process, all of them for Spark
        os.sched_setaffinity(0, cores if name == "calls" else {max(cores)})
        failed += [] if _measured(name, _points(name, given), kept) else [name]
    return 1 if _report(kept) or failed else 0


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


def _measured(name: str, points: Callable[[], Iterator[Point]], kept: Kept) -> bool:
    """Whether a case could be measured to its end. Every point is kept when it is there."""
    try:
        for point in points():
            kept.add(point)
            speeds = ", ".join(f"{s} {point.speed(s) / 1e6:.3g}" for s in point.seconds)
            console.print(
                f"{point.case} {point.x} ({point.variant}): {speeds} M/s; {point.results}"
            )
    except Exception:
        traceback.print_exc()
        console.print(f"[bold red]{name} could not be measured")
        return False
    return True


def _report(kept: Kept) -> int:
    if not kept.points:
        console.print(f"nothing was measured yet: {kept.path.name} is not there")
        return 2
    for table in tables(kept):
        console.print(table)
    page = kept.path.with_suffix(".md")
    write(kept, page)
    console.print(f"written: {page.name} and its map in benchmarks/out")
    return 1 if any("DIFFERENT" in point.results for point in kept.points) else 0


if __name__ == "__main__":
    sys.exit(main())

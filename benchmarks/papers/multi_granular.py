"""Granules: cost over the number of levels, their range and the arrival rate; and what is held.

The source's Figures 5 to 8, and what it leaves out: the same levels as windows of their own, each
in an operator of its own that reads the stream, and on Spark as one `window()` query each.

Run with `python -m benchmarks.papers.multi_granular [--quick] [--only levels ...]`, or with
`report` for the tables of what was measured so far.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from benchmarks.papers.cases import console, measured
from benchmarks.papers.general_slicing_point import Kept, Point
from benchmarks.papers.multi_granular_cases import (
    Scale,
    five_apart,
    over_levels,
    over_ranges,
    over_rates,
)
from benchmarks.papers.multi_granular_items import alone_and_counted
from benchmarks.papers.multi_granular_memory import held
from benchmarks.papers.multi_granular_report import read
from benchmarks.papers.multi_granular_spark import on_spark
from benchmarks.parts import show

OUT = Path(__file__).parents[1] / "out"
CASES: dict[str, Callable[[Scale], Iterator[Point]]] = {
    "levels": over_levels,
    "range": over_ranges,
    "rate": over_rates,
    "separate": five_apart,
    "items": alone_and_counted,
    "memory": held,
    "spark": on_spark,
}


def main() -> int:
    given = _arguments()
    scale = Scale.quick() if given.quick else Scale()
    scale = Scale(given.rows or scale.rows, given.repeat or scale.repeat)
    kept = Kept.read(OUT / f"multi_granular{'-quick' if given.quick else ''}.json")
    if given.command == "report":
        return show(read(kept.path), kept.path, console)
    failed = [name for name in given.only if not measured(name, partial(CASES[name], scale), kept)]
    return 1 if show(read(kept.path), kept.path, console) or failed else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser("benchmarks.papers.multi_granular")
    parser.add_argument("command", nargs="?", choices=["run", "report"], default="run")
    parser.add_argument("--quick", action="store_true", help="a tenth of the rows")
    parser.add_argument("--rows", type=int, help=f"rows of the stream ({Scale().rows:,})")
    parser.add_argument("--repeat", type=int, help=f"runs of each side ({Scale().repeat})")
    parser.add_argument("--only", nargs="+", choices=list(CASES), default=list(CASES))
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())

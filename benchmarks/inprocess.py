"""`plan.run` of one parquet file without Spark, against DuckDB and Polars, on all cores.

Run with `python -m benchmarks.inprocess [--quick] [--only sliding ...]`, or with `report` for the
table of what was measured so far.  Both rivals run twice: as users write the query, and sliced by
hand (panes first, then windows composed of panes).
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import polars
import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow.dataset import dataset
from rich.console import Console

import panewise as pw
from benchmarks import data, inprocess_duckdb, inprocess_polars
from benchmarks.inprocess_report import BY_ARROW, OURS, Outcome, agree, checksum, keep, read
from benchmarks.measure import Timing, alternate
from benchmarks.parts import show

OUT = Path(__file__).parent / "out"
ROWS, QUICK_ROWS, KEYS = 10_000_000, 500_000, 100
SIZES, PANE = range(20, 220, 10), 10
SIZE, SLIDE, GAP = 60, 1, 5
LONG = 20.0
"""Runs longer than this many seconds are not repeated."""
console = Console(width=None if sys.stdout.isatty() else 170)

Query = Callable[[Path], pa.Table]


@dataclass(frozen=True)
class Case:
    """One question, put to everybody."""

    name: str
    windows: list[pw.Window]
    aggregate: Any
    rivals: dict[str, Query]

    @property
    def sides(self) -> dict[str, Query]:
        plan = pw.plan(
            time="ts",
            by=["device"],
            windows=self.windows,
            aggregates=[self.aggregate.alias("value")],
        )
        return {
            OURS: lambda path: plan.run(str(path)),
            BY_ARROW: lambda path: plan.run(dataset(path)),
            **self.rivals,
        }


def cases() -> list[Case]:
    duck, frames = inprocess_duckdb, inprocess_polars
    return [
        Case(
            "tumbling-20",
            [pw.tumbling(f"{size} s") for size in SIZES],
            pw.min("value"),
            {
                "DuckDB by hand": lambda path: duck.tumbling_by_hand(path, SIZES, PANE),
                "Polars by hand": lambda path: frames.tumbling_by_hand(path, SIZES, PANE),
                "DuckDB": lambda path: duck.tumbling(path, SIZES),
                "Polars": lambda path: frames.tumbling(path, SIZES),
            },
        ),
        Case(
            "sliding",
            [pw.sliding(f"{SIZE} s", f"{SLIDE} s")],
            pw.sum("value"),
            {
                "DuckDB by hand": lambda path: duck.sliding_by_hand(path, SIZE, SLIDE),
                "Polars by hand": lambda path: frames.sliding_by_hand(path, SIZE, SLIDE),
                "DuckDB": lambda path: duck.sliding(path, SIZE, SLIDE),
                "Polars": lambda path: frames.sliding(path, SIZE, SLIDE),
            },
        ),
        Case(
            "session",
            [pw.session(f"{GAP} s")],
            pw.sum("value"),
            {
                "DuckDB by hand": lambda path: duck.sessions_by_hand(path, GAP),
                "Polars by hand": lambda path: frames.sessions_by_hand(path, GAP),
                "DuckDB": lambda path: duck.sessions(path, GAP),
                "Polars": lambda path: frames.sessions(path, GAP),
            },
        ),
    ]


def main() -> int:
    given = _arguments()
    rows = QUICK_ROWS if given.quick else ROWS
    kept = OUT / f"inprocess{'-quick' if given.quick else ''}.json"
    if given.command == "report":
        return show(read(kept), kept, console)
    chosen = [c for c in cases() if not given.only or any(name in c.name for name in given.only)]
    if not chosen:
        console.print(f"no case is called {', '.join(given.only)}: {_names()}")
        return 2
    path = _file(rows)
    for case in chosen:
        with console.status(case.name):
            keep(_measure(case, path, rows, given.repeat), kept)
    return show(read(kept), kept, console)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser("benchmarks.inprocess", epilog=_names())
    parser.add_argument("command", nargs="?", choices=["run", "report"], default="run")
    parser.add_argument("--quick", action="store_true", help=f"{QUICK_ROWS:,} rows")
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME", help="cases of this name")
    parser.add_argument("--repeat", type=int, default=5, help="runs of each short side (5)")
    return parser.parse_args()


def _names() -> str:
    return "cases: " + ", ".join(case.name for case in cases())


def _file(rows: int) -> Path:
    """The input of the other benchmarks as one file."""
    folder = data.ensure(rows, KEYS, OUT / "data")
    path = folder.with_suffix(".parquet")
    if not path.exists():
        part = path.with_suffix(".part.parquet")
        pq.write_table(pq.read_table(folder), part)
        part.rename(path)
    return path


def _measure(case: Case, path: Path, rows: int, repeat: int) -> Outcome:
    # comparing first also warms up: compiled kernels, caches, the file in memory
    sums = {name: checksum(query(path)) for name, query in case.sides.items()}
    wrong = [name for name, found in sums.items() if not agree(found, sums["DuckDB"])]
    runs = {name: lambda query=query: query(path) for name, query in case.sides.items()}
    timings = alternate(runs, repeat, _wants)
    return Outcome(
        case.name,
        rows,
        {name: timing.seconds for name, timing in timings.items()},
        f"DIFFERENT: {', '.join(wrong)}" if wrong else "equal",
        sums[OURS][0],
        max(timing.others for timing in timings.values()),
        f"DuckDB {duckdb.__version__}, Polars {polars.__version__}, "
        f"Python {platform.python_version()}, {os.cpu_count()} cores",
    )


def _wants(timing: Timing, turn: int, repeat: int) -> bool:
    return not timing.seconds or (turn < repeat and timing.best < LONG)


if __name__ == "__main__":
    sys.exit(main())

"""`plan.run` of one parquet file without Spark, against DuckDB and Polars, on all cores.

Run with `python -m benchmarks.inprocess [--quick] [--only sliding ...]`, or with `report` for the
table of what was measured so far.  Both rivals run twice: as users write the query, and sliced by
hand (panes first, then windows composed of panes).
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from rich.console import Console

import panewise as pw
from benchmarks import data, inprocess_duckdb, inprocess_polars
from benchmarks.inprocess_report import Outcome, agree, checksum, tables, write
from benchmarks.measure import Timing, alternate

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
        return {"ours": lambda path: plan.run(str(path)), **self.rivals}


def cases() -> list[Case]:
    duck, polars = inprocess_duckdb, inprocess_polars
    return [
        Case(
            "tumbling-20",
            [pw.tumbling(f"{size} s") for size in SIZES],
            pw.min("value"),
            {
                "DuckDB by hand": lambda path: duck.tumbling_by_hand(path, SIZES, PANE),
                "Polars by hand": lambda path: polars.tumbling_by_hand(path, SIZES, PANE),
                "DuckDB": lambda path: duck.tumbling(path, SIZES),
                "Polars": lambda path: polars.tumbling(path, SIZES),
            },
        ),
        Case(
            "sliding",
            [pw.sliding(f"{SIZE} s", f"{SLIDE} s")],
            pw.sum("value"),
            {
                "DuckDB by hand": lambda path: duck.sliding_by_hand(path, SIZE, SLIDE),
                "Polars by hand": lambda path: polars.sliding_by_hand(path, SIZE, SLIDE),
                "DuckDB": lambda path: duck.sliding(path, SIZE, SLIDE),
                "Polars": lambda path: polars.sliding(path, SIZE, SLIDE),
            },
        ),
        Case(
            "session",
            [pw.session(f"{GAP} s")],
            pw.sum("value"),
            {
                "DuckDB by hand": lambda path: duck.sessions_by_hand(path, GAP),
                "Polars by hand": lambda path: polars.sessions_by_hand(path, GAP),
                "DuckDB": lambda path: duck.sessions(path, GAP),
                "Polars": lambda path: polars.sessions(path, GAP),
            },
        ),
    ]


def main() -> int:
    given = _arguments()
    rows = QUICK_ROWS if given.quick else ROWS
    kept = OUT / f"inprocess{'-quick' if given.quick else ''}.json"
    if given.command == "report":
        return _report(kept)
    chosen = [c for c in cases() if not given.only or any(name in c.name for name in given.only)]
    if not chosen:
        console.print(f"no case is called {', '.join(given.only)}: {_names()}")
        return 2
    path = _file(rows)
    for case in chosen:
        with console.status(case.name):
            _keep(_measure(case, path, rows, given.repeat), kept)
    return _report(kept)


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
        sums["ours"][0],
        max(timing.others for timing in timings.values()),
    )


def _wants(timing: Timing, turn: int, repeat: int) -> bool:
    return not timing.seconds or (turn < repeat and timing.best < LONG)


def _load(kept: Path) -> dict[str, Outcome]:
    if not kept.exists():
        return {}
    return {each["name"]: Outcome(**each) for each in json.loads(kept.read_text())}


def _keep(outcome: Outcome, kept: Path) -> None:
    found = _load(kept) | {outcome.name: outcome}
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_text(json.dumps([asdict(each) for each in found.values()], indent=1) + "\n")


def _report(kept: Path) -> int:
    found = list(_load(kept).values())
    if not found:
        console.print(f"nothing was measured yet: {kept.name} is not there")
        return 2
    for table in tables(found):
        console.print(table.rich())
    write(found, kept.with_suffix(".md"))
    console.print(f"written: {kept.stem}.md and {kept.stem}.png in benchmarks/out")
    return 1 if any("DIFFERENT" in each.results for each in found) else 0


if __name__ == "__main__":
    sys.exit(main())

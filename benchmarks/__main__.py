"""Run with `python -m benchmarks [--quick] [--only NAME ...]`, or `python -m benchmarks report`."""

from __future__ import annotations

import argparse
import sys
import traceback
from pathlib import Path

from pyspark.sql import SparkSession
from rich.console import Console

from benchmarks import data
from benchmarks.measure import alternate
from benchmarks.parts import show
from benchmarks.spark.batch_report import Result, keep, read
from benchmarks.spark.cases import Case, cases, equal
from benchmarks.spark.session import consume, machine, start

OUT = Path(__file__).parent / "out"
QUICK_ROWS = 500_000
# a table in a file or a log needs no narrow columns
console = Console(width=None if sys.stdout.isatty() else 170)


def main() -> int:
    given = _arguments()
    kept = OUT / ("results-quick.json" if given.quick else "results.json")
    if given.command == "report":
        return show(read(kept), kept, console)
    chosen = [c for c in cases() if not given.only or any(name in c.name for name in given.only)]
    if not chosen:
        console.print(f"no case is called {', '.join(given.only)}: " + _names())
        return 2
    failed = _run(chosen, given.repeat, QUICK_ROWS if given.quick else None, kept)
    return 1 if show(read(kept), kept, console) or failed else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser("benchmarks", epilog=_names())
    parser.add_argument("command", nargs="?", choices=["run", "report"], default="run")
    parser.add_argument("--quick", action="store_true", help=f"{QUICK_ROWS:,} rows per case")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="cases with NAME in their name")
    parser.add_argument("--repeat", type=int, help="runs of each side (3; quick 1)")
    given = parser.parse_args()
    given.repeat = given.repeat or (1 if given.quick else 3)
    return given


def _names() -> str:
    return "cases: " + ", ".join(case.name for case in cases())


def _run(chosen: list[Case], repeat: int, at_most: int | None, kept: Path) -> bool:
    """Whether a case could not be measured. What was measured is kept after every case."""
    spark = start()
    failed = False
    for case in chosen:
        try:
            keep(_measure(case, spark, repeat, at_most), kept)
        except Exception:
            traceback.print_exc()
            console.print(f"[bold red]{case.name} could not be measured")
            failed = True
    spark.stop()
    return failed


def _measure(case: Case, spark: SparkSession, repeat: int, at_most: int | None) -> Result:
    rows = min(case.rows, at_most or case.rows)
    with console.status(f"{case.name}: input of {rows:,} rows") as status:
        events = spark.read.parquet(str(data.ensure(rows, case.keys, OUT / "data")))
        # Comparing first also warms up both sides: generated code, workers, compiled kernels.
        status.update(f"{case.name}: comparing results")
        same = "equal" if equal(case, events) else "DIFFERENT"
        if case.check_one_key_in > 1:
            same += f" (1 key in {case.check_one_key_in})"
        status.update(f"{case.name}: timing")
        sides = {
            "spark": lambda: consume(case.spark(events)),
            "ours": lambda: consume(case.ours(events)),
        }
        timings = alternate(sides, repeat)
    theirs, ours = timings["spark"], timings["ours"]
    console.print(f"{case.name}: {theirs.best:.2f} s, {ours.best:.2f} s, {same}")
    return Result(
        name=case.name,
        title=case.title,
        keys=case.keys,
        rows=rows,
        must=case.must,
        results=same,
        spark_seconds=theirs.seconds,
        ours_seconds=ours.seconds,
        spark_mb=theirs.peak_mb,
        ours_mb=ours.peak_mb,
        others=max(theirs.others, ours.others),
        machine=machine(spark),
    )


if __name__ == "__main__":
    sys.exit(main())

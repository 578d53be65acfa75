"""`plan.run` of a stream against Spark's own streaming queries.

Run with `python -m benchmarks.spark.streaming [--quick] [--only NAME ...]`, or with `report` for
the tables of what was measured so far.  A case is kept when it is done, and a run goes on where the
last one ended.

- Input: 1,000 rows a second of event time, as dense as that of the batch benchmark.  5 M rows span
  5,000 s and arrive in 5 batches of 1 M; the first is for warming up and does not count.  Before
  that, results of both sides are compared on a small input, which warms up, too, and before the
  first case both sides of a short one run for two minutes.  "dense" has 100 times as many rows a
  second for 100 times as many keys, "large" has batches of 2.5 M.
- Where a figure compares two cases of ours, the other one runs in turn with this.
- How late rows may be is said as each side has it: `withWatermark` to Spark's, `delay=` to ours.
- Spark's queries are as users write them: one streaming query for each window, in append mode.
  Where there are many, some run, and the others are counted like them: `--queries 0` runs all.
- They are measured twice.  "spark" is in the same session as ours: 2 shuffle partitions for 2
  cores, and RocksDB.  "defaults" is as Spark comes: 200 shuffle partitions, the default state
  store, and files as Hadoop writes them.  That is slow, so it runs once, on 3 batches, after the
  others, when all code is warm.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import traceback
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from pyspark.sql import SparkSession
from rich.console import Console

from benchmarks.measure import Timing, alternate
from benchmarks.parts import show
from benchmarks.spark import streaming_sides
from benchmarks.spark.session import machine
from benchmarks.spark.streaming_cases import BATCHES, WARM, Case, cases
from benchmarks.spark.streaming_outcome import BESIDE, SIDES, Kept, Outcome, Run
from benchmarks.spark.streaming_report import read
from benchmarks.spark.streaming_sides import (
    FEW_QUERIES,
    Stage,
    by_default,
    few,
    ours,
    same,
    spread,
    theirs,
)

OUT = Path(__file__).parent.parent / "out"
QUICK_ROWS, QUICK_BATCHES, QUICK_WARM = 100_000, 4, 1
WARM_UP, REPEAT = 12, 10
"""Runs of each side: first those of one case that do not count, because in the first dozen of a
session the JVM goes on to compile what it runs; then those of every case."""
LONG = 20.0
"""A side that takes more seconds than this is repeated once: it runs long enough to be compiled."""
console = Console(width=None if sys.stdout.isatty() else 170)


def main() -> int:
    given = _arguments()
    kept = Kept.read(OUT / f"streaming{_size(given)}.json")
    if given.command == "report":
        return show(read(kept.path), kept.path, console)
    if given.batches is not None and given.batches <= WARM:
        console.print(f"--batches must be more than {WARM}, which are for warming up")
        return 2
    chosen = [c for c in cases() if not given.only or any(name in c.name for name in given.only)]
    if given.quick and not given.only:
        chosen = [case for case in chosen if case.first]
    if not chosen:
        console.print(f"no case is called {', '.join(given.only)}: {_names()}")
        return 2
    failed = _run([c for c in chosen if given.again or c.name not in kept.outcomes], given, kept)
    return 1 if show(read(kept.path), kept.path, console) or failed else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser("benchmarks.spark.streaming", epilog=_names())
    parser.add_argument("command", nargs="?", choices=["run", "report"], default="run")
    parser.add_argument(
        "--quick", action="store_true", help=f"{QUICK_ROWS:,} rows, and only cases for must reach"
    )
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME", help="cases of this name")
    parser.add_argument("--rows", type=int, help="at most so many rows; kept in a file of its own")
    parser.add_argument("--batches", type=int, help=f"micro-batches of the input ({BATCHES})")
    parser.add_argument("--repeat", type=int, help=f"runs of each side ({REPEAT}; quick 1)")
    parser.add_argument(
        "--queries",
        type=int,
        default=4,
        help=f"of Spark's for a case (4), at most {FEW_QUERIES} by default settings; 0: all",
    )
    parser.add_argument("--again", action="store_true", help="measure again what was measured")
    given = parser.parse_args()
    given.repeat = given.repeat or (1 if given.quick else REPEAT)
    return given


def _names() -> str:
    return "cases: " + ", ".join(case.name for case in cases())


def _size(given: argparse.Namespace) -> str:
    """What is measured otherwise than by default is kept apart."""
    rows = f"-{given.rows}" if given.rows else ""
    return "-quick" * given.quick + rows + (f"-in{given.batches}" if given.batches else "")


def _run(chosen: list[Case], given: argparse.Namespace, kept: Kept) -> bool:
    """Whether a case could not be measured."""
    if not chosen:
        return False
    spark = streaming_sides.start()
    work = Path(tempfile.mkdtemp(prefix="streaming-", dir=_folder(OUT)))
    failed = False
    if not given.quick:
        _warm_up(spark, given, work / "run")
    for case in chosen:
        try:
            kept.add(_measure(case, spark, given, work / "run"))
        except Exception:
            traceback.print_exc()
            console.print(f"[bold red]{case.name} could not be measured")
            failed = True
    spark.stop()
    shutil.rmtree(work)
    return failed


def _folder(path: Path) -> Path:
    path.mkdir(parents=True, exist_ok=True)
    return path


def _warm_up(spark: SparkSession, given: argparse.Namespace, work: Path) -> None:
    """Both sides of a short case: whatever is measured first would be measured cold."""
    case = next(case for case in cases() if case.first)
    whole, root = case.input(given.rows, given.batches), OUT / "data"
    stage = Stage(spark, whole, whole.ensure(root), work, WARM)
    console.print(f"warming up: {WARM_UP} times {case.name}")
    for _ in range(WARM_UP):
        theirs(stage, case.windows, 1)
        ours(stage, case.windows)


def _measure(case: Case, spark: SparkSession, given: argparse.Namespace, work: Path) -> Outcome:
    small, root = case.small(), OUT / "data"
    rows, batches, warm = (QUICK_ROWS, QUICK_BATCHES, QUICK_WARM) if given.quick else (0, 0, WARM)
    whole = case.input(given.rows or rows, given.batches or batches)
    # comparing first also warms up both sides: generated code, workers, compiled kernels
    results = same(Stage(spark, small, small.ensure(root), work), case.windows)
    console.print(f"{case.name}: {results}")
    stage = Stage(spark, whole, whole.ensure(root), work, warm)
    runs: dict[str, list[Run]] = {name: [] for name in (*SIDES, *([BESIDE] if case.beside else []))}

    def side(name: str, run: Callable[[], Run]) -> Callable[[], None]:
        def measured() -> None:
            runs[name].append(run())
            rate = runs[name][-1].rate(warm)
            console.print(f"{case.name}: {name} {rate:,.0f} rows/s")

        return measured

    in_turn = {
        "spark": side("spark", lambda: theirs(stage, case.windows, given.queries)),
        "ours": side("ours", lambda: ours(stage, case.windows)),
    }
    if case.beside:
        other = next(each for each in cases() if each.name == case.beside)
        its = other.input(given.rows or rows, given.batches or batches)
        beside = replace(stage, given=its, files=its.ensure(root))
        in_turn[BESIDE] = side(BESIDE, lambda: ours(beside, other.windows))
    once = {"defaults": side("defaults", lambda: by_default(stage, case.windows, given.queries))}
    timings = alternate(in_turn, given.repeat, _wants) | alternate(once, 1, _wants)
    asked = {"spark": given.queries, "defaults": few(given.queries)}
    return Outcome(
        name=case.name,
        title=case.title,
        keys=case.keys,
        windows=len(case.windows),
        rows=whole.rows,
        warm=warm,
        runs=runs,
        queries={name: len(spread(case.windows, count)) for name, count in asked.items()},
        results=results,
        others=max(timing.others for timing in timings.values()),
        machine=machine(spark),
    )


def _wants(timing: Timing, turn: int, repeat: int) -> bool:
    return not timing.seconds or turn < (repeat if timing.best < LONG else min(repeat, 2))


if __name__ == "__main__":
    sys.exit(main())

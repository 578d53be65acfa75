"""Throughput boosts of the factor-windows paper, on Spark (its Section V, Tables I and III).

Run with `python -m benchmarks.papers.factor_windows [--quick] [--only R-5-tumbling ...]`, or with
`report` for the tables of what was measured so far.  A run goes on where the last one ended.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from rich.console import Console

import panewise as pw
from benchmarks.papers.factor_windows_report import read
from benchmarks.papers.measuring import Bench, constants, planned
from benchmarks.papers.trial import Kept, Trial
from benchmarks.papers.window_sets import SIZES, Setup, setups
from benchmarks.parts import show

OUT = Path(__file__).parents[1] / "out"
ROWS, QUICK_ROWS = 10_000_000, 1_000_000
SETS, QUICK_SETS = 10, 1
QUICK_SIZES = (5, 20)
SPARSE_SETS = 3
PLANNED = {20: 50, 100: 100}
"""Sizes of sets that are only planned, and their multipliers: 50 gives no 100 hopping windows."""
console = Console(width=None if sys.stdout.isatty() else 190)


def main() -> int:
    given = _arguments()
    kept = Kept.read(OUT / f"factor_windows{_suffix(given)}.json")
    if given.command == "run":
        found = setups(QUICK_SIZES if given.quick else SIZES)
        chosen = [s for s in found if not given.only or any(o in s.name for o in given.only)]
        if not chosen and "planning" not in given.only:
            console.print(f"no row is called {', '.join(given.only)}: {_names(found)}")
            return 2
        if not given.only or "planning" in given.only:
            _plan_many(kept, given.rows)
        if chosen:
            _measure_all(kept, chosen, given)
    return show(read(kept.path), kept.path, console)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser("benchmarks.papers.factor_windows", epilog=_names(setups()))
    parser.add_argument("command", nargs="?", choices=["run", "report"], default="run")
    parser.add_argument("--quick", action="store_true", help="1 M rows, 1 set, 5 and 20 windows")
    parser.add_argument("--rows", type=int, help="rows of the input (10 M)")
    parser.add_argument("--sets", type=int, help="window sets of each row (10)")
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME", help="rows with this name")
    parser.add_argument("--repeat", type=int, help="runs of each short side (3; quick 1)")
    parser.add_argument("--again", action="store_true", help="measure again what is there")
    given = parser.parse_args()
    given.repeat = given.repeat or (1 if given.quick else 3)
    given.sets = given.sets or (QUICK_SETS if given.quick else SETS)
    given.rows = given.rows or (QUICK_ROWS if given.quick else ROWS)
    return given


def _suffix(given: argparse.Namespace) -> str:
    """Results of different inputs are kept apart."""
    if given.rows == ROWS:
        return ""
    return "-quick" if given.rows == QUICK_ROWS else f"-{given.rows}"


def _names(found: Sequence[Setup]) -> str:
    return "rows: " + ", ".join([*(setup.name for setup in found), "planning"])


def _measure_all(kept: Kept, chosen: Sequence[Setup], given: argparse.Namespace) -> None:
    """The first set of every row, then the second: a run that ends early has seen all rows."""
    bench: Bench | None = None
    for number in range(given.sets):
        for setup in chosen:
            if setup.sparse and number >= SPARSE_SETS:
                continue
            known = kept.find(setup.name, number)
            if known and known.constants == constants() and not given.again:
                continue
            twin = _twin(kept, setup, number)
            if twin is not None:
                kept.add(replace(twin, number=number, copy_of=twin.number))
                continue
            if bench is None:
                bench = Bench.start(given.rows, OUT / "data", given.repeat)
            with console.status(f"{setup.name}, set {number + 1} of {given.sets}"):
                trial = bench.measure(setup, number)
            kept.add(trial)
            console.print(_line(trial))
    if bench is not None:
        bench.stop()


def _twin(kept: Kept, setup: Setup, number: int) -> Trial | None:
    """A set of this row that has the same windows, and was measured before."""
    windows = [list(window) for window in setup.window_set(number)]
    before = (kept.find(setup.name, other) for other in range(number))
    measured = (t for t in before if t and t.copy_of is None and t.constants == constants())
    return next((trial for trial in measured if trial.windows == windows), None)


def _line(trial: Trial) -> str:
    best = ", ".join(f"{side} {trial.best(side):.2f}" for side in trial.seconds)
    return f"{trial.setup}/{trial.number}: {best} s; auto took {trial.chosen}; {trial.results}"


def _plan_many(kept: Kept, rows: int) -> None:
    """How long the automatic choice takes, without Spark."""
    known = pw.Statistics.given(rows=rows, span=f"{rows // 1000} seconds", keys=100)
    for size, multiplier in PLANNED.items():
        for tumbling in (True, False):
            setup = Setup("R", size, tumbling)
            sets = [setup.window_set(number, multiplier) for number in range(SETS)]
            with console.status(f"planning {setup.name}"):
                kept.planning[setup.name] = [planned(windows, known)[1] for windows in sets]
            kept.write()


if __name__ == "__main__":
    sys.exit(main())

"""The constants of the cost model, from runs of forced plans on this machine.

Idea: a cost is linear in the constants, so the cost under unit constants (one is 1, the others 0)
is what a plan has of each step.  The constants are the non-negative least squares solution over all
runs, on relative errors: a tenth of a second counts more in a short run than in a long one.

Run with `python -m benchmarks.calibrate [--quick]`; `fit` instead of a run fits the last
measurements again, for example after a change of the model.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from functools import cache
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
from pyspark.sql import SparkSession
from rich.console import Console
from rich.table import Table

import panewise as pw
from benchmarks import data
from benchmarks.least_squares import nonnegative
from benchmarks.measure import alternate
from benchmarks.papers.measuring import plan
from benchmarks.papers.window_sets import FEW_KEYS, MANY_KEYS, Setup, Window
from benchmarks.spark.session import consume, start
from panewise.optimizer import model
from panewise.plan import Placement, Plan
from panewise.windows import Family

OUT = Path(__file__).parent / "out"
STORED = Path(model.__file__).with_name("constants.json")
NAMES = [field.name for field in fields(model.Constants)]
ROWS, SPARSE_ROWS, SMALL_ROWS = 4_000_000, 2_000_000, 200_000
QUICK = 20
"""How many times smaller the inputs of a quick run are."""
WAKING = "waking the workers"
READ = "read"
"""Not a strategy: events are read, and that is all. It tells reading from folding."""
console = Console(width=None if sys.stdout.isatty() else 150)


@dataclass(frozen=True)
class Run:
    """A forced plan over an input."""

    rows: int
    keys: int
    label: str
    windows: tuple[Window, ...]
    strategy: str
    placement: Placement | None = None

    @property
    def name(self) -> str:
        way = f"{self.strategy} {self.placement.value}" if self.placement else self.strategy
        return f"{way}, {self.label}, {self.rows:,} rows of {self.keys:,} keys"

    @property
    def folder(self) -> Path:
        return data.ensure(self.rows, self.keys, OUT / "data")

    def plan(self) -> Plan:
        found = plan(self.windows, self.strategy, _known(self.folder, self.rows))
        if self.placement is None:
            return found
        trees = (replace(tree, placement=self.placement) for tree in found.trees)
        return replace(found, trees=tuple(trees))

    def prepared(self, spark: SparkSession) -> Callable[[], None]:
        events = spark.read.parquet(str(self.folder))
        if self.strategy == READ:
            return lambda: consume(events)
        chosen = self.plan()
        return lambda: consume(chosen.run(events))

    def features(self) -> list[float]:
        """How much of each constant's step the run has, by the formulas of the model."""
        if self.strategy == READ:
            return [{"scan": float(self.rows), "stage": 1.0}.get(name, 0.0) for name in NAMES]
        chosen = self.plan()
        return [_cost(chosen, _unit(name)) for name in NAMES]


def runs(smaller: int = 1) -> list[Run]:
    """Few keys and many, long inputs and short ones, levels and both placements of the kernel."""
    one, odd = ((20, 20),), ((15, 15), (17, 17), (19, 19))
    random, hopping = Setup("R", 20, True).window_set(0), Setup("R", 20, False).window_set(0)
    sequence = Setup("S", 20, True).window_set(0)
    dense, sparse = (ROWS // smaller, FEW_KEYS), (SPARSE_ROWS // smaller, MANY_KEYS)
    small = (SMALL_ROWS // smaller, FEW_KEYS)
    levels = [
        Run(*dense, "one", one, READ),
        Run(*dense, "one", one, "independent"),
        Run(*dense, "5 random", random[:5], "independent"),
        Run(*dense, "20 random", random, "independent"),
        Run(*dense, "one hopping", ((60, 30),), "independent"),
        Run(*dense, "5 hopping", hopping[:5], "independent"),
        Run(*dense, "5 random", random[:5], "scan"),
        Run(*dense, "20 random", random, "scan"),
        Run(*dense, "5 hopping", hopping[:5], "scan"),
        Run(*dense, "20 in sequence", sequence, "slices"),
        Run(*dense, "20 random", random, "coverage"),
        Run(*dense, "20 in sequence", sequence, "factor"),
        Run(*dense, "20 hopping", hopping, "factor"),
        Run(*sparse, "one", one, "independent"),
        Run(*sparse, "3 odd", odd, "independent"),
        Run(*sparse, "2 hopping", ((60, 30), (90, 45)), "independent"),
        Run(*sparse, "4 in sequence", sequence[:4], "factor"),
        Run(*sparse, "3 odd", odd, "scan"),
        Run(*sparse, "3 odd", odd, "slices"),
        Run(*small, "one", one, "independent"),
        Run(*small, "20 hopping", hopping, "factor"),
    ]
    kernel = [
        replace(run, placement=placement)
        for run in [
            Run(*dense, "5 random", random[:5], "edges"),
            Run(*dense, "20 in sequence", sequence, "edges"),
            Run(*dense, "60 by 1", ((60, 1),), "edges"),
            Run(*sparse, "3 odd", odd, "edges"),
            Run(*sparse, "10 in sequence", sequence[:10], "edges"),
            Run(*sparse, "30 by 5", ((30, 5),), "edges"),
            Run(*small, "5 random", random[:5], "edges"),
        ]
        for placement in Placement
    ]
    return levels + kernel


@cache
def _known(folder: Path, rows: int) -> pw.Statistics:
    """Counted over all rows, so that errors of a sample are not taken for constants."""
    events = pq.read_table(folder, columns=["ts", "device"])
    ticks = events["ts"].to_numpy().astype("datetime64[us]").astype(np.int64)
    return pw.Statistics.counted(ticks, events["device"].to_numpy(), rows)


def _unit(name: str) -> model.Constants:
    return model.Constants(**{each: float(each == name) for each in NAMES})


def _cost(chosen: Plan, constants: model.Constants) -> float:
    demands = [window.demand() for window in chosen.query.windows]
    families = [demand for demand in demands if isinstance(demand, Family)]
    weighed = model.Model(chosen.statistics, families, constants)
    return sum(weighed.cost(tree) for tree in chosen.trees)


def fit(chosen: Sequence[Run], seconds: Sequence[float]) -> tuple[np.ndarray, np.ndarray]:
    """The constants, and the seconds they predict."""
    features = np.array([run.features() for run in chosen])
    relative = features / np.array(seconds)[:, None]
    found = nonnegative(relative, np.ones(len(chosen)))
    rounded = np.array([float(f"{each:.3g}") for each in found])
    return rounded, features @ rounded


def measure(chosen: Sequence[Run], repeat: int) -> tuple[str, dict[str, list[float]]]:
    """The machine, and seconds of every run; all once, then all again."""
    spark = start()
    machine = _machine(spark)
    sides = {run.name: run.prepared(spark) for run in chosen if run.placement is None}
    kernel = [run for run in chosen if run.placement is not None]
    # idle Python workers are stopped after a minute: the first run of the kernel starts new ones
    sides[WAKING] = kernel[0].prepared(spark)
    sides |= {run.name: run.prepared(spark) for run in kernel}
    with console.status(f"{len(sides)} runs, {repeat + 1} times"):
        timings = alternate(sides, repeat + 1, lambda timing, turn, turns: turn < turns)
    spark.stop()
    disturbed = max(timing.others for timing in timings.values())
    if disturbed > 0.3:
        console.print(f"[bold red]DISTURBED: others used {disturbed:.1f} cores; run it again")
    return machine, {name: timing.seconds for name, timing in timings.items()}


def _machine(spark: SparkSession) -> str:
    java = spark._jvm.System.getProperty("java.version")  # type: ignore
    return f"{os.cpu_count()} cores, Spark {spark.version}, Java {java}"


def table(chosen: Sequence[Run], seconds: Sequence[float], predicted: np.ndarray) -> Table:
    shown = Table("run", "measured s", "predicted s", "predicted / measured", title="Calibration")
    for run, took, expected in zip(chosen, seconds, predicted, strict=True):
        shown.add_row(run.name, f"{took:.2f}", f"{expected:.2f}", f"{expected / took:.2f}")
    return shown


def main() -> int:
    parser = argparse.ArgumentParser("benchmarks.calibrate")
    parser.add_argument("command", nargs="?", choices=["run", "fit"], default="run")
    parser.add_argument("--quick", action="store_true", help="small inputs; constants stay as is")
    parser.add_argument("--repeat", type=int, default=4, help="runs of each after the first (4)")
    given = parser.parse_args()
    kept = OUT / ("calibration-quick.json" if given.quick else "calibration.json")
    chosen = runs(QUICK if given.quick else 1)
    if given.command == "run":
        machine, times = measure(chosen, given.repeat)
        kept.write_text(json.dumps({"machine": machine, "seconds": times}, indent=1) + "\n")
    if not kept.exists():
        console.print(f"nothing was measured yet: {kept.name} is not there")
        return 2
    # constants of small inputs are mostly noise: the package keeps its own
    _fit_and_write(chosen, kept, OUT / "constants-quick.json" if given.quick else STORED)
    return 0


def _fit_and_write(chosen: Sequence[Run], kept: Path, page: Path) -> None:
    measured = json.loads(kept.read_text())
    chosen = [run for run in chosen if run.name in measured["seconds"]]
    seconds = [min(measured["seconds"][run.name]) for run in chosen]
    constants, predicted = fit(chosen, seconds)
    console.print(table(chosen, seconds, predicted))
    errors = np.abs(predicted / np.array(seconds) - 1)
    console.print(f"relative error: mean {errors.mean():.0%}, greatest {errors.max():.0%}")
    fitted = dict(zip(NAMES, map(float, constants), strict=True))
    console.print(fitted)
    if zero := [name for name, each in fitted.items() if each == 0]:
        console.print(f"[bold]free, or not told apart from the others: {', '.join(zero)}")
    page.write_text(
        json.dumps({"machine": measured["machine"], "seconds": fitted}, indent=2) + "\n"
    )
    console.print(f"written: {page.name}")


if __name__ == "__main__":
    sys.exit(main())

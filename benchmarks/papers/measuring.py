"""One window set on Spark: planned by every strategy, compared, and timed in turn."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import panewise as pw
from benchmarks import data
from benchmarks.measure import Timing, alternate
from benchmarks.papers.trial import FORCED, Trial
from benchmarks.papers.window_sets import Setup, Window
from benchmarks.spark.cases import Query, Span, agree, as_spark, checksum
from benchmarks.spark.session import consume, machine, start
from panewise.optimizer.model import Constants
from panewise.plan import Plan, Tree

STRATEGIES = (*FORCED, "auto")
SPARSE_STRATEGIES = ("independent", "auto")
CHECK_ONE_KEY_IN = 10
PLANNED_TIMES = 5
LONG, VERY_LONG = 5.0, 30.0
"""Runs longer than this many seconds are repeated once, or not at all."""
SHORT, MORE = 3.0, 2
"""Shorter runs than this are repeated so many times more."""


@cache
def constants() -> str:
    """A name for the constants of the model that plans are chosen by."""
    text = json.dumps(dict(Constants.stored().as_dict()), sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def plan(windows: Sequence[Window], strategy: str, known: pw.Statistics | None = None) -> Plan:
    return pw.plan(
        time="ts",
        by=["device"],
        windows=[Span(*window).ours() for window in windows],
        aggregates=[pw.min("value").alias("value")],
        strategy=strategy,
        statistics=known,
    )


def planned(windows: Sequence[Window], known: pw.Statistics) -> tuple[Plan, float]:
    """The automatic choice and its seconds, best of some."""
    best = float("inf")
    for _ in range(PLANNED_TIMES):
        began = time.perf_counter()
        found = plan(windows, "auto", known)
        best = min(best, time.perf_counter() - began)
    return found, best


@dataclass
class Bench:
    """A running session, with its inputs and what is known of them."""

    spark: SparkSession
    rows: int
    folder: Path
    repeat: int
    warm: bool = False
    _inputs: dict[int, tuple[DataFrame, pw.Statistics]] = field(default_factory=dict)

    @classmethod
    def start(cls, rows: int, folder: Path, repeat: int) -> Bench:
        return cls(start(), rows, folder, repeat)

    def stop(self) -> None:
        self.spark.stop()

    def measure(self, setup: Setup, number: int) -> Trial:
        windows = setup.window_set(number)
        events, known = self._input(setup.keys)
        names = SPARSE_STRATEGIES if setup.sparse else STRATEGIES
        plans = {name: plan(windows, name, known) for name in names}
        same = _same(plans)
        sides = {"spark": as_spark([Span(*w) for w in windows], "min")}
        sides |= {name: each.run for name, each in plans.items() if name not in same}
        # comparing before timing also warms up: generated code, workers, compiled kernels
        results = _compared(sides, events)
        timings = self._timed(sides, events)
        return Trial(
            setup=setup.name,
            number=number,
            windows=[list(window) for window in windows],
            rows=self.rows,
            keys=setup.keys,
            seconds={name: timings[same.get(name, name)].seconds for name in ("spark", *plans)},
            costs={name: each.cost for name, each in plans.items()},
            same=same,
            chosen=plans["auto"].chosen,
            planning=planned(windows, known)[1],
            results=results,
            others=max(timing.others for timing in timings.values()),
            constants=constants(),
            statistics=known.source,
            machine=machine(self.spark),
        )

    def _input(self, keys: int) -> tuple[DataFrame, pw.Statistics]:
        if keys not in self._inputs:
            events = self.spark.read.parquet(str(data.ensure(self.rows, keys, self.folder)))
            self._inputs[keys] = (events, _known(events))
        return self._inputs[keys]

    def _timed(self, sides: dict[str, Query], events: DataFrame) -> dict[str, Timing]:
        runs = {name: lambda query=query: consume(query(events)) for name, query in sides.items()}
        if not self.warm:  # the first full runs of a session are slower than all later ones
            alternate(runs, 1, lambda timing, turn, _: turn < 1)
            self.warm = True
        return alternate(runs, self.repeat, _wants)


def _wants(timing: Timing, turn: int, repeat: int) -> bool:
    """Whether a side runs once more: long ones seldom, or a whole run would take days."""
    if not timing.seconds:
        return True
    if timing.best > LONG:
        return turn < 2 and timing.best <= VERY_LONG
    return turn < (repeat + MORE if timing.best < SHORT else repeat)


def _known(events: DataFrame) -> pw.Statistics:
    """What a user would know: a sample of the first rows, whatever the windows."""
    return plan([(60, 60)], "independent").sample(events).statistics


def _compared(sides: dict[str, Query], events: DataFrame) -> str:
    part = events.where(F.col("device") % CHECK_ONE_KEY_IN == 0)
    sums = {name: checksum(query(part)) for name, query in sides.items()}
    wrong = [name for name, found in sums.items() if not agree(sums["spark"], found)]
    return f"DIFFERENT: {', '.join(wrong)}" if wrong else f"equal (1 key in {CHECK_ONE_KEY_IN})"


def _same(plans: dict[str, Plan]) -> dict[str, str]:
    """Strategies that came to the plan of one before them, which need not run again."""
    first: dict[Any, str] = {}
    same = {}
    for name, each in plans.items():
        before = first.setdefault(tuple(map(_identity, each.trees)), name)
        if before != name:
            same[name] = before
    return same


def _identity(tree: Tree) -> Any:
    """What is computed, whatever the order of the nodes and the estimates."""
    nodes: list[Any] = []
    for node in tree.nodes:
        above = None if node.parent is None else nodes[node.parent]
        nodes.append((node.shape, node.window, above, above is not None and node.minimal))
    return frozenset(nodes), tree.way, tree.placement, tree.aggregates

"""The cases: a query twice, as users write it for Spark and as a Panewise plan."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

import panewise as pw

Query = Callable[[DataFrame], DataFrame]

FEW_KEYS, MANY_KEYS = 100, 100_000
FULL, SAMPLE = 10_000_000, 1_000_000


@dataclass(frozen=True)
class Case:
    """Two queries over one input, and the ratio that Panewise must reach."""

    name: str
    title: str
    must: float
    spark: Query
    ours: Query
    keys: int = FEW_KEYS
    rows: int = FULL
    check_one_key_in: int = 1
    """Results are compared on this share of the keys, where all would take many minutes."""
    answer: Query = lambda rows: rows
    """The part of our rows that Spark's side has too."""


@dataclass(frozen=True)
class Span:
    """A tumbling or sliding window, in seconds."""

    size: int
    slide: int

    def spark(self) -> Column:
        return F.window("ts", f"{self.size} seconds", f"{self.slide} seconds").alias("window")

    def ours(self) -> pw.Window:
        if self.size == self.slide:
            return pw.tumbling(f"{self.size}s")
        return pw.sliding(f"{self.size}s", f"{self.slide}s")


@dataclass(frozen=True)
class Gap:
    """A session window, in seconds."""

    gap: int

    def spark(self) -> Column:
        return F.session_window("ts", f"{self.gap} seconds").alias("window")

    def ours(self) -> pw.Window:
        return pw.session(f"{self.gap}s")


Windows = Sequence[Span | Gap]
AGGREGATES: dict[str, tuple[Callable[..., Column], Callable[..., Any]]] = {
    "min": (F.min, pw.min),
    "max": (F.max, pw.max),
    "sum": (F.sum, pw.sum),
    "median": (F.median, pw.median),
}

TUMBLING_20 = [Span(size, size) for size in range(20, 220, 10)]
MEDIAN_5 = [Span(30, 10), Span(60, 10), Span(60, 20), Span(90, 30), Span(120, 30)]


def as_spark(windows: Windows, aggregate: str) -> Query:
    """One group-by per window and a union: what users write."""
    measure = AGGREGATES[aggregate][0]

    def query(events: DataFrame) -> DataFrame:
        parts = [
            events.groupBy(window.spark(), "device").agg(measure("value").alias("value"))
            for window in windows
        ]
        return reduce(DataFrame.unionByName, parts)

    return query


def planned(windows: Windows, aggregate: str) -> pw.Plan:
    """One plan for all windows."""
    return pw.plan(
        time="ts",
        by=["device"],
        windows=[window.ours() for window in windows],
        aggregates=[AGGREGATES[aggregate][1]("value").alias("value")],
    )


def _case(name: str, title: str, must: float, windows: Windows, aggregate: str) -> Case:
    copies = sum(-(-w.size // w.slide) for w in windows if isinstance(w, Span))
    return Case(
        name,
        title,
        must,
        as_spark(windows, aggregate),
        planned(windows, aggregate).run,
        check_one_key_in=10 if copies > 10 else 1,
    )


def _few() -> list[Case]:
    one = [Span(20, 20)]
    odd = [Span(size, size) for size in (15, 17, 19)]
    sliding = [Span(60, 1)]
    return [
        _case("tumbling-20", "20 tumbling windows, min", 16.8, TUMBLING_20, "min"),
        Case(
            "tumbling-20-for-one",
            "20 tumbling windows against ONE of Spark's, min",
            1,
            as_spark(one, "min"),
            planned(TUMBLING_20, "min").run,
            answer=lambda rows: rows.where("window_id = 'tumbling(20s)'"),
        ),
        _case("sliding-sum", "sliding 60 s by 1 s, sum", 15, sliding, "sum"),
        _case("sliding-max", "sliding 60 s by 1 s, max", 12, sliding, "max"),
        _case("session-sum", "session gap 5 s, sum", 2.5, [Gap(5)], "sum"),
        _case("tumbling-odd", "tumbling 15, 17, 19 s, sum", 2, odd, "sum"),
        _case("tumbling-1", "one tumbling window 20 s, min", 1, one, "min"),
        _case("median-5", "5 sliding windows, exact median", 3, MEDIAN_5, "median"),
    ]


def _many(case: Case) -> Case:
    # Spark would write some 600 M rows of 60 s by 1 s, and sort 190 M rows for the medians
    heavy = case.name.startswith(("sliding", "median"))
    rows = SAMPLE if heavy else FULL
    return replace(case, name=f"{case.name}-100k", must=1, keys=MANY_KEYS, rows=rows)


def cases() -> list[Case]:
    """Every case, with few keys and with many."""
    few = _few()
    # with sparse keys 20 windows have ten times the result rows of one: no figure asks for that
    return few + [_many(case) for case in few if case.name != "tumbling-20-for-one"]


def checksum(rows: DataFrame) -> tuple[float, ...]:
    """Count, windows and values of a result, whatever the order of its rows.

    Values are also summed with a weight from their window and key, so that right values in wrong
    windows show.
    """
    place = F.xxhash64(F.unix_micros("window.start"), F.unix_micros("window.end"), "device")
    found = rows.agg(
        F.count(F.lit(1)),
        F.sum(F.pmod(place, F.lit(2**31 - 1))),
        F.sum("value"),
        F.sum(F.col("value") * F.pmod(place, F.lit(1009))),
    ).first()
    assert found is not None
    return tuple(found)


def equal(case: Case, events: DataFrame) -> bool:
    """Whether both sides give the same rows."""
    if case.check_one_key_in > 1:
        events = events.where(F.col("device") % case.check_one_key_in == 0)
    return agree(checksum(case.spark(events)), checksum(case.answer(case.ours(events))))


def agree(theirs: tuple[float, ...], ours: tuple[float, ...]) -> bool:
    """Whether two checksums are of the same rows."""
    return theirs[:2] == ours[:2] and all(
        math.isclose(a, b, rel_tol=1e-9) for a, b in zip(theirs[2:], ours[2:], strict=True)
    )

"""Aggregates of events that have a duration: how many at once, and sums weighed by overlap.

Idea: both depend on where in a window an event begins and ends, so no partial of whole events can
answer them.  Each names the technique that puts events into cells for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from panewise.aggregates.algebra import (
    Aggregate,
    Kind,
    OneColumn,
    Partial,
    Properties,
    Rows,
    Scope,
)
from panewise.aggregates.arrays import either, struct_of
from panewise.aggregates.sum import FloatSumPartial

SHARE = "share of the event"
"""The column of rows that says which share of its event a cell gets."""


@dataclass(frozen=True)
class HighestPartial(Partial):
    """The highest number of events at once: over two stretches of time, the higher one."""

    monoid: ClassVar[str] = "max"

    def lift_sql(self, scope: Scope) -> str:
        return "count(1)"

    def combine_sql(self, column: str) -> str:
        return f"max({column})"

    def lift(self, rows: Rows) -> pa.Array:
        return pa.array(np.ones(len(rows.ticks), np.int64))

    def combine(self, left: pa.Array, right: pa.Array) -> pa.Array:
        return pc.max_element_wise(left, right)


@dataclass(frozen=True)
class MeanAtOncePartial(Partial):
    """The mean number of events at once: those of two sets of events add up."""

    monoid: ClassVar[str] = "sum"

    def lift_sql(self, scope: Scope) -> str:
        return "cast(count(1) as double)"

    def combine_sql(self, column: str) -> str:
        return f"sum({column})"

    def lift(self, rows: Rows) -> pa.Array:
        return pa.array(np.ones(len(rows.ticks), np.float64))

    def combine(self, left: pa.Array, right: pa.Array) -> pa.Array:
        return either(left, right, pc.add(left, right))


@dataclass(frozen=True)
class Concurrent(Aggregate):
    """The highest and the mean number of events in progress, of a window's length.

    >>> import panewise as pw
    >>> calls = pa.table({"began": [0, 2, 4], "ended": [6, 5, 10]})
    >>> rows = pw.plan(
    ...     time=("began", "ended"), windows=[pw.tumbling(10)], aggregates=[pw.concurrent()]
    ... ).run(calls)
    >>> rows["concurrent()"].to_pylist()
    [{'highest': 3, 'mean': 1.5}]
    """

    kind_name: ClassVar[str] = "concurrent"
    technique: ClassVar[str] = "endpoints"

    def columns(self) -> tuple[str, ...]:
        return ()

    def partials(self, scope: Scope) -> tuple[Partial, ...]:
        return (HighestPartial(), MeanAtOncePartial())

    @property
    def properties(self) -> Properties:
        return Properties(kind=Kind.ALGEBRAIC)

    def result_type(self, scope: Scope) -> str:
        return "struct<highest:bigint,mean:double>"

    def lower_sql(self, scope: Scope, partials: Sequence[str]) -> str:
        highest, mean = partials
        return f"named_struct('highest', {highest}, 'mean', {mean})"

    def lower(self, partials: Sequence[pa.Array]) -> pa.Array:
        highest, mean = partials
        return struct_of(highest.is_valid(), highest=highest, mean=mean)

    @classmethod
    def examples(cls) -> tuple[Aggregate, ...]:
        return (cls(),)


@dataclass(frozen=True)
class WeightedSumPartial(FloatSumPartial):
    """The sum of values times the share of their event that a cell gets."""

    properties: ClassVar[Properties] = Properties()

    def lift_sql(self, scope: Scope) -> str:
        return self.weighed_sql(scope, "1D")

    def weighed_sql(self, scope: Scope, share: str) -> str:
        """The same, with the share of each row."""
        return f"sum({scope[self.column]} * {share})"

    def lift(self, rows: Rows) -> pa.Array:
        whole = super().lift(rows)
        return pc.multiply(whole, rows[SHARE]) if SHARE in rows.columns else whole


@dataclass(frozen=True)
class WeightedSum(OneColumn):
    """A sum in which each event counts by the share of it that is inside the window.

    >>> import panewise as pw
    >>> calls = pa.table({"began": [8], "ended": [18], "cost": [5]})
    >>> rows = pw.plan(
    ...     time=("began", "ended"),
    ...     windows=[pw.tumbling(10)],
    ...     aggregates=[pw.sum("cost")],
    ...     overlap="weighted",
    ... ).run(calls)
    >>> rows["sum(cost)"].to_pylist()
    [1.0, 4.0]
    """

    kind_name: ClassVar[str] = "weighted_sum"
    technique: ClassVar[str] = "weighted"
    parts = (WeightedSumPartial,)

    def result_type(self, scope: Scope) -> str:
        return "double"


def concurrent() -> Concurrent:
    """The highest and the mean number of events in progress; for events with a duration.

    >>> import panewise as pw
    >>> calls = {"start": [1, 4, 12], "end": [9, 25, 14]}
    >>> told = pw.aggregate(
    ...     calls, time=("start", "end"), windows=[pw.tumbling(10)], aggregates=[pw.concurrent()]
    ... )
    >>> told["concurrent()"].to_pylist()[0]
    {'highest': 2, 'mean': 1.4}
    """
    return Concurrent()

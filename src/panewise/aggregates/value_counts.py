"""Median, quantiles, mode, top k, exact distinct counts: aggregates of the whole distribution.

Idea: a pane carries each distinct value once, with its count (the run-length encoding of general
stream slicing), so memory grows with distinct values and not with rows.  All of these share one
partial, and are lowered from the merged tally of a window: sorted values with their weights.

In Spark the value joins the grouping key of the cell, which spills and never builds a list.
"""

from __future__ import annotations

from abc import abstractmethod
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
    register,
)
from panewise.aggregates.arrays import concat_lists, fields
from panewise.errors import QueryError, SchemaError


@dataclass(frozen=True)
class Tally:
    """Values and weights of many windows: window `i` owns `offsets[i]:offsets[i + 1]`.

    Within a window values are distinct, ascending, and not null.
    """

    offsets: np.ndarray
    values: pa.Array
    weights: np.ndarray

    @property
    def totals(self) -> np.ndarray:
        """The number of rows behind each window."""
        running = np.concatenate([[0], np.cumsum(self.weights)])
        return running[self.offsets[1:]] - running[self.offsets[:-1]]


@dataclass(frozen=True)
class ValueCounts(Partial):
    """`array<struct(v, n)>`; in a cell on Spark, one row per value instead of one array."""

    column: str
    properties: ClassVar[Properties] = Properties(kind=Kind.HOLISTIC)

    def lift_sql(self, scope: Scope) -> None:
        """No expression: the value is part of the cell's grouping key."""
        return None

    def combine_sql(self, column: str) -> None:
        return None

    def lift(self, rows: Rows) -> pa.Array:
        v = rows[self.column]
        valid = np.asarray(v.is_valid())
        kept = v.filter(v.is_valid())
        ones = pa.array(np.ones(len(kept), np.int64))
        offsets = pa.array(np.concatenate([[0], np.cumsum(valid)]), pa.int32())
        runs = pa.StructArray.from_arrays([kept, ones], names=["v", "n"])
        return pa.ListArray.from_arrays(offsets, runs)

    def combine(self, left: pa.Array, right: pa.Array) -> pa.Array:
        return concat_lists(left, right)


class TallyAggregate(OneColumn):
    """An aggregate that is lowered from tallies."""

    native: ClassVar[bool] = False
    numeric: ClassVar[bool] = False
    """Whether values are measured and not only told apart; text has no middle."""
    parts = (ValueCounts,)

    def partials(self, scope: Scope) -> tuple[Partial, ...]:
        if self.numeric and scope.types[self.column] == "string":
            raise SchemaError(
                f'{self.canonical} needs numbers: "{self.column}" is STRING.',
                hint="cast the column to a number first.",
            )
        return super().partials(scope)

    def lower_sql(self, scope: Scope, partials: Sequence[str]) -> None:
        return None

    def lower(self, partials: Sequence[pa.Array]) -> pa.Array:
        return self.lower_tally(tally_of(partials[0]))

    @abstractmethod
    def lower_tally(self, tally: Tally) -> pa.Array:
        """One result per window."""


@register
@dataclass(frozen=True)
class Quantile(TallyAggregate):
    """Exact quantile, interpolated between neighbours as Spark's `percentile` does.

    >>> from panewise.testing import evaluate
    >>> evaluate(quantile("x", 0.9), x=[1, 2, 3, 4])
    3.7
    """

    kind_name: ClassVar[str] = "quantile"
    numeric: ClassVar[bool] = True
    q: float

    def reference_sql(self, scope: Scope) -> str:
        return f"percentile({scope[self.column]}, {self.q!r}D)"

    def lower_tally(self, tally: Tally) -> pa.Array:
        return _quantile(tally, self.q)

    @classmethod
    def examples(cls) -> tuple[Aggregate, ...]:
        return (quantile("x", 0.9), quantile("x", 0.0), quantile("x", 1.0))


@register
@dataclass(frozen=True)
class Median(TallyAggregate):
    """Exact median.

    >>> from panewise.testing import evaluate
    >>> evaluate(median("x"), x=[5, 1, 2, None])
    2.0
    """

    kind_name: ClassVar[str] = "median"
    numeric: ClassVar[bool] = True

    def reference_sql(self, scope: Scope) -> str:
        return f"median({scope[self.column]})"

    def lower_tally(self, tally: Tally) -> pa.Array:
        return _quantile(tally, 0.5)


@register
@dataclass(frozen=True)
class Quantiles(TallyAggregate):
    """Several exact quantiles at once, as an array.

    >>> from panewise.testing import evaluate
    >>> evaluate(quantiles("x", [0.0, 0.5, 1.0]), x=[1, 2, 4])
    [1.0, 2.0, 4.0]
    """

    kind_name: ClassVar[str] = "quantiles"
    numeric: ClassVar[bool] = True
    qs: tuple[float, ...]

    def reference_sql(self, scope: Scope) -> str:
        listed = ", ".join(f"{q!r}D" for q in self.qs)
        return f"percentile({scope[self.column]}, array({listed}))"

    def lower_tally(self, tally: Tally) -> pa.Array:
        found = [np.asarray(_quantile(tally, q).to_numpy(zero_copy_only=False)) for q in self.qs]
        empty = tally.totals == 0
        width = np.where(empty, 0, len(self.qs))
        flat = np.stack(found, axis=1)[~empty].ravel()
        offsets = np.concatenate([[0], np.cumsum(width)])
        return pa.ListArray.from_arrays(
            pa.array(offsets, pa.int32()), pa.array(flat), mask=pa.array(empty)
        )

    @classmethod
    def examples(cls) -> tuple[Aggregate, ...]:
        return (quantiles("x", [0.25, 0.5, 0.75]),)


@register
@dataclass(frozen=True)
class CountDistinct(TallyAggregate):
    """Exact number of different values.

    >>> from panewise.testing import evaluate
    >>> evaluate(count_distinct("x"), x=["a", "b", "a", None])
    2
    """

    kind_name: ClassVar[str] = "count_distinct"

    def reference_sql(self, scope: Scope) -> str:
        return f"count(DISTINCT {scope[self.column]})"

    def lower_tally(self, tally: Tally) -> pa.Array:
        return pa.array(np.diff(tally.offsets).astype(np.int64))


@register
@dataclass(frozen=True)
class Mode(TallyAggregate):
    """The most frequent value; of several, the smallest.

    >>> from panewise.testing import evaluate
    >>> evaluate(mode("x"), x=[3, 1, 3, 1, 2])
    1
    """

    kind_name: ClassVar[str] = "mode"

    def reference_sql(self, scope: Scope) -> str:
        return f"mode({scope[self.column]}, true)"

    def lower_tally(self, tally: Tally) -> pa.Array:
        picks, counts = _most_frequent(tally, 1)
        at = np.full(len(counts), -1)
        at[counts > 0] = picks
        return tally.values.take(pa.array(at, mask=at < 0))


@register
@dataclass(frozen=True)
class TopK(TallyAggregate):
    """The k most frequent values with their counts, most frequent first, ties by value.

    >>> from panewise.testing import evaluate
    >>> evaluate(top_k("x", 2), x=["a", "b", "b", "c"])
    [{'item': 'b', 'count': 2}, {'item': 'a', 'count': 1}]
    """

    kind_name: ClassVar[str] = "top_k"
    k: int

    def result_type(self, scope: Scope) -> str:
        return f"array<struct<item:{scope.types[self.column]},count:bigint>>"

    def lower_tally(self, tally: Tally) -> pa.Array:
        picks, counts = _most_frequent(tally, self.k)
        items = pa.StructArray.from_arrays(
            [tally.values.take(pa.array(picks)), pa.array(tally.weights[picks])],
            names=["item", "count"],
        )
        offsets = np.concatenate([[0], np.cumsum(counts)])
        return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), items)

    @classmethod
    def examples(cls) -> tuple[Aggregate, ...]:
        return (top_k("x", 3),)


def quantile(column: str, q: float) -> Quantile:
    """Exact quantile of a column, `0 <= q <= 1`.

    >>> import panewise as pw
    >>> from panewise.testing import evaluate
    >>> evaluate(pw.quantile("x", 0.9), x=[1, 2, 3, 4])
    3.7
    """
    return Quantile(column=column, q=_share(q))


def quantiles(column: str, qs: Sequence[float]) -> Quantiles:
    """Several exact quantiles of a column.

    >>> import panewise as pw
    >>> from panewise.testing import evaluate
    >>> evaluate(pw.quantiles("x", [0.0, 0.5, 1.0]), x=[1, 2, 4])
    [1.0, 2.0, 4.0]
    """
    if not qs:
        raise QueryError("quantiles needs at least one share: got none.", hint="write [0.5, 0.9].")
    return Quantiles(column=column, qs=tuple(_share(q) for q in qs))


def median(column: str) -> Median:
    """Exact median of a column.

    >>> import panewise as pw
    >>> from panewise.testing import evaluate
    >>> evaluate(pw.median("x"), x=[5, 1, 2, None])
    2.0
    """
    return Median(column=column)


def count_distinct(column: str) -> CountDistinct:
    """Exact number of different values.

    >>> import panewise as pw
    >>> from panewise.testing import evaluate
    >>> evaluate(pw.count_distinct("x"), x=["a", "b", "a", None])
    2
    """
    return CountDistinct(column=column)


def mode(column: str) -> Mode:
    """The most frequent value of a column.

    >>> import panewise as pw
    >>> from panewise.testing import evaluate
    >>> evaluate(pw.mode("x"), x=[3, 1, 3, 1, 3])
    3
    """
    return Mode(column=column)


def top_k(column: str, k: int) -> TopK:
    """The k most frequent values of a column.

    >>> import panewise as pw
    >>> from panewise.testing import evaluate
    >>> evaluate(pw.top_k("x", 2), x=["a", "b", "b", "c"])
    [{'item': 'b', 'count': 2}, {'item': 'a', 'count': 1}]
    """
    if isinstance(k, bool) or not isinstance(k, int) or k <= 0:
        raise QueryError(
            f"top_k: k is a positive integer: got {k!r}.", hint='write top_k("page", 10).'
        )
    return TopK(column=column, k=k)


def tally_of(lists: pa.Array) -> Tally:
    """Sort and merge the `(v, n)` entries of each list."""
    lengths = np.asarray(pc.fill_null(pc.list_value_length(lists), 0)).astype(np.int64)
    values, weights = fields(lists.flatten())
    owner = np.repeat(np.arange(len(lists)), lengths)
    ranks = rank_values(values)
    order = np.lexsort((ranks, owner))
    owner, ranks = owner[order], ranks[order]
    fresh = np.ones(len(order), bool)
    fresh[1:] = (owner[1:] != owner[:-1]) | (ranks[1:] != ranks[:-1])
    heads = np.flatnonzero(fresh)
    merged = np.add.reduceat(np.asarray(weights)[order], heads) if len(heads) else np.zeros(0, int)
    offsets = np.searchsorted(owner[heads], np.arange(len(lists) + 1))
    return Tally(offsets, values.take(pa.array(order[heads])), merged)


def rank_values(values: pa.Array) -> np.ndarray:
    """Equal values get equal numbers, greater values greater ones; NaN above all.

    >>> rank_values(pa.array(["b", "a", "b"])).tolist()
    [1, 0, 1]
    """
    if pa.types.is_floating(values.type):
        values = pc.add(values, pa.scalar(0.0, values.type))  # a negative zero is a zero
    encoded = values.dictionary_encode()
    if pa.types.is_nested(values.type):
        raise QueryError(f"cannot order values of type {values.type}.")
    order = pc.array_sort_indices(encoded.dictionary, order="ascending")
    rank = np.empty(len(order), np.int64)
    rank[np.asarray(order)] = np.arange(len(order))
    return rank[np.asarray(encoded.indices)] if len(values) else np.zeros(0, np.int64)


def _quantile(tally: Tally, q: float) -> pa.Array:
    totals = tally.totals
    some = totals > 0
    position = q * np.where(some, totals - 1, 0)
    low, high = np.floor(position).astype(np.int64), np.ceil(position).astype(np.int64)
    running = np.cumsum(tally.weights)
    base = np.concatenate([[0], running])[tally.offsets[:-1]]
    values = np.append(_floats(tally.values), 0.0)
    at_low = values[np.searchsorted(running, base + low, side="right")]
    at_high = values[np.searchsorted(running, base + high, side="right")]
    with np.errstate(invalid="ignore"):
        between = at_low + (at_high - at_low) * (position - low)
    exact = (low == high) | (at_low == at_high)
    return pa.array(np.where(exact, at_low, between), mask=~some)


def _floats(values: pa.Array) -> np.ndarray:
    if pa.types.is_decimal(values.type):
        return np.array([float(v) for v in values.to_pylist()], dtype=np.float64)
    return np.asarray(values.cast(pa.float64(), safe=False))


def _most_frequent(tally: Tally, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Indices of the k heaviest entries of each window, and how many each window has."""
    lengths = np.diff(tally.offsets)
    owner = np.repeat(np.arange(len(lengths)), lengths)
    order = np.lexsort((np.arange(len(owner)), -tally.weights, owner))
    within = np.arange(len(owner)) - tally.offsets[:-1][owner]
    return order[within < k], np.minimum(lengths, k)


def _share(q: float) -> float:
    if isinstance(q, bool) or not isinstance(q, int | float) or not 0 <= q <= 1:
        raise QueryError(f"a quantile is between 0 and 1: got {q!r}.", hint="write 0.9 for 90 %.")
    return float(q)

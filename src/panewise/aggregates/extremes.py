"""Min, max, range, and how often the extreme occurs.

Idea: the extreme is its own partial, idempotent and cheap; with a counter beside it, ties are
counted.  NaN is above every number, as in Spark.
"""

from __future__ import annotations

import builtins
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from panewise.aggregates.algebra import (
    Kind,
    OneColumn,
    Partial,
    Properties,
    Rows,
    Scope,
    register,
)
from panewise.aggregates.arrays import choose, either, equal, fields, less, struct_of
from panewise.aggregates.records import Picks, backwards, in_order


@dataclass(frozen=True)
class _Extreme(Partial):
    column: str
    properties: ClassVar[Properties] = Properties(idempotent=True)

    def lift_sql(self, scope: Scope) -> str:
        return f"{self.monoid}({scope[self.column]})"

    def combine_sql(self, column: str) -> str:
        return f"{self.monoid}({column})"

    def lift(self, rows: Rows) -> pa.Array:
        return rows[self.column]


@dataclass(frozen=True)
class MinPartial(_Extreme):
    """The smallest value."""

    monoid: ClassVar[str] = "min"

    def combine(self, left: pa.Array, right: pa.Array) -> pa.Array:
        return either(left, right, choose(less(right, left), right, left))

    def record(self, column: pa.Array) -> Picks | None:
        keys = in_order(column)
        return None if keys is None else Picks(keys)


@dataclass(frozen=True)
class MaxPartial(_Extreme):
    """The largest value."""

    monoid: ClassVar[str] = "max"

    def combine(self, left: pa.Array, right: pa.Array) -> pa.Array:
        return either(left, right, choose(less(left, right), right, left))

    def record(self, column: pa.Array) -> Picks | None:
        keys = in_order(column)
        return None if keys is None else Picks(backwards(keys))


@dataclass(frozen=True)
class ExtremeCountPartial(Partial):
    """The extreme and how many rows have it."""

    column: str
    largest: bool
    properties: ClassVar[Properties] = Properties(kind=Kind.ALGEBRAIC)

    def lift_sql(self, scope: Scope) -> str:
        x = scope[self.column]
        one = f"CASE WHEN {x} IS NOT NULL THEN named_struct('v', {x}, 'n', 1L) END"
        return self.combine_sql(one)

    def combine_sql(self, column: str) -> str:
        better = ">" if self.largest else "<"
        return (
            f"reduce(collect_list({column}), named_struct('v', first({column}, true).v, 'n', 0L), "
            f"(a, b) -> CASE WHEN b.v {better} a.v THEN b WHEN b.v = a.v "
            "THEN named_struct('v', a.v, 'n', a.n + b.n) ELSE a END, "
            "a -> CASE WHEN a.n > 0 THEN a END)"
        )

    def lift(self, rows: Rows) -> pa.Array:
        x = rows[self.column]
        return struct_of(x.is_valid(), v=x, n=pc.cast(x.is_valid(), pa.int64()))

    def combine(self, left: pa.Array, right: pa.Array) -> pa.Array:
        (a, n), (b, m) = fields(left), fields(right)
        first_wins = less(b, a) if self.largest else less(a, b)
        best = choose(first_wins, left, right)
        tied = struct_of(left.is_valid(), v=a, n=pc.add(n, m))
        merged = choose(equal(a, b), tied, best)
        lone = choose(left.is_valid(), left, right)
        return choose(pc.and_(left.is_valid(), right.is_valid()), merged, lone)

    def record(self, column: pa.Array) -> Picks | None:
        values, counts = fields(column)
        keys = in_order(values)
        if keys is None:
            return None
        return Picks(backwards(keys) if self.largest else keys, np.asarray(counts.fill_null(0)))

    def recorded(self, numbers: np.ndarray, there: np.ndarray, column: pa.Array) -> pa.Array:
        counts = np.where(there, numbers[0], 0).astype(np.int64)
        return struct_of(pa.array(there), v=fields(column)[0], n=pa.array(counts))


@register
@dataclass(frozen=True)
class Min(OneColumn):
    """Smallest value; null over a window with no value.

    >>> from panewise.testing import evaluate
    >>> evaluate(min("x"), x=[3, 1, None])
    1
    """

    kind_name: ClassVar[str] = "min"
    running_form: ClassVar[str] = "min"
    parts = (MinPartial,)

    def reference_sql(self, scope: Scope) -> str:
        return f"min({scope[self.column]})"


@register
@dataclass(frozen=True)
class Max(OneColumn):
    """Largest value; null over a window with no value.

    >>> from panewise.testing import evaluate
    >>> evaluate(max("x"), x=[3.0, float("nan"), 1.0])
    nan
    """

    kind_name: ClassVar[str] = "max"
    running_form: ClassVar[str] = "max"
    parts = (MaxPartial,)

    def reference_sql(self, scope: Scope) -> str:
        return f"max({scope[self.column]})"


@register
@dataclass(frozen=True)
class Range(OneColumn):
    """Largest minus smallest value.

    >>> from panewise.testing import evaluate
    >>> evaluate(range("x"), x=[3, 10, 4])
    7
    """

    kind_name: ClassVar[str] = "range"
    running_form: ClassVar[str] = "extent"
    parts = (
        MinPartial,
        MaxPartial,
    )

    @property
    def properties(self) -> Properties:
        return Properties(kind=Kind.ALGEBRAIC, idempotent=True)

    def reference_sql(self, scope: Scope) -> str:
        return f"max({scope[self.column]}) - min({scope[self.column]})"

    def lower_sql(self, scope: Scope, partials: Sequence[str]) -> str:
        return f"{partials[1]} - {partials[0]}"

    def lower(self, partials: Sequence[pa.Array]) -> pa.Array:
        low, high = partials
        if pa.types.is_decimal(low.type):
            return _decimal_difference(high, low)
        return pc.subtract(high, low)

    def arrow_type(self, types: Mapping[str, pa.DataType], lowered: pa.DataType) -> pa.DataType:
        return pa.duration("us") if pa.types.is_duration(lowered) else lowered


@dataclass(frozen=True)
class _ExtremeCount(OneColumn):
    largest: ClassVar[bool]

    def partials(self, scope: Scope) -> tuple[Partial, ...]:
        return (ExtremeCountPartial(self.column, self.largest),)

    @property
    def properties(self) -> Properties:
        return ExtremeCountPartial.properties

    def lower_sql(self, scope: Scope, partials: Sequence[str]) -> str:
        return f"coalesce({partials[0]}.n, 0L)"

    def lower(self, partials: Sequence[pa.Array]) -> pa.Array:
        return pc.fill_null(fields(partials[0])[1], 0)


@register
@dataclass(frozen=True)
class MinCount(_ExtremeCount):
    """How many rows have the smallest value; 0 over a window with no value.

    >>> from panewise.testing import evaluate
    >>> evaluate(min_count("x"), x=[3, 1, 1])
    2
    """

    kind_name: ClassVar[str] = "min_count"
    running_form: ClassVar[str] = "min_count"
    largest: ClassVar[bool] = False


@register
@dataclass(frozen=True)
class MaxCount(_ExtremeCount):
    """How many rows have the largest value; 0 over a window with no value.

    >>> from panewise.testing import evaluate
    >>> evaluate(max_count("x"), x=[3, 1, 3, 3])
    3
    """

    kind_name: ClassVar[str] = "max_count"
    running_form: ClassVar[str] = "max_count"
    largest: ClassVar[bool] = True


def _decimal_difference(high: pa.Array, low: pa.Array) -> pa.Array:
    """In the type of Spark's subtraction: one digit more, at the cost of scale beyond 38 digits."""
    precision, scale = low.type.precision + 1, low.type.scale
    if precision > 38:
        precision, scale = 38, builtins.max(38 - (precision - scale), builtins.min(scale, 6))
    wide = pa.decimal256(low.type.precision, low.type.scale)
    exact = pc.subtract(high.cast(wide), low.cast(wide))
    rounded = pc.round(exact, ndigits=scale, round_mode="half_towards_infinity")
    return rounded.cast(pa.decimal128(precision, scale))


def min(column: str) -> Min:
    """Smallest value of a column.

    >>> import panewise as pw
    >>> from panewise.testing import evaluate
    >>> evaluate(pw.min("x"), x=[3, 1, None])
    1
    """
    return Min(column=column)


def max(column: str) -> Max:
    """Largest value of a column.

    >>> import panewise as pw
    >>> from panewise.testing import evaluate
    >>> evaluate(pw.max("x"), x=[3, 1, None])
    3
    """
    return Max(column=column)


def range(column: str) -> Range:
    """Largest minus smallest value of a column.

    >>> import panewise as pw
    >>> from panewise.testing import evaluate
    >>> evaluate(pw.range("x"), x=[3, 10, 4])
    7
    """
    return Range(column=column)


def min_count(column: str) -> MinCount:
    """How many rows have the smallest value.

    >>> import panewise as pw
    >>> from panewise.testing import evaluate
    >>> evaluate(pw.min_count("x"), x=[3, 1, 1])
    2
    """
    return MinCount(column=column)


def max_count(column: str) -> MaxCount:
    """How many rows have the largest value.

    >>> import panewise as pw
    >>> from panewise.testing import evaluate
    >>> evaluate(pw.max_count("x"), x=[3, 1, 3, 3])
    3
    """
    return MaxCount(column=column)

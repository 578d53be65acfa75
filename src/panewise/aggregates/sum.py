"""Sum, mean, geometric mean, product.

Idea: carry sums (or a product) and a count.  Integers stay integers and wrap or fail as Spark's do;
decimals are added without loss; the mean of integers is summed in floating point, as Spark sums it,
so it does not overflow where Spark's does not.
"""

from __future__ import annotations

import builtins
import decimal
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
from panewise.aggregates.arrays import either
from panewise.aggregates.count import CountPartial
from panewise.aggregates.records import Adds, decimals_of, limbs_of

_WIDE = (pa.int64().id, pa.float64().id)
"""Types that are summed as they are; so is no decimal that a user may have."""


@dataclass(frozen=True)
class SumPartial(Partial):
    """The sum in the type that Spark sums in."""

    column: str
    monoid: ClassVar[str] = "sum"
    properties: ClassVar[Properties] = Properties(invertible=True)

    def lift_sql(self, scope: Scope) -> str:
        return f"sum({scope[self.column]})"

    def combine_sql(self, column: str) -> str:
        return f"sum({column})"

    def lift(self, rows: Rows) -> pa.Array:
        values = rows[self.column]
        return values if values.type.id in _WIDE else pc.cast(values, _sum_type(values.type))

    def combine(self, left: pa.Array, right: pa.Array) -> pa.Array:
        if pa.types.is_decimal(left.type):
            # one digit of head room per addition, then back: the sum itself never loses a digit
            total = pc.add(left, right).cast(left.type)
        else:
            total = pc.add(left, right)
        return either(left, right, total)

    def wide(self, given: pa.DataType) -> pa.DataType:
        return _sum_type(given)

    def record(self, column: pa.Array) -> Adds | None:
        return Adds(limbs_of(column)) if pa.types.is_decimal256(column.type) else None

    def recorded(self, numbers: np.ndarray, there: np.ndarray, column: pa.Array) -> pa.Array:
        return decimals_of(numbers, there, column.type)

    def invert(self, whole: pa.Array, part: pa.Array) -> pa.Array:
        return self.combine(whole, pc.negate(part))


@dataclass(frozen=True)
class OverflowPartial(Partial):
    """Whether a decimal sum left its type in some pane.

    With ANSI off Spark answers such a sum with null; without this the pane would be skipped.
    """

    column: str
    monoid: ClassVar[str] = "max"
    properties: ClassVar[Properties] = Properties(idempotent=True, invertible=True)

    def lift_sql(self, scope: Scope) -> str:
        return f"count({scope[self.column]}) > 0 AND sum({scope[self.column]}) IS NULL"

    def combine_sql(self, column: str) -> str:
        return f"bool_or({column})"

    def lift(self, rows: Rows) -> pa.Array:
        return pc.and_(rows[self.column].is_valid(), False)

    def combine(self, left: pa.Array, right: pa.Array) -> pa.Array:
        return either(left, right, pc.or_(left, right))

    def invert(self, whole: pa.Array, part: pa.Array) -> pa.Array:
        return whole  # arrays add in 76 digits: nothing overflows that would have to be undone


@dataclass(frozen=True)
class FloatSumPartial(SumPartial):
    """The sum in floating point, whatever the column's type."""

    def lift_sql(self, scope: Scope) -> str:
        return f"sum(cast({scope[self.column]} as double))"

    def lift(self, rows: Rows) -> pa.Array:
        return pc.cast(rows[self.column], pa.float64(), safe=False)


@dataclass(frozen=True)
class LogSumPartial(FloatSumPartial):
    """The sum of logarithms; a zero makes it minus infinity, a negative value not a number."""

    def lift_sql(self, scope: Scope) -> str:
        x = f"cast({scope[self.column]} as double)"
        return (
            f"sum(CASE WHEN {x} > 0 THEN ln({x}) WHEN {x} = 0 THEN double('-Infinity') "
            f"WHEN {x} < 0 THEN double('NaN') END)"
        )

    def lift(self, rows: Rows) -> pa.Array:
        return pc.ln(super().lift(rows))


@dataclass(frozen=True)
class ProductPartial(Partial):
    """The product in floating point."""

    column: str
    monoid: ClassVar[str] = "product"
    properties: ClassVar[Properties] = Properties()

    def lift_sql(self, scope: Scope) -> str:
        return self.combine_sql(f"cast({scope[self.column]} as double)")

    def combine_sql(self, column: str) -> str:
        gathered = f"collect_list({column})"
        product = f"aggregate({gathered}, double(1), (p, v) -> p * v)"
        return f"CASE WHEN count({column}) > 0 THEN {product} END"

    def lift(self, rows: Rows) -> pa.Array:
        return pc.cast(rows[self.column], pa.float64(), safe=False)

    def combine(self, left: pa.Array, right: pa.Array) -> pa.Array:
        return either(left, right, pc.multiply(left, right))


@register
@dataclass(frozen=True)
class Sum(OneColumn):
    """Sum; null over a window with no value.

    >>> from panewise.testing import evaluate
    >>> evaluate(sum("x"), x=[1, 2, None])
    3
    """

    kind_name: ClassVar[str] = "sum"
    running_form: ClassVar[str] = "sum"
    parts = (SumPartial,)

    def partials(self, scope: Scope) -> tuple[Partial, ...]:
        return (SumPartial(self.column), *_may_overflow(scope, self.column))

    def lower_sql(self, scope: Scope, partials: Sequence[str]) -> str:
        return _unless_overflown(*partials)

    def reference_sql(self, scope: Scope) -> str:
        return f"sum({scope[self.column]})"

    def arrow_type(self, types: Mapping[str, pa.DataType], lowered: pa.DataType) -> pa.DataType:
        return _widened(types[self.column], 10, 0) or lowered


@register
@dataclass(frozen=True)
class Mean(OneColumn):
    """Arithmetic mean; null over a window with no value.

    >>> from panewise.testing import evaluate
    >>> evaluate(mean("x"), x=[1.0, 2.0, 6.0])
    3.0

    References: Tangwongsan et al., VLDB 2015 (lift, combine, lower).
    """

    kind_name: ClassVar[str] = "mean"
    running_form: ClassVar[str] = "mean"

    def partials(self, scope: Scope) -> tuple[Partial, ...]:
        total = SumPartial if scope.is_decimal(self.column) else FloatSumPartial
        parts = (total(self.column), CountPartial(self.column))
        return (*parts, *_may_overflow(scope, self.column))

    @property
    def properties(self) -> Properties:
        return Properties(kind=Kind.ALGEBRAIC, invertible=True)

    def reference_sql(self, scope: Scope) -> str:
        return f"avg({scope[self.column]})"

    def lower_sql(self, scope: Scope, partials: Sequence[str]) -> str:
        total, count, *overflow = partials
        if scope.is_decimal(self.column):
            mean = _decimal_mean_sql(total, count, scope.types[self.column])
            return _unless_overflown(f"CASE WHEN {count} > 0 THEN {mean} END", *overflow)
        return f"CASE WHEN {count} > 0 THEN {total} / {count} END"

    def lower(self, partials: Sequence[pa.Array]) -> pa.Array:
        total, count = partials[:2]
        if pa.types.is_decimal(total.type):
            return _decimal_mean(total, count)
        return pc.divide(total, pc.cast(count, pa.float64()))

    def arrow_type(self, types: Mapping[str, pa.DataType], lowered: pa.DataType) -> pa.DataType:
        return _widened(types[self.column], 4, 4) or lowered


@register
@dataclass(frozen=True)
class GeometricMean(OneColumn):
    """The n-th root of the product: 0 if a value is 0, not a number if one is negative.

    >>> from panewise.testing import evaluate
    >>> round(evaluate(geometric_mean("x"), x=[1.0, 8.0, 27.0]), 9)
    6.0
    """

    kind_name: ClassVar[str] = "geometric_mean"
    running_form: ClassVar[str] = "geometric_mean"
    parts = (
        LogSumPartial,
        CountPartial,
    )

    @property
    def properties(self) -> Properties:
        return Properties(kind=Kind.ALGEBRAIC)

    def lower_sql(self, scope: Scope, partials: Sequence[str]) -> str:
        return f"CASE WHEN {partials[1]} > 0 THEN exp({partials[0]} / {partials[1]}) END"

    def lower(self, partials: Sequence[pa.Array]) -> pa.Array:
        return pc.exp(pc.divide(partials[0], pc.cast(partials[1], pa.float64())))


@register
@dataclass(frozen=True)
class Product(OneColumn):
    """Product in floating point; null over a window with no value.

    >>> from panewise.testing import evaluate
    >>> evaluate(product("x"), x=[2, 3, 4])
    24.0
    """

    kind_name: ClassVar[str] = "product"
    running_form: ClassVar[str] = "product"
    parts = (ProductPartial,)


def sum(column: str) -> Sum:
    """Sum of a column.

    >>> import panewise as pw
    >>> from panewise.testing import evaluate
    >>> evaluate(pw.sum("x"), x=[1, 2, None])
    3
    """
    return Sum(column=column)


def mean(column: str) -> Mean:
    """Arithmetic mean of a column.

    >>> import panewise as pw
    >>> from panewise.testing import evaluate
    >>> evaluate(pw.mean("x"), x=[1.0, 2.0, 6.0])
    3.0
    """
    return Mean(column=column)


def geometric_mean(column: str) -> GeometricMean:
    """Geometric mean of a column.

    >>> import panewise as pw
    >>> from panewise.testing import evaluate
    >>> round(evaluate(pw.geometric_mean("x"), x=[1.0, 8.0, 27.0]), 9)
    6.0
    """
    return GeometricMean(column=column)


def product(column: str) -> Product:
    """Product of a column.

    >>> import panewise as pw
    >>> from panewise.testing import evaluate
    >>> evaluate(pw.product("x"), x=[2, 3, 4])
    24.0
    """
    return Product(column=column)


def _may_overflow(scope: Scope, column: str) -> tuple[Partial, ...]:
    """Spark sums decimals with ten digits of head room, where 38 leave that many."""
    if not scope.is_decimal(column):
        return ()
    precision = int(scope.types[column].removeprefix("decimal(").partition(",")[0])
    return (OverflowPartial(column),) if precision > 28 else ()


def _unless_overflown(result: str, overflow: str | None = None) -> str:
    return result if overflow is None else f"CASE WHEN NOT {overflow} THEN {result} END"


def _widened(kind: pa.DataType, digits: int, scale: int) -> pa.DataType | None:
    """Spark's type for a decimal with some more digits."""
    if not pa.types.is_decimal(kind):
        return None
    return pa.decimal128(
        builtins.min(kind.precision + digits, 38), builtins.min(kind.scale + scale, 38)
    )


def _sum_type(given: pa.DataType) -> pa.DataType:
    if pa.types.is_decimal(given):
        return pa.decimal256(75, given.scale)  # Arrow adds a digit per addition, and holds 76
    return pa.int64() if pa.types.is_integer(given) else pa.float64()


def _decimal_mean_sql(total: str, count: str, kind: str) -> str:
    """Whole part and remainder apart: one division alone would round away the digits that Spark's
    own average keeps when the sum is wide.

    Spark gives a sum of two decimals one digit more, and takes it from the scale beyond 38; the
    parts are cast so that it need not.
    """
    precision, scale = (int(n) for n in kind.removeprefix("decimal(").removesuffix(")").split(","))
    fraction = builtins.min(scale + 4, 36)
    n = f"cast({count} as decimal(12,0))"
    rest = f"({total} % {n})"
    whole = f"cast(({total} - {rest}) / {n} as decimal({{}},0))"
    part = f"cast({rest} / {n} as decimal({fraction + 1},{fraction}))"
    exact = f"{whole.format(37 - fraction)} + {part}"
    if precision - scale <= 37 - fraction:
        return exact
    # A mean that fills all 38 digits: its last one is rounded away.
    wide = whole.format(38 - fraction)
    return (
        f"CASE WHEN abs({wide}) < 1e{37 - fraction}BD THEN {exact} "
        f"ELSE cast({wide} + {part} as decimal(38,{fraction})) END"
    )


def _decimal_mean(total: pa.Array, count: pa.Array) -> pa.Array:
    """With all its digits, which may be more than the type of the result has."""
    scale = min(total.type.scale + 4, 38)
    unit = decimal.Decimal(1).scaleb(-scale)
    with decimal.localcontext(decimal.Context(prec=76, rounding=decimal.ROUND_HALF_UP)):
        means = [
            None if t is None or not n else (t / n).quantize(unit)
            for t, n in zip(total.to_pylist(), count.to_pylist(), strict=True)
        ]
    return pa.array(means, pa.decimal256(76, scale))

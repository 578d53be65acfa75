"""Sums, means, moments and extremes.

Integers wrap at 64 bits as Spark's do without ANSI mode; decimals are exact, in the types of
Spark's results.
"""

from __future__ import annotations

import functools
import math
import operator
import struct
from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Context, Decimal
from fractions import Fraction
from typing import Any

from panewise.testing.oracle.table import Event, Types, defines, in_order, order_key, present

_WIDE = Context(prec=200, rounding=ROUND_HALF_UP)
_BITS = {"tinyint": 8, "smallint": 16, "int": 32}


def _float_sum(values: Sequence[float]) -> float:
    if any(math.isnan(v) for v in values) or {math.inf, -math.inf} <= set(values):
        return math.nan
    return math.fsum(values)


def _wrapped(value: int, bits: int = 64) -> int:
    return (value + (1 << bits - 1)) % (1 << bits) - (1 << bits - 1)


def _digits(column: str, values: Sequence[Decimal], types: Types) -> tuple[int, int]:
    """Precision and scale of a decimal column, from its type or else from its values."""
    if column in types:
        precision, scale = types[column].removeprefix("decimal(").removesuffix(")").split(",")
        return int(precision), int(scale)
    exponents = [v.as_tuple().exponent for v in values]
    return 38, max((-e for e in exponents if isinstance(e, int)), default=0)


def _fitted(value: Fraction, precision: int, scale: int) -> Decimal | None:
    """The value in `decimal(precision, scale)`, at most 38 digits; null where it does not fit."""
    precision, scale = min(precision, 38), min(scale, 38)
    exact = _WIDE.divide(Decimal(value.numerator), Decimal(value.denominator))
    rounded = _WIDE.quantize(exact, Decimal(1).scaleb(-scale))
    return rounded if abs(rounded) < Decimal(10) ** (precision - scale) else None


@defines("count")
def _count(aggregate: Any, events: Sequence[Event], types: Types) -> int:
    return len(events if aggregate.column is None else present(aggregate.column, events))


@defines("sum")
def _sum(aggregate: Any, events: Sequence[Event], types: Types) -> Any:
    values = present(aggregate.column, events)
    if not values:
        return None
    if isinstance(values[0], Decimal):
        precision, scale = _digits(aggregate.column, values, types)
        return _fitted(sum(map(Fraction, values), Fraction()), precision + 10, scale)
    return _wrapped(sum(values)) if isinstance(values[0], int) else _float_sum(values)


@defines("mean")
def _mean(aggregate: Any, events: Sequence[Event], types: Types) -> Any:
    values = present(aggregate.column, events)
    if not values:
        return None
    if isinstance(values[0], Decimal):
        precision, scale = _digits(aggregate.column, values, types)
        mean = sum(map(Fraction, values), Fraction()) / len(values)
        return _fitted(mean, precision + 4, scale + 4)
    return _float_sum([float(v) for v in values]) / len(values)


@defines("product")
def _product(aggregate: Any, events: Sequence[Event], types: Types) -> float | None:
    values = present(aggregate.column, events)
    return math.prod(map(float, values), start=1.0) if values else None


@defines("bit_or")
def _bit_or(aggregate: Any, events: Sequence[Event], types: Types) -> int | None:
    values = present(aggregate.column, events)
    return functools.reduce(operator.or_, values) if values else None


@defines("geometric_mean")
def _geometric_mean(aggregate: Any, events: Sequence[Event], types: Types) -> float | None:
    values = [float(v) for v in present(aggregate.column, events)]
    if not values:
        return None
    if any(v < 0 or math.isnan(v) for v in values) or {0.0, math.inf} <= set(values):
        return math.nan
    return 0.0 if 0.0 in values else math.exp(math.fsum(map(math.log, values)) / len(values))


@defines("variance")
def _variance(aggregate: Any, events: Sequence[Event], types: Types) -> float | None:
    values = [float(v) for v in present(aggregate.column, events)]
    if len(values) <= aggregate.ddof:
        return None
    if not all(map(math.isfinite, values)):
        return math.nan
    exact = [Fraction(v) for v in values]
    mean = sum(exact, Fraction()) / len(exact)
    squares = sum(((v - mean) ** 2 for v in exact), Fraction())
    return float(squares / (len(exact) - aggregate.ddof))


@defines("stddev")
def _stddev(aggregate: Any, events: Sequence[Event], types: Types) -> float | None:
    variance = _variance(aggregate, events, types)
    return None if variance is None else math.sqrt(variance)


@defines("min")
def _min(aggregate: Any, events: Sequence[Event], types: Types) -> Any:
    return min(present(aggregate.column, events), key=order_key, default=None)


@defines("max")
def _max(aggregate: Any, events: Sequence[Event], types: Types) -> Any:
    return max(present(aggregate.column, events), key=order_key, default=None)


@defines("range")
def _range(aggregate: Any, events: Sequence[Event], types: Types) -> Any:
    values, kind = in_order(aggregate.column, events), types.get(aggregate.column, "")
    if not values:
        return None
    if isinstance(values[0], int):
        return _wrapped(values[-1] - values[0], _BITS.get(kind, 64))
    if isinstance(values[0], Decimal):
        precision, scale = _difference_digits(*_digits(aggregate.column, values, types))
        return _fitted(Fraction(values[-1]) - Fraction(values[0]), precision, scale)
    width = values[-1] - values[0]
    return struct.unpack("f", struct.pack("f", width))[0] if kind == "float" else width


def _difference_digits(precision: int, scale: int) -> tuple[int, int]:
    """Spark's rule for a subtraction: one digit more; beyond 38 the scale gives way."""
    over = max(precision + 1 - 38, 0)
    return min(precision + 1, 38), max(scale - over, min(scale, 6))


@defines("min_count")
def _min_count(aggregate: Any, events: Sequence[Event], types: Types) -> int:
    keys = [order_key(v) for v in present(aggregate.column, events)]
    return keys.count(min(keys)) if keys else 0


@defines("max_count")
def _max_count(aggregate: Any, events: Sequence[Event], types: Types) -> int:
    keys = [order_key(v) for v in present(aggregate.column, events)]
    return keys.count(max(keys)) if keys else 0

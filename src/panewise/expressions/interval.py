"""Predicates that say no more than that a number lies in an interval.

Idea: a loop that compares numbers with two bounds needs no truths, which would be made and read
again row by row.  The bounds belong to the interval, so the same comparison serves `<` and `<=`.
Invariant: a number is in the interval if and only if the predicate, evaluated, is true for it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil, floor, inf, nextafter
from typing import Any

import pyarrow as pa
from sqlglot import exp

from panewise.expressions.evaluate import literal
from panewise.expressions.parse import tree_of
from panewise.expressions.types import convert

_INTEGER, _FLOAT = pa.int64().id, pa.float64().id
_LEAST, _MOST = -(2**63), 2**63 - 1
_DIGITS = 18
"""Of literals that are compared with integers exactly."""
_SWAPPED: dict[type[exp.Expr], type[exp.Expr]] = {
    exp.EQ: exp.EQ,
    exp.LT: exp.GT,
    exp.LTE: exp.GTE,
    exp.GT: exp.LT,
    exp.GTE: exp.LTE,
}
"""Comparisons of a number with a literal, and the same the other way round."""


@dataclass(frozen=True, slots=True)
class Interval:
    """Numbers from `low` to `high`, both in it; none where `low` is above `high`."""

    low: Any
    high: Any
    nan: bool
    """Whether NaN, which is above every number, is in it too."""

    def __and__(self, other: Interval) -> Interval:
        return Interval(
            max(self.low, other.low), min(self.high, other.high), self.nan and other.nan
        )


def interval_of(text: str, kind: pa.DataType) -> Interval | None:
    """The numbers for which a predicate over one column of this type is true; None where it must be
    evaluated.

    >>> interval_of("x > 2.5 AND x < 10", pa.int64())
    Interval(low=3, high=9, nan=False)
    >>> interval_of("1 <= x", pa.float64())
    Interval(low=1.0, high=inf, nan=True)
    >>> interval_of("x <> 1", pa.int64())
    """
    return _interval(text, kind.id == _INTEGER) if kind.id in (_INTEGER, _FLOAT) else None


@lru_cache(maxsize=256)
def _interval(text: str, whole: bool) -> Interval | None:
    """Found once for all batches; the type itself would take longer to look up."""
    tree = tree_of(text)
    columns = {column.name for column in tree.find_all(exp.Column)}
    return _of(tree, _whole if whole else _floating) if len(columns) == 1 else None


Reader = Callable[[type[exp.Expr], pa.Scalar], Interval | None]
"""The numbers that compare so with a literal."""


def _of(node: exp.Expr, read: Reader) -> Interval | None:
    kind = type(node)
    if kind is exp.Paren:
        return _of(node.this, read)
    if kind is exp.And:
        return _both(_of(node.this, read), _of(node.expression, read))
    if kind is exp.Between and isinstance(node.this, exp.Column):
        low, high = _number(node.args["low"]), _number(node.args["high"])
        if low is None or high is None:
            return None
        return _both(read(exp.GTE, low), read(exp.LTE, high))
    if kind not in _SWAPPED:
        return None
    one, other = node.this, node.expression
    if not isinstance(one, exp.Column):
        one, other, kind = other, one, _SWAPPED[kind]
    number = _number(other)
    return read(kind, number) if isinstance(one, exp.Column) and number is not None else None


def _both(one: Interval | None, other: Interval | None) -> Interval | None:
    return None if one is None or other is None else one & other


def _number(node: exp.Expr) -> pa.Scalar | None:
    """A literal, perhaps with a sign, in the type that it is compared in."""
    written = node.this if isinstance(node, exp.Neg) else node
    if not isinstance(written, exp.Literal) or written.args["is_string"]:
        return None
    value = literal(written.this, False)
    return pa.scalar(-value.as_py(), value.type) if written is not node else value


def _whole(kind: type[exp.Expr], number: pa.Scalar) -> Interval | None:
    """Of integers, which are compared with floats as floats."""
    if pa.types.is_floating(number.type) or len(str(number.as_py())) > _DIGITS:
        return None
    exact = Fraction(number.as_py())
    low, high = _LEAST, _MOST
    if kind in (exp.GT, exp.GTE, exp.EQ):
        low = floor(exact) + 1 if kind is exp.GT else ceil(exact)
    if kind in (exp.LT, exp.LTE, exp.EQ):
        high = ceil(exact) - 1 if kind is exp.LT else floor(exact)
    return Interval(low, high, nan=False)


def _floating(kind: type[exp.Expr], number: pa.Scalar) -> Interval:
    value = convert(number, pa.float64()).as_py()
    if (kind, value) in ((exp.GT, inf), (exp.LT, -inf)):  # no number is
        return Interval(inf, -inf, nan=kind is exp.GT)
    low, high = -inf, inf
    if kind in (exp.GT, exp.GTE, exp.EQ):
        low = nextafter(value, inf) if kind is exp.GT else value
    if kind in (exp.LT, exp.LTE, exp.EQ):
        high = nextafter(value, -inf) if kind is exp.LT else value
    return Interval(low, high, nan=kind in (exp.GT, exp.GTE))

"""Arithmetic as Spark's ANSI mode has it: overflow and division by zero are errors.

Decimals are computed one by one where a result is rounded: Spark's rules for digits and its
rounding half up are not Arrow's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import ROUND_HALF_UP, Context, Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from panewise.errors import BadRowsError, SchemaError
from panewise.expressions.types import aligned, convert, digits, is_number, number

_WIDE = Context(prec=120, rounding=ROUND_HALF_UP)
_MOST, _KEPT = 38, 6  # digits of a decimal, and the fraction Spark keeps when there are too many
_EXACT = "+-*"  # as long as the digits suffice, Arrow's results and their types are Spark's

Digits = tuple[int, int]


def add(left: pa.Array, right: pa.Array) -> pa.Array:
    return _computed("+", left, right, pc.add_checked, _WIDE.add, _sum_digits)


def subtract(left: pa.Array, right: pa.Array) -> pa.Array:
    return _computed("-", left, right, pc.subtract_checked, _WIDE.subtract, _sum_digits)


def multiply(left: pa.Array, right: pa.Array) -> pa.Array:
    def product(a: Digits, b: Digits) -> Digits:
        return a[0] + b[0] + 1, a[1] + b[1]

    return _computed("*", left, right, pc.multiply_checked, _WIDE.multiply, product)


def divide(left: pa.Array, right: pa.Array) -> pa.Array:
    """Floating division, except between decimals."""

    def quotient(a: Digits, b: Digits) -> Digits:
        scale = max(_KEPT, a[1] + b[0] + 1)
        return a[0] - a[1] + b[1] + scale, scale

    def floating(a: pa.Array, b: pa.Array) -> pa.Array:
        return pc.divide(convert(a, pa.float64()), convert(b, pa.float64()))

    _refuse_zero("/", left, right)
    return _computed("/", left, right, floating, _WIDE.divide, quotient)


def remainder(left: pa.Array, right: pa.Array) -> pa.Array:
    """With the sign of the dividend."""

    def rest(a: Digits, b: Digits) -> Digits:
        scale = max(a[1], b[1])
        return min(a[0] - a[1], b[0] - b[1]) + scale, scale

    _refuse_zero("%", left, right)
    return _computed("%", left, right, _fmod, _WIDE.remainder, rest)


def whole_quotient(left: pa.Array, right: pa.Array) -> pa.Array:
    """`DIV`, of integers: cut off towards zero."""
    for side in (left, right):
        if not pa.types.is_integer(side.type) and not pa.types.is_null(side.type):
            raise SchemaError(f"DIV takes integers: got {side.type}.", hint="write floor(x / y).")
    _refuse_zero("DIV", left, right)
    whole = (side.cast(pa.int64()) for side in (left, right))
    return guarded("DIV", pc.divide_checked, *whole)


def negate(values: pa.Array) -> pa.Array:
    return guarded("-", pc.negate_checked, number("-", values))


def absolute(values: pa.Array) -> pa.Array:
    return guarded("abs", pc.abs_checked, number("abs", values))


def _computed(
    sign: str,
    left: pa.Array,
    right: pa.Array,
    plain: Callable[[pa.Array, pa.Array], pa.Array],
    exact: Callable[[Decimal, Decimal], Decimal],
    typed: Callable[[Digits, Digits], Digits],
) -> pa.Array:
    left, right = number(sign, left), number(sign, right)
    kinds = (left.type, right.type)
    if any(map(pa.types.is_null, kinds)):
        return pa.nulls(len(left), next((k for k in kinds if not pa.types.is_null(k)), None))
    if not any(map(pa.types.is_decimal, kinds)) or any(map(pa.types.is_floating, kinds)):
        return guarded(sign, plain, *aligned(left, right))
    wanted = typed(digits(left.type), digits(right.type))
    if sign in _EXACT and wanted[0] <= _MOST:
        return guarded(
            sign, plain, *(convert(s, pa.decimal128(*digits(s.type))) for s in (left, right))
        )
    precision, scale = _fitted(*wanted)
    pairs = zip(left.to_pylist(), right.to_pylist(), strict=True)
    values = [None if a is None or b is None else exact(Decimal(a), Decimal(b)) for a, b in pairs]
    return decimals_of(sign, values, precision, scale)


def _sum_digits(a: Digits, b: Digits) -> Digits:
    scale = max(a[1], b[1])
    return max(a[0] - a[1], b[0] - b[1]) + scale + 1, scale


def _fitted(precision: int, scale: int) -> Digits:
    """Spark's rule for too many digits: the fraction gives way, down to six."""
    if precision <= _MOST:
        return precision, scale
    return _MOST, max(_MOST - (precision - scale), min(scale, _KEPT))


def decimals_of(
    sign: str, values: Sequence[Decimal | None], precision: int, scale: int
) -> pa.Array:
    """Rounded half up to a scale, or an error where one has too many digits."""
    unit, bound = Decimal(1).scaleb(-scale), Decimal(10) ** (precision - scale)
    rounded = [v if v is None or v.copy_abs() >= bound else _WIDE.quantize(v, unit) for v in values]
    if any(v is not None and v.copy_abs() >= bound for v in rounded):
        raise overflow(sign, f"decimal({precision},{scale})")
    return pa.array(rounded, pa.decimal128(precision, scale))


def _fmod(left: pa.Array, right: pa.Array) -> pa.Array:
    null = np.asarray(pc.or_(left.is_null(), right.is_null()))
    a, b = (np.where(null, 1, np.asarray(pc.fill_null(side, 1))) for side in (left, right))
    with np.errstate(invalid="ignore"):  # infinity % 2 is NaN, in Java as here
        return pa.array(np.fmod(a, b), left.type, mask=null)


def _refuse_zero(sign: str, left: pa.Array, right: pa.Array) -> None:
    """A null on either side decides first, as in Spark."""
    if not is_number(right.type):
        return
    zero = pc.equal(right, zero_of(right.type))
    if pc.any(pc.and_(zero, left.is_valid())).as_py():
        raise BadRowsError(
            f"division by zero: {sign} met a zero on its right.",
            hint=f"write CASE WHEN y <> 0 THEN x {sign} y END.",
        )


def zero_of(kind: pa.DataType) -> pa.Scalar:
    """Zero in a type of numbers."""
    return pa.scalar(Decimal(0) if pa.types.is_decimal(kind) else 0, kind)


def guarded(
    sign: str, function: Callable[..., Any], *arrays: pa.Array, kind: pa.DataType | None = None
) -> pa.Array:
    """What Arrow computes, or an error that says that it does not fit."""
    try:
        return function(*arrays)
    except pa.ArrowInvalid:
        raise overflow(sign, str(kind or arrays[0].type)) from None


def overflow(sign: str, kind: str) -> BadRowsError:
    """What is said where a result does not fit."""
    return BadRowsError(
        f"overflow: the result of {sign} does not fit in {kind}.",
        hint="cast to a wider type first.",
    )

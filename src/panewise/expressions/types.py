"""Types of operands: which one two of them meet in, as Spark's ANSI mode has it."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from panewise.errors import BadRowsError, SchemaError

_UNITS = ("s", "ms", "us", "ns")
_DIGITS = {8: 3, 16: 5, 32: 10, 64: 20}
_WHOLE, _TENS = 2**53, 22
"""Integers, and powers of ten, that doubles hold exactly."""


def is_number(kind: pa.DataType) -> bool:
    return pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)


def digits(kind: pa.DataType) -> tuple[int, int]:
    """Precision and scale of a decimal, or of the decimal that holds an integer type."""
    if pa.types.is_decimal(kind):
        return kind.precision, kind.scale
    return _DIGITS[kind.bit_width], 0


def common_type(kinds: Iterable[pa.DataType]) -> pa.DataType:
    """The type that values of all these types fit in.

    >>> common_type([pa.int32(), pa.float32()])
    DataType(double)
    """
    joined = pa.null()
    for kind in kinds:
        joined = _pair(joined, kind)
    return joined


def _pair(a: pa.DataType, b: pa.DataType) -> pa.DataType:
    if a == b or pa.types.is_null(b):
        return a
    if pa.types.is_null(a):
        return b
    if _are_moments(a, b):
        return pa.timestamp(max(a.unit, b.unit, key=_UNITS.index), a.tz)
    if not is_number(a) or not is_number(b):
        raise SchemaError(
            f"operands are of like types: got {a} and {b}.", hint="cast the column first."
        )
    if pa.types.is_floating(a) or pa.types.is_floating(b):
        return pa.float64()  # a float holds no integer for certain
    if pa.types.is_integer(a) and pa.types.is_integer(b):
        return a if a.bit_width >= b.bit_width else b
    (p, s), (q, t) = digits(a), digits(b)
    scale = max(s, t)
    whole = max(p - s, q - t)
    return (
        pa.decimal256(min(whole + scale, 76), scale)
        if whole + scale > 38
        else pa.decimal128(whole + scale, scale)
    )


def _are_moments(a: pa.DataType, b: pa.DataType) -> bool:
    """Whether both are timestamps, with a zone or both without."""
    both = pa.types.is_timestamp(a) and pa.types.is_timestamp(b)
    return both and (a.tz is None) == (b.tz is None)


def convert(values: pa.Array, kind: pa.DataType) -> pa.Array:
    """Values in a wider type; decimals lose digits on their way to a double, as in Spark."""
    if values.type == kind:
        return values
    return _literal(values, kind) if isinstance(values, pa.Scalar) else _converted(values, kind)


def _converted(values: pa.Array, kind: pa.DataType) -> pa.Array:
    if pa.types.is_decimal(values.type) and pa.types.is_floating(kind):
        return nearest_doubles(values)
    if pa.types.is_integer(values.type) and pa.types.is_decimal(kind):
        values = values.cast(pa.decimal128(19, 0))
    if pa.types.is_timestamp(kind):
        return _in_unit(values, kind)
    return pc.cast(values, kind, safe=not pa.types.is_floating(kind))


def _in_unit(values: pa.Array, kind: pa.TimestampType) -> pa.Array:
    try:
        return pc.cast(values, kind)
    except pa.ArrowInvalid:
        raise BadRowsError(
            f"a time is too far away to be compared with {kind}.",
            hint='cast the column to timestamp("us").',
        ) from None


@lru_cache(maxsize=64)
def _literal(value: pa.Scalar, kind: pa.DataType) -> pa.Scalar:
    """A literal for every batch that it is beside."""
    return _converted(value, kind)


def nearest_doubles(values: pa.Array) -> pa.Array:
    """Decimals as the doubles that are nearest to them, as in Java; Arrow gives one close by.

    >>> from decimal import Decimal
    >>> tenths = pa.scalar(Decimal("0.47"))
    >>> nearest_doubles(tenths).as_py(), tenths.cast(pa.float64()).as_py()
    (0.47, 0.47000000000000003)
    """
    if isinstance(values, pa.Scalar):
        return pa.scalar(float(values.as_py()) if values.is_valid else None, pa.float64())
    missing = np.asarray(values.is_null())
    if pa.types.is_decimal128(values.type) and len(values):
        found, exact = _quotients(values)
    else:
        found, exact = np.zeros(len(values)), missing
    for at in np.flatnonzero(~(exact | missing)):
        found[at] = float(values[at].as_py())
    return pa.array(found, mask=missing)


def _quotients(values: pa.Array) -> tuple[np.ndarray, np.ndarray]:
    """Decimals divided as doubles, and where that is exact but for the last digit."""
    scale = values.type.scale
    words = np.frombuffer(values.buffers()[1], np.int64).reshape(-1, 2)
    low, high = words[values.offset : values.offset + len(values)].T
    exact = (high == low >> 63) & (low >= -_WHOLE) & (low <= _WHOLE)
    return low / 10.0 ** max(scale, 0), exact & (0 <= scale <= _TENS)


def aligned(left: pa.Array, right: pa.Array) -> tuple[pa.Array, pa.Array]:
    """Two operands in their common type."""
    kind = common_type([left.type, right.type])
    return convert(left, kind), convert(right, kind)


def number(word: str, values: pa.Array) -> pa.Array:
    """An operand that must be a number or null."""
    if is_number(values.type) or pa.types.is_null(values.type):
        return values
    raise SchemaError(f"{word} takes numbers: got {values.type}.", hint="cast the column first.")


def boolean(word: str, values: pa.Array) -> pa.Array:
    """An operand that must be true, false or null."""
    if pa.types.is_boolean(values.type):
        return values
    if pa.types.is_null(values.type):
        return values.cast(pa.bool_())
    raise SchemaError(f"{word} takes true and false: got {values.type}.", hint="compare it first.")

"""Types of operands: which one two of them meet in, as Spark's ANSI mode has it."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

import pyarrow as pa
import pyarrow.compute as pc

from panewise.errors import SchemaError

_DIGITS = {8: 3, 16: 5, 32: 10, 64: 20}


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


def convert(values: pa.Array, kind: pa.DataType) -> pa.Array:
    """Values in a wider type; decimals lose digits on their way to a double, as in Spark."""
    if values.type == kind:
        return values
    return _literal(values, kind) if isinstance(values, pa.Scalar) else _converted(values, kind)


def _converted(values: pa.Array, kind: pa.DataType) -> pa.Array:
    if pa.types.is_integer(values.type) and pa.types.is_decimal(kind):
        values = values.cast(pa.decimal128(19, 0))
    return pc.cast(values, kind, safe=not pa.types.is_floating(kind))


@lru_cache(maxsize=64)
def _literal(value: pa.Scalar, kind: pa.DataType) -> pa.Scalar:
    """A literal for every batch that it is beside."""
    return _converted(value, kind)


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

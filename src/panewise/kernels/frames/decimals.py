"""Decimals as the 64-bit integers that they are made of.

Types of few digits are taken as they are.  Of wide ones, as DECIMAL(38,18) that Spark gives to
Python's decimals, the zeros that all values end with are left out: what is there decides how many
digits behind the point are followed, and later rows may bring more.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

DIGITS = 18
"""Decimals of as many digits are 64-bit integers."""
_MOST = 2**63 - 1


def is_wide(kind: pa.DataType) -> bool:
    """Whether values of this type may have more digits than are followed."""
    return bool(pa.types.is_decimal(kind) and kind.precision > DIGITS)


def short(values: pa.Array) -> pa.Array:
    """Decimals of few digits, as all of them are held; wide ones stay as they are."""
    if is_wide(values.type):
        return values
    return values.cast(pa.decimal128(DIGITS, values.type.scale))


def fitted(values: pa.Array, least: int = 0) -> tuple[np.ndarray, int]:
    """Decimals as integers that are `10**scale` times too large, and that scale: of wide ones the
    smallest that loses nothing, and not below `least`.  An ArrowInvalid if there is none.

    >>> from decimal import Decimal
    >>> fitted(pa.array([Decimal("1.50"), Decimal("20")], pa.decimal128(38, 18)))
    (array([ 15, 200]), 1)
    """
    if not is_wide(values.type):
        return unscaled(values), values.type.scale
    values = values.fill_null(0) if values.null_count else values
    for scale in range(least, values.type.scale):
        try:
            return unscaled(values.cast(pa.decimal128(DIGITS, scale))), scale
        except pa.ArrowInvalid:
            continue  # digits are lost, or are too many with any scale
    scale = max(values.type.scale, least)
    return unscaled(values.cast(pa.decimal128(DIGITS, scale))), scale


def unscaled(values: pa.Array) -> np.ndarray:
    """Short decimals as integers that are `10**scale` times too large; nulls are any number."""
    if not len(values):
        return np.empty(0, np.int64)
    words = np.frombuffer(values.buffers()[1], np.int64).reshape(-1, 2)
    return words[values.offset : values.offset + len(values), 0].copy()


def enlarged(numbers: np.ndarray, digits: int) -> np.ndarray:
    """Integers with so many zeros behind them, or an OverflowError.

    >>> enlarged(np.array([-3, 5]), 2)
    array([-300,  500])
    """
    most = max(-int(numbers.min(initial=0)), int(numbers.max(initial=0)))
    if most * 10**digits > _MOST:
        raise OverflowError(f"{most} with {digits} more digits does not fit 64 bits")
    return numbers * np.int64(10**digits) if most else numbers

"""Decimals as the 64-bit integers that they are made of."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

DIGITS = 18
"""Decimals of as many digits are 64-bit integers."""


def short(values: pa.Array) -> pa.Array:
    """Decimals of few digits, or an ArrowInvalid."""
    return values.cast(pa.decimal128(DIGITS, values.type.scale))


def unscaled(values: pa.Array) -> np.ndarray:
    """Short decimals as integers that are `10**scale` times too large; nulls are any number."""
    if not len(values):
        return np.empty(0, np.int64)
    words = np.frombuffer(values.buffers()[1], np.int64).reshape(-1, 2)
    return words[values.offset : values.offset + len(values), 0].copy()

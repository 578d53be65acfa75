"""Partials that are more than a number, said in numbers: what compiled loops know of them.

Idea: a `combine` mostly does one of four things.  It picks one of two rows, by numbers that say
which comes first; then a loop needs these numbers alone, whatever else the row holds.  Or it merges
numbers by a formula, which loops have.  Or it joins lists, of which neighbours are joined already.
Or it adds decimals, as long integers are added on paper.  Sketches are built of many rows at once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

_LARGEST = np.int64(2**63 - 1)


@dataclass(frozen=True)
class Picks:
    """Of two rows the one with the least numbers wins; the first of them that differs decides."""

    keys: Sequence[np.ndarray]
    """Int64; what a null row has is not looked at."""
    ties: np.ndarray | None = None
    """How many rows each stands for, where those of rows that are alike are added up."""


@dataclass(frozen=True)
class Merges:
    """Structs of numbers that a formula merges."""

    formula: str
    numbers: Sequence[np.ndarray]
    """Float64, one array for each field."""


@dataclass(frozen=True)
class Joins:
    """Lists that are put one behind the other."""


@dataclass(frozen=True)
class Adds:
    """Whole numbers of many digits that are added up."""

    limbs: Sequence[np.ndarray]
    """Int64, of 32 bits each, the lowest first; the last one has the sign."""


@dataclass(frozen=True)
class Builds:
    """Values of single rows, of which a range becomes one object at once."""

    over: Callable[[np.ndarray, np.ndarray], pa.Array]
    """What the rows `[lo, hi)` become, for every range."""


Record = Picks | Merges | Joins | Adds | Builds
"""What a loop can do in place of a `combine`."""


def in_order(values: pa.Array) -> list[np.ndarray] | None:
    """Numbers that are in the order of the values, NaN last; None for types that have none.

    >>> [column.argsort().tolist() for column in in_order(pa.array([2.5, float("nan"), -1.0]))]
    [[2, 0, 1]]
    >>> [column.tolist() for column in in_order(pa.array(["b", "a", "b"]))]
    [[1, 0, 1]]
    """
    kind = values.type
    if pa.types.is_floating(kind):
        return [_bits(np.asarray(values.cast(pa.float64()).fill_null(0)))]
    if pa.types.is_integer(kind) and kind != pa.uint64():
        return [np.asarray(values.cast(pa.int64()).fill_null(0))]
    if pa.types.is_date32(kind):
        return [np.asarray(values.cast(pa.int32()).fill_null(0)).astype(np.int64)]
    if pa.types.is_timestamp(kind) or pa.types.is_duration(kind):
        return [np.asarray(values.cast(pa.int64()).fill_null(0))]
    if pa.types.is_decimal128(kind):
        return _words(values)
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_binary(kind):
        return [_ranks(values)]
    return None


def backwards(keys: Sequence[np.ndarray]) -> list[np.ndarray]:
    """The same in the opposite order; every integer has another one there."""
    return [~key for key in keys]


def limbs_of(decimals: pa.Array) -> list[np.ndarray]:
    """The digits of wide decimals in base 2^32, the sign in the last; null is zero."""
    words = np.frombuffer(decimals.buffers()[1], np.uint32).reshape(-1, 8)
    limbs = words[decimals.offset : decimals.offset + len(decimals)].T.astype(np.int64)
    limbs[-1] = limbs[-1].astype(np.int32)
    if decimals.null_count:
        limbs[:, ~np.asarray(decimals.is_valid())] = 0
    return list(limbs)


def decimals_of(limbs: np.ndarray, there: np.ndarray, kind: pa.DataType) -> pa.Array:
    """The same back from sums of digits.

    >>> numbers = pa.array([-5, 2**40], pa.decimal256(75, 0))
    >>> summed = np.stack(limbs_of(numbers)).sum(axis=1, keepdims=True)
    >>> decimals_of(summed, np.array([True]), numbers.type)[0].as_py() == 2**40 - 5
    True
    """
    words, carry = np.empty((limbs.shape[1], 8), np.uint32), np.zeros(limbs.shape[1], np.int64)
    for place, limb in enumerate(limbs):
        total = limb + carry
        words[:, place] = total & 0xFFFFFFFF
        carry = total >> 32
    valid = None if there.all() else pa.py_buffer(np.packbits(there, bitorder="little"))
    return pa.Array.from_buffers(kind, len(words), [valid, pa.py_buffer(words)])


def _bits(values: np.ndarray) -> np.ndarray:
    """Floats as integers: their bits ascend, and those of negative ones descend."""
    bits = (values + 0.0).view(np.int64)  # there is one zero
    turned = np.where(bits < 0, bits ^ _LARGEST, bits)
    return np.where(np.isnan(values), _LARGEST, turned)


def _words(values: pa.Array) -> list[np.ndarray]:
    """Decimals as two words each, the lower one without a sign."""
    words = np.frombuffer(values.buffers()[1], np.int64).reshape(-1, 2)
    low, high = words[values.offset : values.offset + len(values)].T
    return [high.copy(), low ^ np.int64(-(2**63))]


def _ranks(values: pa.Array) -> np.ndarray:
    """The place of each text among all that differ."""
    encoded = values.dictionary_encode()
    order = np.argsort(np.array(encoded.dictionary.cast(pa.binary()).to_pylist(), dtype=object))
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    codes = np.asarray(encoded.indices.fill_null(0))
    return rank[codes] if len(rank) else np.zeros(len(values), np.int64)

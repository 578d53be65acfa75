"""Where keys live: which bucket has a key, and which number a bucket goes by.

Idea: a bucket is one group of Spark's shuffle.  Spark hashes the group's number to a partition, so
buckets are given numbers that fall on partitions of their own.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from panewise.operator.columns import ticks_of
from panewise.spark.zones import in_zone

_MIX = np.uint64(0xBF58476D1CE4E5B9)


def homes_of(keys: pa.Table, buckets: int) -> np.ndarray:
    """The bucket of every key: the same in every process, whatever else is there.

    >>> keys = pa.table({"a": ["x", None, "x"], "b": [1, 2, 1]})
    >>> found = homes_of(keys, 1000)
    >>> bool(found[0] == found[2]), bool(found[0] == found[1])
    (True, False)
    """
    if not keys.num_columns:
        return np.zeros(1, np.int64)
    mixed = np.zeros(keys.num_rows, np.uint64)
    for column in in_zone(keys, "UTC").columns:  # whatever zone the session is in
        mixed = (mixed ^ _hashed(column.combine_chunks())) * _MIX
        mixed ^= mixed >> np.uint64(32)
    return (mixed % np.uint64(buckets)).astype(np.int64)


def _hashed(column: pa.Array) -> np.ndarray:
    """64 bits for each value; nulls are all the same."""
    kind = column.type
    if pa.types.is_integer(kind) or pa.types.is_timestamp(kind) or pa.types.is_date32(kind):
        ticks = ticks_of(column)
        bits = np.asarray(ticks.fill_null(0)).astype(np.uint64)
        found = (bits ^ np.uint64(0x94D049BB133111EB)) * np.uint64(0x9E3779B97F4A7C15)
        return np.where(np.asarray(column.is_valid()), found, np.uint64(0))
    # one spelling for equal values: zeros of either sign, and text and bytes as they are
    if pa.types.is_floating(kind):
        column = pc.add(column, pa.scalar(0, kind))
    spelled = np.array([repr(value) for value in column.to_pylist()], object)
    found = pd.util.hash_array(spelled, categorize=False)
    return np.where(np.asarray(column.is_valid()), found, np.uint64(0))


def labels(buckets: int) -> list[int]:
    """A number for each bucket, such that Spark puts no two of them into one of as many partitions.

    >>> sorted(_murmur3(label) % 4 for label in labels(4))
    [0, 1, 2, 3]
    """
    found: dict[int, int] = {}
    number = 0
    while len(found) < buckets:
        found.setdefault(_murmur3(number) % buckets, number)
        number += 1
    return [found[partition] for partition in range(buckets)]


def _murmur3(number: int, seed: int = 42) -> int:
    """Spark's `hash` of an integer: MurmurHash3 of its four bytes."""
    word = number * 0xCC9E2D51 & 0xFFFFFFFF
    word = (word << 15 | word >> 17) & 0xFFFFFFFF
    mixed = seed ^ word * 0x1B873593 & 0xFFFFFFFF
    mixed = (mixed << 13 | mixed >> 19) & 0xFFFFFFFF
    mixed = (mixed * 5 + 0xE6546B64 ^ 4) & 0xFFFFFFFF
    for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35)):
        mixed = (mixed ^ mixed >> shift) * factor & 0xFFFFFFFF
    mixed ^= mixed >> 16
    return mixed - (1 << 32) if mixed >= 1 << 31 else mixed

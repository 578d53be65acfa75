"""Bytes in pieces, for their way through Spark.

Idea: Spark copies a value a dozen times from worker to worker.  What stays in the caches is copied
many times faster, and new memory is not asked for again and again while a value of megabytes grows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa


class Pieces(NamedTuple):
    """Bytes one after the other, cut."""

    whole: np.ndarray
    """Which of the bytes each piece is of."""
    number: np.ndarray
    """The pieces of one are numbered; the last is number 0, those before are below."""
    bytes: pa.Array


def in_pieces(blobs: Sequence[Sequence[bytes | pa.Buffer]], size: int) -> Pieces:
    """Bytes, each given in parts, in pieces of at most this size.

    >>> whole, number, cut = in_pieces([[b"abc", b"de"], [b"f"]], 2)
    >>> whole.tolist(), number.tolist(), cut.to_pylist()
    ([0, 0, 0, 1], [-2, -1, 0, 0], [b'ab', b'cd', b'e', b'f'])
    """
    sizes = np.array([sum(map(len, parts)) for parts in blobs])
    count = -(-sizes // size)
    whole = np.repeat(np.arange(len(blobs)), count)
    place = np.arange(len(whole)) - np.repeat(np.cumsum(count) - count, count)
    begins = np.repeat(np.cumsum(sizes) - sizes, count) + place * size
    offsets = pa.array(np.append(begins, sizes.sum())).cast(pa.int32())  # or it says no
    joined = b"".join(part for parts in blobs for part in parts)
    data = [None, offsets.buffers()[1], pa.py_buffer(joined)]
    cut = pa.Array.from_buffers(pa.binary(), len(whole), data)
    return Pieces(whole, (place - count[whole] + 1).astype(np.int32), cut)

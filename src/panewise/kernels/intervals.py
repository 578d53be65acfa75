"""Bounds of windows as an Arrow column of two fields.

Idea: as with the names of windows (`texts.py`), making arrays costs more than the numbers in them:
they are put behind those that were told before, and what is told is a slice.
Invariant: bounds that were told are never written again.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from panewise.kernels.columns import array_of

FEW = 1 << 8
"""Intervals up to which it is faster to copy them than to make an array."""
ROOM = 1 << 11
"""Intervals that share an array: as many are kept or copied as long as one of them is."""


class Intervals:
    """Columns of starts and ends, of a type whose values are ticks.

    >>> intervals = Intervals(pa.struct([("start", pa.int64()), ("end", pa.int64())]))
    >>> intervals.of(np.array([3, 5]), np.array([4, 9])).to_pylist()
    [{'start': 3, 'end': 4}, {'start': 5, 'end': 9}]
    """

    def __init__(self, kind: pa.StructType) -> None:
        self._kind = kind
        self._begin()

    def _begin(self) -> None:
        """An array for the intervals that come next."""
        self._bounds = np.zeros((2, ROOM), np.int64)
        self._room = self._column(*self._bounds)
        self._used = 0

    def of(self, start: np.ndarray, end: np.ndarray) -> pa.Array:
        """These intervals."""
        count, used = len(start), self._used
        if count > FEW:
            return self._column(start, end)
        if used + count > ROOM:
            self._begin()
            used = 0
        self._used = used + count
        self._bounds[0, used : self._used] = start
        self._bounds[1, used : self._used] = end
        return self._room.slice(used, count)

    def _column(self, start: np.ndarray, end: np.ndarray) -> pa.Array:
        fields = zip((start, end), self._kind, strict=True)
        children = [array_of(ticks, field.type) for ticks, field in fields]
        return pa.Array.from_buffers(self._kind, len(start), [None], children=children)

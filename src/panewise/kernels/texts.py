"""A few texts, picked again and again.

Idea: a push that reports ten windows spends more time on starting Arrow's `take`, and on making an
array, than on the names of the windows.  A loop puts their bytes behind those that were picked
before, in an array that is there already; what is told is a slice of it.
Invariant: bytes that were told are never written again.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from panewise.kernels.compiled import compiled

_TEXT = pa.string()
FEW = 1 << 8
"""Texts up to which the loop is faster than Arrow, which copies more than a byte at a time."""
ROOM = 1 << 11
"""Texts that share an array: as many are kept or copied as long as one of them is."""


class Texts:
    """Texts by number.

    >>> Texts(["a", "bc", "def"]).take(np.array([2, 0])).to_pylist()
    ['def', 'a']
    """

    def __init__(self, texts: Sequence[str]) -> None:
        self._array = pa.array(texts, _TEXT)
        _, offsets, data = self._array.buffers()
        self._offsets = np.frombuffer(offsets, np.int32)
        self._data = np.frombuffer(data or b"", np.uint8)
        self._longest = int(np.diff(self._offsets).max(initial=0))
        self._begin()

    def _begin(self) -> None:
        """An array for the texts that come next."""
        self._ends = np.zeros(ROOM + 1, np.int32)
        self._bytes = np.zeros(ROOM * self._longest, np.uint8)
        buffers = [None, pa.py_buffer(self._ends), pa.py_buffer(self._bytes)]
        self._room = pa.Array.from_buffers(_TEXT, ROOM, buffers)
        self._used = 0

    def take(self, numbers: np.ndarray) -> pa.Array:
        """The texts of these numbers."""
        count, used = len(numbers), self._used
        if count > FEW and (numbers == numbers[0]).all():
            return pa.repeat(self._array[int(numbers[0])], count)
        if count > FEW:
            return self._array.take(pa.array(numbers))
        if used + count > ROOM:
            self._begin()
            used = 0
        _append(self._offsets, self._data, numbers, self._ends, self._bytes, used)
        self._used = used + count
        return self._room.slice(used, count)


@compiled
def _append(offsets, data, numbers, ends, out, used):  # type: ignore[no-untyped-def]
    """Put texts behind so many others."""
    at = ends[used]
    for i in range(len(numbers)):
        for j in range(offsets[numbers[i]], offsets[numbers[i] + 1]):
            out[at] = data[j]
            at += 1
        ends[used + i + 1] = at

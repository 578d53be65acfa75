"""Results of a few windows, written behind those that were told before.

Idea: a push that reports ten windows spends more time on making Arrow arrays, and on starting
Arrow's `take`, than on what is in them.  There are arrays already, with room behind what was told;
one loop writes names and bounds there, and what is told is a slice.
Invariant: what was told is never written again.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from panewise.kernels.columns import array_of
from panewise.kernels.compiled import compiled

FEW = 1 << 8
"""Windows up to which it is faster to write them here than to make arrays of their own."""
ROOM = 1 << 11
"""Windows that share an array: as many are kept or copied as long as one of them is."""


class Room:
    """Columns of names and bounds of windows, and of numbers beside them.

    >>> window = pa.struct([("start", pa.int64()), ("end", pa.int64())])
    >>> room = Room(pa.array(["a", "bc"]), window)
    >>> at = room.put(np.array([1, 0]), np.array([3, 5]), np.array([4, 9]))
    >>> [column.slice(at, 2).to_pylist() for column in room.columns]
    [['bc', 'a'], [{'start': 3, 'end': 4}, {'start': 5, 'end': 9}]]
    """

    def __init__(
        self, names: pa.StringArray, window: pa.StructType, kinds: Sequence[pa.DataType] = ()
    ) -> None:
        """The fields of a window count ticks, and the numbers are 64 bits wide, or truths."""
        self._window, self._kinds = window, kinds
        _, offsets, data = names.buffers()
        self._offsets = np.frombuffer(offsets, np.int32)
        self._data = np.frombuffer(data or b"", np.uint8)
        self._longest = int(np.diff(self._offsets).max(initial=0))
        self._begin()

    def _begin(self) -> None:
        """Arrays for what comes next."""
        self._ends = np.zeros(ROOM + 1, np.int32)
        self._bytes = np.zeros(ROOM * self._longest, np.uint8)
        self._bounds = np.zeros((2, ROOM), np.int64)
        self._numbers = [
            np.zeros(ROOM // 8, np.uint8)
            if kind == pa.bool_()
            else np.zeros(ROOM, kind.to_pandas_dtype())
            for kind in self._kinds
        ]
        self._used = 0
        texts = [None, pa.py_buffer(self._ends), pa.py_buffer(self._bytes)]
        fields = zip(self._bounds, self._window, strict=True)
        bounds = [array_of(ticks, field.type) for ticks, field in fields]
        self.columns = [
            pa.Array.from_buffers(pa.string(), ROOM, texts),
            pa.Array.from_buffers(self._window, ROOM, [None], children=bounds),
            *(
                pa.Array.from_buffers(kind, ROOM, [None, pa.py_buffer(numbers)])
                for numbers, kind in zip(self._numbers, self._kinds, strict=True)
            ),
        ]
        """Names, bounds and numbers, told or not."""

    def put(
        self,
        name: np.ndarray,
        start: np.ndarray,
        end: np.ndarray,
        numbers: Sequence[np.ndarray] = (),
    ) -> int:
        """Write up to `FEW` windows; the place of the first, from where on they may be told."""
        count, at = len(name), self._used
        if at + count > ROOM:
            self._begin()
            at = 0
        self._used = at + count
        _put(self._offsets, self._data, name, self._ends, self._bytes, at, start, end, self._bounds)
        for column, each in zip(self._numbers, numbers, strict=True):
            if column.dtype == np.uint8:
                _put_truths(column, at, each)
            else:
                column[at : self._used] = each
        return at


@compiled
def _put(offsets, data, name, ends, out, used, start, end, bounds):  # type: ignore[no-untyped-def]
    """Names and bounds behind so many others."""
    at = ends[used]
    for i in range(len(name)):
        for j in range(offsets[name[i]], offsets[name[i] + 1]):
            out[at] = data[j]
            at += 1
        ends[used + i + 1] = at
        bounds[0, used + i], bounds[1, used + i] = start[i], end[i]


@compiled
def _put_truths(bits, used, truths):  # type: ignore[no-untyped-def]
    """Truths behind so many others; bits that were told stay."""
    for i in range(len(truths)):
        place = used + i
        bits[place >> 3] |= np.uint8(truths[i]) << (place & 7)

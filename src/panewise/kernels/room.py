"""Results of a few windows, written behind those that were told before.

Idea: a push that reports ten windows spends more time on making Arrow arrays, and on starting
Arrow's `take`, than on what is in them.  There are arrays already, with room behind what was told;
names and bounds are written there, and what is told is a slice.
Invariant: what was told is never written again.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from panewise.kernels.columns import array_of
from panewise.kernels.compiled import compiled

FEW, SOME = 1 << 8, 1 << 10
"""Windows up to which it is faster to write them here than to make arrays of their own; more where
all have one name, which is not written again."""
SHARING = 8
"""So many times as many share arrays, and are kept or copied as long as one of them is."""


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
        self._names = _OneName(names) if len(names) == 1 else _Names(names)
        self.most = SOME if len(names) == 1 else FEW
        self._begin(FEW)

    def _begin(self, count: int) -> None:
        """Arrays for what comes next, if that is about so many windows at a time."""
        self.size = SHARING * max(count, FEW)
        self._start, self._end = np.zeros(self.size, np.int64), np.zeros(self.size, np.int64)
        self._numbers = [
            np.zeros(self.size // 8, np.uint8)
            if kind == pa.bool_()
            else np.zeros(self.size, kind.to_pandas_dtype())
            for kind in self._kinds
        ]
        self._used = 0
        fields = zip((self._start, self._end), self._window, strict=True)
        bounds = [array_of(ticks, field.type) for ticks, field in fields]
        self.columns = [
            self._names.begun(self.size),
            pa.Array.from_buffers(self._window, self.size, [None], children=bounds),
            *(
                pa.Array.from_buffers(kind, self.size, [None, pa.py_buffer(numbers)])
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
        """Write up to `most` windows; the place of the first, from where on they may be told."""
        count, at = len(name), self._used
        if at + count > self.size:
            self._begin(count)
            at = 0
        self._used = used = at + count
        self._names.put(name, at)
        self._start[at:used], self._end[at:used] = start, end
        for column, each in zip(self._numbers, numbers, strict=True):
            if column.dtype == np.uint8:
                _put_truths(column, at, each)
            else:
                column[at:used] = each
        return at


class _OneName:
    """The only name there is, in every place from the beginning."""

    def __init__(self, names: pa.StringArray) -> None:
        self._names = names

    def begun(self, size: int) -> pa.Array:
        """A column that is there already, if it is long enough."""
        if len(self._names) < size:
            self._names = pa.repeat(self._names[0], size)
        return self._names.slice(0, size)

    def put(self, name: np.ndarray, used: int) -> None:
        """It is there."""


class _Names:
    """Names by their number, one behind the other."""

    def __init__(self, names: pa.StringArray) -> None:
        _, offsets, data = names.buffers()
        self._offsets = np.frombuffer(offsets, np.int32)
        self._data = np.frombuffer(data or b"", np.uint8)
        self._longest = int(np.diff(self._offsets).max(initial=0))

    def begun(self, size: int) -> pa.Array:
        """A column for what comes next."""
        self._ends = np.zeros(size + 1, np.int32)
        self._bytes = np.zeros(size * self._longest, np.uint8)
        texts = [None, pa.py_buffer(self._ends), pa.py_buffer(self._bytes)]
        return pa.Array.from_buffers(pa.string(), size, texts)

    def put(self, name: np.ndarray, used: int) -> None:
        """Write names behind so many others."""
        _put(self._offsets, self._data, name, self._ends, self._bytes, used)


@compiled
def _put(offsets, data, name, ends, out, used):  # type: ignore[no-untyped-def]
    at = ends[used]
    for i in range(len(name)):
        for j in range(offsets[name[i]], offsets[name[i] + 1]):
            out[at] = data[j]
            at += 1
        ends[used + i + 1] = at


@compiled
def _put_truths(bits, used, truths):  # type: ignore[no-untyped-def]
    """Truths behind so many others; bits that were told stay."""
    for i in range(len(truths)):
        place = used + i
        bits[place >> 3] |= np.uint8(truths[i]) << (place & 7)

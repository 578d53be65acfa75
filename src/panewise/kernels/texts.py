"""A few texts, picked again and again.

Idea: a push that reports ten windows spends more time on starting Arrow's `take` than on the names
of the windows; a loop over their bytes does not start anything.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from panewise.kernels.compiled import compiled

_TEXT = pa.string()
FEW = 1 << 10
"""Texts up to which the loop is faster than Arrow, which copies more than a byte at a time."""


class Texts:
    """Texts by number.

    >>> Texts(["a", "bc", "def"]).take(np.array([2, 0])).to_pylist()
    ['def', 'a']
    """

    def __init__(self, texts: Sequence[str]) -> None:
        self._array = pa.array(texts, _TEXT)
        encoded = [text.encode() for text in texts]
        self._offsets = np.cumsum([0, *map(len, encoded)])
        self._data = np.frombuffer(b"".join(encoded), np.uint8)

    def take(self, numbers: np.ndarray) -> pa.Array:
        """The texts of these numbers."""
        if len(numbers) > FEW and len(self._array) == 1:
            return pa.repeat(self._array[0], len(numbers))
        if len(numbers) > FEW:
            return self._array.take(pa.array(numbers))
        offsets, data = _gathered(self._offsets, self._data, numbers)
        buffers = [None, pa.py_buffer(offsets), pa.py_buffer(data)]
        return pa.Array.from_buffers(_TEXT, len(numbers), buffers)


@compiled
def _gathered(offsets, data, numbers):  # type: ignore[no-untyped-def]
    ends = np.zeros(len(numbers) + 1, np.int32)
    for i in range(len(numbers)):
        ends[i + 1] = ends[i] + offsets[numbers[i] + 1] - offsets[numbers[i]]
    out = np.empty(ends[-1], np.uint8)
    for i in range(len(numbers)):
        begin = offsets[numbers[i]]
        for j in range(ends[i + 1] - ends[i]):
            out[ends[i] + j] = data[begin + j]
    return ends, out

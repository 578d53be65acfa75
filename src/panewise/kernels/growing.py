"""Cells that grow at their end.

Idea: a stream of one key brings its cells in order.  There is room behind those that are held, so
that a new one is put there instead of moving all of them.
Cost: each cell is moved a few times, however many pushes bring them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np

from panewise.kernels.cells import Cells
from panewise.kernels.columns import ALL_VALID, Numbers, joined

SMALL = 1 << 20
"""Values up to which there is more room: pages that nothing was written to cost nothing."""


class Growing:
    """Puts cells behind cells."""

    def __init__(self) -> None:
        self._rooms: defaultdict[str, _Room] = defaultdict(_Room)
        self._first_key = np.zeros(0, np.int64)

    def appended(self, held: Cells, new: Cells) -> Cells:
        """Both, where every new cell comes after all that are held."""
        together: dict[str, Any] = {}
        for name, part in vars(held).items():
            if part is None:
                continue
            more = getattr(new, name)
            if name == "code" and not (part[-1:].any() or more[-1:].any()):
                together[name] = self._zeros(len(part) + len(more))  # they ascend: all are 0
            elif isinstance(part, list):
                pairs = enumerate(zip(part, more, strict=True))
                together[name] = [self._joined(f"{name} {at}", pair) for at, pair in pairs]
            else:
                together[name] = self._joined(name, (part, more))
        return Cells(**together)

    def _zeros(self, count: int) -> np.ndarray:
        """So many cells of the first key, which is the only one of most streams that grow."""
        if count > len(self._first_key):
            self._first_key = np.zeros(2 * count, np.int64)
        return self._first_key[:count]

    def _joined(self, name: str, pair: Sequence[Any]) -> Any:
        part, more = pair
        if isinstance(part, np.ndarray):
            return self._rooms[name].appended(part, more)
        if isinstance(part, Numbers):
            values = self._rooms[name].appended(part.values, more.values)
            valid = ALL_VALID
            if len(part.valid) or len(more.valid):
                valid = self._rooms[f"{name} valid"].appended(part.present(), more.present())
            return Numbers(values, valid, part.kind)
        return part if isinstance(part, tuple) else joined(pair)


class _Room:
    """An array with room behind what was told of it."""

    def __init__(self) -> None:
        self._all = self._told = np.empty(0, np.int64)
        self._end = 0

    def appended(self, array: np.ndarray, more: np.ndarray) -> np.ndarray:
        """Both together; arrays that were told before stay as they are."""
        count, total = len(array), len(array) + len(more)
        if not self._is_last(array) or self._end + len(more) > len(self._all):
            room = (2 if total > SMALL else 4) * total
            self._all, self._end = np.empty(room, array.dtype), count
            self._all[:count] = array
        begin, end = self._end - count, self._end + len(more)
        self._all[self._end : end] = more
        self._end, self._told = end, self._all[begin:end]
        return self._told

    def _is_last(self, array: np.ndarray) -> bool:
        """Whether it lies here, and ends where the room begins: its first values may be gone."""
        if array is self._told or array.base is not self._all or not len(array):
            return array is self._told
        ahead = array.ctypes.data - self._all.ctypes.data
        return bool(ahead == (self._end - len(array)) * array.itemsize)

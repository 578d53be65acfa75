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


class Growing:
    """Puts cells behind cells."""

    def __init__(self) -> None:
        self._rooms: defaultdict[str, _Room] = defaultdict(_Room)

    def appended(self, held: Cells, new: Cells) -> Cells:
        """Both, where every new cell comes after all that are held."""
        together: dict[str, Any] = {}
        for name, part in vars(held).items():
            more = getattr(new, name)
            if isinstance(part, list):
                pairs = enumerate(zip(part, more, strict=True))
                together[name] = [self._joined(f"{name} {at}", pair) for at, pair in pairs]
            else:
                together[name] = self._joined(name, (part, more))
        return Cells(**together)

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

    def appended(self, array: np.ndarray, more: np.ndarray) -> np.ndarray:
        """Both together; arrays that were told before stay as they are."""
        count, total = len(array), len(array) + len(more)
        if array is not self._told or total > len(self._all):
            self._all = np.empty(total + total // 2, array.dtype)
            self._all[:count] = array
        self._all[count:total] = more
        self._told = self._all[:total]
        return self._told

"""Rows that wait until nothing can come before them.

Idea: where order matters, a row is worth nothing before the watermark has passed it.  Rows wait in
buckets of time and leave in order; each is touched twice, however many wait.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise, starmap

import numpy as np

from panewise.kernels.cells import Cells
from panewise.kernels.keys import counting_sort
from panewise.kernels.order import time_order
from panewise.kernels.ranges import ALWAYS, NEVER

BUCKETS = 32
"""Buckets that a delay is cut into."""


class WaitingRoom:
    """Rows as cells, by time."""

    def __init__(self, delay: int) -> None:
        self.delay = delay
        self._width = max(delay // BUCKETS, 1)
        self._began = False
        self._buckets: dict[int, list[Cells]] = {}

    def __len__(self) -> int:
        return sum(map(len, self.parts()))

    def parts(self) -> list[Cells]:
        """All rows, in no particular order."""
        return [part for bucket in self._buckets.values() for part in bucket]

    def apply(self, change: Callable[[Cells], Cells]) -> None:
        """Change all rows in place."""
        for bucket in self._buckets.values():
            bucket[:] = [change(part) for part in bucket]

    def rows(self) -> Cells | None:
        """All rows, by time."""
        parts = self.parts()
        if not parts:
            return None
        together = Cells.concat(parts)
        assert together.sequence is not None
        return together.take(time_order(together.pane, np.asarray(together.sequence)))

    def put_back(self, rows: Cells) -> None:
        """Rows that waited before, by time."""
        self._begin(rows)
        self._split(rows, NEVER)

    def exchange(self, rows: Cells | None, watermark: int, keys: int) -> list[Cells]:
        """Take rows in, in order of time and sequence, and let those before the watermark go.

        They leave in order and sorted by key, in parts that follow each other.
        """
        leaving: list[Cells] = []
        if rows is not None and len(rows) and not self._began:
            self._begin(rows)
        if self._buckets:
            leaving = self._released(watermark)
        if rows is not None and len(rows):
            leaving += self._split(rows, watermark)
        if leaving and (keys > 1 or not _follow(leaving)):
            leaving = [_sorted(Cells.concat(leaving), keys)]
        return leaving

    def _released(self, watermark: int) -> list[Cells]:
        """Rows before the watermark that waited."""
        leaving: list[Cells] = []
        for number in sorted(b for b in self._buckets if b * self._width < watermark):
            for part in self._buckets.pop(number):
                leaving += self._split(part, watermark)
        return leaving

    def _begin(self, rows: Cells) -> None:
        """Few buckets for a batch."""
        self._width = max(self._width, (int(rows.pane[-1]) - int(rows.pane[0])) // 4)
        self._began = True

    def _split(self, part: Cells, watermark: int) -> list[Cells]:
        """What may leave; the rest goes into its buckets."""
        cut = len(part)
        if part.pane[-1] >= watermark and watermark != ALWAYS:
            cut = int(np.searchsorted(part.pane, watermark))
        at = cut
        while at < len(part):
            number = int(part.pane[at]) // self._width
            end = int(np.searchsorted(part.pane, (number + 1) * self._width))
            # a copy, so that a few rows do not keep a whole batch
            self._buckets.setdefault(number, []).append(part.apart(at, end))
            at = end
        return [part.cut(0, cut)] if cut else []


def _follow(parts: list[Cells]) -> bool:
    """Whether each part is behind the one before."""
    return len(parts) == 1 or all(starmap(_precedes, pairwise(parts)))


def _precedes(before: Cells, part: Cells) -> bool:
    """Whether a part is behind the one before."""
    assert before.sequence is not None and part.sequence is not None
    last, first = before.pane[-1], part.pane[0]
    return bool(last < first or (last == first and before.sequence[-1] <= part.sequence[0]))


def _sorted(rows: Cells, keys: int) -> Cells:
    """By key, and in order."""
    assert rows.sequence is not None
    order = time_order(rows.pane, np.asarray(rows.sequence))
    return rows.take(order[counting_sort(rows.code[order], keys)[0]] if keys > 1 else order)

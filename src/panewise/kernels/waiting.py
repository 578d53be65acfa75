"""Rows that wait until nothing can come before them.

Idea: where order matters, a row is worth nothing before the watermark has passed it.  Rows wait in
buckets of time and leave in order; each is touched twice, however many wait.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

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
        return together.take(time_order(together.pane, together.sequence))

    def put_back(self, rows: Cells) -> None:
        """Rows that waited before, by time."""
        self._begin(rows)
        self._split(rows, NEVER)

    def exchange(self, rows: Cells | None, watermark: int, keys: int) -> Cells | None:
        """Take rows in, in order of time, and let those before the watermark go: sorted by key."""
        leaving: list[Cells] = []
        if rows is not None and len(rows) and not self._began:
            self._begin(rows)
        for number in sorted(b for b in self._buckets if b * self._width < watermark):
            parts = self._buckets.pop(number)
            for part in parts:
                leaving += self._split(part, watermark)
        if rows is not None and len(rows):
            leaving += self._split(rows, watermark)
        leaving = [part for part in leaving if len(part)]
        if not leaving:
            return None
        together = Cells.concat(leaving)
        assert together.sequence is not None
        order = time_order(together.pane, together.sequence)
        if keys > 1:
            order = order[counting_sort(together.code[order], keys)[0]]
        rows = together.take(order)
        # only from here on a row is a cell like others, which has bounds and a weight
        return replace(rows, first=rows.pane, last=rows.pane, weights=np.ones(len(rows), np.int64))

    def _begin(self, rows: Cells) -> None:
        """Few buckets for a batch."""
        self._width = max(self._width, int(rows.pane[-1] - rows.pane[0]) // 4)
        self._began = True

    def _split(self, part: Cells, watermark: int) -> list[Cells]:
        """What may leave; the rest goes into its buckets."""
        cut = len(part) if watermark == ALWAYS else int(np.searchsorted(part.pane, watermark))
        if cut < len(part):
            stay = part.take(np.arange(cut, len(part)))
            numbers = stay.pane // self._width
            heads = np.flatnonzero(np.diff(numbers, prepend=numbers[0] - 1))
            for lo, hi in zip(heads, [*heads[1:], len(stay)], strict=True):
                piece = stay if len(heads) == 1 else stay.take(np.arange(lo, hi))
                self._buckets.setdefault(int(numbers[lo]), []).append(piece)
        return [part.take(np.arange(cut))] if 0 < cut < len(part) else [part][: int(cut > 0)]

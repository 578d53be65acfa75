"""Rows in order that late ones may still fall between, though none has so far.

Idea: rows stay as they came, and are put together to pages.  Beside each page stands how many rows
the open frame of every key has behind it.  Once no row can come before the end of a page, only
frames that are open there may still change, so pages before all of them are dropped as a whole.
Cost: each row is copied once or twice, and none is looked at.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from panewise.kernels.cells import Cells
from panewise.kernels.keys import counting_sort
from panewise.kernels.ranges import ALWAYS

PAGE = 4096
"""Rows that are worth a page; more, if there are more keys, of which each has a number in it."""

_PARTS = 64
"""Parts that are put together before there is a page: each takes more room than a few rows."""


@dataclass(frozen=True, slots=True)
class _Page:
    """Rows that all come behind those before, by key and in order."""

    rows: Cells
    last: int
    """The newest time."""
    counts: np.ndarray
    """By key, how many rows the frame has that is open behind them; 0 if none is."""
    earliest: int
    """When the first of these frames began."""


class Retained:
    """Rows from the frames on that may change."""

    def __init__(self) -> None:
        self._pages: list[_Page] = []
        self._young: list[Cells] = []
        self._settled = 0
        """Pages that no row can come before the end of."""
        self._old = self._new = 0
        """Rows in these pages, and rows that are in none yet."""
        self.count = 0

    def parts(self) -> list[Cells]:
        """All rows, in order within each key."""
        return [*(page.rows for page in self._pages), *self._young]

    def add(self, rows: Cells, *, copied: bool = False) -> None:
        """Take rows that come behind all others; unless they are copies, somebody may change what
        lies there."""
        if rows.weights is not None:
            rows = replace(rows, first=None, last=None, weights=None)
        self._young.append(rows if copied else rows.apart(0, len(rows)))
        if len(self._young) >= _PARTS:
            self._young = [Cells.concat(self._young)]
        self._new += len(rows)
        self.count += len(rows)

    def is_full(self, keys: int) -> bool:
        """Whether there are rows enough for a page."""
        return self._new >= max(PAGE, keys)

    def turn(self, counts: np.ndarray, starts: np.ndarray) -> None:
        """Make a page of the rows that are in none, of which there is one at least; behind them the
        open frame of each key has so many rows, and began then."""
        rows = _by_key(self._young)
        earliest = int(starts[counts > 0].min(initial=ALWAYS))
        self._pages.append(_Page(rows, int(rows.pane.max()), counts.copy(), earliest))
        self._young, self._new = [], 0

    def forget(self, keep: int) -> None:
        """Drop what no row from `keep` on can change."""
        pages = self._pages
        while self._settled < len(pages) and pages[self._settled].last < keep:
            self._old += len(pages[self._settled].rows)
            self._settled += 1
        if not self._settled:
            return
        behind, gone = pages[self._settled - 1], 0
        while gone < self._settled and pages[gone].last < behind.earliest:
            self._drop(len(pages[gone].rows))
            gone += 1
        del pages[:gone]
        self._settled -= gone
        if self._old > 2 * int(behind.counts.sum()) + PAGE:
            rows = _open_rows(pages[: self._settled])
            self._drop(self._old - len(rows))
            pages[: self._settled], self._settled = [replace(behind, rows=rows)], 1

    def _drop(self, rows: int) -> None:
        self._old, self.count = self._old - rows, self.count - rows

    def cells(self) -> Cells | None:
        """All rows of frames that may change, by key and in order: with the first of each key a
        frame begins, or it is in none."""
        parts = [page.rows for page in self._pages[self._settled :]] + self._young
        if self._settled:
            parts.insert(0, _open_rows(self._pages[: self._settled]))
        parts = [part for part in parts if len(part)]
        return _by_key(parts).as_rows() if parts else None

    def rename(self, renamed: np.ndarray) -> None:
        """Keys were numbered anew; those that are gone have -1."""
        kept = np.flatnonzero(renamed >= 0)
        self._young = [replace(part, code=renamed[part.code]) for part in self._young]
        self._pages = [
            replace(
                page,
                rows=replace(page.rows, code=renamed[page.rows.code]),
                counts=page.counts[kept[kept < len(page.counts)]],
            )
            for page in self._pages
        ]


def _open_rows(pages: list[_Page]) -> Cells:
    """The rows of the frames that are open behind the last of these pages."""
    rows, counts = _by_key([page.rows for page in pages]), pages[-1].counts
    runs = rows.runs(len(counts))
    place = np.arange(len(rows)) - runs[rows.code]
    return rows.take(np.flatnonzero(place >= (np.diff(runs) - counts)[rows.code]))


def _by_key(parts: list[Cells]) -> Cells:
    """Parts that follow each other as one."""
    rows = Cells.concat(parts)
    keys = int(rows.code.max(initial=0)) + 1
    return rows if keys == 1 else rows.take(counting_sort(rows.code, keys)[0])

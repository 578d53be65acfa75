"""Panes that are still being filled: rows are added to them where they lie, push after push.

Idea: a row's cell is a slot in one array for each partial, found by its pane and key; nothing is
sorted or merged until a window asks.  While rows are in order and of one key, whole stretches are
summed at once.
Cost: a few nanoseconds a row; slots are keys times open panes, so they are drained before they
outnumber the rows that filled them by far.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from panewise.kernels.accumulate import LANES, Slots, bounds, bounds_by_lane, mark
from panewise.kernels.cells import Cells
from panewise.kernels.columns import Numbers
from panewise.kernels.ranges import ALWAYS, NEVER

DENSE = 16
"""Slots for each row up to which it pays to have one for every key and pane."""
SMALL = 1 << 16
"""Slots that are always worth it."""


@dataclass
class Batch:
    """Rows as loops want them; `code` is None where there are no keys."""

    code: np.ndarray | None
    ticks: np.ndarray
    lifted: Sequence[Numbers]


class OpenPanes:
    """Cells under construction, for partials that are all numbers."""

    def __init__(self, monoids: Sequence[str], *, checked: bool, times: bool) -> None:
        self._monoids = monoids
        self._checked = checked
        self._times = times
        self._clear()

    def _clear(self) -> None:
        self._panes: dict[int, int] = {}  # pane -> row of slots
        self._keys = 0
        self._rows = 0
        self._seen = np.zeros(0, np.bool_)
        self._slots: list[Slots] | None = None
        self._first = self._last = np.zeros(0, np.int64)

    @property
    def nbytes(self) -> int:
        if self._slots is None:
            return 0
        return int(self._seen.nbytes) + sum(slots.nbytes for slots in self._slots)

    def count(self) -> int:
        """Cells so far."""
        return int(self._seen.sum())

    def crowded(self, keys: int, panes: int, rows: int) -> bool:
        """Whether slots would outnumber rows by far with so many more."""
        slots = max(keys, self._keys) * (len(self._panes) + panes)
        return slots > max(DENSE * (self._rows + rows), SMALL)

    def add(
        self,
        batch: Batch,
        keys: int,
        panes: np.ndarray,
        place: np.ndarray | None,
        used: np.ndarray | None,
    ) -> None:
        """Rows of these panes; `place` is the pane of each, None if they are in order; `used` are
        the panes that have rows."""
        self._reserve(keys, panes, batch.lifted)
        self._rows += len(batch.ticks)
        assert self._slots is not None
        at = np.array([self._panes[pane] for pane in panes.tolist()], np.int64) * self._keys
        if place is None:
            lo = np.searchsorted(batch.ticks, panes)
            lo[0] = 0
            hi = np.append(lo[1:], len(batch.ticks))
            some = hi > lo
            at, lo, hi = at[some], lo[some], hi[some]
            for slots, column in zip(self._slots, batch.lifted, strict=True):
                slots.add_stretches(column, at, lo, hi, self._seen, self._checked)
            self._seen[at] = True
            if self._times:
                self._first[at] = np.minimum(self._first[at], batch.ticks[lo])
                self._last[at] = np.maximum(self._last[at], batch.ticks[hi - 1])
            return
        before = self._seen
        if any(slots.tracks(c) for slots, c in zip(self._slots, batch.lifted, strict=True)):
            before = before.copy()
        if batch.code is None:
            assert used is not None
            self._add_places(batch, place, at, used, before)
            return
        slot = np.empty(len(place), np.int64)
        mark(place, at, batch.code, slot, self._seen)
        for slots, column in zip(self._slots, batch.lifted, strict=True):
            slots.add(column, slot, before, self._checked)
        if self._times:
            bounds(batch.ticks, slot, self._first, self._last)

    def _add_places(
        self,
        batch: Batch,
        place: np.ndarray,
        at: np.ndarray,
        used: np.ndarray,
        before: np.ndarray,
    ) -> None:
        """Rows of one key: as many slots as panes."""
        assert self._slots is not None
        self._seen[at[used]] = True
        for slots, column in zip(self._slots, batch.lifted, strict=True):
            slots.add_places(column, place, at, used, before, self._checked)
        if self._times:
            first = np.full((LANES, len(at)), ALWAYS, np.int64)
            last = np.full((LANES, len(at)), NEVER, np.int64)
            bounds_by_lane(batch.ticks, place, first, last)
            self._first[at] = np.minimum(self._first[at], first.min(axis=0))
            self._last[at] = np.maximum(self._last[at], last.max(axis=0))

    def drain(self, before: int = ALWAYS) -> Cells | None:
        """The cells of panes that begin before this, sorted by key and pane."""
        if self._slots is None:
            return None
        panes = np.array(sorted(pane for pane in self._panes if pane < before), np.int64)
        if not len(panes):
            return None
        rows = np.array([self._panes[pane] for pane in panes.tolist()], np.int64)
        if self._keys == 1:
            place = np.flatnonzero(self._seen[rows])
            code = np.zeros(len(place), np.int64)
        else:
            code, place = np.nonzero(self._seen.reshape(-1, self._keys)[rows].T)
        slot = rows[place] * self._keys + code
        cells = Cells(code, panes[place], [slots.column(slot) for slots in self._slots])
        if self._times:
            cells.first, cells.last = self._first[slot], self._last[slot]
        if len(panes) == len(self._panes):
            self._clear()
        else:
            self._keep([pane for pane in self._panes if pane >= before])
        return cells if len(cells) else None

    def _keep(self, panes: Sequence[int]) -> None:
        """Move the slots of these panes to the front; all others are empty."""
        assert self._slots is not None
        rows = np.array([self._panes[pane] for pane in panes], np.int64)
        rows = (rows[:, None] * self._keys + np.arange(self._keys)).ravel()
        self._seen = self._seen[rows]
        for slots in self._slots:
            slots.values = slots.values[rows]
            if slots.present is not None:
                slots.present = slots.present[rows]
        if self._times:
            self._first, self._last = self._first[rows], self._last[rows]
        self._panes = {pane: row for row, pane in enumerate(panes)}

    def earliest(self) -> int:
        """No time of an open pane is before this."""
        if not self._panes:
            return ALWAYS
        return int(self._first.min()) if self._times else min(self._panes)

    def _reserve(self, keys: int, panes: np.ndarray, lifted: Sequence[Numbers]) -> None:
        """Room for all keys and panes; rows of slots that are there stay where they are."""
        for pane in panes.tolist():
            self._panes.setdefault(pane, len(self._panes))
        wide = self._keys
        if keys > wide:
            wide = keys if wide == 0 else max(keys, 2 * wide)
        wanted = len(self._panes) * wide
        if self._slots is None:
            self._slots = [
                Slots.of(monoid, column)
                for monoid, column in zip(self._monoids, lifted, strict=True)
            ]
        if wide == self._keys and wanted <= len(self._seen):
            return
        count = max(wanted, 2 * len(self._seen) if wide == self._keys else wanted)
        count = -(-count // wide) * wide
        self._seen = _moved(self._seen, self._keys, wide, count, False)
        for slots in self._slots:
            slots.values = _moved(slots.values, self._keys, wide, count, 0)
            if slots.present is not None:
                slots.present = _moved(slots.present, self._keys, wide, count, False)
        if self._times:
            self._first = _moved(self._first, self._keys, wide, count, ALWAYS)
            self._last = _moved(self._last, self._keys, wide, count, NEVER)
        self._keys = wide


def _moved(old: np.ndarray, narrow: int, wide: int, count: int, empty: object) -> np.ndarray:
    """Slots for more keys or panes."""
    new = np.full(count, empty, old.dtype)
    if len(old):
        rows = min(len(old) // narrow, count // wide)  # beyond these nothing was in use
        new.reshape(-1, wide)[:rows, :narrow] = old.reshape(-1, narrow)[:rows]
    return new

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

from panewise.kernels.accumulate import Slots, bounds, mark
from panewise.kernels.cells import Cells
from panewise.kernels.columns import Column, Numbers
from panewise.kernels.compiled import compiled
from panewise.kernels.grid import Lead, cut_at
from panewise.kernels.pane_slots import PaneSlots
from panewise.kernels.ranges import ALWAYS, NEVER

DENSE = 6
"""Slots for each row up to which it pays to have one for every key and pane."""
SMALL = 1 << 16
"""Slots that are always worth it."""


_NO_TIMES = np.empty(0, np.int64)


@dataclass
class Batch:
    """Rows as loops want them; `code` is None where there are no keys."""

    code: np.ndarray | None
    ticks: np.ndarray
    lifted: Sequence[Numbers]


class OpenPanes(PaneSlots):
    """Cells under construction, for partials that are all numbers.

    Panes are in order, and those of a batch are neighbours: it brings every edge of its time.
    """

    def __init__(self, monoids: Sequence[str], *, checked: bool, times: bool) -> None:
        super().__init__(monoids, checked=checked, times=times)
        self._one_key = np.empty(0, np.int64)  # the number of the only key, for views

    def crowded(self, keys: int, panes: int, rows: int) -> bool:
        """Whether slots would outnumber rows by far with so many more."""
        slots = max(keys, self._keys) * (len(self._panes) + panes)
        return slots > max(DENSE * (self._rows + rows), SMALL)

    def add(self, batch: Batch, keys: int, panes: np.ndarray, lead: Lead | None) -> None:
        """Rows of these panes; `lead` shows each its own, and is None for one key in order."""
        base = self._reserve(keys, panes, batch.lifted)
        self._rows += len(batch.ticks)
        if lead is None:
            self._add_stretches(batch, panes, base)
            return
        self._gaps = True
        assert self._slots is not None
        before = self._seen
        if any(slots.tracks(c) for slots, c in zip(self._slots, batch.lifted, strict=True)):
            before = before.copy()
        if batch.code is None:
            self._add_scattered(batch, lead, base, before)
            return
        self._add_slots(batch, lead.places(batch.ticks), base, before)

    def _add_slots(self, batch: Batch, place: np.ndarray, base: int, before: np.ndarray) -> None:
        """Rows of any keys."""
        assert self._slots is not None and batch.code is not None
        slot = np.empty(len(place), np.int64)
        mark(place, base, self._keys, batch.code, slot, self._seen)
        for slots, column in zip(self._slots, batch.lifted, strict=True):
            slots.add(column, slot, before, self._checked)
        if self._times:
            bounds(batch.ticks, slot, self._first, self._last)

    def _add_stretches(self, batch: Batch, panes: np.ndarray, base: int) -> None:
        """Rows of one key in order: each pane has a stretch of them."""
        assert self._slots is not None
        cuts = np.empty(len(panes) + 1, np.int64)
        empty = cut_at(batch.ticks, panes, cuts)
        lo, hi = cuts[:-1], cuts[1:]
        at: np.ndarray | slice = slice(base, base + len(panes))
        if empty:
            self._gaps = True
            some = np.flatnonzero(lo != hi)
            at, lo, hi = base + some, lo[some], hi[some]
        for slots, column in zip(self._slots, batch.lifted, strict=True):
            slots.add_stretches(column, at, lo, hi, self._seen, self._checked)
        self._seen[at] = True
        if self._times:
            self._first[at] = np.minimum(self._first[at], batch.ticks[lo])
            self._last[at] = np.maximum(self._last[at], batch.ticks[hi - 1])

    def _add_scattered(self, batch: Batch, lead: Lead, base: int, before: np.ndarray) -> None:
        """Rows of one key, most of them in order: as many slots as panes."""
        assert self._slots is not None
        here = slice(base, base + len(lead.edges) - 1)
        first, last = self._first[here], self._last[here]
        others: list[tuple[Slots, Numbers]] = []
        for slots, column in zip(self._slots, batch.lifted, strict=True):
            if slots.add_scattered(column, batch.ticks, lead, here, self._seen, first, last):
                first = last = _NO_TIMES  # they are the same for all columns
            else:
                others.append((slots, column))
        if not others:
            return
        slot = base + lead.places(batch.ticks)
        for slots, column in others:
            slots.add(column, slot, before, self._checked)
        self._seen[slot] = True
        if self._times:
            bounds(batch.ticks, slot, self._first, self._last)

    def drain(self, before: int = ALWAYS, values: int = 0) -> Cells | None:
        """The cells of panes that begin before this, sorted by key and pane.

        Where every key has slots for so many values, they are sorted by value too.
        """
        if self._slots is None:
            return None
        count = int(self._panes.searchsorted(before))
        if not count:
            return None
        value = None
        slot: np.ndarray | slice
        place: np.ndarray | slice
        seen = self._seen[: count * self._keys]
        if values:
            slot, code, place, value = self._by_value(seen, values)
        elif self._keys == 1:
            found = int(np.count_nonzero(seen))
            # nobody writes to what was dropped: no need for a copy
            slot = place = slice(count) if found == count else np.flatnonzero(seen)
            code = self._zeros(found)
        else:
            code, place = np.nonzero(seen.reshape(-1, self._keys).T)
            slot = place * self._keys + code
        columns = [slots.column(slot) for slots in self._slots]
        cells = Cells(code, self._panes[place], list(columns), value=value)
        if self._times:
            cells.first, cells.last = self._first[slot], self._last[slot]
        if count == len(self._panes):
            self._clear()
        else:
            self._drop(count)
        return cells if len(cells) else None

    def _by_value(self, seen: np.ndarray, values: int) -> tuple[np.ndarray, ...]:
        """Slots that are seen by key, pane and value, and these three."""
        if self._keys == values:  # one key: they lie in that order
            slot, place, value = _slots_seen(seen, values, np.count_nonzero(seen))
            return slot, self._zeros(len(slot)), place, value
        keys = self._keys // values
        code, place, value = np.nonzero(seen.reshape(-1, keys, values).transpose(1, 0, 2))
        return place * self._keys + code * values + value, code, place, value

    def cells(self, before: int = ALWAYS) -> Cells | None:
        """The cells of one key, as views which are good until something is added.

        Panes that begin before this get no rows any more, and those without any are forgotten.
        Later ones are among the cells unless there are gaps: no window that is due reads them.
        """
        count = len(self._panes)
        if self._gaps:
            count = int(self._panes.searchsorted(before))
            if np.count_nonzero(self._seen[:count]) < count:
                count = self._close_up(count)
        if self._slots is None or not count:
            return None
        columns: list[Column] = [slots.view(count) for slots in self._slots]
        return Cells(self._zeros(count), self._panes[:count], columns)

    def _zeros(self, count: int) -> np.ndarray:
        """The numbers of so many cells' keys, where there is one key."""
        if len(self._one_key) < count:
            self._one_key = np.zeros(2 * count, np.int64)
        return self._one_key[:count]

    def put_back(self, cells: Cells, keys: int = 1) -> None:
        """Cells of so many keys that are to be read here again."""
        columns = [column for column in cells.partials if isinstance(column, Numbers)]
        self._begin(columns)
        assert self._slots is not None
        together = self._room = np.union1d(self._panes, cells.pane)
        self._spread(together, keys, together.searchsorted(self._panes))
        self._rows += len(cells)
        slot = self._panes.searchsorted(cells.pane) * self._keys + cells.code
        for slots, column in zip(self._slots, columns, strict=True):
            slots.add(column, slot, self._seen, self._checked)
        self._seen[slot] = True
        if self._times:
            assert cells.first is not None and cells.last is not None
            self._first[slot] = np.minimum(self._first[slot], cells.first)
            self._last[slot] = np.maximum(self._last[slot], cells.last)

    def between(self, since: int, before: int) -> Cells | None:
        """Copies of the cells of one key, with times, in panes that begin in `[since, before)`."""
        if self._slots is None:
            return None
        lo, hi = self._panes.searchsorted((since, before))
        slot = lo + np.flatnonzero(self._seen[lo:hi])
        if not len(slot):
            return None
        columns = [slots.column(slot) for slots in self._slots]
        code, pane = self._zeros(len(slot)), self._panes[slot]
        return Cells(code, pane, list(columns), self._first[slot], self._last[slot])

    def count_between(self, since: int, before: int) -> int:
        """How many panes begin in `[since, before)`."""
        lo, hi = self._panes.searchsorted((since, before))
        return int(hi - lo)

    def reached(self, since: int, before: int, end: int, gap: int) -> int:
        """How far a session of one key that ends here goes on in panes from `since` on."""
        lo, hi = self._panes.searchsorted((since, before))
        return int(_reached(self._first[lo:hi], self._last[lo:hi], end, gap))

    def first_pane(self, since: int) -> int:
        """Where the first open pane from this time on begins."""
        at = int(self._panes.searchsorted(since))
        return int(self._panes[at]) if at < len(self._panes) else ALWAYS

    def earliest(self, since: int = NEVER) -> int:
        """No time in an open pane from this one on is before this."""
        if not self._times:
            return self.first_pane(since)
        at = int(self._panes.searchsorted(since)) * self._keys
        return int(self._first[at : len(self._panes) * self._keys].min(initial=ALWAYS))


@compiled
def _slots_seen(seen, values, count):  # type: ignore[no-untyped-def]
    """The slots that are seen, and the pane and the value of each."""
    slot, place = np.empty(count + 1, np.int64), np.empty(count + 1, np.int64)
    value = np.empty(count + 1, np.int64)
    n = 0
    for pane in range(len(seen) // values):
        for v in range(values):  # without a branch: about every other one is seen
            at = pane * values + v
            slot[n], place[n], value[n] = at, pane, v
            n += seen[at]
    return slot[:n], place[:n], value[:n]


@compiled
def _reached(first, last, end, gap):  # type: ignore[no-untyped-def]
    """The last time that no silence longer than the gap keeps apart; panes without rows are in."""
    for i in range(len(first)):
        if last[i] == NEVER:
            continue
        if first[i] > end + gap:
            break
        end = max(end, last[i])
    return end

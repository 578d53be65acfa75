"""Slots of panes: a row of them for each pane, a slot for each key, in one array for each partial.

Idea: panes come behind the others and go before them, so there is room behind the last, and those
that go are cut off.  Only panes between others, or more keys, move what is there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from panewise.kernels.accumulate import Slots
from panewise.kernels.columns import Numbers
from panewise.kernels.pane_rows import PaneRows
from panewise.kernels.ranges import ALWAYS, NEVER

SOME = 256
"""Slots that are made at least: panes come and go all the time."""


class PaneSlots:
    """Panes in order, and what each key has in each of them."""

    def __init__(self, monoids: Sequence[str], *, checked: bool, times: bool) -> None:
        self._monoids = monoids
        self._checked = checked
        self._times = times
        self.gone = 0
        """Panes that were forgotten before the first that is here."""
        self._clear()

    def _clear(self) -> None:
        # each pane has a row of slots, one for every key; there is room behind the last
        self._panes = self._room = np.empty(0, np.int64)
        self._keys = 0
        self._rows = 0
        self._gaps = False  # whether some pane may have no rows
        self._moves = False  # whether panes were dropped
        self._seen = np.zeros(0, np.bool_)
        self._slots: list[Slots] | None = None
        self._first = self._last = np.zeros(0, np.int64)

    @property
    def nbytes(self) -> int:
        if self._slots is None:
            return 0
        slots = sum(slots.nbytes for slots in self._slots)
        times = int(self._first.nbytes + self._last.nbytes)
        return int(self._panes.nbytes + self._seen.nbytes) + slots + times

    def count(self) -> int:
        """Cells so far."""
        return int(np.count_nonzero(self._seen))

    def release(self, before: int) -> None:
        """Forget the panes that begin before this."""
        count = int(self._panes.searchsorted(before))
        self.gone += count
        if count == len(self._panes):
            self._clear()
        elif count:
            self._drop(count)

    @property
    def panes(self) -> np.ndarray:
        """Where the open panes begin."""
        return self._panes

    def merge(self, heads: np.ndarray, pane: np.ndarray) -> None:
        """Panes from one head to the next become one, which begins here."""
        assert self._slots is not None
        count = len(self._panes)
        hi, gone = np.append(heads[1:], count), count - len(heads)
        if self._keys > 1:
            self._merge_rows(heads, hi)
        else:
            for slots in self._slots:
                slots.merge(heads, hi, self._checked)
            self._seen[gone:count] = np.logical_or.reduceat(self._seen[:count], heads)
        self._panes[gone:] = pane
        if self._times:
            self._first[gone:count] = np.minimum.reduceat(self._first[:count], heads)
            self._last[gone:count] = np.maximum.reduceat(self._last[:count], heads)
        self.gone += gone
        self._drop(gone)

    def _merge_rows(self, lo: np.ndarray, hi: np.ndarray) -> None:
        """Ranges of rows of slots become one row each: the last ones."""
        assert self._slots is not None
        rows = self.rows(ALWAYS, self._keys)
        assert rows is not None
        here = slice((int(hi[-1]) - len(lo)) * self._keys, int(hi[-1]) * self._keys)
        seen = rows.seen_in(lo, hi)
        for slots, column in zip(self._slots, rows.columns, strict=True):
            folded = column.fold(lo, hi, self._checked)
            slots.values[here] = folded.values.reshape(-1)
            if slots.present is not None and folded.some is not None:
                slots.present[here] = folded.some.reshape(-1)
        self._seen[here] = seen.reshape(-1)

    def _drop(self, count: int) -> None:
        """Forget the first panes."""
        gone, self._moves = count * self._keys, True
        self._panes, self._room = self._panes[count:], self._room[count:]
        self._change(lambda slots, _: slots[gone:])
        self._rows = self.count()  # at least so many are left

    def _close_up(self, count: int) -> int:
        """Forget those of the first panes that have no rows; how many remain."""
        seen = np.flatnonzero(self._seen[:count])
        kept = np.concatenate([seen, np.arange(count, len(self._seen))])
        self._panes = self._room = self._panes[kept[: len(seen) + len(self._panes) - count]]
        self._change(lambda slots, _: slots[kept])
        return len(seen)

    def rows(self, before: int, keys: int) -> PaneRows | None:
        """Panes that begin before this, with the slots of so many keys: views, which are good until
        something is added."""
        count = int(self._panes.searchsorted(before))
        if self._slots is None or not count:
            return None

        def shaped(slots: np.ndarray) -> np.ndarray:
            return slots[: count * self._keys].reshape(count, self._keys)[:, :keys]

        columns = [slots.rows(shaped) for slots in self._slots]
        return PaneRows(self._panes[:count], shaped(self._seen), columns)

    def _reserve(self, keys: int, panes: np.ndarray, lifted: Sequence[Numbers]) -> int:
        """Room for all keys and panes; the place of the first of these."""
        self._begin(lifted)
        base = int(self._panes.searchsorted(panes[0]))
        there = self._panes[base : base + len(panes)]
        # edges ascend, and the batch has all between its own: the ends tell for all
        known = not len(there) or (there[0] == panes[0] and there[-1] == panes[len(there) - 1])
        if keys <= self._keys and known and len(there) == len(panes):
            return base
        if known and base + len(there) == len(self._panes):  # new ones are behind the others
            self._spread(self._followed(base, panes), keys, slice(len(self._panes)))
        else:
            together = self._room = np.union1d(self._panes, panes)
            self._spread(together, keys, together.searchsorted(self._panes))
        return base

    def _followed(self, base: int, panes: np.ndarray) -> np.ndarray:
        """The first panes and these behind them, where there is room: few are new in a push."""
        stop = base + len(panes)
        if stop > len(self._room):
            self._room = np.resize(self._panes, self._with_room(stop))
        self._room[base:stop] = panes
        return self._room[:stop]

    def _begin(self, columns: Sequence[Numbers]) -> None:
        if self._slots is None:
            self._slots = [Slots.of(m, c) for m, c in zip(self._monoids, columns, strict=True)]

    def _spread(self, panes: np.ndarray, keys: int, places: np.ndarray | slice) -> None:
        """Rows of slots for these panes and so many keys; all that there are get these places."""
        before, narrow = self._panes, self._keys
        wide = narrow if keys <= narrow else max(keys, 2 * narrow)
        self._panes, self._keys = panes, wide
        if isinstance(places, slice) and wide == narrow and len(panes) * wide <= len(self._seen):
            return
        rows = max(len(panes), SOME // wide)
        if wide in (narrow, 1):  # keys are all there, or nearly: panes will come
            rows = self._with_room(rows)
        room = rows * wide

        def moved(old: np.ndarray, empty: object) -> np.ndarray:
            # zeros need not be written: memory that is fresh has them
            new = np.full(room, empty, old.dtype) if empty else np.zeros(room, old.dtype)
            if len(before):
                used = old[: len(before) * narrow].reshape(-1, narrow)
                new.reshape(-1, wide)[places, :narrow] = used
            return new

        self._change(moved)

    def _with_room(self, panes: int) -> int:
        """As many and more to come: a power of two, whatever pushes they came with.

        Where panes go as others come, some must always be free, or every push would move all.
        """
        return 1 << (panes + panes // 4 * self._moves - 1).bit_length()

    def _change(self, change: Callable[[np.ndarray, object], np.ndarray]) -> None:
        """All arrays of slots, each with what an empty slot has."""
        assert self._slots is not None
        self._seen = change(self._seen, False)
        for slots in self._slots:
            slots.values = change(slots.values, 0)
            if slots.present is not None:
                slots.present = change(slots.present, False)
        if self._times:
            self._first = change(self._first, ALWAYS)
            self._last = change(self._last, NEVER)

"""Periodic windows of many keys, read where rows are added.

Idea: as long as most keys have rows in most panes, the open panes (`open_panes.py`) are rows of
slots, and a window is a range of such rows for all keys at once (`pane_rows.py`): nothing is
sorted, merged or looked up by key.  Where keys are sparse the slicer sets cells aside instead, and
this is an ordinary tier until they would fill the panes again.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from panewise.kernels.cells import Cells
from panewise.kernels.open_panes import OpenPanes
from panewise.kernels.pane_rows import FoldedColumn, PaneRows
from panewise.kernels.periodic import MOST_RESULTS, PeriodicTier
from panewise.kernels.program import Piece, Step
from panewise.kernels.ranges import NEVER, Ranges
from panewise.kernels.state import State

MANY_KEYS = 1 << 12
"""Keys from which on every window is a piece of its own, so that no column is copied."""
FULL = 2
"""Slots for each cell up to which cells are put into panes."""
FEW_SAVED = 1 << 6
"""Cells of a key that stairs may save before panes become coarser with age."""
_UNREAD = np.empty(0, np.int64)
"""Runs of keys, which only those look at who count values."""


class KeyedInPlaceTier(PeriodicTier):
    """The periodic windows of a program over the open panes of its slicer, by key."""

    def __init__(self, tier: PeriodicTier, panes: OpenPanes) -> None:
        super().__init__(tier.program, tier.horizon, stairs=tier.stairs)
        self._panes = panes
        self._codes = np.empty(0, np.int64)  # of all keys, once
        self._refused = self._patience = 0  # pushes since cells did not fill panes, and how many

    def advance(self, new: Cells | None, step: Step) -> Iterator[Piece]:
        handed = new is not None and len(new) > 0  # keys are sparse, or will be numbered anew
        if not handed and self.parts() and not self._fill_panes(step) and self.is_due(step):
            new = self._panes.drain(step.watermark)
        if handed or self.parts():
            yield from super().advance(new, step)
            return
        if step.watermark == NEVER or not self.is_due(step):
            return
        rows = self._panes.rows(step.watermark, step.keys)
        if rows is None:
            return
        bounds = step.previous, step.watermark, step.keep
        most = max(1, MOST_RESULTS // step.keys)
        found = self.horizon.passed(rows.panes, *bounds, self._panes.gone, most)
        if found is None:  # in several pieces
            yield from super().advance(self._panes.drain(), step)
            return
        if len(found):
            yield from self._told(rows, found)
        self._panes.release(self.horizon.earliest)

    def _fill_panes(self, step: Step) -> bool:
        """Put cells into open panes if they fill them; whether they did."""
        if self._refused < self._patience:
            self._refused += 1
            return False
        parts = self.parts()
        panes = len(np.unique(np.concatenate([part.pane for part in parts])))
        if panes * step.keys > FULL * sum(map(len, parts)):
            self._refused, self._patience = 0, 2 * self._patience + 1
            return False
        for part in parts:
            self._panes.put_back(part, step.keys)
        self.held, self._waiting = None, []
        self._refused = self._patience = 0
        return True

    def _told(self, rows: PaneRows, found: Ranges) -> Iterator[Piece]:
        """The windows that are due, for every key that has a row in them."""
        seen = rows.seen_in(found.lo, found.hi)
        folded = [each.fold(found.lo, found.hi, self.program.checked) for each in rows.columns]
        keys = seen.shape[1]
        if keys != len(self._codes):
            self._codes = np.arange(keys)
        together = 1 if keys >= MANY_KEYS else len(found)
        for first in range(0, len(found), together):
            here = slice(first, first + together)
            yield self._piece(found.take(np.arange(len(found))[here]), seen[here], folded, here)

    def _piece(
        self, found: Ranges, seen: np.ndarray, folded: list[FoldedColumn], here: slice
    ) -> Piece:
        keys = seen.shape[1]
        places = None if seen.all() else np.flatnonzero(seen)
        if places is None and len(found) == 1:
            code = self._codes
        elif places is None:
            code = np.tile(self._codes, len(found))
        else:
            code = places % keys if len(found) > 1 else places
        counts = np.count_nonzero(seen, axis=1)
        if len(found) == 1:
            window = np.broadcast_to(found.window, counts[0])  # one number, seen by all
            start, end = (np.full(counts[0], each[0]) for each in (found.start, found.end))
        else:
            bounds = found.window, found.start, found.end
            window, start, end = (np.repeat(each, counts) for each in bounds)
        ranges = Ranges(window, code, start, end, _UNREAD, _UNREAD)
        cells = Cells(_UNREAD, _UNREAD, [])
        return Piece(ranges, [each.of(here, places) for each in folded], cells, _UNREAD)

    def asks(self, step: Step, earliest_open: int) -> bool:
        return False

    def codes(self) -> list[np.ndarray]:
        self._take_back()  # keys will be numbered anew, and slots are found by their number
        return super().codes()

    def state(self) -> State:
        self._take_back()
        return super().state()

    def _take_back(self) -> None:
        """All cells out of open panes."""
        cells = self._panes.drain()
        if cells is not None:
            self._waiting.append(cells)


def becomes_coarser(tier: PeriodicTier) -> bool:
    """Whether its panes are to be merged as they grow old."""
    return tier.stairs is not None and tier.stairs.saved > FEW_SAVED

"""Cells of events with a duration, from one push to the next.

Idea: cells are sorted by level, key and pane, with room for more keys than there are, so that new
keys do not move the others.  New cells wait until a window is due, or until they are as many as
those held.  What no window reads any more is dropped; of differences, what began and has not ended
stays as one cell for each key.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from panewise.aggregates import Rows
from panewise.kernels.cells import Cells
from panewise.kernels.columns import ALL_VALID, Numbers
from panewise.kernels.merging import united
from panewise.kernels.spanning.compose import Leveled, composed
from panewise.kernels.spanning.endpoints import Endpoints
from panewise.kernels.spanning.layout import Difference, Layout
from panewise.kernels.spanning.store import Share, leveled, slicer_for, written
from panewise.kernels.vocabulary import Vocabulary
from panewise.plan import Edges

ENOUGH = 1 << 14
"""Waiting cells that are merged in though no window is due."""


class Held:
    """What is held for one share of the partials."""

    def __init__(self, share: Share, panes: Edges, checked: bool, values: Vocabulary) -> None:
        self.share = share
        self._slicer = slicer_for(share, panes, checked, values)
        self._program = self._slicer.program
        self.room = 1
        """Keys that there are numbers for; a level begins at a multiple of it."""
        self._parts: list[Cells] = []

    def __len__(self) -> int:
        return sum(map(len, self._parts))

    @property
    def nbytes(self) -> int:
        return sum(part.nbytes for part in self._parts)

    def add(self, layout: Layout, code: np.ndarray, rows: Rows, last: np.ndarray) -> None:
        """Events whose ticks are their starts; there is room for their keys."""
        made = written(self._slicer, layout, code, self.room, rows, last)
        self._parts.append(made.cells)
        if len(self) - len(self._parts[0]) > max(ENOUGH, len(self._parts[0])):
            self._settle()

    def make_room(self, keys: int) -> None:
        """Number places anew, if there are more keys than room."""
        if keys > self.room:
            self._renumber(max(keys, 2 * self.room), np.arange(self.room))

    def leveled(self) -> Leveled | None:
        """All cells; None where there are none."""
        self._settle()
        return leveled(self._parts[0], self.room) if self._parts else None

    def codes(self) -> np.ndarray:
        """The keys of cells."""
        parts = [part.code % self.room for part in self._parts]
        return np.concatenate(parts) if parts else np.empty(0, np.int64)

    def rename(self, renamed: np.ndarray) -> None:
        """Keys were numbered anew, in the order that they had."""
        self._renumber(max(int(renamed.max(initial=0)) + 1, 1), renamed)

    def cut(self, layout: Layout, keys: int, earliest: int) -> None:
        """Drop what no window that starts at `earliest` or later reads."""
        found = self.leveled()
        if found is None:
            return
        if isinstance(layout, Difference):
            self._parts = [self._still_there(layout, found, keys, earliest)]
        elif isinstance(layout, Endpoints):
            self._parts = [self._still_counted(found, keys, earliest)]
        else:
            kept = np.ones(len(found.cells), np.bool_)
            for level in range(found.levels):
                low, high = found.bounds(level)
                _, last = layout.extents(level, found.cells.pane[low:high])
                kept[low:high] = last >= earliest
            self._parts = [found.cells.take(np.flatnonzero(kept))]
        if not len(self._parts[0]):
            self._parts = []

    def values(self) -> np.ndarray:
        """The numbers of values that are counted."""
        parts = [part.value for part in self._parts if part.value is not None]
        return np.concatenate(parts) if parts else np.empty(0, np.int64)

    def rename_values(self, renamed: np.ndarray) -> None:
        """Values were numbered anew, in the order that they had."""
        for part in self._parts:
            part.value = renamed[part.value]

    def restore(self, cells: Cells, room: int) -> None:
        """Go on with what another one held."""
        self.room = room
        self._parts = [cells] if len(cells) else []

    def _settle(self) -> None:
        if len(self._parts) > 1:
            self._parts = [united(self._program, self._parts)]

    def _renumber(self, room: int, renamed: np.ndarray) -> None:
        for part in self._parts:
            level, key = np.divmod(part.code, self.room)
            part.code = level * room + renamed[key]
        self.room = room

    def _still_there(self, layout: Layout, found: Leveled, keys: int, earliest: int) -> Cells:
        """What began before `earliest` less what ended before it, and all cells from there on."""
        key = np.arange(keys)
        moment = np.full(keys, earliest)
        columns = composed(layout, found, self.share.carried, (key, key, moment, moment), True)
        counts = columns[-1].arrow().to_numpy(zero_copy_only=False)
        there = np.flatnonzero(counts > 0)
        base = Cells(key[there], moment[there] - 1, [column.take(there) for column in columns])
        later = found.cells.take(np.flatnonzero(found.cells.pane >= earliest))
        return later if not len(there) else united(self._program, [base, later])

    def _still_counted(self, found: Leveled, keys: int, earliest: int) -> Cells:
        """The same for endpoints: those that are gone by `earliest` are there no more."""
        (begun, at, new), (ended, until, gone) = found.of(0), found.of(1)
        there = np.zeros(keys, np.int64)
        np.add.at(there, begun[at < earliest], new[at < earliest])
        np.subtract.at(there, ended[until <= earliest], gone[until <= earliest])
        key = np.flatnonzero(there)
        counts = Numbers(there[key], ALL_VALID, pa.int64())
        base = Cells(key, np.full(len(key), earliest - 1), [counts])
        ends = found.cells.code >= self.room
        later = np.flatnonzero(found.cells.pane >= earliest + ends)
        return united(self._program, [base, found.cells.take(later)])

"""Frames over a multi buffer: a late row changes the frames around it, and only those are told."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from panewise.kernels import scanned_tier
from panewise.kernels.asked import Asked
from panewise.kernels.cells import Cells
from panewise.kernels.frames.multi_buffer import MultiBuffer, Regions
from panewise.kernels.frames.scanner import FrameScanner
from panewise.kernels.program import Piece, Program, Step
from panewise.kernels.ranges import NEVER, Ranges
from panewise.kernels.scanned_tier import ScannedTier
from panewise.kernels.state import State

_LOWEST = (NEVER, NEVER)


class MultiBufferTier(ScannedTier):
    """Frames of one scheme."""

    def __init__(self, program: Program, window: Asked, inputs: tuple[int, ...]) -> None:
        super().__init__(program, window, inputs)
        assert isinstance(self.scanner, FrameScanner)
        self._buffer = MultiBuffer(self.scanner, program.resolution)
        self._floors = np.empty((0, 2), np.int64)
        """By key, the time and sequence before which all is forgotten; rows that come are late."""

    @property
    def buffer(self) -> str:
        return "multi"

    @property
    def identity(self) -> tuple[object, ...]:
        return ("multi", self._window, self.since, self.program.frames.updates)

    def parts(self) -> list[Cells]:
        return [self._buffer.rows.part()]

    @property
    def cells(self) -> int:
        return len(self._buffer)

    @property
    def nbytes(self) -> int:
        return self._buffer.rows.nbytes

    def codes(self) -> list[np.ndarray]:
        return [self._buffer.codes(), np.flatnonzero((self._floors != _LOWEST).any(axis=1))]

    def rename(self, renamed: np.ndarray) -> None:
        self._grow(len(renamed))
        self._floors = self._floors[np.flatnonzero(renamed >= 0)]
        self._buffer.rename(renamed)
        self.revisions.rename(renamed)

    def rename_values(self, renamed: np.ndarray) -> None:
        self._buffer.rows.rename_values(renamed)

    def state(self) -> State:
        time, sequence = self._floors.T
        floors = {"time": time.copy(), "sequence": sequence.copy()}
        arrays = {"revisions": self.revisions.state(), "floors": floors}
        return State(self._buffer.sorted(), arrays)

    def load(self, state: State) -> None:
        self.revisions.restore(state.arrays["revisions"])
        floors = state.arrays["floors"]
        self._floors = np.stack([floors["time"], floors["sequence"]], axis=1)
        if len(self._floors) > state.keys:
            raise ValueError("there are more floors than keys")
        self._grow(state.keys)
        self._buffer.load(state.cells, state.keys)

    def advance(self, new: Sequence[Cells], step: Step) -> Iterator[Piece]:
        self._grow(step.keys)
        updates = self.program.frames.updates
        rows = self._in_time(self.admitted(Cells.concat(new))) if new else None
        if rows is not None and len(rows):
            yield from self._told(self._buffer.insert(rows, step.keys, tells_open=updates), step)
        if step.final:
            if not updates:
                yield from self._told(self._buffer.open_frames(), step)
            self._buffer.load(None, step.keys)
            return
        if step.keep != NEVER:
            self._buffer.drop_closed(step.keep)
            self.revisions.forget(step.keep)
        if self.program.frames.evict is not None:
            self._buffer.drop_oldest(*self.program.frames.evict, self._floors)
        if len(self._buffer) > scanned_tier.MOST_OPEN_ROWS:
            self.refuse_endless(self._buffer.open_rows())

    def _told(self, regions: Regions, step: Step) -> Iterator[Piece]:
        """The frames of regions that differ from what was told."""
        told, rows, new, revised = regions.differences(self.number)
        count, changed = told.shape[1], new + revised
        if not count:
            return
        cells = self._buffer.rows.told(rows)
        revision, names = np.zeros(count, np.int64), np.ascontiguousarray(told[:4].T)
        for low, high in ((new, changed), (changed, count)):
            if low < high:
                until = told[3, low:high]
                revision[low:high] = self.revisions.next_of(names[low:high], until)
        retracted = np.arange(count) >= changed
        if not self.program.counts_values:
            yield self._piece(cells, told, step, revision=revision, retracted=retracted)
            return
        # values are counted by key, and the keys of each kind are in order
        for low, high in ((0, new), (new, changed), (changed, count)):
            if low < high:
                part = told[:, low:high].copy()
                first, end = int(part[4, 0]), int(part[5, -1])
                part[4:] -= first
                yield self._piece(
                    cells.cut(first, end), part, step, revision=revision[low:high],
                    retracted=retracted[low:high],
                )  # fmt: skip

    def _piece(self, cells: Cells, told: np.ndarray, step: Step, **more: object) -> Piece:
        return self.piece(cells, Ranges(*told), cells.runs(step.keys), None, **more)

    def _in_time(self, new: Cells) -> Cells:
        """Rows that come after what was forgotten."""
        if self.program.frames.evict is None:
            return new
        time, sequence = self._floors[new.code].T
        late = (new.pane < time) | ((new.pane == time) & (np.asarray(new.sequence) < sequence))
        self.late += int(late.sum())
        return new.take(np.flatnonzero(~late))

    def _grow(self, keys: int) -> None:
        more = keys - len(self._floors)
        if more > 0:
            self._floors = np.concatenate([self._floors, np.tile(np.array([_LOWEST]), (more, 1))])

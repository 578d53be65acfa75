"""Frames that late rows may change: cut in order until one comes, then in a multi buffer.

Idea: a lateness says that rows may come late, not that they do.  Until one does, rows are looked at
once, as where none may, and kept for that day.  With a late row they are put into a multi buffer,
where each costs many times as much; so once many have come in order, it is left again.
Cost: a change costs about what the multi buffer takes for as many rows as are held.  It is left
after a few times as many, so a stream that makes it change all the time loses little.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from panewise.kernels import scanned_tier
from panewise.kernels.asked import Asked
from panewise.kernels.cells import Cells
from panewise.kernels.frames.multi_tier import MultiBufferTier
from panewise.kernels.frames.open_tier import OpenFrameTier
from panewise.kernels.frames.retained import PAGE, Retained
from panewise.kernels.program import Piece, Program, Step
from panewise.kernels.state import State

QUIET = 2
"""Times the rows that are held, which must have come in order before the multi buffer is left."""
FEW = PAGE
"""Rows that must have, however few are held."""


class SwitchingTier(MultiBufferTier):
    """Frames of one scheme that are told on close, and then revised."""

    def __init__(self, program: Program, window: Asked, inputs: tuple[int, ...]) -> None:
        super().__init__(program, window, inputs)
        self._fresh = lambda: OpenFrameTier(program, window, inputs)
        self._in_order: OpenFrameTier | None = self._fresh()
        """What cuts rows in order; None while the multi buffer does."""
        self._retained = Retained()
        self._passed: int | None = None
        """All rows before this were handed on; None if that is not known."""
        self._quiet = 0
        """Rows since the last late one."""

    @staticmethod
    def suits(program: Program) -> bool:
        """Whether frames are revised but not told before they are closed, and cells of one frame
        may be combined."""
        mergeable = program.mergeable and not program.counts_values
        return program.revising and program.frames.may_switch and mergeable

    @property
    def buffer(self) -> str:
        return super().buffer if self._in_order is None else self._in_order.buffer

    @property
    def cells(self) -> int:
        return super().cells + self._retained.count

    @property
    def nbytes(self) -> int:
        return super().nbytes + sum(part.nbytes for part in self._retained.parts())

    def parts(self) -> list[Cells]:
        return [*super().parts(), *self._retained.parts()]

    def codes(self) -> list[np.ndarray]:
        return [*super().codes(), *(part.code for part in self._retained.parts())]

    def rename(self, renamed: np.ndarray) -> None:
        super().rename(renamed)
        self._retained.rename(renamed)
        if self._in_order is not None:
            self._in_order.rename(renamed)

    def state(self) -> State:
        """As a multi buffer has it, and which one it is."""
        state, which = super().state(), [self.buffer, self._quiet]
        rows = state.cells if self._in_order is None else self._retained.cells()
        return replace(state, cells=rows, contexts=which)

    def load(self, state: State) -> None:
        buffer, quiet = state.contexts or [super().buffer, 0]
        if buffer not in (super().buffer, self._fresh().buffer) or type(quiet) is not int:
            raise ValueError(f"there is no buffer {buffer!r}")
        super().load(state)
        self._in_order, self._passed, self._quiet = None, None, quiet
        if buffer != super().buffer:
            self._leave_buffer(state.keys)

    def advance(self, new: Sequence[Cells], step: Step) -> Iterator[Piece]:
        rows = [each for part in new if len(each := self.admitted(part))]
        passed = step.previous if self._passed is None else self._passed
        late = any(part.pane[0] < passed or part.pane.min() < passed for part in rows)
        self._passed, self._quiet = step.watermark, self._quiet + sum(map(len, rows))
        if late:
            self._quiet = 0
            self._enter_buffer(step.keys)
        if self._in_order is not None:
            yield from self._cut(self._in_order, rows, step)
            return
        yield from super().advance(rows, step)
        if not step.final and self._quiet > QUIET * len(self._buffer) + FEW:
            self._leave_buffer(step.keys)

    def _cut(self, tier: OpenFrameTier, new: Sequence[Cells], step: Step) -> Iterator[Piece]:
        """Rows in order."""
        together = len(new) > 1 and sum(map(len, new)) <= PAGE
        if together:  # calls for each part would take longer
            new = [Cells.concat(new)]
        for part in (each for rows in new for each in _parted(rows, step.keep)):
            yield from tier.take(part, step.keys)
            self._retained.add(part, copied=together)
            if self._retained.is_full(step.keys):
                self._retained.turn(*tier.open_frames)
                self._retained.forget(step.keep)
        if step.final:
            yield from tier.end(step.keys)
            self._retained = Retained()
            return
        self._retained.forget(step.keep)
        self.revisions.forget(step.keep)
        if self._retained.count > scanned_tier.MOST_OPEN_ROWS:
            self.refuse_endless(tier.open_frames[0])

    def _enter_buffer(self, keys: int) -> None:
        """Put the rows that were kept into the multi buffer, which cuts them as they were cut."""
        if self._in_order is None:
            return
        self._grow(keys)
        self._buffer.load(self._retained.cells(), keys)
        self._in_order, self._retained = None, Retained()

    def _leave_buffer(self, keys: int) -> None:
        """Take the rows out of it again; what their frames are was told."""
        rows = self._buffer.sorted()
        self._buffer.load(None, keys)
        self._in_order = self._fresh()
        if rows is not None:
            for _ in self._in_order.take(rows, keys):
                pass
            self._retained.add(rows, copied=True)
            self._retained.turn(*self._in_order.open_frames)


def _parted(rows: Cells, keep: int) -> list[Cells]:
    """Many rows that nothing can come before, and the others: of the former little is kept."""
    if len(rows) <= PAGE:
        return [rows]
    old = rows.pane < keep
    count = int(np.count_nonzero(old))
    if count <= PAGE or count == len(rows):
        return [rows]
    if rows.code[0] == rows.code[-1]:
        return [rows.cut(0, count), rows.cut(count, len(rows))]
    return [rows.take(np.flatnonzero(old)), rows.take(np.flatnonzero(~old))]

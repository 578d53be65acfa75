"""Tiers that read rows in order: every row before the watermark, each a cell of its own."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence

import numpy as np

from panewise.kernels.cells import Cells
from panewise.kernels.holder import Holder
from panewise.kernels.program import Piece, Program, Step
from panewise.kernels.ranges import NEVER


class RowTier(Holder):
    """Windows that rows in order decide; rows before `since` do not count.

    New rows come in parts, each in order and behind the one before, so that none is moved where
    nobody needs them together.
    """

    def __init__(self, program: Program, since: int) -> None:
        super().__init__(program)
        self.since = since

    def admitted(self, new: Cells) -> Cells:
        """The rows that count."""
        if self.since == NEVER:
            return new
        return new.take(np.flatnonzero(new.pane >= self.since))


class BufferTier(RowTier):
    """Rows in one buffer, which late ones are merged into."""

    def advance(self, new: Sequence[Cells], step: Step) -> Iterator[Piece]:
        """Take the rows that the watermark has passed, and report what they decide."""
        rows = self.admitted(Cells.concat(new)).as_rows() if new else None
        if rows is None or not len(rows):
            if self.held is None:
                return
            cells, fresh = self.held, np.zeros(len(self.held), np.bool_)
        elif self.held is None:
            cells, fresh = rows, np.ones(len(rows), np.bool_)
        else:
            cells, fresh = self.merged(self.held, rows)
        yield from self.step(cells, fresh, step)

    def merged(self, held: Cells, new: Cells) -> tuple[Cells, np.ndarray]:
        """Both in order, and which rows are new."""
        return Cells.merge(held, new)

    @abstractmethod
    def step(self, cells: Cells, fresh: np.ndarray, step: Step) -> Iterator[Piece]:
        """Report, and set `held` to what is still needed."""

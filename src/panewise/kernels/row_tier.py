"""Tiers that read rows in order: every row before the watermark, each a cell of its own."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator

import numpy as np

from panewise.kernels.cells import Cells
from panewise.kernels.fold import fold
from panewise.kernels.program import Piece, Program, Step
from panewise.kernels.ranges import NEVER, Ranges
from panewise.kernels.revisions import Revisions
from panewise.kernels.state import State


class RowTier(ABC):
    """Windows that rows in order decide."""

    def __init__(self, program: Program, since: int) -> None:
        self.program = program
        self.since = since
        self.held: Cells | None = None
        self.revisions = Revisions()

    @property
    @abstractmethod
    def identity(self) -> tuple[object, ...]:
        """What a tier of another program must share to go on with this one's state."""

    def state(self) -> State:
        """All that is held."""
        return State(self.held, {"revisions": self.revisions.state()})

    def load(self, state: State) -> None:
        """Go on with what another tier held."""
        self.held = state.cells
        self.revisions.restore(state.arrays["revisions"])

    @property
    def cells(self) -> int:
        return 0 if self.held is None else len(self.held)

    @property
    def nbytes(self) -> int:
        return 0 if self.held is None else self.held.nbytes

    def advance(self, rows: Cells | None, step: Step) -> Iterator[Piece]:
        """Take the rows that the watermark has passed, and report what they decide."""
        if rows is not None and self.since != NEVER:
            rows = rows.take(np.flatnonzero(rows.pane >= self.since))
        if rows is None or not len(rows):
            if self.held is None:
                return
            cells, fresh = self.held, np.zeros(len(self.held), np.bool_)
        elif self.held is None:
            cells, fresh = rows, np.ones(len(rows), np.bool_)
        else:
            cells, fresh = Cells.merge(self.held, rows)
        yield from self.step(cells, fresh, step)

    @abstractmethod
    def step(self, cells: Cells, fresh: np.ndarray, step: Step) -> Iterator[Piece]:
        """Report, and set `held` to what is still needed."""

    def piece(self, cells: Cells, ranges: Ranges, runs: np.ndarray, **more: object) -> Piece:
        """The partials of ranges of rows."""
        folded = [
            fold(p, column, ranges.lo, ranges.hi, checked=self.program.checked)
            for p, column in zip(self.program.partials, cells.partials, strict=True)
        ]
        return Piece(ranges, folded, cells, runs, **more)  # type: ignore[arg-type]

    def rename(self, renamed: np.ndarray) -> None:
        """Keys were numbered anew."""
        if self.held is not None:
            self.held.code = renamed[self.held.code]
        self.revisions.rename(renamed)

    def codes(self) -> list[np.ndarray]:
        """The keys whose numbers must stay."""
        return [] if self.held is None else [self.held.code]

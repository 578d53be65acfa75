"""What all tiers have in common: cells that are held, and what was reported of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from panewise.kernels.cells import Cells
from panewise.kernels.fold import fold
from panewise.kernels.program import Piece, Program, Step
from panewise.kernels.ranges import Ranges
from panewise.kernels.revisions import Revisions
from panewise.kernels.state import State
from panewise.kernels.tree import Tree


class Holder(ABC):
    """Cells held for some windows."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.held: Cells | None = None
        self.revisions = Revisions()
        self.late = 0
        """Rows that came after what they belong to was forgotten, since this was last asked."""

    @property
    @abstractmethod
    def identity(self) -> tuple[object, ...]:
        """What a tier of another program must share to go on with this one's state."""

    @abstractmethod
    def advance(self, new: Any, step: Step) -> Iterator[Piece]:
        """Take new cells, or parts of rows, report what is due, and hold what is still needed."""

    def parts(self) -> list[Cells]:
        """All cells, wherever they are."""
        return [] if self.held is None else [self.held]

    @property
    def cells(self) -> int:
        """How many cells there are."""
        return sum(map(len, self.parts()))

    @property
    def nbytes(self) -> int:
        return sum(part.nbytes for part in self.parts())

    def state(self) -> State:
        """All that is held."""
        return State(self.held, {"revisions": self.revisions.state()})

    def load(self, state: State) -> None:
        """Go on with what another tier held."""
        self.held = state.cells
        self.revisions.restore(state.arrays["revisions"])

    def rename(self, renamed: np.ndarray) -> None:
        """Keys were numbered anew."""
        for part in self.parts():
            part.code = renamed[part.code]
        self.revisions.rename(renamed)

    def rename_values(self, renamed: np.ndarray) -> None:
        """Counted values were numbered anew."""
        for part in self.parts():
            assert part.value is not None
            part.value = renamed[part.value]

    def codes(self) -> list[np.ndarray]:
        """The keys whose numbers must stay."""
        return [part.code for part in self.parts()]

    def piece(
        self,
        cells: Cells,
        ranges: Ranges,
        runs: np.ndarray,
        trees: Sequence[Tree | None] | None = None,
        **more: object,
    ) -> Piece:
        """The partials of ranges of cells."""
        read = trees or [None] * len(cells.partials)
        folded = [
            fold(p, column, ranges.lo, ranges.hi, checked=self.program.checked, tree=tree)
            for p, column, tree in zip(self.program.partials, cells.partials, read, strict=True)
        ]
        return Piece(ranges, folded, cells, runs, **more)  # type: ignore[arg-type]

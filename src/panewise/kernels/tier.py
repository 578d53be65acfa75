"""Tiers: windows that share held cells.

Idea: new cells wait until a window is due, or until they are as many as those held; then they are
merged in, so that a push costs what it brings and not what is held.
Invariant: `held` is sorted, and has everything that windows ending after `keep` still read.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import defaultdict
from collections.abc import Iterator

import numpy as np

from panewise.kernels.binned import BinnedPanes
from panewise.kernels.cells import Cells
from panewise.kernels.columns import Numbers
from panewise.kernels.growing import Growing
from panewise.kernels.holder import Holder
from panewise.kernels.merging import Joined, combined, united
from panewise.kernels.monoids import OPERATIONS
from panewise.kernels.program import Piece, Program, Step
from panewise.kernels.ranges import Ranges
from panewise.kernels.state import State
from panewise.kernels.tree import Tree

_UNMARKED = np.empty(0, np.bool_)
ENOUGH = 1 << 14
"""Waiting cells that are merged in though no window is due."""


class Tier(Holder):
    """Cells of panes for some windows."""

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self._waiting: list[Cells] = []
        self._growing = Growing()
        self._trees: list[Tree | None] | None = None
        self.binned: defaultdict[int, BinnedPanes] = defaultdict(BinnedPanes)

    @property
    def nbytes(self) -> int:
        trees = sum(tree.nbytes for tree in self._trees or () if tree is not None)
        return trees + super().nbytes

    def parts(self) -> list[Cells]:
        """All cells, wherever they are."""
        return [part for part in (self.held, *self._waiting) if part is not None]

    def advance(self, new: Cells | None, step: Step) -> Iterator[Piece]:
        """Report what is due, and hold what is still needed."""
        late = False
        if new is not None and len(new):
            new = self.arranged(new)
            self._waiting.append(new)
            late = self.program.revising and self.is_late(new, step)
        if not self.parts():
            return
        if not (late or self.is_due(step)):
            held = len(self.held) if self.held is not None else 0
            if self.program.store == "eager" or sum(map(len, self._waiting)) > max(ENOUGH, held):
                self.settle()
            return
        before = self.held
        fresh, old = self.settle()
        assert self.held is not None
        runs = self.held.runs(step.keys)
        yield from self.report(before, fresh, old, runs, step)
        all_cells = self.held
        self.held = self.kept(all_cells, runs, step)
        if self.held is not all_cells:
            self._grow_trees()

    def take_over(self, cells: Cells) -> None:
        """Go on with cells that another tier held."""
        self._waiting.append(self.arranged(cells))

    def settle(self) -> tuple[np.ndarray, np.ndarray]:
        """Merge what waits into what is held: which cells have new rows, and which had rows."""
        if not self._waiting:
            assert self.held is not None
            return self._marks(len(self.held), 0)
        new = self._waiting[0]
        if len(self._waiting) > 1:
            new = united(self.program, self._waiting)
        new, self._waiting = self.placed(new), []
        if self.held is None or not len(self.held):
            self.held = combined(self.program, new)
            marks = self._marks(0, len(self.held))
        elif self.held.precedes(new):  # nothing to combine
            before, self.held = len(self.held), self._growing.appended(self.held, new)
            self._extend_trees()
            return self._marks(before, len(new))
        else:
            joined = Joined.of(self.program, self.held, new)
            self.held, marks = joined.cells, (_UNMARKED, _UNMARKED)
            if self.program.revising:
                marks = joined.fresh(), joined.old()
            self.binned.clear()
        self._grow_trees()
        return marks

    def _marks(self, old: int, new: int) -> tuple[np.ndarray, np.ndarray]:
        """Which cells are new and which are not, for those who tell changes."""
        if not self.program.revising:
            return _UNMARKED, _UNMARKED
        fresh = np.zeros(old + new, np.bool_)
        fresh[old:] = True
        return fresh, ~fresh

    def told(self, ranges: Ranges, runs: np.ndarray, **more: object) -> Piece:
        """The partials of ranges of the cells that are held."""
        assert self.held is not None
        return self.piece(self.held, ranges, runs, self._trees, **more)

    def _grow_trees(self) -> None:
        """Trees over other cells, if there are to be any."""
        if self.program.store != "eager":
            return
        assert self.held is not None
        room = len(self.held) // 2
        self._trees = [
            Tree.over(column, OPERATIONS[str(p.monoid)], room)
            if isinstance(column, Numbers)
            else None
            for p, column in zip(self.program.partials, self.held.partials, strict=True)
        ]

    def _extend_trees(self) -> None:
        """Trees over the same cells and others behind them."""
        if self._trees is None:
            self._grow_trees()
            return
        assert self.held is not None
        self._trees = [
            tree.grown_to(column) if tree is not None and isinstance(column, Numbers) else None
            for tree, column in zip(self._trees, self.held.partials, strict=True)
        ]

    def arranged(self, cells: Cells) -> Cells:
        """New cells as they wait here."""
        return cells

    def placed(self, cells: Cells) -> Cells:
        """Cells that waited as they are held."""
        return cells

    def state(self) -> State:
        """All that is held."""
        if self._waiting:
            self.settle()
        return super().state()

    def load(self, state: State) -> None:
        super().load(state)
        self._trees = None
        self.binned.clear()

    def asks(self, step: Step, earliest_open: int) -> bool:
        """Whether it must have all cells now; those under construction begin at this time."""
        return self.program.store == "eager" or self.is_due(step)

    @abstractmethod
    def is_due(self, step: Step) -> bool:
        """Whether some window may end by the watermark."""

    def is_late(self, new: Cells, step: Step) -> bool:
        """Whether a window that was reported may have changed."""
        return bool((new.pane < step.previous).any())

    @abstractmethod
    def report(
        self, before: Cells | None, fresh: np.ndarray, old: np.ndarray, runs: np.ndarray, step: Step
    ) -> Iterator[Piece]:
        """The windows that are due, and those that changed."""

    @abstractmethod
    def kept(self, cells: Cells, runs: np.ndarray, step: Step) -> Cells:
        """The cells that later reports still read."""

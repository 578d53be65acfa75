"""What tiers of scanned windows have in common: the scanner, and telling what changed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from panewise.errors import OperatorError
from panewise.kernels.asked import Asked
from panewise.kernels.cells import Cells
from panewise.kernels.program import Piece, Program
from panewise.kernels.ranges import Ranges
from panewise.kernels.revisions import alike, holds, matched
from panewise.kernels.row_tier import RowTier
from panewise.kernels.scanner import Found, Scanner
from panewise.kernels.scans import scanner_of
from panewise.windows import Scan

MOST_OPEN_ROWS = 10_000_000
"""Rows of an open frame that are held one by one, or in a cell that grows with them."""
Side = tuple[Cells, Found, np.ndarray]
"""Rows, the windows over them, and where the rows of each key begin."""


class ScannedTier(RowTier):
    """Windows of one scanned type."""

    def __init__(self, program: Program, window: Asked, inputs: tuple[int, ...]) -> None:
        super().__init__(program, window.since)
        assert isinstance(window.demand, Scan)
        self.number = window.number
        self._window = replace(window.demand.window, name=None)
        self.scanner: Scanner = scanner_of(window.demand.window, inputs, program.resolution)

    @property
    def buffer(self) -> str:
        """How rows are kept in order, as `policy.BUFFERS` names it."""
        held = self.program.revising or self.program.frames.updates
        return self.program.frames.buffer if held else "in_order"

    @property
    def identity(self) -> tuple[object, ...]:
        return ("scan", self._window, self.since)

    def admitted(self, new: Cells) -> Cells:
        return self.scanner.admitted(super().admitted(new))

    def report(
        self, cells: Cells, found: Found, runs: np.ndarray, **more: object
    ) -> Iterator[Piece]:
        """Windows as they are."""
        if len(found.lo):
            number = found.number if self.scanner.numbered else None
            yield self.piece(cells, self._ranges(found), runs, None, number=number, **more)

    def changes(self, before: Side, after: Side, fresh: np.ndarray) -> Iterator[Piece]:
        """What is new, what changed, and what is gone, against what was reported.

        `fresh` says which of the rows after are new; the others are all those before, in order.
        """
        (cells_before, were, runs_before), (cells, now, runs) = before, after
        again, gone = matched(self._identity(were), self._identity(now))
        yield from self.report(cells, now.take(again < 0), runs)
        at = np.maximum(again, 0)
        changed = holds(fresh, self._ranges(now)) & (again >= 0)
        if len(were.lo):
            # as many rows, none of them new, are others if they begin with another one
            other = (were.hi - were.lo)[at] != now.hi - now.lo
            other |= were.lo[at] != np.cumsum(~fresh)[now.lo] - 1
            other |= (were.start[at] != now.start) | (were.end[at] != now.end)
            changed |= other & (again >= 0)
        vanished = were.take(gone)
        # a reader cannot tell windows apart that are alike: all of them are told again, in order
        changed = alike(self._identity(now), changed, self._identity(vanished))
        revised = now.take((again >= 0) & changed)
        yield from self.report(cells, revised, runs, revision=self._revision(revised))
        yield from self.report(
            cells_before, vanished, runs_before, revision=self._revision(vanished), retracted=True
        )

    def refuse_endless(self, open_rows: np.ndarray) -> None:
        """A frame that never closes must not fill the memory; rows of each key's open one."""
        most = int(open_rows.max(initial=0))
        if most > MOST_OPEN_ROWS:
            raise OperatorError(
                f"{self._window.canonical} does not close: it has {most:,} rows of one key, and "
                f"at most {MOST_OPEN_ROWS:,} can be held.",
                hint="give it max_rows= or max_duration=.",
            )

    def _ranges(self, found: Found) -> Ranges:
        window = np.full(len(found.lo), self.number, np.int64)
        return Ranges(window, found.code, found.start, found.end, found.lo, found.hi)

    def _identity(self, found: Found) -> tuple[np.ndarray, ...]:
        """What makes two windows the same: their number, or else their interval."""
        if self.scanner.numbered:
            return found.code, found.number
        return found.code, found.start, found.end

    def _revision(self, found: Found) -> np.ndarray:
        window = np.full(len(found.lo), self.number, np.int64)
        a, b = (found.number, window) if self.scanner.numbered else (found.start, found.end)
        return self.revisions.next(window, found.code, a, b, self.scanner.until(found))

"""Frames over rows in order: of an open frame one cell is held, and no row.

Idea: a row is looked at once and folded with its frame.  Frames that are closed and those that
stay open are ranges of new rows alike, and the first of a key may have begun before them: then its
partials are those of the new rows behind what is held.
Cost: rows are not moved, and what is held is one cell for each key with an open frame.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa

from panewise.kernels.arrivals import Arrivals
from panewise.kernels.asked import Asked
from panewise.kernels.cells import Cells
from panewise.kernels.columns import Column, cut
from panewise.kernels.fold import fold_behind
from panewise.kernels.frames.scanner import FrameScanner
from panewise.kernels.frames.segment import COUNT, SEEN, known_of_open
from panewise.kernels.program import Piece, Program, Step
from panewise.kernels.ranges import Ranges
from panewise.kernels.scanned_tier import ScannedTier
from panewise.kernels.state import State

_NONE = np.empty(0, np.int64)


class OpenFrameTier(ScannedTier):
    """Frames of one scheme, none of which is told twice."""

    def __init__(self, program: Program, window: Asked, inputs: tuple[int, ...]) -> None:
        super().__init__(program, window, inputs)
        assert isinstance(self.scanner, FrameScanner)
        self._frames = self.scanner
        self._kinds: list[pa.DataType] = []
        """Of what is looked at in rows, by all windows."""

    @staticmethod
    def suits(program: Program) -> bool:
        """Whether rows come in order, and cells of one frame may be combined."""
        in_order = not program.revising and not program.frames.updates
        return in_order and program.mergeable and not program.counts_values

    def advance(self, new: Sequence[Cells], step: Step) -> Iterator[Piece]:
        self._frames.grow(step.keys)
        for part in new:
            rows = self.admitted(part)
            if len(rows):
                yield from self._taken(rows, step.keys, final=False)
                self._kinds = [each.type for each in rows.inputs]
        if step.final and self.held is not None:
            nothing = replace(self.held.cut(0, 0), inputs=self._looked_at(0))
            yield from self._taken(nothing, step.keys, final=True)

    def _taken(self, rows: Cells, keys: int, *, final: bool) -> Iterator[Piece]:
        """The frames that new rows close, or the end of all."""
        runs = rows.runs(keys)
        found, closed = self._frames.cut(rows, runs, final=final)
        code, at, start, end, lo, hi = found
        held = self.held
        columns = [
            fold_behind(
                partial, column, lo, hi, held.partials[place] if held is not None else None, at,
                checked=self.program.checked,
            )
            for place, (partial, column) in enumerate(
                zip(self.program.partials, rows.partials, strict=True)
            )
        ]  # fmt: skip
        self.held = None
        if closed < len(code):
            self.held = self._open(rows, found[:, closed:], held, columns, closed)
        if closed:
            told = Ranges(
                np.full(closed, self.number, np.int64), code[:closed], start[:closed],
                end[:closed], lo[:closed], hi[:closed],
            )  # fmt: skip
            yield Piece(told, [cut(column, 0, closed) for column in columns], rows, runs)

    def _open(
        self, rows: Cells, found: np.ndarray, held: Cells | None, columns: list[Column], closed: int
    ) -> Cells:
        """One cell for every open frame; of its first row the sequence is known, too."""
        code, _, start, last, _, _ = found
        assert rows.sequence is not None
        arrived = rows.sequence if isinstance(rows.sequence, Arrivals) else None
        weights, sequence = known_of_open(
            found, self._frames.contexts, _NONE if arrived else rows.sequence,
            arrived.first if arrived else 0, _NONE if held is None else held.sequence,
        )  # fmt: skip
        return Cells(
            code, start, [cut(column, closed, len(column)) for column in columns], first=start,
            last=last, weights=weights, sequence=sequence,
        )  # fmt: skip

    def state(self) -> State:
        """As tiers have it that look at held rows again: the one cell of an open frame was seen,
        so what is looked at in it does not matter."""
        contexts = self._frames.contexts.copy()
        contexts[:, SEEN] = contexts[:, COUNT] > 0
        state = super().state()
        if state.cells is not None:
            inputs = self._looked_at(len(state.cells))
            state = replace(state, cells=replace(state.cells, inputs=inputs))
        return replace(state, contexts=contexts.tolist())

    def _looked_at(self, count: int) -> list[pa.Array]:
        """Something of the right types; other windows look at rows of their own."""
        looked_at = [pa.nulls(count, kind) for kind in self._kinds]
        own = self._frames.place
        if looked_at:  # zeros of any type of numbers, of which the widest has 32 bytes
            zeros = pa.py_buffer(bytes(32 * count))
            looked_at[own] = pa.Array.from_buffers(self._kinds[own], count, [None, zeros])
        return looked_at

    def load(self, state: State) -> None:
        super().load(state)
        self._frames.restore(state.contexts, state.held)
        self._frames.contexts[:, SEEN] = 0  # what is held is not scanned
        is_open = np.zeros(state.keys, np.bool_)
        is_open[: len(self._frames.contexts)] = self._frames.contexts[:, COUNT] > 0
        if np.any((state.held > 0) != is_open):
            raise ValueError("an open frame holds what its rows were")
        if self.held is not None:
            self._kinds = [each.type for each in self.held.inputs]
            self.held = replace(self._joined(self.held), inputs=())

    def _joined(self, rows: Cells) -> Cells:
        """Those of a key as one: while values were counted, rows were held."""
        heads = np.flatnonzero(np.diff(rows.code, prepend=-1))
        if len(heads) == len(rows):
            return rows
        return rows.merged(self.program.partials, heads, rows.pane[heads], self.program.checked)

    def rename(self, renamed: np.ndarray) -> None:
        super().rename(renamed)
        self._frames.rename(renamed)

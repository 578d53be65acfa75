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

from panewise.kernels.asked import Asked
from panewise.kernels.cells import Cells
from panewise.kernels.columns import Column, cut
from panewise.kernels.constant import Constant
from panewise.kernels.fold import fold_behind
from panewise.kernels.frames.scanner import FrameScanner
from panewise.kernels.frames.segment import COUNT, LAST, SEEN, START
from panewise.kernels.program import Piece, Program, Step
from panewise.kernels.ranges import Ranges
from panewise.kernels.scanned_tier import ScannedTier
from panewise.kernels.state import State


class OpenFrameTier(ScannedTier):
    """Frames of one scheme, none of which is told twice.

    Of an open frame the scanner knows all but the partials and the sequence of its first row.
    """

    def __init__(self, program: Program, window: Asked, inputs: tuple[int, ...]) -> None:
        super().__init__(program, window, inputs)
        assert isinstance(self.scanner, FrameScanner)
        self._frames = self.scanner
        self._partials: list[Column] = []
        """Of open frames, by key; none before the first row."""
        self._begun = np.empty(0, np.int64)
        """The sequence of the first row of the open frame of each key."""
        self._numbers = Constant(self.number)
        self._kinds: list[pa.DataType] = []
        """Of what is looked at in rows, by all windows."""

    @property
    def buffer(self) -> str:
        return "in_order"

    @staticmethod
    def suits(program: Program) -> bool:
        """Whether rows come in order, and cells of one frame may be combined."""
        in_order = not program.revising and not program.frames.updates
        return in_order and program.mergeable and not program.counts_values

    def advance(self, new: Sequence[Cells], step: Step) -> Iterator[Piece]:
        self._grow(step.keys)
        for part in new:
            rows = self.admitted(part)
            if len(rows):
                yield from self._taken(rows, step.keys, final=False)
        if step.final:
            yield from self.end(step.keys)
        elif self.program.grows:
            self.refuse_endless(self._frames.open_rows())

    def take(self, rows: Cells, keys: int) -> Iterator[Piece]:
        """The frames that rows close, at least one, which come behind all others."""
        self._grow(keys)
        return self._taken(rows, keys, final=False)

    def end(self, keys: int) -> Iterator[Piece]:
        """The frames that are open."""
        self._grow(keys)
        if self.cells:
            nothing = replace(self._open().cut(0, 0), inputs=self._looked_at(0))
            yield from self._taken(nothing, keys, final=True)

    @property
    def open_frames(self) -> tuple[np.ndarray, np.ndarray]:
        """How many rows the open frame of each key has, 0 if there is none, and when it began."""
        contexts = self._frames.contexts
        return contexts[:, COUNT], contexts[:, START]

    def _grow(self, keys: int) -> None:
        """Make room for new keys."""
        if keys > len(self._begun):
            self._frames.grow(keys)
            self._begun = np.append(self._begun, np.zeros(keys - len(self._begun), np.int64))

    def _taken(self, rows: Cells, keys: int, *, final: bool) -> Iterator[Piece]:
        """The frames that new rows close, or the end of all."""
        self._kinds = [each.type for each in rows.inputs]
        runs = rows.runs(keys)
        found, closed = self._frames.cut(rows, runs, self._begun, final=final)
        code, at, start, end, lo, hi = found
        columns = [
            fold_behind(partial, column, lo, hi, held, at, checked=self.program.checked)
            for partial, column, held in zip(
                self.program.partials,
                rows.partials,
                self._partials or rows.partials,  # where nothing is held, nothing of it is read
                strict=True,
            )
        ]
        self._partials = [cut(column, closed, len(code)) for column in columns]
        if closed:
            told = Ranges(
                self._numbers.times(closed), code[:closed], start[:closed], end[:closed],
                lo[:closed], hi[:closed],
            )  # fmt: skip
            yield Piece(told, [cut(column, 0, closed) for column in columns], rows, runs)

    def _open(self) -> Cells:
        """One cell for every open frame."""
        contexts = self._frames.contexts
        code = np.flatnonzero(contexts[:, COUNT] > 0)
        rows, start, last = (contexts[code, each] for each in (COUNT, START, LAST))
        return Cells(
            code, start, self._partials, first=start, last=last, weights=rows,
            sequence=self._begun[code],
        )  # fmt: skip

    def parts(self) -> list[Cells]:
        return [self._open()] if self.cells else []

    @property
    def cells(self) -> int:
        return int(np.count_nonzero(self._frames.contexts[:, COUNT]))

    def state(self) -> State:
        """As tiers have it that look at held rows again: the one cell of an open frame was seen,
        so what is looked at in it does not matter."""
        contexts = self._frames.contexts.copy()
        contexts[:, SEEN] = contexts[:, COUNT] > 0
        cells = None
        for is_open in self.parts():
            cells = replace(is_open, inputs=self._looked_at(len(is_open)))
        state = super().state()
        arrays = {**state.arrays, "digits": self._frames.digits()}
        return replace(state, cells=cells, arrays=arrays, contexts=contexts.tolist())

    def _looked_at(self, count: int) -> list[pa.Array]:
        """Something of the right types; other windows look at rows of their own."""
        looked_at = [pa.nulls(count, kind) for kind in self._kinds]
        own = self._frames.place
        if looked_at:  # zeros of any type of numbers, of which the widest has 32 bytes
            zeros = pa.py_buffer(bytes(32 * count))
            looked_at[own] = pa.Array.from_buffers(self._kinds[own], count, [None, zeros])
        return looked_at

    def load(self, state: State) -> None:
        super().load(replace(state, cells=None))
        self._frames.restore(state.contexts, state.held)
        self._frames.restore_digits(state.arrays["digits"])
        self._frames.contexts[:, SEEN] = 0  # what is held is not scanned
        is_open = np.zeros(state.keys, np.bool_)
        is_open[: len(self._frames.contexts)] = self._frames.contexts[:, COUNT] > 0
        if np.any((state.held > 0) != is_open):
            raise ValueError("an open frame holds what its rows were")
        self._grow(state.keys)
        if state.cells is not None:
            self._kinds = [each.type for each in state.cells.inputs]
            cells = self._joined(state.cells)
            assert cells.sequence is not None
            self._partials, self._begun[cells.code] = cells.partials, cells.sequence

    def _joined(self, rows: Cells) -> Cells:
        """Those of a key as one: while values were counted, rows were held."""
        heads = np.flatnonzero(np.diff(rows.code, prepend=-1))
        if len(heads) == len(rows):
            return rows
        return rows.merged(self.program.partials, heads, rows.pane[heads], self.program.checked)

    def rename(self, renamed: np.ndarray) -> None:
        super().rename(renamed)
        self._grow(len(renamed))
        self._frames.rename(renamed)
        self._begun = self._begun[np.flatnonzero(renamed >= 0)]

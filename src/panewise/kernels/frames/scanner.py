"""The scanner of frames: all keys in one compiled loop."""

from __future__ import annotations

from typing import Any

import numpy as np

from panewise.errors import ResultOverflow
from panewise.kernels.cells import Cells
from panewise.kernels.frames.segment import (
    CONTEXT,
    COUNT,
    FIRST_REGISTER,
    SEEN,
    Cutter,
    numbers_of,
    segment,
)
from panewise.kernels.ranges import ALWAYS
from panewise.kernels.scanner import CompiledScanner
from panewise.windows.frames import Frame


class FrameScanner(CompiledScanner):
    """Context: how many rows were looked at, and what is kept of the open frame."""

    partitions = True
    first = (0,) * CONTEXT

    def __init__(self, frame: Frame, place: int, tick: int) -> None:
        super().__init__()
        self._frame, self._place, self._tick = frame, place, tick
        self._cutter = Cutter.of(frame, 0, whole=False)
        self._scaled: tuple[int, bool] = (0, False)

    def admitted(self, rows: Cells) -> Cells:
        """Rows with a value: the others decide nothing and are in no frame."""
        given = rows.inputs[self._place]
        return rows.take(np.flatnonzero(given.is_valid())) if given.null_count else rows

    def loop(
        self, cells: Cells, runs: np.ndarray, stops: np.ndarray, watermark: int,
        contexts: np.ndarray, needed: np.ndarray, out: np.ndarray,
    ) -> int:  # fmt: skip
        values = self.values_of(cells)
        count = segment(
            cells.pane, values, runs, stops, self._tick, watermark == ALWAYS,
            self.parameters, contexts, contexts[:, FIRST_REGISTER:].view(values.dtype),
            needed, out,
        )  # fmt: skip
        if count < 0:
            raise self.overflow()
        return int(count)

    def overflow(self) -> ResultOverflow:
        """What to say where a loop met a sum that its type cannot hold."""
        return ResultOverflow(
            f"{self._frame.canonical}: an integer sum left the range of BIGINT.",
            hint="cast the column to DOUBLE first.",
        )

    @property
    def parameters(self) -> tuple[Any, ...]:
        """The scheme as the loops take it, once values have been seen."""
        return self._cutter.parameters

    def values_of(self, cells: Cells) -> np.ndarray:
        """Values as the loops take them; their type is known with the first ones."""
        values, scale = numbers_of(cells.inputs[self._place], self._cutter.form)
        scaled = scale, values.dtype == np.int64
        if scaled != self._scaled:
            self._cutter, self._scaled = Cutter.of(self._frame, *scaled), scaled
        return values

    def open_rows(self) -> np.ndarray:
        """How many rows the open frame of each key has."""
        return self.contexts[:, COUNT]

    def seen_once(self, codes: np.ndarray) -> None:
        self.contexts[codes, SEEN] = np.minimum(self.contexts[codes, SEEN], 1)

    def sound(self, contexts: np.ndarray, held: np.ndarray) -> bool:
        seen, count = contexts[:, SEEN], contexts[:, COUNT]
        return bool(np.all((seen >= 0) & (seen <= held) & (count >= 0)))

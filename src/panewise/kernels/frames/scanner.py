"""The scanner of frames: all keys in one compiled loop."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from panewise.errors import ResultOverflow, SchemaError
from panewise.kernels.cells import Cells
from panewise.kernels.frames.bands import bands, cut_by
from panewise.kernels.frames.cutter import Cutter, numbers_of
from panewise.kernels.frames.decimals import DIGITS, enlarged, is_wide
from panewise.kernels.frames.forms import COUNTING, FORMS, REGISTERS
from panewise.kernels.frames.intervals import bounds_of, truths_of
from panewise.kernels.frames.segment import (
    CONTEXT,
    COUNT,
    FIRST_REGISTER,
    SEEN,
    segment,
    segment_new,
)
from panewise.kernels.ranges import ALWAYS
from panewise.kernels.scanner import CompiledScanner, Found
from panewise.windows.boundary_frame import BoundaryFrame
from panewise.windows.frames import Frame
from panewise.windows.threshold_frame import ThresholdFrame

_UNMADE = np.empty(0, np.int64)
_MOST_DIGITS = 38
"""Of the widest decimals there are."""


class FrameScanner(CompiledScanner):
    """Context: how many rows were looked at, and what is kept of the open frame."""

    partitions = True
    first = (0,) * CONTEXT

    def __init__(self, frame: Frame, place: int, tick: int) -> None:
        super().__init__()
        self._frame, self.place, self._tick = frame, place, tick
        self._form = FORMS[frame.scheme.form]
        self._cutter: Cutter | None = None
        self._scaled: tuple[int, bool] = (0, False)
        self._type = pa.int64()
        """What numbers were made of last."""
        self._kind: pa.DataType | None = None
        self._cut: Any = None
        """The bands or the interval that values of this kind are looked for in, on the way."""
        self._room = np.empty((6, 0), np.int64)

    def admitted(self, rows: Cells) -> Cells:
        """Rows with a value: the others decide nothing and are in no frame."""
        given = rows.inputs[self.place]
        return rows.take(np.flatnonzero(given.is_valid())) if given.null_count else rows

    def scan(self, cells: Cells, runs: np.ndarray, stops: np.ndarray, watermark: int) -> Found:
        if is_wide(cells.inputs[self.place].type):
            self._looked_at(cells)  # contexts may become larger by some digits
        return super().scan(cells, runs, stops, watermark)

    def loop(
        self, cells: Cells, runs: np.ndarray, stops: np.ndarray, watermark: int,
        contexts: np.ndarray, needed: np.ndarray, out: np.ndarray,
    ) -> int:  # fmt: skip
        values, cut = self._looked_at(cells)
        count = segment(
            cells.pane, values, cut, runs, stops, self._tick, watermark == ALWAYS,
            self.parameters, contexts, needed, out,
        )  # fmt: skip
        if count < 0:
            raise self.overflow()
        return int(count)

    def cut(
        self, cells: Cells, runs: np.ndarray, begun: np.ndarray, *, final: bool
    ) -> tuple[np.ndarray, int]:
        """The frames that new rows of each key close, as `Found` has them, and how many they are;
        behind them those that are open.  Of one that began before, the number is its place among
        those that were open; of one that begins here, the sequence of its first row is put in
        `begun`, by key."""
        values, cut = self._looked_at(cells)
        most = len(values) + 2 * len(begun)
        if most > self._room.shape[1]:
            self._room = np.empty((6, most), np.int64)
        sequence, first = _numbering(cells)
        closed, opened = segment_new(
            cells.pane, values, cut, runs, sequence, first, self._tick, final, self.parameters,
            self.contexts, begun, self._room,
        )  # fmt: skip
        if closed < 0:
            raise self.overflow()
        return self._room[:, : closed + opened].copy(), closed

    def overflow(self) -> ResultOverflow:
        """What to say where a loop met a sum that its type cannot hold."""
        if pa.types.is_decimal(self._type):
            return ResultOverflow(
                f"{self._frame.canonical}: a decimal sum has more than {DIGITS} digits.",
                hint="cast the column to fewer digits behind the point, or to DOUBLE.",
            )
        return ResultOverflow(
            f"{self._frame.canonical}: an integer sum left the range of BIGINT.",
            hint="cast the column to DOUBLE first.",
        )

    def too_long(self) -> SchemaError:
        """What to say where decimals are not followed exactly."""
        return SchemaError(
            f"{self._frame.canonical}: decimals of up to {DIGITS} digits are followed exactly: "
            f'the rows of "{self._frame.value}" have more, before and behind the point.',
            hint="cast it to fewer digits, or to DOUBLE.",
        )

    @property
    def scale(self) -> int:
        """The power of ten that values are too large by."""
        return self._scaled[0]

    @property
    def parameters(self) -> tuple[Any, ...]:
        """The scheme as the loops take it: for values of the type that was seen last."""
        if self._cutter is None:
            self._cutter = Cutter.of(self._frame, *self._scaled)
        return self._cutter.parameters

    def values_of(self, cells: Cells) -> np.ndarray:
        """Truths or numbers as the loops take them that do not know of bands and intervals."""
        given = cells.inputs[self.place]
        if isinstance(self._frame, BoundaryFrame):
            return self._numbers(self._banded(given))
        interval = self._cut_of(given.type)
        if interval is None:
            return self._numbers(given)
        return self._fitting(truths_of(np.asarray(given), interval), 0)

    def _banded(self, given: pa.Array) -> pa.Array:
        assert isinstance(self._frame, BoundaryFrame)
        try:
            return bands(self._frame, given)
        except (pa.ArrowInvalid, OverflowError):
            raise self.too_long() from None

    def _looked_at(self, cells: Cells) -> tuple[np.ndarray, Any]:
        """Values, and the bands or the interval that the loops look for them in, where they can."""
        given = cells.inputs[self.place]
        if given.type != self._kind:
            self._kind, self._cut = given.type, self._cut_of(given.type)
        if self._cut is None:
            return self.values_of(cells), None
        return self._numbers(given), self._cut

    def _cut_of(self, kind: pa.DataType) -> Any:
        if isinstance(self._frame, BoundaryFrame):
            return cut_by(self._frame, kind)
        return bounds_of(self._frame, kind) if isinstance(self._frame, ThresholdFrame) else None

    def _numbers(self, given: pa.Array) -> np.ndarray:
        self._type = given.type
        try:
            return self._fitting(*numbers_of(given, self._form, self.scale))
        except (pa.ArrowInvalid, OverflowError):
            if not pa.types.is_decimal(given.type):
                raise
            raise self.too_long() from None

    def _fitting(self, values: np.ndarray, scale: int) -> np.ndarray:
        """Values that the scheme is in numbers for; their type is known with the first ones."""
        scaled = scale, values.dtype != np.float64
        if self._cutter is None or scaled != self._scaled:
            self._enlarge(scale - self.scale)
            self._cutter, self._scaled = Cutter.of(self._frame, *scaled), scaled
        return values

    def _enlarge(self, digits: int) -> None:
        """What is kept of open frames has more digits from now on."""
        kept = slice(FIRST_REGISTER, FIRST_REGISTER + (1 if self._form in COUNTING else REGISTERS))
        if digits > 0:
            self.contexts[:, kept] = enlarged(self.contexts[:, kept], digits)

    def digits(self) -> dict[str, np.ndarray]:
        """What contexts are too large by, as a group of columns of a state."""
        return {"scale": np.array([self.scale])}

    def restore_digits(self, columns: Mapping[str, np.ndarray]) -> None:
        """The inverse, or a ValueError."""
        (scale,) = columns["scale"].tolist()
        if not 0 <= scale <= _MOST_DIGITS:
            raise ValueError(f"no decimal has {scale} digits behind the point")
        self._scaled, self._cutter = (scale, self._scaled[1]), None

    def open_rows(self) -> np.ndarray:
        """How many rows the open frame of each key has."""
        return self.contexts[:, COUNT]

    def seen_once(self, codes: np.ndarray) -> None:
        self.contexts[codes, SEEN] = np.minimum(self.contexts[codes, SEEN], 1)

    def sound(self, contexts: np.ndarray, held: np.ndarray) -> bool:
        seen, count = contexts[:, SEEN], contexts[:, COUNT]
        return bool(np.all((seen >= 0) & (seen <= held) & (count >= 0)))


def _numbering(cells: Cells) -> tuple[np.ndarray, int]:
    """The sequence of rows, or none and what they count from."""
    sequence = cells.sequence
    if isinstance(sequence, np.ndarray):
        return sequence, 0
    return _UNMADE, 0 if sequence is None else sequence.first

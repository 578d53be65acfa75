"""Rows by the numbers that they were given as they came, in columns that grow at their end.

Idea: a row stays where it was put, so its number is its place in every column, and there is room
behind the last one.  What only Arrow can hold is kept in few parts, each at most half as long as
the one before.
Cost: a push writes what it brings; each row is moved a few times, however many pushes there are.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from panewise.kernels.cells import Cells
from panewise.kernels.columns import ALL_VALID, Column, Numbers, Objects, as_held
from panewise.kernels.keys import counting_sort

FRESH = 3
"""The mark of a row of which it is not known yet what becomes of it."""


class NumberedRows:
    """Keys, times, sequences, what frames look at and what became of each row, and partials."""

    def __init__(self) -> None:
        self.count = 0
        self._room = 0
        self.codes, self.ticks, self.sequence, self.values = (np.empty(0, np.int64),) * 4
        self.marks = np.empty(0, np.int8)
        self._counted: np.ndarray | None = None
        self._partials: list[_Grown | _Lumps] = []
        self._inputs: list[_Grown | _Lumps] = []

    @property
    def nbytes(self) -> int:
        """What is held, without the room behind it."""
        columns = (self.codes, self.ticks, self.sequence, self.values, self.marks, self._counted)
        plain = sum(each.itemsize for each in columns if each is not None) * self.count
        return plain + sum(each.nbytes(self.count) for each in (*self._partials, *self._inputs))

    def part(self) -> Cells:
        """Keys, times and counted values of all rows, where they lie."""
        counted = None if self._counted is None else self._counted[: self.count]
        return Cells(self.codes[: self.count], self.ticks[: self.count], [], value=counted)

    def rename(self, renamed: np.ndarray) -> None:
        """Keys were numbered anew."""
        self.codes[: self.count] = renamed[self.codes[: self.count]]

    def rename_values(self, renamed: np.ndarray) -> None:
        """Counted values were."""
        if self._counted is not None:
            self._counted[: self.count] = renamed[self._counted[: self.count]]

    def append(self, new: Cells, values: np.ndarray) -> int:
        """Number new rows; the number of the first."""
        low, high = self.count, self.count + len(new)
        if not self._room:
            self._begin(new, values)
        if high > self._room:
            self._grow(2 * high)
        self.codes[low:high], self.ticks[low:high] = new.code, new.pane
        self.sequence[low:high], self.values[low:high] = np.asarray(new.sequence), values
        self.marks[low:high] = FRESH
        if self._counted is not None:
            self._counted[low:high] = new.value
        for kept, column in zip(self._partials, new.partials, strict=True):
            kept.append(column, low, high)
        for kept, looked_at in zip(self._inputs, new.inputs, strict=True):
            kept.append(as_held(looked_at), low, high)
        self.count = high
        return low

    def _begin(self, new: Cells, values: np.ndarray) -> None:
        """Columns of the types of the first rows."""
        self.values = np.empty(0, np.float64 if values.dtype == np.float64 else np.int64)
        self._counted = None if new.value is None else np.empty(0, np.int64)
        self._partials = [_empty(column) for column in new.partials]
        self._inputs = [_empty(as_held(looked_at)) for looked_at in new.inputs]

    def _grow(self, room: int) -> None:
        self._room = room
        self.codes, self.ticks, self.sequence, self.values, self.marks = (
            grown(column, self.count, room)
            for column in (self.codes, self.ticks, self.sequence, self.values, self.marks)
        )
        self._counted = None if self._counted is None else grown(self._counted, self.count, room)
        for kept in (*self._partials, *self._inputs):
            kept.grow(self.count, room)

    def take(self, numbers: np.ndarray) -> Cells:
        """Rows by their numbers, with all that is known of them."""
        cells = self.told(numbers)
        cells.sequence = self.sequence[numbers]
        cells.inputs = [each.take(numbers).arrow() for each in self._inputs]
        return cells.as_rows()

    def told(self, numbers: np.ndarray) -> Cells:
        """The same without what nobody asks of frames that are told."""
        cells = Cells(
            self.codes[numbers], self.ticks[numbers], [p.take(numbers) for p in self._partials]
        )
        if self._counted is not None:
            cells.value, cells.weights = self._counted[numbers], np.ones(len(numbers), np.int64)
        return cells


def grown(column: np.ndarray, used: int, room: int) -> np.ndarray:
    """The values that are used, with room behind them."""
    longer = np.empty((room, *column.shape[1:]), column.dtype)
    longer[:used] = column[:used]
    return longer


def _empty(like: Column) -> _Grown | _Lumps:
    return _Grown(like) if isinstance(like, Numbers) else _Lumps()


class _Grown:
    """Numbers, with room behind them."""

    def __init__(self, like: Numbers) -> None:
        self._kind = like.kind
        self._values = np.empty(0, like.values.dtype)
        self._valid: np.ndarray | None = None
        """Which are present, once one was not."""

    def nbytes(self, count: int) -> int:
        each = self._values.itemsize + (self._valid is not None)
        return count * each

    def grow(self, used: int, room: int) -> None:
        self._values = grown(self._values, used, room)
        self._valid = None if self._valid is None else grown(self._valid, used, room)

    def append(self, column: Column, low: int, high: int) -> None:
        assert isinstance(column, Numbers)
        self._values[low:high] = column.values
        if len(column.valid) and self._valid is None:
            self._valid = np.ones(len(self._values), np.bool_)
        if self._valid is not None:
            self._valid[low:high] = column.valid if len(column.valid) else True

    def take(self, numbers: np.ndarray) -> Numbers:
        valid = ALL_VALID if self._valid is None else self._valid[numbers]
        return Numbers(self._values[numbers], valid, self._kind)


class _Lumps:
    """Arrow arrays one behind another."""

    def __init__(self) -> None:
        self._parts: list[pa.Array] = []

    def nbytes(self, count: int) -> int:
        return sum(part.nbytes for part in self._parts)

    def grow(self, used: int, room: int) -> None:
        """There is room for one more part, always."""

    def append(self, column: Column, low: int, high: int) -> None:
        assert isinstance(column, Objects)
        parts = self._parts
        parts.append(column.array)
        while len(parts) > 1 and len(parts[-2]) <= 2 * len(parts[-1]):
            parts[-2:] = [pa.concat_arrays(parts[-2:])]

    def take(self, numbers: np.ndarray) -> Objects:
        if len(self._parts) == 1:
            return Objects(self._parts[0].take(pa.array(numbers)))
        bounds = np.cumsum([0, *map(len, self._parts)])
        part = np.searchsorted(bounds, numbers, side="right") - 1
        order, runs = counting_sort(part, len(self._parts))
        picked = [
            self._parts[p].take(pa.array(numbers[order[runs[p] : runs[p + 1]]] - bounds[p]))
            for p in range(len(self._parts))
        ]
        back = np.empty(len(numbers), np.int64)
        back[order] = np.arange(len(numbers))
        return Objects(pa.concat_arrays(picked).take(pa.array(back)))

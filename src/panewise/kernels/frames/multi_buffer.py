"""The multi buffer: rows in order with what became of each, repaired where rows come between.

Idea: rows are numbered as they arrive, and stay where they are; blocks keep their numbers in order.
A frame is told by the mark of its first row, so there is no second list that could disagree.
Cost: a push costs what it brings and the frames that it changes, however many rows are held.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from panewise.kernels.cells import Cells
from panewise.kernels.frames.blocks import NONE, Blocks, insert_all, listed
from panewise.kernels.frames.repair import (
    FRESH,
    drop_closed,
    drop_oldest,
    frames_in,
    open_frames,
    repair,
)
from panewise.kernels.frames.scanner import FrameScanner
from panewise.kernels.keys import counting_sort
from panewise.kernels.scanner import Found

_NOTHING = np.empty(0, np.int64)


@dataclass(frozen=True)
class Regions:
    """Rows in order that were cut anew, some stretches, with their frames before and now."""

    rows: np.ndarray
    old: np.ndarray
    """Which of the rows were there before."""
    were: Found
    """Frames over the rows that were there before."""
    now: Found


class MultiBuffer:
    """The rows of all keys."""

    def __init__(self, scanner: FrameScanner, tick: int) -> None:
        self._scanner, self._tick = scanner, tick
        self._clear()

    def _clear(self) -> None:
        self._blocks = Blocks()
        self._parts: list[Cells] = []
        self._ticks, self._sequence, self._values, self._codes, self._marks = (
            np.empty(0, np.int64) for _ in range(5)
        )
        self._count = self._dropped = 0

    def __len__(self) -> int:
        return self._count - self._dropped

    def parts(self) -> list[Cells]:
        """All rows, in no particular order; some may have been dropped."""
        return self._parts

    def rename(self, renamed: np.ndarray) -> None:
        """Keys were numbered anew; those that are gone have -1."""
        self._blocks.grow(len(renamed), 0)
        self._blocks.rename(np.flatnonzero(renamed >= 0))
        self._codes[: self._count] = renamed[self._codes[: self._count]]
        for part in self._parts:
            part.code = renamed[part.code]

    def codes(self) -> np.ndarray:
        """The keys of the rows that are held."""
        return self._codes[self._listed()]

    def sorted(self) -> Cells | None:
        """All rows that are held, by key and in order."""
        return self.take(self._listed()) if len(self) else None

    def load(self, rows: Cells | None, keys: int) -> None:
        """Go on with rows of another buffer: they are cut as they were there."""
        self._clear()
        if rows is not None and len(rows):
            self.insert(rows, keys, tells_open=True)

    def take(self, numbers: np.ndarray) -> Cells:
        """Rows by their numbers."""
        return _taken(self._parts, numbers)

    def told(self, numbers: np.ndarray) -> Cells:
        """The same without what nobody asks of frames that are told."""
        bare = [
            Cells(part.code, part.pane, part.partials, value=part.value, weights=part.weights)
            if part.value is not None
            else Cells(part.code, part.pane, part.partials)
            for part in self._parts
        ]
        return _taken(bare, numbers)

    def insert(self, new: Cells, keys: int, *, tells_open: bool) -> Regions:
        """Put rows, which are by key and in order, in their places, and cut anew around them."""
        low = self._append(new)
        blocks = self._blocks
        blocks.grow(keys, len(new))
        blocks.used = insert_all(
            blocks.chains, blocks.used, self._ticks, self._sequence, new.code, low, self._count
        )
        # a region may reach far, and untouched memory costs nothing
        rows, were = np.empty(self._count, np.int64), np.empty(self._count, np.int8)
        ends, closings = np.empty(len(new), np.int64), np.empty(len(new), np.int64)
        regions = repair(
            blocks.chains, self._ticks, self._sequence, self._values, self._marks,
            np.arange(low, self._count), new.code, self._scanner.parameters, rows, were, ends,
            closings,
        )  # fmt: skip
        if regions < 0:
            raise self._scanner.overflow()
        ends, closings = ends[:regions], closings[:regions]
        count = int(ends[-1]) if regions else 0
        return self._regions(rows[:count], were[:count], ends, closings, tells_open)

    def open_frames(self) -> Regions:
        """The open frame of every key, as if it had not been told before."""
        rows, ends = self._open()
        nothing = np.full(len(rows), FRESH, np.int8)
        return self._regions(rows, nothing, ends, np.full(len(ends), NONE), tells_open=True)

    def open_rows(self) -> np.ndarray:
        """How many rows the open frame of each key that has one has."""
        return np.diff(self._open()[1], prepend=0)

    def _open(self) -> tuple[np.ndarray, np.ndarray]:
        """The rows of all open frames, and where those of each end."""
        rows, ends = np.empty(len(self), np.int64), np.empty(len(self._blocks.head), np.int64)
        found = open_frames(self._blocks.chains, self._marks, rows, ends)
        ends = ends[:found]
        return rows[: int(ends[-1]) if found else 0], ends

    def _regions(
        self,
        rows: np.ndarray,
        were: np.ndarray,
        ends: np.ndarray,
        closings: np.ndarray,
        tells_open: bool,
    ) -> Regions:
        old = were != FRESH
        before = np.concatenate([[0], np.cumsum(old)])[ends]
        closing_times = self._ticks[np.maximum(closings, 0)]

        def frames(rows: np.ndarray, marks: np.ndarray, ends: np.ndarray) -> Found:
            out = np.empty((6, len(rows)), np.int64)
            count = frames_in(
                self._ticks[rows], marks, self._codes[rows], ends, closing_times, closings != NONE,
                tells_open, self._tick, self._scanner.parameters, out,
            )  # fmt: skip
            return Found.of(out[:, :count], None, _NOTHING)

        return Regions(
            rows, old, frames(rows[old], were[old], before), frames(rows, self._marks[rows], ends)
        )

    def _append(self, new: Cells) -> int:
        """Number new rows; the number of the first."""
        assert new.sequence is not None
        low, self._count = self._count, self._count + len(new)
        values = self._scanner.values_of(new)
        if values.dtype != np.float64:
            values = values.astype(np.int64, copy=False)
        given = {
            "_ticks": new.pane, "_sequence": np.asarray(new.sequence), "_codes": new.code,
            "_values": values, "_marks": np.full(len(new), FRESH, np.int8),
        }  # fmt: skip
        for name, more in given.items():
            column = getattr(self, name)
            if self._count > len(column):
                longer = np.empty(max(2 * len(column), self._count), more.dtype)
                longer[:low] = column[:low]
                setattr(self, name, longer)
            getattr(self, name)[low : self._count] = more
        self._parts.append(new)
        while len(self._parts) > 1 and len(self._parts[-2]) <= 2 * len(self._parts[-1]):
            self._parts[-2:] = [Cells.concat(self._parts[-2:])]
        return low

    def drop_closed(self, keep: int) -> None:
        """Forget frames that no row from `keep` on can change."""
        self._dropped += drop_closed(self._blocks.chains, self._ticks, self._marks, keep)
        self._tidy()

    def drop_oldest(self, most: int, fewer: int, floors: np.ndarray) -> None:
        """Forget the first `fewer` frames of keys that have `most`."""
        self._dropped += drop_oldest(
            self._blocks.chains, self._ticks, self._sequence, self._marks, most, fewer, floors
        )
        self._tidy()

    def _tidy(self) -> None:
        """Give rows new numbers, once most of the old ones are gone."""
        if self._dropped <= len(self) + 1024:
            return
        keys, numbers = len(self._blocks.head), self._listed()
        marks = self._marks[numbers]
        rows = self.take(numbers) if len(numbers) else None
        self._clear()
        if rows is None:
            self._blocks.grow(keys, 0)
            return
        low = self._append(rows)
        self._marks[: len(marks)] = marks
        self._blocks.grow(keys, len(rows))
        self._blocks.used = insert_all(
            self._blocks.chains, 0, self._ticks, self._sequence, rows.code, low, self._count
        )

    def _listed(self) -> np.ndarray:
        numbers = np.empty(len(self), np.int64)
        assert listed(self._blocks.chains, numbers) == len(numbers)
        return numbers


def _taken(parts: Sequence[Cells], numbers: np.ndarray) -> Cells:
    """Rows by their numbers, which count through all parts."""
    if len(parts) == 1:
        return parts[0].take(numbers)
    bounds = np.cumsum([0, *map(len, parts)])
    part = np.searchsorted(bounds, numbers, side="right") - 1
    order, runs = counting_sort(part, len(parts))
    picked = [
        parts[p].take(numbers[order[runs[p] : runs[p + 1]]] - bounds[p])
        for p in np.flatnonzero(np.diff(runs)).tolist()
    ]
    back = np.empty(len(numbers), np.int64)
    back[order] = np.arange(len(numbers))
    return Cells.concat(picked).take(back)

"""The multi buffer: rows in order with what became of each, repaired where rows come between.

Idea: rows are numbered as they arrive, and stay where they are; blocks keep their numbers in order.
A frame is told by the mark of its first row, so there is no second list that could disagree.
Cost: a push costs what it brings and the frames that it changes, however many rows are held.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from panewise.kernels.cells import Cells
from panewise.kernels.frames.blocks import NONE, WIDTH, Blocks, insert_all, listed
from panewise.kernels.frames.decimals import enlarged
from panewise.kernels.frames.differences import differences
from panewise.kernels.frames.numbered import FRESH, NumberedRows
from panewise.kernels.frames.repair import (
    drop_closed,
    drop_oldest,
    frames_around,
    open_frames,
    repair,
)
from panewise.kernels.frames.scanner import FrameScanner
from panewise.kernels.scanner import Found

_NOTHING = np.empty(0, np.int64)


@dataclass(frozen=True, slots=True)
class Regions:
    """Rows in order that were cut anew, some stretches, with their frames before and now."""

    rows: np.ndarray
    marks: np.ndarray
    """What had become of the rows before."""
    earlier: np.ndarray
    """The rows that were there before."""
    frames_before: np.ndarray
    frames_now: np.ndarray

    @property
    def were(self) -> Found:
        """Frames over the rows that were there before."""
        return Found.of(self.frames_before, None, _NOTHING)

    @property
    def now(self) -> Found:
        """Frames over all rows."""
        return Found.of(self.frames_now, None, _NOTHING)

    def differences(self, window: int) -> tuple[np.ndarray, np.ndarray, int, int]:
        """What is to be told of a window: frames, their rows, and how many of them are new and
        how many changed; the rest are gone."""
        told, picked, new, revised = differences(
            window, self.frames_before, self.frames_now, self.earlier, self.rows, self.marks
        )
        return told, picked, new, revised


class MultiBuffer:
    """The rows of all keys."""

    def __init__(self, scanner: FrameScanner, tick: int) -> None:
        self._scanner, self._tick = scanner, tick
        self._clear()

    def _clear(self) -> None:
        self._blocks = Blocks()
        self.rows = NumberedRows()
        self._dropped = 0
        self._scale = self._scanner.scale

    def __len__(self) -> int:
        return self.rows.count - self._dropped

    def rename(self, renamed: np.ndarray) -> None:
        """Keys were numbered anew; those that are gone have -1."""
        self._blocks.grow(len(renamed), 0)
        self._blocks.rename(np.flatnonzero(renamed >= 0))
        self.rows.rename(renamed)

    def codes(self) -> np.ndarray:
        """The keys of the rows that are held."""
        return self.rows.codes[self._listed()]

    def sorted(self) -> Cells | None:
        """All rows that are held, by key and in order."""
        return self.rows.take(self._listed()) if len(self) else None

    def load(self, rows: Cells | None, keys: int) -> None:
        """Go on with rows of another buffer: they are cut as they were there."""
        self._clear()
        if rows is not None and len(rows):
            self.insert(rows, keys, tells_open=True)

    def insert(self, new: Cells, keys: int, *, tells_open: bool) -> Regions:
        """Put rows, which are by key and in order, in their places, and cut anew around them."""
        low = self._placed(new, keys)
        kept = self.rows
        # a region may reach far, and untouched memory costs nothing
        rows, were = np.empty(kept.count, np.int64), np.empty(kept.count, np.int8)
        ends, closings = np.empty(len(new), np.int64), np.empty(len(new), np.int64)
        regions = repair(
            self._blocks.chains, kept.ticks, kept.sequence, kept.values, kept.marks, kept.codes,
            low, kept.count, self._scanner.parameters, np.empty(WIDTH, kept.values.dtype), rows,
            were, ends, closings,
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
        found = open_frames(self._blocks.chains, self.rows.marks, rows, ends)
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
        kept = self.rows
        earlier, before, now = frames_around(
            kept.ticks, kept.codes, kept.marks, rows, were, ends, closings, tells_open,
            self._tick, self._scanner.parameters,
        )  # fmt: skip
        return Regions(rows, were, earlier, before, now)

    def _placed(self, new: Cells, keys: int) -> int:
        """Number new rows and put them in their places; the number of the first."""
        values = self._scanner.values_of(new)
        self._enlarge(self._scanner.scale - self._scale)
        low = self.rows.append(new, values)
        blocks, kept = self._blocks, self.rows
        blocks.grow(keys, len(new))
        blocks.used = insert_all(
            blocks.chains, blocks.used, kept.ticks, kept.sequence, kept.codes, low, kept.count
        )
        return low

    def _enlarge(self, digits: int) -> None:
        """What is looked at in rows has more digits from now on."""
        held = self.rows.values[: self.rows.count]
        self._scale += digits
        if digits and len(held):
            try:
                held[:] = enlarged(held, digits)
            except OverflowError:
                raise self._scanner.too_long() from None

    def drop_closed(self, keep: int) -> None:
        """Forget frames that no row from `keep` on can change."""
        self._dropped += drop_closed(self._blocks.chains, self.rows.ticks, self.rows.marks, keep)
        self._tidy()

    def drop_oldest(self, most: int, fewer: int, floors: np.ndarray) -> None:
        """Forget the first `fewer` frames of keys that have `most`."""
        kept = self.rows
        self._dropped += drop_oldest(
            self._blocks.chains, kept.ticks, kept.sequence, kept.marks, most, fewer, floors
        )
        self._tidy()

    def _tidy(self) -> None:
        """Give rows new numbers, once most of the old ones are gone."""
        if self._dropped <= len(self) + 1024:
            return
        keys, numbers = len(self._blocks.head), self._listed()
        marks = self.rows.marks[numbers]
        rows = self.rows.take(numbers) if len(numbers) else None
        self._clear()
        if rows is None:
            self._blocks.grow(keys, 0)
            return
        self._placed(rows, keys)
        self.rows.marks[: len(marks)] = marks

    def _listed(self) -> np.ndarray:
        numbers = np.empty(len(self), np.int64)
        assert listed(self._blocks.chains, numbers) == len(numbers)
        return numbers

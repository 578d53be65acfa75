"""Numbers for distinct rows of integers: one hash table for keys, and for what was reported.

Idea: open addressing over slots that hold row numbers; the rows themselves lie in one matrix, in
the order in which they were first seen.  Rows that are known to be new get slots when the first one
is looked for: who finds them another way may never look.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from panewise.kernels.compiled import compiled


class IntTable:
    """Distinct rows of `width` integers, numbered from 0 as they appear.

    >>> table = IntTable(2)
    >>> table.add([np.array([7, 7, 5]), np.array([1, 1, 1])]).tolist(), len(table)
    ([0, 0, 1], 2)
    """

    def __init__(self, width: int) -> None:
        self.width = width
        self._rows = np.empty((64, width), np.int64)
        self._slots = np.full(128, -1, np.int64)
        self._count = 0
        self._placed = 0  # rows that have slots

    def __len__(self) -> int:
        return self._count

    @property
    def rows(self) -> np.ndarray:
        """The distinct rows in order."""
        return self._rows[: self._count]

    @property
    def nbytes(self) -> int:
        return int(self._rows.nbytes + self._slots.nbytes)

    def add(self, columns: Sequence[np.ndarray]) -> np.ndarray:
        """The number of each row; new ones are added."""
        return self.add_rows(_matrix(columns))

    def add_rows(self, wanted: np.ndarray) -> np.ndarray:
        """The same for rows that lie one behind another."""
        self._place_all()
        numbers = np.empty(len(wanted), np.int64)
        done = 0
        while True:
            done, self._count = _add(
                wanted, numbers, done, self._rows, self._slots, self._count
            )  # stops when the table is half full
            self._placed = self._count
            if done == len(wanted):
                return numbers
            self._make_room(2 * len(self._rows))
            self._place_all()

    def append(self, columns: Sequence[np.ndarray]) -> None:
        """Add rows that are different, and not there yet."""
        fresh = _matrix(columns)
        count = self._count + len(fresh)
        if count > len(self._rows):
            self._make_room(1 << (count - 1).bit_length())
        self._rows[self._count : count] = fresh
        self._count = count

    def find(self, columns: Sequence[np.ndarray]) -> np.ndarray:
        """The number of each row, -1 for rows that were never added."""
        self._place_all()
        wanted = _matrix(columns)
        numbers = np.empty(len(wanted), np.int64)
        _find(wanted, numbers, self._rows, self._slots)
        return numbers

    def keep(self, numbers: np.ndarray) -> None:
        """Forget every row but these, which are numbered anew in this order."""
        kept = self.rows[numbers].copy()
        self.__init__(self.width)  # type: ignore[misc]
        self.add(list(kept.T))

    def _make_room(self, count: int) -> None:
        """Room for so many rows."""
        rows = np.empty((count, self.width), np.int64)
        rows[: self._count] = self.rows
        self._rows = rows

    def _place_all(self) -> None:
        """A slot for every row, and as many that are free."""
        if len(self._slots) < 2 * len(self._rows):
            self._slots, self._placed = np.full(2 * len(self._rows), -1, np.int64), 0
        if self._placed < self._count:
            _place(self._rows, self._slots, self._placed, self._count)
            self._placed = self._count


def _matrix(columns: Sequence[np.ndarray]) -> np.ndarray:
    if len(columns) == 1:
        return np.ascontiguousarray(columns[0], np.int64).reshape(-1, 1)
    return np.stack(columns, axis=1).astype(np.int64, copy=False)


@compiled
def _hash(row, mask):  # type: ignore[no-untyped-def]
    mixed = np.uint64(0x9E3779B97F4A7C15)
    for part in row:
        mixed = (mixed ^ np.uint64(part)) * np.uint64(0xBF58476D1CE4E5B9)
        mixed ^= mixed >> np.uint64(32)
    return np.int64(mixed & np.uint64(mask))


@compiled
def _same(a, b):  # type: ignore[no-untyped-def]
    equal = True
    for i in range(len(a)):
        equal &= a[i] == b[i]
    return equal


@compiled
def _add(wanted, numbers, start, rows, slots, count):  # type: ignore[no-untyped-def]
    mask = len(slots) - 1
    for i in range(start, len(wanted)):
        if 2 * count >= len(slots):
            return i, count
        at = _hash(wanted[i], mask)
        while slots[at] >= 0 and not _same(rows[slots[at]], wanted[i]):
            at = (at + 1) & mask
        if slots[at] < 0:
            slots[at] = count
            rows[count] = wanted[i]
            count += 1
        numbers[i] = slots[at]
    return len(wanted), count


@compiled
def _find(wanted, numbers, rows, slots):  # type: ignore[no-untyped-def]
    mask = len(slots) - 1
    for i in range(len(wanted)):
        at = _hash(wanted[i], mask)
        while slots[at] >= 0 and not _same(rows[slots[at]], wanted[i]):
            at = (at + 1) & mask
        numbers[i] = slots[at]


@compiled
def _place(rows, slots, first, count):  # type: ignore[no-untyped-def]
    mask = len(slots) - 1
    for i in range(first, count):
        at = _hash(rows[i], mask)
        while slots[at] >= 0:
            at = (at + 1) & mask
        slots[at] = i

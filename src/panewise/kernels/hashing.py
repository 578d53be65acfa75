"""Numbers for distinct rows of integers: one hash table for keys, and for what was reported.

Idea: open addressing over slots that hold row numbers; the rows themselves lie in one matrix, in
the order in which they were first seen.
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
        numbers = np.empty(len(wanted), np.int64)
        done = 0
        while True:
            done, self._count = _add(
                wanted, numbers, done, self._rows, self._slots, self._count
            )  # stops when the table is half full
            if done == len(wanted):
                return numbers
            self._grow()

    def find(self, columns: Sequence[np.ndarray]) -> np.ndarray:
        """The number of each row, -1 for rows that were never added."""
        wanted = _matrix(columns)
        numbers = np.empty(len(wanted), np.int64)
        _find(wanted, numbers, self._rows, self._slots)
        return numbers

    def keep(self, numbers: np.ndarray) -> None:
        """Forget every row but these, which are numbered anew in this order."""
        kept = self.rows[numbers].copy()
        self.__init__(self.width)  # type: ignore[misc]
        self.add(list(kept.T))

    def _grow(self) -> None:
        rows = np.empty((2 * len(self._rows), self.width), np.int64)
        rows[: self._count] = self.rows
        self._rows = rows
        self._slots = np.full(2 * len(self._slots), -1, np.int64)
        _place(self._rows, self._slots, self._count)


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
def _place(rows, slots, count):  # type: ignore[no-untyped-def]
    mask = len(slots) - 1
    for i in range(count):
        at = _hash(rows[i], mask)
        while slots[at] >= 0:
            at = (at + 1) & mask
        slots[at] = i

"""How often each window was reported.

Idea: a window that is reported once needs no entry; only those that late rows changed are counted,
until they can change no more.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from panewise.kernels.compiled import compiled
from panewise.kernels.hashing import IntTable
from panewise.kernels.ranges import Ranges


class Revisions:
    """Counts by `(window, key, start or index, end)`."""

    def __init__(self) -> None:
        self._table = IntTable(4)
        self._counts = np.zeros(64, np.int64)
        self._until = np.zeros(64, np.int64)

    def __len__(self) -> int:
        return len(self._table)

    def next(
        self, window: np.ndarray, code: np.ndarray, a: np.ndarray, b: np.ndarray, until: np.ndarray
    ) -> np.ndarray:
        """The revision of windows that were reported before; `until` is their end in ticks."""
        return self.next_of(np.stack([window, code, a, b], axis=1), until)

    def next_of(self, names: np.ndarray, until: np.ndarray) -> np.ndarray:
        """The same for windows whose names are rows of a matrix."""
        places = self._placed(names)
        self._counts[places] += 1
        self._until[places] = until
        return self._counts[places]

    def _placed(self, names: np.ndarray) -> np.ndarray:
        """The entry of each window; new ones come last."""
        places = self._table.add_rows(names)
        while len(self._counts) < len(self._table):
            self._counts = np.concatenate([self._counts, np.zeros_like(self._counts)])
            self._until = np.concatenate([self._until, np.zeros_like(self._until)])
        return places

    def forget(self, keep: int) -> None:
        """Drop what ended before `keep`, once that is the larger part."""
        until = self._until[: len(self._table)]
        if len(until) and 2 * _at_least(until, keep) <= len(until):
            self._select(np.flatnonzero(until >= keep))

    def rename(self, renamed: np.ndarray) -> None:
        """Keys were numbered anew; those that are gone have -1."""
        codes = renamed[self._table.rows[:, 1]]
        kept = np.flatnonzero(codes >= 0)
        rows = self._table.rows[kept].copy()
        rows[:, 1] = codes[kept]
        self._load(rows, self._counts[kept], self._until[kept])

    def codes(self) -> np.ndarray:
        """The keys that have an entry."""
        return self._table.rows[:, 1]

    def state(self) -> dict[str, np.ndarray]:
        """All entries as columns."""
        count = len(self._table)
        window, code, a, b = self._table.rows.T
        return {
            "window": window, "code": code, "a": a, "b": b,
            "count": self._counts[:count], "until": self._until[:count],
        }  # fmt: skip

    def restore(self, columns: dict[str, np.ndarray]) -> None:
        """The inverse of `state`."""
        rows = np.stack([columns[name] for name in ("window", "code", "a", "b")], axis=1)
        self._load(rows, columns["count"], columns["until"])

    def _select(self, kept: np.ndarray) -> None:
        self._load(self._table.rows[kept].copy(), self._counts[kept], self._until[kept])

    def _load(self, rows: np.ndarray, counts: np.ndarray, until: np.ndarray) -> None:
        self._table = IntTable(4)
        places = self._table.add(list(rows.T)) if len(rows) else np.empty(0, np.int64)
        size = max(64, len(rows))
        self._counts, self._until = np.zeros(size, np.int64), np.zeros(size, np.int64)
        self._counts[places], self._until[places] = counts, until


def holds(flags: np.ndarray, found: Ranges) -> np.ndarray:
    """Whether each range has a cell with the flag."""
    counts = np.concatenate([[0], np.cumsum(flags)])
    return counts[found.hi] > counts[found.lo]


def matched(were: Sequence[np.ndarray], now: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Which of the earlier windows each one is (-1: none), and which earlier ones are gone.

    Rows at one time may make windows of no length, which are alike: they are matched in order.
    """
    again, gone = np.full(len(now[0]), -1, np.int64), np.ones(len(were[0]), np.bool_)
    if len(again) and len(gone):
        _merge(tuple(were), _sorted(were), tuple(now), _sorted(now), again, gone)
    return again, gone


def alike(
    columns: Sequence[np.ndarray], marked: np.ndarray, gone: Sequence[np.ndarray]
) -> np.ndarray:
    """Which rows are marked, or equal one that is or that is gone."""
    if not _has_equals(tuple(columns), _sorted(columns)):
        return marked
    table = IntTable(len(columns))
    numbers = table.add(columns)
    some = np.zeros(len(table), np.bool_)
    some[numbers[marked]] = True
    places = table.find(gone)
    some[places[places >= 0]] = True
    return some[numbers]


def _sorted(columns: Sequence[np.ndarray]) -> np.ndarray:
    """The order by all columns, and by place among equals."""
    return np.lexsort(columns[::-1])


@compiled
def _at_least(values, bound):  # type: ignore[no-untyped-def]
    """How many values are not below a bound."""
    count = 0
    for value in values:
        count += value >= bound
    return count


@compiled
def _compared(a, i, b, j):  # type: ignore[no-untyped-def]
    """Below zero, zero or above, as a row is before another, equal to it or behind."""
    for x, y in zip(a, b):  # noqa: B905
        if x[i] != y[j]:
            return -1 if x[i] < y[j] else 1
    return 0


@compiled
def _merge(were, were_order, now, now_order, again, gone):  # type: ignore[no-untyped-def]
    i = j = 0
    while i < len(were_order) and j < len(now_order):
        place = _compared(were, were_order[i], now, now_order[j])
        if place == 0:
            again[now_order[j]] = were_order[i]
            gone[were_order[i]] = False
        i += place <= 0
        j += place >= 0


@compiled
def _has_equals(columns, order):  # type: ignore[no-untyped-def]
    for i in range(1, len(order)):
        if _compared(columns, order[i - 1], columns, order[i]) == 0:
            return True
    return False

"""Accounts: what events leave of one partial in slots, and windows from these.

A difference adds an event where it begins and where it ends.  Blocks, for min and max, put it into
two of 1, 2, 4, ... panes that cover it together; at the end each block is handed to its halves.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from panewise.aggregates import Partial
from panewise.kernels.columns import ALL_VALID, Column, Numbers
from panewise.kernels.compiled import compiled
from panewise.kernels.fold import fold
from panewise.kernels.monoids import MIN, OPERATIONS

SHORT = 8
"""Panes of an event up to which there is a level for every length."""
HEADROOM = 1 << 62
"""Sums of integers below this cannot go around, in whatever order they are made."""


class Account(ABC):
    """One partial in slots."""

    @property
    def tells(self) -> bool:
        """Whether it knows in which slots there are events."""
        return False

    @abstractmethod
    def enter(self, first: np.ndarray, final: np.ndarray, part: int, block: slice) -> None:
        """Events of a block of a part, by their first and last slot."""

    @abstractmethod
    def settle(self) -> None:
        """All events are in."""

    @abstractmethod
    def column(self, lo: np.ndarray, hi: np.ndarray) -> Column:
        """Windows by the slots that they begin with and end before."""

    def presence(self) -> np.ndarray:
        """How many slots before each have events, once it is settled."""
        raise AssertionError("only an account that tells")


class Difference(Account):
    """Counts, and sums of integers."""

    def __init__(self, lifted: Sequence[Numbers], slots: int) -> None:
        self._lifted = lifted
        self._sums = np.zeros(slots + 1, np.int64), np.zeros(slots + 1, np.int64)
        self._nulls = any(len(each.valid) for each in lifted)
        room = slots + 1 if self._nulls else 0
        self._there = np.zeros(room, np.int64), np.zeros(room, np.int64)

    @classmethod
    def of(cls, lifted: Sequence[Numbers], slots: int) -> Difference | None:
        """None where a sum might leave 64 bits."""
        low, high, _ = _span(lifted)
        most = max(-int(low), int(high)) * sum(map(len, lifted))
        if lifted[0].values.dtype != np.int64 or most >= HEADROOM:
            return None
        return cls(lifted, slots)

    def enter(self, first: np.ndarray, final: np.ndarray, part: int, block: slice) -> None:
        lifted = self._lifted[part]
        values = lifted.values[block]
        if self._nulls:
            valid = lifted.present()[block]
            _enter_values(first, final, valid.astype(np.int64), *self._there)
            values = np.where(valid, values, 0)
        _enter_values(first, final, values, *self._sums)

    def settle(self) -> None:
        run(*self._sums)
        run(*self._there)

    def column(self, lo: np.ndarray, hi: np.ndarray) -> Column:
        out, valid = _subtracted(*self._sums, lo, hi), ALL_VALID
        if self._nulls:
            valid = _subtracted(*self._there, lo, hi) > 0
        return Numbers(out, valid, self._lifted[0].kind)


class Blocks(Account):
    """Min or max, where no value is the one that stands for none.

    Where all events are short there is a level for every length: an event is one block then.
    """

    monoids: ClassVar[tuple[str, ...]] = ("min", "max")

    def __init__(self, partial: Partial, lifted: Sequence[Numbers], most: int, slots: int) -> None:
        self._partial, self._lifted, self._short = partial, lifted, most <= SHORT
        levels = self.levels(most)
        self._operation = OPERATIONS[str(partial.monoid)]
        self._none = _nothing(lifted[0].values.dtype, self._operation)
        self._blocks = np.full((levels, slots), self._none)
        self._logs = _logarithms(1 << min(levels, 16))

    @classmethod
    def of(
        cls, partial: Partial, lifted: Sequence[Numbers], most: int, slots: int
    ) -> Blocks | None:
        """For events of at most so many panes."""
        low, high, numbers = _span(lifted)
        none = _nothing(lifted[0].values.dtype, OPERATIONS[str(partial.monoid)])
        if none in (low, high) or not (numbers and np.isfinite(low) and np.isfinite(high)):
            return None
        return cls(partial, lifted, most, slots)

    @staticmethod
    def levels(most: int) -> int:
        """Levels for events of at most so many panes."""
        return most if most <= SHORT else most.bit_length()

    @property
    def tells(self) -> bool:
        return not any(len(each.valid) for each in self._lifted)

    def enter(self, first: np.ndarray, final: np.ndarray, part: int, block: slice) -> None:
        lifted = self._lifted[part]
        values, valid = lifted.values[block], lifted.valid[block]
        if self._short:
            _stack(first, final, values, valid, self._operation, self._blocks)
        else:
            _cover(first, final, values, valid, self._operation, self._logs, self._blocks)

    def settle(self) -> None:
        """Every block goes to its halves, or to the two that are one pane shorter."""
        better = np.minimum if self._operation == MIN else np.maximum
        for level in range(len(self._blocks) - 1, 0, -1):
            half = 1 if self._short else 1 << (level - 1)
            above, below = self._blocks[level], self._blocks[level - 1]
            better(below, above, out=below)
            better(below[half:], above[:-half], out=below[half:])
        self._blocks = self._blocks[:1].copy()  # the other levels are not read any more

    def presence(self) -> np.ndarray:
        return _present(self._blocks[0], self._none)

    def column(self, lo: np.ndarray, hi: np.ndarray) -> Column:
        kind = self._lifted[0].kind
        found = fold(self._partial, Numbers(self._blocks[0], ALL_VALID, kind), lo, hi)
        assert isinstance(found, Numbers)
        if self.tells:  # every window has a value
            return Numbers(found.values, ALL_VALID, kind)
        there = found.values != self._none
        return Numbers(found.values, ALL_VALID if there.all() else there, kind)


def _span(lifted: Sequence[Numbers]) -> tuple[Any, Any, bool]:
    """The least and the greatest value of all, and whether all are numbers."""
    lows, highs, numbers = zip(*(_extremes(each.values) for each in lifted), strict=True)
    return min(lows), max(highs), all(numbers)


def _nothing(kind: np.dtype, operation: int) -> np.generic:
    """What every value comes before."""
    if kind == np.float64:
        return np.float64(np.inf if operation == MIN else -np.inf)
    limits = np.iinfo(np.int64)
    return np.int64(limits.max if operation == MIN else limits.min)


def _subtracted(began: np.ndarray, ended: np.ndarray, lo: np.ndarray, hi: np.ndarray) -> np.ndarray:
    out = np.empty(len(lo), np.int64)
    _subtract(began, ended, lo, hi, out)
    return out


@compiled
def _logarithms(count):  # type: ignore[no-untyped-def]
    """The whole logarithms of all numbers below this."""
    logs = np.zeros(count, np.uint8)
    level = 0
    for n in range(1, count):
        level += (n >> (level + 1)) > 0
        logs[n] = level
    return logs


@compiled
def _present(values, none):  # type: ignore[no-untyped-def]
    out = np.zeros(len(values) + 1, np.int64)
    for i in range(len(values)):
        out[i + 1] = out[i] + (values[i] != none)
    return out


@compiled
def _enter_values(first, final, values, began, ended):  # type: ignore[no-untyped-def]
    for i in range(len(first)):
        began[first[i] + 1] += values[i]
        ended[final[i] + 1] += values[i]


@compiled
def run(began, ended):  # type: ignore[no-untyped-def]
    """Running sums.  All that began for the keys before has ended there: it cancels."""
    a = b = 0
    for i in range(len(began)):
        a += began[i]
        b += ended[i]
        began[i], ended[i] = a, b


@compiled
def _subtract(began, ended, lo, hi, out):  # type: ignore[no-untyped-def]
    for w in range(len(lo)):
        out[w] = began[hi[w]] - ended[lo[w]]


@compiled
def _extremes(values):  # type: ignore[no-untyped-def]
    """The least and the greatest, and whether all are numbers."""
    if len(values) == 0:
        return values.dtype.type(0), values.dtype.type(0), True
    low = high = values[0]
    odd = 0
    for value in values:
        low, high = min(low, value), max(high, value)
        odd += value != value
    return low, high, odd == 0


@compiled
def _cover(first, final, values, valid, operation, logs, blocks):  # type: ignore[no-untyped-def]
    """Two blocks that cover each event together: both, though they may be one, because whether they
    are is hard to predict."""
    every, least, slots = len(valid) == 0, operation == MIN, blocks.shape[1]
    flat = blocks.ravel()
    for i in range(len(first)):
        if not (every or valid[i]):
            continue
        low, value = first[i], values[i]
        count = final[i] - low + 1
        if count < len(logs):
            level = np.int64(logs[count])
        else:
            level = np.int64(16)
            while count >> (level + 1) > 0:
                level += 1
        at = level * slots + low
        second = at + count - (np.int64(1) << level)
        if least:
            flat[at] = min(flat[at], value)
            flat[second] = min(flat[second], value)
        else:
            flat[at] = max(flat[at], value)
            flat[second] = max(flat[second], value)


@compiled
def _stack(first, final, values, valid, operation, blocks):  # type: ignore[no-untyped-def]
    """One block for each event, at the level of its length."""
    every, least, slots = len(valid) == 0, operation == MIN, blocks.shape[1]
    flat = blocks.ravel()
    for i in range(len(first)):
        if every or valid[i]:
            at, value = (final[i] - first[i]) * slots + first[i], values[i]
            flat[at] = min(flat[at], value) if least else max(flat[at], value)

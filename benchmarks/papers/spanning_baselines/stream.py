"""What all techniques share: events, windows that are released in order, and the three aggregates.

A technique is compiled once for each aggregate, with the combine in place: no loop asks which one
it is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit

NOTHING = -(2**62)
"""Below every value: the maximum of nothing."""


@njit
def _count(total: int, value: int) -> int:
    return total + 1


@njit
def _sum(total: int, value: int) -> int:
    return total + value


@njit
def _max(total: int, value: int) -> int:
    return max(total, value)


@dataclass(frozen=True)
class Aggregate:
    """How an event is added, how two parts are combined, and what nothing is."""

    name: str
    add: Callable[..., Any]
    combine: Callable[..., Any]
    zero: int
    selective: bool


AGGREGATES = {
    "count": Aggregate("count", _count, _sum, 0, False),
    "sum": Aggregate("sum", _sum, _sum, 0, False),
    "max": Aggregate("max", _max, _max, NOTHING, True),
}


@dataclass(frozen=True)
class Input:
    """Events in the order of their ends, all after tick 0; a window, and how late it is told."""

    start: np.ndarray
    end: np.ndarray
    value: np.ndarray
    size: int
    slide: int
    delay: int

    @property
    def numbers(self) -> tuple[int, int]:
        """The first window that some event may be in, and the one after the last."""
        low, high = int(self.start.min()), int(self.end.max()) - 1
        return (low - self.size) // self.slide + 1, high // self.slide + 1

    def first(self, rows: int) -> Input:
        """The same with the first events only."""
        cut = (each[:rows] for each in (self.start, self.end, self.value))
        return Input(*cut, self.size, self.slide, self.delay)


@dataclass(frozen=True)
class Output:
    """The results of windows from number `first` on."""

    first: int
    values: np.ndarray
    bytes: int
    """What the technique had room for."""


def answer(given: Input, aggregate: Aggregate) -> Output:
    """By definition, window by window."""
    first, behind = given.numbers
    found = np.full(behind - first, aggregate.zero, np.int64)
    for at, number in enumerate(range(first, behind)):
        begin = number * given.slide
        there = (given.start < begin + given.size) & (given.end > begin)
        values = given.value[there]
        if aggregate.name == "count":
            found[at] = len(values)
        elif len(values):
            found[at] = values.sum() if aggregate.name == "sum" else values.max()
    return Output(first, found, 0)


def power(least: int) -> int:
    """The least power of two that is not below this: places in a ring are a mask then."""
    return 1 << max(0, int(least) - 1).bit_length()

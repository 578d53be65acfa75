"""What all baselines share: the watermark, and how results look."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np

FOREVER = 2**61
SUM, MEDIAN = 0, 1
Aggregate = Literal["sum", "median"]


class Results(NamedTuple):
    """Finished windows, one place in every array for each."""

    query: np.ndarray
    """Which of the sizes."""
    number: np.ndarray
    """The window of that size: `[number * size, (number + 1) * size)`."""
    start: np.ndarray
    end: np.ndarray
    value: np.ndarray


def join(parts: Sequence[Results]) -> Results:
    """All parts in the order of queries and numbers."""
    whole = Results(*(np.concatenate(column) for column in zip(*parts, strict=True)))
    order = np.lexsort((whole.number, whole.query))
    return Results(*(column[order] for column in whole))


class Baseline(ABC):
    """Tumbling windows of some sizes over one key; rows may be late by up to `delay` ticks."""

    def __init__(self, sizes: Sequence[int], delay: int = 0, aggregate: Aggregate = "sum") -> None:
        self.sizes = np.array(sizes, np.int64)
        self.delay = delay
        self.late_rows = 0
        self.aggregate = MEDIAN if aggregate == "median" else SUM
        self.newest = -FOREVER
        self.watermark = -FOREVER

    def push(self, ticks: np.ndarray, values: np.ndarray) -> Results:
        """Take rows in the order of arrival; the windows that end by the new watermark."""
        newest = max(self.newest, int(ticks.max())) if len(ticks) else self.newest
        self.late_rows += self._take(ticks, values, newest)
        self.newest = newest
        self.watermark = max(self.watermark, newest - self.delay)
        return self._report(self.watermark)

    def flush(self) -> Results:
        """All windows that are still open."""
        self.watermark = FOREVER
        return self._report(FOREVER)

    @property
    @abstractmethod
    def bytes(self) -> int:
        """What is held for open windows, without room that is reserved."""

    @abstractmethod
    def _take(self, ticks: np.ndarray, values: np.ndarray, newest: int) -> int:
        """Take a batch whose newest row is known; how many rows came too late."""

    @abstractmethod
    def _report(self, watermark: int) -> Results:
        """The windows that end by the watermark, and forget what no other needs."""

    def _dtype(self, values: np.dtype) -> np.dtype:
        return np.dtype(np.float64) if self.aggregate == MEDIAN else values

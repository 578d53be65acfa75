"""Rows of the frames experiment: one at every tick of time, some of which arrive later.

| scheme | values | frames of about `length` rows by |
|---|---|---|
| threshold | 1 to 99, now and then 0 | `x > 0` |
| boundary | noise on a level that jumps now and then | bands of 10 |
| delta | a walk that goes up or down by 1 | a delta of the root of the length |
| aggregate | 1 to 9 | a sum of 5 times the length |
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import sqrt

import numpy as np

import panewise as pw
from panewise.windows import Frame

SCHEMES = ("threshold", "boundary", "delta", "aggregate")
WIDTH = 10


@dataclass(frozen=True)
class Stream:
    """A description; the rows are made when they are asked for."""

    scheme: str
    length: int
    """Rows of a frame, on average."""
    share: float = 0.0
    """Of rows that are late."""
    delay: int = 1
    """Late rows come up to so many rows later."""

    @property
    def frame(self) -> Frame:
        return {
            "threshold": lambda: pw.threshold_frame("x > 0"),
            "boundary": lambda: pw.boundary_frame("x", width=WIDTH),
            "delta": lambda: pw.delta_frame("x", max(1, round(sqrt(self.length)))),
            "aggregate": lambda: pw.aggregate_frame(pw.sum("x"), 5 * self.length),
        }[self.scheme]()

    def columns(self, rows: int) -> dict[str, np.ndarray]:
        """Time and value, in the order of arrival."""
        x = _values(self.scheme, self.length, rows)
        rng = np.random.default_rng(self.delay)
        late = np.where(rng.random(rows) < self.share, rng.integers(1, self.delay + 1, rows), 0)
        order = np.argsort(np.arange(rows) + late, kind="stable")
        return {"ts": order, "x": x[order]}


@lru_cache(maxsize=2)
def _values(scheme: str, length: int, rows: int) -> np.ndarray:
    rng = np.random.default_rng(length)
    turns = rng.random(rows) < 1 / length
    if scheme == "threshold":
        return np.where(turns, 0, rng.integers(1, 100, rows))
    if scheme == "boundary":
        level = np.cumsum(np.where(turns, rng.integers(1, 10, rows), 0)) % 10
        return WIDTH * level + rng.integers(0, WIDTH, rows)
    if scheme == "delta":
        return np.cumsum(rng.choice([-1, 1], rows))
    return rng.integers(1, 10, rows)

"""The events of the experiment: one ends at every tick, and lengths are spread by 10 about a mean.

As in the source, values are integers, and windows are told when the longest event that may still
come has come.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from benchmarks.papers.spanning_baselines import Input

SPREAD = 10
LATEST = 65_536
"""The first event ends here: all ticks and windows are after 0, as in the source."""


@dataclass(frozen=True)
class Stream:
    """A description; the events are made when they are asked for."""

    events: int
    mean: int
    """Ticks of an event."""

    def columns(self) -> dict[str, np.ndarray]:
        """Start, end and value, in the order of ends."""
        return _columns(self.events, self.mean)

    def given(self, size: int, slide: int) -> Input:
        """For the techniques of the source."""
        return self.over(self.columns(), size, slide)

    @staticmethod
    def over(found: dict[str, np.ndarray], size: int, slide: int) -> Input:
        """Windows over any events in the order of their ends, told as early as is exact."""
        longest = int((found["end"] - found["start"]).max())
        return Input(found["start"], found["end"], found["value"], size, slide, longest)


@lru_cache(maxsize=2)
def _columns(events: int, mean: int) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(mean)
    length = np.maximum(1, rng.normal(mean, SPREAD, events)).astype(np.int64)
    end = np.arange(events) + LATEST
    return {"start": end - length, "end": end, "value": rng.integers(0, 1000, events)}

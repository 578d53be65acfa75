"""How long events last, and how long to wait for them.

Idea: an event is known when it ends.  A window that is told `postpone` after its end misses those
that last longer: an event of duration D is in (D + size) / slide windows, and comes too late for
(D - postpone) / slide of them.  Sums over bins of similar durations give the share of all
contributions that is missed, for any `postpone`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from panewise.windows import Family

FINE = 16
"""Bins between a duration and its double."""
_BINS = 64 * FINE


class Durations:
    """Counts and sums of durations in bins that are a few percent wide."""

    def __init__(self, families: Sequence[Family]) -> None:
        slides = [f.step if f.step < f.size else f.slide for f in families]
        self._rate = sum(1 / slide for slide in slides)
        self._inside = sum(f.size / slide for f, slide in zip(families, slides, strict=True))
        self.counts = np.zeros(_BINS, np.int64)
        self.longest = np.zeros(_BINS, np.int64)

    def add(self, durations: np.ndarray) -> None:
        """Events of these lengths, each at least one tick."""
        place = np.minimum((np.log2(durations) * FINE).astype(np.int64), _BINS - 1)
        np.add.at(self.counts, place, 1)
        np.maximum.at(self.longest, place, durations)

    def late(self, postpone: int) -> float:
        """The share of contributions that come after windows were told."""
        return float(self._late(np.array([postpone]))[0])

    def postponed(self, completeness: float) -> int:
        """The shortest wait that misses no more than this leaves."""
        waits = np.append(0, np.unique(self.longest))
        enough = self._late(waits) <= 1 - completeness
        return int(waits[np.argmax(enough)])

    def _late(self, postpone: np.ndarray) -> np.ndarray:
        """Every event as long as the longest of its bin: never too hopeful."""
        missed = self.counts * np.maximum(self.longest - postpone[:, None], 0) * self._rate
        whole = float((self.counts * (self.longest * self._rate + self._inside)).sum())
        return missed.sum(axis=1) / whole if whole else np.zeros(len(postpone))

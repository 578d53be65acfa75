"""The rows of the slicing experiment: one or many keys, silences, and rows that come late.

Idea: rows are evenly spaced in event time.  A late row arrives up to `delay` after its time, so no
row is later than a watermark that lags by that much, and nothing is dropped.  Values are few and
small, so that sums are exact in floating point too.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

SECOND = 1_000_000
EPOCH = 1_704_067_200 * SECOND  # 2024-01-01 00:00 UTC
BATCH = 65_536
EVERY, SILENCE = 12 * SECOND, 3 * SECOND // 2
"""Five silences a minute, as in the paper, each longer than the gap of its sessions."""
DISTINCT = 1000


@dataclass(frozen=True)
class Stream:
    """A description; the rows are made when they are asked for."""

    rate: int
    """Rows per second of event time."""
    seconds: int
    late: float = 0.0
    """Share of rows that are late."""
    delay: int = 2 * SECOND
    """Ticks that a late row is late at most."""
    silences: bool = False
    keys: int = 0
    distinct: int = DISTINCT
    dtype: str = "int64"

    @property
    def rows(self) -> int:
        return self.rate * self.seconds

    @property
    def lag(self) -> int:
        """Ticks that the watermark must stay behind."""
        return self.delay if self.late else 0

    @property
    def name(self) -> str:
        return f"{self.dtype}, {self.rate:,} rows/s"

    def columns(self, rows: int | None = None) -> dict[str, np.ndarray]:
        """The first rows to arrive, or all: `ts` in ticks, `value`, and `key` if there are keys."""
        found = {"ts": _ticks(self.rate, self.seconds, self.late, self.delay, self.silences)}
        found["value"] = _values(self.rows, self.distinct, self.dtype)
        if self.keys:
            found["key"] = _keys(self.rows, self.keys)
        return {name: column[:rows] for name, column in found.items()}

    def batches(self, rows: int | None = None) -> list[dict[str, np.ndarray]]:
        whole = self.columns(rows)
        return [
            {name: column[begin : begin + BATCH] for name, column in whole.items()}
            for begin in range(0, len(whole["ts"]), BATCH)
        ]


@lru_cache(maxsize=2)
def _ticks(rate: int, seconds: int, late: float, delay: int, silences: bool) -> np.ndarray:
    rng = np.random.default_rng(seconds)
    ticks = np.arange(rate * seconds) * SECOND // rate
    if silences:
        ticks += ticks // (EVERY - SILENCE) * SILENCE
    ticks += EPOCH
    if not late:
        return ticks
    delayed = np.flatnonzero(rng.random(len(ticks)) < late)
    arrival = ticks.copy()
    arrival[delayed] += rng.integers(0, delay, len(delayed), endpoint=True)
    return ticks[np.argsort(arrival, kind="stable")]


@lru_cache(maxsize=2)
def _values(rows: int, distinct: int, dtype: str) -> np.ndarray:
    return np.random.default_rng(distinct).integers(0, distinct, rows).astype(dtype)


@lru_cache(maxsize=1)
def _keys(rows: int, keys: int) -> np.ndarray:
    return np.random.default_rng(keys).integers(0, keys, rows)

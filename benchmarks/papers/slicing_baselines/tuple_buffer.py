"""Tuple buffer: all rows that a window may need, in order of time.

Idea: nothing is shared; a window is a pass over its rows when it ends.
Invariant: `ticks[begin:end]` is sorted, equal ticks in order of arrival.
Cost: a late row shifts all rows after it; a window costs its rows.

The paper's is a ring.  Here the rows move to the front when the end is reached, so that shifts and
passes run over plain memory.  With `merge` a whole batch is sorted in at once, which the paper's
cannot do: the stronger rival wherever rows come in batches.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numba import njit

from benchmarks.papers.slicing_baselines.baseline import FOREVER, Aggregate, Baseline, Results
from benchmarks.papers.slicing_baselines.sorted_rows import (
    finished_by_rows,
    finished_by_time,
    first_from,
    fold_rows,
    move_up,
)


class TupleBuffer(Baseline):
    """Windows of time."""

    def __init__(
        self,
        sizes: Sequence[int],
        delay: int = 0,
        aggregate: Aggregate = "sum",
        *,
        merge: bool = False,
    ) -> None:
        super().__init__(sizes, delay, aggregate)
        self._merge = merge
        self._ticks = np.empty(0, np.int64)
        self._values = np.empty(0)
        self._begin = self._end = 0
        self._following = np.full(len(self.sizes), -FOREVER)

    @property
    def bytes(self) -> int:
        return (self._end - self._begin) * (self._ticks.itemsize + self._values.itemsize)

    def _take(self, ticks: np.ndarray, values: np.ndarray, newest: int) -> int:
        self._reserve(len(ticks), values.dtype)
        if self._merge:
            return self._sort_in(ticks, values)
        self._end, late = _insert(
            self._ticks, self._values, self._begin, self._end, ticks, values, self.watermark
        )
        return late

    def _sort_in(self, ticks: np.ndarray, values: np.ndarray) -> int:
        """The batch behind the rows, and a stable sort of all that it may change."""
        timely = ticks >= self.watermark
        ticks, values = ticks[timely], values[timely]
        if len(ticks):
            at = first_from(self._ticks, self._begin, self._end, ticks.min())
            end = self._end + len(ticks)
            self._ticks[self._end : end], self._values[self._end : end] = ticks, values
            order = np.argsort(self._ticks[at:end], kind="stable")
            for column in (self._ticks, self._values):
                column[at:end] = column[at:end][order]
            self._end = end
        return len(timely) - len(ticks)

    def _reserve(self, rows: int, dtype: np.dtype) -> None:
        if self._end + rows <= len(self._ticks) and self._values.dtype == dtype:
            return
        live = slice(self._begin, self._end)
        room = 2 * (self._end - self._begin + rows)
        kept = self._end - self._begin
        for name, kind in (("_ticks", np.dtype(np.int64)), ("_values", dtype)):
            moved = np.empty(room, kind)
            moved[:kept] = getattr(self, name)[live]
            setattr(self, name, moved)
        self._begin, self._end = 0, kept

    def _report(self, watermark: int) -> Results:
        found = finished_by_time(
            self._ticks, self._begin, self._end, self.sizes, self._following, watermark
        )
        query, number, lo, hi = found
        size = self.sizes[query]
        results = Results(query, number, number * size, (number + 1) * size, self._fold(lo, hi))
        needed = self._following.min()
        self._begin = first_from(self._ticks, self._begin, self._end, needed)
        return results

    def _fold(self, lo: np.ndarray, hi: np.ndarray) -> np.ndarray:
        out = np.empty(len(lo), self._dtype(self._values.dtype))
        fold_rows(self._values, lo, hi, self.aggregate, out)
        return out


class RowTupleBuffer(TupleBuffer):
    """Windows of so many rows: a late row gives all rows after it another index."""

    def __init__(
        self,
        sizes: Sequence[int],
        delay: int = 0,
        aggregate: Aggregate = "sum",
        *,
        merge: bool = False,
    ) -> None:
        super().__init__(sizes, delay, aggregate, merge=merge)
        self._following[:] = 0
        self._before = 0

    def _report(self, watermark: int) -> Results:
        last = watermark == FOREVER
        final = first_from(self._ticks, self._begin, self._end, watermark)
        query, number, lo, hi = finished_by_rows(
            self._before, self._begin, final, self.sizes, self._following, last
        )
        start, end = self._ticks[lo], self._ticks[hi - 1] + 1
        results = Results(query, number, start, end, self._fold(lo, hi))
        reported = int((self._following * self.sizes).min())
        gone = min(max(0, reported - self._before), final - self._begin)
        self._begin += gone
        self._before += gone
        return results


@njit(cache=True)
def _insert(
    kept_ticks: np.ndarray,
    kept_values: np.ndarray,
    begin: int,
    end: int,
    ticks: np.ndarray,
    values: np.ndarray,
    watermark: int,
) -> tuple[int, int]:
    late = 0
    for i in range(len(ticks)):
        tick = ticks[i]
        if tick < watermark:
            late += 1
            continue
        at = end
        if end > begin and tick < kept_ticks[end - 1]:
            at = first_from(kept_ticks, begin, end, tick + 1)
            move_up(kept_ticks, at, end)
            move_up(kept_values, at, end)
        kept_ticks[at] = tick
        kept_values[at] = values[i]
        end += 1
    return end, late

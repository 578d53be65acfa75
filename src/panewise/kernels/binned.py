"""Quantiles of overlapping windows of one key, from panes that are grouped by bins of values.

Idea: when a pane arrives its cells are grouped by bin (`bins.py`), and rows are counted by bin over
all panes so far.  The counts of a window are the difference of two, so the bin that holds a
position is found at once; of the cells only those in that bin are looked at.
Cost: two steps per cell when it comes; per window the number of bins, and its cells in one of them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from panewise.aggregates import Tally
from panewise.kernels.bins import BINS, Bins
from panewise.kernels.cells import Cells
from panewise.kernels.compiled import compiled
from panewise.kernels.ranges import gallop
from panewise.kernels.ranking import Ranking
from panewise.kernels.selection import bin_at, tell

CROWDED = BINS // 4
"""Cells of a pane from which on it is worth to have a count for every bin."""


class BinnedPanes:
    """The panes of cells that one tier holds, for one counted column."""

    def __init__(self) -> None:
        self._bins: Bins | None = None
        self._forget(0)

    def _forget(self, room: int) -> None:
        self._ticks = np.empty(0, np.int64)
        self._begins = np.zeros(1, np.int64)  # where each pane's cells begin in `order`
        self._order = np.empty(room, np.int32)  # cells of a pane by bin, counted from its first
        self._offsets = np.empty((0, BINS + 1), np.int32)  # where each bin begins among them
        self._counts = np.zeros((1, BINS), np.int64)  # rows of each bin in all panes before

    def selected(
        self,
        ranking: Ranking,
        cells: Cells,
        lo: np.ndarray,
        hi: np.ndarray,
        shares: Sequence[float],
    ) -> Tally | None:
        """As `selection.selected`; None where panes are too small for it to pay."""
        starts = _pane_starts(cells.pane)
        if len(cells) < CROWDED * (len(starts) - 1):
            return None
        skipped = self._follow(ranking, cells, starts)
        asked = np.array(sorted(set(shares)), np.float64)
        room = (4 * len(asked) + 1) * len(lo)
        found, counts = np.empty(room, np.int64), np.empty(room, np.int64)
        offsets = np.zeros(len(lo) + 1, np.int64)
        assert self._bins is not None
        _select(
            starts, self._begins[skipped:], self._order, self._offsets[skipped:],
            self._counts[skipped:], self._bins.first, ranking.ranks, cells.value, cells.weights,
            lo, hi, asked, offsets, found, counts,
        )  # fmt: skip
        total = offsets[-1]
        return Tally(offsets, ranking.values.take(pa.array(found[:total])), counts[:total])

    def _follow(self, ranking: Ranking, cells: Cells, starts: np.ndarray) -> int:
        """Know the panes of these cells; how many are known that are gone."""
        bins = ranking.bins()
        ticks, lengths = cells.pane[starts[:-1]], np.diff(starts)
        gone = int(self._ticks.searchsorted(ticks[0]))
        common = len(self._ticks) - gone
        if (
            bins is not self._bins
            or gone > len(ticks)  # what is gone is as much as what is there
            or not np.array_equal(self._ticks[gone:], ticks[:common])
            or not np.array_equal(np.diff(self._begins[gone:]), lengths[:common])
        ):
            self._bins, gone, common = bins, 0, 0
            self._forget(len(cells))
        self._append(bins, cells, starts[common:], ticks[common:], lengths[common:])
        return gone

    def _append(
        self,
        bins: Bins,
        cells: Cells,
        starts: np.ndarray,
        ticks: np.ndarray,
        lengths: np.ndarray,
    ) -> None:
        if not len(ticks):
            return
        known, count = len(self._ticks), len(ticks)
        self._ticks = np.concatenate([self._ticks, ticks])
        begins = self._begins[-1] + np.cumsum(lengths)
        self._begins = np.concatenate([self._begins, begins])
        self._order = _longer(self._order, int(self._begins[known]), int(lengths.sum()))
        self._offsets = _longer(self._offsets, known, count)
        self._counts = _longer(self._counts, known + 1, count)
        assert cells.value is not None and cells.weights is not None
        for at in range(count):
            here = slice(int(starts[at]), int(starts[at + 1]))
            _group(
                bins.of, cells.value[here], cells.weights[here],
                self._order[self._begins[known + at] :], self._offsets[known + at],
                self._counts[known + at], self._counts[known + at + 1],
            )  # fmt: skip


def _longer(rows: np.ndarray, used: int, more: int) -> np.ndarray:
    """Room for more rows, of which so many are used: mostly there is."""
    if used + more <= len(rows):
        return rows
    longer = np.empty((2 * (used + more), *rows.shape[1:]), rows.dtype)
    longer[:used] = rows[:used]
    return longer


@compiled
def _pane_starts(pane):  # type: ignore[no-untyped-def]
    """Where each pane begins, and the end."""
    starts = np.empty(16, np.int64)
    count = at = 0
    while True:
        if count == len(starts):
            starts = np.concatenate((starts, np.empty(count, np.int64)))
        starts[count] = at
        count += 1
        if at == len(pane):
            return starts[:count]
        at = gallop(pane, at, len(pane), pane[at] + 1)


@compiled
def _group(bins, numbers, weights, order, offsets, before, counts):  # type: ignore[no-untyped-def]
    """The cells of one pane by bin; rows by bin in it and all panes before."""
    offsets[:] = 0
    counts[:] = before
    for i in range(len(numbers)):
        at = bins[numbers[i]]
        if at >= 0:
            offsets[at + 1] += 1
            counts[at] += weights[i]
    for at in range(1, len(offsets)):
        offsets[at] += offsets[at - 1]
    nexts = offsets[:-1].copy()
    for i in range(len(numbers)):
        at = bins[numbers[i]]
        if at >= 0:
            order[nexts[at]] = i
            nexts[at] += 1


@compiled
def _select(  # type: ignore[no-untyped-def]
    starts, begins, order, groups, running, first, ranks, numbers, weights,
    lo, hi, shares, offsets, found, counts,
):  # fmt: skip
    coarse = np.empty(running.shape[1], np.int64)
    fine = np.empty(np.diff(first).max(), np.int64)
    n = 0
    for w in range(len(lo)):
        begin, end = np.searchsorted(starts, lo[w]), np.searchsorted(starts, hi[w])
        coarse[:] = running[end] - running[begin]
        rows = coarse.sum()
        here, before = -1, 0  # the bin at hand, and the rows in those before it
        told, last = 0, -1  # rows and the greatest rank that have an entry
        for s in range(len(shares) if rows else 0):
            position = shares[s] * (rows - 1)
            for at in (np.int64(np.floor(position)), np.int64(np.ceil(position))):
                if at < told:
                    continue  # its value was read already
                was = here
                here, before = bin_at(coarse, here, before, at)
                if here != was:
                    fine[:] = 0
                    for p in range(begin, end):
                        for q in range(groups[p, here], groups[p, here + 1]):
                            cell = starts[p] + order[begins[p] + q]
                            fine[ranks[numbers[cell]] - first[here]] += weights[cell]
                n, told, last = tell(fine, first[here], before, at, told, found, counts, n)
        if rows > told:
            found[n], counts[n] = last + 1, rows - told
            n += 1
        offsets[w + 1] = n

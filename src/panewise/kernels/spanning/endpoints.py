"""How many events are there at once.

Idea: cells are the ticks at which events begin, and those at which they are gone.  Along the ticks
of a key run the number of events that are there, and the time they have been there so far.  A
window's highest is that at its beginning or at a tick inside; its mean the difference of the time
at its end and at its beginning, which is exact: 128 bits hold it.
Cost: one pass over the ticks, two searches for each window, and a fold of maxima.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from panewise.aggregates.spanning import HighestPartial
from panewise.kernels.cells import Cells
from panewise.kernels.columns import ALL_VALID, Column, Numbers
from panewise.kernels.compiled import compiled
from panewise.kernels.fold import fold
from panewise.kernels.keys import counting_sort
from panewise.kernels.order import radix_order
from panewise.kernels.spanning.busy import Busy, swept
from panewise.kernels.spanning.compose import Leveled
from panewise.kernels.spanning.layout import Layout, Writes
from panewise.plan import Edges

Ticks = tuple[np.ndarray, np.ndarray, np.ndarray]
"""Key, tick and events of cells, in that order."""


class Endpoints(Layout):
    """Level 0 has the ticks at which events begin, level 1 those at which they are gone."""

    panes = Edges(((1, 0),))

    def writes(self, start: np.ndarray, last: np.ndarray) -> Iterator[Writes]:
        yield Writes(None, 0, start)
        yield Writes(None, 1, last + 1)

    def reads(self, level: int, a: np.ndarray, z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        raise AssertionError("both levels are read as one")

    def extents(self, level: int, pane: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        raise AssertionError("which events are there follows from both levels")


def ticked(
    layout: Endpoints, code: np.ndarray, keys: int, start: np.ndarray, last: np.ndarray
) -> Leveled:
    """The cells of events: hardly two share a tick, so they are sorted and nothing else."""
    parts = []
    for each in layout.writes(start, last):
        order = radix_order(each.tick)
        if keys > 1:
            order = order[counting_sort(code[order], keys)[0]]
        placed, tick = code[order], each.tick[order]
        fresh = np.ones(len(order), np.bool_)
        fresh[1:] = (tick[1:] != tick[:-1]) | (placed[1:] != placed[:-1])
        heads = np.flatnonzero(fresh)
        counts = np.diff(heads, append=len(order))
        parts.append((placed[heads] + each.level * keys, tick[heads], counts))
    codes, ticks, events = (np.concatenate(part) for part in zip(*parts, strict=True))
    return Leveled(Cells(codes, ticks, []), keys, events)


def stretches(begun: Ticks, gone: Ticks) -> Busy:
    """The stretches in which events are there."""
    code, tick, count = gone
    return swept(begun, (code, tick - 1, count))


def at_once(
    begun: Ticks, gone: Ticks, keys: int, windows: tuple[np.ndarray, ...]
) -> tuple[Column, Column]:
    """The highest and the mean number of events in windows `(number, key, start, end)`."""
    most = len(begun[0]) + len(gone[0])
    tick, there, high = (np.empty(most, np.int64) for _ in range(3))
    low, runs = np.empty(most, np.uint64), np.zeros(keys + 1, np.int64)
    size = _run_along(*begun, *gone, tick, there, low, high, runs)
    _, code, start, end = windows
    lo, hi, first = (np.empty(len(code), np.int64) for _ in range(3))
    mean = np.empty(len(code), np.float64)
    _read(tick[:size], there, low, high, runs, code, start, end, lo, hi, first, mean)
    inside = fold(HighestPartial(), Numbers(there[:size], ALL_VALID, pa.int64()), lo, hi)
    assert isinstance(inside, Numbers)
    highest = np.where(inside.present(), np.maximum(first, inside.values), first)
    return Numbers(highest, ALL_VALID, pa.int64()), Numbers(mean, ALL_VALID, pa.float64())


@compiled
def _run_along(c0, t0, n0, c1, t1, n1, tick, there, low, high, runs):  # type: ignore[no-untyped-def]
    """The ticks of each key, the events that are there from each on, and the time until it."""
    n, i, j, key = 0, 0, 0, 0
    while j < len(c1):  # whatever began is gone some time
        code = c1[j]
        while key <= code:
            runs[key] = n
            key += 1
        count = np.int64(0)
        first = n
        while j < len(c1) and c1[j] == code:
            at = t1[j]
            if i < len(c0) and c0[i] == code:
                at = min(at, t0[i])
            if n > first:
                lasted, above = _product(count, at - tick[n - 1])
                low[n] = low[n - 1] + lasted
                high[n] = high[n - 1] + above + (low[n] < lasted)
            else:
                low[n], high[n] = np.uint64(0), 0
            while i < len(c0) and c0[i] == code and t0[i] == at:
                count += n0[i]
                i += 1
            while j < len(c1) and c1[j] == code and t1[j] == at:
                count -= n1[j]
                j += 1
            tick[n], there[n] = at, count
            n += 1
    while key < len(runs):
        runs[key] = n
        key += 1
    return n


@compiled
def _read(tick, there, low, high, runs, code, start, end, lo, hi, first, mean):  # type: ignore[no-untyped-def]
    for w in range(len(code)):
        begin, stop = runs[code[w]], runs[code[w] + 1]
        lo[w] = begin + np.searchsorted(tick[begin:stop], start[w], side="right")
        hi[w] = lo[w] + np.searchsorted(tick[lo[w] : stop], end[w], side="left")
        first[w] = there[lo[w] - 1] if lo[w] > begin else 0
        total, above = np.uint64(0), np.int64(0)
        if hi[w] > begin:
            total, above = _until(tick, there, low, high, hi[w] - 1, end[w])
        if lo[w] > begin:
            less, under = _until(tick, there, low, high, lo[w] - 1, start[w])
            above -= under + (total < less)
            total -= less
        mean[w] = (np.float64(above) * 2.0**64 + np.float64(total)) / (end[w] - start[w])


@compiled
def _until(tick, there, low, high, at, moment):  # type: ignore[no-untyped-def]
    """The time that events have been there until a moment after tick `at`."""
    lasted, above = _product(there[at], moment - tick[at])
    total = low[at] + lasted
    return total, high[at] + above + (total < lasted)


@compiled
def _product(count, length):  # type: ignore[no-untyped-def]
    """Both below 2**63 and not negative, the count below 2**32: their product in 128 bits."""
    n, length = np.uint64(count), np.uint64(length)
    half = np.uint64(32)
    lower = n * (length & np.uint64(2**32 - 1))
    upper = n * (length >> half)
    total = lower + (upper << half)
    return total, np.int64(upper >> half) + (total < lower)

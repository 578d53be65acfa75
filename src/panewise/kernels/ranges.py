"""Which cells belong to which window: intervals of row indices over sorted cells.

Idea: cells are sorted by (key, pane), so every window of every type is a range `[lo, hi)` of rows.
A pass reports the windows whose end lies in `(prev, watermark]`; what later windows need is kept.
Cost: O(cells + windows reported); stretches without events are jumped over.
"""

from __future__ import annotations

import numpy as np

from panewise.kernels.compiled import compiled
from panewise.windows import Family

NEVER = -(2**63)
ALWAYS = 2**63 - 1


def periodic_ranges(
    pane: np.ndarray, runs: np.ndarray, family: Family, prev: int, watermark: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Starts, ends, `lo` and `hi` of the family's windows that end in `(prev, watermark]`."""
    shape = (family.size, family.slide, family.step, family.origin, family.once)
    count = _periodic(pane, runs, *shape, prev, watermark, _EMPTY, _EMPTY, _EMPTY, _EMPTY)
    found = tuple(np.empty(count, np.int64) for _ in range(4))
    _periodic(pane, runs, *shape, prev, watermark, *found)
    return found  # type: ignore[return-value]


def count_periodic(
    pane: np.ndarray, runs: np.ndarray, family: Family, prev: int, watermark: int
) -> int:
    """How many windows such a pass reports."""
    shape = (family.size, family.slide, family.step, family.origin, family.once)
    return int(_periodic(pane, runs, *shape, prev, watermark, _EMPTY, _EMPTY, _EMPTY, _EMPTY))


_EMPTY = np.empty(0, np.int64)


@compiled
def _periodic(  # type: ignore[no-untyped-def]
    pane, runs, size, slide, step, origin, once, prev, watermark, starts, ends, los, his
):
    fill = len(starts) > 0
    n = 0
    for r in range(len(runs) - 1):
        lo, stop = runs[r], runs[r + 1]
        if lo == stop:
            continue
        hi = lo  # ends ascend as starts do: neither goes back
        k = (pane[lo] - size - origin) // slide + 1
        if prev != NEVER:  # windows that ended by then were reported before
            k = max(k, (prev - size - origin) // slide + 1)
        if once:
            k = 0
        while True:
            start = origin + k * slide
            if watermark - step < start and watermark != ALWAYS:
                break
            while lo < stop and pane[lo] < start:
                lo += 1
            if lo == stop:
                break
            if pane[lo] >= start + size:  # nothing in here: on to the first window that has a cell
                if once:
                    break
                k = (pane[lo] - size - origin) // slide + 1
                continue
            hi = max(hi, lo)
            end = start
            while end < start + size:
                end += step
                while hi < stop and pane[hi] < end:
                    hi += 1
                if hi > lo and end > prev and end <= watermark:
                    if fill:
                        starts[n], ends[n], los[n], his[n] = start, end, lo, hi
                    n += 1
            if once:
                break
            k += 1
    return n


@compiled
def still_needed(pane, size, slide, origin, once, watermark, mask):  # type: ignore[no-untyped-def]
    """Mark the cells that a window ending after the watermark still reads."""
    for i in range(len(pane)):
        k = 0 if once else (pane[i] - origin) // slide
        start = origin + k * slide
        if start <= pane[i] < start + size and start + size > watermark:
            mask[i] = True


@compiled
def session_ranges(first, last, runs, gap, watermark):  # type: ignore[no-untyped-def]
    """Every session as `lo`, `hi`, its first and last time, and whether it is closed.

    Cells of a key ascend by their first time.
    """
    n = len(first)
    los, his = np.empty(n, np.int64), np.empty(n, np.int64)
    begins, ends = np.empty(n, np.int64), np.empty(n, np.int64)
    closed = np.empty(n, np.bool_)
    count = 0
    for r in range(len(runs) - 1):
        i, stop = runs[r], runs[r + 1]
        while i < stop:
            lo, begin, end = i, first[i], last[i]
            i += 1
            while i < stop and first[i] - end <= gap:
                begin = min(begin, first[i])
                end = max(end, last[i])
                i += 1
            los[count], his[count], begins[count], ends[count] = lo, i, begin, end
            # cells yet to come have their first time at or after the watermark
            closed[count] = watermark == ALWAYS or end + gap < watermark
            count += 1
    return los[:count], his[:count], begins[:count], ends[:count], closed[:count]


@compiled
def panes_of(ticks, periods, phases, fixed, out):  # type: ignore[no-untyped-def]
    """The greatest edge at or before each tick."""
    for i in range(len(ticks)):
        t = ticks[i]
        best = NEVER
        for j in range(len(periods)):
            best = max(best, t - (t - phases[j]) % periods[j])
        for j in range(len(fixed)):
            if fixed[j] <= t:
                best = max(best, fixed[j])
        out[i] = best

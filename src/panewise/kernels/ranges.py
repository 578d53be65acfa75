"""Which cells belong to which window: intervals of row indices over sorted cells.

Idea: cells are sorted by (key, pane), so every window of every type is a range `[lo, hi)` of rows.
A pass reports the windows whose end lies in `(prev, watermark]`, of many families in one call.
Cost: O(windows reported x log(cells)); stretches without events are jumped over.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from panewise.kernels.compiled import compiled, inlined

NEVER = -(2**63)
ALWAYS = 2**63 - 1
_UNKNOWN = np.empty(0, np.int64)
_EXACT = 2**52
ROOMY = 1 << 20
"""Windows up to which there is room for all that may be due: to count them first takes as long."""


@dataclass(slots=True)
class Ranges:
    """Windows with the rows of cells behind each: which window, which key, which interval."""

    window: np.ndarray
    code: np.ndarray
    start: np.ndarray
    end: np.ndarray
    lo: np.ndarray
    hi: np.ndarray

    def __len__(self) -> int:
        return len(self.window)

    def take(self, picked: np.ndarray) -> Ranges:
        return Ranges(*(each[picked] for each in self.arrays()))

    @classmethod
    def empty(cls, count: int = 0) -> Ranges:
        return cls(*(np.empty(count, np.int64) for _ in range(6)))

    def arrays(self) -> tuple[np.ndarray, ...]:
        return self.window, self.code, self.start, self.end, self.lo, self.hi


def periodic_ranges(
    pane: np.ndarray,
    runs: np.ndarray,
    families: np.ndarray,
    prev: np.ndarray,
    watermark: np.ndarray,
    most: int = ALWAYS,
    ends: np.ndarray = _UNKNOWN,
) -> Ranges | None:
    """The windows of all families that end in `(prev, watermark]`; None if there are too many.

    Bounds are one for all keys, or one for each.  `ends` are the next ends of the families, where
    they are known: most families have none in so short a time.
    """
    expected = _at_most(pane, len(runs) - 1, families, ends, prev, watermark)
    room = np.empty((6, expected + 1), np.int64)
    count = find_periodic(pane, runs, families, ends, prev, watermark, *room)
    if count > most:
        return None
    if count > room.shape[1]:
        room = np.empty((6, count), np.int64)
        find_periodic(pane, runs, families, ends, prev, watermark, *room)
    return Ranges(*room[:, :count])


def touched_ranges(
    pane: np.ndarray, runs: np.ndarray, fresh: np.ndarray, families: np.ndarray, prev: np.ndarray
) -> Ranges:
    """The windows that had ended by `prev` and hold a fresh cell."""
    found = Ranges.empty()
    count = _touched(pane, runs, fresh, families, prev, *found.arrays())
    if count:
        found = Ranges.empty(count)
        _touched(pane, runs, fresh, families, prev, *found.arrays())
    return found


@compiled
def _at_most(pane, keys, families, ends, prev, watermark):  # type: ignore[no-untyped-def]
    """No more windows hold a cell and end in `(prev, watermark]`, unless they are `ROOMY`.

    With bounds for each key, mostly one is due of each family.  In floats, which do not go around.
    """
    if len(pane) == 0:
        return 0
    earliest, latest = pane[0], pane[-1]
    if keys > 1:  # those of one key ascend
        earliest, latest = pane.min(), pane.max()
    first, until, found = float(max(prev[0], earliest)), watermark.max(), 0.0
    for f in range(len(families)):
        if len(ends) and ends[f] > until:
            continue
        _, size, slide, step, _, once = families[f]
        starts = float(keys)
        if not once and len(prev) == 1:
            last = min(float(until), float(latest) + size)
            in_time = keys * (max(last - first, 0.0) // slide + 2)
            starts = min(in_time, len(pane) * math.ceil(size / slide))
        found += starts * (math.ceil(size / step) if len(prev) == 1 else 1)
    return int(min(found, float(ROOMY)))


@compiled
def gallop(pane, lo, stop, bound):  # type: ignore[no-untyped-def]
    """The first row from `lo` on whose pane is not before the bound."""
    if lo >= stop or pane[lo] >= bound:
        return lo
    width = 1
    while lo + width < stop and pane[lo + width] < bound:
        lo += width
        width <<= 1
    left = min(lo + width, stop) - lo
    while left > 1:  # without a branch, which would be guessed wrong every other time
        half = left >> 1
        lo += half * (pane[lo + half] < bound)
        left -= half
    return lo + 1


@compiled
def gallop_back(pane, lo, stop, bound):  # type: ignore[no-untyped-def]
    """The same, looked for from the end on."""
    if lo >= stop or pane[stop - 1] < bound:
        return stop
    hi, width = stop - 1, 1
    while hi - width >= lo and pane[hi - width] >= bound:
        hi -= width
        width <<= 1
    left = min(width, hi - lo + 1)
    while left > 1:
        half = left >> 1
        hi -= half * (pane[hi - half] >= bound)
        left -= half
    return hi


@compiled
def find_periodic(  # type: ignore[no-untyped-def]
    pane, runs, families, next_ends, prevs, watermarks, windows, codes, starts, ends, los, his
):
    """How many windows there are; as many as there is room for are told."""
    n = 0
    for f in range(len(families)):
        if len(next_ends) > 0 and next_ends[f] > watermarks[0] and len(prevs) == 1:
            continue
        _, size, slide, step, _, once = families[f]
        if size == slide == step and not once:
            n = _find_tumbling(
                pane, runs, families[f], prevs, watermarks,
                windows, codes, starts, ends, los, his, n,
            )  # fmt: skip
        else:
            n = _find_overlapping(
                pane, runs, families[f], prevs, watermarks,
                windows, codes, starts, ends, los, his, n,
            )  # fmt: skip
    return n


@compiled
def _find_tumbling(  # type: ignore[no-untyped-def]
    pane, runs, family, prevs, watermarks, windows, codes, starts, ends, los, his, n
):
    """Windows that follow each other: every cell is in one, which its pane alone tells."""
    window, size, origin = family[0], family[1], family[4]
    inverse = 1.0 / size
    one, room = len(prevs) == 1, len(starts)
    told, known = NEVER, NEVER  # cells before this are in windows that were reported
    for r in range(len(runs) - 1):
        lo, stop = runs[r], runs[r + 1]
        prev, watermark = prevs[0 if one else r], watermarks[0 if one else r]
        if prev != known:
            told, known = origin + (prev - origin) // size * size, prev
        if known != NEVER and lo < stop and pane[lo] < told:
            lo = gallop(pane, lo, stop, told)
        while lo < stop:
            start = origin + _floor_quotient(pane[lo] - origin, size, inverse) * size
            end = start + size
            if end > watermark:
                break
            hi = lo + 1
            if hi < stop and pane[hi] < end:
                hi = gallop(pane, hi, stop, end)
            if n < room:
                windows[n], codes[n] = window, r
                starts[n], ends[n], los[n], his[n] = start, end, lo, hi
            n += 1
            lo = hi
    return n


@inlined
def _floor_quotient(number, divisor, inverse):  # type: ignore[no-untyped-def]
    """`number // divisor`: to multiply is several times faster, and off by one at most where
    numbers are below 2**52."""
    if not -_EXACT < number < _EXACT:
        return number // divisor
    about = np.int64(np.floor(number * inverse))
    left = number - about * divisor
    return about - (left < 0) + (left >= divisor)


@compiled
def _find_overlapping(  # type: ignore[no-untyped-def]
    pane, runs, family, prevs, watermarks, windows, codes, starts, ends, los, his, n
):
    """Windows that share cells, or leave some out: from one start to the next."""
    one = len(prevs) == 1
    window, size, slide, step, origin, once = family
    least, known = NEVER, NEVER  # the first window that ends after this is mostly the same
    for r in range(len(runs) - 1):
        lo, stop = runs[r], runs[r + 1]
        if lo == stop:
            continue
        prev, watermark = prevs[0 if one else r], watermarks[0 if one else r]
        hi = lo  # ends ascend as starts do: neither goes back
        if prev != NEVER and prev != known:
            least, known = (prev - size - origin) // slide + 1, prev
        if once:
            k = 0
        elif prev != NEVER and pane[lo] - size - origin < least * slide:
            k = least  # windows that ended by then were reported before
        else:
            k = (pane[lo] - size - origin) // slide + 1
        while True:
            start = origin + k * slide
            if watermark - step < start and watermark != ALWAYS:
                break
            lo = gallop(pane, lo, stop, start)
            if lo == stop:
                break
            if pane[lo] >= start + size:  # nothing here: on to the first that has a cell
                if once:
                    break
                k = (pane[lo] - size - origin) // slide + 1
                continue
            hi = max(hi, lo)
            end = start
            while end < start + size:
                end += step
                hi = gallop(pane, hi, stop, end)
                if hi > lo and end > prev and end <= watermark:
                    if n < len(starts):
                        windows[n], codes[n] = window, r
                        starts[n], ends[n], los[n], his[n] = start, end, lo, hi
                    n += 1
            if once:
                break
            k += 1
    return n


@compiled
def _touched(  # type: ignore[no-untyped-def]
    pane, runs, fresh, families, prevs, windows, codes, starts, ends, los, his
):
    fill = len(starts) > 0
    one = len(prevs) == 1
    n = 0
    for f in range(len(families)):
        window, size, slide, step, origin, once = families[f]
        for r in range(len(runs) - 1):
            prev = prevs[0 if one else r]
            if prev == NEVER:
                continue
            done = NEVER  # windows up to this k have been told already
            lo = hi = runs[r]
            stop = runs[r + 1]
            for i in range(runs[r], stop):
                if not fresh[i]:
                    continue
                if pane[i] >= prev:
                    break
                first, last = (pane[i] - size - origin) // slide + 1, (pane[i] - origin) // slide
                if once:
                    first, last = 0, 0
                if done != NEVER:
                    first = max(first, done + 1)
                for k in range(first, last + 1):
                    start = origin + k * slide
                    if not start <= pane[i] < start + size:
                        continue
                    done = k
                    lo = gallop(pane, lo, stop, start)  # starts ascend with k
                    end = start + step * ((pane[i] - start) // step + 1)
                    while end <= start + size and end <= prev:
                        hi = gallop(pane, i, stop, end)
                        if fill:
                            windows[n], codes[n] = window, r
                            starts[n], ends[n], los[n], his[n] = start, end, lo, hi
                        n += 1
                        end += step
    return n


@compiled
def earliest_starts(families, keep):  # type: ignore[no-untyped-def]
    """For each key, where the earliest window that ends after `keep` starts."""
    out = np.full(len(keep), ALWAYS, np.int64)
    for r in range(len(keep)):
        for f in range(len(families)):
            size, slide, origin = families[f, 1], families[f, 2], families[f, 4]
            out[r] = min(out[r], origin + ((keep[r] - size - origin) // slide + 1) * slide)
    return out


@compiled
def session_ranges(first, last, runs, gap, watermark):  # type: ignore[no-untyped-def]
    """Every session as its key, `lo`, `hi`, first and last time, and whether it is closed.

    Cells of a key ascend by their first time.
    """
    n = len(first)
    codes, los, his = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n, np.int64)
    begins, ends = np.empty(n, np.int64), np.empty(n, np.int64)
    closed = np.empty(n, np.bool_)
    count = 0
    for r in range(len(runs) - 1):
        i, stop = runs[r], runs[r + 1]
        while i < stop:
            lo, begin, end = i, first[i], last[i]
            i += 1
            while i < stop and first[i] <= end + gap:  # the difference might not fit 64 bits
                begin = min(begin, first[i])
                end = max(end, last[i])
                i += 1
            codes[count], los[count], his[count] = r, lo, i
            begins[count], ends[count] = begin, end
            # a row at the watermark may still come, and joins at a distance of the gap
            closed[count] = watermark == ALWAYS or end + gap < watermark
            count += 1
    return (
        codes[:count], los[:count], his[:count], begins[:count], ends[:count], closed[:count],
    )  # fmt: skip

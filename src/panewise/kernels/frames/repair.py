"""Repairing frames after rows came between others: split and merge until nothing differs.

Idea: a frame depends on nothing before its first row.  So the rows are cut anew from the first row
of the frame that a late row falls into, and as soon as a row opens a frame that opened one before,
all that follows is as it was.  What is compared is the row itself, not its time, which another row
may share.

References: the technical report on frames (multi buffer, split and merge), with its exit condition
corrected.
"""

from __future__ import annotations

import numpy as np

from panewise.kernels.compiled import compiled
from panewise.kernels.frames.blocks import NONE, after, before, drop_first, found
from panewise.kernels.frames.joining import joining, written
from panewise.kernels.frames.numbered import FRESH
from panewise.kernels.frames.segment import counts, put
from panewise.kernels.frames.verdict import GROWS, OPENS, OUTSIDE, lasting, step


@compiled
def _begin(chains, ticks, marks, block, at):  # type: ignore[no-untyped-def]
    """The last place, not behind this one, before which no frame is open."""
    ids = chains[2]
    while True:
        while at > 0 and marks[ids[block, at]] == GROWS:  # the frame is open before such a row
            at -= 1
        earlier, slot = before(chains, block, at)
        if earlier == NONE:
            return block, at
        p, x = ids[earlier, slot], ids[block, at]
        apart = marks[x] == OPENS or marks[x] == OUTSIDE or marks[p] == OUTSIDE
        if apart and ticks[p] < ticks[x]:
            return block, at
        block, at = earlier, slot


@compiled
def repair(  # type: ignore[no-untyped-def]
    chains, ticks, sequence, values, marks, codes, low, high, parameters, near, rows, were, ends,
    closings,
):  # fmt: skip
    """Cut anew around the rows `[low, high)`, by key and time; how many regions, -1 if a sum goes
    around.

    Fills the rows of all regions in order, with their marks before, where each region ends, and
    the row that closes it (NONE: the end of all rows).  `near` is room for the values of a block.
    A region neither begins nor ends between rows of one time: frames without a length are told
    apart by their number only.
    """
    form, ahead, bound, _, most, _, longest, _ = parameters
    _, _, ids, sizes, following, _ = chains
    n = regions = 0
    for row in range(low, high):
        if marks[row] != FRESH:
            continue
        block, at = found(chains, ticks, sequence, codes[row], row)
        block, at = _begin(chains, ticks, marks, block, at)
        a = b = values.dtype.type(0)
        count = start = 0
        closing = last = NONE
        while block != NONE:
            if count > 0:
                passed, a, b = joining(
                    ids[block], at, sizes[block], ticks, values, near, parameters, a, b, count,
                    start,
                )  # fmt: skip
                if passed > 0:
                    n = written(ids[block], at, passed, marks, rows, were, n)
                    count, last, at = count + passed, rows[n - 1], at + passed
                if at == sizes[block]:
                    block, at = following[block], 0
                    continue
            x = ids[block, at]
            was = marks[x]
            lasts = lasting(start, ticks[x])
            became, a, b = step(form, ahead, bound, most, longest, a, b, count, lasts, values[x])
            if became < 0:
                return -1
            aligned = became == was and became != GROWS and marks[row] != FRESH
            if aligned and last != NONE and ticks[x] > ticks[last]:
                closing = x
                break
            if became == GROWS:
                count += 1
            else:
                start, count = ticks[x], 1 if became == OPENS else 0
            marks[x], rows[n], were[n] = became, x, was
            last = x
            n += 1
            block, at = after(chains, block, at)
        ends[regions], closings[regions] = n, closing
        regions += 1
    return regions


@compiled
def frames_in(  # type: ignore[no-untyped-def]
    ticks, codes, rows, marks, ends, closings, tells_open, tick, parameters, out
):
    """The frames of regions by the marks of their rows; open ones too, if they are told."""
    n = low = 0
    for r in range(len(ends)):
        lo = NONE
        for i in range(low, ends[r]):
            if marks[i] == GROWS:
                continue
            end = ticks[rows[i]]
            if lo != NONE:
                start, last = ticks[rows[lo]], ticks[rows[i - 1]]
                if counts(parameters, i - lo, start, last, end):
                    n = put(out, n, codes[rows[lo]], 0, start, end, lo, i)
            lo = i if marks[i] == OPENS else NONE
        high, closed = ends[r], closings[r] != NONE
        if lo != NONE and (closed or tells_open):
            start, last = ticks[rows[lo]], ticks[rows[high - 1]]
            end = ticks[closings[r]] if closed else last + tick
            if counts(parameters, high - lo, start, last, end):
                n = put(out, n, codes[rows[lo]], 0, start, end, lo, high)
        low = high
    return n


@compiled
def frames_around(  # type: ignore[no-untyped-def]
    ticks, codes, marks, rows, were, ends, closings, tells_open, tick, parameters
):
    """The rows of regions that were there before; the frames over them, and over all rows now."""
    earlier, earlier_ends = np.empty(len(rows), np.int64), np.empty(len(ends), np.int64)
    marks_before, marks_now = np.empty(len(rows), np.int8), np.empty(len(rows), np.int8)
    m = low = opened_before = opened = 0
    for r in range(len(ends)):
        for i in range(low, ends[r]):
            marks_now[i] = marks[rows[i]]
            opened += marks_now[i] == OPENS
            if were[i] != FRESH:
                earlier[m], marks_before[m] = rows[i], were[i]
                opened_before += were[i] == OPENS
                m += 1
        earlier_ends[r], low = m, ends[r]
    before, now = np.empty((6, opened_before), np.int64), np.empty((6, opened), np.int64)
    count = frames_in(
        ticks, codes, earlier, marks_before, earlier_ends, closings, tells_open, tick, parameters,
        before,
    )  # fmt: skip
    before = before[:, :count]
    count = frames_in(
        ticks, codes, rows, marks_now, ends, closings, tells_open, tick, parameters, now
    )
    return earlier[:m], before, now[:, :count]


@compiled
def open_frames(chains, marks, rows, ends):  # type: ignore[no-untyped-def]
    """The rows of every key's open frame; how many keys have one."""
    tail, ids = chains[1], chains[2]
    n = found_ = 0
    for key in range(len(tail)):
        if tail[key] == NONE:
            continue
        block, at = tail[key], chains[3][tail[key]] - 1
        if marks[ids[block, at]] == OUTSIDE:
            continue
        while marks[ids[block, at]] != OPENS:
            block, at = before(chains, block, at)
        while block != NONE:
            rows[n] = ids[block, at]
            n += 1
            block, at = after(chains, block, at)
        ends[found_] = n
        found_ += 1
    return found_


@compiled
def drop_closed(chains, ticks, marks, keep):  # type: ignore[no-untyped-def]
    """Forget frames that nothing can change: those closed by a row before `keep`. How many rows."""
    head, _, ids, sizes, following, _ = chains
    dropped = 0
    for key in range(len(head)):
        block, seen, final = head[key], 0, 0
        while block != NONE and ticks[ids[block, 0]] < keep:
            for at in range(sizes[block]):
                x = ids[block, at]
                if ticks[x] >= keep:
                    break
                if marks[x] == OPENS:
                    final = seen
                elif marks[x] == OUTSIDE:
                    final = seen + 1
                seen += 1
            block = following[block]
        drop_first(chains, key, final)
        dropped += final
    return dropped


@compiled
def drop_oldest(chains, ticks, sequence, marks, most, fewer, floors):  # type: ignore[no-untyped-def]
    """Whenever a key has `most` closed frames, forget the first `fewer`; how many rows.

    A push may bring many frames, and they are forgotten as if they had come one by one.
    `floors` are the time and sequence of the first row that each such key still has.
    """
    head, _, ids, sizes, following, _ = chains
    dropped = 0
    for key in range(len(head)):
        closed, is_open = 0, False
        block = head[key]
        while block != NONE:
            for at in range(sizes[block]):
                mark = marks[ids[block, at]]
                if mark != GROWS:
                    closed += is_open
                    is_open = mark == OPENS
            block = following[block]
        if closed < most:
            continue
        gone = ((closed - most) // fewer + 1) * fewer
        passed = seen = 0
        block, at = head[key], 0
        while block != NONE:  # behind as many frames, and rows in none, as are forgotten
            mark = marks[ids[block, at]]
            passed += mark == OPENS
            if passed > gone or (passed == gone and mark == OUTSIDE):
                break
            seen += 1
            block, at = after(chains, block, at)
        floors[key, 0], floors[key, 1] = ticks[ids[block, at]], sequence[ids[block, at]]
        drop_first(chains, key, seen)
        dropped += seen
    return dropped

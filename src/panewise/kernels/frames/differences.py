"""What is to be told of frames that were cut anew: those that are new, changed or gone.

Idea: within regions frames do not overlap, so before and now they are in the order of their keys
and times, and one pass finds which are the same.  The rows of all that are told are listed one
frame after another, so that they are read once, and folded together.
"""

from __future__ import annotations

import numpy as np

from panewise.kernels.compiled import compiled
from panewise.kernels.disjoint import NONE
from panewise.kernels.frames.numbered import FRESH

_CODE, _, _START, _END, _LO, _HI = range(6)
"""The columns of frames, as `Found` has them."""


@compiled
def _compared(a, i, b, j):  # type: ignore[no-untyped-def]
    """Below zero, zero or above, as a frame is before another, has its name or is behind."""
    for column in (_CODE, _START, _END):
        if a[column, i] != b[column, j]:
            return -1 if a[column, i] < b[column, j] else 1
    return 0


@compiled
def _matched(were, now):  # type: ignore[no-untyped-def]
    """Which of the earlier frames each one is, or NONE, and which earlier ones are gone."""
    again, gone = np.full(now.shape[1], NONE), np.ones(were.shape[1], np.bool_)
    i = j = 0
    while i < len(gone) and j < len(again):
        place = _compared(were, i, now, j)
        if place == 0:
            again[j], gone[i] = i, False
        i += place <= 0
        j += place >= 0
    return again, gone


@compiled
def _changed(were, now, again, earlier, rows, marks):  # type: ignore[no-untyped-def]
    """Which frames were there before with other rows: not as many, or from another one on, as
    where several have one time, or with one that is new."""
    changed = np.zeros(len(again), np.bool_)
    for j in range(len(again)):
        i = again[j]
        if i == NONE:
            continue
        changed[j] = were[_HI, i] - were[_LO, i] != now[_HI, j] - now[_LO, j]
        changed[j] |= earlier[were[_LO, i]] != rows[now[_LO, j]]
        for row in range(now[_LO, j], now[_HI, j]):
            changed[j] |= marks[row] == FRESH
    return changed


@compiled
def _spread(were, now, gone, changed):  # type: ignore[no-untyped-def]
    """A reader cannot tell frames apart that are alike, as those of no length may be: where one
    of them changed or is gone, all of them are told again, in order."""
    n = len(changed)
    alike = False
    for j in range(1, n):
        alike |= _compared(now, j - 1, now, j) == 0
    low = i = 0
    while alike and low < n:
        high, some = low, False
        while high < n and _compared(now, low, now, high) == 0:
            some |= changed[high]
            high += 1
        while i < len(gone) and _compared(were, i, now, low) <= 0:
            some |= gone[i] and _compared(were, i, now, low) == 0
            i += 1
        changed[low:high] = some
        low = high


@compiled
def differences(window, were, now, earlier, rows, marks):  # type: ignore[no-untyped-def]
    """The frames to tell of a window: ranges of the rows listed beside them, and how many are new
    and how many changed; the rest are gone.

    `were` are ranges of the rows that were there before, `earlier`, and `now` of all, with their
    marks before.
    """
    again, gone = _matched(were, now)
    changed = _changed(were, now, again, earlier, rows, marks)
    _spread(were, now, gone, changed)
    new, revised, most = 0, 0, 0
    for j in range(len(again)):
        new += again[j] == NONE
        revised += changed[j] and again[j] != NONE
        most += now[_HI, j] - now[_LO, j]
    for i in range(len(gone)):
        most += were[_HI, i] - were[_LO, i]
    told = np.empty((6, new + revised + gone.sum()), np.int64)
    picked = np.empty(most, np.int64)
    n = at = 0
    for kind in range(3):
        found, listed = (were, earlier) if kind == 2 else (now, rows)
        for j in range(found.shape[1]):
            if kind == 2:
                wanted = gone[j]
            else:
                wanted = again[j] == NONE if kind == 0 else changed[j] and again[j] != NONE
            if wanted:
                told[0, n], told[1, n], told[4, n] = window, found[_CODE, j], at
                told[2, n], told[3, n] = found[_START, j], found[_END, j]
                for row in range(found[_LO, j], found[_HI, j]):
                    picked[at] = listed[row]
                    at += 1
                told[5, n] = at
                n += 1
    return told, picked[:at], new, revised

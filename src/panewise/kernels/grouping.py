"""Rows or cells of many keys side by side, by key and pane.

Idea: a key has a few of them, in one or several stretches that ascend: rows come nearly in order,
and cells are sorted where they were folded.  So they are dealt out by key first, each as a number,
its pane and behind that its place; then the stretches of a key are merged where they lie.
Cost: two passes, and about one comparison for each row of a key with two stretches.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from panewise.kernels.compiled import compiled, inlined
from panewise.kernels.order import span

NO_TIE = NO_ORDER = np.empty(0, np.int64)
NEAR = 16
"""Times that a row may be moved, in the mean, before the rows of its key are sorted at once."""


class Groups(NamedTuple):
    """An order of rows, and where in it the rows of each group begin: of one key, pane and tie."""

    order: np.ndarray
    heads: np.ndarray
    code: np.ndarray
    """The key of each group."""
    pane: np.ndarray
    """The pane of each group."""


def grouped(code: np.ndarray, pane: np.ndarray, keys: int, tie: np.ndarray = NO_TIE) -> Groups:
    """Rows of so many keys by key and pane, equal ones as they come.

    Ties, where there are any, tell groups of one pane apart; rows come in the order of these.

    >>> grouped(np.array([1, 0, 1, 1]), np.array([5, 5, 3, 5]), keys=2).order.tolist()
    [1, 2, 0, 3]
    """
    if not len(pane):
        return Groups(NO_ORDER, NO_ORDER, code, pane)
    bits = len(pane).bit_length()
    low, high = span(pane)
    if high - low >= 1 << 63 - bits:  # panes so far apart are numbered
        panes, number = np.unique(pane, return_inverse=True)
        found = grouped(code, number, keys, tie)
        return found._replace(pane=panes[found.pane])
    dealt, begins = _dealt(code, pane, keys, low, bits)
    return Groups(*_gathered(dealt, begins, low, bits, tie))


@compiled
def _dealt(code, pane, keys, low, bits):  # type: ignore[no-untyped-def]
    """The pane and the place of each row as a number, key by key; and where each key begins."""
    begins = np.zeros(keys + 1, np.int64)
    for each in code:
        begins[each + 1] += 1
    for k in range(keys):
        begins[k + 1] += begins[k]
    at = begins[:-1].copy()
    dealt = np.empty(len(code), np.int64)
    for i in range(len(code)):
        dealt[at[code[i]]] = (pane[i] - low) << bits | i
        at[code[i]] += 1
    return dealt, begins


@compiled
def _gathered(dealt, begins, low, bits, tie):  # type: ignore[no-untyped-def]
    """The groups of rows that were dealt out."""
    count, tied, place = len(dealt), len(tie) > 0, (1 << bits) - 1
    order, heads = np.empty(count, np.int64), np.empty(count + 1, np.int64)
    codes, panes = np.empty(count + 1, np.int64), np.empty(count + 1, np.int64)
    room = np.empty(0, np.int64)
    n = 0
    for k in range(len(begins) - 1):
        first, stop = begins[k], begins[k + 1]
        if stop - first > len(room):
            room = np.empty(2 * (stop - first), np.int64)
        _ascend(dealt, first, stop, room)
        before = np.int64(-1)
        for i in range(first, stop):
            pane, order[i] = dealt[i] >> bits, dealt[i] & place
            heads[n], codes[n], panes[n] = i, k, low + pane
            apart = pane != before
            if tied and not apart:
                apart = tie[order[i]] != tie[order[i - 1]]
            n += apart
            before = pane
    return order, heads[:n], codes[:n], panes[:n]


@inlined
def _ascend(rows, first, last, room):  # type: ignore[no-untyped-def]
    """Sort the rows of a key, which are all different."""
    left, done = NEAR * (last - first), first + 1
    while done < last:
        if rows[done] > rows[done - 1]:
            done += 1
            continue
        stop = done + 1
        while stop < last and rows[stop] > rows[stop - 1]:
            stop += 1
        left -= _merge(rows, first, done, stop, room)
        done = stop
        if left < 0:  # too many stretches
            rows[first:last].sort()
            done = last


@inlined
def _merge(rows, first, done, stop, room):  # type: ignore[no-untyped-def]
    """Merge a stretch into those before it, from its end on; how many rows were moved."""
    for q in range(stop - done):
        room[q] = rows[done + q]
    i, j, at = done - 1, stop - done - 1, stop - 1
    while i >= first and j >= 0:
        mine, other = rows[i], room[j]
        rows[at] = max(mine, other)
        earlier = mine > other
        i -= earlier
        j -= not earlier
        at -= 1
    for q in range(j + 1):
        rows[first + q] = room[q]
    return stop - 1 - at


def joined(
    code: np.ndarray,
    pane: np.ndarray,
    tie: np.ndarray,
    code2: np.ndarray,
    pane2: np.ndarray,
    tie2: np.ndarray,
) -> Groups:
    """The groups of two sorted runs, one behind the other; the first run first among equals."""
    return Groups(*_joined(code, pane, tie, code2, pane2, tie2))


@compiled
def _joined(code, pane, tie, code2, pane2, tie2):  # type: ignore[no-untyped-def]
    n, m, tied = len(code), len(code2), len(tie) > 0
    order, heads = np.empty(n + m, np.int64), np.empty(n + m + 1, np.int64)
    codes, panes = np.empty(n + m + 1, np.int64), np.empty(n + m + 1, np.int64)
    i = j = count = 0
    key, here, mark = np.int64(-1), np.int64(0), np.int64(0)
    for at in range(n + m):
        left = j == m
        if i < n and j < m:
            if code[i] != code2[j]:
                left = code[i] < code2[j]
            elif pane[i] != pane2[j]:
                left = pane[i] < pane2[j]
            else:
                left = not tied or tie[i] <= tie2[j]
        k, p = (code[i], pane[i]) if left else (code2[j], pane2[j])
        apart = k != key or p != here
        if tied:
            t = tie[i] if left else tie2[j]
            apart |= t != mark
            mark = t
        order[at] = i if left else n + j
        key, here = k, p
        heads[count], codes[count], panes[count] = at, k, p
        count += apart
        i += left
        j += not left
    return order, heads[:count], codes[:count], panes[:count]

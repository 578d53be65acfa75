"""Which windows there are: those that some event overlaps.

Idea: stretches in which at least one event is there, by key; a window exists if it overlaps one.
Stretches without events are jumped over, whatever their length.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from panewise.kernels.compiled import compiled
from panewise.kernels.horizon import family_table
from panewise.kernels.ranges import NEVER
from panewise.windows import Family

Busy = tuple[np.ndarray, np.ndarray, np.ndarray]
"""Key, first and last pane of each stretch, in that order."""


def swept(begun: Sequence[np.ndarray], ended: Sequence[np.ndarray]) -> Busy:
    """Stretches from what began and what ended: `(code, pane, count)` each, in order."""
    room = tuple(np.empty(len(begun[0]), np.int64) for _ in range(3))
    count = _sweep(*begun, *ended, *room)
    return room[0][:count], room[1][:count], room[2][:count]


def united(code: np.ndarray, first: np.ndarray, last: np.ndarray) -> Busy:
    """Stretches that overlap, as one."""
    order = np.lexsort((first, code))
    code, first, last = code[order], first[order], last[order].copy()
    count = _unite(code, first, last)
    return code[:count], first[:count], last[:count]


def windows(busy: Busy, families: Sequence[tuple[int, Family]]) -> tuple[np.ndarray, ...]:
    """Number, key, start and end of all windows, by family and key."""
    table = family_table(families)
    count = _windows(*busy, table, *(np.empty(0, np.int64) for _ in range(4)))
    found = tuple(np.empty(count, np.int64) for _ in range(4))
    if count:
        _windows(*busy, table, *found)
    return found


@compiled
def _sweep(c0, p0, n0, c1, p1, n1, codes, firsts, lasts):  # type: ignore[no-untyped-def]
    n, i, j = 0, 0, 0
    while i < len(c0):
        code, there = c0[i], 0
        codes[n], firsts[n] = code, p0[i]
        while True:
            # what ends in a pane is there in it: first all that begins up to this pane
            while i < len(c0) and c0[i] == code and p0[i] <= p1[j]:
                there += n0[i]
                i += 1
            there -= n1[j]
            lasts[n] = p1[j]
            j += 1
            if there == 0:
                break
        n += 1
    return n


@compiled
def _unite(code, first, last):  # type: ignore[no-untyped-def]
    n = 0
    for i in range(len(code)):
        if n > 0 and code[n - 1] == code[i] and first[i] <= last[n - 1]:
            last[n - 1] = max(last[n - 1], last[i])
        else:
            code[n], first[n], last[n] = code[i], first[i], last[i]
            n += 1
    return n


@compiled
def _windows(codes, firsts, lasts, families, numbers, keys, starts, ends):  # type: ignore[no-untyped-def]
    fill = len(numbers) > 0
    n = 0
    for f in range(len(families)):
        number, size, slide, step, origin, once = families[f]
        newest = NEVER
        for b in range(len(codes)):
            if b > 0 and codes[b] != codes[b - 1]:
                newest = NEVER
            k = 0 if once else (firsts[b] - size - origin) // slide + 1
            while True:
                start = origin + k * slide
                if start > lasts[b]:
                    break
                end = start
                while end < start + size:
                    end += step
                    # those that also overlap the stretch before were told with it
                    if end > firsts[b] and not (
                        newest != NEVER and start <= newest and end > newest
                    ):
                        if fill:
                            numbers[n], keys[n], starts[n], ends[n] = number, codes[b], start, end
                        n += 1
                k += 1
                if once:
                    break
            newest = lasts[b]
    return n

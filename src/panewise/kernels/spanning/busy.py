"""Which windows there are: those that some event overlaps.

Idea: stretches in which at least one event is there, by key; a window exists if it overlaps one.
Stretches without events are jumped over, whatever their length.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from panewise.kernels.compiled import compiled
from panewise.kernels.families import family_table
from panewise.kernels.ranges import ALWAYS, NEVER
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


def windows(
    busy: Busy, families: Sequence[tuple[int, Family]], after: int = NEVER, until: int = ALWAYS
) -> tuple[np.ndarray, ...]:
    """Number, key, start and end of all windows that end in `(after, until]`, by family and key."""
    table = family_table(families)
    count = _windows(*busy, table, after, until, *(np.empty(0, np.int64) for _ in range(4)))
    found = tuple(np.empty(count, np.int64) for _ in range(4))
    if count:
        _windows(*busy, table, after, until, *found)
    return found


def first_ends(
    start: np.ndarray, last: np.ndarray, families: Sequence[tuple[int, Family]]
) -> np.ndarray:
    """The earliest end of a window that each event is in; `ALWAYS` where it is in none."""
    out = np.empty(len(start), np.int64)
    _first_ends(start, last, family_table(families), out)
    return out


def earliest_start(families: Sequence[tuple[int, Family]], keep: int) -> int:
    """Every window that ends after `keep` starts here or later."""
    if keep in (NEVER, ALWAYS):
        return keep
    return min(_open_start(family, keep) for _, family in families)


def _open_start(family: Family, keep: int) -> int:
    if family.once:
        return family.origin if family.origin + family.size > keep else ALWAYS
    return family.origin + ((keep - family.size - family.origin) // family.slide + 1) * family.slide


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
def _first_ends(start, last, families, out):  # type: ignore[no-untyped-def]
    for i in range(len(start)):
        out[i] = ALWAYS
        for f in range(len(families)):
            size, slide, step, origin, once = families[f, 1:6]
            k = 0 if once else (start[i] - size - origin) // slide + 1
            begin = origin + k * slide
            if begin > last[i] or begin + size <= start[i]:
                continue
            out[i] = min(out[i], begin + (max(start[i] - begin, 0) // step + 1) * step)


@compiled
def _windows(codes, firsts, lasts, families, after, until, numbers, keys, starts, ends):  # type: ignore[no-untyped-def]
    fill = len(numbers) > 0
    n = 0
    for f in range(len(families)):
        number, size, slide, step, origin, once = families[f]
        newest = NEVER
        for b in range(len(codes)):
            if b > 0 and codes[b] != codes[b - 1]:
                newest = NEVER
            k = 0 if once else (max(firsts[b], after) - size - origin) // slide + 1
            while True:
                start = origin + k * slide
                if start > lasts[b] or start + step > until:
                    break
                end = start
                while end < start + size:
                    end += step
                    # those that also overlap the stretch before were told with it
                    told = newest != NEVER and start <= newest and end > newest
                    if end > firsts[b] and after < end <= until and not told:
                        if fill:
                            numbers[n], keys[n], starts[n], ends[n] = number, codes[b], start, end
                        n += 1
                k += 1
                if once:
                    break
            newest = lasts[b]
    return n

"""SE-Slicing and SE-ML-Slicing, corrected, over a ring of slices.

Idea: a slice has what ends in it, and what goes on after it; a window takes all that ended in its
slices, and what goes on after its last.  With several levels, level k of a slice stands for the k
slices before it too, so that an event is written once for every `height` slices; a window then also
reads the levels of later slices that reach back into it.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from benchmarks.papers.spanning_baselines.stream import Aggregate, Input, Output, power


def se_slicing(given: Input, aggregate: Aggregate) -> Output:
    return se_ml_slicing(given, aggregate, 1)


def se_ml_slicing(given: Input, aggregate: Aggregate, height: int) -> Output:
    rest = given.size % given.slide
    steps = (given.size + 2 * given.delay) // given.slide + height + 4
    ring = power(2 * steps if rest else steps)
    ended = np.full((ring, height), aggregate.zero, np.int64)
    # what may count twice needs no second part
    going = np.full((1 if aggregate.selective else ring, height), aggregate.zero, np.int64)
    first, behind = given.numbers
    out = np.empty(behind - first, np.int64)
    loop = _selective if aggregate.selective else _cumulative
    loop = loop if height > 1 else _selective_1 if aggregate.selective else _cumulative_1
    parts = (ended,) if aggregate.selective else (ended, going)
    functions = aggregate.add, aggregate.combine, aggregate.zero
    shape = given.size, given.slide, rest, given.delay, first
    loop(given.start, given.end, given.value, *shape, *functions, *parts, out)
    return Output(first, out, sum(part.nbytes for part in parts))


@njit(inline="always")
def _slice_of(tick, slide, rest):  # type: ignore[no-untyped-def]
    if rest == 0:
        return tick // slide
    whole = tick // slide
    return 2 * whole + (tick - whole * slide >= rest)


@njit
def _cumulative_1(  # type: ignore[no-untyped-def]
    start, end, value, size, slide, rest, delay, first, add, combine, zero, ended, going, out
):
    mask, every = len(ended) - 1, 2 if rest else 1
    wide = 2 * (size // slide) + 1 if rest else size // slide
    number, due = first, first * slide + size + delay
    for i in range(len(start) + 1):
        now = end[i] if i < len(start) else 1 << 62
        while now >= due and number < first + len(out):
            a = number * every
            total = zero
            for s in range(a, a + wide):
                total = combine(total, ended[s & mask, 0])
            out[number - first] = combine(total, going[(a + wide - 1) & mask, 0])
            for s in range(a, a + every):
                ended[s & mask, 0] = going[s & mask, 0] = zero
            number += 1
            due += slide
        if i == len(start):
            break
        final, low = _slice_of(now - 1, slide, rest), _slice_of(start[i], slide, rest)
        ended[final & mask, 0] = add(ended[final & mask, 0], value[i])
        for s in range(low, final):
            going[s & mask, 0] = add(going[s & mask, 0], value[i])


@njit
def _selective_1(  # type: ignore[no-untyped-def]
    start, end, value, size, slide, rest, delay, first, add, combine, zero, ended, out
):
    mask, every = len(ended) - 1, 2 if rest else 1
    wide = 2 * (size // slide) + 1 if rest else size // slide
    number, due = first, first * slide + size + delay
    for i in range(len(start) + 1):
        now = end[i] if i < len(start) else 1 << 62
        while now >= due and number < first + len(out):
            a = number * every
            total = zero
            for s in range(a, a + wide):
                total = combine(total, ended[s & mask, 0])
            out[number - first] = total
            for s in range(a, a + every):
                ended[s & mask, 0] = zero
            number += 1
            due += slide
        if i == len(start):
            break
        final, low = _slice_of(now - 1, slide, rest), _slice_of(start[i], slide, rest)
        for s in range(low, final + 1):
            ended[s & mask, 0] = add(ended[s & mask, 0], value[i])


@njit
def _cumulative(  # type: ignore[no-untyped-def]
    start, end, value, size, slide, rest, delay, first, add, combine, zero, ended, going, out
):
    mask, height, every = len(ended) - 1, ended.shape[1], 2 if rest else 1
    wide = 2 * (size // slide) + 1 if rest else size // slide
    number, due = first, first * slide + size + delay
    for i in range(len(start) + 1):
        now = end[i] if i < len(start) else 1 << 62
        while now >= due and number < first + len(out):
            a = number * every
            z = a + wide
            total = zero
            for s in range(a, z):
                for k in range(height):
                    total = combine(total, ended[s & mask, k])
            for k in range(height):
                total = combine(total, going[(z - 1) & mask, k])
            for j in range(height - 1):  # levels of later slices that reach back
                for k in range(j + 1, height):
                    total = combine(total, ended[(z + j) & mask, k])
                    total = combine(total, going[(z + j) & mask, k])
            out[number - first] = total
            for s in range(a, a + every):
                for k in range(height):
                    ended[s & mask, k] = going[s & mask, k] = zero
            number += 1
            due += slide
        if i == len(start):
            break
        at = _slice_of(now - 1, slide, rest)
        left = at - _slice_of(start[i], slide, rest) + 1
        k = min(left, height) - 1
        ended[at & mask, k] = add(ended[at & mask, k], value[i])
        at, left = at - height, left - height
        while left > 0:
            k = min(left, height) - 1
            going[at & mask, k] = add(going[at & mask, k], value[i])
            at, left = at - height, left - height


@njit
def _selective(  # type: ignore[no-untyped-def]
    start, end, value, size, slide, rest, delay, first, add, combine, zero, ended, out
):
    mask, height, every = len(ended) - 1, ended.shape[1], 2 if rest else 1
    wide = 2 * (size // slide) + 1 if rest else size // slide
    number, due = first, first * slide + size + delay
    for i in range(len(start) + 1):
        now = end[i] if i < len(start) else 1 << 62
        while now >= due and number < first + len(out):
            a = number * every
            z = a + wide
            total = zero
            for s in range(a, z):
                for k in range(height):
                    total = combine(total, ended[s & mask, k])
            for j in range(height - 1):
                for k in range(j + 1, height):
                    total = combine(total, ended[(z + j) & mask, k])
            out[number - first] = total
            for s in range(a, a + every):
                for k in range(height):
                    ended[s & mask, k] = zero
            number += 1
            due += slide
        if i == len(start):
            break
        at = _slice_of(now - 1, slide, rest)
        left = at - _slice_of(start[i], slide, rest) + 1
        while left > 0:
            k = min(left, height) - 1
            ended[at & mask, k] = add(ended[at & mask, k], value[i])
            at, left = at - height, left - height

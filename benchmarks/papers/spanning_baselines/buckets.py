"""Buckets: every open window keeps its events, or one aggregate of them."""

from __future__ import annotations

import numpy as np
from numba import njit

from benchmarks.papers.spanning_baselines.stream import Aggregate, Input, Output, power


def _ring(given: Input) -> int:
    return power((given.size + 2 * given.delay) // given.slide + 4)


def aggregate_buckets(given: Input, aggregate: Aggregate) -> Output:
    first, behind = given.numbers
    buckets = np.full(_ring(given), aggregate.zero, np.int64)
    out = np.empty(behind - first, np.int64)
    shape = given.size, given.slide, given.delay, first
    _aggregates(
        given.start, given.end, given.value, *shape, aggregate.add, aggregate.zero, buckets, out
    )
    return Output(first, out, buckets.nbytes)


def tuple_buckets(given: Input, aggregate: Aggregate) -> Output:
    """A bucket is a chain of pointers to events, from a pool that grows."""
    first, behind = given.numbers
    heads = np.full(_ring(given), -1, np.int64)
    out = np.empty(behind - first, np.int64)
    shape = given.size, given.slide, given.delay, first
    room = _tuples(
        given.start, given.end, given.value, *shape, aggregate.add, aggregate.zero, heads, out
    )
    return Output(first, out, heads.nbytes + room)


@njit
def _aggregates(  # type: ignore[no-untyped-def]
    start, end, value, size, slide, delay, first, add, zero, buckets, out
):
    mask = len(buckets) - 1
    number, due = first, first * slide + size + delay
    for i in range(len(start) + 1):
        now = end[i] if i < len(start) else 1 << 62
        while now >= due and number < first + len(out):
            out[number - first] = buckets[number & mask]
            buckets[number & mask] = zero
            number += 1
            due += slide
        if i == len(start):
            break
        for k in range((start[i] - size) // slide + 1, (now - 1) // slide + 1):
            buckets[k & mask] = add(buckets[k & mask], value[i])


@njit
def _tuples(  # type: ignore[no-untyped-def]
    start, end, value, size, slide, delay, first, add, zero, heads, out
):
    mask = len(heads) - 1
    event, after = np.empty(1024, np.int32), np.empty(1024, np.int32)
    free, used = -1, 0
    number, due = first, first * slide + size + delay
    for i in range(len(start) + 1):
        now = end[i] if i < len(start) else 1 << 62
        while now >= due and number < first + len(out):
            total, node = zero, heads[number & mask]
            while node >= 0:
                total = add(total, value[event[node]])
                then = after[node]
                after[node] = free
                free, node = node, then
            out[number - first] = total
            heads[number & mask] = -1
            number += 1
            due += slide
        if i == len(start):
            break
        for k in range((start[i] - size) // slide + 1, (now - 1) // slide + 1):
            if free >= 0:
                node = free
                free = after[node]
            else:
                if used == len(event):
                    more, then2 = np.empty(2 * used, np.int32), np.empty(2 * used, np.int32)
                    more[:used], then2[:used] = event, after
                    event, after = more, then2
                node = used
                used += 1
            event[node], after[node] = i, heads[k & mask]
            heads[k & mask] = node
    return 8 * used

"""Plane sweeping: indexes of starts and ends, read up to each window when it is released.

Events come in the order of their ends, so the index of ends is the events themselves; that of
starts is a heap.  Cumulative: what started less what ended.  Selective: events that started are in
a second heap by value, and leave it when they are on top and have ended.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from benchmarks.papers.spanning_baselines.stream import Aggregate, Input, Output, power


def sweeping(given: Input, aggregate: Aggregate) -> Output:
    first, behind = given.numbers
    out = np.empty(behind - first, np.int64)
    shape = given.size, given.slide, given.delay, first
    loop = _selective if aggregate.selective else _cumulative
    # starts that wait are of events that ended at most so long ago
    room = power(2 * given.delay + given.size + 2)
    room = loop(
        given.start, given.end, given.value, *shape, aggregate.add, aggregate.zero, room, out
    )
    return Output(first, out, int(room))


@njit
def _push(keys, items, count, key, item):  # type: ignore[no-untyped-def]
    at = count
    while at > 0:
        above = (at - 1) >> 1
        if keys[above] <= key:
            break
        keys[at], items[at] = keys[above], items[above]
        at = above
    keys[at], items[at] = key, item


@njit
def _pop(keys, items, count):  # type: ignore[no-untyped-def]
    """Take the least away; `count` are left."""
    key, item = keys[count], items[count]
    at = 0
    while True:
        below = 2 * at + 1
        if below >= count:
            break
        if below + 1 < count and keys[below + 1] < keys[below]:
            below += 1
        if keys[below] >= key:
            break
        keys[at], items[at] = keys[below], items[below]
        at = below
    keys[at], items[at] = key, item


@njit
def _grown(keys, items):  # type: ignore[no-untyped-def]
    more, then = np.empty(2 * len(keys), np.int64), np.empty(2 * len(keys), np.int64)
    more[: len(keys)], then[: len(keys)] = keys, items
    return more, then


@njit
def _cumulative(  # type: ignore[no-untyped-def]
    start, end, value, size, slide, delay, first, add, zero, room, out
):
    keys, items = np.empty(room, np.int64), np.empty(room, np.int64)
    waiting = ended = 0
    began, gone = zero, zero
    number, due = first, first * slide + size + delay
    for i in range(len(start) + 1):
        now = end[i] if i < len(start) else 1 << 62
        while now >= due and number < first + len(out):
            while waiting > 0 and keys[0] < number * slide + size:
                began = add(began, value[items[0]])
                waiting -= 1
                _pop(keys, items, waiting)
            while ended < i and end[ended] <= number * slide:
                gone = add(gone, value[ended])
                ended += 1
            out[number - first] = began - gone
            number += 1
            due += slide
        if i == len(start):
            break
        if waiting == len(keys):
            keys, items = _grown(keys, items)
        _push(keys, items, waiting, start[i], i)
        waiting += 1
    return 2 * (keys.nbytes + items.nbytes)


@njit
def _selective(  # type: ignore[no-untyped-def]
    start, end, value, size, slide, delay, first, add, zero, room, out
):
    keys, items = np.empty(room, np.int64), np.empty(room, np.int64)
    best, whose = np.empty(room, np.int64), np.empty(room, np.int64)
    waiting = there = 0
    number, due = first, first * slide + size + delay
    for i in range(len(start) + 1):
        now = end[i] if i < len(start) else 1 << 62
        while now >= due and number < first + len(out):
            while waiting > 0 and keys[0] < number * slide + size:
                event = items[0]
                waiting -= 1
                _pop(keys, items, waiting)
                if there == len(best):
                    best, whose = _grown(best, whose)
                _push(best, whose, there, -value[event], event)  # the greatest first
                there += 1
            while there > 0 and end[whose[0]] <= number * slide:
                there -= 1
                _pop(best, whose, there)
            out[number - first] = add(zero, value[whose[0]]) if there > 0 else zero
            number += 1
            due += slide
        if i == len(start):
            break
        if waiting == len(keys):
            keys, items = _grown(keys, items)
        _push(keys, items, waiting, start[i], i)
        waiting += 1
    return keys.nbytes + items.nbytes + best.nbytes + whose.nbytes

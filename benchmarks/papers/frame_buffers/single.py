"""The single buffer: rows in one array, all of which are looked at at every tick.

The array has room for all rows of a run, so nothing is ever moved to make room: rows at its
beginning are forgotten by moving the place where it begins.
"""

from __future__ import annotations

from math import log2
from typing import ClassVar

import numpy as np
from numba import njit

from benchmarks.papers.frame_buffers.clock import MOMENT, lap, nanoseconds
from benchmarks.papers.frame_buffers.fed import Buffer, Fed, Frames
from panewise.kernels.frames.segment import CONTEXT, segment
from panewise.kernels.frames.verdict import GROWS, OPENS, lasting, step

IN_ORDER, LAZY, EAGER = range(3)
ADD, SCOPE, CONTENT, EVICT = range(4)


@njit(cache=True)
def add_in_order(times, values, head, tail, time, value):  # type: ignore[no-untyped-def]
    """Put a row in its place by moving all that come after it."""
    at = tail
    while at > head and times[at - 1] > time:
        times[at], values[at] = times[at - 1], values[at - 1]
        at -= 1
    times[at], values[at] = time, value


@njit(cache=True)
def heap_sort(times, values, head, tail):  # type: ignore[no-untyped-def]
    """Rows by time, in place."""
    n = tail - head
    for root in range(n // 2 - 1, -1, -1):
        _sift(times, values, head, root, n)
    for last in range(n - 1, 0, -1):
        _swap(times, values, head, head + last)
        _sift(times, values, head, 0, last)


@njit(cache=True)
def _sift(times, values, head, root, n):  # type: ignore[no-untyped-def]
    time, value = times[head + root], values[head + root]
    while True:
        child = 2 * root + 1
        if child >= n:
            break
        if child + 1 < n and times[head + child] < times[head + child + 1]:
            child += 1
        if times[head + child] <= time:
            break
        times[head + root], values[head + root] = times[head + child], values[head + child]
        root = child
    times[head + root], values[head + root] = time, value


@njit(cache=True)
def _swap(times, values, a, b):  # type: ignore[no-untyped-def]
    times[a], times[b] = times[b], times[a]
    values[a], values[b] = values[b], values[a]


@njit  # not cached: a cache would keep an older `step`
def scope(times, values, head, tail, parameters, time, keep):  # type: ignore[no-untyped-def]
    """Start and size of the frame of the row at `time` (0: it is in none), and how many rows at the
    beginning belong to frames that a row before `keep` closed."""
    form, ahead, bound, _, most, _, longest, _ = parameters
    a = b = values.dtype.type(0)
    count = final = size = 0
    start, found = times[head], times[head]
    for i in range(head, tail):
        lasts = lasting(start, times[i])
        became, a, b = step(form, ahead, bound, most, longest, a, b, count, lasts, values[i])
        if became == GROWS:
            count += 1
            continue
        if count > 0 and start <= time < times[i]:
            found, size = start, count
        start, count = times[i], 1 if became == OPENS else 0
        if times[i] < keep:
            final = i - head + 1 - count
    if count > 0 and start <= time:
        found, size = start, count
    return found, size, final


@njit(cache=True)
def place(times, head, tail, time):  # type: ignore[no-untyped-def]
    """Where the row at `time` is."""
    while head < tail:
        middle = (head + tail) // 2
        if times[middle] < time:
            head = middle + 1
        else:
            tail = middle
    return head


@njit
def run(  # type: ignore[no-untyped-def]
    order, fed_times, fed_values, low, times, values, head, tail, parameters, retained,
    clocked, spent,
):  # fmt: skip
    """Algorithm 1 for all rows from `low` on; what is held then, and the sum of all told."""
    moment = np.zeros(MOMENT, np.int64)
    newest, told = times[tail - 1], 0
    since = nanoseconds(moment)
    for i in range(low, len(fed_times)):
        time, value = fed_times[i], fed_values[i]
        if order == EAGER:
            add_in_order(times, values, head, tail, time, value)
            tail += 1
        else:
            times[tail], values[tail] = time, value
            tail += 1
            if order == LAZY:
                heap_sort(times, values, head, tail)
        newest = max(newest, time)
        since = lap(clocked, moment, spent, ADD, since)
        start, size, final = scope(times, values, head, tail, parameters, time, newest - retained)
        until = times[head + final]
        since = lap(clocked, moment, spent, SCOPE, since)
        if size > 0:
            first = place(times, head, tail, start)
            for k in range(first, first + size):
                told += values[k]
        since = lap(clocked, moment, spent, CONTENT, since)
        if final > 0:
            head = place(times, head, tail, until)
        since = lap(clocked, moment, spent, EVICT, since)
    return head, tail, told


class Single(Buffer):
    """Rows in an array."""

    order: ClassVar[int]

    def __init__(self, fed: Fed) -> None:
        self._fed = fed
        self._times, self._values = np.empty_like(fed.times), np.empty_like(fed.values)
        first = np.argsort(fed.times[: fed.held], kind="stable")
        self._times[: fed.held], self._values[: fed.held] = fed.times[first], fed.values[first]
        self._head, self._tail, self._told = 0, fed.held, 0

    @staticmethod
    def steps(retained: int) -> float:
        return retained

    def feed(self, clocked: bool, spent: np.ndarray) -> None:
        fed = self._fed
        self._head, self._tail, self._told = run(
            self.order, fed.times, fed.values, fed.held, self._times,
            self._values, self._head, self._tail, fed.parameters, fed.retained, clocked, spent,
        )  # fmt: skip

    def frames(self) -> Frames:
        times = self._times[self._head : self._tail]
        contexts = np.zeros((1, CONTEXT), np.int64)
        out = np.empty((6, len(times)), np.int64)
        count = segment(
            times, self._values[self._head : self._tail], None, np.array([0, len(times)]),
            np.array([len(times)]), 1, True, self._fed.parameters, contexts,
            np.empty(1, np.int64), out,
        )  # fmt: skip
        return Frames(out[2:, :count], self._told)


class InOrder(Single):
    """Appends, and trusts that rows come in order."""

    name, order = "single, in order", IN_ORDER


class Lazy(Single):
    """Appends, and sorts at every tick."""

    name, order = "single, lazy", LAZY

    @staticmethod
    def steps(retained: int) -> float:
        return retained * (1 + log2(retained))


class Eager(Single):
    """Puts every row in its place."""

    name, order = "single, eager", EAGER

"""Folding what is more than a number: rows that are picked, structs of numbers that are merged.

Idea: loops move places, not values.  A place is that of a cell, or behind all cells one of a few
where something merged was written; joining two places gives the one that wins, or the place of what
they became.  So one loop serves every aggregate, and columns beside are taken once, at the end.
Long stretches are merged in blocks, and blocks with each other: errors of floating numbers grow
with the square root of a stretch, not with its length.

References: Tangwongsan et al., VLDB 2015 (two stacks, FlatFAT); Chan, Golub, LeVeque, 1979 (merging
moments).
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from panewise.aggregates import Partial
from panewise.aggregates.arrays import spans
from panewise.aggregates.records import Adds, Builds, Joins, Merges, Picks
from panewise.kernels.compiled import compiled, inlined
from panewise.kernels.tree import tree_is_cheaper

NONE = -1
PICK, TIES, MOMENTS, LINE = 0, 1, 2, 3
FORMULAS = {"moments": MOMENTS, "line": LINE}
BLOCK = 64
"""Cells that are merged one by one, before they are merged with what was before."""


def fold_records(
    partial: Partial, column: pa.Array, lo: np.ndarray, hi: np.ndarray
) -> pa.Array | None:
    """The combination of `column[lo:hi]` for every range; None if no loop can say it."""
    said = partial.record(column) if len(lo) else None
    if said is None:
        return None
    if isinstance(said, Joins):
        return _joined(column, lo, hi)
    if isinstance(said, Builds):
        return said.over(lo, hi)
    if isinstance(said, Adds):
        present = column.is_valid().cast(pa.int64())
        there = _between(np.asarray(present), lo, hi) > 0
        sums = np.stack([_between(limb, lo, hi) for limb in said.limbs])
        return partial.recorded(sums, there, column)
    cells, windows = len(column), len(lo)
    if isinstance(said, Picks):
        operation = PICK if said.ties is None else TIES
        numbers = [] if said.ties is None else [said.ties, np.arange(cells)]
        keys = np.stack(said.keys) if cells else np.empty((len(said.keys), 0), np.int64)
    else:
        operation, numbers = FORMULAS[said.formula], list(said.numbers)
        keys = np.empty((0, cells), np.int64)
    # cells, an inner node or a suffix of each, a block, a total, and what every window becomes
    table = np.empty((2 * cells + 2 + windows if numbers else 0, len(numbers)))
    for field, each in enumerate(numbers):
        table[:cells, field] = each
    valid = np.asarray(column.is_valid()) if column.null_count else np.empty(0, np.bool_)
    places = np.empty(windows, np.int64)
    _fold(keys, table, operation, valid, cells, lo, hi, places)
    there = places != NONE
    if isinstance(said, Merges):
        return partial.recorded(table[places].T, there, column)
    rows = places if said.ties is None else np.where(there, table[places, 1], 0).astype(np.int64)
    picked = _picked(column, rows, there)
    if said.ties is None:
        return picked
    return partial.recorded(table[places, :1].T, there, picked)


def _picked(column: pa.Array, rows: np.ndarray, there: np.ndarray) -> pa.Array:
    """Rows of a column, null where none is there.

    Fields of a struct have something even then: Spark may have said that they are never null.
    """
    if there.all() or not len(column) or not pa.types.is_struct(column.type):
        return column.take(pa.array(rows, mask=~there))
    some = column.take(pa.array(np.where(there, rows, 0)))
    fields = [some.field(place) for place in range(some.type.num_fields)]
    return pa.StructArray.from_arrays(fields, fields=list(some.type), mask=pa.array(~there))


def _joined(lists: pa.Array, lo: np.ndarray, hi: np.ndarray) -> pa.Array:
    """The values of neighbours are neighbours; a null list has none."""
    lengths = np.asarray(pc.fill_null(pc.list_value_length(lists), 0))
    behind = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
    starts, counts = behind[lo], behind[hi] - behind[lo]
    values, offsets = lists.flatten(), np.concatenate([[0], np.cumsum(counts)])
    if offsets[-1] != len(values) or not np.array_equal(starts, offsets[:-1]):
        values = values.take(pa.array(spans(starts, counts)))
    found = pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), values, type=lists.type)
    return found if (lo < hi).all() else pc.if_else(pa.array(lo < hi), found, None)


def _between(counts: np.ndarray, lo: np.ndarray, hi: np.ndarray) -> np.ndarray:
    """Sums over ranges, which are differences of running sums where nothing is rounded."""
    running = np.concatenate([[0], np.cumsum(counts)])
    return running[hi] - running[lo]


@compiled
def _fold(keys, table, operation, valid, cells, lo, hi, out):  # type: ignore[no-untyped-def]
    """Where the combination of every range is, by the way that needs fewer of them."""
    if len(lo) > 1 and tree_is_cheaper(cells, lo, hi):
        _climb(keys, table, operation, valid, cells, lo, hi, out)
    else:
        _stack(keys, table, operation, valid, cells, lo, hi, out)


@inlined
def _comes_before(keys, i, j):  # type: ignore[no-untyped-def]
    for k in range(len(keys)):  # a row of them would be an array of its own
        mine, other = keys[k, i], keys[k, j]
        if mine != other:
            return mine < other
    return False


@inlined
def _join(keys, table, operation, i, j, target):  # type: ignore[no-untyped-def]
    """The place of two together: of one of them, or the target, which may be the first one's."""
    if i == NONE or j == NONE:
        return i if j == NONE else j
    if operation == PICK:
        return j if _comes_before(keys, j, i) else i
    if operation == TIES:
        a, b = np.int64(table[i, 1]), np.int64(table[j, 1])
        if _comes_before(keys, b, a):
            return j
        if _comes_before(keys, a, b):
            return i
        table[target, 0], table[target, 1] = table[i, 0] + table[j, 0], a
    elif operation == MOMENTS:
        _merge_moments(table, i, j, target)
    else:
        _merge_lines(table, i, j, target)
    return target


@inlined
def _sum_of(a, b):  # type: ignore[no-untyped-def]
    """A sum, and what it lost to rounding; nothing of what is not finite."""
    total = a + b
    part = total - a
    lost = (a - (total - part)) + (b - part)
    return total, lost if lost == lost else 0.0


@inlined
def _merge_moments(table, i, j, target):  # type: ignore[no-untyped-def]
    """Count, mean with the rest that it has no digits for, and sum of squared deviations."""
    n, mean, rest, m2 = table[i, 0], table[i, 1], table[i, 2], table[i, 3]
    total = n + table[j, 0]
    share, delta = table[j, 0] / total, (table[j, 1] - mean) + (table[j, 2] - rest)
    table[target, 3] = m2 + table[j, 3] + delta * delta * n * share
    table[target, 0] = total
    table[target, 1], table[target, 2] = _sum_of(mean, delta * share + rest)


@compiled
def _merge_lines(table, i, j, target):  # type: ignore[no-untyped-def]
    """Count, a tick, the mean of times from it and of values, their moments, least and largest, and
    the rest of the mean of values."""
    n, t0, t, y, rest = table[i, 0], table[i, 1], table[i, 2], table[i, 3], table[i, 9]
    total = n + table[j, 0]
    share = table[j, 0] / total
    dt = (table[j, 1] - t0) + (table[j, 2] - t)
    dy = (table[j, 3] - y) + (table[j, 9] - rest)
    table[target, 4] = table[i, 4] + table[j, 4] + dt * dt * n * share
    table[target, 5] = table[i, 5] + table[j, 5] + dt * dy * n * share
    table[target, 6] = table[i, 6] + table[j, 6] + dy * dy * n * share
    table[target, 7] = min(table[i, 7], table[j, 7])
    table[target, 8] = max(table[i, 8], table[j, 8])
    table[target, 0], table[target, 1], table[target, 2] = total, t0, t + dt * share
    table[target, 3], table[target, 9] = _sum_of(y, dy * share + rest)


@compiled
def _kept(table, place, target):  # type: ignore[no-untyped-def]
    """A place that nobody writes to: what is picked stays, what was merged is copied."""
    if place == NONE or len(table) == 0:
        return place
    table[target] = table[place]
    return target


@compiled
def _stretch(keys, table, operation, valid, lo, hi, total, scratch):  # type: ignore[no-untyped-def]
    """A total and the cells `[lo, hi)` behind it; blocks and totals have a place in `scratch`."""
    for begin in range(lo, hi, BLOCK):
        part = NONE
        for i in range(begin, min(begin + BLOCK, hi)):
            if len(valid) == 0 or valid[i]:
                part = _join(keys, table, operation, part, i, scratch)
        total = _join(keys, table, operation, total, part, scratch + 1)
        if total == scratch:  # a block that wins: the next one is written to its place
            total = _kept(table, total, scratch + 1)
    return total


@compiled
def _stack(keys, table, operation, valid, cells, lo, hi, out):  # type: ignore[no-untyped-def]
    """A queue with two stacks, as for numbers: suffixes of the older part, a total of the newer."""
    scratch = 2 * cells
    suffix = np.empty(cells, np.int64)
    mid = done = 0
    total, previous = NONE, -1
    for w in range(len(lo)):
        low, high = lo[w], hi[w]
        if low < previous or high < done or low >= done:  # another key or family, or disjoint
            mid = done = low
            total = NONE
        elif low > mid:  # the older part is used up: turn the newer part into suffixes
            tail = NONE
            for i in range(done - 1, low - 1, -1):
                here = i if len(valid) == 0 or valid[i] else NONE
                tail = _join(keys, table, operation, here, tail, cells + i)
                suffix[i] = tail
            mid = done
            total = NONE
        previous = low
        total = _stretch(keys, table, operation, valid, done, high, total, scratch)
        done = max(done, high)
        target = scratch + 2 + w
        if low < mid and suffix[low] != NONE and total != NONE:
            out[w] = _join(keys, table, operation, suffix[low], total, target)
        elif low < mid and suffix[low] != NONE:
            out[w] = suffix[low]
        else:
            out[w] = total
        out[w] = _kept(table, out[w], target)


@compiled
def _climb(keys, table, operation, valid, cells, lo, hi, out):  # type: ignore[no-untyped-def]
    """A tree over all cells, which every range climbs from both of its ends."""
    nodes = np.full(2 * cells, NONE)
    for i in range(cells):
        if len(valid) == 0 or valid[i]:
            nodes[cells + i] = i
    for i in range(cells - 1, 0, -1):
        nodes[i] = _join(keys, table, operation, nodes[2 * i], nodes[2 * i + 1], cells + i)
    for w in range(len(lo)):
        a, b = lo[w] + cells, hi[w] + cells
        target = 2 * cells + 2 + w
        total = NONE
        while a < b:
            if a & 1:
                total = _join(keys, table, operation, total, nodes[a], target)
                a += 1
            if b & 1:
                b -= 1
                total = _join(keys, table, operation, total, nodes[b], target)
            a >>= 1
            b >>= 1
        out[w] = total

"""Combining ranges of cells at a cost that does not grow with the overlap.

Idea: ranges of one key come in ascending order, so a queue with two stacks answers each with a
suffix of the older part and a running total of the newer part: about three combines per cell,
nothing is ever subtracted, and floating sums lose nothing.  Where many windows of different lengths
read the same cells, a tree of partials over them (`tree.py`) is cheaper, for sums of integers
differences of running sums (`running.py`), and for floating ones sums of blocks (`block_sums.py`):
`fold` takes whichever needs fewer combines.  Partials that are more than a number are folded by
what they say of themselves (`records.py`), or else combined by doubling: `log2(widest range)`
whole-array combines of the blocks that are read.

References: Tangwongsan et al., VLDB 2015 (two stacks).
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from panewise.aggregates import Partial
from panewise.errors import ResultOverflow
from panewise.kernels.block_sums import block_sums
from panewise.kernels.columns import ALL_VALID, Column, Numbers, Objects
from panewise.kernels.compiled import compiled
from panewise.kernels.disjoint import NONE, fold_disjoint, fold_neighbours
from panewise.kernels.grouping import NO_ORDER
from panewise.kernels.monoids import OPERATIONS, SUM, combine, overflows
from panewise.kernels.records import fold_records
from panewise.kernels.running import running_sums
from panewise.kernels.tree import Tree, build, dense, grown, read, read_dense, tree_is_cheaper


def fold(
    partial: Partial,
    column: Column,
    lo: np.ndarray,
    hi: np.ndarray,
    *,
    checked: bool = False,
    tree: Tree | None = None,
) -> Column:
    """The combination of `column[lo:hi]` for every range; an empty range gives null.

    With `checked`, an integer sum that leaves 64 bits raises `OverflowError`; otherwise it wraps.
    A `tree` over the column is read if it is there already.
    """
    if isinstance(column, Objects):
        return Objects(_fold_objects(partial, column.array, lo, hi))
    operation = OPERATIONS[str(partial.monoid)]
    out = np.empty(len(lo), column.values.dtype)
    present = np.empty(len(lo), np.bool_)
    overflow, every = True, False
    if tree is not None:
        overflow, every = tree.read(lo, hi, out, present), bool(present.all())
    if tree is None or (overflow and checked):  # a node that nobody reads may have gone around
        overflow, every = _fold(
            column.values, column.valid, lo, hi, operation, out.dtype == np.int64, out, present
        )
    if overflow and checked and out.dtype == np.int64:
        raise _overflow()
    return Numbers(out, ALL_VALID if every else present, column.kind)


def fold_behind(
    partial: Partial,
    column: Column,
    lo: np.ndarray,
    hi: np.ndarray,
    before: Column | None,
    at: np.ndarray,
    *,
    checked: bool = False,
) -> Column:
    """The same for ranges that do not overlap, each behind `before[at]`, or nothing where `at` is
    NONE."""
    if isinstance(column, Objects):
        return _objects_behind(partial, column, lo, hi, before, at)
    held = column if before is None else before
    assert isinstance(held, Numbers)
    out, present = np.empty(len(lo), column.values.dtype), np.empty(len(lo), np.bool_)
    overflow, every = fold_disjoint(
        column.values, column.valid, lo, hi, held.values, held.valid, at,
        OPERATIONS[str(partial.monoid)], out, present,
    )  # fmt: skip
    if overflow and checked and out.dtype == np.int64:
        raise _overflow()
    return Numbers(out, ALL_VALID if every else present, column.kind)


def fold_groups(
    partial: Partial,
    column: Column,
    heads: np.ndarray,
    order: np.ndarray = NO_ORDER,
    *,
    checked: bool = False,
) -> Column:
    """The same for cells from one head to the next, which may be listed in an order."""
    if isinstance(column, Objects):
        listed = column.take(order) if len(order) else column
        return Objects(_fold_objects(partial, listed.array, heads, stops(heads, len(listed))))
    out, present = np.empty(len(heads), column.values.dtype), np.empty(len(heads), np.bool_)
    operation = OPERATIONS[str(partial.monoid)]
    overflow, every = fold_neighbours(
        column.values, column.valid, order, heads, operation, out, present
    )
    if overflow and checked and out.dtype == np.int64:
        raise _overflow()
    return Numbers(out, ALL_VALID if every else present, column.kind)


def stops(heads: np.ndarray, count: int) -> np.ndarray:
    """Where neighbouring ranges of so many cells end, which begin here."""
    return np.append(heads[1:], count)


def _objects_behind(
    partial: Partial,
    column: Objects,
    lo: np.ndarray,
    hi: np.ndarray,
    before: Column | None,
    at: np.ndarray,
) -> Column:
    folded = _fold_objects(partial, column.array, lo, hi)
    behind = np.flatnonzero(at != NONE)
    if not len(behind):
        return Objects(folded)
    assert isinstance(before, Objects)
    both = partial.combine(before.take(at[behind]).array, folded.take(pa.array(behind)))
    places = np.arange(len(lo))
    places[behind] = len(lo) + np.arange(len(behind))
    return Objects(pa.concat_arrays([folded, both.cast(folded.type)]).take(pa.array(places)))


def _overflow() -> ResultOverflow:
    return ResultOverflow(
        "an integer sum left the range of BIGINT.", hint="cast the column to DECIMAL first."
    )


@compiled
def _fold(values, valid, lo, hi, operation, whole, out, present):  # type: ignore[no-untyped-def]
    """The way that needs the fewest combines; whether a sum went around, and none is missing."""
    overflow, done = False, _alone(values, valid, lo, hi, out, present)
    if not done and len(lo) > 1 and tree_is_cheaper(len(values), lo, hi):
        if operation == SUM and whole:
            done = not running_sums(values, valid, lo, hi, out, present)
        elif operation == SUM and len(valid) == 0:
            block_sums(values, lo, hi, out, present)
            done = True
        elif len(valid) == 0:
            read_dense(dense(values, operation), lo, hi, operation, out, present)
            done = True
        else:
            nodes, nodes_valid = grown(values, valid, 0)
            build(nodes, nodes_valid, operation)
            read(nodes, nodes_valid, lo, hi, operation, out, present)
            done = True
    if not done:
        overflow = two_stacks(values, valid, lo, hi, operation, out, present)
    every = True
    for some in present:
        every &= some
    return overflow, every


@compiled
def _alone(values, valid, lo, hi, out, present):  # type: ignore[no-untyped-def]
    """Whether every range has one cell, as with windows that are panes: nothing is combined."""
    for w in range(len(lo)):
        if hi[w] - lo[w] != 1:
            return False
        out[w] = values[lo[w]]
        present[w] = len(valid) == 0 or valid[lo[w]]
    return True


@compiled
def two_stacks(values, valid, lo, hi, operation, out, present):  # type: ignore[no-untyped-def]
    every = len(valid) == 0
    size = 0  # suffixes are only needed for cells that some overlap reads twice
    for w in range(1, len(lo)):
        if hi[w - 1] > lo[w] >= lo[w - 1]:
            size = len(values)
            break
    suffix = np.empty(size, values.dtype)
    suffix_valid = np.empty(size, np.bool_)
    overflow = False
    mid = done = 0  # rows [mid, done) are in `total`; rows before mid have a suffix
    total, some = values.dtype.type(0), False
    previous = -1
    for w in range(len(lo)):
        low, high = lo[w], hi[w]
        if low < previous or high < done or low >= done:  # another key or family, or disjoint
            mid = done = low
            some = False
        elif low > mid:  # the older part is used up: turn the newer part into suffixes
            tail, tail_valid = values.dtype.type(0), False
            for i in range(done - 1, low - 1, -1):
                if every or valid[i]:
                    if tail_valid:
                        both = combine(values[i], tail, operation)
                        if operation == SUM and overflows(values[i], tail, both):
                            overflow = True
                        tail = both
                    else:
                        tail, tail_valid = values[i], True
                suffix[i], suffix_valid[i] = tail, tail_valid
            mid = done
            some = False
        previous = low
        for i in range(done, high):
            if every or valid[i]:
                if some:
                    both = combine(total, values[i], operation)
                    if operation == SUM and overflows(total, values[i], both):
                        overflow = True
                    total = both
                else:
                    total, some = values[i], True
        done = high
        if low < mid and suffix_valid[low]:
            if some:
                both = combine(suffix[low], total, operation)
                if operation == SUM and overflows(suffix[low], total, both):
                    overflow = True
                out[w], present[w] = both, True
            else:
                out[w], present[w] = suffix[low], True
        else:
            out[w], present[w] = total, some
    return overflow


def _fold_objects(partial: Partial, column: pa.Array, lo: np.ndarray, hi: np.ndarray) -> pa.Array:
    """By a compiled loop where one knows what is in them."""
    found = fold_records(partial, column, lo, hi)
    return _doubling(partial, column, lo, hi) if found is None else found


def _doubling(partial: Partial, column: pa.Array, lo: np.ndarray, hi: np.ndarray) -> pa.Array:
    """Blocks of 1, 2, 4, ... cells; a range takes the blocks of its length's binary digits.

    Only blocks that some range needs are made, so that lists do not grow where nobody reads them.
    """
    length = hi - lo
    result = pa.nulls(len(lo), column.type)
    wanted = _wanted_blocks(lo, length)
    begins, blocks = np.arange(len(column)), column
    for digit, needed in enumerate(wanted):
        width = 1 << digit
        if digit:
            halves = (np.searchsorted(begins, needed + half) for half in (0, width // 2))
            blocks = partial.combine(*(blocks.take(pa.array(half)) for half in halves))
            begins = needed
        chosen = np.flatnonzero(length & width)
        if not len(chosen):
            continue
        at = np.searchsorted(begins, (lo + (length & (width - 1)))[chosen])
        both = partial.combine(result.take(pa.array(chosen)), blocks.take(pa.array(at)))
        order = np.arange(len(lo))
        order[chosen] = len(lo) + np.arange(len(chosen))
        result = pa.concat_arrays([result, both.cast(column.type)]).take(pa.array(order))
    return result


def _wanted_blocks(lo: np.ndarray, length: np.ndarray) -> list[np.ndarray]:
    """Where the blocks of each width begin, ascending, smallest width first."""
    wanted: list[np.ndarray] = []
    larger = np.empty(0, np.int64)
    for digit in reversed(range(int(length.max(initial=0)).bit_length())):
        width = 1 << digit
        own = (lo + (length & (width - 1)))[(length & width) > 0]
        larger = _distinct(np.concatenate([own, larger, larger + width]))
        wanted.append(larger)
    return wanted[::-1]


def _distinct(places: np.ndarray) -> np.ndarray:
    """Each once, ascending; `np.unique` takes ten times as long."""
    places.sort()
    fresh = np.ones(len(places), np.bool_)
    np.not_equal(places[1:], places[:-1], out=fresh[1:])
    return places[fresh]

"""Combining ranges of cells at a cost that does not grow with the overlap.

Idea: ranges of one key come in ascending order, so a queue with two stacks answers each with a
suffix of the older part and a running total of the newer part: about three combines per cell,
nothing is ever subtracted, and floating sums lose nothing.  Partials without a compiled monoid are
combined by doubling: `log2(widest range)` whole-array combines of the blocks that are read.

References: Tangwongsan et al., VLDB 2015 (two stacks).
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from panewise.aggregates import Partial
from panewise.kernels.compiled import compiled

SUM, MIN, MAX, PRODUCT = 0, 1, 2, 3
_OPERATIONS = {"sum": SUM, "min": MIN, "max": MAX, "product": PRODUCT}


def fold(
    partial: Partial, column: pa.Array, lo: np.ndarray, hi: np.ndarray, *, checked: bool = False
) -> pa.Array:
    """The combination of `column[lo:hi]` for every range; an empty range gives null.

    With `checked`, an integer sum that leaves 64 bits raises `OverflowError`; otherwise it wraps.
    """
    numbers = as_numbers(column) if partial.monoid is not None else None
    if numbers is None:
        return _doubling(partial, column, lo, hi)
    values, valid = numbers
    out = np.empty(len(lo), values.dtype)
    present = np.empty(len(lo), np.bool_)
    overflow = _fold(values, valid, lo, hi, _OPERATIONS[str(partial.monoid)], out, present)
    if overflow and checked and values.dtype == np.int64:
        raise OverflowError("an integer sum left the range of BIGINT")
    return from_numbers(out, present, column.type)


def as_numbers(column: pa.Array) -> tuple[np.ndarray, np.ndarray] | None:
    """Values as int64 or float64 with their validity; None for types the loops cannot hold."""
    kind = column.type
    if pa.types.is_floating(kind):
        wide = column.cast(pa.float64())
    elif pa.types.is_integer(kind) or pa.types.is_boolean(kind):
        wide = column.cast(pa.int64())
    elif pa.types.is_date32(kind):
        wide = column.cast(pa.int32()).cast(pa.int64())
    elif pa.types.is_timestamp(kind) or pa.types.is_duration(kind):
        wide = column.cast(pa.int64())
    else:
        return None
    valid = np.ones(len(wide), np.bool_)
    if wide.null_count:
        valid = np.asarray(wide.is_valid())
        wide = wide.fill_null(0)
    return np.asarray(wide), valid


def from_numbers(values: np.ndarray, valid: np.ndarray, kind: pa.DataType) -> pa.Array:
    """The inverse of `as_numbers`."""
    plain = pa.array(values, mask=None if valid.all() else ~valid)
    if pa.types.is_date32(kind):
        plain = plain.cast(pa.int32())
    return plain.cast(kind)


@compiled
def _combine(a, b, operation):  # type: ignore[no-untyped-def]
    if operation == SUM:
        return a + b
    if operation == PRODUCT:
        return a * b
    if operation == MIN:  # NaN is above every number
        return b if b < a or a != a else a
    return b if b > a or b != b else a


@compiled
def _overflows(a, b, total):  # type: ignore[no-untyped-def]
    return (a >= 0) == (b >= 0) and (total >= 0) != (a >= 0)


@compiled
def _fold(values, valid, lo, hi, operation, out, present):  # type: ignore[no-untyped-def]
    suffix = np.empty_like(values)
    suffix_valid = np.empty(len(values), np.bool_)
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
                if valid[i]:
                    if tail_valid:
                        joined = _combine(values[i], tail, operation)
                        if operation == SUM and _overflows(values[i], tail, joined):
                            overflow = True
                        tail = joined
                    else:
                        tail, tail_valid = values[i], True
                suffix[i], suffix_valid[i] = tail, tail_valid
            mid = done
            some = False
        previous = low
        for i in range(done, high):
            if valid[i]:
                if some:
                    joined = _combine(total, values[i], operation)
                    if operation == SUM and _overflows(total, values[i], joined):
                        overflow = True
                    total = joined
                else:
                    total, some = values[i], True
        done = high
        if low < mid and suffix_valid[low]:
            if some:
                joined = _combine(suffix[low], total, operation)
                if operation == SUM and _overflows(suffix[low], total, joined):
                    overflow = True
                out[w], present[w] = joined, True
            else:
                out[w], present[w] = suffix[low], True
        else:
            out[w], present[w] = total, some
    return overflow


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
        joined = partial.combine(result.take(pa.array(chosen)), blocks.take(pa.array(at)))
        order = np.arange(len(lo))
        order[chosen] = len(lo) + np.arange(len(chosen))
        result = pa.concat_arrays([result, joined.cast(column.type)]).take(pa.array(order))
    return result


def _wanted_blocks(lo: np.ndarray, length: np.ndarray) -> list[np.ndarray]:
    """Where the blocks of each width begin, ascending, smallest width first."""
    wanted: list[np.ndarray] = []
    larger = np.empty(0, np.int64)
    for digit in reversed(range(int(length.max(initial=0)).bit_length())):
        width = 1 << digit
        own = (lo + (length & (width - 1)))[(length & width) > 0]
        larger = np.unique(np.concatenate([own, larger, larger + width]))
        wanted.append(larger)
    return wanted[::-1]

"""Combining panes of many keys at once: a pane is a row of slots, one for each key.

Idea: all keys share the edges of a window, so its range of panes is found once and the rows in it
are combined slot by slot, several keys at a time.  Keys are taken in blocks whose sums stay in the
nearest cache.  Ranges that overlap share work by a queue with two stacks, as in `fold.py`, or for
sums of integers of not too many keys by differences of running sums.  Those that end together, as
windows of different lengths do, go on from the shortest to the longest; sums of floating numbers
are left out of that, as they would be taken from the end on.
Cost: about a nanosecond for each slot of a range, whether it has a row or not.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from panewise.errors import ResultOverflow
from panewise.kernels.columns import ALL_VALID, Numbers
from panewise.kernels.compiled import compiled
from panewise.kernels.monoids import MAX, SUM, combine, overflows

BLOCK = 1 << 11
"""Keys that are combined together."""
_EVERY = np.empty((0, 0), np.bool_)


@dataclass(frozen=True)
class RowColumn:
    """One partial of all slots; without `present`, every slot that has a row has a value."""

    operation: int
    values: np.ndarray
    present: np.ndarray | None
    kind: pa.DataType
    careful: bool
    """Whether a sum of integers may leave 64 bits."""

    def fold(self, lo: np.ndarray, hi: np.ndarray, checked: bool) -> FoldedColumn:
        """Every key's combination of these ranges of panes."""
        present = _EVERY if self.present is None else self.present
        shape = len(lo), self.values.shape[1]
        out = np.empty(shape, self.values.dtype)
        some = np.empty(shape if self.present is not None else (0, 0), np.bool_)
        whole = out.dtype == np.int64
        loop = self.operation, whole, self.careful
        wrapped = _fold_rows(self.values, present, lo, hi, *loop, out, some)
        if wrapped and checked and whole:
            raise ResultOverflow(
                "an integer sum left the range of BIGINT.", hint="cast the column to DECIMAL first."
            )
        return FoldedColumn(out, None if self.present is None else some, self.kind)


@dataclass(frozen=True)
class FoldedColumn:
    """A value for every range and key."""

    values: np.ndarray
    some: np.ndarray | None
    kind: pa.DataType

    def of(self, ranges: slice, keys: np.ndarray | None) -> Numbers:
        """Those of neighbouring ranges one after another, of all keys or of these places."""
        values = self.values[ranges].reshape(-1)
        valid = ALL_VALID if self.some is None else self.some[ranges].reshape(-1)
        if keys is not None:
            values, valid = values[keys], valid if self.some is None else valid[keys]
        return Numbers(values, ALL_VALID if valid.all() else valid, self.kind)


@dataclass(frozen=True)
class PaneRows:
    """The first open panes: where each begins, which slots have a row, and their partials."""

    panes: np.ndarray
    seen: np.ndarray
    columns: list[RowColumn]

    def seen_in(self, lo: np.ndarray, hi: np.ndarray) -> np.ndarray:
        """Which keys have a row in each of these ranges."""
        seen = self.seen.view(np.uint8)
        out = np.empty((len(lo), seen.shape[1]), np.uint8)
        if self.seen.all():
            out[:] = 1
        else:
            _fold_rows(seen, _EVERY, lo, hi, MAX, False, False, out, _EVERY)
        return out.view(np.bool_)


@compiled
def _fold_rows(  # type: ignore[no-untyped-def]
    values, present, lo, hi, operation, whole, careful, out, some
):
    """Whether a sum went around; `some` tells who has a value, where that may be missing.

    The sum of `whole` numbers without need to be `careful` stays in 64 bits even over all panes.
    """
    panes, keys = values.shape
    every = len(some) == 0
    exact = every and not careful and (whole or operation == MAX)
    if exact and len(lo) > 1 and (hi == hi[0]).all():
        _nested(values, lo, hi[0], operation, out)
        return False
    shared = False  # suffixes are only needed for panes that some overlap reads twice
    for w in range(1, len(lo)):
        shared |= hi[w - 1] > lo[w] >= lo[w - 1]
    if shared and exact and operation == SUM and keys <= BLOCK:
        _running(values, lo, hi, out)
        return False
    suffix = np.empty((panes if shared else 0, BLOCK), values.dtype)
    suffix_some = np.empty((0 if every else len(suffix), BLOCK), np.bool_)
    total, total_some = np.empty(BLOCK, values.dtype), np.empty(0 if every else BLOCK, np.bool_)
    nobody = np.empty(0, np.bool_)
    wrapped = False
    for first in range(0, keys, BLOCK):
        stop = min(first + BLOCK, keys)
        width = stop - first
        mid = done = 0  # panes [mid, done) are in `total`; those before mid have a suffix
        previous = -1
        for w in range(len(lo)):
            low, high = lo[w], hi[w]
            if low < previous or high < done or low >= done:  # another family, or disjoint
                mid = done = low
            elif low > mid:  # the older part is used up: turn the newer part into suffixes
                for i in range(done - 1, low - 1, -1):
                    suffix[i, :width] = values[i, first:stop]
                    own = nobody if every else suffix_some[i, :width]
                    if not every:
                        own[:] = present[i, first:stop]
                    if i < done - 1:
                        after = nobody if every else suffix_some[i + 1, :width]
                        wrapped |= _join(
                            suffix[i, :width], own, suffix[i + 1, :width], after, operation, careful
                        )
                mid = done
            previous = low
            for i in range(done, high):
                theirs = nobody if every else present[i, first:stop]
                if i == mid:
                    total[:width] = values[i, first:stop]
                    if not every:
                        total_some[:width] = theirs
                else:
                    wrapped |= _join(
                        total[:width], total_some[:width], values[i, first:stop], theirs,
                        operation, careful,
                    )  # fmt: skip
            done = high
            target = out[w, first:stop]
            target_some = nobody if every else some[w, first:stop]
            if low < mid:
                target[:] = suffix[low, :width]
                if not every:
                    target_some[:] = suffix_some[low, :width]
                if done > mid:
                    wrapped |= _join(
                        target, target_some, total[:width], total_some[:width], operation, careful
                    )
            else:
                target[:] = total[:width]
                if not every:
                    target_some[:] = total_some[:width]
    return wrapped


@compiled
def _nested(values, lo, end, operation, out):  # type: ignore[no-untyped-def]
    """Ranges that end together: each goes on where the next shorter one begins."""
    keys = values.shape[1]
    total, nobody = np.empty(BLOCK, values.dtype), np.empty(0, np.bool_)
    longer = np.argsort(-lo)
    for first in range(0, keys, BLOCK):
        stop = min(first + BLOCK, keys)
        width, done = stop - first, end
        for w in longer:
            for i in range(done - 1, lo[w] - 1, -1):
                if i == end - 1:
                    total[:width] = values[i, first:stop]
                else:
                    _join(total[:width], nobody, values[i, first:stop], nobody, operation, False)
            done = lo[w]
            out[w, first:stop] = total[:width]


@compiled
def _running(values, lo, hi, out):  # type: ignore[no-untyped-def]
    """Sums of ranges as differences of sums from the first pane on, for few keys."""
    panes, keys = values.shape
    sums = np.empty((panes + 1, keys), values.dtype)
    sums[0] = 0
    for i in range(panes):
        for k in range(keys):
            sums[i + 1, k] = sums[i, k] + values[i, k]
    for w in range(len(lo)):
        for k in range(keys):
            out[w, k] = sums[hi[w], k] - sums[lo[w], k]


@compiled
def _join(mine, mine_some, theirs, theirs_some, operation, careful):  # type: ignore[no-untyped-def]
    """Combine each value with its neighbour; whether a sum went around."""
    wrapped = False
    if len(mine_some) > 0:
        for k in range(len(mine)):
            if theirs_some[k]:
                if mine_some[k]:
                    both = combine(mine[k], theirs[k], operation)
                    if operation == SUM and overflows(mine[k], theirs[k], both):
                        wrapped = True
                    mine[k] = both
                else:
                    mine[k], mine_some[k] = theirs[k], True
    elif operation == SUM and careful:
        for k in range(len(mine)):
            both = mine[k] + theirs[k]
            wrapped |= overflows(mine[k], theirs[k], both)
            mine[k] = both
    elif operation == SUM:
        for k in range(len(mine)):
            mine[k] += theirs[k]
    else:  # which slots have a row: bytes, of which the larger one tells
        for k in range(len(mine)):
            mine[k] = max(mine[k], theirs[k])
    return wrapped

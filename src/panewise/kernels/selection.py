"""Quantiles of windows with many different values.

Idea: a quantile reads one or two values of a window's tally, and of the others only how many there
are.  Two passes over the cells find them: one counts values in coarse bins of ranks, one counts the
ranks of the bin that holds the position.  All values between two that are read become one entry.
Cost: two short steps per cell of a window, instead of an entry for each of its values.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from panewise.aggregates import Tally
from panewise.kernels.compiled import compiled

BINS = 1 << 12
"""Coarse bins at most: their counts stay in the nearest cache."""
STEP = 3
"""Cells that are read twice while one enters or leaves a tally, or one value of it is told."""


def are_many(values: int) -> bool:
    """Whether a window rather finds the few values that it reads than lists all."""
    return values > BINS


def pays(values: int, lo: np.ndarray, hi: np.ndarray) -> bool:
    """Whether it is cheaper than moving counts from window to window (`tallies.py`).

    Those count what enters and what leaves, and look through all values for each window.
    """
    cells = hi - lo
    moved = 2 * cells
    before, after = lo[:-1], hi[:-1]
    near = (lo[1:] >= before) & (hi[1:] >= after) & (lo[1:] < after)
    moved[1:][near] = (lo[1:] - before + hi[1:] - after)[near]
    return bool(are_many(values) and cells.sum() <= STEP * (moved.sum() + values * len(lo)))


def selected(
    ranks: np.ndarray,
    values: pa.Array,
    numbers: np.ndarray,
    weights: np.ndarray,
    lo: np.ndarray,
    hi: np.ndarray,
    shares: Sequence[float],
) -> Tally:
    """A tally of every range in which positions `share * (rows - 1)` have the right values.

    `numbers` are of cells, `ranks` of numbers (-1 for null), `values` by rank.
    """
    asked = np.unique(np.array(shares, np.float64))
    shift = max((len(values) // BINS).bit_length(), 0)
    room = (4 * len(asked) + 1) * len(lo)  # two values for each share, and what is between
    found, counts = np.empty(room, np.int64), np.empty(room, np.int64)
    offsets = np.zeros(len(lo) + 1, np.int64)
    _select(ranks, numbers, weights, lo, hi, asked, shift, len(values) + 1, offsets, found, counts)
    total = offsets[-1]
    return Tally(offsets, values.take(pa.array(found[:total])), counts[:total])


@compiled
def _select(  # type: ignore[no-untyped-def]
    ranks, numbers, weights, lo, hi, shares, shift, width, offsets, found, counts
):
    coarse = np.empty((width >> shift) + 1, np.int64)
    fine = np.empty(1 << shift, np.int64)
    n = 0
    for w in range(len(lo)):
        rows = _coarse(ranks, numbers, weights, lo[w], hi[w], shift, coarse)
        here, before = -1, 0  # the bin at hand, and the rows in those before it
        told, last = 0, -1  # rows and the greatest rank that have an entry
        for s in range(len(shares) if rows else 0):
            position = shares[s] * (rows - 1)
            for at in (np.int64(np.floor(position)), np.int64(np.ceil(position))):
                if at < told:
                    continue  # its value was read already
                was = here
                here, before = bin_at(coarse, here, before, at)
                if here != was:
                    _fine(ranks, numbers, weights, lo[w], hi[w], shift, here, fine)
                n, told, last = tell(fine, here << shift, before, at, told, found, counts, n)
        if rows > told:
            found[n], counts[n] = last + 1, rows - told
            n += 1
        offsets[w + 1] = n


@compiled
def bin_at(coarse, here, before, at):  # type: ignore[no-untyped-def]
    """The bin that holds a position, from an earlier one on (-1: none), and the rows before it."""
    here = max(here, 0)
    while before + coarse[here] <= at:
        before += coarse[here]
        here += 1
    return here, before


@compiled
def tell(fine, first, before, at, told, found, counts, n):  # type: ignore[no-untyped-def]
    """An entry for the value at a position, of a bin that begins with this rank.

    Returns how many entries there are, the rows that they stand for, and the greatest rank.
    """
    rank, passed = first, before
    while passed + fine[rank - first] <= at:
        passed += fine[rank - first]
        rank += 1
    if passed > told:  # some value is between the last and this one
        found[n], counts[n] = rank - 1, passed - told
        n += 1
    found[n], counts[n] = rank, fine[rank - first]
    return n + 1, passed + counts[n], rank


@compiled
def _coarse(ranks, numbers, weights, lo, hi, shift, counts):  # type: ignore[no-untyped-def]
    """Rows in each bin of ranks; how many there are."""
    counts[:] = 0
    total = 0
    for i in range(lo, hi):
        rank = ranks[numbers[i]]
        if rank >= 0:
            counts[rank >> shift] += weights[i]
            total += weights[i]
    return total


@compiled
def _fine(ranks, numbers, weights, lo, hi, shift, wanted, counts):  # type: ignore[no-untyped-def]
    """Rows of each rank in one bin."""
    counts[:] = 0
    mask = (1 << shift) - 1
    for i in range(lo, hi):
        rank = ranks[numbers[i]]
        if rank >= 0 and rank >> shift == wanted:
            counts[rank & mask] += weights[i]

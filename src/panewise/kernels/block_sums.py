"""Sums of blocks: a range is whole blocks and what sticks out of them.

Idea: floating sums cannot be taken apart again, and a tree of them is climbed with a guess at every
level.  Blocks are added up without one, several cells at a time, and so are ranges of blocks.
Cost: one addition per cell, and of a range two for every block and some for its ends, many at once.
"""

from __future__ import annotations

import numpy as np

from panewise.kernels.compiled import compiled, summing

_BITS = 5
"""Cells of a block are two to the power of this: ends and blocks of long ranges are about as many.
"""


@compiled
def block_sums(values, lo, hi, out, present):  # type: ignore[no-untyped-def]
    """The sum of every range of cells that are all there; only an empty one has none.

    >>> out, present = np.empty(2), np.empty(2, np.bool_)
    >>> block_sums(np.ones(100), np.array([1, 7]), np.array([99, 7]), out, present)
    >>> out.tolist(), present.tolist()
    ([98.0, 0.0], [True, False])
    """
    blocks = np.empty(len(values) >> _BITS, values.dtype)
    for b in range(len(blocks)):
        blocks[b] = _added_up(values, b << _BITS, (b + 1) << _BITS)
    for w in range(len(lo)):
        low, high = lo[w], hi[w]
        first, last = (low + (1 << _BITS) - 1) >> _BITS, high >> _BITS
        present[w] = low < high
        if first < last:
            before = _added_up(values, low, first << _BITS)
            behind = _added_up(values, last << _BITS, high)
            out[w] = before + _added_up(blocks, first, last) + behind
        else:
            out[w] = _added_up(values, low, high)


@summing
def _added_up(values, low, high):  # type: ignore[no-untyped-def]
    """Places are unsigned: a negative one would count from the end, and loops look out for it."""
    total = values.dtype.type(0)
    for i in range(np.uint64(low), np.uint64(high)):
        total += values[i]
    return total

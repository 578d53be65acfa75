"""How far an open frame surely goes on over rows that are held in blocks.

Idea: in a block rows are told by their numbers.  What is looked at in the next few is put side by
side, so that the loops over rows in order (`stretch.py`) pass over them; as many as the frame has
so far, because short frames end soon.  Nothing is compared of rows that join but their values, and
they are written down together.
"""

from __future__ import annotations

import numpy as np

from panewise.kernels.compiled import compiled
from panewise.kernels.frames.stretch import PASSED, stretch
from panewise.kernels.frames.verdict import GROWS, lasting

_FEW = 8


@compiled
def joining(ids, at, size, ticks, values, near, parameters, a, b, count, start):  # type: ignore[no-untyped-def]
    """How many rows of a block from a place on surely join the open frame that has `count` rows
    since `start`; and the registers behind them.  `near` is room for what is looked at in them."""
    form, ahead, bound, _, most, _, longest, _ = parameters
    far = min(size - at, most - count, count + _FEW)
    if form not in PASSED or far <= 0 or lasting(start, ticks[ids[at + far - 1]]) > longest:
        return 0, a, b
    place, room = np.uint64(at), np.uint64(far)
    for k in range(room):
        near[k] = values[ids[place + k]]
    return stretch(near, None, 0, 0, far, form, ahead, bound, a, b, count)


@compiled
def written(ids, at, count, marks, rows, were, n):  # type: ignore[no-untyped-def]
    """Write down rows of a block that join, with their marks before; how many are written then."""
    place, behind = np.uint64(at), np.uint64(n)
    for k in range(np.uint64(count)):
        x = ids[place + k]
        rows[behind + k], were[behind + k] = x, marks[x]
        marks[x] = GROWS
    return n + count

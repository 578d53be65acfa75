"""Rows of many keys in order, where a late one costs little.

Idea: the rows of a key are a chain of small blocks.  A row is put into its block by moving the rest
of that block; a full block is cut in two.  Rows arrive nearly in order, so the search for the block
begins at the end of the chain.

Cost: O(WIDTH) per row, and a step for every block that it is late by.
"""

from __future__ import annotations

import numpy as np

from panewise.kernels.compiled import compiled
from panewise.kernels.frames.numbered import grown

WIDTH = 128
"""Rows in a block."""
NONE = -1


class Blocks:
    """Chains of blocks of row numbers, one for each key."""

    def __init__(self) -> None:
        self.head = np.empty(0, np.int64)
        self.tail = np.empty(0, np.int64)
        self.ids = np.empty((0, WIDTH), np.int64)
        self.sizes, self.next, self.previous = (np.empty(0, np.int64) for _ in range(3))
        self.used = 0

    @property
    def chains(self) -> tuple[np.ndarray, ...]:
        """As the loops take them."""
        return self.head, self.tail, self.ids, self.sizes, self.next, self.previous

    def grow(self, keys: int, rows: int) -> None:
        """Make room for new keys, and for that many rows wherever they fall."""
        if keys > len(self.head):
            missing = np.full(keys - len(self.head), NONE, np.int64)
            self.head, self.tail = (np.concatenate([a, missing]) for a in (self.head, self.tail))
        # a row may cut a block in two, but not two rows the same one soon after each other
        wanted = self.used + min(rows, self.used) + 2 * rows // WIDTH + keys + 1
        if wanted <= len(self.sizes):
            return
        # room that nobody uses is not written to, so it costs nothing
        self.ids, self.sizes, self.next, self.previous = (
            grown(each, self.used, 2 * wanted)
            for each in (self.ids, self.sizes, self.next, self.previous)
        )

    def rename(self, kept: np.ndarray) -> None:
        """Keys were numbered anew; these are kept."""
        self.head, self.tail = self.head[kept], self.tail[kept]


@compiled
def precedes(ticks, sequence, a, b):  # type: ignore[no-untyped-def]
    """Whether row `a` comes before row `b`; of equal ones the one that was numbered first."""
    if ticks[a] != ticks[b]:
        return ticks[a] < ticks[b]
    if sequence[a] != sequence[b]:
        return sequence[a] < sequence[b]
    return a < b


@compiled
def _among(chains, ticks, sequence, block, row):  # type: ignore[no-untyped-def]
    """How many rows of a block come before a row."""
    ids, sizes = chains[2], chains[3]
    low, high = 0, sizes[block]
    # nearly all rows are the last so far
    if high > 0 and not precedes(ticks, sequence, row, ids[block, high - 1]):
        return high - 1 if ids[block, high - 1] == row else high
    while low < high:
        middle = (low + high) // 2
        if precedes(ticks, sequence, ids[block, middle], row):
            low = middle + 1
        else:
            high = middle
    return low


@compiled
def found(chains, ticks, sequence, key, row):  # type: ignore[no-untyped-def]
    """The block of a row, and how many rows of that block come before it."""
    _, tail, ids, _, _, previous = chains
    block = tail[key]
    while previous[block] != NONE and precedes(ticks, sequence, row, ids[block, 0]):
        block = previous[block]
    return block, _among(chains, ticks, sequence, block, row)


@compiled
def insert(chains, used, ticks, sequence, key, row):  # type: ignore[no-untyped-def]
    """Put a row in its place; how many blocks are used then."""
    return _insert_behind(chains, used, ticks, sequence, key, row, NONE)[0]


@compiled
def _insert_behind(chains, used, ticks, sequence, key, row, block):  # type: ignore[no-untyped-def]
    """The same for a row that no earlier block has a place for, unless that is NONE; and the block
    it is in."""
    head, tail, ids, sizes, following, previous = chains
    if tail[key] == NONE:
        head[key] = tail[key] = used
        sizes[used] = 0
        following[used] = previous[used] = NONE
        used += 1
    if block == NONE:
        block, at = found(chains, ticks, sequence, key, row)
    else:
        after = following[block]
        while after != NONE and not precedes(ticks, sequence, row, ids[after, 0]):
            block, after = after, following[after]
        at = _among(chains, ticks, sequence, block, row)
    after = following[block]
    if at == WIDTH and after != NONE and sizes[after] < WIDTH:
        # else rows that come from late to early would have a block each
        block, at = after, 0
    if sizes[block] == WIDTH:
        # rows in order fill their blocks; others leave room in both halves
        cut = WIDTH if at == WIDTH else WIDTH // 2
        other, used = used, used + 1
        previous[other], following[other], following[block] = block, after, other
        if after == NONE:
            tail[key] = other
        else:
            previous[after] = other
        sizes[other], sizes[block] = WIDTH - cut, cut
        for k in range(cut, WIDTH):
            ids[other, k - cut] = ids[block, k]
        if at > cut or cut == WIDTH:
            block, at = other, at - cut
    for k in range(sizes[block], at, -1):
        ids[block, k] = ids[block, k - 1]
    ids[block, at] = row
    sizes[block] += 1
    return used, block


@compiled
def insert_all(chains, used, ticks, sequence, codes, low, high):  # type: ignore[no-untyped-def]
    """Put the rows numbered `[low, high)` in their places; quickest if they are in order."""
    tail, ids, sizes = chains[1], chains[2], chains[3]
    block = NONE
    for row in range(low, high):
        key = codes[row]
        last = tail[key]
        if last != NONE and sizes[last] < WIDTH:
            size = sizes[last]
            if precedes(ticks, sequence, ids[last, size - 1], row):
                ids[last, size] = row
                sizes[last], block = size + 1, last
                continue
        if block != NONE and (codes[row - 1] != key or precedes(ticks, sequence, row, row - 1)):
            block = NONE
        used, block = _insert_behind(chains, used, ticks, sequence, key, row, block)
    return used


@compiled
def before(chains, block, at):  # type: ignore[no-untyped-def]
    """The place before a place; block NONE if there is none."""
    sizes, previous = chains[3], chains[5]
    if at > 0:
        return block, at - 1
    block = previous[block]
    return block, (sizes[block] - 1 if block != NONE else 0)


@compiled
def after(chains, block, at):  # type: ignore[no-untyped-def]
    """The place after a place; block NONE if there is none."""
    sizes, following = chains[3], chains[4]
    if at + 1 < sizes[block]:
        return block, at + 1
    return following[block], 0


@compiled
def listed(chains, out):  # type: ignore[no-untyped-def]
    """All rows in order, key by key; how many there are."""
    head, _, ids, sizes, following, _ = chains
    n = 0
    for key in range(len(head)):
        block = head[key]
        while block != NONE:
            for at in range(sizes[block]):
                out[n] = ids[block, at]
                n += 1
            block = following[block]
    return n


@compiled
def drop_first(chains, key, count):  # type: ignore[no-untyped-def]
    """Forget the first rows of a key."""
    head, tail, ids, sizes, following, previous = chains
    while count > 0:
        block = head[key]
        here = min(count, sizes[block])
        count -= here
        if here < sizes[block]:
            for k in range(here, sizes[block]):
                ids[block, k - here] = ids[block, k]
            sizes[block] -= here
            return
        head[key] = following[block]
        if head[key] == NONE:
            tail[key] = NONE
            return
        previous[head[key]] = NONE

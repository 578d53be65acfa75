"""A tree of partials over cells: any range in about two combines per level.

Idea: node `i` combines nodes `2i` and `2i + 1`; cell `j` is node `n + j`.  A range climbs from both
ends.  The monoids commute, so a node may combine cells that are not neighbours where `n` is no
power of two; no range ever reads such a node.
There is room for more cells behind the last, which count as null: those that come later are put
there, and only the nodes above them are computed anew.
Cost: one combine per cell to build, one per level to append, `2 log2(range)` to read.

References: Tangwongsan et al., VLDB 2015 (FlatFAT); eager slicing of Traub et al., 2021.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from panewise.kernels.columns import Numbers
from panewise.kernels.compiled import compiled
from panewise.kernels.monoids import SUM, combine, overflows


@dataclass
class Tree:
    """Partials of one column and of all inner nodes."""

    nodes: np.ndarray
    valid: np.ndarray
    operation: int
    overflow: bool
    cells: int

    @classmethod
    def over(cls, column: Numbers, operation: int, room: int = 0) -> Tree:
        """Build it, with room for so many more cells."""
        nodes, valid = grown(column.values, column.valid, room)
        overflow = bool(build(nodes, valid, operation))
        return cls(nodes, valid, operation, overflow, len(column))

    def grown_to(self, column: Numbers) -> Tree:
        """A tree over a column that begins with the cells of this one: mostly this one itself."""
        count = len(column)
        if 2 * count > len(self.nodes):
            return Tree.over(column, self.operation, room=count // 2)
        values, valid = column.values[self.cells :], column.valid[self.cells :]
        self.overflow |= bool(
            extend(self.nodes, self.valid, self.cells, values, valid, self.operation)
        )
        self.cells = count
        return self

    @property
    def nbytes(self) -> int:
        return int(self.nodes.nbytes + self.valid.nbytes)

    def read(self, lo: np.ndarray, hi: np.ndarray, out: np.ndarray, present: np.ndarray) -> bool:
        """The combination of every range; whether an integer sum may have gone around."""
        found = read(self.nodes, self.valid, lo, hi, self.operation, out, present)
        return bool(found) or self.overflow


@compiled
def tree_is_cheaper(cells, lo, hi):  # type: ignore[no-untyped-def]
    """Whether building a tree and climbing it takes fewer combines than two stacks."""
    stacked = climbed = 0
    done, previous = 0, -1
    for w in range(len(lo)):
        if lo[w] < previous or hi[w] < done or lo[w] >= done:
            done = lo[w]
        stacked += 2 * (hi[w] - done) + 1
        done, previous = hi[w], lo[w]
        length = hi[w] - lo[w]
        climbed += 4
        while length > 1:
            climbed += 4
            length >>= 1
    return 2 * cells + climbed < stacked


@compiled
def grown(values, valid, room):  # type: ignore[no-untyped-def]
    """Nodes with the cells in place, and which of them are not null."""
    n = len(values) + room
    nodes, nodes_valid = np.zeros(2 * n, values.dtype), np.zeros(2 * n, np.bool_)
    _put(nodes, nodes_valid, 0, values, valid)
    return nodes, nodes_valid


@compiled
def _put(nodes, nodes_valid, first, values, valid):  # type: ignore[no-untyped-def]
    """Cells in place, the first of them as this one."""
    begin = len(nodes) // 2 + first
    for i in range(len(values)):
        nodes[begin + i] = values[i]
        nodes_valid[begin + i] = len(valid) == 0 or valid[i]


@compiled
def build(nodes, valid, operation):  # type: ignore[no-untyped-def]
    """Fill in the inner nodes; whether a sum of integers went around."""
    overflow = False
    for i in range(len(nodes) // 2 - 1, 0, -1):
        overflow |= _join(nodes, valid, i, operation)
    return overflow


@compiled
def extend(nodes, nodes_valid, first, values, valid, operation):  # type: ignore[no-untyped-def]
    """Put cells in place and fill in the nodes above them; whether a sum went around."""
    _put(nodes, nodes_valid, first, values, valid)
    overflow = False
    a = len(nodes) // 2 + first
    b = a + len(values) - 1
    while a > 1 and len(values) > 0:
        a >>= 1
        b >>= 1
        for i in range(b, max(a, 1) - 1, -1):
            overflow |= _join(nodes, nodes_valid, i, operation)
    return overflow


@compiled
def _join(nodes, valid, i, operation):  # type: ignore[no-untyped-def]
    """An inner node from those below it; whether a sum of integers went around."""
    a, b = 2 * i, 2 * i + 1
    valid[i] = valid[a] or valid[b]
    if not (valid[a] and valid[b]):
        nodes[i] = nodes[a] if valid[a] else nodes[b]
        return False
    nodes[i] = combine(nodes[a], nodes[b], operation)
    return operation == SUM and overflows(nodes[a], nodes[b], nodes[i])


@compiled
def dense(values, operation):  # type: ignore[no-untyped-def]
    """All nodes over cells that are all there, for sums that cannot go around."""
    n = len(values)
    nodes = np.empty(2 * n, values.dtype)
    nodes[n:] = values
    for i in range(n - 1, 0, -1):
        nodes[i] = combine(nodes[2 * i], nodes[2 * i + 1], operation)
    return nodes


@compiled
def read_dense(nodes, lo, hi, operation, out, present):  # type: ignore[no-untyped-def]
    """Every range of such nodes; only an empty one has nothing."""
    n = len(nodes) // 2
    for w in range(len(lo)):
        a, b = lo[w] + n, hi[w] + n
        present[w] = a < b
        total, some = nodes.dtype.type(0), False
        while a < b:
            if a & 1:
                total, some = combine(total, nodes[a], operation) if some else nodes[a], True
                a += 1
            if b & 1:
                b -= 1
                total, some = combine(total, nodes[b], operation) if some else nodes[b], True
            a >>= 1
            b >>= 1
        out[w] = total


@compiled
def read(nodes, valid, lo, hi, operation, out, present):  # type: ignore[no-untyped-def]
    """Every range from both of its ends; whether a sum of integers went around."""
    n = len(nodes) // 2
    overflow = False
    for w in range(len(lo)):
        a, b = lo[w] + n, hi[w] + n
        total, some = nodes.dtype.type(0), False
        while a < b:
            if a & 1:
                if valid[a]:
                    both = combine(total, nodes[a], operation) if some else nodes[a]
                    if some and operation == SUM and overflows(total, nodes[a], both):
                        overflow = True
                    total, some = both, True
                a += 1
            if b & 1:
                b -= 1
                if valid[b]:
                    both = combine(total, nodes[b], operation) if some else nodes[b]
                    if some and operation == SUM and overflows(total, nodes[b], both):
                        overflow = True
                    total, some = both, True
            a >>= 1
            b >>= 1
        out[w], present[w] = total, some
    return overflow

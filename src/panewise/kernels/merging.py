"""Many sorted runs of cells as one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from panewise.kernels.cells import Cells
from panewise.kernels.compiled import compiled
from panewise.kernels.keys import counting_sort
from panewise.kernels.program import Program

NEAR = 8
"""Places that a cell may be from its own, in the mean, before all are sorted at once."""


def merged_runs(parts: Sequence[Cells]) -> Cells:
    """Two by two, so that each cell is moved as often as the number of runs has digits."""
    runs = list(parts)
    while len(runs) > 1:
        pairs = [runs[i : i + 2] for i in range(0, len(runs), 2)]
        runs = [Cells.merge(*pair)[0] if len(pair) == 2 else pair[0] for pair in pairs]
    return runs[0]


def arranged(cells: Cells, keys: int) -> Cells:
    """Cells of so many keys, runs of them one behind the other, by key, pane and tie."""
    if len(cells.tie):
        return cells.take(np.lexsort((cells.tie, cells.pane, cells.code)))
    order, runs = counting_sort(cells.code, keys)
    _settle(cells.pane, order, runs)
    return cells.take(order)


@compiled
def _settle(pane, order, runs):  # type: ignore[no-untyped-def]
    """Put the cells of every key in order of their panes; equal ones stay as they are.

    Runs follow each other in time but for a few cells, which are not far from their places.
    """
    for r in range(len(runs) - 1):
        low, high = runs[r], runs[r + 1]
        left = NEAR * (high - low)
        for i in range(low + 1, high):
            row, at = order[i], i
            while at > low and pane[order[at - 1]] > pane[row]:
                order[at] = order[at - 1]
                at -= 1
            order[at] = row
            left -= i - at
            if left < 0:  # they are far from their places
                mine = order[low:high].copy()
                mine.sort()  # as they came
                order[low:high] = mine[np.argsort(pane[mine], kind="mergesort")]
                break


def pane_heads(cells: Cells) -> np.ndarray:
    """Where the cells of a key, pane and value begin."""
    first = np.ones(len(cells), np.bool_)
    first[1:] = (cells.pane[1:] != cells.pane[:-1]) | (cells.code[1:] != cells.code[:-1])
    if cells.value is not None:
        first[1:] |= cells.value[1:] != cells.value[:-1]
    return np.flatnonzero(first)


def united(program: Program, parts: Sequence[Cells]) -> Cells:
    """All runs as one, with one cell for each key and pane where cells may be combined."""
    return combined(program, merged_runs(parts))


def combined(program: Program, cells: Cells) -> Cells:
    """Neighbours of one key and pane as one, where cells may be combined."""
    if not program.mergeable:
        return cells
    heads = pane_heads(cells)
    if len(heads) == len(cells):
        return cells
    return cells.merged(program.partials, heads, cells.pane[heads], program.checked)

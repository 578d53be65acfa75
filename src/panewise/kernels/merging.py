"""Many sorted runs of cells as one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from panewise.kernels.cells import Cells
from panewise.kernels.keys import counting_sort
from panewise.kernels.order import in_order, radix_order
from panewise.kernels.program import Program


def merged_runs(parts: Sequence[Cells]) -> Cells:
    """Two by two, so that each cell is moved as often as the number of runs has digits."""
    runs = list(parts)
    while len(runs) > 1:
        pairs = [runs[i : i + 2] for i in range(0, len(runs), 2)]
        runs = [Cells.merge(*pair)[0] if len(pair) == 2 else pair[0] for pair in pairs]
    return runs[0]


def arranged(cells: Cells, keys: int) -> Cells:
    """Cells of so many keys by key, pane and tie: once for all, which beats many runs by two."""
    if len(cells.tie):
        return cells.take(np.lexsort((cells.tie, cells.pane, cells.code)))
    order = counting_sort(cells.code, keys)[0]
    if not in_order(cells.code[order], cells.pane[order]):
        by_pane = radix_order(cells.pane)
        order = by_pane[counting_sort(cells.code[by_pane], keys)[0]]
    return cells.take(order)


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

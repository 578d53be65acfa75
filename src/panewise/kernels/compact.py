"""Run-length encoding of value counts: equal values of one pane as one cell."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from panewise.aggregates.value_counts import rank_values
from panewise.kernels.cells import Cells
from panewise.kernels.program import Program


def compacted(program: Program, cells: Cells, fresh: np.ndarray) -> tuple[Cells, np.ndarray]:
    """Cells that differ in key, pane or a value, with the sum of their counts; and which have new
    rows."""
    ranks = [_ranks(values) for values in cells.values]
    order = np.lexsort((*reversed(ranks), cells.pane, cells.code))
    differs = np.zeros(len(order), np.bool_)
    differs[:1] = True
    for column in (cells.code, cells.pane, *ranks):
        ordered = column[order]
        differs[1:] |= ordered[1:] != ordered[:-1]
    heads = np.flatnonzero(differs)
    if len(heads) == len(cells):
        return cells, fresh
    ordered_cells = cells.take(order)
    merged = ordered_cells.merged(
        program.partials, heads, ordered_cells.pane[heads], program.checked
    )
    merged.values = [values.take(pa.array(order[heads])) for values in cells.values]
    return merged, np.logical_or.reduceat(fresh[order], heads)


def _ranks(values: pa.Array) -> np.ndarray:
    ranks = np.zeros(len(values), np.int64)
    valid = np.asarray(values.is_valid())
    ranks[valid] = rank_values(values.drop_null()) + 1
    return ranks

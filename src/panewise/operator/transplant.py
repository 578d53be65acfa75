"""State from one engine into another: queries come and go, what is held stays.

Idea: edges of the old queries are edges of the new panes too, so their cells can be read on.  A
cell that a new edge cuts holds rows from before the new query, which reports nothing that begins
before it was added.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pyarrow as pa

from panewise.kernels.cells import Cells
from panewise.operator.engine import Engine


def transplanted(old: Engine, new: Engine) -> Engine:
    """The new engine with all that the old one held and it can use."""
    old.settle()
    before, after = old.bound.layout(), new.bound.layout()
    composer, target = old.composer, new.composer
    target.keys, target.watermark = composer.keys, composer.watermark
    target.waiting = composer.waiting
    values = _values(old, new)

    def adapted(cells: Cells) -> Cells:
        return values(after.adapted(cells, before))

    target.waiting.apply(adapted)
    states = {t.identity: t.state() for t in (*composer.tiers, *composer.row_tiers)}
    for tier in (*target.tiers, *target.row_tiers):
        if tier.identity in states:
            state = states[tier.identity]
            tier.load(state if state.cells is None else replace(state, cells=adapted(state.cells)))
    return new


def _values(old: Engine, new: Engine) -> Callable[[Cells], Cells]:
    """How cells number their values in the new engine; columns that are new are null in them."""
    before, after = old.composer.values, new.composer.values
    if not len(after.schema):
        return lambda cells: replace(cells, value=None)
    known = before.table.keys
    count = known.num_rows if len(before.schema) else 1
    renamed = after.encode(
        pa.table(
            [
                known[field.name]
                if field.name in before.schema.names
                else pa.nulls(count, field.type)
                for field in after.schema
            ],
            schema=after.schema,
        )
    )

    def numbered(cells: Cells) -> Cells:
        value = np.zeros(len(cells), np.int64) if cells.value is None else cells.value
        weights = np.ones(len(cells), np.int64) if cells.weights is None else cells.weights
        return replace(cells, value=renamed[value], weights=weights)

    return numbered

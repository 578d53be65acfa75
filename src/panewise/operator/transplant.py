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

from panewise.errors import OperatorError
from panewise.kernels.cells import Cells
from panewise.kernels.waiting import WaitingRoom
from panewise.operator.engine import Engine


def transplanted(old: Engine, new: Engine) -> Engine:
    """The new engine with all that the old one held and it can use."""
    if old.program.commutative and not new.program.commutative:
        names = [a.name for a in new.bound.query.aggregates if not a.properties.commutative]
        raise OperatorError(
            f"{names[0]} depends on the order of rows, and those that came so far were combined in "
            "any order.",
            hint="make an operator that has such a query from the start.",
        )
    old.settle()
    before, after = old.bound.layout(), new.bound.layout()
    composer, target = old.composer, new.composer
    target.keys, target.watermark = composer.keys, composer.watermark
    target.waiting = composer.waiting
    values = _values(old, new)

    def adapted(cells: Cells) -> Cells:
        return values(after.adapted(cells, before))

    target.waiting.apply(lambda rows: replace(adapted(rows), weights=None))
    count = len(composer.keys)
    states = {
        t.identity: replace(t.state(), keys=count) for t in (*composer.tiers, *composer.row_tiers)
    }
    for tier in (*target.tiers, *target.row_tiers):
        if tier.identity in states:
            state = states[tier.identity]
            if state.cells is not None:
                paned, cells = tier in target.tiers, state.cells
                if paned and not new.program.mergeable:
                    cells = _as_rows(cells)
                cells = adapted(cells)
                state = replace(state, cells=_as_panes(cells, new) if paned else cells)
            tier.load(state)
    _hand_on_waiting_rows(old, new)
    return new


def _as_rows(cells: Cells) -> Cells:
    """Cells of panes with what rows have, where those to come will be rows."""
    nothing, one = np.zeros(len(cells), np.int64), np.ones(len(cells), np.int64)
    return replace(
        cells,
        first=cells.pane if cells.first is None else cells.first,
        last=cells.pane if cells.last is None else cells.last,
        weights=one if cells.weights is None else cells.weights,
        sequence=nothing if cells.sequence is None else cells.sequence,
    )


def _as_panes(cells: Cells, new: Engine) -> Cells:
    """Cells of panes with the columns that those to come will have."""
    program = new.program
    if not program.mergeable:
        return cells
    cells = replace(cells, sequence=None, inputs=())
    if not program.commutative:
        return replace(_as_rows(cells), sequence=None)
    if not program.counts_values:
        cells = replace(cells, weights=None)
    return cells if new.slicer.times else replace(cells, first=None, last=None)


def _hand_on_waiting_rows(old: Engine, new: Engine) -> None:
    """Rows that waited for their turn though panes do not ask for it any more, or nobody does."""
    composer, parts = new.composer, new.composer.waiting.parts()
    if not composer.takes_rows:
        composer.waiting = WaitingRoom(new.stream.delay)
    if not parts or not composer.takes_cells or old.program.commutative:
        return
    rows = Cells.concat(parts)
    assert rows.sequence is not None
    rows = _as_rows(rows.take(np.lexsort((rows.sequence, rows.pane, rows.code))))
    cells = composer._as_panes(rows)
    assert cells is not None
    keep = composer.watermark - new.stream.lateness
    told = list(composer.push(_as_panes(cells, new), None, composer.watermark, keep))
    assert not told, "rows that wait are of windows that are not due"


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

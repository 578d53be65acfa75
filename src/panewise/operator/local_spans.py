"""Events with a duration, in process: cells by each technique, windows from all of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from panewise.aggregates import Partial, Rows
from panewise.kernels.asked import AskedWindows
from panewise.kernels.columns import Column
from panewise.kernels.compose import Composer
from panewise.kernels.program import Piece, Program
from panewise.kernels.spanning.answers import answers, busy_of, cells_of, layout_for
from panewise.kernels.spanning.busy import windows
from panewise.kernels.spanning.compose import Leveled
from panewise.kernels.spanning.dense import Dense, Extent, Spans
from panewise.kernels.spanning.gather import spread_out
from panewise.kernels.spanning.layout import Layout
from panewise.kernels.spanning.store import shares
from panewise.operator.bound import Bound
from panewise.operator.columns import columns_of, times_of
from panewise.operator.registry import Registry
from panewise.operator.results import Results
from panewise.operator.sources import source_of
from panewise.operator.spans import Spanned, check_until, spanned
from panewise.operator.versions import Events, holding
from panewise.optimizer.edges import pane_edges
from panewise.plan import Plan, SharedPlan, Technique
from panewise.windows import Family


def run_spans(plan: Plan | SharedPlan, data: Any) -> pa.Table:
    """The rows of all windows as an Arrow table."""
    registry = Registry.of_plan(plan)
    whole = registry.whole
    names = whole.columns()
    source = source_of(data, names)
    bound = Bound.to(whole, columns_of(source.schema.empty_table(), names))
    check_until(whole, bound.types)
    composer = Composer(
        Program(AskedWindows(), pane_edges(whole.windows, many=True), bound.partials),
        bound.key_schema,
        bound.value_schema,
    )
    events = spanned(columns_of(source.table(), names), whole)
    bad_rows = events.bad_rows
    if whole.revise is not None:
        numbered = Events.of(events, _codes(bound, composer, events))
        events = spanned(numbered.take(holding(numbered, whole)).columns, whole)
    results = Results(bound, registry, revisions=False)
    if not len(events.start):
        return results.table([], composer, bad_rows=bad_rows)
    pieces = _windows(plan if isinstance(plan, Plan) else plan.plan, bound, composer, events)
    return results.table(pieces, composer, bad_rows=bad_rows)


def _windows(plan: Plan, bound: Bound, composer: Composer, events: Spanned) -> Iterator[Piece]:
    """All windows, with the columns of every share of partials."""
    # without keys, all events have the same number: slots need none
    code = _codes(bound, composer, events) if bound.query.by else None
    keys = max(len(composer.keys), 1)
    ticks = times_of(events.start, pa.int64())
    rows = Rows(events.columns, ticks, pa.array(np.empty(0, np.int64)))
    panes = composer.program.panes
    kinds = list(zip(bound.partials, bound.layout().kinds, strict=True))
    families, several = _families(bound), shares(kinds, _asked(plan, bound))
    spans = Spans(code, events.start, events.end, rows)
    extent = Extent(events.bounds, events.longest)
    dense = Dense.of(panes, families, keys, [spans], extent, several)
    entered = None if dense is None else dense.every()
    listed = None if entered is None else entered.windows
    found: dict[Partial, Column] = {}
    counted: tuple[Layout, Leveled] | None = None
    for share in several:
        if dense is not None and entered is not None and dense.has(share):
            found |= dense.columns(share, entered)
            continue
        if code is None:
            code = _codes(bound, composer, events)
        layout = layout_for(share, panes, *events.bounds)
        leveled = cells_of(share, layout, code, keys, rows, events.last, composer.values)
        if listed is None:  # whatever the technique, windows are the same
            listed = windows(busy_of(layout, leveled), families)
        if share.counted:
            counted = layout, leveled
            continue
        told = answers(share, layout, leveled, listed, checked=True)
        found |= {partial: told[partial] for partial in share.partials}
    assert listed is not None
    yield from spread_out(listed, [found[p] for p in bound.partials], counted)


def _codes(bound: Bound, composer: Composer, events: Spanned) -> np.ndarray:
    if not bound.query.by:
        return np.zeros(len(events.start), np.int64)
    return composer.keys.encode(pa.table({name: events.columns[name] for name in bound.query.by}))


def _asked(plan: Plan, bound: Bound) -> dict[Partial, Technique]:
    """The technique of each partial."""
    return {
        partial: tree.technique
        for tree in plan.trees
        for number in tree.aggregates
        for partial in bound.query.aggregates[number].partials(bound.scope)
        if tree.technique is not None
    }


def _families(bound: Bound) -> list[tuple[int, Family]]:
    demands = enumerate(window.demand() for window in bound.query.windows)
    return [(number, demand) for number, demand in demands if isinstance(demand, Family)]

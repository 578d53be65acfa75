"""The windows of a share of partials, by whichever technique its cells were made."""

from __future__ import annotations

import numpy as np

from panewise.aggregates import Partial, Rows
from panewise.aggregates.spanning import HighestPartial, MeanAtOncePartial
from panewise.kernels.columns import Column
from panewise.kernels.spanning.busy import Busy
from panewise.kernels.spanning.compose import Leveled, busy_stretches, composed
from panewise.kernels.spanning.endpoints import Endpoints, at_once, stretches, ticked
from panewise.kernels.spanning.layout import Layout, layout_of
from panewise.kernels.spanning.store import Share, slicer_for, written
from panewise.kernels.spanning.weighted import Weighted, weighed
from panewise.kernels.vocabulary import Vocabulary
from panewise.plan import Edges
from panewise.plan.technique import Kind


def layout_for(share: Share, edges: Edges, low: int, high: int) -> Layout:
    """Where the events of a share, between two ticks, are written."""
    if share.technique.kind is Kind.ENDPOINTS:
        return Endpoints()
    if share.technique.kind is Kind.WEIGHTED:
        return Weighted(edges)
    return layout_of(share.technique, edges, low, high, share.idempotent)


def cells_of(
    share: Share,
    layout: Layout,
    code: np.ndarray,
    keys: int,
    rows: Rows,
    last: np.ndarray,
    values: Vocabulary,
) -> Leveled:
    """The cells of these events, whose ticks are their starts."""
    if isinstance(layout, Endpoints):
        return ticked(layout, code, keys, np.asarray(rows.ticks), last)
    slicer = slicer_for(share, layout.panes, True, values)
    return written(slicer, layout, code, keys, rows, last)


def busy_of(layout: Layout, leveled: Leveled) -> Busy:
    """The stretches in which events are there."""
    if isinstance(layout, Endpoints):
        return stretches(leveled.of(0), leveled.of(1))
    return busy_stretches(layout, leveled)


def answers(
    share: Share,
    layout: Layout,
    leveled: Leveled,
    windows: tuple[np.ndarray, ...],
    checked: bool,
) -> dict[Partial, Column]:
    """Every partial of the share, of windows `(number, key, start, end)`."""
    if isinstance(layout, Endpoints):
        highest, mean = at_once(leveled.of(0), leveled.of(1), leveled.keys, windows)
        return {HighestPartial(): highest, MeanAtOncePartial(): mean}
    if isinstance(layout, Weighted):
        columns = weighed(layout, leveled, share.partials, windows, checked)
        return dict(zip(share.partials, columns, strict=True))
    columns = composed(layout, leveled, share.carried, windows, checked)
    return dict(zip(share.carried, columns, strict=True))

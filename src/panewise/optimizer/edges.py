"""The first choice of panes: the union of all edges that the windows ask for.

Sessions add a bound on the width.  Where no edge set of the others is fine enough, the finest
progression is subdivided, unless a grid of its own costs fewer panes.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence

from panewise.plan import Edges
from panewise.windows import Demand, Family, PaneWidth, Window

_MOST_PARTS = 4096
PROGRESSIONS = 64
"""Progressions in one expression; more than these become the grid that has all their edges."""
COMPARED = 2000
"""Progressions up to which each is compared with every other."""


def pane_edges(windows: Iterable[Window], *, many: bool = False) -> Edges:
    """The union of edges of all windows, fine enough for every session.

    With `many`, any number of progressions; otherwise only as many as one expression carries.

    >>> from panewise.windows import session, sliding, tumbling
    >>> pane_edges([tumbling(15), sliding(60, 20)]).progressions
    ((15, 0), (20, 0))
    >>> pane_edges([tumbling(20), session(10)]).progressions
    ((10, 0),)
    >>> pane_edges([tumbling(20), session(7)]).progressions
    ((7, 0), (20, 0))
    """
    return edges_of([window.demand() for window in windows], many=many)


def edges_of(demands: Sequence[Demand], *, many: bool = False) -> Edges:
    """The same for what windows ask for."""
    families = [d for d in demands if isinstance(d, Family)]
    widths = [d.ticks for d in demands if isinstance(d, PaneWidth)]
    progressions = {edge for f in families if not f.once for edge in f.edges()}
    fixed = [edge for f in families if f.once for edge in f.fixed_edges()]
    if len(progressions) > COMPARED and not many:
        progressions = {_grid(progressions)}
    if len(progressions) > COMPARED:
        union = Edges(tuple(sorted(progressions)), tuple(sorted(set(fixed))))
    else:
        union = Edges.union(progressions, fixed)
    if len(union.progressions) > PROGRESSIONS and not many:
        union = Edges.union([_grid(union.progressions)], fixed)
    return _at_most(min(widths), union) if widths else union


def _grid(progressions: Collection[tuple[int, int]]) -> tuple[int, int]:
    """One progression that has every edge of all of these."""
    base = min(progressions)[1]
    step = math.gcd(*(n for period, phase in progressions for n in (period, phase - base)))
    return step, base % step


def _at_most(width: int, edges: Edges) -> Edges:
    if edges.widest is not None and edges.widest <= width:
        return edges
    own = Edges.union([*edges.progressions, (width, 0)], edges.fixed)
    if not edges.progressions:
        return own
    period, phase = min(edges.progressions)
    part = _part(period, width)
    if part is None:
        return own
    finer = Edges.union([*edges.progressions, (part, phase)], edges.fixed)
    return finer if finer.rate <= own.rate else own


def _part(period: int, width: int) -> int | None:
    """The largest divisor of the period that is no wider, if it is not absurdly fine."""
    least = -(-period // width)
    for parts in range(least, least + _MOST_PARTS):
        if period % parts == 0:
            return period // parts
    return None

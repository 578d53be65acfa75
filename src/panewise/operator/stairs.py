"""What an operator says of windows whose cells become coarser with age."""

from __future__ import annotations

from itertools import pairwise

from panewise.aggregates import TallyAggregate
from panewise.kernels.asked import length_class
from panewise.kernels.stairwise import MOST, Stairs
from panewise.operator.decisions import Stream
from panewise.plan import Edges
from panewise.plan.labels import edges_label, length
from panewise.query import Query, RingQuery
from panewise.windows import Family, Window

Nested = list[tuple[Window, Family]]
"""Periodic windows, the shortest first."""


def stair_lines(query: Query, stream: Stream, *, together: bool) -> list[str]:
    """One line for each chain: its windows, which edges cells have, and how far behind.

    Where windows of different lengths form none, a line that says why.  Windows of all lengths are
    read `together`, or those of similar length are.
    """
    found = [(w, d) for w, d in zip(query.windows, query.demands, strict=True)]
    nested = [(w, d) for w, d in found if isinstance(d, Family)]
    nested.sort(key=lambda each: each[1].size)
    if len({family.size for _, family in nested}) < 2:
        return []
    reason = _unmerged(query, stream, nested)
    if reason:
        return [f"edge slices, no chain: {reason}"]
    timed = query.counts_time
    lines = [line for same in _sharing(nested, together=together) for line in _line(same, timed)]
    return lines or ["edge slices, no chain: longer windows need the edges of shorter ones"]


def ring_lines(asked: RingQuery) -> list[str]:
    """What is put together from which windows, and when."""
    listed = ", ".join(aggregate.canonical for aggregate in asked.aggregates)
    return [
        f"{listed} of {asked.scheme.window_id}: from {len(asked.rings)} windows, the rings of "
        f"{len(asked.scheme.levels)} levels; a ring waits until the window of its level ends"
    ]


def _unmerged(query: Query, stream: Stream, nested: Nested) -> str:
    """Why cells stay as they are; empty where they may be merged."""
    counting = [a.name for a in query.aggregates if isinstance(a, TallyAggregate)]
    if counting:
        return f"{counting[0]} counts values, which stay by pane"
    if stream.lateness and not query.commutative:
        names = [a.name for a in query.aggregates if not a.properties.commutative]
        return f"late rows come between others, and {names[0]} depends on their order"
    gaps = [w.window_id for w, family in nested if family.slide > family.size or family.once]
    if gaps:
        return f"{gaps[0]} leaves some times out"
    return f"there are more than {MOST} windows" if len(nested) > MOST else ""


def _sharing(nested: Nested, *, together: bool) -> list[Nested]:
    """Windows that share cells."""
    if together and Stairs.of([family for _, family in nested]) is not None:
        return [nested]
    by_length: dict[int, Nested] = {}
    for window, family in nested:
        by_length.setdefault(length_class(family.size), []).append((window, family))
    return list(by_length.values())


def _line(nested: Nested, timed: bool) -> list[str]:
    families = [family for _, family in nested]
    stairs = Stairs.of(families)
    if stairs is None:
        return []
    names = ", ".join(dict.fromkeys(_name(window) for window, _ in nested))
    whole = Edges.union(edge for family in families for edge in family.edges())
    reaches = [step.reach for step in stairs.steps] + [families[-1].size]
    edges = [whole, *(step.edges for step in stairs.steps)]
    told = (
        f"{edges_label(each, timed)} for {length(reach, timed)}"
        for each, reach in zip(edges, reaches, strict=True)
    )
    reason = _mismatch(families, timed)
    kind = f"edge slices ({reason})" if reason else "a chain"
    return [f"stairwise, {kind} of {names}: cells with edges {', then '.join(told)}"]


def _name(window: Window) -> str:
    return window.window_id if window.level is None else f"{window.window_id} level {window.level}"


def _mismatch(families: list[Family], timed: bool) -> str:
    """Which condition of a chain of plain granules does not hold; empty where all do."""
    for fine, coarse in pairwise(families):
        if coarse.slide % fine.slide:
            one, other = (length(each.slide, timed) for each in (fine, coarse))
            return f"{one} does not divide {other}"
        between = coarse.origin + coarse.size - fine.origin - fine.size
        if between % fine.slide:
            return "windows do not end together"
        if (coarse.size - fine.size) % coarse.slide:
            sizes = (length(each, timed) for each in (coarse.slide, coarse.size, fine.size))
            return "{} does not divide {} less {}".format(*sizes)
    return ""

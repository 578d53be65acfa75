"""What an operator says of windows whose cells become coarser with age."""

from __future__ import annotations

from panewise.aggregates import TallyAggregate
from panewise.kernels.asked import length_class
from panewise.kernels.stairwise import Stairs
from panewise.plan import Edges
from panewise.plan.labels import edges_label, length
from panewise.query import Query, RingQuery
from panewise.windows import Family


def stair_lines(query: Query) -> list[str]:
    """One line for each chain: which edges cells have, and how far behind."""
    if any(isinstance(a, TallyAggregate) for a in query.aggregates):
        return []
    families = [demand for demand in query.demands if isinstance(demand, Family)]
    chain = None if query.by else Stairs.of(families)
    if chain is not None:
        return _lines(families, chain, query.counts_time)
    by_length: dict[int, list[Family]] = {}
    for family in families:
        by_length.setdefault(length_class(family.size), []).append(family)
    chains = [(same, Stairs.of(same)) for same in by_length.values()]
    return [
        line
        for same, stairs in chains
        if stairs is not None
        for line in _lines(same, stairs, query.counts_time)
    ]


def _lines(families: list[Family], stairs: Stairs, timed: bool) -> list[str]:
    whole = Edges.union(edge for family in families for edge in family.edges())
    reaches = [step.reach for step in stairs.steps] + [max(family.size for family in families)]
    edges = [whole, *(step.edges for step in stairs.steps)]
    told = (
        f"{edges_label(each, timed)} for {length(reach, timed)}"
        for each, reach in zip(edges, reaches, strict=True)
    )
    return [f"stairwise: cells with edges {', then '.join(told)}"]


def ring_lines(asked: RingQuery) -> list[str]:
    """What is put together from which windows, and when."""
    listed = ", ".join(aggregate.canonical for aggregate in asked.aggregates)
    return [
        f"{listed} of {asked.scheme.window_id}: from {len(asked.rings)} windows, the rings of "
        f"{len(asked.scheme.levels)} levels; a ring waits until the window of its level ends"
    ]

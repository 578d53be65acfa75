"""What an operator says of windows whose cells become coarser with age."""

from __future__ import annotations

from panewise.aggregates import TallyAggregate
from panewise.kernels.asked import length_class
from panewise.kernels.in_place import MANY
from panewise.kernels.stairwise import Stairs
from panewise.plan import Edges
from panewise.plan.labels import edges_label, length
from panewise.query import Query
from panewise.windows import Family


def stair_lines(query: Query) -> list[str]:
    """One line for each chain: which edges cells have, and how far behind."""
    if any(isinstance(a, TallyAggregate) for a in query.aggregates):
        return []
    by_length: dict[int, list[Family]] = {}
    for demand in query.demands:
        if isinstance(demand, Family):
            by_length.setdefault(length_class(demand.size), []).append(demand)
    chains = [same for same in by_length.values() if _pays(same, keyed=bool(query.by))]
    return [line for same in chains for line in _lines(same, query.counts_time)]


def _pays(families: list[Family], *, keyed: bool) -> bool:
    """Whether cells are held; the few panes of one key are read where rows are added."""
    stairs = Stairs.of(families)
    return stairs is not None and (keyed or stairs.saved > MANY)


def _lines(families: list[Family], timed: bool) -> list[str]:
    stairs = Stairs.of(families)
    assert stairs is not None
    whole = Edges.union(edge for family in families for edge in family.edges())
    reaches = [step.reach for step in stairs.steps] + [max(family.size for family in families)]
    edges = [whole, *(step.edges for step in stairs.steps)]
    told = (
        f"{edges_label(each, timed)} for {length(reach, timed)}"
        for each, reach in zip(edges, reaches, strict=True)
    )
    return [f"stairwise: cells with edges {', then '.join(told)}"]

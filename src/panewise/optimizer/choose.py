"""From a query to a plan: which panes, and how windows are composed from them."""

from __future__ import annotations

from panewise.errors import QueryError
from panewise.optimizer.edges import pane_edges
from panewise.plan import Composition, Edges, Placement, Plan
from panewise.query import Query
from panewise.windows import Family

EXPAND_UP_TO = 2
"""Copies per pane up to which a group-by still beats sorting the panes for the kernel."""


def choose(query: Query, compose: str = "auto") -> Plan:
    """The union of all edges, and one composition for all windows."""
    panes = pane_edges(query.windows)
    composition, reason = _automatic(query, panes)
    if compose != "auto":
        composition, reason = _forced(query, compose, composition)
    return Plan(query, panes, composition, reason, _placement(query))


def _placement(query: Query) -> Placement:
    # the panes of a session are no wider than its gap, so cells may be nearly as many as rows;
    # without keys all rows would travel to one worker
    sessions = len(_families(query)) < len(query.windows)
    return Placement.ROWS if sessions and query.by else Placement.CELLS


def _automatic(query: Query, panes: Edges) -> tuple[Composition, str]:
    needs = _needs_kernel(query)
    if needs is not None:
        return Composition.KERNEL, needs
    families = _families(query)
    if len(families) == 1 and _tiles(families[0]):
        return Composition.DIRECT, "one tumbling window needs no second step"
    copies = sum(family.overlap for family in families)
    if any(aggregate.opaque for aggregate in query.aggregates):
        return Composition.EXPAND, "sketches are merged by Spark's own functions"
    if copies <= EXPAND_UP_TO:
        cost = (
            "one copy of each pane costs" if copies == 1 else f"{copies} copies of each pane cost"
        )
        return Composition.EXPAND, f"{cost} less than sorting the panes"
    return (
        Composition.KERNEL,
        f"one pass over sorted panes costs less than {copies:,} copies of each pane",
    )


def _forced(query: Query, compose: str, automatic: Composition) -> tuple[Composition, str]:
    try:
        wanted = Composition(compose)
    except ValueError:
        names = ", ".join(f'"{c.value}"' for c in Composition)
        raise QueryError(f'compose is "auto" or one of {names}: got {compose!r}.') from None
    if wanted is Composition.DIRECT and automatic is not Composition.DIRECT:
        raise QueryError(
            "direct composition answers one tumbling window and nothing else.",
            hint='leave compose="auto".',
        )
    needs = _needs_kernel(query)
    if wanted is not Composition.KERNEL and needs is not None:
        raise QueryError(
            f"this query cannot be composed by {wanted.value}: {needs}.",
            hint='leave compose="auto".',
        )
    return wanted, "as asked"


def _needs_kernel(query: Query) -> str | None:
    for aggregate in query.aggregates:
        if not aggregate.native:
            return f"{aggregate.name} is combined by array code"
    if len(_families(query)) < len(query.windows):
        return "sessions merge neighbouring panes in order"
    return None


def _families(query: Query) -> list[Family]:
    demands = (window.demand() for window in query.windows)
    return [demand for demand in demands if isinstance(demand, Family)]


def _tiles(family: Family) -> bool:
    return family.size == family.slide == family.step and not family.once

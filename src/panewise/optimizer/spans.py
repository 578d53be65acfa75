"""Events with a duration: which technique, by what an event writes and a window reads.

The source's Figure 15 maps event length and window shape to its techniques; here the same follows
from costs, with the two techniques that it did not have.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

from panewise.aggregates import Aggregate
from panewise.errors import QueryError
from panewise.optimizer.edges import pane_edges
from panewise.optimizer.model import Model
from panewise.plan import Alternative, Node, Placement, Plan, Statistics, Technique, Tree, Way
from panewise.plan.labels import density
from panewise.plan.technique import MOST_LEVELS, MOST_SLICES, Kind
from panewise.query import Query
from panewise.windows import Family

PANES = 10.0
"""Panes of an event where nothing is known."""
READ = 0.05
"""What reading one more level adds to the cost of a result."""

ENTRY = 0.1
"""What entering an event into a slot costs, by what folding a copy of it into a cell and moving
that costs: in process 4 to 8 ns against 60 to 90."""

Costs = dict[str, float]


def choose_spans(query: Query, strategy: str, statistics: Statistics | None, model: Model) -> Plan:
    """For every aggregate the cheapest technique, or the one that was asked for."""
    forced = Technique.parse(strategy)
    if forced is None and strategy != "auto":
        names = '"auto", "se_slicing", "se_ml_slicing(5)", "difference", "dyadic"'
        raise QueryError(
            f"for events with a duration strategy is one of {names}: got {strategy!r}."
        )
    spans = Spans(query, model)
    chosen = {
        number: spans.asked(a, forced)
        or min(spans.techniques(a), key=lambda t, a=a: spans.cost(a, t))  # type: ignore[misc]
        for number, a in enumerate(query.aggregates)
    }
    trees = tuple(
        spans.tree(technique, tuple(n for n, t in chosen.items() if t == technique))
        for technique in dict.fromkeys(chosen.values())
    )
    return Plan(
        query,
        trees,
        strategy,
        " and ".join(dict.fromkeys(str(t) for t in chosen.values())),
        "as asked" if forced else spans.reason(),
        sum(spans.cost(a, chosen[n]) for n, a in enumerate(query.aggregates)),
        statistics or Statistics(),
        () if forced else tuple(spans.alternatives(chosen)),
    )


def _enters(aggregate: Aggregate, technique: Technique) -> bool:
    """Whether events go straight into slots, without a copy for each cell."""
    twice = technique.kind is Kind.DYADIC and aggregate.properties.idempotent
    return technique.kind is Kind.DIFFERENCE or twice


class Spans:
    """Costs of techniques for one query."""

    def __init__(self, query: Query, model: Model) -> None:
        self.query, self.model = query, model
        self.panes = pane_edges(query.windows)
        self.known = model.statistics.length is not None
        rate = density(self.panes) if self.panes.progressions else 1.0
        ticks = model.statistics.length
        self.slices = PANES if ticks is None else max(1.0, ticks * rate + 1)
        """Slices of an event, on average."""

    def reason(self) -> str:
        known = "" if self.known else ", assumed"
        return f"least cost at {self.slices:,.3g} slices for each event{known}"

    def asked(self, aggregate: Aggregate, forced: Technique | None) -> Technique | None:
        """The technique that was asked for, unless the aggregate has one of its own."""
        if forced is not None and aggregate.technique is None:
            self.check(aggregate, forced)
            return forced
        return None

    def techniques(self, aggregate: Aggregate) -> Iterator[Technique]:
        """All that answer this aggregate; of multi-level slices those of a useful height."""
        if aggregate.technique is not None:
            yield Technique(Kind(aggregate.technique))
            return
        if self._listable():
            yield Technique(Kind.SE_SLICING)
            height = self._height()
            if height > 1:
                yield Technique(Kind.SE_ML_SLICING, height)
        if aggregate.properties.invertible:
            yield Technique(Kind.DIFFERENCE)
        yield Technique(Kind.DYADIC)

    def _listable(self) -> bool:
        """Whether slices may be listed: events may be far apart where nobody says how they are."""
        known = self.known and self.model.statistics.rate is not None
        return known and 2 * self.model.span * float(self.panes.rate) < MOST_SLICES

    def check(self, aggregate: Aggregate, technique: Technique) -> None:
        if technique.kind is Kind.DIFFERENCE and not aggregate.properties.invertible:
            raise QueryError(
                f'strategy="difference" takes away what has ended: {aggregate.canonical} cannot be '
                "taken apart.",
                hint='use strategy="dyadic", or "auto".',
            )

    def cost(self, aggregate: Aggregate, technique: Technique) -> float:
        """Writing, moving and reading cells."""
        c, rows = self.model.constants, self.model.statistics.rows
        writes, reads = self._writes(aggregate, technique), self._reads(aggregate, technique)
        cells = rows * writes
        if technique.kind is not Kind.ENDPOINTS:  # those are not put into panes
            cells = min(cells, self.model.rows(self.panes) * reads)
        results = sum(self.model.rows(f) for f in self._families())
        making = (c.fold + c.copy) * rows * writes + (c.group + c.cell) * cells
        if _enters(aggregate, technique):
            making *= ENTRY
        return c.scan * rows + making + 2 * c.stage + c.result * results * (1 + READ * reads)

    def placement(self, technique: Technique, aggregates: tuple[int, ...]) -> Placement:
        """Whether events travel to the worker of their key, or cells that Spark made of them."""
        c, rows = self.model.constants, self.model.statistics.rows
        enters = (_enters(self.query.aggregates[a], technique) for a in aggregates)
        if not self.query.by or not all(enters):
            return Placement.CELLS
        cells = 2 * min(rows, self.model.rows(self.panes))
        moved, made = c.move * rows, (c.fold + c.copy) * rows * 2 + (c.group + c.cell) * cells
        return Placement.ROWS if moved < made else Placement.CELLS

    def tree(self, technique: Technique, aggregates: tuple[int, ...]) -> Tree:
        nodes = [Node(self.panes, rows=self.model.rows(self.panes))]
        for number, window in enumerate(self.query.windows):
            demand = window.demand()
            assert isinstance(demand, Family)
            nodes.append(Node(demand, 0, number, rows=self.model.rows(demand)))
        placement = self.placement(technique, aggregates)
        tree = Tree(tuple(nodes), Way.SPANS, aggregates, placement, technique)
        cost = sum(self.cost(self.query.aggregates[a], technique) for a in aggregates)
        return replace(tree, nodes=(replace(nodes[0], cost=cost), *nodes[1:]))

    def alternatives(self, chosen: dict[int, Technique]) -> Iterator[Alternative]:
        """What each technique would cost for all aggregates that it answers."""
        costs: Costs = {}
        for number, aggregate in enumerate(self.query.aggregates):
            for technique in self.techniques(aggregate):
                if technique != chosen[number]:
                    name = str(technique)
                    costs[name] = costs.get(name, 0.0) + self.cost(aggregate, technique)
        for name, cost in sorted(costs.items(), key=lambda item: item[1]):
            yield Alternative(name, cost, "for the aggregates that it was not taken for")

    def _families(self) -> list[Family]:
        return [d for w in self.query.windows if isinstance(d := w.demand(), Family)]

    def _writes(self, aggregate: Aggregate, technique: Technique) -> float:
        if technique.kind in (Kind.DIFFERENCE, Kind.ENDPOINTS):
            return 2.0
        if technique.kind is Kind.DYADIC and aggregate.properties.idempotent:
            return 2.0
        if technique.kind in (Kind.DYADIC, Kind.WEIGHTED):
            return 1 + math.log2(self.slices + 1)
        return 1 + (self.slices - 1) / technique.height

    def _reads(self, aggregate: Aggregate, technique: Technique) -> float:
        """Levels that have cells."""
        if technique.kind in (Kind.DYADIC, Kind.WEIGHTED):
            return 1 + math.log2(self.slices)
        if technique.kind in (Kind.DIFFERENCE, Kind.ENDPOINTS):
            return 2.0
        return min(2.0 * technique.height, self.slices)

    def _height(self) -> int:
        """About where writing one cell less costs one read more of its levels."""
        panes = max(self.model.span * float(self.panes.rate), 1.0)
        events = self.model.statistics.rows / panes
        width = max(1.0, max(f.size for f in self._families()) * float(self.panes.rate))
        return min(MOST_LEVELS, max(1, round(math.sqrt(events * self.slices / width))))

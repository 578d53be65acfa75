"""The queries that an operator answers: one whole that shares everything, and who asked for what.

A query that is added later is answered from a moment on.  Windows of edges and sessions share cells
with the others, and only what began after that moment is told; windows of rows count from there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pyarrow as pa

from panewise.aggregates import Aggregate
from panewise.errors import QueryError
from panewise.kernels.asked import Asked, AskedWindows
from panewise.kernels.ranges import NEVER
from panewise.optimizer.edges import edges_of
from panewise.plan import Edges, Plan, RingPlan, SharedPlan
from panewise.query import Query, merge
from panewise.windows import PaneWidth, RowFamily, Scan, Window

AnyPlan = Plan | SharedPlan | RingPlan
MAIN = "main"
"""The name of the query that an operator began with."""


@dataclass(frozen=True)
class Asker:
    """A window as one query asked for it."""

    query: str
    window_id: str
    window: int
    """Its number in the whole."""
    since: int
    """No window that starts before this is told."""
    level: int | None = None


@dataclass(frozen=True)
class Registry:
    """Queries by name, with the tick from which on each is answered.

    What follows from them alone is made once: there may be a thousand windows.
    """

    queries: Mapping[str, tuple[Query, int]]
    named: bool
    """Whether results say which query they are of."""

    @classmethod
    def of_plan(cls, plan: AnyPlan) -> Registry:
        """The query of a plan, the queries of a shared one, or the query over rings."""
        if isinstance(plan, SharedPlan):
            return cls({n: (part.query, NEVER) for n, part in plan.queries.items()}, True)
        if isinstance(plan, RingPlan):
            plan = plan.plan
        if not isinstance(plan, Plan):
            raise QueryError(
                f"an operator runs a plan: got {plan!r}.", hint="make one with pw.plan()."
            )
        return cls({MAIN: (plan.query, NEVER)}, False)

    def with_query(self, name: str, query: Query, since: int) -> Registry:
        """One more."""
        if name in self.queries:
            raise QueryError(f'a query "{name}" is running already.', hint="give it another name.")
        return Registry({**self.queries, name: (query, since)}, True)

    def without(self, name: str) -> Registry:
        """One fewer."""
        if name not in self.queries:
            listed = ", ".join(f'"{each}"' for each in self.queries)
            raise QueryError(f'no query "{name}" is running.', hint=f"there are {listed}.")
        if len(self.queries) == 1:
            raise QueryError(
                f'the last query, "{name}", cannot be removed.',
                hint="flush() the operator instead.",
            )
        return Registry({n: q for n, q in self.queries.items() if n != name}, True)

    @cached_property
    def windows(self) -> dict[tuple[Window, int], int]:
        """Every window once, with the moment from which its rows count, and its number."""
        found: dict[tuple[Window, int], int] = {}
        for query, since in self.queries.values():
            for window in query.windows:
                found.setdefault(_key(window, since), len(found))
        return found

    @cached_property
    def whole(self) -> Query:
        """One query with every window, each once, and every aggregate."""
        one = next(iter(self.queries.values()))[0]
        if len(self.queries) == 1 and len(self.windows) == len(one.windows):
            return one
        merged = merge({name: query for name, (query, _) in self.queries.items()})
        named = (w.named(f"{number}") for (w, _), number in self.windows.items())
        return replace(merged.whole, windows=tuple(named))

    @cached_property
    def asked(self) -> AskedWindows:
        """What the windows of the whole ask for."""
        return asked(self.whole, [since for _, since in self.windows])

    @cached_property
    def panes(self) -> Edges:
        """The panes that answer all of them."""
        return edges_of(self.whole.demands, many=True)

    def aggregates_of(self, whole: Query) -> dict[str, list[bool]]:
        """For each query, which aggregates of the whole it asked for."""
        return {
            name: [_has(query, a) for a in whole.aggregates]
            for name, (query, _) in self.queries.items()
        }

    @cached_property
    def askers(self) -> list[Asker]:
        """Who is told of which window."""
        return [
            Asker(name, window_id, self.windows[_key(w, since)], told_from(w, since), w.level)
            for name, (query, since) in self.queries.items()
            for w, window_id in zip(query.windows, query.window_ids, strict=True)
        ]

    @cached_property
    def direct(self) -> bool:
        """Whether every window has one asker, of its number, who is told all of it."""
        return not self.named and all(
            asker.window == number and asker.since == NEVER
            for number, asker in enumerate(self.askers)
        )

    @cached_property
    def names(self) -> pa.Array:
        """What each asker calls its window."""
        return pa.array([asker.window_id for asker in self.askers], pa.string())

    @cached_property
    def levels(self) -> pa.Array:
        """The level of each asker's window, where it has one."""
        return pa.array([asker.level for asker in self.askers], pa.int32())

    def ready(self) -> Registry:
        """Itself, with all that needs no rows made: the first rows do not wait for it."""
        whole = self.whole
        if not whole.spanning:
            self.asked.ready(self.panes)
        _ = whole.counts_time, whole.grain, whole.ordered, whole.scans
        _ = self.direct, self.names, self.levels
        return self


def asked(query: Query, since: Sequence[int]) -> AskedWindows:
    """What the windows of a query ask for, those of rows from these moments on."""
    numbered = enumerate(zip(query.demands, since, strict=True))
    return AskedWindows(Asked(number, demand, moment) for number, (demand, moment) in numbered)


def spread(askers: list[Asker], window: np.ndarray, start: np.ndarray) -> tuple[np.ndarray, ...]:
    """Which rows go to which asker: rows, and askers, one pair for each."""
    pairs = []
    for number, asker in enumerate(askers):
        told = (window == asker.window) & (start >= asker.since)
        pairs.append((np.flatnonzero(told), number))
    rows = np.concatenate([rows for rows, _ in pairs])
    return rows, np.repeat([number for _, number in pairs], [len(rows) for rows, _ in pairs])


def _key(window: Window, since: int) -> tuple[Window, int]:
    by_rows = since != NEVER and isinstance(window.demand(), RowFamily | Scan)
    bare = window if window.name is None else replace(window, name=None)
    return bare, since if by_rows else NEVER


def told_from(window: Window, since: int) -> int:
    """No window that starts before this is told, where the query is answered since then."""
    if since == NEVER:
        return NEVER
    demand = window.demand()
    if isinstance(demand, RowFamily | Scan):
        return NEVER
    # rows before `since` are not known to this query, and one of them might have joined a session
    return since + demand.ticks if isinstance(demand, PaneWidth) else since


def _has(query: Query, aggregate: Aggregate) -> bool:
    return aggregate in query.aggregates

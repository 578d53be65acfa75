"""Queries about rings of granules: aging and recurring items, as a query over the rings.

Idea: rings share no event, so a weighted sum is the sum of the rings' sums, each weighed, and an
item recurs if every ring holds it.  The rings are ordinary windows of an ordinary query; what they
answer is put together by level afterwards.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from panewise.aggregates import Aggregate, count, sum, top_k
from panewise.aggregates.count import Count
from panewise.aggregates.recurring import Recurring
from panewise.aggregates.sum import Mean, Sum
from panewise.errors import QueryError
from panewise.model import RowCount
from panewise.query.query import LEVEL_COLUMN, RESULT_COLUMNS, Query
from panewise.windows import Granules
from panewise.windows.granules import spelled
from panewise.windows.ring import Ring, rings

TOTAL, NUMBER, ITEMS = "ring total", "ring count", "ring items"


@dataclass(frozen=True)
class RingQuery:
    """What was asked of granules, and the query over their rings."""

    scheme: Granules
    aggregates: tuple[Aggregate, ...]
    inner: Query
    """Its windows are all rings, named by their place in this list."""

    @classmethod
    def of(cls, asked: dict[str, Any]) -> RingQuery:
        """From what a query is made of, or an error that says what does not fit."""
        aggregates = asked["aggregates"]
        if asked.get("until") is not None:
            raise QueryError(
                "weights and recurring are for events at one time: got events with a duration.",
                hint='write time="ts".',
            )
        scheme = _only_scheme(asked["windows"])
        for aggregate in aggregates:
            _check_aggregate(aggregate, bool(scheme.weights))
        # refuses names that are there twice, and all else that a query refuses
        Query(**{**asked, "windows": (replace(scheme, weights=()),)})
        named = tuple(ring.named(str(number)) for number, ring in enumerate(rings(scheme)))
        inner = tuple(part for n, a in enumerate(aggregates) for part in _parts(n, a))
        query = Query(**{**asked, "windows": named, "aggregates": inner})
        return cls(scheme, aggregates, query)

    @property
    def rings(self) -> Sequence[Ring]:
        return self.inner.windows  # type: ignore[return-value]  # made above

    @property
    def weights(self) -> list[float]:
        """What a value in each ring counts."""
        weights = self.scheme.weights
        return [weights[ring.number] if weights else 1.0 for ring in self.rings]

    @property
    def spelled(self) -> str:
        """What makes two of them the same to a reader of results."""
        scheme = self.scheme
        names = [f"{a.name}: {a.canonical}" for a in self.aggregates]
        levels = spelled(scheme.levels, scheme.origin)
        return f"{scheme.window_id}, {levels}, weights {list(scheme.weights)}, {', '.join(names)}"

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the result columns."""
        names = (a.name for a in self.aggregates)
        return (*RESULT_COLUMNS, LEVEL_COLUMN, *self.inner.by, *names)


def asks_for_rings(windows: Sequence[Any], aggregates: Sequence[Any]) -> bool:
    """Whether only rings can answer."""
    weighted = any(isinstance(w, Granules) and w.weights for w in windows)
    return weighted or any(isinstance(a, Recurring) for a in aggregates)


def part_name(number: int, part: str) -> str:
    """What an aggregate's part is called in the query over the rings."""
    return f"{part} {number}"


def _parts(number: int, aggregate: Aggregate) -> list[Aggregate]:
    parts: list[Aggregate] = []
    if isinstance(aggregate, Sum | Mean):
        parts.append(sum(aggregate.column).alias(part_name(number, TOTAL)))
    if isinstance(aggregate, Count | Sum | Mean):
        counted = count(aggregate.column)
        parts.append(counted.alias(part_name(number, NUMBER)))
    if isinstance(aggregate, Recurring):
        parts.append(top_k(aggregate.column, aggregate.k).alias(part_name(number, ITEMS)))
    return parts


def _only_scheme(windows: Sequence[Any]) -> Granules:
    if len(windows) != 1 or not isinstance(windows[0], Granules):
        listed = ", ".join(getattr(w, "window_id", repr(w)) for w in windows)
        raise QueryError(
            f"weights and recurring are about the rings of one scheme of granules: got {listed}.",
            hint="plan other windows apart.",
        )
    scheme = windows[0]
    if isinstance(scheme.levels[0][0], RowCount):
        raise QueryError(
            f"rings are of time or of an integer measure: got {scheme.window_id}.",
            hint="give sizes as durations or integers.",
        )
    return scheme


def _check_aggregate(aggregate: Any, weighted: bool) -> None:
    if isinstance(aggregate, Recurring):
        return
    if not weighted:
        raise QueryError(
            f"recurring is asked alone or beside others of its kind: got {aggregate.canonical}.",
            hint="plan it apart, over the same granules.",
        )
    if not isinstance(aggregate, Sum | Count | Mean):
        raise QueryError(
            f"weights age sums, counts and means: {aggregate.canonical} has no meaning with "
            "weights, as a value counts in it or does not, whatever its age.",
            hint="use sum, count or mean, or leave weights out.",
        )

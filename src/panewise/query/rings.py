"""Queries about rings of granules: aging and recurring items, as a query over the rings.

Idea: rings share no event, so a weighted sum is the sum of the rings' sums, each weighed, and an
item recurs if every ring holds it.  The rings are ordinary windows of an ordinary query; what they
answer is put together by level afterwards.  Items alone are bits of words: a word is one more key
of that query, and its bits are united, so a ring is a bitmap of the words that it has.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa

from panewise.aggregates import Aggregate, bit_or, count, sum, top_k
from panewise.aggregates.count import Count
from panewise.aggregates.recurring import Recurring
from panewise.aggregates.sum import Mean, Sum
from panewise.errors import QueryError
from panewise.model import RowCount
from panewise.query.query import LEVEL_COLUMN, RESULT_COLUMNS, Query
from panewise.windows import Granules
from panewise.windows.granules import spelled
from panewise.windows.ring import Ring, rings

TOTAL, NUMBER, ITEMS, BITS = "ring total", "ring count", "ring items", "ring bits"


@dataclass(frozen=True)
class ItemBits:
    """Items alone: their column, and the columns that are made of it, a word and a bit of it."""

    column: str
    word: str
    bits: str

    @classmethod
    def of(cls, column: str, taken: Sequence[str]) -> ItemBits:
        """Names that no column of the events has."""
        used = {name.lower() for name in taken}  # as Spark compares them

        def free(name: str) -> str:
            return name if name not in used else free(f"{name}'")

        return cls(column, free("item word"), free("item bits"))


@dataclass(frozen=True)
class RingQuery:
    """What was asked of granules, and the query over their rings."""

    scheme: Granules
    aggregates: tuple[Aggregate, ...]
    outer: Query
    """What is read of events, and told by level."""
    inner: Query
    """Its windows are all rings, named by their place in this list."""
    items: ItemBits | None = None
    """What is made of events before, where items alone are asked for."""

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
        items = _items_alone(aggregates)
        # refuses names that are there twice, and all else that a query refuses
        outer = Query(**{**asked, "windows": (replace(scheme, weights=()),)})
        named = tuple(ring.named(str(number)) for number, ring in enumerate(rings(scheme)))
        if items is None:
            inner = tuple(part for n, a in enumerate(aggregates) for part in _parts(n, a))
            query = Query(**{**asked, "windows": named, "aggregates": inner})
            return cls(scheme, aggregates, outer, query)
        made = ItemBits.of(items.column, outer.columns())
        united = (bit_or(made.bits).alias(part_name(0, BITS)),)
        keyed = {"by": (*outer.by, made.word), "windows": named, "aggregates": united}
        return cls(scheme, aggregates, outer, Query(**{**asked, **keyed}), made)

    def to_sql(self, source: str = "events") -> str:
        """The query as SQL over a table, as `Query.to_sql` writes it.

        >>> import panewise as pw
        >>> windows = [pw.granules((4, 2), (8, 4))]
        >>> plan = pw.plan(time="t", windows=windows, aggregates=[pw.recurring("item")])
        >>> print(plan.query.to_sql())
        SELECT window_id, window_start, window_end, level, RECURRING(item)
        FROM events TIMESTAMP BY t
        GROUP BY GRANULES((4, 2), (8, 4))
        """
        from panewise.sql.render import render

        return render(self, source)

    @property
    def rings(self) -> Sequence[Ring]:
        return self.inner.windows  # type: ignore[return-value]  # made above

    def keys_among(self, groups: pa.Table) -> int:
        """How many keys are behind these groups of the query over the rings, of which some may be
        words of one key."""
        by = list(self.outer.by)
        return groups.group_by(by).aggregate([]).num_rows if by else 0

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
        return (*RESULT_COLUMNS, LEVEL_COLUMN, *self.outer.by, *names)


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
        # one more than there may be tells that there are too many
        held = top_k(aggregate.column, aggregate.most + 1)
        parts.append(held.alias(part_name(number, ITEMS)))
    return parts


def _items_alone(aggregates: Sequence[Any]) -> Recurring | None:
    """The items that are asked for without counts; there is nothing beside them."""
    found = [a for a in aggregates if isinstance(a, Recurring) and not a.counts]
    if found and len(aggregates) > 1:
        listed = ", ".join(a.canonical for a in aggregates)
        raise QueryError(
            f"recurring items without counts are asked for one column and alone: got {listed}.",
            hint="plan them apart, over the same granules, or write counts=True.",
        )
    return found[0] if found else None


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

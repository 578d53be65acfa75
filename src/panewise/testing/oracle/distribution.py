"""Quantiles, modes and distinct counts: what depends on the whole distribution."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

from panewise.testing.oracle.table import Event, Types, defines, in_order, order_key, present


@defines("median")
def _median(aggregate: Any, events: Sequence[Event], types: Types) -> float | None:
    return _quantile_of(in_order(aggregate.column, events), 0.5)


@defines("quantile")
def _quantile(aggregate: Any, events: Sequence[Event], types: Types) -> float | None:
    return _quantile_of(in_order(aggregate.column, events), aggregate.q)


@defines("quantiles")
def _quantiles(aggregate: Any, events: Sequence[Event], types: Types) -> list[float | None] | None:
    values = in_order(aggregate.column, events)
    return [_quantile_of(values, q) for q in aggregate.qs] if values else None


def _quantile_of(ordered: Sequence[Any], q: float) -> float | None:
    if not ordered:
        return None
    position = (len(ordered) - 1) * q
    low, high = math.floor(position), math.ceil(position)
    below, above = float(ordered[low]), float(ordered[high])
    if low == high or order_key(below) == order_key(above):
        return below
    return below + (above - below) * (position - low)


@defines("approx_quantile")
def _approx_quantile(aggregate: Any, events: Sequence[Event], types: Types) -> float | None:
    """The nearest rank, which a sketch that has dropped nothing returns; it takes no NaN."""
    values = [float(v) for v in in_order(aggregate.column, events)]
    ranked = [v for v in values if not math.isnan(v)]
    return ranked[max(math.ceil(aggregate.q * len(ranked)), 1) - 1] if ranked else None


def _tally(aggregate: Any, events: Sequence[Event]) -> list[tuple[Any, int]]:
    """Different values with their counts, most frequent first, ties by value."""
    counts = Counter(order_key(v) for v in present(aggregate.column, events))
    ranked = sorted(sorted(counts), key=lambda key: -counts[key])
    return [(math.nan if key[0] else key[1], counts[key]) for key in ranked]


@defines("count_distinct")
def _count_distinct(aggregate: Any, events: Sequence[Event], types: Types) -> int:
    return len(_tally(aggregate, events))


@defines("approx_count_distinct")
def _approx_count_distinct(aggregate: Any, events: Sequence[Event], types: Types) -> int:
    return len(_tally(aggregate, events))


@defines("mode")
def _mode(aggregate: Any, events: Sequence[Event], types: Types) -> Any:
    return next((value for value, _ in _tally(aggregate, events)), None)


@defines("top_k")
def _top_k(aggregate: Any, events: Sequence[Event], types: Types) -> list[dict[str, Any]]:
    return [{"item": v, "count": n} for v, n in _tally(aggregate, events)[: aggregate.k]]

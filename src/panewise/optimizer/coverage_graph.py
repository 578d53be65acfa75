"""The window coverage graph: which windows can be read from which, and the cheapest forest in it.

Idea: an edge leads from parent to child wherever the relation holds.  A window costs what its
instances read, whatever its parent costs, so the cheapest forest lets each window take its
cheapest parent.

Raw events are the parent of last resort.  The paper stands a window of one time unit in for them,
as if there were one event in each and its results were free; here raw events are no window: an
instance of size r reads `rate * r` of them, and a window of one unit is a factor window like any
other, which may pay where the rate is high.

Costs are rates: a window has `1/slide` instances per tick, each reading so many events or results.
Counting the instances inside one period instead, as the paper does, loses those of hopping windows
that reach over its end.

Invariant: parents come before children in the order of (size, slide, position), so that there are
no cycles even among duplicates.  Cost: O(n²) divisions.

References: Wu et al., "Factor Windows", algorithm 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from panewise.optimizer.coverage import Relation
from panewise.windows import Family


@dataclass(frozen=True, slots=True)
class Forest:
    """Windows, and for each the position of the one it is read from, or None for raw events."""

    windows: tuple[Family, ...]
    parents: tuple[int | None, ...]
    factors: int = 0
    """How many windows at the end are factor windows, which nobody asked for."""


def raw_span(window: Family) -> int:
    """How many ticks of raw events are read for one slide, all nested windows together.

    >>> raw_span(Family(30, 10)), raw_span(Family(30, 30, step=10))
    (30, 60)
    """
    nested = window.size // window.step
    return window.step * nested * (nested + 1) // 2


def costs(
    windows: Sequence[Family],
    parents: Sequence[int | None],
    rate: float | Fraction,
    relation: Relation,
) -> tuple[Fraction, ...]:
    """What each window reads per tick, at so many events per tick. A band reads nothing for ever.

    >>> sizes = [Family(20, 20), Family(30, 30), Family(40, 40)]
    >>> [str(cost * 120) for cost in costs(sizes, [None, None, 0], 1, Relation.PARTITIONED)]
    ['120', '120', '6']
    """
    events = Fraction(rate)

    def per_tick(window: Family, parent: int | None) -> Fraction:
        if window.once:
            return Fraction(0)
        if parent is None:
            return events * raw_span(window) / window.slide
        return Fraction(relation.reads(window, windows[parent]), window.slide)

    return tuple(map(per_tick, windows, parents))


def coverage_graph(windows: Sequence[Family], relation: Relation) -> list[tuple[int, int]]:
    """All edges (parent, child), children in the order of size; of duplicates, the first is parent.

    >>> sizes = [Family(30, 30), Family(20, 20), Family(10, 10)]
    >>> coverage_graph(sizes, Relation.PARTITIONED)
    [(2, 1), (2, 0)]
    """
    holds = relation.holds
    order = sorted(range(len(windows)), key=lambda i: (windows[i].size, windows[i].slide, i))
    return [
        (parent, child)
        for rank, child in enumerate(order)
        for parent in order[:rank]
        if holds(windows[child], windows[parent])
    ]


def min_cost_forest(
    windows: Sequence[Family], relation: Relation, rate: float | Fraction
) -> Forest:
    """Each window read from where it costs least; of equals, from raw events or the largest window.

    >>> sizes = [Family(10, 10), Family(20, 20), Family(30, 30), Family(40, 40)]
    >>> min_cost_forest(sizes, Relation.PARTITIONED, rate=1).parents
    (None, 0, 0, 1)
    """
    best: list[float | Fraction] = [rate * raw_span(window) for window in windows]
    parents: list[int | None] = [None] * len(windows)
    reads = relation.reads
    for parent, child in coverage_graph(windows, relation):
        count = reads(windows[child], windows[parent])
        # the graph lists larger parents later, and they win ties against smaller ones
        if count < best[child] or (count == best[child] and parents[child] is not None):
            best[child], parents[child] = count, parent
    return Forest(tuple(windows), tuple(parents))

"""Edges: where panes begin.

Idea: a set of arithmetic progressions (and a few single ticks).  The pane of a time is the greatest
edge at or before it, which is one expression, so panes need not be uniform: 15, 17 and 19 seconds
need 813 panes per 4845 seconds instead of 4845.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from panewise.windows import Family


@dataclass(frozen=True, slots=True)
class Edges:
    """`phase + k * period` for each progression, and the fixed ticks.

    >>> edges = Edges(((15, 0), (17, 0)))
    >>> edges.pane_of(16), edges.pane_of(18), edges.pane_of(-1)
    (15, 17, -15)
    """

    progressions: tuple[tuple[int, int], ...]
    fixed: tuple[int, ...] = ()

    @classmethod
    def union(cls, progressions: Iterable[tuple[int, int]], fixed: Iterable[int] = ()) -> Edges:
        """The union of edges, without progressions that another one contains.

        >>> Edges.union([(30, 0), (10, 0), (20, 5)], [40, 7]).progressions
        ((10, 0), (20, 5))
        """
        kept = _uncontained(progressions)
        loose = (e for e in set(fixed) if not any((e - f) % p == 0 for p, f in kept))
        return cls(tuple(kept), tuple(sorted(loose)))

    @classmethod
    def of(cls, family: Family) -> Edges:
        """The edges that the instances of a window need."""
        return cls.union(*((), family.fixed_edges()) if family.once else (family.edges(), ()))

    def contains(self, other: Edges) -> bool:
        """Whether every edge of the other is one of these.

        >>> Edges(((10, 0),)).contains(Edges(((20, 0), (30, 10)))), Edges(((20, 0),)).contains(
        ...     Edges(((30, 0),))
        ... )
        (True, False)
        """
        return all(
            any(period % p == 0 and (phase - f) % p == 0 for p, f in self.progressions)
            for period, phase in other.progressions
        ) and all(
            edge in self.fixed or any((edge - f) % p == 0 for p, f in self.progressions)
            for edge in other.fixed
        )

    @property
    def rate(self) -> Fraction:
        """At most how many panes begin per tick (edges that coincide are counted twice)."""
        return sum((Fraction(1, period) for period, _ in self.progressions), Fraction(0))

    @property
    def widest(self) -> int | None:
        """No pane is wider than this; None if panes have no bound."""
        return min((period for period, _ in self.progressions), default=None)

    def pane_of(self, tick: int) -> int | None:
        """The edge that begins the pane of a time; None before the first fixed edge."""
        at = [tick - (tick - phase) % period for period, phase in self.progressions]
        at += [edge for edge in self.fixed if edge <= tick]
        return max(at, default=None)


def _uncontained(progressions: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Ascending, without those that another one contains.

    A progression is in another only if its period is a multiple, and a thousand windows of similar
    size have few multiples: these are looked up, unless there are more of them than progressions.
    """
    phases: dict[int, dict[int, int]] = {}  # of each period, by what is left of them
    for period, phase in sorted(set(progressions), reverse=True):
        phases.setdefault(period, {})[phase % period] = phase
    longest = max(phases, default=0)
    for period in sorted(phases):
        if longest // period <= len(phases):
            multiples = [m for m in range(2 * period, longest + 1, period) if m in phases]
        else:
            multiples = [m for m in phases if m > period and m % period == 0]
        for m in multiples:
            phases[m] = {r: f for r, f in phases[m].items() if r % period not in phases[period]}
    return [
        (period, phase) for period in sorted(phases) for phase in sorted(phases[period].values())
    ]

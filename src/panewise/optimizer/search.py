"""One search over coverage trees, factor windows and edge slices.

Idea: every table that could be shared is a node with an edge set: a user's window, a factor window
(uniform), the union of edges of some windows (not uniform).  Given a set of auxiliary nodes, each
node reads the cheapest one that has its edges; so the search is for the set alone.  It begins with
what the simple plans use and adds the node that helps most while one helps.

All pairs are priced once, in a matrix; weighing a set is the least over some of its columns.

Invariant: never dearer than any of the seeds.  Cost: O(n) for each node of each set weighed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from panewise.optimizer.coverage import Relation
from panewise.optimizer.model import Model, copies
from panewise.plan import Edges, Node, Shape
from panewise.windows import Family

PAIRS_UP_TO = 8
"""Windows up to which the edges of every pair are tried as a node."""
GROUPS = 12
"""How many groups of the longest windows are tried as a node."""
RAW = -1
"""The parent of a node that reads the events."""


@dataclass(frozen=True)
class Settled:
    """A set of auxiliary nodes, whom each node reads, and what it all costs."""

    chosen: tuple[int, ...]
    parents: np.ndarray
    reuse: bool
    cost: float


class Search:
    """The best tree of levels for some windows, under a model."""

    def __init__(
        self,
        windows: Sequence[tuple[int, Family]],
        relation: Relation,
        model: Model,
        helpers: Sequence[Shape] = (),
    ) -> None:
        self.windows = windows
        self.relation = relation
        self.model = model
        asked: list[Shape] = [f for _, f in windows]
        offered = [*helpers, *candidates([f for _, f in windows])]
        self.shapes = asked + [s for s in dict.fromkeys(offered) if s not in set(asked)]
        self.count = len(asked)
        c = model.constants
        self._rows = np.array([model.rows(shape) for shape in self.shapes])
        self._made = self._rows * c.group * model.wide
        self._raw = np.array([model.read_cost(shape, None) for shape in self.shapes])
        self._reads = self._priced()
        of_windows = self._reads[:, : self.count]
        self._cheapest_window = of_windows.argmin(axis=1), of_windows.min(axis=1)

    def grow(self, seeds: Iterable[Sequence[Shape]]) -> tuple[Node, ...]:
        """The cheapest tree found; seeds are sets of auxiliary nodes to begin with."""
        place = {shape: i for i, shape in enumerate(self.shapes)}
        sets = [tuple(place[s] for s in seed if place[s] >= self.count) for seed in seeds]
        best = min(
            (self.settle(chosen, reuse) for chosen in sets for reuse in (True, False)),
            key=lambda settled: settled.cost,
        )
        while True:
            others = set(range(self.count, len(self.shapes))) - set(best.chosen)
            tried = (self.settle((*best.chosen, other), best.reuse) for other in sorted(others))
            better = min(tried, key=lambda settled: settled.cost, default=best)
            if better.cost >= best.cost * (1 - 1e-9):
                return self.nodes(best)
            best = better

    def settle(self, auxiliary: Sequence[int], reuse: bool = True) -> Settled:
        """Every node reads its cheapest parent; auxiliary nodes that nobody reads are left out.

        Without `reuse` windows are not read by others: fewer levels.
        """
        members = np.array([*range(self.count), *auxiliary])
        parents = np.full(len(self.shapes), RAW)
        # the events are copied for every reader, unless there is only one
        least = self._raw + self.model.constants.copy * self.model.statistics.rows
        if reuse:
            parent, price = self._cheapest_window
            shared = members[price[members] < least[members]]
            parents[shared], least[shared] = parent[shared], price[shared]
        for other in auxiliary:
            price = self._reads[:, other]
            shared = members[price[members] < least[members]]
            parents[shared], least[shared] = other, price[shared]
        needed = self._needed(parents)
        depth = self._depths(parents, needed)
        chosen = tuple(int(i) for i in needed[needed >= self.count])
        return Settled(chosen, parents, reuse, self._total(parents, needed, depth))

    def nodes(self, settled: Settled) -> tuple[Node, ...]:
        """The tree, each node after its parent."""
        parents = settled.parents
        needed = self._needed(parents)
        depth = self._depths(parents, needed)
        order = needed[np.lexsort((needed, depth[needed]))]
        place = {int(i): n for n, i in enumerate(order)}
        return tuple(
            Node(
                shape=self.shapes[i],
                parent=None if parents[i] == RAW else place[int(parents[i])],
                window=self.windows[i][0] if i < self.count else None,
                minimal=self.relation is Relation.COVERED,
            )
            for i in order
        )

    def _needed(self, parents: np.ndarray) -> np.ndarray:
        """The windows and whatever they read, directly or not."""
        needed = np.zeros(len(parents), np.bool_)
        needed[: self.count] = True
        ahead = np.flatnonzero(needed)
        while len(ahead):
            above = parents[ahead]
            read = np.zeros(len(parents), np.bool_)  # np.unique would import numpy.ma for this
            read[above[above != RAW]] = True
            ahead = np.flatnonzero(read & ~needed)
            needed[ahead] = True
        return np.flatnonzero(needed)

    def _depths(self, parents: np.ndarray, needed: np.ndarray) -> np.ndarray:
        depth = np.ones(len(parents), np.int64)
        below = needed[parents[needed] != RAW]
        while True:
            deeper = depth[parents[below]] + 1
            if np.array_equal(deeper, depth[below]):
                return depth
            depth[below] = deeper

    def _total(self, parents: np.ndarray, needed: np.ndarray, depth: np.ndarray) -> float:
        """The same sum as `Model.levels_cost`, over the matrix."""
        c, events = self.model.constants, self.model.statistics.rows
        last = int(depth[needed].max())
        above = parents[needed]
        raw = above == RAW
        total = self._raw[needed[raw]].sum() + self._reads[needed[~raw], above[~raw]].sum()
        passes = np.where(needed < self.count, last - depth[needed], 0)
        total += (self._made[needed] * (1 + passes)).sum()
        readers = int(raw.sum())
        total += c.copy * events * (readers if readers > 1 else 0)
        return float(total + c.scan * events + c.stage * last)

    def _priced(self) -> np.ndarray:
        """What each node (row) pays to read each other one (column); infinite where it cannot."""
        c, shapes = self.model.constants, self.shapes
        times = np.array([copies(shape) for shape in shapes])
        prices = (c.fold * self.model.wide + c.copy) * times[:, None] * self._rows[None, :]
        prices[~_contained([_edges(s) for s in shapes])] = np.inf
        for j, parent in enumerate(shapes):
            if isinstance(parent, Family) and not tiles(parent):
                prices[:, j] = self._overlapping(parent)
        np.fill_diagonal(prices, np.inf)
        # of nodes that could read each other, the later one reads the earlier one
        mutual = np.isfinite(prices) & np.isfinite(prices.T)
        prices[np.triu(mutual)] = np.inf
        return prices

    def _overlapping(self, parent: Family) -> np.ndarray:
        """The price of reading a window whose instances are no panes."""
        minimal = self.relation is Relation.COVERED
        holds = self.relation.holds
        return np.array(
            [
                self.model.read_cost(child, parent, minimal)
                if isinstance(child, Family) and holds(child, parent)
                else np.inf
                for child in self.shapes
            ]
        )


def candidates(windows: Sequence[Family]) -> list[Edges]:
    """Unions of edges that several windows could share."""
    longest_first = sorted(set(windows), key=lambda f: (-f.size, -f.slide))
    counts = list(range(2, len(longest_first) + 1))
    if len(counts) > GROUPS:
        counts = [*counts[:: -(-len(counts) // GROUPS)], len(longest_first)]
    groups = [longest_first[:count] for count in counts]
    if len(longest_first) <= PAIRS_UP_TO:
        groups += [[a, b] for i, a in enumerate(longest_first) for b in longest_first[:i]]
    # an overlapping window may read panes of its own
    groups += [[f] for f in longest_first[:GROUPS] if f.overlap > 1]
    whole = {Edges.of(f) for f in longest_first if tiles(f)}
    return [e for e in dict.fromkeys(map(union, groups)) if e not in whole]


def union(families: Iterable[Family]) -> Edges:
    """The edges of all of these windows."""
    listed = list(families)
    return Edges.union(
        (edge for f in listed if not f.once for edge in f.edges()),
        (edge for f in listed if f.once for edge in f.fixed_edges()),
    )


def tiles(family: Family) -> bool:
    """Whether its instances are panes: end to end, once each."""
    return family.size == family.slide == family.step and not family.once


def _edges(shape: Shape) -> Edges:
    assert isinstance(shape, Edges | Family)  # sessions are the kernel's, rows have no edges
    return shape if isinstance(shape, Edges) else Edges.of(shape)


def _contained(edges: Sequence[Edges]) -> np.ndarray:
    """Whether each edge set (row) is part of each other one (column)."""
    distinct = sorted({p for each in edges for p in each.progressions})
    place = {progression: i for i, progression in enumerate(distinct)}
    member = np.zeros((len(edges), len(distinct)), np.bool_)
    for i, each in enumerate(edges):
        member[i, [place[p] for p in each.progressions]] = True
    period, phase = np.array(distinct, np.int64).reshape(-1, 2).T
    inside = (period[:, None] % period == 0) & ((phase[:, None] - phase) % period == 0)
    # as floating numbers: numpy multiplies matrices of integers by a plain loop
    covered = (inside.astype(np.float32) @ member.T.astype(np.float32)) > 0
    missing = member.astype(np.float32) @ (~covered).astype(np.float32)
    found = missing == 0
    for i, each in enumerate(edges):
        if each.fixed:
            found[i] &= [other.contains(Edges((), each.fixed)) for other in edges]
    return found

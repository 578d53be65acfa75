"""The strategies by name: each turns the windows of a query into trees.

| strategy    | what is shared                                                    |
|-------------|-------------------------------------------------------------------|
| independent | nothing: every window reads the events for itself                 |
| scan        | the events are read once, and copied into every window            |
| coverage    | windows read other windows that cover them (Algorithm 1)          |
| factor      | the same, with auxiliary uniform windows (Algorithm 3)            |
| edges       | one set of panes, the union of all edges, for one kernel pass     |
| slices      | the same panes, read by one group-by instead of the kernel        |
| tree        | whatever the search finds over all of these nodes                 |
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from panewise.optimizer.coverage import Relation
from panewise.optimizer.coverage_graph import Forest, min_cost_forest
from panewise.optimizer.edges import pane_edges
from panewise.optimizer.factor_forest import factor_forest
from panewise.optimizer.model import Model
from panewise.optimizer.search import Search, tiles, union
from panewise.plan import Node, Placement, Shape, Tree, Way
from panewise.query import Query
from panewise.windows import Family, PaneWidth, RowFamily, Scan

Algorithm = Callable[[Sequence[Family], Relation, float], Forest]


@dataclass(frozen=True)
class Draft:
    """Trees that answer a query, before they are taken for its plan."""

    name: str
    trees: tuple[Tree, ...]
    cost: float
    note: str


class Strategies:
    """Drafts of one query."""

    def __init__(self, query: Query, model: Model) -> None:
        self.query = query
        self.model = model
        demands = [(i, window.demand()) for i, window in enumerate(query.windows)]
        self.by_rows = [
            (i, d) for i, d in demands if isinstance(d, RowFamily | Scan) or not query.commutative
        ]
        paned = [pair for pair in demands if pair not in self.by_rows]
        self.families = [(i, d) for i, d in paned if isinstance(d, Family)]
        self.sessions = [(i, d) for i, d in paned if isinstance(d, PaneWidth)]
        self.tiles = all(tiles(f) for _, f in self.families)
        every = range(len(query.aggregates))
        self.idempotent = tuple(i for i in every if query.aggregates[i].properties.idempotent)
        self.every = tuple(every)
        self._forests_known: dict[tuple[Algorithm, Relation], tuple[Node, ...]] = {}

    def independent(self) -> Draft:
        """Every window reads the events for itself."""
        nodes = [Node(f, window=i) for i, f in self.families]
        return self._draft("independent", [self._levels([node]) for node in nodes])

    def scan(self) -> Draft:
        """Every window reads the events, which are read once."""
        nodes = [Node(f, window=i) for i, f in self.families]
        return self._draft("scan", [self._levels(nodes)])

    def slices(self) -> Draft:
        """Every window reads the panes, by copies and a group-by."""
        panes = Node(pane_edges([self.query.windows[i] for i, _ in self.families]))
        nodes = (panes, *(Node(f, parent=0, window=i) for i, f in self.families))
        return self._draft("slices", [self._levels(nodes)])

    def edges(self) -> Iterator[Draft]:
        """One kernel pass over the panes; sessions may have panes of their own."""
        every = sorted([*(i for i, _ in self.families), *(i for i, _ in self.sessions)])
        if not every:
            yield self._draft("rows", [])
            return
        if any(a.opaque for a in self.query.aggregates) and not self.sessions:
            yield self.slices()  # merging sketches outside the JVM costs microseconds each
            return
        yield self._draft("edges", [self._kernel(every)])
        if self.sessions and self.families:
            apart = [self._kernel([i for i, _ in part]) for part in (self.sessions, self.families)]
            yield self._draft("edges, sessions apart", apart)

    def coverage(self) -> Iterator[Draft]:
        """Algorithm 1."""
        yield from self._forests("coverage", min_cost_forest)

    def factor(self) -> Iterator[Draft]:
        """Algorithm 3, repaired."""
        yield from self._forests("factor", factor_forest)

    def trees(self) -> Iterator[Draft]:
        """The search over all nodes, for all aggregates at once or for two kinds apart."""

        def grown(relation: Relation) -> tuple[Node, ...]:
            forest = self._forest(factor_forest, relation)
            helpers: list[Shape] = [n.shape for n in forest if n.window is None]
            shared: Shape = union(f for _, f in self.families)
            search = Search(self.families, relation, self.model, helpers)
            return search.grow([[], helpers, [shared] if shared in search.shapes else []])

        yield from self._split("tree", grown)

    def _forests(self, name: str, algorithm: Algorithm) -> Iterator[Draft]:
        yield from self._split(name, lambda relation: self._forest(algorithm, relation))

    def _split(self, name: str, build: Callable[[Relation], tuple[Node, ...]]) -> Iterator[Draft]:
        """One tree for all aggregates; or one for the idempotent ones, which may read overlapping
        windows, and one for the others, which may not."""
        if len(self.idempotent) == len(self.every):
            yield self._draft(name, [self._levels(build(Relation.COVERED))])
            return
        partitioned = build(Relation.PARTITIONED)
        yield self._draft(name, [self._levels(partitioned)])
        if not self.idempotent:
            return
        covered = build(Relation.COVERED)
        if [(n.shape, n.parent) for n in covered] != [(n.shape, n.parent) for n in partitioned]:
            rest = tuple(i for i in self.every if i not in self.idempotent)
            trees = [self._levels(covered, self.idempotent), self._levels(partitioned, rest)]
            yield self._draft(f"{name}, by kind of aggregate", trees)

    def _forest(self, algorithm: Algorithm, relation: Relation) -> tuple[Node, ...]:
        if (algorithm, relation) not in self._forests_known:
            rate = self.model.statistics.rate or 1.0
            forest = algorithm([f for _, f in self.families], relation, rate)
            nodes = _nodes(forest, [i for i, _ in self.families], relation)
            self._forests_known[algorithm, relation] = nodes
        return self._forests_known[algorithm, relation]

    def _levels(self, nodes: Sequence[Node], aggregates: tuple[int, ...] | None = None) -> Tree:
        return Tree(tuple(nodes), Way.LEVELS, self.every if aggregates is None else aggregates)

    def _kernel(self, windows: Sequence[int]) -> Tree:
        """One pass; rows or cells travel, whichever is cheaper."""
        asked = [self.query.windows[i] for i in windows]
        panes = pane_edges(asked)
        demands = [window.demand() for window in asked]
        nodes = (
            Node(panes),
            *(Node(d, parent=0, window=i) for i, d in zip(windows, demands, strict=True)),
        )
        # without keys all rows would travel to one worker
        ways = Placement if self.query.by else (Placement.CELLS,)
        placement = min(ways, key=lambda p: self.model.kernel_cost(panes, demands, p))
        return Tree(nodes, Way.KERNEL, self.every, placement)

    def _draft(self, name: str, trees: list[Tree]) -> Draft:
        answered = {i for tree in trees for i in tree.windows}
        left = [i for i, _ in self.sessions if i not in answered]
        if name == "independent":
            trees = [*trees, *(self._kernel([i]) for i in left)]
        elif left:
            trees = [*trees, self._kernel(left)]
        if self.by_rows:
            nodes = tuple(Node(d, window=i) for i, d in self.by_rows)
            trees = [*trees, Tree(nodes, Way.ROWS, self.every, Placement.ROWS)]
        cost = self.model.total(trees)
        return Draft(name, tuple(trees), cost, _note(trees, self.model))


def _nodes(forest: Forest, numbers: Sequence[int], relation: Relation) -> tuple[Node, ...]:
    """A forest as nodes, each after its parent."""
    order: list[int] = []
    placed: set[int] = set()
    for i in range(len(forest.windows)):
        chain = []
        at: int | None = i
        while at is not None and at not in placed:
            placed.add(at)
            chain.append(at)
            at = forest.parents[at]
        order += reversed(chain)
    place = {i: n for n, i in enumerate(order)}
    nodes = []
    for i in order:
        parent = forest.parents[i]
        nodes.append(
            Node(
                forest.windows[i],
                None if parent is None else place[parent],
                numbers[i] if i < len(numbers) else None,
                minimal=relation is Relation.COVERED,
            )
        )
    return tuple(nodes)


def _note(trees: Sequence[Tree], model: Model) -> str:
    """What a plan does most of."""
    copied = sum(
        model.reads(n.shape, None if n.parent is None else t.nodes[n.parent].shape, n.minimal)
        for t in trees
        if t.way is Way.LEVELS
        for n in t.nodes
    )
    parts = []
    for tree in trees:
        if tree.way is Way.KERNEL:
            cells = model.rows(tree.nodes[0].shape)
            parts.append(f"{cells:,.0f} cells in order, {tree.placement.value} travel")
        if tree.way is Way.ROWS:
            parts.append(f"{model.statistics.rows:,.0f} rows in order")
    levels = max((max(t.depths()) for t in trees if t.way is Way.LEVELS), default=0)
    if levels:
        named = "level" if levels == 1 else "levels"
        parts.insert(0, f"{copied:,.0f} rows folded in {levels} {named}")
    return "; ".join(parts)

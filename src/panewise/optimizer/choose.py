"""From a query to a plan: every strategy is weighed by one model, and the cheapest is taken."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from panewise.errors import QueryError
from panewise.optimizer.model import Constants, Model
from panewise.optimizer.spans import choose_spans
from panewise.optimizer.strategies import Draft, Strategies
from panewise.plan import Alternative, Edges, Node, Plan, Statistics, Tree, Way
from panewise.query import Query
from panewise.windows import Family, PaneWidth

STRATEGIES = ("auto", "independent", "scan", "coverage", "factor", "edges", "slices", "tree")
FOLDED = 50.0
"""Rows of one key assumed in the narrowest pane where nothing is known of the data."""
FOLDED_IN_GAP = 1.5
"""The same for panes as wide as a session's gap: gaps are chosen near the distance of events."""
GRAPH_UP_TO = 1000
"""Windows up to which a coverage graph is drawn when asked for; its edges grow with the square."""
WEIGHED_UP_TO = 150
"""Windows up to which the automatic choice weighs coverage graphs and trees."""


def choose(query: Query, strategy: str = "auto", statistics: Statistics | None = None) -> Plan:
    """The cheapest plan, or the plan of the strategy that was asked for."""
    if strategy not in STRATEGIES and not query.spanning:
        names = ", ".join(f'"{name}"' for name in STRATEGIES)
        raise QueryError(f"strategy is one of {names}: got {strategy!r}.")
    if not isinstance(statistics, Statistics | None):
        raise QueryError(
            f"statistics is a Statistics: got {statistics!r}.",
            hint='write Statistics.given(rows=10_000_000, span="3 hours", keys=100).',
        )
    known = _assumed(query, statistics or Statistics())
    model = _model(query, known)
    if query.spanning:
        return choose_spans(query, strategy, statistics, model)
    strategies = Strategies(query, model)
    if strategy != "auto":
        draft = _forced(query, strategies, strategy)
        return _plan(query, strategy, draft, "as asked", model, statistics, ())
    drafts = sorted(_weighed(query, strategies), key=lambda draft: draft.cost)
    best = drafts[0]
    others = tuple(Alternative(d.name, d.cost, d.note) for d in drafts[1:])
    return _plan(
        query, strategy, best, _reason(query, strategies, drafts), model, statistics, others
    )


def _weighed(query: Query, strategies: Strategies) -> Iterator[Draft]:
    """Every plan that the automatic choice looks at."""
    yield from strategies.edges()
    if _needs_kernel(query) is not None or not strategies.families:
        return
    yield strategies.independent()
    if len(strategies.families) == 1 and strategies.tiles:
        return  # one pane is one window: there is nothing to share
    if len(strategies.families) > 1:
        yield strategies.scan()
    yield strategies.slices()
    if len(strategies.families) > WEIGHED_UP_TO:
        return
    yield from strategies.coverage()
    yield from strategies.factor()
    yield from strategies.trees()


def _forced(query: Query, strategies: Strategies, strategy: str) -> Draft:
    needs = _needs_kernel(query)
    if strategy != "edges" and needs is not None:
        raise QueryError(
            f'this query has no "{strategy}" plan: {needs}.', hint='leave strategy="auto".'
        )
    many = len(strategies.families)
    if strategy != "edges" and not many:
        raise QueryError(
            f'this query has no "{strategy}" plan: {_no_panes(strategies)}.',
            hint='leave strategy="auto".',
        )
    if strategy in ("coverage", "factor", "tree") and many > GRAPH_UP_TO:
        raise QueryError(
            f'strategy="{strategy}" draws the graph of all windows, at most {GRAPH_UP_TO:,} of '
            f"them: got {many:,}.",
            hint='leave strategy="auto".',
        )
    ways: dict[str, Callable[[], Iterator[Draft]]] = {
        "independent": lambda: iter([strategies.independent()]),
        "scan": lambda: iter([strategies.scan()]),
        "coverage": strategies.coverage,
        "factor": strategies.factor,
        "edges": strategies.edges,
        "slices": lambda: iter([strategies.slices()]),
        "tree": strategies.trees,
    }
    return min(ways[strategy](), key=lambda draft: draft.cost)


def _plan(
    query: Query,
    strategy: str,
    draft: Draft,
    reason: str,
    model: Model,
    statistics: Statistics | None,
    others: tuple[Alternative, ...],
) -> Plan:
    trees = tuple(_estimated(tree, model) for tree in draft.trees)
    known = statistics or Statistics()
    return Plan(query, trees, strategy, draft.name, reason, draft.cost, known, others)


def _estimated(tree: Tree, model: Model) -> Tree:
    """The same tree with the rows and the cost that the model expects of each node."""

    def cost(node: Node) -> float:
        rows = model.rows(node.shape)
        if tree.way is Way.LEVELS:
            parent = None if node.parent is None else tree.nodes[node.parent].shape
            reading = model.read_cost(node.shape, parent, node.minimal)
            return reading + model.node_cost(node.shape)
        if node.parent is None and tree.way is Way.KERNEL:
            shape = node.shape
            assert isinstance(shape, Edges)
            return model.kernel_cost(shape, (), tree.placement)
        return model.constants.result * model.wide * model.opaque * rows

    nodes = (replace(n, rows=model.rows(n.shape), cost=cost(n)) for n in tree.nodes)
    return replace(tree, nodes=tuple(nodes))


def _reason(query: Query, strategies: Strategies, drafts: Sequence[Draft]) -> str:
    needs = _needs_kernel(query)
    if needs is not None:
        return needs
    if len(drafts) == 1:
        return _no_panes(strategies)
    best, second = drafts[0], drafts[1]
    if len(query.windows) == 1 and best.name == "independent":
        return "one window: nothing to share"
    share = second.cost / max(best.cost, 1e-12)
    return f"least of {len(drafts)} plans; the next, {second.name}, costs {share:.2f} times as much"


def _no_panes(strategies: Strategies) -> str:
    if strategies.by_rows:
        return "its windows or aggregates depend on the order of rows"
    return "sessions merge neighbouring panes in order"


def _needs_kernel(query: Query) -> str | None:
    for aggregate in query.aggregates:
        if not aggregate.native:
            return f"{aggregate.name} is combined by array code"
    return None


def _model(query: Query, statistics: Statistics) -> Model:
    demands = (window.demand() for window in query.windows)
    return Model(
        statistics,
        [demand for demand in demands if isinstance(demand, Family)],
        Constants.stored(),
        columns=len(query.aggregates),
        opaque=any(aggregate.opaque for aggregate in query.aggregates),
    )


def _assumed(query: Query, statistics: Statistics) -> Statistics:
    """Statistics with a guess where nothing is known of keys."""
    if statistics.rate is not None and statistics.keys:
        return statistics
    demands = [window.demand() for window in query.windows]
    gaps = [d.ticks for d in demands if isinstance(d, PaneWidth)]
    steps = [min(d.slide, d.step) for d in demands if isinstance(d, Family)]
    narrowest, folded = (min(gaps), FOLDED_IN_GAP) if gaps else (min(steps, default=1), FOLDED)
    rows = max(statistics.rows, 1.0)  # of no rows there is no rate to guess
    guess = Statistics.even(rows, rows * narrowest / folded)
    return replace(
        guess,
        source=statistics.source,
        disorder=statistics.disorder,
        length=statistics.length,
    )

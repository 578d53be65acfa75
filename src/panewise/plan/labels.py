"""What the nodes of a plan are called, and how each reads its parent.

Text, JSON and picture say the same because they ask here.
"""

from __future__ import annotations

from functools import lru_cache

from panewise.model import format_ticks
from panewise.model.duration import HOUR
from panewise.plan.edges import Edges
from panewise.plan.tree import Node, Shape, Tree, Way
from panewise.query import Query
from panewise.windows import Family, PaneWidth

PROGRESSIONS = 4
"""Progressions that are spelled out; of more, the rest are counted."""


def kind(node: Node) -> str:
    """What a node is: a "window" that was asked for, "panes", or a "factor" window."""
    if node.window is not None:
        return "window"
    return "panes" if isinstance(node.shape, Edges) else "factor"


def label(query: Query, node: Node) -> str:
    """A name for one node."""
    if node.window is not None:
        return window_label(query, node.window)
    return shape_label(node.shape, query.counts_time)


def window_label(query: Query, number: int) -> str:
    """The name of a window, and what it is where the name does not say."""
    window = query.windows[number]
    named = f" = {window.canonical}" if window.name is not None else ""
    level = "" if window.level is None else f" level {window.level}"
    return printable(window.window_id + named + level)


def shape_label(shape: Shape, timed: bool) -> str:
    """Panes by their edges, factor windows as a user would have written them."""
    if isinstance(shape, Edges):
        return f"panes: edges {edges_label(shape, timed)}"
    assert isinstance(shape, Family)  # sessions are always someone's
    sizes = [shape.size] if shape.size == shape.slide else [shape.size, shape.slide]
    parts = [length(size, timed) for size in sizes]
    if shape.origin:
        parts.append(f"origin={length(shape.origin, timed)}")
    name = "tumbling" if len(sizes) == 1 else "sliding"
    return f"factor {name}({', '.join(parts)})"


def edges_label(edges: Edges, timed: bool) -> str:
    """Progressions in words.

    >>> edges_label(Edges(((300, 0), (300, 120)), (7,)), timed=False)
    'every 300, every 300 at 120, 1 fixed'
    """
    spelled = [_progression(p, f, timed) for p, f in edges.progressions[:PROGRESSIONS]]
    more = len(edges.progressions) - PROGRESSIONS
    if more > 0:
        spelled.append(f"{more} more")
    if edges.fixed:
        spelled.append(f"{len(edges.fixed)} fixed")
    return ", ".join(spelled)


def _progression(period: int, phase: int, timed: bool) -> str:
    return f"every {length(period, timed)}" + (f" at {length(phase, timed)}" if phase else "")


def length(ticks: int, timed: bool) -> str:
    """A duration, or a plain number of the measure."""
    return format_ticks(ticks) if timed else str(ticks)


def pane_rate(edges: Edges, timed: bool) -> str:
    """How many panes there are, in a unit that leaves a number of some size."""
    if not edges.progressions:
        return ""
    unit, name = (HOUR, "hour") if timed else (1000, "1000 ticks")
    count = edges.rate * unit
    if count >= 1:
        return f"at most {float(count):,.0f} panes per {name} and key"
    rare = f"{float(1 / count):,.1f} hours" if timed else f"{float(unit / count):,.0f} ticks"
    return f"1 pane in {rare.replace('.0 ', ' ')}"


def multiplier(tree: Tree, node: Node) -> float | None:
    """How many rows of its parent, for one key, one instance of a node reads, on average.

    None for what reads events, whose number the data decide, and for sessions.
    """
    if node.parent is None or isinstance(node.shape, PaneWidth):
        return None
    return _instances(node.shape, tree.nodes[node.parent].shape, node.minimal)


def _instances(child: Shape, parent: Shape, minimal: bool) -> float:
    from panewise.optimizer import coverage

    assert isinstance(parent, Edges | Family)  # nothing reads sessions or windows of rows
    if isinstance(child, Family) and isinstance(parent, Family) and coverage.is_plain(child):
        read = coverage.minimal_multiplier if minimal else coverage.multiplier
        return read(child, parent)
    panes = Edges.of(parent) if isinstance(parent, Family) else parent
    if isinstance(child, Edges):
        return density(panes) / density(child) if child.progressions else 1.0
    assert isinstance(child, Family)
    mean_length = (child.size + child.step) / 2  # cumulating windows grow step by step
    fixed = sum(child.origin <= e < child.origin + child.size for e in panes.fixed)
    return max(1.0, density(panes) * mean_length + (fixed if child.once else 0))


@lru_cache(maxsize=256)
def density(edges: Edges) -> float:
    """Panes per tick, where edges that coincide are counted once."""
    from panewise.optimizer.density import Density

    return Density(edges.progressions).of(edges)


def reading(tree: Tree, node: Node) -> str:
    """How a node gets its rows, in a few words."""
    shape = node.shape
    if tree.way is Way.ROWS:
        return "rows in order"
    if node.parent is None:
        return _from_events(shape)
    if isinstance(shape, PaneWidth):
        return "neighbouring panes within the gap"
    parent = tree.nodes[node.parent].shape
    if isinstance(shape, Family):
        if shape.once:
            return "the panes of one interval"
        if shape.step < shape.size:
            steps = f"{shape.size // shape.step} steps"
            return f"running total, {steps}" if tree.way is Way.KERNEL else f"{steps}, each anew"
        if isinstance(parent, Edges) and shape.size == shape.slide and Edges.of(shape) == parent:
            return "each pane is a window"
    return times(multiplier(tree, node))


def _from_events(shape: Shape) -> str:
    if not isinstance(shape, Family):
        return ""
    each = copies(shape)
    return "each event once" if each <= 1 else f"each event {each:,.3g} times"


def copies(shape: Shape) -> float:
    """In how many instances an event is, on average.

    >>> copies(Family(60, 10)), copies(Family(24, 24, step=1)), copies(Edges(((5, 0),)))
    (6.0, 12.5, 1.0)
    """
    if not isinstance(shape, Family):
        return 1.0
    if shape.step < shape.size:
        return (shape.size // shape.step + 1) / 2
    return shape.size / shape.slide


def times(count: float | None) -> str:
    """A multiplier: x4, or about x4.5 where instances differ.

    >>> times(4), times(12.48), times(None)
    ('x4', 'about x12.5', '')
    """
    if count is None:
        return ""
    whole = round(count)
    if abs(count - whole) < 1e-9 * max(1.0, count):
        return f"x{whole:,}"
    return f"about x{count:,.1f}" if count < 100 else f"about x{whole:,}"


def amount(number: float) -> str:
    """A number of rows in few characters.

    >>> [amount(n) for n in (0.2, 1, 999.7, 108_100, 10_000_000)]
    ['0.2', '1', '1k', '108k', '10M']
    """
    rounded = float(f"{number:.3g}")
    for unit, sign in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if rounded >= unit:
            return f"{rounded / unit:.4g}{sign}"
    return f"{rounded:.2g}" if rounded < 1 else f"{rounded:g}"


def seconds(cost: float) -> str:
    """A cost in few characters.

    >>> [seconds(c) for c in (0, 0.001, 0.352, 12.34, 1234.5, 1e9)]
    ['0s', '<0.01s', '0.35s', '12.3s', '1,234s', '1Gs']
    """
    if cost < 0.005:
        return "<0.01s" if cost > 0 else "0s"
    if cost < 100:
        return f"{cost:.2f}s" if cost < 10 else f"{cost:.1f}s"
    return f"{cost:,.0f}s" if cost < 1e6 else f"{amount(cost)}s"


def printable(text: str) -> str:
    """A user's text without characters that a terminal or XML would choke on."""
    return "".join(c if c.isprintable() else " " for c in text)

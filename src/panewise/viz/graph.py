"""What a picture of a plan shows: boxes, the edges that were chosen, and those that were possible.

Trees of the same aggregates are one graph; different ones may read along different edges, so they
are drawn apart.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from panewise.optimizer.coverage import Relation
from panewise.optimizer.coverage_graph import coverage_graph
from panewise.plan import Node, Plan, Tree
from panewise.plan.labels import (
    amount,
    copies,
    kind,
    label,
    multiplier,
    reading,
    seconds,
    times,
)
from panewise.windows import Family, PaneWidth


@dataclass(frozen=True)
class Box:
    """Something that is read; `names` are lines to show, `title` is the whole name."""

    kind: str
    title: str
    names: tuple[str, ...]
    figures: str
    depth: int = 0
    family: Family | None = None


@dataclass(frozen=True)
class Edge:
    """From what is read to what reads it, by position among the boxes."""

    parent: int
    child: int
    text: str
    """The multiplier."""
    title: str


@dataclass(frozen=True)
class Graph:
    """One drawing; the first box is the events."""

    head: str
    boxes: tuple[Box, ...]
    chosen: tuple[Edge, ...]
    possible: tuple[Edge, ...] = ()


def graphs(plan: Plan, most: int, possible: bool) -> Iterator[Graph]:
    """The graphs of a plan, at most so many nodes of it, with or without the possible edges."""
    groups: dict[tuple[int, ...], list[Tree]] = {}
    for tree in plan.trees:
        groups.setdefault(tree.aggregates, []).append(tree)
    for aggregates, trees in groups.items():
        if most <= 0:
            return
        names = ", ".join(plan.query.aggregates[i].name for i in aggregates)
        graph = _graph(plan, trees, most, f"for {names}" if len(groups) > 1 else "")
        most -= len(graph.boxes) - 1
        if possible:
            relation = Relation.serving(plan.query.aggregates[i].properties for i in aggregates)
            graph = replace(graph, possible=tuple(_possible(graph, relation)))
        yield graph


def _graph(plan: Plan, trees: Sequence[Tree], most: int, head: str) -> Graph:
    boxes = [Box("events", plan.query.time, ("events",), f"{amount(plan.statistics.rows)} rows")]
    edges: list[Edge] = []
    for tree in trees:
        base = len(boxes)
        left = most + 1 - base
        for node, depth in list(zip(tree.nodes, tree.depths(), strict=True))[: max(left, 0)]:
            parent = 0 if node.parent is None else base + node.parent
            edges.append(_chosen(tree, node, parent, len(boxes), boxes[parent]))
            boxes.append(_box(plan, node, depth))
    edges = [replace(e, title=f"{boxes[e.child].title} {e.title}") for e in edges]
    return Graph(head, tuple(boxes), tuple(edges))


def _box(plan: Plan, node: Node, depth: int) -> Box:
    title = label(plan.query, node)
    names: tuple[str, ...] = (title,)
    if node.window is not None:
        window = plan.query.windows[node.window]
        names = (window.window_id, window.canonical) if window.name is not None else (title,)
    figures = f"{amount(node.rows)} rows, {seconds(node.cost)}"
    family = node.shape if isinstance(node.shape, Family) else None
    return Box(kind(node), title, names, figures, depth, family)


def _chosen(tree: Tree, node: Node, parent: int, child: int, read: Box) -> Edge:
    count = multiplier(tree, node)
    text = times(count) if count is not None else _uncounted(node)
    how = reading(tree, node)
    return Edge(parent, child, text, f"reads {read.title}" + (f": {how}" if how else ""))


def _uncounted(node: Node) -> str:
    """What stands for a multiplier where the data decide it."""
    if isinstance(node.shape, PaneWidth):
        return "within the gap"
    each = copies(node.shape)
    return f"{each:,.3g} copies" if each > 1 else ""


def _possible(graph: Graph, relation: Relation) -> Iterator[Edge]:
    """Every edge of the coverage graph that was not chosen."""
    places = [i for i, box in enumerate(graph.boxes) if box.family is not None]
    families = [box.family for box in graph.boxes if box.family is not None]
    taken = {(edge.parent, edge.child) for edge in graph.chosen}
    for parent, child in coverage_graph(families, relation):
        pair = places[parent], places[child]
        if pair in taken:
            continue
        text = times(relation.reads(families[child], families[parent]))
        one, other = graph.boxes[pair[1]].title, graph.boxes[pair[0]].title
        yield Edge(*pair, text, f"{one} could read {other}: {text}")

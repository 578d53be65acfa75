"""Levels: trees of shared tables, by one expand and one group-by for each level.

Idea: the rows of a level say which node they belong to.  An expand turns each row into one copy for
every instance that reads it; a group-by combines the copies.  Finished windows pass through the
levels after them as copies of themselves, so the whole is one chain: the events are scanned once
and no table is computed twice, whoever reads it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from panewise.optimizer.coverage import stride
from panewise.plan import Edges, Node, Shape, Tree
from panewise.spark.binding import Binding
from panewise.spark.readers import Reader, read
from panewise.windows import Family


@dataclass(frozen=True)
class _Numbered:
    """A node with a number of its own among all trees."""

    number: int
    node: Node
    tree: int
    depth: int
    parent: int | None


def windows(trees: Sequence[Tree], binding: Binding) -> DataFrame:
    """Window partials with columns `k*`, `w`, `s`, `e` and `a*`."""
    nodes = _numbered(trees)
    ends = any(isinstance(n.node.shape, Family) and _nested(n.node.shape) for n in nodes)
    level = _first(binding, [n for n in nodes if n.parent is None], ends)
    level = _kept_apart(level, binding, trees, nodes)
    for depth in range(2, max(n.depth for n in nodes) + 1):
        level = _next(level, binding, nodes, depth, ends)
    return _answers(level, binding, trees, nodes, ends)


def _numbered(trees: Sequence[Tree]) -> list[_Numbered]:
    found: list[_Numbered] = []
    for number, tree in enumerate(trees):
        base = len(found)
        for node, depth in zip(tree.nodes, tree.depths(), strict=True):
            parent = None if node.parent is None else base + node.parent
            found.append(_Numbered(len(found), node, number, depth, parent))
    return found


def _first(binding: Binding, readers: Sequence[_Numbered], ends: bool) -> DataFrame:
    """The tables that read the events."""
    found = [_reader(reader) for reader in readers]
    rows = read(binding.rows, binding.rows.columns, "t", "t + 1", {None: found}, ends=ends)
    return rows.groupBy(*binding.keys, *_place(ends)).agg(*binding.lifted("b"))


def _next(
    level: DataFrame, binding: Binding, nodes: Sequence[_Numbered], depth: int, ends: bool
) -> DataFrame:
    """The tables of one level, and the finished windows of the levels before."""
    end = "e" if ends else f"b + {_sizes(nodes)}"
    readers: dict[int | None, list[Reader]] = {}
    for number in (n.number for n in nodes if n.depth < depth):
        parent = nodes[number].node
        found = [] if parent.window is None else [Reader(number, None)]
        found += [_reader(n, parent) for n in nodes if n.depth == depth and n.parent == number]
        if found:
            readers[number] = found
    carried = [*binding.keys, *binding.partials.values()]
    copied = read(level, carried, "b", end, readers, ends=ends)
    combined = [F.expr(str(p.combine_sql(n))).alias(n) for p, n in binding.partials.items()]
    return copied.groupBy(*binding.keys, *_place(ends)).agg(*combined)


def _kept_apart(
    level: DataFrame, binding: Binding, trees: Sequence[Tree], nodes: Sequence[_Numbered]
) -> DataFrame:
    """Columns that a tree does not carry are null in its rows: null is every partial's identity."""
    if len(trees) == 1:
        return level
    emptied = {}
    for name in binding.partials.values():
        carrying = [
            number
            for number, tree in enumerate(trees)
            if any(
                name in binding.partials_of(binding.query.aggregates[a]) for a in tree.aggregates
            )
        ]
        if len(carrying) < len(trees):
            places = ", ".join(str(n.number) for n in nodes if n.tree in carrying)
            emptied[name] = F.expr(f"CASE WHEN w IN ({places}) THEN {name} END")
    return level.withColumns(emptied)


def _answers(
    level: DataFrame,
    binding: Binding,
    trees: Sequence[Tree],
    nodes: Sequence[_Numbered],
    ends: bool,
) -> DataFrame:
    """Numbers of nodes into numbers of windows; rows of one window from several trees meet."""
    numbers = ", ".join(str(-1 if n.node.window is None else n.node.window) for n in nodes)
    columns = [
        *binding.keys,
        f"element_at(array({numbers}), w + 1) AS w",
        "b AS s",
        ("e" if ends else f"b + {_sizes(nodes)}") + " AS e",
        *binding.partials.values(),
    ]
    found = level.selectExpr(*columns)
    if len(trees) == 1:
        return found
    combined = [F.expr(str(p.combine_sql(n))).alias(n) for p, n in binding.partials.items()]
    return found.groupBy(*binding.keys, "w", "s", "e").agg(*combined)


def _reader(numbered: _Numbered, parent: Node | None = None) -> Reader:
    node, shape = numbered.node, numbered.node.shape
    assert isinstance(shape, Edges | Family)
    if parent is None or not isinstance(parent.shape, Family) or _tiles(parent.shape):
        return Reader(numbered.number, shape)
    return Reader(numbered.number, shape, True, stride(parent.shape) if node.minimal else 0)


def _tiles(family: Family) -> bool:
    return family.size == family.slide


def _place(ends: bool) -> list[str]:
    """What tells instances apart: where only the start does, the end need not be grouped by."""
    return ["w", "b", "e"] if ends else ["w", "b"]


def _sizes(nodes: Sequence[_Numbered]) -> str:
    sizes = ", ".join(f"{_size(n.node.shape)}L" for n in nodes)
    return f"element_at(array({sizes}), w + 1)"


def _size(shape: Shape) -> int:
    # a pane is inside a window if its first tick is, because the window's edges are edges of panes
    return 1 if isinstance(shape, Edges) else shape.size  # type: ignore[union-attr]


def _nested(family: Family) -> bool:
    return family.step < family.size

"""A plan as plain values, for JSON and for programs that read plans."""

from __future__ import annotations

import math
from typing import Any

from panewise.plan.edges import Edges
from panewise.plan.labels import kind, label, multiplier
from panewise.plan.plan import Plan
from panewise.plan.statistics import Statistics
from panewise.plan.tree import Node, Shape, Tree
from panewise.query import Query
from panewise.windows import Family, PaneWidth, RowFamily, Scan


def as_dict(plan: Plan) -> dict[str, Any]:
    """Everything that a plan says of itself; keys are always the same, None where they do not fit.

    `parent` is a position in `nodes`, `window` and `aggregates` are positions in the query; lengths
    and rates count ticks, costs seconds.
    """
    return {
        "query": _query(plan.query),
        "strategy": plan.strategy,
        "chosen": plan.chosen,
        "reason": plan.reason,
        "cost": _finite(plan.cost),
        "statistics": _statistics(plan.statistics),
        "trees": [_tree(plan.query, tree) for tree in plan.trees],
        "alternatives": [
            {"strategy": a.strategy, "cost": _finite(a.cost), "note": a.note}
            for a in plan.alternatives
        ],
    }


def _query(query: Query) -> dict[str, Any]:
    return {
        "time": query.time,
        "until": query.until,
        "by": list(query.by),
        "order_by": query.order_by,
        "windows": [
            {
                "window_id": w.window_id,
                "canonical": w.canonical,
                "kind": w.kind,
                **({} if w.level is None else {"level": w.level}),
            }
            for w in query.windows
        ],
        "aggregates": [{"name": a.name, "canonical": a.canonical} for a in query.aggregates],
    }


def _statistics(known: Statistics) -> dict[str, Any]:
    return {
        "source": known.source,
        "rows": _finite(known.rows),
        "rate": _finite(known.rate),
        "keys": [[_finite(width), _finite(count)] for width, count in known.keys],
        "disorder": known.disorder,
        "length": known.length,
    }


def _tree(query: Query, tree: Tree) -> dict[str, Any]:
    return {
        "way": tree.way.value,
        "placement": tree.placement.value,
        "technique": tree.technique and str(tree.technique),
        "aggregates": list(tree.aggregates),
        "nodes": [_node(query, tree, node) for node in tree.nodes],
    }


def _node(query: Query, tree: Tree, node: Node) -> dict[str, Any]:
    return {
        "kind": kind(node),
        "label": label(query, node),
        **_shape(node.shape),
        "parent": node.parent,
        "window": node.window,
        "multiplier": _finite(multiplier(tree, node)),
        "minimal": node.minimal,
        "rows": _finite(node.rows),
        "cost": _finite(node.cost),
    }


def _shape(shape: Shape) -> dict[str, Any]:
    edges = shape if isinstance(shape, Edges) else None
    counted = shape.family if isinstance(shape, RowFamily) else shape
    family = counted if isinstance(counted, Family) else None
    return {
        "edges": edges and {"progressions": _pairs(edges), "fixed": list(edges.fixed)},
        "size": family and family.size,
        "slide": family and family.slide,
        "step": family and family.step,
        "origin": family and family.origin,
        "once": family and family.once,
        "gap": shape.ticks if isinstance(shape, PaneWidth) else None,
        "by_rows": isinstance(shape, RowFamily | Scan),
    }


def _pairs(edges: Edges) -> list[list[int]]:
    return [[period, phase] for period, phase in edges.progressions]


def _finite(number: float | None) -> float | None:
    """JSON has no word for infinity, nor for what is not a number."""
    return number if number is not None and math.isfinite(number) else None

"""A plan in words for an 80-column terminal, as JSON, or as a picture."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from panewise.aggregates import ValueCounts
from panewise.errors import QueryError
from panewise.model.duration import DAY, HOUR, SECOND
from panewise.plan.as_dict import as_dict
from panewise.plan.edges import Edges
from panewise.plan.labels import (
    amount,
    copies,
    label,
    length,
    pane_rate,
    printable,
    reading,
    seconds,
)
from panewise.plan.plan import Alternative, Plan
from panewise.plan.technique import Kind
from panewise.plan.tree import Node, Placement, Tree, Way

FORMATS = ("text", "json", "svg")
WIDTH = 80
LEFT = 64
"""Columns for what a node is; the rest is for its rows and its cost."""
LABEL = 42
"""Columns for a name, where all of a tree are that long."""
CROWDED = 28
"""Nodes from which windows that nobody else reads share a paragraph, and notes take one line."""
LIST_LINES = 20
DEEPEST = 24
"""Columns of indentation; trees that are deeper than that are not indented further."""


def explain(plan: Plan, format: str = "text") -> str:
    """The whole plan in one of the formats."""
    if format == "text":
        return _text(plan)
    if format == "json":
        return json.dumps(as_dict(plan), indent=2, allow_nan=False)
    if format == "svg":
        from panewise.viz import coverage_picture

        return coverage_picture(plan)
    names = ", ".join(f'"{name}"' for name in FORMATS)
    raise QueryError(f"format is one of {names}: got {format!r}.", hint='write explain("text").')


def _text(plan: Plan) -> str:
    query = plan.query
    times = query.time + (f" to {query.until}" if query.until else "")
    over = times + (f" by {', '.join(query.by)}" if query.by else "")
    lines = [
        *_wrapped("Plan over ", over, indent=0),
        *_wrapped("strategy    ", _strategy(plan)),
        *_wrapped("cost        ", f"about {seconds(plan.cost)} on the calibrated machine"),
        *_wrapped("statistics  ", _statistics(plan)),
        *_wrapped("carry       ", _carried(plan)),
        *(line for trees in _alike(_gathered(plan.trees)) for line in _trees(plan, trees)),
        *_alternatives(plan),
    ]
    return "\n".join(line.rstrip() for line in lines)


def _strategy(plan: Plan) -> str:
    asked = f' ("{plan.strategy}")' if plan.strategy not in ("auto", plan.chosen) else ""
    return f"{plan.chosen}: {plan.reason}{asked}"


def _statistics(plan: Plan) -> str:
    known = plan.statistics
    parts = [f"{amount(known.rows)} rows"]
    if known.rate is None:
        parts.append("rate and keys unknown")
    else:
        parts.append(_rate(known.rate, plan.query.counts_time))
        if known.keys:
            parts.append(f"about {amount(known.keys_in(known.rows / known.rate))} keys")
    if known.disorder:
        parts.append(f"up to {length(known.disorder, plan.query.counts_time)} out of order")
    source = "assumed" if known.source == "defaults" else known.source
    return f"{source}: {', '.join(parts)}"


def _rate(rate: float, timed: bool) -> str:
    if not timed:
        return f"{amount(rate * 1000)} per 1000 ticks"
    for unit, name in ((SECOND, "second"), (HOUR, "hour")):
        if rate * unit >= 1:
            return f"{amount(rate * unit)} per {name}"
    return f"{amount(rate * DAY)} per day"


def _carried(plan: Plan) -> str:
    counted = [a for a in plan.query.aggregates if ValueCounts in getattr(a, "parts", ())]
    text = ", ".join(a.name for a in plan.query.aggregates)
    if counted:
        text += f" (value counts for {', '.join(a.name for a in counted)})"
    if plan.query.ordered:
        text += f" (ordered by time, then {plan.query.order_by or 'arrival'})"
    return text


def _gathered(trees: Sequence[Tree]) -> list[Tree]:
    """Windows that read the events each for itself, as one tree to show."""
    alone = [t for t in trees if t.way is Way.LEVELS and len(t.nodes) == 1]
    if len(alone) < 2:
        return list(trees)
    gathered = Tree(tuple(t.nodes[0] for t in alone), Way.LEVELS, alone[0].aggregates)
    return [gathered, *(tree for tree in trees if tree not in alone)]


def _alike(trees: Sequence[Tree]) -> Iterator[list[Tree]]:
    """Passes of the kernel that differ in their panes alone share a head."""

    def head(numbered: tuple[int, Tree]) -> tuple[object, ...]:
        number, tree = numbered
        alone = number if tree.way is Way.LEVELS else None
        return tree.way, tree.technique, tree.placement, tree.aggregates, alone

    for _, group in groupby(enumerate(trees), key=head):
        yield [tree for _, tree in group]


@dataclass(frozen=True)
class _Row:
    """One node with its figures; `rails` draw the branches before it, and below it."""

    rails: str
    below: str
    label: str
    how: str
    rows: float
    cost: float | None = None


def _trees(plan: Plan, trees: Sequence[Tree]) -> list[str]:
    rows = [_Row("  ", "  ", "events", "", plan.statistics.rows)]
    for tree in trees:
        branches = _Branches(plan, tree, _crowded(plan))
        rows += branches.below(None, "  ", last=tree is trees[-1])
    named = (len(row.rails + row.label) for row in rows if row.how)
    column = min(LABEL, max(named, default=0)) + 2
    head = _figured(_head(plan, trees), "", "  ", "rows", "cost")
    return [*head, *(line for row in rows for line in _lines(row, column))]


def _crowded(plan: Plan) -> bool:
    return sum(len(tree.nodes) for tree in plan.trees) > CROWDED


def _head(plan: Plan, trees: Sequence[Tree]) -> str:
    tree = trees[0]
    carried = ""
    if len(tree.aggregates) < len(plan.query.aggregates):
        names = ", ".join(plan.query.aggregates[i].name for i in tree.aggregates)
        carried = f"for {names}: "
    if tree.way is Way.LEVELS:
        levels = max(tree.depths())
        if levels > 1:
            return f"{carried}{levels} levels, one group-by each"
        apart = plan.chosen == "independent" and len(tree.nodes) > 1
        return carried + (
            f"{len(tree.nodes)} group-bys, a scan for each" if apart else "1 level: one group-by"
        )
    if tree.way is Way.ROWS:
        return f"{carried}one compiled pass over rows in order; shuffle: rows by key"
    if tree.way is Way.SPANS:
        return f"{carried}{tree.technique}: {_TECHNIQUES[tree.technique.kind]}"  # type: ignore[union-attr]
    passes = "one compiled pass" if len(trees) == 1 else f"{len(trees)} compiled passes"
    return f"{carried}{passes}; shuffle: {_shuffled(tree.placement)}"


_TECHNIQUES = {
    Kind.SE_SLICING: "a cell in every slice of an event",
    Kind.SE_ML_SLICING: "a cell in every few slices of an event",
    Kind.DIFFERENCE: "two cells for an event, where it begins and where it ends",
    Kind.DYADIC: "an event in blocks of 1, 2, 4, ... slices",
    Kind.ENDPOINTS: "the moments at which events begin and end",
    Kind.WEIGHTED: "shares of an event, in its slices and in blocks of them",
}


def _shuffled(placement: Placement) -> str:
    if placement is Placement.ROWS:
        return "rows by key, then cells are folded where they are read"
    return "cells, folded where the rows are"


class _Branches:
    """The rows of one tree, parents before children."""

    def __init__(self, plan: Plan, tree: Tree, crowded: bool) -> None:
        self.plan, self.tree, self.crowded = plan, tree, crowded
        self.children: dict[int | None, list[int]] = {}
        for number, node in enumerate(tree.nodes):
            self.children.setdefault(node.parent, []).append(number)

    def below(self, parent: int | None, rails: str, last: bool = True) -> list[_Row]:
        """Everything that reads a node; `last` if nothing else hangs on these rails."""
        kept = self.children.get(parent, [])
        rails = rails[-DEEPEST:]
        rows: list[_Row] = []
        if self.crowded:
            leaves = [n for n in kept if n not in self.children]
            kept = [n for n in kept if n in self.children] if len(leaves) > 1 else kept
            if len(leaves) > 1:
                rows.append(self._together(leaves, rails, last and not kept))
        for number in kept:
            under = rails + ("   " if last and number == kept[-1] else "|  ")
            rows.append(self._row(self.tree.nodes[number], rails, under))
            rows += self.below(number, under)
        return rows

    def _row(self, node: Node, rails: str, below: str) -> _Row:
        name, how = label(self.plan.query, node), reading(self.tree, node)
        if isinstance(node.shape, Edges):
            # a sentence of its own: panes are too long for a column
            rate = pane_rate(node.shape, self.plan.query.counts_time)
            name, how = " ".join(filter(None, [name, how, rate and f"({rate})"])), ""
        return _Row(rails + "+- ", below, name, how, node.rows, node.cost)

    def _together(self, numbers: Sequence[int], rails: str, last: bool) -> _Row:
        """Windows that nobody reads, as one paragraph."""
        nodes = [self.tree.nodes[n] for n in numbers]
        listed = [f"{label(self.plan.query, n)} {self._briefly(n)}".rstrip() for n in nodes]
        rows, cost = sum(n.rows for n in nodes), sum(n.cost for n in nodes)
        below = rails + ("   " if last else "|  ")
        text = f"{len(nodes)} windows: {'; '.join(listed)}"
        return _Row(rails + "+- ", below, text, "", rows, cost)

    def _briefly(self, node: Node) -> str:
        if node.parent is not None:
            return reading(self.tree, node)
        each = copies(node.shape)
        return f"{each:,.3g} copies" if each > 1 else ""


def _lines(row: _Row, column: int) -> list[str]:
    # a long explanation may begin before its column if that saves a line
    begin = min(column, LEFT - len(row.how) - 1) - len(row.rails)
    text = f"{row.label:<{max(begin, 0)}} {row.how}"
    cost = "" if row.cost is None else seconds(row.cost)
    return _figured(text, row.rails, row.below + "  ", amount(row.rows), cost)


def _figured(text: str, first: str, rest: str, rows: str, cost: str) -> list[str]:
    """Wrapped text with two figures at the right of its last line."""
    lines = textwrap.wrap(
        text.rstrip(),
        LEFT,
        initial_indent=first,
        subsequent_indent=rest,
        max_lines=LIST_LINES,
        placeholder=' ... (see explain("json"))',
    )
    return [*lines[:-1], f"{lines[-1]:<{LEFT}}{rows:>7}{cost:>9}"]


def _alternatives(plan: Plan) -> list[str]:
    if not plan.alternatives:
        return []
    costs = [seconds(a.cost) for a in plan.alternatives]
    ratios = [_ratio(a, plan) for a in plan.alternatives]
    wide, wider = max(map(len, costs)), max(map(len, ratios))
    most = 1 if _crowded(plan) else 2
    lines = ["alternatives"]
    for other, cost, ratio in zip(plan.alternatives, costs, ratios, strict=True):
        first = f"  {cost:>{wide}}  {ratio:>{wider}}  "
        lines += _wrapped(first, f"{other.strategy}: {other.note}", indent=0, most=most)
    return lines


def _ratio(other: Alternative, plan: Plan) -> str:
    ratio = other.cost / max(plan.cost, 1e-12)
    return f"x{ratio:.2f}" if ratio < 1000 else f"x{amount(ratio)}"


def _wrapped(head: str, text: str, indent: int = 2, most: int | None = None) -> list[str]:
    first = " " * indent + head
    return textwrap.wrap(
        printable(text),
        WIDTH,
        initial_indent=first,
        subsequent_indent=" " * len(first),
        max_lines=most,
        placeholder=" ...",
    )

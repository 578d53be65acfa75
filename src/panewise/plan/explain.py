"""A plan in words, for an 80-column terminal."""

from __future__ import annotations

import textwrap

from panewise.aggregates import ValueCounts
from panewise.model import format_ticks
from panewise.model.duration import HOUR
from panewise.plan.edges import Edges
from panewise.plan.plan import Composition, Placement, Plan
from panewise.windows import Family, Window

WIDTH = 80


def explain(plan: Plan) -> str:
    """The whole plan as text."""
    query = plan.query
    over = query.time + (f" by {', '.join(query.by)}" if query.by else "")
    lines = [
        *_wrapped("Plan over ", over, indent=0),
        *_wrapped("panes    ", _panes(plan)),
        *_wrapped("compose  ", f"{plan.composition.value}: {plan.reason}"),
        *_wrapped("shuffle  ", _shuffled(plan)),
        *_wrapped("carry    ", _carried(plan)),
        "windows",
        *(line for window in query.windows for line in _wrapped("", _window(plan, window))),
    ]
    return "\n".join(lines)


def _panes(plan: Plan) -> str:
    edges, timed = plan.panes, plan.query.counts_time
    spelled = [_progression(p, f, timed) for p, f in edges.progressions]
    if edges.fixed:
        spelled.append(f"{len(edges.fixed)} fixed")
    text = "edges " + ", ".join(spelled)
    rate = _rate(edges, timed)
    return f"{text} ({rate})" if rate else text


def _progression(period: int, phase: int, timed: bool) -> str:
    every = format_ticks(period) if timed else str(period)
    at = f" at {format_ticks(phase) if timed else phase}" if phase else ""
    return f"every {every}{at}"


def _rate(edges: Edges, timed: bool) -> str:
    if not edges.progressions:
        return ""
    unit, name = (HOUR, "hour") if timed else (1000, "1000 ticks")
    count = edges.rate * unit
    if count >= 1:
        return f"at most {float(count):,.0f} panes per {name} and key"
    rare = f"{float(1 / count):,.1f} hours" if timed else f"{float(unit / count):,.0f} ticks"
    return f"1 pane in {rare.replace('.0 ', ' ')}"


def _shuffled(plan: Plan) -> str:
    if plan.placement is Placement.ROWS:
        return "rows by key, then cells are folded where they are read"
    return "cells, folded where the rows are"


def _carried(plan: Plan) -> str:
    counted = [a for a in plan.query.aggregates if _counts_values(a)]
    text = ", ".join(a.name for a in plan.query.aggregates)
    if counted:
        text += f" (value counts for {', '.join(a.name for a in counted)})"
    if plan.query.ordered:
        text += f" (ordered by time, then {plan.query.order_by or 'arrival'})"
    return text


def _counts_values(aggregate: object) -> bool:
    return ValueCounts in getattr(aggregate, "parts", ())


def _window(plan: Plan, window: Window) -> str:
    label = window.window_id
    if window.name is not None:
        label += f" = {window.canonical}"
    return f"{label:<34} {_how(plan, window)}"


def _how(plan: Plan, window: Window) -> str:
    demand = window.demand()
    if not isinstance(demand, Family):
        return "neighbouring panes within the gap"
    if plan.composition is Composition.DIRECT:
        return "each pane is a window"
    panes = float(plan.panes.rate * demand.size)
    if demand.once:
        return "the panes of one interval"
    if demand.step < demand.size:
        return f"running total, {demand.size // demand.step} steps"
    if demand.overlap == 1:
        return f"about {panes:,.0f} panes each" if panes >= 1.5 else "one pane each"
    return f"about {panes:,.0f} panes each, overlap {demand.overlap}"


def _wrapped(head: str, text: str, indent: int = 2) -> list[str]:
    first = " " * indent + head
    rest = " " * (len(first) if head else 2 * indent)
    return textwrap.wrap(text, WIDTH, initial_indent=first, subsequent_indent=rest)

"""A plan in words, for an 80-column terminal."""

from __future__ import annotations

import textwrap
from fractions import Fraction

from panewise.aggregates import ValueCounts
from panewise.model import format_ticks
from panewise.plan.edges import Edges
from panewise.plan.plan import Composition, Plan
from panewise.windows import Family, Window

WIDTH = 80


def explain(plan: Plan) -> str:
    """The whole plan as text."""
    query = plan.query
    lines = [
        f"Plan over {query.time}" + (f" by {', '.join(query.by)}" if query.by else ""),
        *_wrapped("panes    ", _panes(plan)),
        *_wrapped("compose  ", f"{plan.composition.value}: {plan.reason}"),
        *_wrapped("carry    ", _carried(plan)),
        "windows",
        *(f"  {_window(plan, window)}" for window in query.windows),
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
    unit, name = (3_600_000_000, "hour and key") if timed else (1000, "1000 ticks and key")
    count = edges.rate * unit
    if count < 1:
        return f"1 pane in {float(1 / count):,.0f} {name.replace(' and key', 's')}"
    return f"at most {float(Fraction(count)):,.0f} panes per {name}"


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


def _wrapped(head: str, text: str) -> list[str]:
    return textwrap.wrap(
        text, WIDTH, initial_indent=f"  {head}", subsequent_indent=" " * (2 + len(head))
    )

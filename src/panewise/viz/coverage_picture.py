"""The coverage picture: which window could read which, and which does.

Idea: a box for every table and a line for everything that is read, with a shape for each kind of
box, so that colour is not needed.
"""

from __future__ import annotations

import textwrap
from itertools import pairwise
from xml.etree.ElementTree import Element, SubElement

from panewise.plan import Plan
from panewise.plan.labels import printable, seconds
from panewise.viz.graph import Box, Edge, Graph, graphs
from panewise.viz.layout import HIGH, MARGIN, WIDE, Area, Grid, Point, along
from panewise.viz.paper import (
    BLUE,
    FAINT,
    GREEN,
    INK,
    LETTER,
    ORANGE,
    PALE_BLUE,
    PALE_GREEN,
    PALE_ORANGE,
    PAPER,
    QUIET,
    TEXT,
    VERMILION,
    columns,
    paper,
    short,
    sized,
    write,
)

MOST_NODES = 300
GRAPH_UP_TO = 60
"""Windows up to which edges that were not chosen are drawn; they grow with the square."""
LABELLED_UP_TO = 40
"""Possible edges up to which multipliers stand beside them; they are always in the tooltips."""
CHARACTERS = 23
"""Of a name, on one line of a box."""

CHOSEN = VERMILION
COLOURS = {  # stroke and fill
    "events": (INK, PAPER),
    "panes": (GREEN, PALE_GREEN),
    "factor": (ORANGE, PALE_ORANGE),
    "window": (BLUE, PALE_BLUE),
}
LEGEND = (
    ("events", "events"),
    ("panes", "panes"),
    ("factor", "factor window"),
    ("window", "window asked for"),
)


def coverage_picture(plan: Plan) -> str:
    """A standalone SVG of the coverage graph, with the chosen tree on top of it."""
    dense = len(plan.query.windows) > GRAPH_UP_TO
    drawn = list(graphs(plan, MOST_NODES, possible=not dense))
    root = paper(f"Coverage graph of the plan {plan.chosen}")
    top, right = 64.0, 760.0
    for graph in drawn:
        if graph.head:
            write(root, MARGIN, top, short(graph.head, 90), size=14, bold=True)
            top += 18
        grid = Grid(graph, top)
        _draw(root, graph, grid)
        top, right = grid.bottom + 60, max(right, grid.right)
    write(root, MARGIN, 32, _head(plan), size=16, bold=True)
    bottom = _legend(root, top, _left_out(plan, drawn, dense))
    return sized(root, right, bottom)


def _head(plan: Plan) -> str:
    over = plan.query.time + (f" by {', '.join(plan.query.by)}" if plan.query.by else "")
    return short(f"{plan.chosen}, about {seconds(plan.cost)}: plan over {over}", 72)


def _left_out(plan: Plan, drawn: list[Graph], dense: bool) -> list[str]:
    missing = sum(len(t.nodes) for t in plan.trees) - sum(len(g.boxes) - 1 for g in drawn)
    notes = []
    if missing:
        notes.append(f"{missing:,} more nodes are left out")
    if dense:
        notes.append(f"more than {GRAPH_UP_TO} windows: only chosen edges are drawn")
    return notes


def _draw(root: Element, graph: Graph, grid: Grid) -> None:
    """Lines first, so that boxes cover what runs behind them; texts last."""
    lines = SubElement(root, "g", {"fill": "none", "stroke-linejoin": "round"})
    for edge in graph.possible:
        _path(lines, edge, "possible", _curved(grid.curve(edge)), FAINT, "0.8")
    for edge in graph.chosen:
        _path(lines, edge, "chosen", _cornered(grid.branch(edge)), CHOSEN, "3")
    for number, box in enumerate(graph.boxes):
        _box(root, box, grid.area(number))
    taken = [grid.area(number) for number in range(len(graph.boxes))]
    for edge in graph.chosen:
        taken.append(_beside(root, edge, grid.area(edge.child)))
        taken += _segments(grid.branch(edge))
    if len(graph.possible) <= LABELLED_UP_TO:
        for edge in graph.possible:
            _where_free(root, edge, grid, taken)


def _path(parent: Element, edge: Edge, kind: str, way: str, colour: str, width: str) -> None:
    path = SubElement(parent, "path", {"class": kind, "d": way, "stroke": colour})
    path.set("stroke-width", width)
    path.set("data-parent", str(edge.parent))
    path.set("data-child", str(edge.child))
    SubElement(path, "title").text = printable(edge.title)


def _curved(curve: tuple[Point, Point, Point, Point]) -> str:
    begin, *rest = (f"{x:g} {y:g}" for x, y in curve)
    return f"M {begin} C {', '.join(rest)}"


def _cornered(points: list[Point]) -> str:
    return "M " + " L ".join(f"{x:g} {y:g}" for x, y in points)


def _segments(points: list[Point]) -> list[Area]:
    """What a line with corners takes up."""
    pairs = [(sorted((a, c)), sorted((b, d))) for (a, b), (c, d) in pairwise(points)]
    return [Area(x[0] - 2, y[0] - 2, x[1] + 2, y[1] + 2) for x, y in pairs]


def _beside(root: Element, edge: Edge, child: Area) -> Area:
    """The multiplier of a chosen edge, to the right of where it ends."""
    x, y = child.left + WIDE / 2 + 6, child.top - 6
    if edge.text:
        write(root, x, y, edge.text, bold=True)
    return _extent(x, y, edge.text)


def _where_free(root: Element, edge: Edge, grid: Grid, taken: list[Area]) -> None:
    """The multiplier of a possible edge, at a point of it where nothing else stands."""
    for t in (0.5, 0.35, 0.65, 0.2, 0.8, 0.9, 0.1):
        x, y = along(grid.curve(edge), t)
        area = _extent(x + 3, y + 4, edge.text)
        if not any(area.meets(other) for other in taken):
            write(root, x + 3, y + 4, edge.text, size=10, colour=QUIET, halo=True)
            taken.append(area)
            return


def _extent(x: float, y: float, text: str) -> Area:
    return Area(x - 1, y - TEXT, x + LETTER * len(text) + 1, y + 3)


def _box(root: Element, box: Box, area: Area) -> None:
    group = SubElement(root, "g", {"class": box.kind})
    SubElement(group, "title").text = printable(f"{box.title}: {box.figures}")
    _outline(group, box.kind, area)
    middle = (area.left + area.right) / 2
    lines = [*_names(box), box.figures]
    first = area.top + HIGH / 2 - 8 * (len(lines) - 1) + 4
    for number, line in enumerate(lines):
        last = number == len(lines) - 1
        size, colour = (11, QUIET) if last else (TEXT, INK)
        write(group, middle, first + 16 * number, line, size=size, colour=colour, anchor="middle")


def _names(box: Box) -> list[str]:
    if len(box.names) > 1:
        return [short(name, CHARACTERS) for name in box.names]
    return [short(line, CHARACTERS) for line in _wrapped(printable(box.names[0]))]


def _wrapped(text: str) -> list[str]:
    """At most two lines, of which the second may still be too long."""
    if columns(text) <= CHARACTERS:
        return [text]
    first = textwrap.wrap(text, CHARACTERS, break_on_hyphens=False)[0]
    return [first, text[len(first) :].strip()]


def _outline(parent: Element, kind: str, at: Area) -> None:
    """A shape for each kind, so that colour is not needed."""
    stroke, fill = COLOURS[kind]
    style = {"stroke": stroke, "fill": fill, "stroke-width": "2"}
    wide, high = at.right - at.left, at.bottom - at.top
    if kind in ("panes", "factor"):
        tip = min(12.0, high / 3)
        style["points"] = _corners(at, tip, pointed=kind == "factor")
        SubElement(parent, "polygon", style)
        return
    round_ = high / 2 if kind == "events" else min(6.0, high / 4)
    place = {"x": at.left, "y": at.top, "width": wide, "height": high, "rx": round_}
    SubElement(parent, "rect", {k: f"{v:g}" for k, v in place.items()} | style)


def _corners(at: Area, tip: float, pointed: bool) -> str:
    """A hexagon, or a parallelogram."""
    middle = (at.top + at.bottom) / 2
    hexagon = [
        (at.left, middle),
        (at.left + tip, at.top),
        (at.right - tip, at.top),
        (at.right, middle),
        (at.right - tip, at.bottom),
        (at.left + tip, at.bottom),
    ]
    slanted = [
        (at.left + tip, at.top),
        (at.right, at.top),
        (at.right - tip, at.bottom),
        (at.left, at.bottom),
    ]
    return " ".join(f"{x:g},{y:g}" for x, y in (hexagon if pointed else slanted))


def _legend(root: Element, top: float, notes: list[str]) -> float:
    """What the shapes and lines mean; returns where the picture ends."""
    x = float(MARGIN)
    for kind, name in LEGEND:
        _outline(root, kind, Area(x, top, x + 30, top + 18))
        write(root, x + 38, top + 13, name)
        x += 38 + LETTER * len(name) + 24
    top += 34
    for kind, colour, width, name, x in (
        ("legend", CHOSEN, "3", "reads; x4: four rows of one key make one", MARGIN),
        ("legend", FAINT, "0.8", "could read", MARGIN + 380),
    ):
        way = f"M {x:g} {top + 9:g} L {x + 30:g} {top + 9:g}"
        SubElement(root, "path", {"class": kind, "d": way, "stroke": colour, "stroke-width": width})
        write(root, x + 38, top + 13, name)
    for note in notes:
        top += 24
        write(root, MARGIN, top + 13, note, bold=True)
    return top + 40

"""The picture of a plan is valid SVG that shows every node, and nothing on top of another."""

import xml.etree.ElementTree as ET
from dataclasses import replace
from itertools import combinations, pairwise

import pytest

import panewise as pw
from panewise.viz import coverage_picture
from panewise.viz.graph import graphs
from panewise.viz.layout import Area, Grid
from panewise.windows import Window

SVG = "{http://www.w3.org/2000/svg}"
KNOWN = pw.Statistics.given(rows=10_000_000, span="3 hours", keys=100)
FEW: list[Window] = [pw.tumbling("20s"), pw.tumbling("30s"), pw.sliding("1m", "10s")]
MIXED: list[Window] = [
    *(pw.tumbling(f"{n}0s") for n in range(2, 9)),
    *(pw.sliding(f"{n}m", "1m") for n in range(2, 9)),
    pw.session("5m"),
    pw.cumulating("1h", "1d"),
    pw.band("2024-01-01", "1h"),
    pw.sliding("1h1m", "7m30s", origin="90s").named(
        "a name that is too long for a box, and a half"
    ),
]


def planned(windows: list[Window], strategy: str = "factor", **more: object) -> pw.Plan:
    query = {"time": "ts", "by": ["device"], "aggregates": [pw.min("v")], "statistics": KNOWN}
    return pw.plan(windows=windows, strategy=strategy, **(query | more))  # type: ignore[arg-type]


def drawn(plan: pw.Plan) -> ET.Element:
    return ET.fromstring(plan.explain("svg"))


def of_class(root: ET.Element, name: str) -> list[ET.Element]:
    return [element for element in root.iter() if element.get("class") == name]


def titles(root: ET.Element, name: str) -> list[str]:
    return [str(element.findtext(f"{SVG}title")) for element in of_class(root, name)]


def texts(root: ET.Element) -> list[str]:
    return [str(element.text) for element in root.iter(f"{SVG}text")]


@pytest.mark.parametrize("strategy", ["auto", "independent", "coverage", "factor", "edges"])
def test_every_node_is_there(strategy: str) -> None:
    plan = planned(MIXED, strategy)
    root = drawn(plan)
    assert root.tag == f"{SVG}svg"
    shown = titles(root, "window")
    assert len(shown) == len(MIXED)
    for window in MIXED:
        assert any(title.startswith(window.window_id) for title in shown)
    nodes = [node for tree in plan.trees for node in tree.nodes]
    assert len(titles(root, "factor") + titles(root, "panes") + shown) == len(nodes)
    assert len(of_class(root, "chosen")) == len(nodes)


def test_factor_windows_and_multipliers() -> None:
    root = drawn(planned(FEW))
    assert [t.split(":")[0] for t in titles(root, "factor")] == ["factor tumbling(10s)"]
    chosen = titles(root, "chosen")
    assert "tumbling(20s) reads factor tumbling(10s): x2" in chosen
    assert "sliding(1m, 10s) reads factor tumbling(10s): x6" in chosen
    assert {"x2", "x3", "x6"} <= set(texts(root))


def test_chosen_edges_are_thicker_than_possible_ones() -> None:
    # 40 reads 20; it could read 10
    root = drawn(planned([pw.tumbling("10s"), pw.tumbling("20s"), pw.tumbling("40s")]))
    assert titles(root, "possible") == ["tumbling(40s) could read tumbling(10s): x4"]
    assert "tumbling(40s) reads tumbling(20s): x2" in titles(root, "chosen")
    assert "x4" in texts(root)
    thick = {float(str(e.get("stroke-width"))) for e in of_class(root, "chosen")}
    thin = {float(str(e.get("stroke-width"))) for e in of_class(root, "possible")}
    assert min(thick) > 2 * max(thin)


def test_overlapping_windows_are_read_by_idempotent_aggregates_alone() -> None:
    windows: list[Window] = [pw.sliding(8, 2), pw.sliding(20, 2)]
    known = pw.Statistics.given(rows=1000, span=1000)
    for aggregate, expected in ((pw.min("v"), 1), (pw.sum("v"), 0)):
        plan = planned(windows, "edges", aggregates=[aggregate], statistics=known)
        assert len(of_class(drawn(plan), "possible")) == expected


def test_users_text_is_escaped() -> None:
    name = '<b> & "q"\x00'
    plan = planned(
        [pw.tumbling("5m").named(name), pw.tumbling("10m")], by=["<k&"], strategy="edges"
    )
    text = plan.explain("svg")
    assert "<b>" not in text and "\x00" not in text
    root = ET.fromstring(text)
    assert '<b> & "q"' in [t.strip() for t in texts(root)]
    assert any("<k&" in t for t in texts(root))


def test_it_needs_nothing_else() -> None:
    text = planned(MIXED).explain("svg")
    assert text == coverage_picture(planned(MIXED))
    assert "script" not in text and "href" not in text and "url(" not in text
    assert text.count("http") == 1  # the namespace


def test_kinds_differ_in_shape_and_colour() -> None:
    windows = [*FEW, pw.session("1m")]
    root = drawn(planned(windows))
    looks = set()
    for name in ("events", "panes", "factor", "window"):
        outline = of_class(root, name)[0][1]
        corners = len(str(outline.get("points", "")).split())
        looks.add((outline.tag, corners, outline.get("rx")))
    assert len(looks) == 4


def test_trees_by_kind_of_aggregate_are_drawn_apart() -> None:
    plan = planned(FEW, aggregates=[pw.min("v"), pw.sum("v")])
    tree = plan.trees[0]
    apart = (replace(tree, aggregates=(0,)), replace(tree, aggregates=(1,)))
    root = drawn(replace(plan, trees=apart))
    assert {"for min(v)", "for sum(v)"} <= set(texts(root))
    assert len(of_class(root, "events")) == 2


def test_many_windows_are_drawn_without_what_was_possible() -> None:
    root = drawn(planned([pw.tumbling(f"{n}s") for n in range(1, 62)], "edges"))
    assert not of_class(root, "possible")
    assert any("only chosen edges" in text for text in texts(root))


def test_hundreds_of_windows_are_cut_off() -> None:
    root = drawn(planned([pw.tumbling(f"{n}s") for n in range(1, 401)], "edges"))
    assert len(titles(root, "window") + titles(root, "panes")) == 300
    assert "101 more nodes are left out" in texts(root)


def boxes_and_lines(plan: pw.Plan) -> tuple[list[Area], list[tuple[Area, set[int]]]]:
    """Areas of boxes, and of the parts of chosen edges with the boxes that they join."""
    (graph,) = graphs(plan, 300, possible=True)
    grid = Grid(graph, 0)
    boxes = [grid.area(i) for i in range(len(graph.boxes))]
    lines = []
    for edge in graph.chosen:
        points = grid.branch(edge)
        for (a, b), (c, d) in pairwise(points):
            part = Area(min(a, c) - 1, min(b, d) - 1, max(a, c) + 1, max(b, d) + 1)
            lines.append((part, {edge.parent, edge.child}))
    return boxes, lines


@pytest.mark.parametrize("strategy", ["independent", "coverage", "factor", "edges"])
@pytest.mark.parametrize("windows", [FEW, MIXED, [pw.tumbling(f"{n}0s") for n in range(1, 21)]])
def test_boxes_and_chosen_edges_do_not_meet(strategy: str, windows: list[Window]) -> None:
    boxes, lines = boxes_and_lines(planned(windows, strategy))
    assert not any(one.meets(other) for one, other in combinations(boxes, 2))
    for part, joined in lines:
        assert not any(part.meets(box) for i, box in enumerate(boxes) if i not in joined)


@pytest.mark.parametrize("strategy", ["factor", "edges"])
def test_texts_do_not_meet_and_stay_inside(strategy: str) -> None:
    root = drawn(planned(MIXED, strategy))
    wide, high = float(str(root.get("width"))), float(str(root.get("height")))
    areas = [extent(text) for text in root.iter(f"{SVG}text")]
    assert not any(one.meets(other) for one, other in combinations(areas, 2))
    for area in areas:
        assert min(area.left, area.top) >= 0
        assert area.right <= wide and area.bottom <= high


def extent(text: ET.Element) -> Area:
    """What a text takes up, with letters as wide as in common fonts."""
    x, y, size = (float(str(text.get(name))) for name in ("x", "y", "font-size"))
    wide = 0.58 * size * len(str(text.text))
    left = x - wide / 2 if text.get("text-anchor") == "middle" else x
    return Area(left, y - 0.8 * size, left + wide, y + 0.2 * size)

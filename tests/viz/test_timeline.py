"""The time line shows what the engine says: every window where it is, with its result."""

import re
import xml.etree.ElementTree as ET
from datetime import UTC, date, datetime, timedelta
from itertools import combinations
from typing import Any

import pyarrow as pa
import pytest

import panewise as pw
from panewise.errors import QueryError
from panewise.testing.generators import window_examples
from panewise.viz.layout import Area
from panewise.viz.paper import DARK
from panewise.viz.timeline import draw
from panewise.windows import Frame, Window

SVG = "{http://www.w3.org/2000/svg}"
EVENTS = {"t": [1, 2, 4, 7, 8, 13, 14, 22, 23], "x": [3, 1, 4, 1, 5, 9, 2, 6, 5]}


def planned(*windows: Window, **more: Any) -> pw.Plan:
    query = {"time": "t", "aggregates": [pw.sum("x")]} | more
    return pw.plan(windows=windows, **query)  # type: ignore[return-value]


def elements(text: str, name: str) -> list[ET.Element]:
    return [element for element in ET.fromstring(text).iter() if element.get("class") == name]


def events_of(text: str) -> list[ET.Element]:
    """Marks and bars of events, without those of the legend."""
    return [e for group in elements(text, "events") for e in group if e.get("class") == "event"]


def texts(text: str) -> list[str]:
    return [str(element.text) for element in ET.fromstring(text).iter(f"{SVG}text")]


def bars(text: str) -> list[tuple[float, float]]:
    """Where each bar begins and ends."""
    found = []
    for bar in elements(text, "bar"):
        points = [float(pair.split(",")[0]) for pair in str(bar.get("points")).split()]
        found.append((min(points), max(points)))
    return found


def test_bars_stand_where_windows_are() -> None:
    # t     0    5    10   15   20   25
    # dots  .. . ..     ..       ..        x 3 1 4 1 5 | 9 2 | 6 5
    plan = planned(pw.tumbling(10))
    drawn = plan.timeline(EVENTS)
    results = plan.run(EVENTS).to_pylist()
    dots = [float(str(dot.get("cx"))) for dot in events_of(drawn)]
    per_tick = (dots[-1] - dots[0]) / 22
    for (left, right), row in zip(bars(drawn), results, strict=True):
        assert left == pytest.approx(dots[0] + (row["window"]["start"] - 1) * per_tick, abs=2)
        assert right == pytest.approx(dots[0] + (row["window"]["end"] - 1) * per_tick, abs=2)
        assert str(row["sum(x)"]) in texts(drawn)


@pytest.mark.parametrize(
    "window", [w for w in window_examples() if not w.columns()], ids=lambda w: w.window_id
)
def test_every_window_type_is_drawn_as_it_is_told(window: Window) -> None:
    plan = planned(window)
    told = plan.run(EVENTS)
    drawn = plan.timeline(EVENTS)
    assert len(bars(drawn)) == len(told)
    titles = [str(bar.findtext(f"{SVG}title")) for bar in elements(drawn, "bar")]
    assert sorted(re.findall(r"sum\(x\) (\d+)", " ".join(titles))) == sorted(
        str(value) for value in told["sum(x)"].to_pylist()
    )


def test_pane_edges_are_those_of_the_plan() -> None:
    drawn = planned(pw.tumbling(10), pw.sliding(10, 5)).timeline(EVENTS)
    (edges,) = elements(drawn, "panes")
    assert str(edges.get("d")).count("M") == 8  # every 5, from -5 to 30
    assert "pane edge" in texts(drawn)
    assert not elements(planned(pw.tumbling(pw.rows(3))).timeline(EVENTS), "panes")


def test_late_rows_and_revisions() -> None:
    #  arrival   1 4 12 8 23 15 2 26       lateness 10, delay 0
    events = {"t": [1, 4, 12, 8, 23, 15, 2, 26], "x": [1, 2, 3, 4, 5, 6, 7, 8]}
    drawn = planned(pw.tumbling(10)).timeline(events, lateness=10)
    told = texts(drawn)
    assert "3 → 7" in told and "3 → 9" in told and "13" in told
    assert {"late", "told again", "order of arrival"} <= set(told)
    assert "dropped: later than the lateness" in told
    titles = [str(e.findtext(f"{SVG}title")) for e in events_of(drawn)]
    assert [title.split(", ")[-1] for title in titles] == [
        *(f"number {n} to come" for n in (1, 2, 3)),
        "late",
        "number 5 to come",
        "late",
        "dropped",
        "number 8 to come",
    ]


def test_the_order_of_arrival_is_that_of_all_keys() -> None:
    events = {"t": [1, 9, 4], "x": [1, 2, 3], "k": ["a", "b", "a"]}
    drawn = planned(pw.tumbling(10), by=["k"]).timeline(events, lateness=9)
    titles = [str(e.findtext(f"{SVG}title")) for e in events_of(drawn)]
    assert [title.split(", ")[2] for title in titles] == [
        f"number {n} to come"
        for n in (1, 3, 2)  # a has the first and the third
    ]
    lasting = {"a": [1, 4, 2], "b": [9, 25, 11], "who": ["x", "y", "x"]}
    plan = pw.plan(time=("a", "b"), by=["who"], windows=[pw.tumbling(10)], aggregates=[pw.count()])
    told = texts(draw(plan, lasting, lateness=30, postpone=0))
    assert [text for text in told if text in ("1", "2", "3")][:3] == ["1", "3", "2"]


def test_windows_that_are_taken_back_are_dashed() -> None:
    events = {"t": [1, 12, 8, 30], "x": [1, 2, 3, 4]}
    drawn = planned(pw.session(7)).timeline(events, lateness=20)
    gone = [bar for bar in elements(drawn, "bar") if bar.get("stroke-dasharray")]
    assert len(gone) == 1 and "1 → gone" in texts(drawn) and "taken back" in texts(drawn)


def test_keys_have_rows_and_too_many_are_left_out() -> None:
    keys = ["a", "b", "c", "d", "e", "f", "a", "b", "c"]
    plan = planned(pw.tumbling(100), by=["k"])
    drawn = plan.timeline(EVENTS | {"k": keys})
    assert len(bars(drawn)) == 4
    assert "2 more keys left out" in texts(drawn)
    assert {"a", "b", "c", "d"} <= set(texts(drawn)) and "e" not in texts(drawn)


def test_events_that_last_are_bars() -> None:
    plan = pw.plan(time=("a", "b"), windows=[pw.tumbling(10)], aggregates=[pw.count()])
    drawn = draw(plan, {"a": [1, 4, 12], "b": [9, 25, 14]})
    spans = events_of(drawn)
    assert [element.tag for element in spans] == [f"{SVG}rect"] * 3
    wide = [float(str(span.get("width"))) for span in spans]
    assert wide[1] / wide[0] == pytest.approx(21 / 8)
    assert [t for t in texts(drawn) if t.isdigit()][:3] == ["2", "2", "1"]


@pytest.mark.parametrize("watched", [{}, {"delay": 0, "postpone": 0}], ids=["at once", "pushed"])
def test_events_that_end_before_they_begin_have_no_place(watched: dict[str, Any]) -> None:
    plan = pw.plan(time=("l", "u"), windows=[pw.tumbling(10)], aggregates=[pw.count()])
    text = draw(plan, {"l": [1, 9, 3], "u": [4, 2, 6]}, **watched)
    assert len(events_of(text)) == 2


def test_durations_say_when_an_event_ends() -> None:
    start = datetime(2024, 5, 1, 8, tzinfo=UTC)
    events = {"a": [start], "for": [timedelta(minutes=30)]}
    plan = pw.plan(time=("a", "for"), windows=[pw.tumbling("20 min")], aggregates=[pw.count()])
    assert len(bars(draw(plan, events))) == 2


@pytest.mark.parametrize(
    ("times", "window", "named"),
    [
        ([datetime(2024, 5, 1, 8, m, tzinfo=UTC) for m in (1, 25)], "10 min", "08:10"),
        ([datetime(2024, 5, 1, 8, 0, s) for s in (1, 25)], "10 s", "08:00:10"),
        ([date(2024, 5, 1), date(2024, 5, 9)], "1 day", "3 May"),
        ([datetime(2024, 5, 1, 8, 0, 0, n) for n in (1000, 2000)], "1 ms", "08:00:00.002"),
    ],
)
def test_axes_of_time(times: list[Any], window: str, named: str) -> None:
    assert named in texts(planned(pw.tumbling(window)).timeline({"t": times, "x": [1, 2]}))


def test_windows_far_longer_than_the_events_are_cut() -> None:
    drawn = planned(pw.tumbling(1000)).timeline({"t": [501, 502, 510], "x": [1, 2, 3]})
    (bar,) = elements(drawn, "bar")
    assert len(str(bar.get("points")).split()) == 6  # a tip at either end
    assert len(events_of(drawn)) == 3


def test_all_queries_of_a_shared_plan() -> None:
    fine, coarse = planned(pw.tumbling(5)), planned(pw.tumbling(10), aggregates=[pw.max("x")])
    drawn = pw.plan_all({"fine": fine, "coarse": coarse}).timeline(EVENTS)
    assert {"fine: tumbling(5)", "coarse: tumbling(10)", "8", "9"} <= set(texts(drawn))


def test_levels_and_rings_of_granules() -> None:
    levels = planned(pw.granules((4, 1), (8, 2))).timeline(EVENTS)
    assert "granules(4/1, 8/2), level 1" in texts(levels)
    aged = planned(pw.granules((4, 1), (8, 2), weights=(1.0, 0.5))).timeline(EVENTS)
    assert len(bars(aged)) == len(bars(levels))
    with pytest.raises(QueryError, match="all there"):
        planned(pw.granules((4, 1), (8, 2), weights=(1.0, 0.5))).timeline(EVENTS, delay=1)


def test_frames_told_while_they_grow() -> None:
    plan = planned(pw.threshold_frame("x >= 3"))
    drawn = plan.timeline({"t": [1, 2, 3, 4], "x": [3, 4, 1, 5]}, report="update")
    assert {"3 → gone", "7", "5"} <= set(texts(drawn)[4:])  # its end moved with its second row


def test_a_band_without_windows_says_so() -> None:
    drawn = planned(pw.threshold_frame("x > 100")).timeline(EVENTS)
    assert not bars(drawn) and "no window" in texts(drawn)
    assert "no window" in texts(planned(pw.tumbling(5)).timeline({"t": [], "x": []}))


def test_rows_without_a_time_are_nowhere() -> None:
    events = pa.table({"t": pa.array([1, None, 3]), "x": [1, 2, 4]})
    for options in ({}, {"lateness": 5}):
        drawn = planned(pw.tumbling(10)).timeline(events, **options)
        assert len(events_of(drawn)) == 2
        assert "5" in texts(drawn)


def test_too_many_events_are_refused() -> None:
    many = {"t": list(range(501)), "x": list(range(501))}
    with pytest.raises(QueryError, match="few events: got 501"):
        planned(pw.tumbling(10)).timeline(many)
    with pytest.raises(QueryError, match="there are sum"):
        planned(pw.tumbling(10)).timeline(EVENTS, column="max(x)")


def test_users_text_is_escaped() -> None:
    hostile = '</text><script>alert("1")</script>\x00'
    plan = planned(pw.tumbling(10).named(hostile), by=["k"])
    drawn = plan.timeline({"t": [1], "x": [2], "k": [hostile]}, title=hostile)
    assert "<script" not in drawn and "\x00" not in drawn
    assert any("<script>" in text for text in texts(drawn))


def test_it_needs_nothing_else_and_has_a_dark_side() -> None:
    drawn = planned(pw.tumbling(10), pw.session(3)).timeline(EVENTS, lateness=3)
    assert "href" not in drawn and "url(" not in drawn and drawn.count("http") == 1
    root = ET.fromstring(drawn)
    style = str(root.findtext(f"{SVG}style"))
    assert "prefers-color-scheme: dark" in style
    used = {e.get(a) for e in root.iter() for a in ("fill", "stroke")} - {None, "none"}
    assert used <= set(DARK)
    for colour in used:
        assert f'[fill="{colour}"]{{fill:{DARK[str(colour)]}}}' in style


CROWDED = [
    {"t": [1, 1, 1, 2, 2, 3], "x": [100_000, 20_000, 3, 444_444, 5, 6]},
    {"t": list(range(40)), "x": [10_000 + n for n in range(40)]},
    EVENTS,
]


@pytest.mark.parametrize("events", CROWDED, ids=["ties", "dense", "few"])
@pytest.mark.parametrize("options", [{}, {"lateness": 5}], ids=["whole", "one by one"])
def test_texts_do_not_meet_and_stay_inside(events: Any, options: dict[str, Any]) -> None:
    windows = [pw.tumbling(2), pw.sliding(10, 3), pw.session(2), pw.cumulating(3, 9)]
    drawn = planned(*windows).timeline(events, **options)
    root = ET.fromstring(drawn)
    wide, high = float(str(root.get("width"))), float(str(root.get("height")))
    areas = [extent(text) for text in root.iter(f"{SVG}text")]
    for area in areas:
        assert min(area.left, area.top) >= 0 and area.right <= wide and area.bottom <= high
    assert not [pair for pair in combinations(areas, 2) if pair[0].meets(pair[1])]


def extent(text: ET.Element) -> Area:
    """What a text takes up, with letters as wide as in common fonts."""
    x, y, size = (float(str(text.get(name))) for name in ("x", "y", "font-size"))
    wide = 0.55 * size * len("".join(text.itertext()))
    left = x - wide / 2 if text.get("text-anchor") == "middle" else x
    return Area(left, y - 0.75 * size, left + wide, y + 0.2 * size)


def test_frames_are_drawn_by_what_they_read() -> None:
    frames = [w for w in window_examples() if isinstance(w, Frame)]
    assert frames
    for frame in frames:
        (read,) = frame.columns()
        plan = pw.plan(time="t", windows=[frame], aggregates=[pw.count()])
        assert "no window" not in texts(plan.timeline({"t": EVENTS["t"], read: EVENTS["x"]}))

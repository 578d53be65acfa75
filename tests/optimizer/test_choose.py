"""Which composition a query gets, why, and what cannot be asked for."""

from typing import Any

import pytest

import panewise as pw
from panewise.errors import QueryError
from panewise.plan import Composition, Placement
from panewise.windows import Window

ONE = pw.tumbling(10)
NATIVE = pw.sum("x")
COUNTED = pw.median("x")
SKETCH = pw.approx_count_distinct("x")


def plan(windows: list[Window], aggregate: pw.Aggregate = NATIVE, **more: Any) -> pw.Plan:
    return pw.plan(time="t", windows=windows, aggregates=[aggregate], **more)


@pytest.mark.parametrize(
    ("windows", "aggregate", "composition", "reason"),
    [
        ([ONE], NATIVE, Composition.DIRECT, "one tumbling window"),
        ([ONE], SKETCH, Composition.DIRECT, "one tumbling window"),
        ([pw.sliding(10, 10)], NATIVE, Composition.DIRECT, "one tumbling window"),
        ([pw.cumulating(10, 10)], NATIVE, Composition.DIRECT, "one tumbling window"),
        ([pw.sliding(3, 7, allow_gaps=True)], NATIVE, Composition.EXPAND, "one copy of each pane"),
        ([pw.band(0, 10)], NATIVE, Composition.EXPAND, "one copy of each pane"),
        ([ONE, pw.tumbling(7)], NATIVE, Composition.EXPAND, "2 copies of each pane cost less"),
        ([pw.sliding(10, 5)], NATIVE, Composition.EXPAND, "2 copies of each pane cost less"),
        ([pw.cumulating(5, 10)], NATIVE, Composition.EXPAND, "2 copies of each pane cost less"),
        ([pw.sliding(10, 4)], NATIVE, Composition.KERNEL, "costs less than 3 copies"),
        ([ONE, pw.sliding(60, 5)], NATIVE, Composition.KERNEL, "costs less than 13 copies"),
        ([pw.sliding(600, 1)], SKETCH, Composition.EXPAND, "sketches are merged by Spark's own"),
        ([ONE], COUNTED, Composition.KERNEL, "median(x) is combined by array code"),
        ([pw.session(5)], NATIVE, Composition.KERNEL, "sessions merge neighbouring panes"),
        ([pw.session(5), ONE], SKETCH, Composition.KERNEL, "sessions merge neighbouring panes"),
    ],
)
def test_the_rule(
    windows: list[Window], aggregate: pw.Aggregate, composition: Composition, reason: str
) -> None:
    chosen = plan(windows, aggregate)
    assert chosen.composition is composition
    assert reason in chosen.reason


@pytest.mark.parametrize("compose", ["direct", "expand", "kernel"])
def test_one_tumbling_window_can_be_composed_by_all(compose: str) -> None:
    forced = plan([ONE], compose=compose)
    assert forced.composition is Composition(compose)
    assert forced.reason == "as asked"


@pytest.mark.parametrize(
    ("windows", "aggregate", "compose", "message"),
    [
        ([ONE], NATIVE, "fast", 'compose is "auto" or one of "direct", "expand", "kernel"'),
        ([ONE], NATIVE, None, 'compose is "auto" or one of'),
        ([ONE, pw.tumbling(7)], NATIVE, "direct", "direct composition answers one tumbling window"),
        ([pw.band(0, 10)], NATIVE, "direct", "direct composition answers one tumbling window"),
        ([pw.session(5)], NATIVE, "direct", "direct composition answers one tumbling window"),
        ([ONE], COUNTED, "direct", "direct composition answers one tumbling window"),
        ([ONE], COUNTED, "expand", "cannot be composed by expand: median(x) is combined by array"),
        ([pw.session(5)], NATIVE, "expand", "cannot be composed by expand: sessions merge"),
    ],
)
def test_what_cannot_be_forced(
    windows: list[Window], aggregate: pw.Aggregate, compose: Any, message: str
) -> None:
    with pytest.raises(QueryError) as refused:
        plan(windows, aggregate, compose=compose)
    assert message in str(refused.value)


def test_equal_queries_have_equal_plans() -> None:
    assert plan([ONE, pw.session(5)]) == plan([pw.tumbling(10), pw.session(5)])


def test_rows_travel_where_cells_may_be_as_many() -> None:
    def placement(by: list[str], *windows: Window) -> Placement:
        return pw.plan(time="t", by=by, windows=windows, aggregates=[NATIVE]).placement

    assert placement(["k"], ONE) is Placement.CELLS
    assert placement(["k"], ONE, pw.session(5)) is Placement.ROWS
    assert placement([], pw.session(5)) is Placement.CELLS

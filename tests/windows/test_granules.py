"""Granules: what is refused and in which words, what the levels are, and how results name them."""

from typing import Any

import pyarrow as pa
import pytest

import panewise as pw
from panewise.errors import PanewiseError, QueryError
from panewise.testing import oracle
from panewise.windows import Family, RowFamily, granules, registered, sliding, tumbling

FIGURE = pw.granules((4, 1), (8, 2), (16, 4), origin=1)
"""The configuration of the source's figure: its grid is closed on the right, at 0."""


@pytest.mark.parametrize(
    ("levels", "options", "message"),
    [
        ((), {}, "granules takes at least two levels: got none."),
        (((4, 1),), {}, "granules takes at least two levels: got only (4, 1)."),
        (
            ((8, 1), (4, 2)),
            {},
            "granules: ranges grow from level to level: got 4/2 at level 1, after 8/1. Hint: list "
            "the levels from the shortest range to the longest.",
        ),
        (((4, 1), (4, 2)), {}, "ranges grow from level to level: got 4/2 at level 1"),
        (
            (("1m", "10s"), ("1h", "5s")),
            {},
            "granules: slides do not shrink from level to level: got 1h/5s at level 1, after "
            "1m/10s.",
        ),
        (
            ((4, 1), (9, 2)),
            {},
            "granules: a range is a multiple of its slide: got 9/2 at level 1.",
        ),
        (((4, 5), (9, 9)), {}, "a range is a multiple of its slide: got 4/5 at level 0."),
        (((4, 1), 8), {}, "granules: a level is a range and a slide: got 8."),
        (((4, 1), (8, 2, 1)), {}, "a level is a range and a slide: got (8, 2, 1)."),
        (((4, 1), (8, 0)), {}, "slide of level 1 must be positive: got slide of level 1=0."),
        (
            ((4, 1), ("8m", "2m")),
            {},
            "all sizes of one window count the same thing: got range of level 0=4",
        ),
        (((4, 1), (pw.rows(8), pw.rows(2))), {}, "all sizes of one window count the same thing"),
        (((4, 1), (8, 2)), {"origin": "1m"}, "granules: origin counts what the size counts"),
        ((("4 parsecs", "1m"), ("1h", "1m")), {}, 'cannot read "4 parsecs" as a duration.'),
    ],
)
def test_refusals(levels: Any, options: Any, message: str) -> None:
    with pytest.raises(PanewiseError) as refused:
        granules(*levels, **options)
    assert message in str(refused.value)


def test_levels_are_sliding_windows_by_one_name() -> None:
    scheme = granules(("1 minute", "1 second"), ("10 minutes", "1 minute"), ("1 h", "5 min"))
    assert scheme.window_id == "granules(1m/1s, 10m/1m, 1h/5m)"
    levels = scheme.windows()
    assert [level.level for level in levels] == [0, 1, 2]
    assert [level.window_id for level in levels] == [scheme.window_id] * 3
    apart = [sliding("1m", "1s"), sliding("10m", "1m"), sliding("1h", "5m")]
    assert [level.demand() for level in levels] == [window.demand() for window in apart]
    assert len({level.identity for level in levels}) == 3
    (_, coarse) = granules((pw.rows(2), pw.rows(1)), (pw.rows(6), pw.rows(3))).windows()
    assert coarse.demand() == RowFamily(Family(6, 3)) and coarse.numbered


def test_names() -> None:
    scheme = granules((4, 1), (8, 2), origin=3)
    assert scheme.window_id == "granules(4/1, 8/2, origin=3)"
    assert [level.window_id for level in scheme.named("load").windows()] == ["load"] * 2
    with pytest.raises(QueryError, match="a window name is non-empty text"):
        scheme.named("")
    assert registered()["granules"].examples()


@pytest.mark.parametrize(
    "windows",
    [
        [FIGURE, FIGURE],
        [FIGURE.named("a"), granules((4, 1), (8, 2)).named("a")],
        [FIGURE.named("a"), tumbling(5).named("a")],
    ],
)
def test_two_windows_of_one_name(windows: list[Any]) -> None:
    with pytest.raises(QueryError, match="two windows have one name"):
        pw.plan(time="t", windows=windows, aggregates=[pw.count()])


def test_level_is_a_column_only_with_granules() -> None:
    events = pa.table({"t": [3, 9, 14], "level": [1, 2, 3]})
    both = pw.plan(time="t", windows=[tumbling(20), FIGURE], aggregates=[pw.count()])
    rows = both.run(events)
    assert rows.column_names == ["window_id", "window", "level", "count()"]
    assert rows.schema.field("level").type == pa.int32()
    found = {(row["window_id"], row["level"]) for row in rows.to_pylist()}
    assert found == {("tumbling(20)", None), *((FIGURE.window_id, level) for level in range(3))}
    alone = pw.plan(time="t", windows=[tumbling(20)], aggregates=[pw.count()])
    assert "level" not in alone.run(events).column_names
    with pytest.raises(QueryError, match='two result columns have one name: got "level" twice'):
        pw.plan(time="t", by=["level"], windows=[FIGURE], aggregates=[pw.count()])


def test_the_figure_of_the_source() -> None:
    """At instant 16: (12, 16] at the finest level, (8, 16] above it, and (0, 16] above that."""
    plan = pw.plan(time="t", windows=[FIGURE], aggregates=[pw.collect("item")])
    events = [{"t": t, "item": 4} for t in (3, 9, 14)] + [{"t": t, "item": 7} for t in (2, 7, 15)]
    rows = plan.run(pa.Table.from_pylist(events)).to_pylist()
    at_16 = {row["level"]: row for row in rows if row["window"]["end"] == 17}
    bounds = {level: row["window"]["start"] for level, row in at_16.items()}
    assert bounds == {0: 13, 1: 9, 2: 1}
    items = {level: row["collect(item)"] for level, row in at_16.items()}
    assert items == {0: [4, 7], 1: [4, 4, 7], 2: [7, 4, 7, 4, 4, 7]}
    assert len(oracle(plan.query, events)) == len(rows)


def test_explain_names_the_levels() -> None:
    plan = pw.plan(time="t", windows=[FIGURE.named("load")], aggregates=[pw.sum("x")])
    for level in range(3):
        assert f"load = granules(4/1, 8/2, 16/4, origin=1) level {level}" in plan.explain()
    listed = plan.explain(format="json")
    assert '"level": 2' in str(listed).replace("'", '"')

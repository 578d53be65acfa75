"""Results over time: the series of a table, large charts by matplotlib and small ones without."""

import xml.etree.ElementTree as ET
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pytest

import panewise as pw
from panewise.errors import QueryError, SchemaError
from panewise.viz import results
from panewise.viz.chart import chart
from panewise.viz.series import shown

SVG = "{http://www.w3.org/2000/svg}"
EVENTS = {"t": [1, 3, 7, 12, 31, 33], "x": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], "k": [*"aabbaa"]}


def told(*windows: pw.Window, **more: Any) -> pa.Table:
    query = {"time": "t", "aggregates": [pw.sum("x")]} | more
    return pw.plan(windows=windows, **query).run(EVENTS)


def texts(text: str) -> list[str]:
    return ["".join(each.itertext()) for each in ET.fromstring(text).iter(f"{SVG}text")]


def test_windows_apart_are_level_and_overlapping_ones_points_at_their_ends() -> None:
    # x by tumbling(10): [0,10) 6  [10,20) 4  [30,40) 11
    found = shown(told(pw.tumbling(10), pw.sliding(20, 10)))
    tumbling, sliding = found.series
    at, value = tumbling.line()
    assert at[:4].tolist() == [0, 10, 10, 20] and np.isnan(at[4]) and at[5:].tolist() == [30, 40]
    assert value[:4].tolist() == [6, 6, 4, 4] and value[5:].tolist() == [11, 11]
    at, value = sliding.line()
    assert at.tolist() == [10, 20, 30, 40, 50]  # -10..10, 0..20, 10..30, 20..40, 30..50
    assert value.tolist() == [6, 10, 4, 11, 11]


def test_keys_are_the_columns_that_make_rows_differ() -> None:
    by_key = told(pw.tumbling(10), by=["k"])
    assert shown(by_key).by == ("k",) and shown(by_key).keys == [("a",), ("b",)]
    assert shown(by_key).column == "sum(x)"
    reverse = by_key.sort_by([("k", "descending")])
    assert shown(reverse).keys == [("b",), ("a",)], "in the order of the table"
    numbered = pw.plan(
        time="t", by=["n"], windows=[pw.tumbling(10)], aggregates=[pw.sum("x"), pw.count()]
    ).run(EVENTS | {"n": [1, 2, 1, 2, 1, 2]})
    assert shown(numbered).by == ("n",) and shown(numbered).column == "sum(x)"
    assert shown(numbered, "count()", ["n"]).column == "count()"


def test_only_the_last_answer_counts() -> None:
    plan = pw.plan(time="t", windows=[pw.session(5)], aggregates=[pw.sum("x")], by=["k"])
    operator = pw.Operator(plan, lateness=100)
    parts = [operator.push({"t": [t], "x": [1.0], "k": ["a"]}) for t in (1, 9, 30, 5)]
    both = pa.concat_tables([*parts, operator.flush()], promote_options="default")
    (series,) = shown(both).series
    whole = plan.run({"t": [1, 9, 30, 5], "x": [1.0] * 4, "k": ["a"] * 4})
    assert series.value.tolist() == whole["sum(x)"].to_pylist() == [3.0, 1.0]


def test_frames_of_any_kind(spark: Any) -> None:
    table = told(pw.tumbling(10), by=["k"])
    frames = [table, table.to_pandas(), pl.from_arrow(table), spark.createDataFrame(table)]
    flat = table.flatten().rename_columns(["window_id", "window_start", "window_end", "k", "v"])
    lines = [shown(each).series for each in (*frames, flat)]
    for ours in lines[1:]:
        assert [(s.name, s.key) for s in ours] == [(s.name, s.key) for s in lines[0]]
        for one, other in zip(ours, lines[0], strict=True):
            assert one.value.tolist() == other.value.tolist()
            assert one.start.tolist() == other.start.tolist()


def test_what_does_not_fit_is_refused() -> None:
    table = told(pw.tumbling(10), by=["k"])
    for given, error, words in (
        ({"column": "sum(y)"}, SchemaError, "sum\\(x\\)"),
        ({"column": "k", "by": []}, QueryError, "numbers: got k"),
        ({"by": ["device"]}, SchemaError, 'no key "device"'),
        ({"file": "results.docx"}, QueryError, ".png, .svg, .pdf"),
    ):
        with pytest.raises(error, match=words):
            results.draw(table, **given)
    with pytest.raises(SchemaError, match="got a, b"):
        results.draw(pa.table({"a": [1], "b": [2]}))
    with pytest.raises(QueryError, match="several rows for one window"):
        results.draw(pa.concat_tables([table, table]))


def test_a_line_for_each_window_and_a_panel_for_each_key(tmp_path: Path) -> None:
    table = told(pw.tumbling(5), pw.tumbling(20), by=["k"])
    for name, begins in (("a.png", b"\x89PNG"), ("a.svg", b"<?xml"), ("a.pdf", b"%PDF")):
        figure = results.draw(table, file=tmp_path / name)
        assert (tmp_path / name).read_bytes().startswith(begins)
    assert [axes.get_title() for axes in figure.axes] == ["a", "b"]
    lines = figure.axes[0].get_lines()
    assert [line.get_label() for line in lines] == ["tumbling(5)", "tumbling(20)"]
    looks = {(line.get_linestyle(), line.get_color()) for line in lines}
    assert len(looks) == 2 and len({look[0] for look in looks}) == 2  # colour is not needed


def test_moments_on_the_axis_are_in_their_zone() -> None:
    start = datetime(2024, 5, 1, 22, tzinfo=UTC)
    moments = pa.array([start + timedelta(minutes=m) for m in range(0, 180, 7)])
    rows = {"t": moments.cast(pa.timestamp("us", "Europe/Berlin")), "x": [1.0] * len(moments)}
    plan = pw.plan(time="t", windows=[pw.tumbling("10 min")], aggregates=[pw.sum("x")])
    figure = results.draw(plan.run(rows))
    figure.draw_without_rendering()
    axis = figure.axes[0].xaxis
    assert "00:30" in [tick.get_text() for tick in axis.get_ticklabels()]
    assert axis.get_major_formatter().get_offset() == "2024-May-02"
    assert "2 May" in texts(chart(plan.run(rows)))  # the midnight of Berlin


def test_too_many_keys_are_left_out() -> None:
    rows = {"t": list(range(20)), "x": [1] * 20, "k": list(range(20))}
    plan = pw.plan(time="t", by=["k"], windows=[pw.tumbling(5)], aggregates=[pw.sum("x")])
    figure = results.draw(plan.run(rows), by=["k"])
    assert len(figure.axes) == 6 and figure.get_supxlabel() == "14 more keys left out"
    assert "19 more keys" in texts(chart(plan.run(rows), by=["k"]))


def test_text_of_users_is_no_formula() -> None:
    table = told(pw.tumbling(5).named("_$x$"), aggregates=[pw.sum("x").alias("$\\frac$ <b>")])
    figure = results.draw(table)
    figure.draw_without_rendering()
    assert figure.axes[0].get_legend() is not None
    small = chart(table)
    assert "<b>" not in small and any("<b>" in text for text in texts(small))


def test_small_charts_show_values_breaks_and_windows() -> None:
    small = chart(told(pw.tumbling(10), pw.sliding(20, 10)))
    lines = [p for p in ET.fromstring(small).iter(f"{SVG}path") if p.get("fill") == "none"]
    assert [line.findtext(f"{SVG}title") for line in lines] == ["tumbling(10)", "sliding(20, 10)"]
    assert [str(line.get("d")).count("M") for line in lines] == [2, 1]
    assert {"4", "11", "tumbling(10)", "sum(x)"} <= set(texts(small))


def test_small_charts_stay_small() -> None:
    rng = np.random.default_rng(3)
    rows = {"t": np.arange(200_000), "x": rng.normal(size=200_000)}
    sizes = [2, 3, 5, 7, 100, 1000, 2000, 4000]
    plan = pw.plan(time="t", windows=[pw.tumbling(n) for n in sizes], aggregates=[pw.max("x")])
    table = plan.run(rows)
    small = chart(table)
    assert len(small) < 200_000 and "2 more windows" in texts(small)
    assert f"{max(table['max(x)'].to_pylist()):.3g}" in texts(small)


def test_tables_without_rows_and_without_values() -> None:
    assert texts(chart(told(pw.tumbling(10)).slice(0, 0))) == ["sum(x)"]
    assert results.draw(told(pw.tumbling(10)).slice(0, 0)).axes
    nothing = pw.plan(time="t", windows=[pw.tumbling(10)], aggregates=[pw.sum("x")]).run(
        {"t": [1], "x": pa.array([None], pa.int64())}
    )
    assert texts(chart(nothing)) == ["sum(x)"]

"""What a notebook shows of plans, queries and results; nothing that a user named becomes markup."""

from html.parser import HTMLParser
from typing import Any

import pyarrow as pa
import pytest

import panewise as pw
from panewise.errors import QueryError, SchemaError

HOSTILE = '</td></svg><script>alert("1")</script><img src=x onerror=alert(2)>\x00'
EVENTS = {"t": [1, 4, 12], "x": [5, 1, 2], HOSTILE: ["a", HOSTILE, "b"]}


class Tags(HTMLParser):
    """The elements of a page, their attributes, and its text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: set[str] = set()
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data: str) -> None:
        self.text += data


def hostile() -> pw.Plan:
    return pw.plan(  # type: ignore[return-value]
        time="t",
        by=[HOSTILE],
        windows=[pw.tumbling(10).named(HOSTILE)],
        aggregates=[pw.sum("x").alias(HOSTILE + "2")],
    )


def shown() -> list[Any]:
    plan = hostile()
    return [plan, plan.query, pw.plan_all({HOSTILE: plan}), pw.show(plan.run(EVENTS))]


@pytest.mark.parametrize("what", shown(), ids=lambda each: type(each).__name__)
def test_names_of_users_are_text(what: Any) -> None:
    page = Tags(what._repr_html_())
    assert "script" not in page.tags and "img" not in page.tags
    assert not {"onerror", "src"} & page.attributes
    assert "<script>" in page.text and "\x00" not in page.text


def test_a_plan_is_a_picture_and_words() -> None:
    plan = pw.plan(time="t", windows=[pw.tumbling(10)], aggregates=[pw.sum("x")])
    page = Tags(plan._repr_html_())
    assert "svg" in page.tags and "Plan over t" in page.text
    aged = pw.plan(
        time="t", windows=[pw.granules((4, 1), (8, 2), weights=(1, 0.5))], aggregates=[pw.sum("x")]
    )
    assert "svg" in Tags(aged._repr_html_()).tags


def test_a_query_lists_windows_and_aggregates() -> None:
    windows = [pw.tumbling(n) for n in range(1, 41)]
    plan = pw.plan(time="t", windows=windows, aggregates=[pw.sum("x").alias("total")])
    page = Tags(plan.query._repr_html_())
    assert "total = sum(x)" in page.text and "tumbling(30)" in page.text
    assert "tumbling(31)" not in page.text and "10 more" in page.text


def test_results_are_a_chart_and_a_table() -> None:
    plan = pw.plan(time="t", windows=[pw.tumbling(2)], aggregates=[pw.sum("x"), pw.max("x")])
    table = plan.run({"t": list(range(40)), "x": list(range(40))})
    report = pw.show(table, column="max(x)", rows=3)
    page = Tags(report._repr_html_())
    assert "svg" in page.tags and page.tags.count("tr") == 4
    assert "the first 3 of 20 rows" in page.text
    assert report.table is table, "results stay what they are"
    assert repr(report).count("\n") == 3


def test_results_without_a_chart_say_why() -> None:
    plan = pw.plan(time="t", windows=[pw.tumbling(10)], aggregates=[pw.collect("x")])
    page = Tags(pw.show(plan.run({"t": [1, 2], "x": [1, 2]}))._repr_html_())
    assert "svg" not in page.tags and "no chart" in page.text and "1, 2" in page.text
    with pytest.raises(SchemaError):
        pw.show(plan.run({"t": [1], "x": [2]}), column="sum(x)")._repr_html_()


def test_what_cannot_be_shown_is_refused() -> None:
    with pytest.raises(QueryError, match="rows is how many"):
        pw.show(pa.table({"a": [1]}), rows=-1)
    with pytest.raises(SchemaError, match="got int"):
        pw.show(3)


def test_results_of_spark_are_collected(spark: Any) -> None:
    plan = pw.plan(time="t", windows=[pw.tumbling(10)], aggregates=[pw.sum("x")])
    events = spark.createDataFrame([(1, 5), (4, 1), (12, 2)], "t bigint, x bigint")
    report = pw.show(plan.run(events))
    assert sorted(report.table["sum(x)"].to_pylist()) == [2, 6]
    stream = spark.readStream.format("rate").load()
    with pytest.raises(QueryError, match="no end"):
        pw.show(stream)

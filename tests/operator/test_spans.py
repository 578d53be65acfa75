"""Events with a duration: their edges, their rules, and what is refused."""

import datetime as dt
from typing import Any

import pyarrow as pa
import pytest

import panewise as pw
from panewise.errors import BadRowsError, QueryError, SchemaError

CENTURY = 36_525 * 86_400_000_000


def counts(rows: list[tuple[Any, Any]], *windows: pw.Window, way: str = "auto") -> dict[Any, int]:
    plan = pw.plan(
        time=("l", "u"), windows=windows or [pw.tumbling(5)], aggregates=[pw.count()], strategy=way
    )
    bounds = {name: [row[at] for row in rows] for at, name in enumerate("lu")}
    table = pa.table({name: pa.array(found, pa.int64()) for name, found in bounds.items()})
    return {
        (row["window"]["start"], row["window"]["end"]): row["count()"]
        for row in plan.run(table).to_pylist()
    }


def test_an_event_counts_once_in_every_window_that_it_overlaps() -> None:
    assert counts([(3, 12)]) == {(0, 5): 1, (5, 10): 1, (10, 15): 1}


def test_an_event_exactly_on_edges() -> None:
    assert counts([(5, 10)]) == {(5, 10): 1}


@pytest.mark.parametrize("end", [5, 6])
def test_an_event_of_one_tick_or_none_is_there_for_one_tick(end: int) -> None:
    assert counts([(5, end)]) == {(5, 10): 1}


def test_an_event_without_a_start_or_an_end_is_in_no_window() -> None:
    assert counts([(None, 7), (7, None), (None, None), (1, 2)]) == {(0, 5): 1}


def test_no_events() -> None:
    assert counts([]) == counts([(None, None)]) == {}


def test_windows_shorter_than_their_slide() -> None:
    """Events between two windows are in none."""
    window = pw.sliding(3, 5, allow_gaps=True)
    assert counts([(3, 5)], window) == {}
    assert counts([(3, 6)], window) == {(5, 8): 1}


@pytest.mark.parametrize("way", ["difference", "dyadic"])
def test_a_century_between_two_moments(way: str) -> None:
    """Two cells, or a few, however long it takes; only the windows themselves are many."""
    found = counts([(0, CENTURY), (-7, CENTURY + 1)], pw.tumbling(CENTURY // 2), way=way)
    assert sorted(found.values()) == [1, 1, 2, 2]


def test_a_gap_of_many_empty_windows() -> None:
    found = counts([(0, 5), (10**15, 10**15 + 5)])
    assert found == {(0, 5): 1, (10**15, 10**15 + 5): 1}


def test_sums_that_overflow_on_the_way_do_not_matter() -> None:
    """What began in all is beyond 64 bits; what is there at once is not."""
    big = 2**62
    rows = pa.table({"l": [0, 10, 20, 30], "u": [5, 15, 25, 35], "x": [big, big, big, -big]})
    plan = pw.plan(
        time=("l", "u"),
        windows=[pw.tumbling(10)],
        aggregates=[pw.sum("x")],
        strategy="difference",
    )
    assert plan.run(rows)["sum(x)"].to_pylist() == [big, big, big, -big]


def test_floats_that_would_cancel_are_not_taken_apart() -> None:
    rows = pa.table({"l": [0, 10], "u": [5, 15], "y": [1e300, 1.0]})
    plan = pw.plan(
        time=("l", "u"), windows=[pw.tumbling(10)], aggregates=[pw.sum("y")], strategy="difference"
    )
    assert plan.run(rows)["sum(y)"].to_pylist() == [1e300, 1.0]


BACKWARDS = pa.table({"l": [1, 9, 8], "u": [2, 4, 3]})


def test_an_end_before_the_start_is_left_out_and_counted() -> None:
    plan = pw.plan(time=("l", "u"), windows=[pw.tumbling(5)], aggregates=[pw.count()])
    told = plan.run(BACKWARDS)
    assert [(row["window"]["start"], row["count()"]) for row in told.to_pylist()] == [(0, 1)]
    assert told.schema.metadata == {b"late_rows": b"0", b"bad_rows": b"2"}
    nothing = plan.run(BACKWARDS.slice(1))
    assert not len(nothing) and nothing.schema.metadata[b"bad_rows"] == b"2"


def test_an_end_before_the_start_is_named_where_it_is_to_fail() -> None:
    plan = pw.plan(
        time=("l", "u"), windows=[pw.tumbling(5)], aggregates=[pw.count()], on_bad_rows="fail"
    )
    with pytest.raises(BadRowsError) as problem:
        plan.run(BACKWARDS)
    assert '"u" is 4 where "l" is 9, and 2 such rows' in str(problem.value)
    assert len(plan.run(BACKWARDS.slice(0, 1))) == 1


def test_durations_below_zero() -> None:
    rows = pa.table(
        {
            "l": pa.array([0, 60_000_000], pa.timestamp("us")),
            "lasts": pa.array([-1, 1], pa.duration("us")),
        }
    )
    plan = pw.plan(time=("l", "lasts"), windows=[pw.tumbling("1m")], aggregates=[pw.count()])
    told = plan.run(rows)
    assert told["count()"].to_pylist() == [1] and told.schema.metadata[b"bad_rows"] == b"1"


def test_a_duration_without_end_is_no_event_that_ends_too_early() -> None:
    """Added to the start it would wrap around."""
    rows = pa.table({"l": pa.array([5], pa.timestamp("us")), "lasts": [2**63 - 1]})
    rows = rows.set_column(1, "lasts", rows["lasts"].cast(pa.duration("us")))
    plan = pw.plan(time=("l", "lasts"), windows=[pw.tumbling("1m")], aggregates=[pw.count()])
    with pytest.raises(SchemaError, match="beyond 62 bits"):
        plan.run(rows)


def test_a_bad_version_replaces_none() -> None:
    plan = pw.plan(
        time=("l", "u"), windows=[pw.tumbling(5)], aggregates=[pw.count()], revise="by id",
        order_by="version",
    )  # fmt: skip
    rows = pa.table({"l": [1, 9], "u": [2, 4], "id": [7, 7], "version": [1, 2]})
    told = plan.run(rows)
    assert told["window"].to_pylist() == [{"start": 0, "end": 5}]
    assert told.schema.metadata[b"bad_rows"] == b"1"


def test_start_and_end_of_different_types() -> None:
    rows = pa.table({"l": [dt.datetime(2024, 1, 1)], "u": [3]})
    plan = pw.plan(time=("l", "u"), windows=[pw.tumbling("1h")], aggregates=[pw.count()])
    with pytest.raises(SchemaError, match="start and end are of one type"):
        plan.run(rows)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"windows": [pw.session(5)]}, "windows that follow from time alone: got session(5)"),
        ({"windows": [pw.tumbling(pw.rows(5))]}, "windows that follow from time alone"),
        ({"aggregates": [pw.last("x")]}, "have no order: last(x) needs one"),
        ({"aggregates": [pw.collect("x")]}, "have no order: collect(x) needs one"),
        (
            {"strategy": "difference", "aggregates": [pw.median("x")]},
            "median(x) cannot be taken apart",
        ),
        ({"time": ("l", "l")}, 'start and end are two columns: got "l" twice'),
        ({"time": ("l", "u", "v")}, "time names one column, or two"),
        ({"time": ("l", 3)}, "the end of events is one column: got 3"),
        ({"on_bad_rows": "skip"}, 'on_bad_rows is "drop" or "fail": got \'skip\''),
        ({"on_bad_rows": None}, 'on_bad_rows is "drop" or "fail": got None'),
        ({"time": "l", "on_bad_rows": "fail"}, "only events with a duration can end before"),
        ({"strategy": "edges"}, 'strategy is one of "auto", "se_slicing"'),
        ({"strategy": "se_ml_slicing(0)"}, "a slice has 1 to 64 levels"),
        ({"strategy": "difference", "aggregates": [pw.max("x")]}, "max(x) cannot be taken apart"),
    ],
)
def test_what_is_refused(changes: dict[str, Any], message: str) -> None:
    asked = {"time": ("l", "u"), "windows": [pw.tumbling(5)], "aggregates": [pw.count()]}
    with pytest.raises(QueryError) as problem:
        pw.plan(**{**asked, **changes})
    assert message in str(problem.value)


def test_several_queries_at_once() -> None:
    parts = {
        "calls": pw.plan(time=("l", "u"), windows=[pw.tumbling(5)], aggregates=[pw.count()]),
        "peak": pw.plan(time=("l", "u"), windows=[pw.tumbling(10)], aggregates=[pw.max("x")]),
    }
    shared = pw.plan_all(parts)
    rows = pa.table({"l": [1, 4], "u": [9, 12], "x": [3, 8]})
    told = shared.run(rows)
    for name, plan in parts.items():
        assert shared.part(told, name).sort_by("window_id") == plan.run(rows).sort_by("window_id")


def test_the_technique_follows_from_the_length_of_events() -> None:
    asked = {
        "time": ("l", "u"),
        "windows": [pw.sliding(60, 10)],
        "aggregates": [pw.count(), pw.product("x")],
    }
    known = {"rows": 10**6, "span": 10**6, "keys": 10}
    short = pw.plan(**asked, statistics=pw.Statistics.given(**known, length=1))
    assert [str(tree.technique) for tree in short.trees] == ["difference", "se_slicing"]
    long = pw.plan(**asked, statistics=pw.Statistics.given(**known, length=5000))
    assert [str(tree.technique) for tree in long.trees] == ["difference", "dyadic"]
    assert "for product(x): dyadic" in long.explain()
    assert "501 slices for each event" in long.explain()

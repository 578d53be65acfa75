"""Values of events with a duration, counted: pieces, types, and bounds."""

import random
from typing import Any

import pyarrow as pa
import pytest

import panewise as pw
from panewise.errors import QueryError
from panewise.kernels.spanning import gather
from panewise.testing import assert_same_rows, oracle

CENTURY = 36_525 * 86_400_000_000
TECHNIQUES = ["se_slicing", "se_ml_slicing(3)", "dyadic"]


def told(plan: pw.Plan, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [
        {**row, "window": (row["window"]["start"], row["window"]["end"])}
        for row in plan.run(pa.Table.from_pylist(rows)).to_pylist()
    ]


@pytest.mark.parametrize("way", TECHNIQUES)
def test_an_event_counts_once_however_many_slices_it_has(way: str) -> None:
    rows = pa.table({"l": [0, 3, 4], "u": [50, 4, 4], "x": [7, 1, 1]})
    plan = pw.plan(
        time=("l", "u"),
        windows=[pw.tumbling(20)],
        aggregates=[pw.top_k("x", 3)],
        strategy=way,
    )
    first, *others = plan.run(rows)["top_k(x, 3)"].to_pylist()
    assert first == [{"item": 1, "count": 2}, {"item": 7, "count": 1}]
    assert others == [[{"item": 7, "count": 1}]] * 2


@pytest.mark.parametrize("way", TECHNIQUES)
def test_text(way: str) -> None:
    rows = [
        {"l": 1, "u": 9, "x": "b"},
        {"l": 4, "u": 12, "x": None},
        {"l": 8, "u": 30, "x": "a"},
    ]
    plan = pw.plan(
        time=("l", "u"),
        windows=[pw.sliding(10, 5)],
        aggregates=[pw.mode("x"), pw.count_distinct("x"), pw.count("x")],
        strategy=way,
    )
    assert_same_rows(told(plan, rows), oracle(plan.query, rows))


def test_many_windows_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """However the cells are cut into pieces, and with more values than a key looks through."""
    monkeypatch.setattr(gather, "MOST_WINDOWS", 7)
    monkeypatch.setattr(gather, "MOST_CELLS", 5)
    chance = random.Random(4)
    rows = [
        {"l": at, "u": at + chance.randint(0, 40), "k": at % 3, "x": chance.randint(0, 30)}
        for at in range(60)
    ]
    plan = pw.plan(
        time=("l", "u"),
        by=["k"],
        windows=[pw.sliding(15, 5), pw.tumbling(7)],
        aggregates=[pw.median("x"), pw.max("x")],
    )
    assert_same_rows(told(plan, rows), oracle(plan.query, rows), by=["k"])


def test_many_values_of_many_keys() -> None:
    rows = [{"l": at, "u": at + 9, "k": at % 3, "x": at * 7 % 5003} for at in range(6000)]
    plan = pw.plan(
        time=("l", "u"),
        by=["k"],
        windows=[pw.tumbling(1000)],
        aggregates=[pw.median("x"), pw.count_distinct("x")],
    )
    assert_same_rows(told(plan, rows), oracle(plan.query, rows), by=["k"])


def test_a_century() -> None:
    rows = [{"l": 0, "u": CENTURY, "x": 3}, {"l": 5, "u": 5, "x": 1}]
    plan = pw.plan(
        time=("l", "u"),
        windows=[pw.tumbling(CENTURY // 2)],
        aggregates=[pw.median("x")],
        strategy="dyadic",
    )
    assert sorted(row["median(x)"] for row in told(plan, rows)) == [2.0, 3.0]


def test_windows_shorter_than_their_slide() -> None:
    rows = [{"l": 3, "u": 5, "x": 1}, {"l": 4, "u": 6, "x": 2}, {"l": 0, "u": 20, "x": None}]
    plan = pw.plan(
        time=("l", "u"),
        windows=[pw.sliding(3, 5, allow_gaps=True)],
        aggregates=[pw.median("x"), pw.quantiles("x", [0.5])],
    )
    assert_same_rows(told(plan, rows), oracle(plan.query, rows))


def test_no_events() -> None:
    plan = pw.plan(time=("l", "u"), windows=[pw.tumbling(5)], aggregates=[pw.median("x")])
    kinds = [("l", pa.int64()), ("u", pa.int64()), ("x", pa.int64())]
    assert plan.run(pa.schema(kinds).empty_table()).num_rows == 0


def test_a_gap_of_many_empty_windows() -> None:
    """No slices are listed where nothing is known of the events."""
    rows = [{"l": 0, "u": 5, "x": 1}, {"l": 10**15, "u": 10**15 + 7, "x": 2}]
    plan = pw.plan(
        time=("l", "u"),
        windows=[pw.tumbling(5)],
        aggregates=[pw.median("x"), pw.variance("x", ddof=0)],
    )
    assert_same_rows(told(plan, rows), oracle(plan.query, rows))


def test_more_slices_than_are_listed() -> None:
    rows = [{"l": 0, "u": 5, "x": 1}, {"l": 10**15, "u": 10**15 + 7, "x": 2}]
    plan = pw.plan(
        time=("l", "u"),
        windows=[pw.tumbling(5)],
        aggregates=[pw.median("x")],
        strategy="se_slicing",
    )
    with pytest.raises(QueryError, match="would cut more than 4,194,304 slices"):
        plan.run(pa.Table.from_pylist(rows))

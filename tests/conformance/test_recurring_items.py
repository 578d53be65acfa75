"""Recurring items of every type, in every engine, against sets of Python values."""

import itertools
import random
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import panewise as pw
from panewise.errors import ResultOverflow, SchemaError, SnapshotError
from panewise.operator import Operator, numbering
from panewise.operator.container import packed, unpacked
from tests.conformance.engines import data_frame
from tests.conformance.streams import table

LEVELS = ((4, 1), (8, 2), (16, 4))
ITEMS: dict[str, list[Any]] = {
    "tinyint": [-128, -1, 0, 63, 64, 127],
    "int": [-(2**31), -65, -64, 0, 2**31 - 1],
    "bigint": [-(2**63), -1, 63, 64, 2**63 - 1],
    "string": ["", "a", "b", "ä", "\U0001f600"],
    "boolean": [False, True],
    "double": [-1.5, 0.0, float("inf")],
    "date": [date(1969, 12, 31) + timedelta(days=n) for n in range(4)],
    "timestamp_ntz": [datetime(2024, 5, 1, 8) + timedelta(microseconds=n) for n in range(4)],
    "decimal(10,2)": [Decimal(n) / 4 for n in (-6, 0, 1, 9)],
    "binary": [b"", b"a", b"\xff"],
}


def rows_of(kind: str, count: int = 120) -> list[dict[str, Any]]:
    chosen = random.Random(7)
    return [
        {"t": n // 2, "k": chosen.choice("ab"), "y": chosen.choice([*ITEMS[kind], None])}
        for n in range(count)
    ]


def schema_of(kind: str) -> dict[str, str]:
    return {"t": "bigint", "k": "string", "y": kind}


def plan_of(*, by: bool = True, counts: bool = False) -> Any:
    return pw.plan(
        time="t",
        by=["k"] if by else [],
        windows=[pw.granules(*LEVELS)],
        aggregates=[pw.recurring("y", counts=counts).alias("found")],
    )


def defined(rows: list[dict[str, Any]], *, by: bool = True) -> dict[Any, Any]:
    """By key, level and end of each window the items of all rings."""
    found: dict[Any, Any] = {}
    for (level, (wide, slide)), end in itertools.product(enumerate(LEVELS), range(200)):
        for key in {row["k"] if by else None for row in rows}:
            own = [r for r in rows if key in (r["k"], None) and end - wide <= r["t"] < end]
            if end % slide or not own:
                continue
            far = [0, *(each for each, _ in LEVELS[: level + 1])]
            sets = [
                {r["y"] for r in own if end - b <= r["t"] < end - a and r["y"] is not None}
                for a, b in itertools.pairwise(far)
            ]
            found[key, level, end] = sorted(set.intersection(*sets))
    return found


def told(tables: list[pa.Table]) -> dict[Any, Any]:
    rows = [row for each in tables for row in each.to_pylist()]
    return {(r.get("k"), r["level"], r["window"]["end"]): r["found"] for r in rows}


@pytest.mark.parametrize("kind", ITEMS)
@pytest.mark.parametrize("by", [True, False], ids=["keys", "no keys"])
def test_in_process_and_in_an_operator(kind: str, by: bool) -> None:
    rows = rows_of(kind)
    events, plan = table(rows, schema_of(kind)), plan_of(by=by)
    expected = defined(rows, by=by)
    assert any(expected.values())
    assert told([plan.run(events)]) == expected
    op = Operator(plan)
    answers = [op.push(events.slice(n, 7)) for n in range(0, 60, 7)]
    op = Operator.restore(plan, op.snapshot())
    answers += [op.push(events.slice(n, 7)) for n in range(63, len(rows), 7)]
    assert op.stats().keys == (2 if by else 0), "words are no keys"
    assert told([*answers, op.flush()]) == expected


@pytest.mark.parametrize("kind", ["tinyint", "bigint", "string", "double", "decimal(10,2)"])
def test_on_spark(spark: SparkSession, kind: str) -> None:
    rows = rows_of(kind)
    for by in (True, False):
        found = plan_of(by=by).run(data_frame(rows, schema_of(kind)))
        assert told([found.toArrow()]) == defined(rows, by=by)
        assert dict(found.dtypes)["found"] == f"array<{kind}>"


def test_numbers_that_are_not_numbers_are_one_item(spark: SparkSession) -> None:
    values = [float("nan"), -0.0, float("nan"), 0.0]
    events = pa.table({"t": [1, 1, 5, 5], "y": values})
    plan = pw.plan(time="t", windows=[pw.granules((4, 4), (8, 8))], aggregates=[pw.recurring("y")])
    op = Operator(plan)
    op.push(events)
    for each in (plan.run(events), op.flush(), plan.run(spark.createDataFrame(events)).toArrow()):
        (found,) = (r["recurring(y)"] for r in each.to_pylist() if r["level"] == 1)
        assert str(found) == "[0.0, nan]"


def test_numbers_of_items_that_are_gone_are_given_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """New items for ever: what is held stays as it is, and is right."""
    monkeypatch.setattr(numbering, "FEW", 8)
    op, plan = Operator(plan_of(by=False)), plan_of(by=False)
    most: list[int] = []
    seen: list[dict[str, Any]] = []
    for n in range(0, 2_000, 4):
        rows = [{"t": n + i, "k": "a", "y": f"{(n + i) // 10}-{i % 2}"} for i in range(4)]
        got = told([op.push(table(rows, schema_of("string")))])
        seen = [*seen, *rows][-60:]
        here = told([plan.run(table(seen, schema_of("string")))])
        assert got == {place: here[place] for place in got}
        assert op._items is not None
        most.append(len(op._items.words))
        if n % 400 == 0:
            op = Operator.restore(plan, op.snapshot())
    assert max(most[:40]) == max(most[400:]) <= 24
    assert op.stats().bytes < 40_000


def test_more_items_at_once_than_there_are_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numbering, "MOST", 4)
    op = Operator(plan_of(by=False))
    op.push({"t": [1] * 4, "y": list("abcd")})
    with pytest.raises(ResultOverflow, match=r"more than 4 different items.*coarser items"):
        op.push({"t": [2], "y": ["e"]})


def test_a_late_item_revises_what_was_told() -> None:
    op = Operator(
        pw.plan(time="t", windows=[pw.granules((4, 4), (8, 4))], aggregates=[pw.recurring("y")]),
        lateness=20,
    )
    op.push({"t": [1, 5, 9], "y": ["a", "b", "b"]})
    found = op.push({"t": [2, 13], "y": ["b", "c"]}).to_pylist()
    first = [r for r in found if r["level"] == 1 and r["window"]["end"] == 8]
    assert [(r["recurring(y)"], r["revision"]) for r in first] == [(["b"], 1)]


def test_columns_may_be_called_as_those_that_are_made() -> None:
    events = {"t": [1, 5], "item word": ["k", "k"], "item bits": [7, 7]}
    plan = pw.plan(
        time="t",
        by=["item word"],
        windows=[pw.granules((4, 4), (8, 8))],
        aggregates=[pw.recurring("item bits").alias("found")],
    )
    assert plan.run(events).to_pylist()[-1]["found"] == [7]


def test_an_item_that_is_a_key_too() -> None:
    plan = pw.plan(
        time="t",
        by=["y"],
        windows=[pw.granules((4, 4), (8, 8))],
        aggregates=[pw.recurring("y").alias("found")],
    )
    events = {"t": [1, 5, 6], "y": ["a", "a", "b"]}
    op = Operator(plan)
    op.push(events)
    for each in (plan.run(events), op.flush()):
        assert {r["y"]: r["found"] for r in each.to_pylist() if r["level"] == 1} == {
            "a": ["a"],
            "b": [],
        }


def test_items_keep_their_type() -> None:
    op = Operator(plan_of(by=False))
    op.push({"t": [1], "y": ["a"]})
    op.push({"t": [1], "y": [None]})
    with pytest.raises(SchemaError, match='column "y" was string and is int64 now'):
        op.push({"t": [2], "y": [4]})
    with pytest.raises(SchemaError, match='cannot be computed: "y" is list'):
        plan_of(by=False).run(pa.table({"t": [1], "y": [[1]]}))


@pytest.mark.parametrize(
    "broken", ["null", "twice", "same number", "negative", "too far", "another type", "no name"]
)
def test_what_a_snapshot_says_of_items_is_checked(broken: str) -> None:
    plan = plan_of(by=False)
    op = Operator(plan)
    op.push({"t": [1, 2, 3, 17], "y": ["a", "b", "a", "b"]})
    head, tables = unpacked(op.snapshot())
    assert len(Operator.restore(plan, packed(dict(head), tables)).flush()), "as it is, it is good"
    rows = tables["items"].to_pylist()
    schema = tables["items"].schema
    if broken == "null":
        rows[0]["item"] = None
    elif broken == "twice":
        rows[0]["item"] = "b"
    elif broken == "same number":
        rows[0]["number"] = rows[1]["number"]
    elif broken == "negative":
        rows[0]["number"] = -1
    elif broken == "too far":
        rows[0]["number"] = 2**50
    elif broken == "another type":
        schema = schema.set(1, pa.field("number", pa.int32()))
    else:
        rows = []
    tables["items"] = pa.Table.from_pylist(rows, schema)
    with pytest.raises(SnapshotError):
        Operator.restore(plan, packed(head, tables)).flush()

"""Aging and recurring items, in process and on Spark, against their definition event by event."""

import itertools
import math
from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession

import panewise as pw
from panewise.errors import OperatorError, PanewiseError, QueryError, SnapshotError, StateError
from panewise.model import Measure
from panewise.operator import Operator
from panewise.operator.container import packed, unpacked
from panewise.spark.streaming import processor
from panewise.testing import assert_same_rows, events
from panewise.windows import Granules
from tests.conformance.buckets import Played, ring_job
from tests.conformance.engines import as_oracle, data_frame
from tests.conformance.streams import Reader, batches, cuts, plain, table

SCHEMA = {"t": "bigint", "k": "string", "x": "bigint", "y": "bigint", "seq": "bigint"}
LEVELS: list[Any] = [
    ((4, 1), (8, 2), (16, 4)),
    ((3, 3), (36, 6), (63, 9)),  # slides do not divide each other
    ((4, 1), (9, 3)),
]
WEIGHTS = [1.0, 0.5, -0.25]
ALONE, COUNTED = pw.recurring("y"), pw.recurring("y", counts=True)
AGED = [pw.sum("x"), pw.count("x"), pw.count().alias("rows"), pw.mean("x")]
quick = settings(suppress_health_check=list(HealthCheck), deadline=None)


def scheme(levels: Any, weighted: bool, origin: int = 0) -> Granules:
    weights = WEIGHTS[: len(levels)] if weighted else None
    return pw.granules(*levels, origin=origin, weights=weights)


def defined(asked: Granules, rows: list[dict[str, Any]], answer: Any) -> list[dict[str, Any]]:
    """For each window of each level, what `answer` makes of the events of its rings."""
    told = []
    for key in {row["k"] for row in rows}:
        own = [row for row in rows if row["k"] == key and row["t"] is not None]
        for level, (wide, slide) in enumerate(asked.levels):
            ends = {
                end
                for row in own
                for j in range(-1, wide // slide + 2)
                if (end := asked.origin + ((row["t"] - asked.origin) // slide + j) * slide)
                - wide <= row["t"] < end
            }  # fmt: skip
            for end in ends:
                reaches = [0, *(each for each, _ in asked.levels[: level + 1])]
                rings = [
                    [row for row in own if end - far <= row["t"] < end - near]
                    for near, far in itertools.pairwise(reaches)
                ]
                place = {"window_id": asked.window_id, "window": (end - wide, end)}
                told.append({**place, "level": level, "k": key, **answer(rings)})
    return told


def aged(rings: list[list[dict[str, Any]]]) -> dict[str, Any]:
    values = [[r["x"] for r in ring if r["x"] is not None] for ring in rings]
    total = sum(w * sum(v) for w, v in zip(WEIGHTS, values, strict=False))
    count = float(sum(w * len(v) for w, v in zip(WEIGHTS, values, strict=False)))
    some = any(values)
    return {
        "sum(x)": float(total) if some else None,
        "count(x)": count,
        "rows": float(sum(w * len(ring) for w, ring in zip(WEIGHTS, rings, strict=False))),
        "mean(x)": total / count if some and count else None,
    }


def alone(rings: list[list[dict[str, Any]]]) -> dict[str, Any]:
    held = [{r["y"] for r in ring if r["y"] is not None} for ring in rings]
    return {"recurring(y)": sorted(set.intersection(*held))}


def recurring(rings: list[list[dict[str, Any]]]) -> dict[str, Any]:
    tallies = [Counter(r["y"] for r in ring if r["y"] is not None) for ring in rings]
    items = set.intersection(*map(set, tallies))
    counted = [(-sum(tally[item] for tally in tallies), item) for item in items]
    return {"recurring(y, counts=True)": [{"item": i, "count": -n} for n, i in sorted(counted)]}


def plans(asked: Granules, aggregates: list[Any]) -> Any:
    return pw.plan(time="t", by=["k"], windows=[asked], aggregates=aggregates, order_by="seq")


@pytest.mark.parametrize("levels", LEVELS)
def test_in_process(levels: Any) -> None:
    @quick
    @given(rows=events(max_rows=24))
    def check(rows: list[dict[str, Any]]) -> None:
        weighted, plain_ = scheme(levels, True, origin=1), scheme(levels, False)
        got = plain([plans(weighted, AGED).run(table(rows, SCHEMA))])
        assert_same_rows(got, defined(weighted, rows, aged), by=("k",), magnitude=1e3)
        for asked, answer in ((ALONE, alone), (COUNTED, recurring)):
            got = plain([plans(plain_, [asked]).run(table(rows, SCHEMA))])
            assert_same_rows(got, defined(plain_, rows, answer), by=("k",))

    check()


@pytest.mark.parametrize("levels", LEVELS)
def test_on_spark(spark: SparkSession, levels: Any) -> None:
    @settings(max_examples=2, suppress_health_check=list(HealthCheck), deadline=None)
    @given(rows=events(min_rows=20, max_rows=40))
    def check(rows: list[dict[str, Any]]) -> None:
        frame = data_frame(rows, SCHEMA)
        for asked, aggregates, answer in (
            (scheme(levels, True), AGED, aged),
            (scheme(levels, False, origin=2), [COUNTED], recurring),
            (scheme(levels, False, origin=2), [ALONE], alone),
        ):
            found = plans(asked, list(aggregates)).run(frame).toArrow().to_pylist()
            got = [as_oracle(row) for row in found]
            assert_same_rows(got, defined(asked, rows, answer), by=("k",), magnitude=1e3)

    check()


@st.composite
def streams(draw: Any) -> Any:
    """Rows in any order, where to cut them, and after which batch a snapshot is taken."""
    rows = draw(events("bigint", Measure.INTEGER, max_rows=24))
    return rows, draw(cuts(len(rows))), draw(st.integers(0, 6))


CASES: list[Any] = [(True, AGED, aged), (False, [COUNTED], recurring), (False, [ALONE], alone)]
NAMES = ["aged", "counted", "alone"]


@pytest.mark.parametrize(("weighted", "aggregates", "answer"), CASES, ids=NAMES)
@pytest.mark.parametrize("lateness", [0, 200])
@pytest.mark.parametrize("levels", LEVELS)
def test_in_an_operator(
    levels: Any, lateness: int, weighted: bool, aggregates: Any, answer: Any
) -> None:
    """Rows in any order: waited for, or revising what was told after every push."""
    asked = scheme(levels, weighted, origin=1)
    plan = plans(asked, aggregates)

    @quick
    @given(stream=streams())
    def check(stream: Any) -> None:
        rows, at, stored = stream
        reader = Reader(("k",))
        op = Operator(plan, delay=0 if lateness else 200, lateness=lateness)
        seen: list[Any] = []
        for number, batch in enumerate(batches(rows, at)):
            seen += batch
            reader.apply(plain([op.push(table(batch, SCHEMA))]))
            if number == stored:
                op = Operator.restore(plan, op.snapshot())
            if op.watermark is not None:
                final = [r for r in defined(asked, seen, answer) if r["window"][1] <= op.watermark]
                assert_same_rows(reader.all(), final, by=("k",), magnitude=1e3)
        reader.apply(plain([op.flush()]))
        assert op.stats().late_rows == 0
        assert_same_rows(reader.all(), defined(asked, rows, answer), by=("k",), magnitude=1e3)

    check()


@pytest.mark.parametrize(("weighted", "aggregates", "answer"), CASES, ids=NAMES)
@pytest.mark.parametrize("lateness", [0, 200])
@pytest.mark.parametrize("levels", LEVELS)
def test_in_buckets(
    levels: Any, lateness: int, weighted: bool, aggregates: Any, answer: Any
) -> None:
    """As Spark runs a stream, batch by batch, by workers that may have been restarted."""
    asked = scheme(levels, weighted, origin=1)
    job = ring_job(
        plans(asked, aggregates), SCHEMA, delay=0 if lateness else 200, lateness=lateness
    )

    @quick
    @given(stream=streams())
    def check(stream: Any) -> None:
        rows, at, stored = stream
        processor._memory.clear()
        played, reader, seen = Played(job, SCHEMA), Reader(("k",)), []
        newest = max((row["t"] for row in rows if row["t"] is not None), default=0)
        ahead = {"t": newest + 1_000, "k": "a", "x": 1, "y": 1, "seq": 1_000}
        later = {**ahead, "t": newest + 2_000}
        for number, batch in enumerate([*batches(rows, at), [ahead], [later]]):
            seen += batch
            told = played.push([batch[::2], batch[1::2]], forget=number == stored)
            reader.apply(plain(told))
        final = later["t"] - (200 - lateness)
        want = [r for r in defined(asked, seen, answer) if r["window"][1] <= final]
        assert played.late == 0
        assert_same_rows(reader.all(), want, by=("k",), magnitude=1e3)

    check()


def test_a_checkpoint_is_of_its_weights() -> None:
    def job(*weights: float) -> Any:
        asked = pw.granules(*LEVELS[0], weights=weights).named("load")
        return ring_job(plans(asked, [pw.count()]), SCHEMA, delay=0)

    row = {"t": 3, "k": "a", "x": 1, "y": 1, "seq": 1}
    processor._memory.clear()
    played = Played(job(1, 0.5, 0.25), SCHEMA)
    played.push([[row]])
    with pytest.raises(StateError, match="the checkpoint is of another query: its rings is"):
        played.push([[row]], forget=True, job=job(1, 0.5, 0.5))


@pytest.mark.parametrize(("weighted", "aggregates", "answer"), CASES, ids=NAMES)
def test_columns_have_the_same_types_whether_there_are_rows_or_not(
    weighted: bool, aggregates: Any, answer: Any
) -> None:
    plan = plans(scheme(LEVELS[0], weighted), aggregates)
    row = {"t": 3, "k": "a", "x": 1, "y": 1, "seq": 1}
    assert plan.run(table([], SCHEMA)).schema == plan.run(table([row], SCHEMA)).schema
    assert ring_job(plan, SCHEMA, delay=0).schema == plan.run(table([row], SCHEMA)).schema


def test_rings_wait_for_their_windows() -> None:
    """What is held is what windows that are open, or may be told again, are made of."""
    asked = pw.granules((4, 1), (8, 2), (64, 16), weights=[1, 0.5, 0.25])
    plan = pw.plan(time="t", windows=[asked], aggregates=[pw.count()])
    op = Operator(plan)
    most = 0
    for first in range(0, 5_000, 50):
        op.push({"t": list(range(first, first + 50))})
        most = max(most, op.stats().bytes)
    assert most < 20_000
    assert "from 6 windows, the rings of 3 levels" in op.explain()
    assert "ring 1 of level 2 of granules(4/1," in plan.explain()


def test_a_snapshot_is_of_its_weights() -> None:
    def plan(*weights: float) -> Any:
        asked = pw.granules((4, 1), (8, 2), weights=weights).named("load")
        return pw.plan(time="t", windows=[asked], aggregates=[pw.count()])

    op = Operator(plan(1, 0.5))
    op.push({"t": [1, 2, 3]})
    blob = op.snapshot()
    assert len(Operator.restore(plan(1, 0.5), blob).flush())
    with pytest.raises(SnapshotError, match="the snapshot is of other rings"):
        Operator.restore(plan(1, 0.25), blob)


@pytest.mark.parametrize("broken", ["another ring", "no ring", "never told", "no start", "fewer"])
def test_what_a_snapshot_says_of_rings_is_checked(broken: str) -> None:
    asked = pw.granules((4, 1), (8, 2), weights=[1, 0.5])
    plan = pw.plan(time="t", windows=[asked], aggregates=[pw.count()])
    op = Operator(plan)
    op.push({"t": [1, 2, 3]})
    head, tables = unpacked(op.snapshot())
    rings = tables["rings"]
    assert len(rings)
    assert len(Operator.restore(plan, packed(dict(head), tables)).flush()), "as it is, it is good"
    rows = rings.to_pylist()
    if broken == "another ring":
        rows[0]["window_id"] = "3"
    elif broken == "no ring":
        rows[0]["window_id"] = None
    elif broken == "never told":
        rows[0]["times told"] = None
    elif broken == "no start":
        rows[0]["window"]["start"] = None
    kept = rings.schema
    tables["rings"] = pa.Table.from_pylist(rows, kept)
    if broken == "fewer":
        tables["rings"] = tables["rings"].drop_columns(["times told"])
    with pytest.raises(SnapshotError):
        Operator.restore(plan, packed(head, tables))


def test_a_key_may_have_any_name() -> None:
    asked = pw.granules((4, 4), (8, 4), weights=[1, 0.5])
    plan = pw.plan(time="t", by=["end"], windows=[asked], aggregates=[pw.count()])
    told = plan.run(pa.table({"t": [1, 2, 3], "end": ["a", "b", "a"]})).to_pylist()
    assert {(row["level"], row["end"], row["count()"]) for row in told} == {
        (0, "a", 2.0), (0, "b", 1.0), (1, "a", 2.0), (1, "b", 1.0), (1, "a", 1.0), (1, "b", 0.5),
    }  # fmt: skip


def test_the_items_of_the_figure() -> None:
    """Item 4 is at 3, 9 and 14, in all three rings at instant 16; item 7 at 2, 7 and 15 is not."""
    asked = pw.granules((4, 1), (8, 2), (16, 4), origin=1)
    rows = pa.table({"t": [3, 9, 14, 2, 7, 15], "item": [4, 4, 4, 7, 7, 7]})
    for aggregate, expected in (
        (pw.recurring("item"), [4]),
        (pw.recurring("item", counts=True), [{"item": 4, "count": 3}]),
    ):
        told = pw.plan(time="t", windows=[asked], aggregates=[aggregate]).run(rows)
        (found,) = (r for r in told.to_pylist() if r["level"] == 2 and r["window"]["end"] == 17)
        assert found[aggregate.name] == expected


def test_timestamps_of_any_type_and_decimals(spark: SparkSession) -> None:
    times = [datetime(2024, 5, 1, 8, tzinfo=UTC) + timedelta(seconds=7 * n) for n in range(40)]
    asked = pw.granules(("1 min", "20 s"), ("3 min", "1 min"), weights=[1, 0.5])
    plan = pw.plan(time="t", windows=[asked], aggregates=[pw.sum("x")])
    rows = pa.table({"t": times, "x": pa.array([n % 5 for n in range(40)], pa.decimal128(10, 2))})
    here = plain([plan.run(rows)])
    there = [as_oracle(r) for r in plan.run(spark.createDataFrame(rows)).toArrow().to_pylist()]
    assert_same_rows(there, here)
    assert {row["window"][1] - row["window"][0] for row in here} == {
        timedelta(minutes=1), timedelta(minutes=3),
    }  # fmt: skip


@pytest.mark.parametrize("counts", [False, True])
@pytest.mark.parametrize("kind", [pa.int64(), pa.string()], ids=str)
def test_too_many_items(spark: SparkSession, counts: bool, kind: pa.DataType) -> None:
    rows = pa.table({"t": list(range(30)), "item": pa.array(range(30)).cast(kind)})
    asked = pw.granules((10, 5), (20, 5))
    most = pw.recurring("item", most=10, counts=counts)
    assert len(pw.plan(time="t", windows=[asked], aggregates=[most]).run(rows)), "as many may be"
    aggregate = pw.recurring("item", most=9, counts=counts)
    plan = pw.plan(time="t", windows=[asked], aggregates=[aggregate])
    message = "most=9.: a ring holds more than 9 different values. Hint: raise most=, or ask for c"
    with pytest.raises(PanewiseError, match=message):
        plan.run(rows)
    op = Operator(plan)
    with pytest.raises(PanewiseError, match=message):
        op.push(rows)
    with pytest.raises(Exception, match="a ring holds more than 9 different values"):
        plan.run(spark.createDataFrame(rows)).collect()


@pytest.mark.parametrize(
    ("windows", "aggregates", "message"),
    [
        ("aged", [pw.max("x")], "weights age sums, counts and means: max(x) has no meaning"),
        ("aged", [pw.min("x")], "weights age sums, counts and means: min(x) has no meaning"),
        ("aged", [pw.median("x")], "weights age sums, counts and means: median(x)"),
        ("plain", [COUNTED, pw.count()], "recurring is asked alone or beside others"),
        ("plain", [pw.recurring("x"), pw.recurring("y")], "are asked for one column and alone: g"),
        ("aged", [pw.recurring("x"), pw.sum("y")], "without counts are asked for one column and"),
        ("both", [pw.sum("x")], "the rings of one scheme of granules: got granules(4/1, 8/2, wei"),
        ("tumbling", [pw.recurring("x")], "one scheme of granules: got tumbling(5)."),
        ("rows", [pw.recurring("x")], "rings are of time or of an integer measure: got granules("),
    ],
)
def test_refusals(windows: str, aggregates: Any, message: str) -> None:
    aged = pw.granules((4, 1), (8, 2), weights=[1, 0.5])
    listed: dict[str, list[Any]] = {
        "aged": [aged],
        "plain": [pw.granules((4, 1), (8, 2))],
        "both": [aged, pw.tumbling(5)],
        "tumbling": [pw.tumbling(5)],
        "rows": [pw.granules((pw.rows(2), pw.rows(1)), (pw.rows(4), pw.rows(2)))],
    }
    with pytest.raises(QueryError) as refused:
        pw.plan(time="t", windows=listed[windows], aggregates=aggregates)
    assert message in str(refused.value)


@pytest.mark.parametrize("weights", [[1], [1, 2, 3], "ab", 5, [1, "x"], [1, math.nan], [True, 1]])
def test_weights_are_as_many_numbers_as_levels(weights: Any) -> None:
    with pytest.raises(QueryError, match="weights are as many numbers as levels, 2"):
        pw.granules((4, 1), (8, 2), weights=weights)


def test_other_places_refuse_them() -> None:
    counted = (pw.rows(2), pw.rows(1)), (pw.rows(4), pw.rows(2))
    with pytest.raises(QueryError, match="got levels of rows"):
        pw.granules(*counted, weights=[1, 2])
    with pytest.raises(QueryError, match="most is a positive integer"):
        pw.recurring("x", most=0)
    with pytest.raises(QueryError, match="counts is true or false: got 1"):
        pw.recurring("x", counts=1)  # type: ignore[arg-type]
    asked = pw.granules((4, 1), (8, 2), weights=[1, 0.5])
    plan = pw.plan(time="t", windows=[asked], aggregates=[pw.sum("x")])
    op = Operator(plan)
    with pytest.raises(OperatorError, match="add: a query about rings of granules is answered al"):
        op.add(pw.plan(time="t", windows=[pw.tumbling(5)], aggregates=[pw.sum("x")]))
    with pytest.raises(OperatorError, match="remove: a query about rings"):
        op.remove("main")
    with pytest.raises(QueryError, match="weights are answered by a plan of their own"):
        pw.Query("t", (), (asked,), (pw.sum("x"),))  # type: ignore[arg-type]
    with pytest.raises(QueryError, match="got events with a duration"):
        pw.plan(time=("a", "b"), windows=[asked], aggregates=[pw.sum("x")])

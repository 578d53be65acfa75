"""Result columns: their order, and windows in the type of the time column."""

from datetime import UTC, date, datetime, timedelta
from typing import Any

import pyarrow as pa
import pytest

import panewise as pw
from panewise.errors import QueryError, ResultOverflow
from panewise.operator import Operator
from tests.operator.feed import feed, planned

START = datetime(2024, 3, 31, 0, 0)


def told(times: pa.Array, *windows: pw.Window) -> pa.Table:
    op = Operator(pw.plan(time="t", windows=windows, aggregates=[pw.count()]))
    batch = {"t": times}
    return pa.concat_tables([op.push(batch), op.flush()])


def test_order_of_columns() -> None:
    op = Operator(
        planned(pw.tumbling(10), aggregates=[pw.sum("x"), pw.count().alias("n")]), lateness=1
    )
    names = ["window_id", "window", "k", "sum(x)", "n", "revision", "retracted"]
    assert op.push(feed([1])).column_names == names


def test_order_of_columns_without_lateness() -> None:
    op = Operator(planned(pw.tumbling(10)))
    assert op.push(feed([1])).column_names == ["window_id", "window", "k", "sum(x)"]


def test_row_windows_are_numbered() -> None:
    op = Operator(planned(pw.tumbling(pw.rows(2)), pw.tumbling(10).named("ten")))
    rows = pa.concat_tables([op.push(feed([1, 2, 3])), op.flush()])
    assert rows.column_names == ["window_id", "window", "window_no", "k", "sum(x)"]
    found = {(row["window_id"], row["window_no"]) for row in rows.to_pylist()}
    assert found == {("tumbling(2 rows)", 0), ("tumbling(2 rows)", 1), ("ten", None)}


def test_results_of_several_queries_name_theirs() -> None:
    shared = pw.plan_all({"one": planned(pw.tumbling(10)), "two": planned(pw.session(3))})
    op = Operator(shared, lateness=1)
    names = ["query", "window_id", "window", "k", "sum(x)", "revision", "retracted"]
    assert op.push(feed([1])).column_names == names


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
@pytest.mark.parametrize("zone", [None, "UTC", "Europe/Berlin"])
def test_timestamps(unit: str, zone: str | None) -> None:
    kind = pa.timestamp(unit, zone)
    ticks = pa.array([START, START + timedelta(seconds=61)], pa.timestamp("us")).cast(pa.int64())
    times = ticks.cast(pa.timestamp("us", zone)).cast(kind)
    rows = told(times, pw.tumbling("1 minute"))
    assert rows.schema.field("window").type == pa.struct([("start", kind), ("end", kind)])
    found = [row["window"] for row in rows.select(["window"]).to_pylist()]
    spans = [(_utc(window["start"]), _utc(window["end"])) for window in found]
    minute = timedelta(minutes=1)
    assert sorted(spans) == [(START, START + minute), (START + minute, START + 2 * minute)]


@pytest.mark.parametrize(
    ("unit", "tick"),
    [
        ("s", timedelta(seconds=1)),
        ("ms", timedelta(milliseconds=1)),
        ("us", timedelta(microseconds=1)),
        ("ns", timedelta(microseconds=1)),
    ],
)
def test_windows_of_rows_end_a_tick_after_the_last(unit: str, tick: timedelta) -> None:
    """The type of the time column must be able to say it."""
    times = pa.array([START, START + timedelta(seconds=5)], pa.timestamp(unit))
    (row,) = told(times, pw.tumbling(pw.rows(2))).to_pylist()
    assert row["window"] == {"start": START, "end": START + timedelta(seconds=5) + tick}


def test_nanoseconds_belong_to_their_microsecond() -> None:
    """Before 1970 too, and never to the one after."""
    times = pa.array([-1, -999, -1_000, -1_001, 999, 1_000], pa.int64()).cast(pa.timestamp("ns"))
    rows = told(times, pw.tumbling("1 us")).to_pylist()
    starts = {_utc(row["window"]["start"]): row["count()"] for row in rows}
    epoch, tick = datetime(1970, 1, 1), timedelta(microseconds=1)
    assert starts == {epoch - 2 * tick: 1, epoch - tick: 3, epoch: 1, epoch + tick: 1}


@pytest.mark.parametrize("kind", [pa.date32(), pa.date64()], ids=str)
def test_dates(kind: pa.DataType) -> None:
    days = pa.array([date(2024, 2, 28), date(2024, 2, 29), date(1969, 12, 31)], kind)
    rows = told(days, pw.tumbling("1 day"), pw.tumbling(pw.rows(3)))
    assert rows.schema.field("window").type.field("end").type == pa.date32()
    found = [(r["window"]["start"], r["window"]["end"], r["count()"]) for r in rows.to_pylist()]
    assert sorted(found) == [
        (date(1969, 12, 31), date(1970, 1, 1), 1),
        (date(1969, 12, 31), date(2024, 3, 1), 3),
        (date(2024, 2, 28), date(2024, 2, 29), 1),
        (date(2024, 2, 29), date(2024, 3, 1), 1),
    ]


@pytest.mark.parametrize(
    ("kind", "result"),
    [
        (pa.int8(), pa.int8()),
        (pa.int16(), pa.int16()),
        (pa.int32(), pa.int32()),
        (pa.int64(), pa.int64()),
        (pa.uint8(), pa.int16()),
        (pa.uint32(), pa.int64()),
    ],
    ids=str,
)
def test_integers(kind: pa.DataType, result: pa.DataType) -> None:
    rows = told(pa.array([3, 17], kind), pw.tumbling(10), pw.session(2), pw.tumbling(pw.rows(1)))
    assert rows.schema.field("window").type.field("start").type == result
    found = {(row["window"]["start"], row["window"]["end"]) for row in rows.to_pylist()}
    assert found == {(0, 10), (10, 20), (3, 5), (17, 19), (3, 4), (17, 18)}


@pytest.mark.parametrize(
    ("times", "window"),
    [
        (pa.array([125], pa.int8()), pw.tumbling(60)),
        (pa.array([2**31 - 1], pa.int32()), pw.session(5)),
        (pa.array([datetime(2262, 1, 1)], pa.timestamp("ns")), pw.tumbling("5200 weeks")),
    ],
    ids=["int8", "int32", "ns"],
)
def test_a_bound_that_the_type_cannot_hold(times: pa.Array, window: pw.Window) -> None:
    with pytest.raises(ResultOverflow, match="a bound of a window does not fit"):
        told(times, window)


@pytest.mark.parametrize("unit", ["s", "ms"])
def test_sizes_finer_than_the_time_column(unit: str) -> None:
    times = pa.array([START], pa.timestamp(unit))
    with pytest.raises(QueryError, match=rf"timestamp\[{unit}\].*size=500us.*Hint:"):
        told(times, pw.tumbling("500 us"))


def test_the_watermark_is_in_the_type_of_the_time_column() -> None:
    """Rounded down where a delay is finer than the type."""
    cases: list[tuple[Any, Any, Any]] = [
        (pa.array([START], pa.timestamp("s")), "1500 ms", START - timedelta(seconds=2)),
        (pa.array([date(2024, 2, 29)]), "1 hour", date(2024, 2, 28)),
        (pa.array([START], pa.timestamp("us", "UTC")), "1 us", _before(START)),
    ]
    for times, delay, expected in cases:
        plan = pw.plan(time="t", windows=[pw.tumbling("1 day")], aggregates=[pw.count()])
        op = Operator(plan, delay=delay)
        op.push({"t": times})
        assert op.watermark == op.stats().watermark == expected


def _before(moment: datetime) -> datetime:
    return (moment - timedelta(microseconds=1)).replace(tzinfo=UTC)


def _utc(moment: Any) -> datetime:
    if getattr(moment, "tzinfo", None) is not None:
        moment = moment.astimezone(UTC).replace(tzinfo=None)
    return moment.to_pydatetime() if hasattr(moment, "to_pydatetime") else moment

"""What a DataFrame may not be, said before any job is started."""

import warnings
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

import panewise as pw
from panewise.errors import PanewiseError, QueryError, ResultSizeWarning, SchemaError
from panewise.windows import Window


@pytest.fixture(scope="module")
def events(spark: SparkSession) -> DataFrame:
    return spark.sql(
        "SELECT timestamp_micros(id) AS ts, id AS n, date'2024-01-01' AS day, 'a' AS device, "
        "double(id) AS temp, array(id) AS list, named_struct('a b', id) AS pair, "
        "make_dt_interval(0, 0, 0, id) AS took, 'a' COLLATE UTF8_LCASE AS name FROM range(3)"
    )


def refused(events: Any, kind: type[PanewiseError], **changes: Any) -> str:
    query = {
        "time": "ts",
        "windows": [pw.tumbling("1 hour")],
        "aggregates": [pw.mean("temp")],
        **changes,
    }
    with pytest.raises(kind) as error:
        pw.aggregate(events, **query)
    return str(error.value)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"time": "tss"}, 'no column "tss" in the DataFrame. Hint: did you mean "ts"?'),
        ({"by": ["devise"]}, 'no column "devise" in the DataFrame. Hint: did you mean "device"?'),
        ({"aggregates": [pw.sum("tmp")]}, 'no column "tmp" in the DataFrame. Hint: did you mean'),
        ({"order_by": "zzz"}, 'no column "zzz" in the DataFrame. Hint: available: "ts", "n", "day'),
        ({"by": ["pair.a b"]}, 'no column "pair.a b" in the DataFrame.'),
        (
            {"time": "device"},
            "the time column must be a TIMESTAMP, TIMESTAMP_NTZ, DATE or integer: "
            '"device" is STRING. Hint: cast it first',
        ),
        ({"time": "temp"}, "the time column must be a TIMESTAMP, TIMESTAMP_NTZ, DATE or integer: "),
        (
            {"order_by": "device"},
            'order_by must be an integer, date or timestamp column: "device" is STRING. Hint: add',
        ),
        ({"by": ["name"]}, 'text with a collation is not supported: "name" is STRING COLLATE UTF8'),
        ({"aggregates": [pw.sum("list")]}, 'sum(list) cannot be computed: "list" is ARRAY<BIGINT>'),
        ({"aggregates": [pw.min("pair")]}, 'min(pair) cannot be computed: "pair" is STRUCT<'),
        ({"aggregates": [pw.mode("pair")]}, 'mode(pair) cannot be computed: "pair" is STRUCT<'),
        ({"aggregates": [pw.argmax("n", "list")]}, 'argmax(n, list) cannot be computed: "n" is B'),
        ({"aggregates": [pw.sum("took")]}, 'sum(took) cannot be computed: "took" is INTERVAL DAY'),
        (
            {"aggregates": [pw.count(), pw.quantile("list", 0.9)]},
            'quantile(list, 0.9) cannot be computed: "list" is ARRAY<BIGINT>. Hint: cast the',
        ),
    ],
)
def test_columns_that_do_not_fit(events: DataFrame, changes: dict, message: str) -> None:
    assert refused(events, SchemaError, **changes).startswith(message)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"time": "n"},
            'sizes must be plain integers, because the time column "n" is INTEGER: got',
        ),
        (
            {"windows": [pw.tumbling(5)]},
            'sizes must be durations, because the time column "ts" is TIMESTAMP: got tumbling(5).',
        ),
        (
            {"time": "day", "windows": [pw.tumbling("36 hours")]},
            "tumbling(1d12h): size must be whole days, because the time column "
            '"day" is a DATE: got size=1d12h. Hint: use whole days, or cast the column',
        ),
    ],
)
def test_sizes_that_do_not_fit(events: DataFrame, changes: dict, message: str) -> None:
    assert refused(events, QueryError, **changes).startswith(message)


@pytest.mark.parametrize("streamed", [False, True], ids=["batch", "stream"])
@pytest.mark.parametrize(
    ("window", "message"),
    [
        (pw.threshold_frame("n"), 'threshold_frame(n): a predicate is true or false: "n" is int64'),
        (
            pw.threshold_frame("device > n"),
            "threshold_frame(device > n): operands are of like type",
        ),
        (
            pw.boundary_frame("list", width=3),
            "boundary_frame(list, width=3): the value of a row is",
        ),
        (
            pw.boundary_frame("n > 3", [1]),
            "boundary_frame(n > 3, edges=[1]): the value of a row is",
        ),
        (pw.delta_frame("day", 3), 'delta_frame(day, 3): the value of a row is a number: "day" is'),
        (
            pw.delta_frame("device + 1", 3),
            "delta_frame(device + 1, 3): + takes numbers: got string",
        ),
        (
            pw.aggregate_frame(pw.max("device"), 3),
            "aggregate_frame(max(device), 3): the value of a",
        ),
        (pw.aggregate_frame(pw.count("lst"), 3), 'no column "lst" in the DataFrame. Hint: did you'),
        (pw.punctuation("n"), 'punctuation(n): a predicate is true or false: "n" is int64. Hint: '),
    ],
    ids=str,
)
def test_windows_that_cannot_look_at_their_columns(
    spark: SparkSession, events: DataFrame, window: Window, message: str, streamed: bool
) -> None:
    if streamed:
        ticking = spark.readStream.format("rate").load().selectExpr("value AS id")
        columns = [
            "timestamp_micros(id) AS ts", "id AS n", "date'2024-01-01' AS day", "'a' AS device",
            "double(id) AS temp", "array(id) AS list",
        ]  # fmt: skip
        events = ticking.selectExpr(*columns).withWatermark("ts", "1 second")
    assert refused(events, SchemaError, windows=[window]).startswith(message)


def test_rows_are_a_data_frame_or_something_that_speaks_arrow() -> None:
    assert refused([{"ts": 1}], SchemaError).startswith(
        "rows are an Arrow table or batch, a data frame or a dict of arrays: got list."
    )


def test_a_tiny_slide_is_warned_of(events: DataFrame) -> None:
    tiny = pw.plan(time="ts", windows=[pw.sliding("30 days", "1 ms")], aggregates=[pw.mean("temp")])
    with pytest.warns(ResultSizeWarning) as caught:
        tiny.run(events)
    message = str(caught[0].message)
    assert "each event is in 2,592,000,000 windows of sliding(30d, 1ms). Hint: use a" in message
    assert caught[0].filename == __file__


def test_common_windows_are_not_warned_of(events: DataFrame) -> None:
    usual = pw.plan(
        time="ts",
        windows=[pw.sliding("1 day", "1 minute"), pw.session("1 h"), pw.tumbling("1 s")],
        aggregates=[pw.mean("temp")],
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        usual.run(events)

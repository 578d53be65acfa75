"""SQL on Spark: the same answers as over Arrow."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import DataFrame, SparkSession

import panewise as pw
from panewise.errors import QueryError, SchemaError
from tests.sql.test_results import EVENTS

TEXT = (
    "SELECT device, window_id AS w, window_start, window_end, SUM(temp * 2) AS total, "
    "COUNT(*) FILTER (WHERE speed > 9) AS fast, MAX(temp) - MIN(temp) AS spread, "
    "MAX(CAST(temp AS INT)) AS whole, SUM(IF(SQRT(temp) > 3, 1, 0)) AS large, "
    "ROUND(MAX(temp) / 7, 2) AS part "
    "FROM events TIMESTAMP BY ts THEN BY seq WHERE temp > 3 AND lower(device) <> 'c' "
    "GROUP BY device, WINDOWS(WINDOW('five', TUMBLING(minute, 5)), HOPPING(minute, 10, 2), "
    "SESSION(second, 40)) HAVING COUNT(*) > 2"
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The events as files, so that Spark and Arrow read the same."""
    path = tmp_path_factory.mktemp("sql") / "events"
    path.mkdir()
    utc = EVENTS.set_column(0, "ts", EVENTS["ts"].cast(pa.timestamp("us", "UTC")))
    pq.write_table(utc, path / "0.parquet")
    return path


@pytest.fixture
def events(spark: SparkSession, folder: Path) -> DataFrame:
    return spark.read.parquet(str(folder))


def plain(rows: Any) -> list[tuple[Any, ...]]:
    """Rows in the order they have, times without a zone."""
    table = rows if isinstance(rows, pa.Table) else rows.toArrow()
    zoneless = [
        column.cast(pa.timestamp("us")) if pa.types.is_timestamp(column.type) else column
        for column in table.columns
    ]
    found = zip(*(column.to_pylist() for column in zoneless), strict=True)
    return [tuple(row) for row in found]


def test_a_frame_of_spark(events: DataFrame) -> None:
    rows = pw.sql(TEXT, events=events)
    expected = pw.sql(TEXT, events=EVENTS)
    assert rows.columns == expected.column_names
    assert sorted(plain(rows)) == sorted(plain(expected)) and expected.num_rows > 20


def test_tables_of_a_session(spark: SparkSession, events: DataFrame) -> None:
    events.createOrReplaceTempView("events")
    rows = pw.sql(f"{TEXT} ORDER BY total DESC, w, window_start LIMIT 5", spark=spark)
    expected = pw.sql(f"{TEXT} ORDER BY total DESC, w, window_start LIMIT 5", events=EVENTS)
    assert plain(rows) == plain(expected)
    with pytest.raises(SchemaError, match=r'no table or view "evnts".*did you mean "events"'):
        pw.sql(TEXT.replace("FROM events", "FROM evnts"), spark=spark)


def test_statements_share_on_spark(spark: SparkSession, events: DataFrame) -> None:
    events.createOrReplaceTempView("events")
    other = (
        "SELECT device, MAX(temp) AS total FROM events TIMESTAMP BY ts THEN BY seq "
        "WHERE temp > 3 AND lower(device) <> 'c' GROUP BY device, TUMBLING('5m')"
    )
    answers = pw.sql(f"{TEXT}; {other}", spark=spark)
    expected = pw.sql(f"{TEXT}; {other}", events=EVENTS)
    for answer, rows in zip(answers, expected, strict=True):
        assert sorted(plain(answer)) == sorted(plain(rows))


def test_a_stream(spark: SparkSession, folder: Path, events: DataFrame, tmp_path: Path) -> None:
    text = (
        "SELECT device, window_start, AVG(temp) AS m FROM e TIMESTAMP BY ts WHERE speed > 5 "
        "GROUP BY device, TUMBLING('5m') HAVING COUNT(*) > 1"
    )
    stream = spark.readStream.schema(events.schema).parquet(str(folder))
    with pytest.raises(QueryError, match="ORDER BY or LIMIT"):
        pw.sql(f"{text} ORDER BY m", events=stream, delay="1 minute")
    told = pw.sql(text, events=stream, delay="1 minute")
    assert told.isStreaming and told.columns == ["device", "window_start", "m"]
    out, checkpoint = str(tmp_path / "out"), str(tmp_path / "checkpoint")
    writer = told.writeStream.format("parquet").option("checkpointLocation", checkpoint)
    writer.trigger(availableNow=True).start(out).awaitTermination()
    watermark = events.selectExpr("max(ts) - INTERVAL 1 MINUTE AS at")
    final = (
        pw.sql(text, events=events).join(watermark).where("window_start + INTERVAL 5 MINUTES <= at")
    )
    answer = plain(spark.read.parquet(out))
    assert answer and sorted(answer) == sorted(plain(final.drop("at")))


def test_columns_are_underlined(events: DataFrame) -> None:
    with pytest.raises(SchemaError, match='did you mean "temp"') as refused:
        pw.sql(TEXT.replace("temp > 3", "tmp > 3"), events=events)
    assert "^^^" in str(refused.value)


def test_a_condition_that_spark_refuses(events: DataFrame) -> None:
    with pytest.raises(SchemaError, match="Spark refuses"):
        pw.sql(TEXT.replace("temp > 3", "device + 'a' - ts > 3"), events=events)

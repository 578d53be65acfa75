"""The example with Kafka, as far as it goes without a broker."""

import ast

import pyarrow as pa
from pyspark.sql import SparkSession

import panewise as pw
from tests.docs.pages import ROOT, blocks


def test_what_is_written_to_kafka_has_types_that_it_takes(spark: SparkSession) -> None:
    """The sink takes keys and values as STRING or BINARY, and says so when the query starts."""
    page = blocks(ROOT / "docs" / "streaming.md")
    (kafka,) = [block for block in page if block.title == "not run: needs a Kafka broker"]
    read, written = (
        [ast.literal_eval(column) for column in call.args]
        for call in sorted(_calls(kafka.text, "selectExpr"), key=lambda call: call.lineno)
    )
    assert "from_json" in read[0]
    value = '{"ts": "2024-05-01 08:00:00", "device": 3, "reading": 7}'
    table = spark.createDataFrame([(value.encode(),)], "value BINARY")
    plan = pw.plan(
        time="ts", by=["device"], windows=[pw.tumbling("1 min")], aggregates=[pw.max("reading")]
    )
    told = plan.run(table.selectExpr(*read).select("r.*")).selectExpr(*written)
    assert told.dtypes == [("key", "string"), ("value", "string")]
    assert told.toArrow().select(["key"]) == pa.table({"key": ["3"]})


def _calls(text: str, name: str) -> list[ast.Call]:
    return [
        node
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == name
    ]

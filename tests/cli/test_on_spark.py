"""`panewise run` on Spark: the same rows as in process, and outputs as whole."""

import json
from pathlib import Path

import pyarrow.dataset as ds
import pytest
from pyspark.sql import SparkSession

from panewise.cli.spark_session import spark_session
from tests.cli.calling import ANSWER, nothing_left, panewise, told

pytestmark = pytest.mark.usefixtures("here", "spark")


@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_the_same_rows_as_in_process(format: str) -> None:
    input = f"readings.{format}"
    done = panewise("run", "query.sql", "-i", input, "-o", "out/", "-t", format, "--spark")
    assert done.exit_code == 0, done.stderr
    files = [str(path) for path in Path("out").glob(f"*.{format}")]
    assert told(ds.dataset(files, format=format).to_table().to_pylist()) == ANSWER
    assert nothing_left(Path())


def test_a_format_of_sparks_with_options_to_standard_output() -> None:
    Path("readings.txt").write_text(Path("readings.csv").read_text().replace(",", ";"))
    options = ["-f", "csv", "--option", "sep=;"]
    done = panewise("run", "query.sql", "-i", "readings.txt", *options, "-t", "json")
    assert done.exit_code == 0, done.stderr
    assert told([json.loads(line) for line in done.stdout.splitlines()]) == ANSWER


def test_a_table_that_spark_knows(spark: SparkSession) -> None:
    spark.read.parquet(str(Path("readings.parquet").absolute())).createOrReplaceTempView("readings")
    done = panewise("run", "query.sql", "--spark", "-o", "out.csv")
    assert done.exit_code == 0, done.stderr
    assert told(ds.dataset("out.csv", format="csv").to_table().to_pylist()) == ANSWER
    spark.catalog.dropTempView("readings")


def test_a_session_that_runs_is_left_running(spark: SparkSession) -> None:
    with spark_session(None, {}) as found:
        assert found is spark
    assert spark.range(1).count() == 1


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["-i", "readings.csv", "-f", "nosuch"], "nosuch"),
        (["-i", "readings.csv", "-f", "orc"], "ORC"),
        (["--spark"], 'no table or view "readings"'),
        (["-i", "readings.csv", "--spark", "--schema", "ts WHEN"], "WHEN"),
        (["-i", "readings.csv", "--spark", "--option", "mode=FAILFAST", "--schema", "ts INT"], ""),
    ],
)
def test_what_spark_cannot_read(args: list[str], said: str) -> None:
    done = panewise("run", "query.sql", *args, "-o", "out")
    assert done.exit_code == 2 and said in done.stderr, done.stderr
    assert "Traceback" not in done.stderr and "\tat " not in done.stderr
    assert not Path("out").exists() and nothing_left(Path())


def test_a_stream_goes_on_from_its_checkpoint() -> None:
    Path("in").mkdir()
    Path("in/1.parquet").write_bytes(Path("readings.parquet").read_bytes())
    command = ["run", "query.sql", "-i", "in", "-o", "out", "--stream", "--delay", "1 s"]
    command += ["--checkpoint", "state"]
    done = panewise(*command)
    assert done.exit_code == 0, done.stderr
    rows = ds.dataset([str(path) for path in Path("out").glob("*.parquet")]).to_table().to_pylist()
    assert told(rows) == [row for row in ANSWER if row[:4] in FINAL]
    again = panewise(*command, "--overwrite")
    assert again.exit_code == 2 and "would lose its answers" in again.stderr
    other = panewise(*command[:-1], "elsewhere")
    assert other.exit_code == 2 and "is there already" in other.stderr


FINAL = [("tumbling(20m)", "a", 8, 0), ("tumbling(20m)", "b", 8, 0)]
"""Windows that end before the newest row."""

"""A new session's settings, as they reach the JVM and the Python workers."""

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from panewise.spark.jvm import ALWAYS, COLLECTOR, OPTIONS, java_options


@pytest.fixture
def silent(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> pytest.MonkeyPatch:
    """Nobody said anything about the JVM."""
    for name in ("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "SPARK_SUBMIT_OPTS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.delenv("PYSPARK_SUBMIT_ARGS", raising=False)
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))
    return monkeypatch


def test_the_collector_is_chosen_where_nobody_did(silent: pytest.MonkeyPatch) -> None:
    del silent
    assert java_options({}) == {OPTIONS: " ".join([COLLECTOR, *ALWAYS])}
    assert java_options({"spark.driver.extraJavaOptions": "-Dx=y"})[OPTIONS].startswith(COLLECTOR)


def test_a_collector_of_the_users_is_left_alone(silent: pytest.MonkeyPatch, tmp_path: Path) -> None:
    other = {OPTIONS: " ".join(ALWAYS)}
    assert java_options({"spark.driver.extraJavaOptions": "-Dx=y -XX:+UseZGC"}) == other
    with silent.context() as told:
        told.setenv("JAVA_TOOL_OPTIONS", "-XX:+UseSerialGC")
        assert java_options({}) == other
    assert java_options({}) != other
    defaults = tmp_path / "spark-defaults.conf"
    defaults.write_text("spark.driver.extraJavaOptions  -XX:+UseG1GC\n")
    assert java_options({}) == other


def test_workers_are_talked_to_by_files(spark: SparkSession) -> None:
    asked = "spark.python.unix.domain.socket.enabled"
    assert spark.sparkContext.getConf().get(asked) == "true"
    rows = spark.range(3).mapInArrow(lambda batches: batches, "id bigint")
    assert [row.id for row in rows.collect()] == [0, 1, 2]


def test_workers_keep_their_memory(spark: SparkSession) -> None:
    def told(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        del batches
        yield pa.record_batch({"kept": [os.environ["MALLOC_TRIM_THRESHOLD_"]]})

    (row,) = spark.range(1).coalesce(1).mapInArrow(told, "kept string").collect()
    assert int(row.kept) == 2**28


COLLECTORS = """
import json
from panewise.spark.session import session

spark = session("local[1]", spark_driver_memory="1g", spark_driver_extraJavaOptions="{options}")
jvm = spark.sparkContext._jvm
beans = jvm.java.lang.management.ManagementFactory.getGarbageCollectorMXBeans()
names = [bean.getName() for bean in beans]
print(json.dumps([names, jvm.System.getProperty("mine")]))
"""


@pytest.mark.parametrize(
    ("options", "collector"), [("-Dmine=1", "PS"), ("-Dmine=1 -XX:+UseG1GC", "G1")]
)
def test_the_jvm_starts_with_it(options: str, collector: str, silent: pytest.MonkeyPatch) -> None:
    del silent
    code = COLLECTORS.format(options=options)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    names, mine = json.loads(done.stdout.splitlines()[-1])
    assert names and all(name.startswith(collector) for name in names)
    assert mine == "1"

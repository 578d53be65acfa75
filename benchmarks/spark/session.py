"""The session that all benchmarks share, and what it runs on."""

from __future__ import annotations

import os
import platform

from pyspark.sql import DataFrame, SparkSession

from panewise.spark import session


def start(**conf: str) -> SparkSession:
    """Two cores, 12 GB, 4 shuffle partitions; more settings by their names with underscores."""
    started = session(
        "local[2]",
        app="panewise-benchmarks",
        spark_driver_memory="12g",
        spark_sql_shuffle_partitions=4,
        spark_sql_session_timeZone="UTC",
        **conf,
    )
    started.sparkContext.setLogLevel("ERROR")
    return started


def consume(rows: DataFrame) -> None:
    """Every row is made, and none is kept."""
    rows.write.format("noop").mode("overwrite").save()


def machine(spark: SparkSession) -> str:
    """Versions and cores; nothing that tells whose machine it is."""
    java = spark._jvm.System.getProperty("java.version")  # type: ignore
    python = platform.python_version()
    return (
        f"Spark {spark.version} on local[2], Java {java}, Python {python}, {os.cpu_count()} cores"
    )

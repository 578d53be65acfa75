"""Shared by all tests: one Spark session, and how hard Hypothesis tries."""

import os
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings
from pyspark.sql import SparkSession

from panewise.spark.session import session

# The default is reproducible and quick; `make test-long` explores.
settings.register_profile(
    "ci",
    deadline=None,
    derandomize=True,
    max_examples=25,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.register_profile("long", settings.get_profile("ci"), derandomize=False, max_examples=500)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    started = session(
        "local[2]",
        app="panewise-tests",
        spark_sql_shuffle_partitions=2,
        spark_sql_session_timeZone="UTC",
    )
    started.sparkContext.setLogLevel("ERROR")
    yield started
    started.stop()

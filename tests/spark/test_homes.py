"""Where keys live: the same in every process, and spread over all partitions."""

import subprocess
import sys
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from panewise.spark.homes import homes_of, labels

MANY = 2**31
COLUMNS: dict[str, tuple[pa.DataType, list[Any]]] = {
    "integers": (pa.int32(), [1, -1, 0, None]),
    "floats": (pa.float64(), [0.5, -3.0, float("inf"), None]),
    "text": (pa.string(), ["a", "", "ä", None]),
    "bytes": (pa.binary(), [b"\xff", b"", b"a", None]),
    "decimals": (pa.decimal128(10, 2), [Decimal("1.50"), Decimal("-1"), Decimal(0), None]),
    "dates": (pa.date32(), [date(2024, 1, 1), date(1969, 1, 1), date(1970, 1, 1), None]),
    "times": (pa.timestamp("us", "UTC"), [datetime(2024, 1, n, tzinfo=UTC) for n in (1, 2, 3)]),
    "truth": (pa.bool_(), [True, False, None]),
    "structs": (pa.struct([("a", pa.int64())]), [{"a": 1}, {"a": None}, {"a": 2}, None]),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_different_keys_have_different_homes_and_equal_ones_the_same(name: str) -> None:
    kind, values = COLUMNS[name]
    twice = homes_of(pa.table({"k": pa.array([*values, *values], kind)}), MANY)
    assert twice[: len(values)].tolist() == twice[len(values) :].tolist()
    assert len(set(twice.tolist())) == len(values)


@pytest.mark.parametrize("nested", [False, True])
def test_moments_are_the_same_keys_in_every_zone(nested: bool) -> None:
    def homes(zone: str) -> list[int]:
        column = pa.array([0, 10**15, None], pa.timestamp("us", zone))
        if nested:
            column = pa.StructArray.from_arrays([column], names=["at"])
        found: list[int] = homes_of(pa.table({"k": column}), MANY).tolist()
        return found

    assert homes("UTC") == homes("Europe/Berlin") == homes("-03:00")


def test_zeros_of_either_sign_and_all_that_are_not_numbers_are_one_key() -> None:
    floats = pa.array([0.0, -0.0, float("nan"), -float("nan")])
    zero, minus, nan, other = homes_of(pa.table({"k": floats}), MANY)
    assert zero == minus and nan == other and zero != nan


def test_another_process_finds_the_same_homes() -> None:
    code = (
        "import pyarrow as pa; from panewise.spark.homes import homes_of;"
        "print(homes_of(pa.table({'a': ['x', None], 'b': [1, 2]}), 2**31).tolist())"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    here = homes_of(pa.table({"a": ["x", None], "b": [1, 2]}), MANY).tolist()
    assert out.stdout.strip() == str(here)


def test_columns_in_another_order_are_another_key() -> None:
    ab = homes_of(pa.table({"a": [1], "b": [2]}), MANY)
    ba = homes_of(pa.table({"a": [2], "b": [1]}), MANY)
    assert ab.tolist() != ba.tolist()


def test_keys_spread_over_all_buckets() -> None:
    homes = homes_of(pa.table({"k": np.arange(10_000)}), 8)
    counts = np.bincount(homes, minlength=8)
    assert counts.min() > 1000 and counts.max() < 1500


@pytest.mark.parametrize("buckets", [1, 2, 4, 7])
def test_spark_puts_every_bucket_into_a_partition_of_its_own(
    spark: SparkSession, buckets: int
) -> None:
    found = spark.createDataFrame([(label,) for label in labels(buckets)], "bucket int")
    places = found.selectExpr(f"pmod(hash(bucket), {buckets}) AS place").collect()
    assert sorted(row.place for row in places) == list(range(buckets))

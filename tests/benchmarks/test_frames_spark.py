"""Window functions say what frames are where they can."""

import pytest

cases = pytest.importorskip("benchmarks.papers.frames_spark")
from benchmarks import data  # noqa: E402
from benchmarks.spark.cases import agree, checksum  # noqa: E402


@pytest.mark.parametrize("scheme", sorted(cases.LOOKED_AT))
def test_sql_and_ours_agree(spark, tmp_path, scheme):
    readings = spark.read.parquet(str(data.ensure(5000, 5, tmp_path)))
    theirs = checksum(cases.as_sql(scheme)(readings))
    assert theirs[0] > 100
    assert agree(theirs, checksum(cases.as_ours(scheme)(readings)))

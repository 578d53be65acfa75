"""What travels from step to step comes out as it went in."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import panewise as pw
from panewise.spark.streaming.telling import Columns
from panewise.spark.wire import narrowed, received, sent
from tests.conformance.buckets import Played, job_of

LONG = st.integers(-(2**63), 2**63 - 1)
stepped = st.builds(
    lambda least, step, numbers: [least + step * number for number in numbers],
    st.integers(-(2**40), 2**40),
    st.integers(0, 10**7),
    st.lists(st.integers(0, 300), max_size=200),
)


@pytest.mark.parametrize(
    "tables",
    [
        {},
        {"none": pa.table({"x": pa.array([], pa.int64())})},
        {"no columns": pa.table({})},
        {"ä": pa.table({"t": ["x", None], "n": [1, 2]}), "b": pa.table({"x": [[1.5], None]})},
        {"near": pa.table({"x": [2**62, 2**62 + 255], "y": [-1, 2**16], "z": [0, 2**32]})},
        {"far": pa.table({"x": [-(2**63), 2**63 - 1], "y": [None, 1]})},
    ],
)
def test_tables_come_out_as_they_went_in(tables: dict[str, pa.Table]) -> None:
    assert received(sent(tables)) == tables
    assert received(pa.py_buffer(sent(tables))) == tables


@given(st.one_of(st.lists(LONG), stepped), st.booleans())
def test_integers_come_out_as_they_went_in(numbers: list[int], null: bool) -> None:
    table = pa.table({"x": pa.array([*numbers, *[None] * null], pa.int64())})
    assert received(sent({"a": table}))["a"] == table


@pytest.mark.parametrize(
    ("numbers", "kind"),
    [
        ([5] * 100, pa.null()),
        ([0] * 100 + [1], pa.uint8()),
        (range(0, 250 * 10**7, 10**7), pa.uint8()),
        ([*range(0, 7000, 70), 7001], pa.uint16()),
        ([0, 2**32], pa.uint8()),
        ([0, 2**32, 2**32 + 1], pa.int64()),
        ([-(2**63), 2**63 - 1], pa.int64()),
    ],
)
def test_as_few_bytes_as_it_takes(numbers: list[int], kind: pa.DataType) -> None:
    assert narrowed(pa.table({"x": np.array(numbers, np.int64)})).schema.types == [kind]


def test_results_come_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """More results than a piece has: none is lost, and counts are told once."""
    schema = {"t": "bigint", "k": "bigint", "x": "bigint"}
    plan = pw.plan(time="t", by=["k"], windows=[pw.tumbling(5)], aggregates=[pw.sum("x")])
    rows = [{"t": t, "k": t % 3, "x": 1} for t in range(40)]
    monkeypatch.setattr(Columns, "PIECE", 2)
    played = Played(job_of(plan.query, schema, delay=0, buckets=1), schema)
    told = played.push([rows])
    assert [piece.num_rows for piece in told] == [2] * 10 + [1]
    assert sum(pa.concat_tables(told)["sum(x)"].to_pylist()) == 35

"""What travels from step to step comes out as it went in."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import panewise as pw
from panewise.spark.streaming import parcels, telling
from panewise.spark.streaming.parcels import packing, parcels_of
from panewise.spark.wire import narrowed, received, sent
from tests.conformance.buckets import Played, job_of, read

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
    blob = b"".join(sent(tables))
    assert received(blob) == tables
    assert received(pa.py_buffer(blob)) == tables


@given(st.one_of(st.lists(LONG), stepped), st.booleans())
def test_integers_come_out_as_they_went_in(numbers: list[int], null: bool) -> None:
    table = pa.table({"x": pa.array([*numbers, *[None] * null], pa.int64())})
    assert received(b"".join(sent({"a": table})))["a"] == table


@pytest.mark.parametrize(
    ("numbers", "kind"),
    [
        ([5] * 100, pa.null()),
        ([0] * 100 + [1], pa.uint8()),
        (range(0, 250 * 10**7, 10**7), pa.uint8()),
        ([*range(0, 7000, 70), 7001], pa.uint16()),
        ([0] * 1000 + [70, 10**7 * 70], pa.uint32()),
        ([0] * 1000 + [10**7, 255 * 10**7], pa.uint8()),
        ([0, 2**32], pa.uint8()),
        ([0, 2**32, 2**32 + 1], pa.int64()),
        ([-(2**63), 2**63 - 1], pa.int64()),
    ],
)
def test_as_few_bytes_as_it_takes(numbers: list[int], kind: pa.DataType) -> None:
    assert narrowed(pa.table({"x": np.array(numbers, np.int64)})).schema.types == [kind]


FLOAT = st.one_of(
    st.floats(),
    st.decimals(-(10**9), 10**9, places=2).map(float),
    st.sampled_from([0.0, -0.0, 0.07, 0.1 + 0.2, 1e300, float(2**53 + 2)]),
)


@given(st.one_of(st.lists(FLOAT), st.lists(st.decimals(-100, 100, places=3).map(float))))
def test_floats_come_out_to_the_bit(numbers: list[float]) -> None:
    table = pa.table({"x": pa.array(numbers, pa.float64())})
    found = received(b"".join(sent({"a": table})))["a"]
    assert found.schema == table.schema
    assert np.asarray(found["x"]).tobytes() == np.asarray(table["x"]).tobytes()


@pytest.mark.parametrize(
    ("numbers", "kind"),
    [
        ([19.99, 5.25, 7.5], pa.uint16()),
        ([float(n) for n in range(200)], pa.uint8()),
        ([2.5] * 100, pa.null()),
        ([0.1, 0.01, 0.001, 1e-6, 1000.0], pa.uint32()),
        ([2e12, 2e12 + 0.125], pa.uint8()),
        ([2.0**52, 2.0**52 + 1], pa.uint8()),
        ([1e-7, 1.0], pa.float64()),
        ([0.1 + 0.2, 0.3], pa.float64()),
        ([0.0, -0.0], pa.float64()),
        ([1.5, float("nan")], pa.float64()),
        ([1.5, float("-inf")], pa.float64()),
        ([0.25, 1e300], pa.float64()),
        ([0.25] * 1000 + [1 / 3] + [0.25] * 1000, pa.float64()),
    ],
)
def test_decimals_take_few_bytes(numbers: list[float], kind: pa.DataType) -> None:
    assert narrowed(pa.table({"x": numbers})).schema.types == [kind]


SCHEMA = {"t": "bigint", "k": "bigint", "x": "bigint"}
PLAN = pw.plan(time="t", by=["k"], windows=[pw.tumbling(5)], aggregates=[pw.sum("x")])
ROWS = [{"t": t, "k": t % 3, "x": 1} for t in range(40)]


def test_results_come_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """More results than a piece has: none is lost, and counts are told once."""
    monkeypatch.setattr(telling, "PIECE", 2)
    played = Played(job_of(PLAN.query, SCHEMA, delay=0, buckets=1), SCHEMA)
    told = played.push([ROWS])
    assert [piece.num_rows for piece in told] == [2] * 10 + [1]
    assert sum(pa.concat_tables(told)["sum(x)"].to_pylist()) == 35


def test_parcels_come_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Spark may hand their pieces over in any order, of all tasks mixed."""
    monkeypatch.setattr(parcels, "PIECE", 64)
    job = job_of(PLAN.query, SCHEMA, delay=0, buckets=1)
    tasks = [
        next(packing(job)(read(rows, SCHEMA, job).to_batches())).to_pandas().assign(task=number)
        for number, rows in enumerate((ROWS[:25], ROWS[25:]))
    ]
    pieces = pd.concat(tasks)
    assert len(pieces) > 20
    assert max(map(len, pieces["bytes"])) == 64
    mixed = pieces.sample(frac=1, random_state=1)
    found = parcels_of([mixed[:7], mixed[7:]])
    assert [each.task for each in found] == [0, 1]
    assert [each.counts.rows for each in found] == [25, 15]
    assert [each.counts.newest for each in found] == [24, 39]
    assert [each.tables["cells"]["p0"].to_pylist() for each in found] == [
        each.tables["cells"]["p0"].to_pylist() for each in parcels_of(tasks)
    ]

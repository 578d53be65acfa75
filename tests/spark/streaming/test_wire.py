"""What travels from step to step comes out as it went in."""

import numpy as np
import pyarrow as pa
import pytest

import panewise as pw
from panewise.spark.streaming.telling import Columns
from panewise.spark.wire import received, sent
from tests.conformance.buckets import Played, job_of


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


def test_integers_that_are_near_each_other_take_few_bytes() -> None:
    panes = pa.array(1_700_000_000_000_000 + 20_000_000 * (np.arange(10_000) % 50))
    assert len(sent({"cells": pa.table({"pane": panes})})) < 5 * 10_000


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

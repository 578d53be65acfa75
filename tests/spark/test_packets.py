"""Rows that travel in packets: all arrive, at the right worker, and none too late."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from panewise.spark import batches, packets
from panewise.spark.homes import labels
from panewise.spark.packets import HOME, ORDER, SCHEMA, Packing, packed, unpacked

HOMES = 3
row = st.fixed_dictionaries(
    {
        "t": st.one_of(st.integers(-5, 40), st.sampled_from([-(2**62), 2**62])),
        "x": st.one_of(st.none(), st.integers(-3, 3), st.sampled_from([2**63 - 1, -(2**63)])),
        "text": st.one_of(st.none(), st.text(max_size=40)),
        HOME: st.integers(0, HOMES - 1),
    }
)
KINDS = pa.schema(
    [
        pa.field("t", pa.int64(), nullable=False),
        ("x", pa.int64()),
        ("text", pa.string()),
        (HOME, pa.int32()),
    ]
)


def batch_of(rows: list[dict[str, Any]]) -> pa.RecordBatch:
    return pa.RecordBatch.from_pylist(rows, schema=KINDS)


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packets, "ROWS", 4)
    monkeypatch.setattr(packets, "PIECE", 64)


def delivered(parts: list[pa.RecordBatch], label: int, cut: int) -> list[tuple[pa.Table, int]]:
    """What a worker gets: the pieces of its label in order, in batches of any size."""
    own = pa.Table.from_batches(parts, SCHEMA)
    own = own.filter(pa.compute.equal(own["label"], label))
    own = own.sort_by([(name, "ascending") for name in ORDER]).combine_chunks()
    return list(unpacked(own.to_batches(max_chunksize=cut)))


@given(st.lists(st.lists(row, max_size=20), max_size=3), st.integers(1, 30))
def test_every_row_arrives_at_its_home_in_time(several: list[list[dict]], cut: int) -> None:
    named = np.array(labels(HOMES), np.int32)
    parts = [packed(batch_of(rows), named, n << 32) for n, rows in enumerate(several) if rows]
    for home, label in enumerate(named.tolist()):
        got: list[dict[str, Any]] = []
        known = -(2**63)
        for table, first in delivered(parts, label, cut):
            assert known <= first
            known = first
            assert min(table["t"].to_pylist()) >= known
            got += table.to_pylist()
        sent = [row for rows in several for row in rows if row[HOME] == home]
        expected = [{name: row[name] for name in ("t", "x", "text")} for row in sent]
        assert sorted(map(repr, got)) == sorted(map(repr, expected))


def test_rows_are_cut_by_time() -> None:
    rows = [{"t": (n * 7) % 16, "x": n, "text": None, HOME: 1} for n in range(16)]
    (part,) = Packing(HOMES).run([batch_of(rows), batch_of([])])
    found = delivered([part], labels(HOMES)[1], 100)
    assert [table["t"].to_pylist() for table, _ in found] == np.arange(16).reshape(4, 4).tolist()
    assert [first for _, first in found] == [0, 4, 8, 12]


def test_pieces_are_small() -> None:
    rows = [{"t": n, "x": n, "text": "a" * 99, HOME: 0} for n in range(9)]
    (part,) = Packing(1).run([batch_of(rows)])
    lengths = pa.compute.binary_length(part["bytes"]).to_pylist()
    assert max(lengths) == packets.PIECE and len(lengths) > 10
    ((table, _), (other, _)) = delivered([part], 0, 1)
    assert table.num_rows + other.num_rows == 9


def test_large_rows_are_taken_fewer_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batches, "BYTES", 1000)
    rows = [batch_of([{"t": n, "x": n, "text": "a" * 600, HOME: 0}]) for n in range(5)]
    assert [batch.num_rows for batch in batches.larger(rows)] == [2, 2, 1]

"""Windows of many keys that are read from open panes, and what makes the operator leave them."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import panewise as pw
from panewise.errors import ResultOverflow
from panewise.kernels import keyed_in_place, open_panes
from panewise.kernels.keyed_in_place import KeyedInPlaceTier
from panewise.operator import Operator

WINDOWS = [pw.tumbling(4), pw.tumbling(6), pw.sliding(12, 2)]


def planned() -> pw.Plan:
    aggregates = [pw.sum("x"), pw.min("x"), pw.max("x"), pw.count()]
    return pw.plan(time="t", by=["k"], windows=WINDOWS, aggregates=aggregates)


def tier(op: Operator) -> KeyedInPlaceTier:
    found = op._engine.composer.tiers[0]  # type: ignore[union-attr]
    assert isinstance(found, KeyedInPlaceTier)
    return found


def rows_of(table) -> Counter:  # type: ignore[no-untyped-def]
    return Counter(map(repr, table.to_pylist()))


Batch = dict[str, list[int | None]]


@st.composite
def streams(draw: st.DrawFn) -> list[Batch]:
    """Batches of a stream that goes on; some have one key, others many."""
    batches: list[Batch] = []
    now = 0
    for _ in range(draw(st.integers(1, 8))):
        count, spread = draw(st.integers(0, 12)), draw(st.sampled_from([1, 3, 40]))
        times = [now + draw(st.integers(0, 9)) for _ in range(count)]
        keys = [draw(st.integers(0, spread)) for _ in range(count)]
        values = [draw(st.none() | st.integers(-9, 9)) for _ in range(count)]
        batches.append({"t": list(times), "k": list(keys), "x": values})
        now = max([now, *times]) + draw(st.sampled_from([0, 0, 3, 50]))
    return batches


def answers(batches: list[Batch], snapshots: bool) -> Counter:
    op = Operator(planned(), delay=9)
    told: Counter = Counter()
    for batch in batches:
        columns = {name: pa.array(column, pa.int64()) for name, column in batch.items()}
        told += rows_of(op.push(columns))
        if snapshots:
            op = Operator.restore(planned(), op.snapshot())
    return told + rows_of(op.flush())


NOTHING: Batch = {"t": [], "k": [], "x": []}


@example([{"t": [0, 4], "k": [0, 1], "x": [1, 2]}, NOTHING], True)
@given(streams(), st.booleans())
def test_sparse_and_dense_panes_tell_the_same(batches: list[Batch], snapshots: bool) -> None:
    dense = answers(batches, snapshots)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(open_panes, "SMALL", 0)
        patch.setattr(open_panes, "DENSE", 1)  # cells are set aside nearly always, and put back
        assert answers(batches, snapshots) == dense
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(keyed_in_place, "MANY_KEYS", 1)  # a piece for every window
        assert answers(batches, snapshots) == dense
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(keyed_in_place, "MOST_RESULTS", 1)  # too many windows at once
        assert answers(batches, snapshots) == dense


def push(op: Operator, now: int, keys: int, rows: int = 1 << 12) -> None:
    t = np.sort(np.random.default_rng(now).integers(now, now + 4, rows))
    op.push({"t": t, "k": np.arange(rows) % keys, "x": np.ones(rows, np.int64)})


def test_cells_are_put_back_into_panes_once_they_fill_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(open_panes, "SMALL", 0)
    op = Operator(planned())
    push(op, 0, keys=16)
    assert not tier(op).parts(), "dense keys stay in open panes"
    for now in (40, 80, 100):
        op.push({"t": [now], "k": [5000 + now], "x": [1]})
    assert tier(op).parts(), "sparse ones do not"
    for now in range(102, 202, 4):
        push(op, now, keys=16)
    assert not tier(op).parts()
    assert op.stats().keys <= 19


def test_a_snapshot_leaves_the_next_push_in_open_panes() -> None:
    op = Operator(planned())
    push(op, 0, keys=16)
    again = Operator.restore(planned(), op.snapshot())
    for each in (op, again):
        push(each, 4, keys=16)
        assert not tier(each).parts()


def test_sums_of_panes_that_leave_64_bits_are_refused() -> None:
    op = Operator(pw.plan(time="t", by=["k"], windows=[pw.sliding(4, 1)], aggregates=[pw.sum("x")]))
    op.push({"t": [0], "k": [1], "x": [2**62]})
    with pytest.raises(ResultOverflow, match="BIGINT"):
        op.push({"t": [1, 9], "k": [1, 1], "x": [2**62, 0]})

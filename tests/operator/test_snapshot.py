"""Snapshot and restore at every step of a run changes nothing."""

from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import panewise as pw
from panewise import aggregates as agg
from panewise.aggregates.algebra import Kind, Properties
from panewise.operator import Operator
from panewise.query import Query
from panewise.testing import assert_same_rows, events
from panewise.testing.applicable import examples_for
from panewise.testing.generators import VALUE_TYPES, window_examples
from panewise.windows import ScannedRows, Window
from tests.conformance.streams import batches, cuts, plain, plan_of, table
from tests.operator.feed import SCHEMA, feed, planned, shown

quick = settings(suppress_health_check=list(HealthCheck), deadline=None)


class InOrder(pw.UserAggregate):
    """Digits in the order of rows: does not commute."""

    kind_name = "in_order"
    partial_types = ("bigint", "bigint")
    returns = "bigint"
    claims = Properties(kind=Kind.ALGEBRAIC, commutative=False)

    def lift(self, values: np.ndarray) -> tuple[np.ndarray, ...]:
        return values.astype(np.int64), np.full(len(values), 10, np.int64)

    def combine(
        self, left: tuple[np.ndarray, ...], right: tuple[np.ndarray, ...]
    ) -> tuple[np.ndarray, ...]:
        return (left[0] * right[1] + right[0]) % 997, left[1] * right[1] % 997

    def lower(self, partials: tuple[np.ndarray, ...]) -> np.ndarray:
        return partials[0]


class Growing(pw.UserWindow):
    """Windows of 1, 2, 3, ... rows: the context says how many are next."""

    kind = "growing"
    reads = ("y",)

    def scan(self, context: Any, rows: ScannedRows, watermark: int) -> pw.Scanned:
        size, lo, closed = (context or {"size": 1})["size"], 0, []
        while lo + size <= len(rows) or (watermark == pw.END and lo < len(rows)):
            hi = min(lo + size, len(rows))
            closed.append(pw.Closed(lo, hi, rows.ticks[lo], rows.ticks[hi - 1] + rows.tick))
            lo, size = hi, size + 1
        return pw.Scanned(closed, {"size": size}, needed=lo)


AGGREGATES: dict[str, tuple[pw.Aggregate, ...]] = {
    "numbers": (agg.count(), agg.sum("x"), agg.min("y")),
    "arrays": (agg.mean("x"), agg.last("x"), agg.collect("y"), agg.argmin("x", "y")),
    "values counted": (agg.median("x"), agg.mode("y"), agg.count()),
    "in order": (InOrder("x"), agg.sum("y")),
}


@pytest.mark.parametrize("lateness", [0, 25])
@pytest.mark.parametrize("window", [*window_examples(), Growing()], ids=lambda w: w.window_id)
def test_every_step(window: Window, lateness: int) -> None:
    @quick
    @given(data=st.data(), rows=events(max_rows=20), delay=st.sampled_from([0, 5, 10**6]))
    def check(data: Any, rows: list[dict[str, Any]], delay: int) -> None:
        aggregates = AGGREGATES[data.draw(st.sampled_from(sorted(AGGREGATES)))]
        store = data.draw(st.sampled_from(["auto", "lazy", "eager"]))
        plan = plan_of(Query("t", ("k",), (window,), aggregates, "seq"))
        whole = Operator(plan, delay=delay, lateness=lateness, store=store)
        pieces = Operator(plan, delay=delay, lateness=lateness, store=store)
        for batch in batches(rows, data.draw(cuts(len(rows)))):
            pieces = Operator.restore(plan, pieces.snapshot())
            same(pieces.push(table(batch, SCHEMA)), whole.push(table(batch, SCHEMA)))
        pieces = Operator.restore(plan, pieces.snapshot())
        same(pieces.flush(), whole.flush())

    check()


@pytest.mark.parametrize("lateness", [0, 25])
@pytest.mark.parametrize("aggregates", ["values counted", "in order"])
@pytest.mark.parametrize("window", [*window_examples(), Growing()], ids=lambda w: w.window_id)
def test_row_by_row(window: Window, aggregates: str, lateness: int) -> None:
    """A window that is open when the snapshot is taken closes when it would have closed."""
    plan = plan_of(Query("t", ("k",), (window,), AGGREGATES[aggregates], "seq"))
    whole, pieces = (Operator(plan, lateness=lateness) for _ in range(2))
    times = [0, 1, 3, 3, 8, 20, 6, 21, 22, 50, 49, 51, 75, 60, 76, 100, 130, 129, 170]
    for number, t in enumerate(times):
        row = {"t": t, "k": "ab"[number % 2], "x": number, "y": number % 4 - 2, "seq": number}
        pieces = Operator.restore(plan, pieces.snapshot())
        same(pieces.push(table([row], SCHEMA)), whole.push(table([row], SCHEMA)))
        assert pieces.stats().watermark == whole.stats().watermark
    pieces = Operator.restore(plan, pieces.snapshot())
    same(pieces.flush(), whole.flush())


def same(got: pa.Table, expected: pa.Table) -> None:
    assert got.schema.equals(expected.schema, check_metadata=True)
    assert_same_rows(plain([got]), plain([expected]), by=("k",), magnitude=1e3)


def test_a_snapshot_changes_nothing() -> None:
    plan = planned(pw.tumbling(10), pw.session(3), pw.tumbling(pw.rows(3)))
    one, other = (Operator(plan, delay=5, lateness=5) for _ in range(2))
    for batch in ([1, 5, 2], [9], [14, 30], [22, 29], [60]):
        assert shown(one.push(feed(batch))) == shown(other.push(feed(batch)))
        assert one.snapshot() == one.snapshot()
    assert shown(one.flush()) == shown(other.flush())


def test_counts_and_settings_come_back() -> None:
    plan = planned(pw.tumbling(10))
    op = Operator(plan, delay=3, lateness=4, store="eager")
    op.push(feed([50, None]))
    op.push(feed([1, 51]))
    again = Operator.restore(plan, op.snapshot())
    before, after = op.stats(), again.stats()
    assert (after.rows, after.late_rows, after.null_times) == (4, 1, 1)
    assert (after.watermark, after.keys, after.slices) == (48, before.keys, before.slices)
    assert again.explain() == op.explain()


def test_before_the_first_push() -> None:
    plan = planned(pw.tumbling(10))
    again = Operator.restore(plan, Operator(plan, delay=2).snapshot())
    assert again.watermark is None
    assert shown(again.push(feed([1, 11]))) == []
    assert shown(again.push(feed([12]))) == [(0, 10, 1)]


def test_bytes_of_any_kind() -> None:
    plan = planned(pw.tumbling(10))
    op = Operator(plan)
    op.push(feed([1]))
    blob = op.snapshot()
    for same_bytes in (blob, bytearray(blob), memoryview(blob)):
        assert shown(Operator.restore(plan, same_bytes).flush()) == [(0, 10, 1)]


@pytest.mark.parametrize("digits, scale", [(2, 1), (18, 17), (9, 2)])
@pytest.mark.parametrize("aggregate", [pw.sum("x"), pw.mean("x")], ids=str)
def test_an_open_frame_of_decimals(aggregate: Any, digits: int, scale: int) -> None:
    plan = planned(pw.aggregate_frame(aggregate, 1), aggregates=[pw.sum("x")])
    values = pa.array([Decimal("0.1"), Decimal("0.2")], pa.decimal128(digits, scale))
    table = pa.table({"t": [1, 2], "k": ["a", "a"], "x": values})
    op = Operator(plan, delay=0)
    op.push(table)
    op.push(table.set_column(0, "t", pa.array([3, 4])))
    again = Operator.restore(plan, op.snapshot())
    for each in op, again:
        assert each.flush()["sum(x)"].to_pylist() == [Decimal("0.6")]


def test_queries_that_were_added_are_given_again() -> None:
    plan, more = planned(pw.tumbling(10)), planned(pw.session(3), aggregates=[pw.median("x")])
    op = Operator(plan)
    op.push(feed([1]))
    since = op.add(more, name="more")
    op.push(feed([7, 8]))
    again = Operator.restore(plan, op.snapshot(), added={"more": more})
    assert again.queries == ("main", "more")
    assert since == 2
    assert again.flush().to_pylist() == op.flush().to_pylist()


def test_a_shared_plan() -> None:
    shared = pw.plan_all({"one": planned(pw.tumbling(10)), "two": planned(pw.session(3))})
    op = Operator(shared)
    op.push(feed([1, 2]))
    again = Operator.restore(shared, op.snapshot())
    assert again.queries == ("one", "two")
    assert again.flush().to_pylist() == op.flush().to_pylist()


@pytest.mark.parametrize("sql_type", VALUE_TYPES)
def test_values_of_any_type(sql_type: str) -> None:
    """Every aggregate at once, over a set of windows that holds each type."""
    chosen = {type(w): w for w in reversed(window_examples())}
    query = Query("t", ("k",), tuple(chosen.values()), tuple(examples_for(sql_type)), "seq")
    schema = {**SCHEMA, "x": sql_type}

    @settings(quick, max_examples=5)
    @given(rows=events(sql_type, max_rows=20), at=st.lists(st.integers(0, 20), max_size=3))
    def check(rows: list[dict[str, Any]], at: list[int]) -> None:
        plan = plan_of(query)
        whole, pieces = (Operator(plan, delay=5, lateness=9) for _ in range(2))
        for batch in batches(rows, sorted(at)):
            pieces = Operator.restore(plan, pieces.snapshot())
            same(pieces.push(table(batch, schema)), whole.push(table(batch, schema)))
        pieces = Operator.restore(plan, pieces.snapshot())
        same(pieces.flush(), whole.flush())

    check()


@pytest.mark.parametrize(
    "key",
    [
        pa.array(["a", "", None, "ä\x00b"]),
        pa.array([1, -1, None, 2**62]),
        pa.array([0.5, float("nan"), None, -0.0]),
        pa.array([b"\xff\x00", b"", None, b"b"]),
        pa.array([True, False, None, True]),
        pa.array([[1, 2], [], None, [None]]),
        pa.array([{"a": 1}, {"a": None}, None, {"a": 2}]),
    ],
    ids=lambda key: str(key.type),
)
def test_keys_of_any_type(key: pa.Array) -> None:
    plan = planned(pw.tumbling(10), aggregates=[pw.count()])
    op = Operator(plan)
    op.push({"t": [1, 2, 3, 4], "k": key})
    again = Operator.restore(plan, op.snapshot())
    again.push({"t": [5, 5, 5, 5], "k": key})
    op.push({"t": [5, 5, 5, 5], "k": key})
    got, expected = again.flush(), op.flush()
    assert got.schema == expected.schema
    assert repr(got.to_pylist()) == repr(expected.to_pylist())

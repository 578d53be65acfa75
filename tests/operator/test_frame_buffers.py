"""The buffer that an operator takes by itself, as rows come late and as they do not."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import panewise as pw
from panewise.kernels.frames import switching_tier
from panewise.operator import Operator
from tests.operator.feed import planned
from tests.operator.framing import operator, rows, shown

PAIRS = pw.aggregate_frame(pw.count(), 2)
MANY = 10_000


def times(low: int, high: int) -> pa.Table:
    return rows(range(low, high), range(low, high))


def test_the_first_late_row_and_many_in_order() -> None:
    op = operator(PAIRS, lateness=20)
    told = shown(op.push(times(0, 10)))
    assert op.stats().buffers == ("in_order",) and len(told) == 4
    assert shown(op.push(rows([6], [0]))) == [
        *((6, 7, [6, 0]), (6, 8, [6, 7], 1, True)),
    ]
    assert op.stats().buffers == ("multi",) and "  buffer: multi now, each row" in op.explain()
    op.push(times(10, MANY))
    assert op.stats().buffers == ("in_order",) and "  buffer: in_order now," in op.explain()
    assert op.stats().tuples < 5_000


def test_rows_of_one_push_are_not_late() -> None:
    op = operator(PAIRS, lateness=20)
    op.push(rows([5, 3, 9, 4], [0] * 4))
    op.push(rows([12, 9, 11], [0] * 3))
    assert op.stats().buffers == ("in_order",)


def test_a_late_row_with_no_value_changes_nothing() -> None:
    op = operator(PAIRS, pw.delta_frame("x", 3), lateness=20)
    op.push(times(0, 10))
    op.push(rows([5], [None]))
    assert op.stats().buffers == ("multi", "in_order"), "only pairs count rows without a value"


@pytest.mark.parametrize(
    ("options", "aggregate", "buffer"),
    [
        ({}, pw.sum("x"), "in_order"),
        ({"delay": 5}, pw.sum("x"), "in_order"),
        ({"lateness": 5}, pw.sum("x"), "in_order"),
        ({"lateness": 5}, pw.collect("x"), "in_order"),
        ({"lateness": 5}, pw.median("x"), "multi"),
        ({"lateness": 5, "evict": (2, 1)}, pw.sum("x"), "multi"),
        ({"report": "update"}, pw.sum("x"), "multi"),
        ({"lateness": 5, "buffer": "multi"}, pw.sum("x"), "multi"),
        ({"lateness": 5, "buffer": "lazy"}, pw.sum("x"), "lazy"),
        ({"lateness": 5, "buffer": "eager"}, pw.sum("x"), "eager"),
    ],
    ids=str,
)
def test_what_is_taken_at_first(
    options: dict[str, Any], aggregate: pw.Aggregate, buffer: str
) -> None:
    """What is forced stays, however rows come."""
    op = Operator(planned(PAIRS, aggregates=[aggregate]), **options)
    assert op.stats().buffers == ()
    op.push(times(0, 10))
    assert op.stats().buffers == (buffer,)
    assert f"buffer: {buffer}" in op.explain()
    if "buffer" in options:
        op.push(rows([8], [0]))
        op.push(times(10, MANY))
        assert op.stats().buffers == (buffer,)


@pytest.mark.parametrize("late", [False, True])
def test_snapshots_say_which_one_it_is(late: bool) -> None:
    op = operator(PAIRS, lateness=20)
    op.push(times(0, 10))
    if late:
        op.push(rows([6], [0]))
    again = Operator.restore(
        planned(PAIRS, aggregates=[pw.collect("x"), pw.count()]), op.snapshot()
    )
    assert again.stats().buffers == op.stats().buffers == ("multi" if late else "in_order",)
    for batch in (times(10, 20), rows([15], [0]), times(20, 25)):
        assert shown(again.push(batch)) == shown(op.push(batch))
    assert shown(again.flush()) == shown(op.flush())


def test_revisions_are_counted_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """A frame that was revised before the multi buffer was left is revised once more."""
    monkeypatch.setattr(switching_tier, "QUIET", 0)
    monkeypatch.setattr(switching_tier, "FEW", 10)
    op = operator(pw.threshold_frame("x > 0"), lateness=MANY)
    op.push(rows([1, 2, 4], [1, -1, 4]))
    assert shown(op.push(rows([1], [1]))) == [(1, 2, [1, 1], 1, False)]
    op.push(times(5, 20))
    assert op.stats().buffers == ("in_order",)
    assert shown(op.push(rows([1], [1]))) == [(1, 2, [1, 1, 1], 2, False)]


def test_what_is_pushed_may_change_afterwards() -> None:
    """Rows are kept, and not where they lie."""
    t, x = np.arange(10), np.arange(10)
    keys = pa.array(["a"] * 10)
    op = operator(PAIRS, lateness=20)
    op.push({"t": t, "k": keys, "x": x})
    t[:], x[:] = 0, 0
    assert shown(op.push(rows([6], [0]))) == [
        *((6, 7, [6, 0]), (6, 8, [6, 7], 1, True)),
    ]


@pytest.mark.parametrize("size", [1, 700, 20_000])
def test_few_rows_are_kept_while_they_come_in_order(size: int) -> None:
    """Those that the lateness reaches, and a few pages; however they are pushed."""
    op, held = Operator(planned(PAIRS), lateness=100), []
    for low in range(0, 12 * size if size > 1 else 9_000, size):
        at = np.arange(low, low + size)
        op.push(pa.table({"t": at, "k": pa.array(["a"] * size), "x": at}))
        held.append(op.stats().tuples)
    assert op.stats().buffers == ("in_order",)
    assert max(held) <= 3 * 4_096 + 2 * 100 + min(size, 4_096)


def test_keys_that_come_and_go() -> None:
    """Their numbers are given anew, also to rows that are kept in order."""
    op = Operator(planned(pw.threshold_frame("x < 3"), aggregates=[pw.count()]), lateness=50)
    for low in range(0, 80_000, 500):
        at = np.arange(low, low + 500)
        op.push(pa.table({"t": at, "k": pa.array(at // 4).cast(pa.string()), "x": at % 4}))
    assert op.stats().buffers == ("in_order",) and op.stats().keys < 10_000
    late = pa.table({"t": [79_985], "k": [str(79_985 // 4)], "x": [1]})
    (row,) = op.push(late).to_pylist()
    assert (row["k"], row["count()"], row["revision"]) == (str(79_985 // 4), 4, 1)
    assert op.stats().buffers == ("multi",)

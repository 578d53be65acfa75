"""Batches that an operator refuses: the message says what was given, the rule, and a hint."""

from collections.abc import Callable
from datetime import datetime
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

import panewise as pw
from panewise.errors import (
    OperatorError,
    PanewiseError,
    QueryError,
    ResultOverflow,
    SchemaError,
)
from panewise.operator import Operator
from panewise.windows import Window
from tests.operator.feed import feed, planned, shown


def refused(kind: type[PanewiseError], call: Callable[[], Any]) -> str:
    with pytest.raises(kind) as error:
        call()
    assert error.value.hint, "an error has a hint"
    return str(error.value)


def test_missing_column() -> None:
    op = Operator(planned(pw.tumbling(10)))
    message = refused(SchemaError, lambda: op.push({"t": [1], "kk": ["a"], "x": [1]}))
    assert message == 'no column "k" in the batch. Hint: did you mean "kk"?'


@pytest.mark.parametrize("kind", ["table", "batch", "pandas", "dict"])
def test_missing_column_of_any_kind(kind: str) -> None:
    table = feed([1]).drop_columns(["x"])
    given = {
        "table": table,
        "batch": table.to_batches()[0],
        "pandas": table.to_pandas(),
        "dict": table.to_pydict(),
    }
    op = Operator(planned(pw.tumbling(10)))
    message = refused(SchemaError, lambda: op.push(given[kind]))
    assert message.startswith('no column "x" in the ')


def test_retyped_column() -> None:
    op = Operator(planned(pw.tumbling(10)))
    op.push(feed([1]))
    message = refused(SchemaError, lambda: op.push({"t": [2], "k": ["a"], "x": [1.5]}))
    assert message == ('column "x" was int64 and is double now. Hint: cast it before it is pushed.')


def test_a_refused_batch_leaves_no_trace() -> None:
    op = Operator(planned(pw.tumbling(10)))
    op.push(feed([1]))
    before = op.stats()
    for batch in (
        {"t": [25], "k": ["a"]},
        {"t": [25], "k": ["a"], "x": [0.5]},
        {"t": [25], "k": [1], "x": [1]},
        {"t": [2**63 - 1], "k": ["a"], "x": [1]},
        {"t": [25, 26], "k": ["a"], "x": [1, 2]},
    ):
        refused(SchemaError, lambda batch=batch: op.push(batch))
    assert op.stats() == before
    assert shown(op.push(feed([12]))) == [(0, 10, 1)]


def test_columns_of_different_lengths() -> None:
    op = Operator(planned(pw.tumbling(10)))
    message = refused(SchemaError, lambda: op.push({"t": [1, 2], "k": ["a"], "x": [1, 2]}))
    assert '"k" has 1' in message
    assert "2" in message


@pytest.mark.parametrize("values", [1, "text", [1, "a"], [object]], ids=repr)
def test_what_is_no_column(values: Any) -> None:
    op = Operator(planned(pw.tumbling(10)))
    message = refused(SchemaError, lambda: op.push({"t": [1], "k": ["a"], "x": values}))
    assert 'column "x"' in message


@pytest.mark.parametrize("batch", [[1, 2], None, 3, "rows"], ids=repr)
def test_what_is_no_batch(batch: Any) -> None:
    op = Operator(planned(pw.tumbling(10)))
    message = refused(SchemaError, lambda: op.push(batch))
    assert "rows are an Arrow table or batch, a data frame or a dict of arrays: got" in message
    assert type(batch).__name__ in message


@pytest.mark.parametrize("time", [["1"], [1.5], [True]], ids=repr)
def test_time_of_another_type(time: Any) -> None:
    op = Operator(planned(pw.tumbling(10)))
    message = refused(SchemaError, lambda: op.push({"t": time, "k": ["a"], "x": [1]}))
    assert "the time column must be a TIMESTAMP, TIMESTAMP_NTZ, DATE or integer" in message


def test_sizes_that_the_time_column_cannot_carry() -> None:
    op = Operator(planned(pw.tumbling("10 s")))
    message = refused(QueryError, lambda: op.push(feed([1])))
    assert 'sizes must be plain integers, because the time column "t" is INTEGER' in message
    op = Operator(planned(pw.tumbling(10)))
    batch = {"t": [datetime(2024, 1, 1)], "k": ["a"], "x": [1]}
    assert "sizes must be durations" in refused(QueryError, lambda: op.push(batch))


@pytest.mark.parametrize("order", [["a"], [1.5], [True]], ids=repr)
def test_order_by_of_another_type(order: Any) -> None:
    op = Operator(planned(pw.tumbling(10), order_by="o"))
    message = refused(SchemaError, lambda: op.push({"t": [1], "k": ["a"], "x": [1], "o": order}))
    assert 'order_by must be an integer, date or timestamp column: "o" is ' in message


@pytest.mark.parametrize("time", [2**62 + 1, -(2**62) - 1, 2**63 - 1, -(2**63)])
def test_times_beyond_62_bits(time: int) -> None:
    op = Operator(planned(pw.tumbling(10), pw.session(3)))
    message = refused(SchemaError, lambda: op.push(feed([1, time])))
    assert "a time is beyond 62 bits" in message


def test_seconds_beyond_62_bits_of_microseconds() -> None:
    op = Operator(planned(pw.tumbling("10 s")))
    batch = {"t": pa.array([2**50], pa.timestamp("s")), "k": ["a"], "x": [1]}
    assert "a time is beyond 62 bits" in refused(SchemaError, lambda: op.push(batch))


@pytest.mark.parametrize("delay", [0, 10])
def test_times_of_62_bits(delay: int) -> None:
    op = Operator(planned(pw.tumbling(10), pw.session(3)), delay=delay)
    low, high = -(2**62), 2**62
    found = [*op.push(feed([low, high])).to_pylist(), *op.flush().to_pylist()]
    assert {row["window"]["start"] for row in found} == {
        low,
        high,
        low - low % 10,
        high - high % 10,
    }


def test_unsigned_times_that_do_not_fit() -> None:
    op = Operator(planned(pw.tumbling(10)))
    batch = {"t": pa.array([2**63], pa.uint64()), "k": ["a"], "x": [1]}
    assert "must fit 64 bits with a sign" in refused(SchemaError, lambda: op.push(batch))


@pytest.mark.parametrize("aggregate", [pw.sum, pw.mean, pw.median, pw.variance])
def test_aggregates_of_text(aggregate: Any) -> None:
    """Refused by name, before or while the rows are read."""
    plan = planned(pw.tumbling(10), aggregates=[aggregate("k")])
    op = Operator(plan)

    def run() -> None:
        op.push(feed([1]))
        op.flush()

    assert "cannot be" in refused(PanewiseError, run)


def test_integer_sums_that_overflow() -> None:
    """In one batch, over two of them, and where windows are composed."""
    half = 2**62
    for batches in ([[half, half]], [[half], [half]]):
        for windows in ([pw.tumbling(100)], [pw.session(50)], [pw.tumbling(pw.rows(2))]):
            op = Operator(planned(*windows))

            def run(op: Operator = op, batches: list[list[int]] = batches) -> None:
                for number, x in enumerate(batches):
                    op.push(feed([number * 10 + i for i in range(len(x))], x=x))
                op.flush()

            message = refused(ResultOverflow, run)
            assert message == (
                "an integer sum left the range of BIGINT. Hint: cast the column to DECIMAL first."
            )


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("push", lambda op: op.push(feed([510]))),
        ("advance", lambda op: op.advance(600)),
        ("flush", lambda op: op.flush()),
        ("add", lambda op: op.add(planned(pw.session(3)))),
        ("snapshot", lambda op: op.snapshot()),
    ],
)
def test_an_operator_that_failed_does_not_go_on(name: str, call: Callable[[Operator], Any]) -> None:
    """Some rows of the batch are in and others are not: no answer would be right."""
    op = Operator(planned(pw.tumbling(10)))
    refused(ResultOverflow, lambda: op.push(feed([1, 2, 500], x=[2**62, 2**62, 1])))
    message = refused(OperatorError, lambda: call(op))
    assert message.startswith(f"{name} after an error: what is held is not whole any more. Hint: ")
    assert op.stats().rows == 3


@pytest.mark.parametrize("window", [pw.tumbling(10), pw.session(3), pw.tumbling(pw.rows(1))])
def test_only_sums_of_windows_must_fit(window: pw.Window) -> None:
    """Neighbours do not overflow together."""
    most = 2**63 - 1
    op = Operator(planned(window), delay=100)
    op.push(feed([1, 11, 21], x=[most, most, -most]))
    assert [row["sum(x)"] for row in op.flush().to_pylist()] == [most, most, -most]


@pytest.mark.parametrize(
    ("window", "message"),
    [
        (
            pw.threshold_frame("x"),
            'threshold_frame(x): a predicate is true or false: "x" is int64.',
        ),
        (
            pw.threshold_frame("k > 3"),
            "threshold_frame(k > 3): operands are of like types: got int",
        ),
        (
            pw.delta_frame("k", 3),
            'delta_frame(k, 3): the value of a row is a number: "k" is string',
        ),
        (
            pw.aggregate_frame(pw.sum("k"), 3),
            "aggregate_frame(sum(k), 3): the value of a row is a ",
        ),
        (pw.punctuation("x"), 'punctuation(x): a predicate is true or false: "x" is int64. Hint: '),
    ],
    ids=str,
)
def test_a_window_that_cannot_look_at_its_columns(window: Window, message: str) -> None:
    """The first batch has no rows yet; after the refusal the operator still takes others."""
    op = Operator(planned(window, aggregates=[pw.count()]))
    assert refused(SchemaError, lambda: op.push(feed([]))).startswith(message)
    assert refused(SchemaError, lambda: op.push(feed([1, 2]))).startswith(message)
    assert op.stats().rows == 0


def test_a_decimal_with_too_many_digits() -> None:
    op = Operator(planned(pw.delta_frame("x", 3), aggregates=[pw.count()]))
    batch = feed([1]).set_column(2, "x", pa.array([Decimal(10) ** 30], pa.decimal128(38, 0)))
    message = refused(SchemaError, lambda: op.push(batch))
    assert message.startswith(
        "delta_frame(x, 3): decimals of up to 18 digits are followed exactly:"
    )

"""A frame that never closes: memory stays bounded, or an error says what to do."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import panewise as pw
from panewise.aggregates import Kind, Properties
from panewise.errors import OperatorError
from panewise.kernels import scanned_tier
from panewise.operator import Operator
from tests.operator.feed import planned


class Listed(pw.UserAggregate):
    """All values as one text: it says itself that it grows."""

    kind_name = "listed"
    partial_types = ("string",)
    returns = "string"
    claims = Properties(kind=Kind.HOLISTIC, commutative=False)

    def lift(self, values: np.ndarray) -> tuple[np.ndarray, ...]:
        return (values.astype(str).astype(object),)

    def combine(self, left: Any, right: Any) -> tuple[np.ndarray, ...]:
        return (left[0] + right[0],)

    def lower(self, partials: Any) -> np.ndarray:  # type: ignore[override]
        return np.asarray(partials[0])


ENDLESS = [
    pw.threshold_frame("x > 0"),
    pw.boundary_frame("x", edges=[0]),
    pw.delta_frame("x", 2, mode="range"),
    pw.aggregate_frame(pw.max("x"), 9),
]


GROWING = [pw.collect("x"), pw.concat("x"), Listed("x")]
"""Of these, one cell is as large as its rows."""
HOLDING: list[dict[str, Any]] = [{}, {"delay": 5}, {"buffer": "lazy"}, {"lateness": 10}]


def batch(number: int, keys: int = 1) -> pa.Table:
    times = np.arange(100 * number, 100 * (number + 1))
    return pa.table({"t": times, "k": times % keys, "x": np.ones(100, np.int64)})


def fed(op: Operator, batches: int = 20, keys: int = 1) -> Operator:
    for number in range(batches):
        op.push(batch(number, keys))
    return op


@pytest.mark.parametrize("frame", ENDLESS, ids=lambda frame: frame.kind)
@pytest.mark.parametrize("options", [{}, {"delay": 5}, {"buffer": "lazy"}], ids=str)
def test_one_cell_is_enough(
    frame: pw.Window, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scanned_tier, "MOST_OPEN_ROWS", 50)
    op = fed(Operator(planned(frame, aggregates=[pw.sum("x"), pw.max("x")]), **options))
    assert op.stats().tuples + op.stats().slices <= 10
    assert op.flush()["sum(x)"].to_pylist() == [2_000]


@pytest.mark.parametrize("frame", ENDLESS, ids=lambda frame: frame.kind)
@pytest.mark.parametrize(
    ("aggregate", "options"),
    [
        (pw.median("x"), {}),
        (pw.sum("x"), {"report": "update"}),
        (pw.sum("x"), {"lateness": 10}),
        (pw.median("x"), {"lateness": 10, "buffer": "lazy"}),
        *((each, options) for each in GROWING for options in HOLDING),
    ],
    ids=str,
)
def test_rows_that_must_be_held_are_refused_at_last(
    frame: pw.Window,
    aggregate: pw.Aggregate,
    options: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(scanned_tier, "MOST_OPEN_ROWS", 950)
    op = Operator(planned(frame, aggregates=[aggregate]), **options)
    with pytest.raises(OperatorError) as error:
        fed(op)
    message = str(error.value)
    assert message.startswith(f"{frame.canonical} does not close: it has ")
    assert "at most 950 can be held. Hint: give it max_rows= or max_duration=" in message


def test_data_at_hand_is_there_already(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scanned_tier, "MOST_OPEN_ROWS", 50)
    plan = planned(ENDLESS[0], aggregates=[pw.collect("x")])
    assert plan.run(batch(0))["collect(x)"].to_pylist() == [[1] * 100]


@pytest.mark.parametrize("options", [{}, {"report": "update"}], ids=str)
def test_many_keys_and_frames_that_close_are_not_refused(
    options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scanned_tier, "MOST_OPEN_ROWS", 500)
    fed(Operator(planned(ENDLESS[0], aggregates=[pw.median("x")]), **options), keys=10)
    closing = pw.threshold_frame("x > 0", max_rows=100)
    late = {"lateness": 10**9} if options else {}
    for aggregate in (pw.median("x"), pw.collect("x")):
        fed(Operator(planned(closing, aggregates=[aggregate]), **options, **late))

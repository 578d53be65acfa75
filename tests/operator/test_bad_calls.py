"""Calls that an operator refuses: what it is made with, and what its state does not allow."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest

import panewise as pw
from panewise.errors import OperatorError, PanewiseError, QueryError
from panewise.operator import Operator
from tests.operator.feed import feed, planned


def refused(kind: type[PanewiseError], call: Callable[[], Any]) -> str:
    with pytest.raises(kind) as error:
        call()
    assert error.value.hint, "an error has a hint"
    return str(error.value)


def running(**given: Any) -> Operator:
    op = Operator(planned(pw.tumbling(10)), **given)
    op.push(feed([25]))
    return op


@pytest.mark.parametrize("plan", ["plan", None, pw.tumbling(3), planned(pw.tumbling(3)).query])
def test_not_a_plan(plan: Any) -> None:
    message = refused(QueryError, lambda: Operator(plan))
    assert message.startswith("an operator runs a plan: got ")
    assert message.endswith("Hint: make one with pw.plan().")


@pytest.mark.parametrize("store", ["lazier", None, 3])
def test_unknown_store(store: Any) -> None:
    message = refused(QueryError, lambda: Operator(planned(pw.tumbling(3)), store=store))
    assert message == (
        f'store is one of auto, lazy, eager: got {store!r}. Hint: leave it at "auto".'
    )


@pytest.mark.parametrize("name", ["delay", "lateness"])
@pytest.mark.parametrize("given", [-1, "-2 s", timedelta(seconds=-1)], ids=repr)
def test_negative(name: str, given: Any) -> None:
    window = pw.tumbling(3) if isinstance(given, int) else pw.tumbling("3 s")
    message = refused(QueryError, lambda: Operator(planned(window), **{name: given}))
    assert message.startswith(f"{name} must not be negative: got {given!r}. Hint: ")


@pytest.mark.parametrize("name", ["delay", "lateness"])
@pytest.mark.parametrize(
    ("window", "given", "wanted"),
    [
        (pw.tumbling(3), "2 s", "an integer of the measure"),
        (pw.tumbling(3), timedelta(seconds=2), "an integer of the measure"),
        (pw.tumbling("3 s"), 2, "a duration"),
        (pw.session("3 s"), 2, "a duration"),
    ],
    ids=repr,
)
def test_of_another_unit(name: str, window: pw.Window, given: Any, wanted: str) -> None:
    message = refused(QueryError, lambda: Operator(planned(window), **{name: given}))
    assert message.startswith(f"{name} counts what the windows count, {wanted}: got {given!r}.")


def test_of_another_unit_where_windows_only_count_rows() -> None:
    """Then the first batch tells."""
    op = Operator(planned(pw.tumbling(pw.rows(3))), delay="2 s")
    message = refused(QueryError, lambda: op.push(feed([1])))
    assert "delay" in message
    op = Operator(planned(pw.tumbling(pw.rows(3))), lateness=2)
    batch = {"t": [datetime(2024, 1, 1)], "k": ["a"], "x": [1]}
    assert "lateness" in refused(QueryError, lambda: op.push(batch))


@pytest.mark.parametrize("name", ["delay", "lateness"])
@pytest.mark.parametrize("given", [None, True, 1.5, "soon", 2**62], ids=repr)
def test_no_stretch_of_time(name: str, given: Any) -> None:
    message = refused(QueryError, lambda: Operator(planned(pw.tumbling(3)), **{name: given}))
    assert (given if isinstance(given, str) else repr(given)) in message


def test_rows_are_no_stretch_of_time() -> None:
    message = refused(QueryError, lambda: Operator(planned(pw.tumbling(3)), delay=pw.rows(3)))
    assert message.startswith("delay is a stretch of time: got 3 rows.")


def test_a_watermark_never_goes_back() -> None:
    op = running(delay=5)
    assert op.watermark == 20
    message = refused(OperatorError, lambda: op.advance(19))
    assert message == (
        "a watermark never goes back: got 19 after 20. Hint: leave it out; push moves the "
        "watermark by itself."
    )
    assert op.watermark == 20
    op.advance(20)
    op.advance(23)
    op.push(feed([26]))
    assert op.watermark == 23


@pytest.mark.parametrize(
    "watermark", [1.5, None, True, [3], "noon", datetime(2024, 1, 1)], ids=repr
)
def test_what_is_no_watermark(watermark: Any) -> None:
    message = refused(QueryError, lambda: running().advance(watermark))
    assert message.startswith("a watermark is ")
    assert repr(watermark) in message


@pytest.mark.parametrize("watermark", [2**62 + 1, 2**63 - 1, 2**70])
def test_a_watermark_beyond_62_bits(watermark: int) -> None:
    """It would end the stream in one engine, and wrap around in another."""
    message = refused(PanewiseError, lambda: running().advance(watermark))
    assert "62 bits" in message


def test_advance_before_the_first_push() -> None:
    op = Operator(planned(pw.tumbling(10)))
    message = refused(OperatorError, lambda: op.advance(3))
    assert message == (
        "the operator knows no time column yet: advance before the first push. Hint: push a batch "
        "first; it may be empty."
    )
    op.push(feed([]))
    assert op.advance(3).num_rows == 0


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("push", lambda op: op.push(feed([30]))),
        ("advance", lambda op: op.advance(30)),
        ("flush", lambda op: op.flush()),
        ("add", lambda op: op.add(planned(pw.tumbling(3)))),
        ("remove", lambda op: op.remove("main")),
    ],
    ids=lambda given: given if isinstance(given, str) else "",
)
def test_after_flush(name: str, call: Callable[[Operator], Any]) -> None:
    op = running()
    op.flush()
    message = refused(OperatorError, lambda: call(op))
    assert message == f"{name} after flush: the stream has ended. Hint: make a new operator."


def test_what_may_be_asked_after_flush() -> None:
    op = running()
    op.flush()
    assert op.stats().rows == 1
    assert "keep tuples" in op.explain()
    again = Operator.restore(planned(pw.tumbling(10)), op.snapshot())
    assert "after flush" in refused(OperatorError, again.flush)


def test_remove_an_unknown_query() -> None:
    message = refused(QueryError, lambda: running().remove("report"))
    assert message == 'no query "report" is running. Hint: there are "main".'


def test_remove_the_last_query() -> None:
    message = refused(QueryError, lambda: running().remove("main"))
    assert message.startswith('the last query, "main", cannot be removed. Hint: ')


def test_add_a_name_twice() -> None:
    op = running()
    op.add(planned(pw.tumbling(3)), name="report")
    message = refused(QueryError, lambda: op.add(planned(pw.tumbling(4)), name="report"))
    assert message == 'a query "report" is running already. Hint: give it another name.'
    assert op.queries == ("main", "report")


def test_names_that_are_made_up_are_free() -> None:
    op = running()
    for _ in range(3):
        op.add(planned(pw.tumbling(3)))
    op.remove(op.queries[1])
    op.add(planned(pw.tumbling(3)))
    assert len(set(op.queries)) == 4


@pytest.mark.parametrize("query", ["report", None, pw.tumbling(3)], ids=repr)
def test_add_what_is_no_query(query: Any) -> None:
    message = refused(QueryError, lambda: running().add(query))
    assert message.startswith("add takes a plan or a query: got ")


@pytest.mark.parametrize(
    ("changes", "rule"),
    [
        ({"time": "x"}, "queries planned together share time"),
        ({"by": []}, "queries planned together share by"),
        ({"order_by": "x"}, "queries planned together share order_by"),
        ({"aggregates": [pw.max("x").alias("sum(x)")]}, "one name for two aggregates"),
    ],
    ids=repr,
)
def test_add_a_query_of_another_stream(changes: dict[str, Any], rule: str) -> None:
    op = running()
    assert rule in refused(QueryError, lambda: op.add(planned(pw.tumbling(3), **changes)))
    assert op.queries == ("main",)


def test_add_a_query_of_another_measure() -> None:
    op = running()
    message = refused(QueryError, lambda: op.add(planned(pw.tumbling("3 s"))))
    assert "all windows of a query count the same thing" in message
    op = Operator(planned(pw.tumbling(pw.rows(2))))
    op.push(feed([1]))
    message = refused(QueryError, lambda: op.add(planned(pw.tumbling("3 s"))))
    assert "sizes must be plain integers" in message
    assert op.queries == ("main",)
    assert op.push(feed([2, 3])).num_rows == 1

"""Eviction: once a key has X closed frames, its first Y are forgotten."""

from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import panewise as pw
from panewise.errors import QueryError
from panewise.operator import Operator
from tests.operator.feed import planned
from tests.operator.framing import operator, rows, shown

PAIRS = pw.aggregate_frame(pw.count(), 2)
FOREVER = 10**9
"""A lateness that forgets nothing by itself."""


@pytest.mark.parametrize("pair", [(3, 4), (1, 2), (3, 0), (0, 0), (3, -1)], ids=str)
def test_no_more_are_forgotten_than_there_are(pair: tuple[int, int]) -> None:
    """The source prints the rule the other way round."""
    with pytest.raises(QueryError) as error:
        operator(PAIRS, evict=pair)
    assert f"1 <= Y <= X: got ({pair[0]}, {pair[1]}). Hint: write evict=(" in str(error.value)


@pytest.mark.parametrize("given", [3, (3,), (3, 1, 1), ("3", 1), (3.0, 1), (True, True)], ids=repr)
def test_eviction_is_two_numbers(given: Any) -> None:
    with pytest.raises(QueryError, match="evict is two numbers of frames: got"):
        operator(PAIRS, evict=given)


@pytest.mark.parametrize("report", ["close", "update"])
def test_rows_before_what_was_forgotten_are_late(report: str) -> None:
    # 1 2 | 3 4 | 5 6 | 7 8: three are closed, and the first two forgotten
    op = operator(PAIRS, report=report, lateness=FOREVER, evict=(3, 2))
    op.push(rows(range(1, 9), range(1, 9)))
    assert op.stats().tuples == 4
    assert shown(op.push(rows([4], [0]))) == [] and op.stats().late_rows == 1
    told = shown(op.push(rows([5], [0])))  # 5 0 | 6 7 | 8
    assert (5, 6, [5, 0]) in told and (5, 7, [5, 6], 1, True) in told
    assert op.stats().late_rows == 1


def test_ties_at_the_floor_are_told_apart_by_their_sequence() -> None:
    op = operator(PAIRS, report="update", lateness=FOREVER, evict=(2, 1))
    op.push(rows([5, 5, 5, 5, 5], range(5)))  # 0 1 | 2 3 | 4
    told = shown(op.push(rows([5], [9])))
    assert op.stats().late_rows == 0 and (5, 6, [4, 9], 1, False) in told


def test_keys_are_counted_apart() -> None:
    op = operator(PAIRS, report="update", lateness=FOREVER, evict=(2, 2))
    both = rows(range(1, 6), range(1, 6)).to_pandas()
    op.push(both)
    op.push(both.assign(k="b").iloc[:3])
    op.push(both.assign(k="b").iloc[:1])  # "b" has one closed frame, "a" forgot two
    assert op.stats().late_rows == 0
    op.push(both.iloc[:1])
    assert op.stats().late_rows == 1


def test_threshold_frames_leave_no_rows_behind() -> None:
    op = operator(pw.threshold_frame("x > 0"), report="update", lateness=FOREVER, evict=(1, 1))
    op.push(rows(range(1, 7), [-1, 1, 1, -1, -1, 1]))
    # - [+ +] - - +: of the rows in no frame, the one that closed what was forgotten is kept
    assert shown(op.push(rows([3], [3]))) == [] and op.stats().late_rows == 1
    assert shown(op.push(rows([4], [4]))) == [(4, 5, [4])] and op.stats().late_rows == 1


def test_frames_of_one_push_are_forgotten_as_if_they_came_one_by_one() -> None:
    at_once, one_by_one = (
        operator(PAIRS, report="update", lateness=FOREVER, evict=(5, 3)) for _ in range(2)
    )
    table = rows(range(1, 40), range(1, 40))
    at_once.push(table)
    for at in range(table.num_rows):
        one_by_one.push(table.slice(at, 1))
    assert at_once.stats().tuples == one_by_one.stats().tuples == 2 * 4 + 1


def test_memory_stays_bounded() -> None:
    op = Operator(planned(PAIRS), report="update", lateness=FOREVER, evict=(100, 50))
    sizes = []
    for number in range(60):
        times = np.arange(500) + 500 * number
        op.push(pa.table({"t": times, "k": ["a"] * 500, "x": times}))
        sizes.append(op.stats())
    assert max(each.tuples + each.slices for each in sizes) <= 2 * 100 + 1
    assert max(each.bytes for each in sizes[30:]) <= 2 * max(each.bytes for each in sizes[5:30])


def test_a_snapshot_keeps_what_is_forgotten() -> None:
    op = operator(PAIRS, report="update", lateness=FOREVER, evict=(3, 2))
    op.push(rows(range(1, 8), range(1, 8)))
    plan = planned(PAIRS, aggregates=[pw.collect("x"), pw.count()])
    again = Operator.restore(plan, op.snapshot())
    assert replace(again.stats(), bytes=0) == replace(op.stats(), bytes=0)
    for each in (op, again):
        assert shown(each.push(rows([4], [0]))) == [] and each.stats().late_rows == 1
    assert shown(op.push(rows([6, 9], [0, 9]))) == shown(again.push(rows([6, 9], [0, 9])))


def test_a_key_that_comes_back_after_its_frames_were_forgotten() -> None:
    """Floors stay though no row of the key is held, and numbers of keys are given anew."""
    op = operator(pw.threshold_frame("x > 0"), report="update", lateness=FOREVER, evict=(1, 1))
    for number in range(3_000):
        table = rows([number, number, number], [1, -1, -1]).to_pandas()
        op.push(table.assign(k=f"key {number}"))
    late = op.stats().late_rows
    op.push(rows([5], [1]).to_pandas().assign(k="key 10"))
    assert op.stats().late_rows == late + 1


def test_numbers_of_numpy_are_numbers() -> None:
    operator(PAIRS, report="update", lateness=FOREVER, evict=tuple(np.array([3, 2])))

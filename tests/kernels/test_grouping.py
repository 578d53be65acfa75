"""Rows side by side by key and pane, against sorting them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from panewise.kernels.grouping import NEAR, Groups, grouped, joined

near = st.integers(-4, 4)
far = st.one_of(near, st.sampled_from([-(2**63), 2**63 - 1, 10**18]))
Row = tuple[int, int]  # key, pane


def defined(rows: list[tuple[int, ...]]) -> list[int]:
    """The places of rows in order, and by place among equals."""
    return sorted(range(len(rows)), key=lambda at: rows[at])


def check(groups: Groups, rows: list[tuple[int, ...]]) -> None:
    """Groups are of rows that are equal, in the order of these."""
    order = defined(rows)
    assert groups.order.tolist() == order
    names = sorted(set(rows))
    ordered = [rows[at] for at in order]
    assert groups.heads.tolist() == [ordered.index(name) for name in names]
    assert groups.code.tolist() == [name[0] for name in names]
    assert groups.pane.tolist() == [name[1] for name in names]


@pytest.mark.parametrize("pane", [near, far])
@given(data=st.data())
def test_rows_are_grouped_by_key_and_pane(pane: st.SearchStrategy, data: st.DataObject) -> None:
    rows = data.draw(st.lists(st.tuples(st.integers(0, 3), pane), max_size=40))
    code, panes = np.array(rows, np.int64).reshape(-1, 2).T.copy()
    check(grouped(code, panes, keys=5), rows)


@given(st.lists(st.tuples(st.integers(0, 2), near, near), min_size=1, max_size=40))
def test_ties_tell_groups_of_one_pane_apart(rows: list[tuple[int, int, int]]) -> None:
    rows.sort(key=lambda row: row[2])
    code, pane, tie = np.array(rows, np.int64).T.copy()
    check(grouped(code, pane, 3, tie), rows)


def test_rows_that_come_in_many_stretches_are_sorted_at_once() -> None:
    rng = np.random.default_rng(0)
    pane = np.concatenate([np.arange(100)[::-1], rng.integers(-50, 50, 100 * NEAR)])
    check(grouped(np.zeros(len(pane), np.int64), pane, 1), [(0, each) for each in pane.tolist()])


@given(*[st.lists(st.tuples(st.integers(0, 3), near), max_size=20).map(sorted)] * 2)
def test_two_runs_are_joined_as_one_is_grouped(left: list[Row], right: list[Row]) -> None:
    none = np.empty(0, np.int64)
    one, other = (np.array(each, np.int64).reshape(-1, 2).T.copy() for each in (left, right))
    check(joined(*one, none, *other, none), left + right)


@given(*[st.lists(st.tuples(st.integers(0, 1), near, near), max_size=20).map(sorted)] * 2)
def test_two_runs_are_joined_by_ties(
    left: list[tuple[int, int, int]], right: list[tuple[int, int, int]]
) -> None:
    one, other = (np.array(each, np.int64).reshape(-1, 3).T.copy() for each in (left, right))
    if left and right:  # ties are there for both, or for none
        check(joined(*one, *other), left + right)

"""Revisions: each window counts for itself, and two alike are told apart."""

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from panewise.kernels.ranges import Ranges
from panewise.kernels.revisions import Revisions, holds, matched

few = st.integers(0, 2)
names = st.lists(st.tuples(few, few, few, few), unique=True, max_size=6)
Name = tuple[int, int, int, int]


def told(revisions: Revisions, windows: list[Name], until: int = 0) -> list[int]:
    columns = np.array(windows, np.int64).reshape(-1, 4).T
    return revisions.next(*columns, np.full(len(windows), until)).tolist()


@given(st.lists(names, max_size=5))
def test_each_window_counts_for_itself(several: list[list[Name]]) -> None:
    revisions, counts = Revisions(), Counter[Name]()
    for windows in several:
        counts.update(windows)
        assert told(revisions, windows) == [counts[name] for name in windows]
    assert len(revisions) == len(counts)


def test_a_thousand_windows() -> None:
    revisions = Revisions()
    windows = [(0, key, 0, 10) for key in range(1000)]
    for again in (1, 2, 3):
        assert told(revisions, windows) == [again] * 1000


def test_what_can_change_is_remembered() -> None:
    revisions = Revisions()
    told(revisions, [(0, 0, 0, 10)], until=10)
    told(revisions, [(0, 1, 0, 5)], until=5)
    revisions.forget(10)
    assert told(revisions, [(0, 0, 0, 10)]) == [2]


def test_what_is_over_is_forgotten_once_it_is_the_larger_part() -> None:
    revisions = Revisions()
    told(revisions, [(0, 0, 0, 10)], until=10)
    told(revisions, [(0, key, 0, 5) for key in range(1, 4)], until=5)
    revisions.forget(5)
    assert len(revisions) == 4
    revisions.forget(6)
    assert len(revisions) == 1
    assert told(revisions, [(0, 0, 0, 10), (0, 1, 0, 5)]) == [2, 1]


def test_renamed_keys_keep_their_counts() -> None:
    revisions = Revisions()
    told(revisions, [(0, 0, 0, 10), (0, 1, 0, 10), (0, 2, 0, 10)])
    told(revisions, [(0, 2, 0, 10)])
    revisions.rename(np.array([1, -1, 0]))
    assert sorted(revisions.codes().tolist()) == [0, 1]
    assert told(revisions, [(0, 0, 0, 10), (0, 1, 0, 10)]) == [3, 2]


@given(names.filter(bool), names)
def test_a_restored_state_counts_on(first: list[Name], then: list[Name]) -> None:
    revisions, other = Revisions(), Revisions()
    told(revisions, first, until=7)
    other.restore(revisions.state())
    assert told(other, then) == told(revisions, then)
    other.forget(8)
    revisions.forget(8)
    assert len(other) == len(revisions)


few_names = st.lists(st.tuples(few, few), max_size=8)


def columns(rows: list[tuple[int, int]]) -> list[np.ndarray]:
    return list(np.array(rows, np.int64).reshape(-1, 2).T)


@given(few_names, few_names)
def test_windows_are_matched_one_to_one(were: list, now: list) -> None:
    again, gone = matched(columns(were), columns(now))
    known = [(i, j) for i, j in enumerate(again.tolist()) if j >= 0]
    assert all(now[i] == were[j] for i, j in known)
    assert len({j for _, j in known}) == len(known)
    # as many as there are on both sides, and the others are new or gone
    assert Counter(now[i] for i, _ in known) == Counter(were) & Counter(now)
    assert [name for name, out in zip(were, gone, strict=True) if out] != were or not known
    assert Counter(n for n, out in zip(were, gone, strict=True) if out) == Counter(were) - Counter(
        now
    )


def test_of_two_alike_one_may_vanish() -> None:
    # rows at one time may make windows of no length: the second of them is gone
    again, gone = matched(columns([(5, 5), (5, 5), (5, 9)]), columns([(5, 5), (5, 9), (9, 9)]))
    assert again.tolist() == [0, 2, -1]
    assert gone.tolist() == [False, True, False]


@given(st.lists(st.booleans(), max_size=8), st.data())
def test_a_range_holds_a_flag_that_is_set_inside(flags: list[bool], data: st.DataObject) -> None:
    bound = st.integers(0, len(flags))
    pairs = [sorted(p) for p in data.draw(st.lists(st.tuples(bound, bound), max_size=6))]
    lo, hi = np.array(pairs, np.int64).reshape(-1, 2).T
    ranges = Ranges(*[lo] * 4, lo, hi)
    got = holds(np.array(flags, np.bool_), ranges)
    assert got.tolist() == [any(flags[a:b]) for a, b in pairs]

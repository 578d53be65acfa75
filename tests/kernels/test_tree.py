"""A tree of partials against the plain loop."""

import math
from functools import reduce

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from panewise.aggregates.sum import SumPartial
from panewise.errors import ResultOverflow
from panewise.kernels.fold import fold
from panewise.kernels.monoids import MAX, MIN, OPERATIONS, SUM, combine
from panewise.kernels.tree import Tree, tree_is_cheaper
from tests.kernels.building import numbers_of

small = st.one_of(st.integers(-4, 4), st.none())


@st.composite
def ranges(draw: st.DrawFn, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Ranges in any order, empty ones too."""
    bound = st.integers(0, size)
    pairs = [sorted(pair) for pair in draw(st.lists(st.tuples(bound, bound), max_size=8))]
    lo, hi = np.array(pairs, np.int64).reshape(-1, 2).T
    return lo, hi


@st.composite
def cases(draw: st.DrawFn) -> tuple[list[int | None], np.ndarray, np.ndarray]:
    column = draw(st.lists(small, min_size=1, max_size=20))
    return column, *draw(ranges(len(column)))


def read(tree: Tree, lo: np.ndarray, hi: np.ndarray) -> tuple[list[int | None], bool]:
    out, present = np.empty(len(lo), tree.nodes.dtype), np.empty(len(lo), np.bool_)
    overflow = tree.read(lo, hi, out, present)
    return [v if p else None for v, p in zip(out.tolist(), present, strict=True)], overflow


@pytest.mark.parametrize("operation", OPERATIONS.values(), ids=OPERATIONS)
def test_a_range_of_the_tree_is_the_plain_fold(operation: int) -> None:
    @given(cases())
    def check(case: tuple[list[int | None], np.ndarray, np.ndarray]) -> None:
        column, lo, hi = case
        got, _ = read(Tree.over(numbers_of(column), operation), lo, hi)
        for value, low, high in zip(got, lo, hi, strict=True):
            present = [v for v in column[low:high] if v is not None]
            whole = reduce(lambda a, b: combine(a, b, operation), present) if present else None
            assert value == whole

    check()


def test_nulls_leave_no_trace() -> None:
    tree = Tree.over(numbers_of([None, None, 3, None, None]), OPERATIONS["max"])
    got, _ = read(tree, np.array([0, 0, 2, 3, 1]), np.array([2, 5, 3, 5, 1]))
    assert got == [None, 3, 3, None, None]


def test_one_cell_is_a_tree() -> None:
    got, overflow = read(Tree.over(numbers_of([7]), SUM), np.array([0, 1]), np.array([1, 1]))
    assert (got, overflow) == ([7, None], False)


def test_not_a_number_is_above_all() -> None:
    column = numbers_of([math.nan, 1.0, math.inf])
    lo, hi = np.array([0, 0]), np.array([3, 1])
    assert read(Tree.over(column, MIN), lo, hi)[0][0] == 1.0
    assert math.isnan(read(Tree.over(column, MAX), lo, hi)[0][0] or 0.0)
    assert math.isnan(read(Tree.over(column, MIN), lo, hi)[0][1] or 0.0)


def test_an_overflow_that_nobody_reads_is_none() -> None:
    # cells   2^62   2^62 | 1   2       the node over the first two leaves 64 bits
    column = numbers_of([2**62, 2**62, 1, 2])
    tree = Tree.over(column, SUM)
    assert tree.overflow
    lo, hi = np.array([0, 1, 2]), np.array([1, 2, 4])
    got = fold(SumPartial("x"), column, lo, hi, checked=True, tree=tree)
    assert got.arrow().to_pylist() == [2**62, 2**62, 3]


def test_an_overflow_that_is_read_is_an_error() -> None:
    column = numbers_of([2**62, 2**62, 1, 2])
    tree = Tree.over(column, SUM)
    with pytest.raises(ResultOverflow, match="BIGINT"):
        fold(SumPartial("x"), column, np.array([0]), np.array([3]), checked=True, tree=tree)
    wrapped = fold(SumPartial("x"), column, np.array([0]), np.array([2]), tree=tree)
    assert wrapped.arrow().to_pylist() == [-(2**63)]


def test_a_tree_is_built_where_ranges_of_many_lengths_begin_over() -> None:
    # every length from 1 to 100 at every place, longest first: two stacks would start over for each
    lo = np.concatenate([np.arange(100 - size) for size in range(99, 0, -1)])
    hi = np.concatenate([np.arange(size, 100) for size in range(99, 0, -1)])
    assert tree_is_cheaper(100, lo[::-1].copy(), hi[::-1].copy())
    assert not tree_is_cheaper(100, np.arange(90), np.arange(10, 100))


@given(st.lists(small, min_size=20, max_size=24))
def test_a_fold_that_takes_a_tree_gives_the_same(column: list[int | None]) -> None:
    # longest last, each row of ranges from its end: two stacks would start over every time
    size = len(column)
    pairs = [(lo, lo + n) for n in range(1, size + 1) for lo in range(size - n + 1)][::-1]
    lo, hi = np.array(pairs, np.int64).T.copy()
    assert tree_is_cheaper(size, lo, hi)
    quarters = numbers_of([None if v is None else v / 4 for v in column], pa.float64())
    got = fold(SumPartial("x"), quarters, lo, hi).arrow().to_pylist()
    for value, low, high in zip(got, lo, hi, strict=True):
        present = [v / 4 for v in column[low:high] if v is not None]
        assert value == (sum(present) if present else None)


parts = st.lists(st.lists(small, max_size=6), min_size=1, max_size=6)


@pytest.mark.parametrize("operation", OPERATIONS.values(), ids=OPERATIONS)
def test_a_tree_that_grew_is_the_tree_over_all(operation: int) -> None:
    @given(parts, st.integers(0, 8), st.data())
    def check(added: list[list[int | None]], room: int, data: st.DataObject) -> None:
        column = list(added[0])
        tree = Tree.over(numbers_of(column), operation, room)
        for part in added[1:]:
            column += part
            tree = tree.grown_to(numbers_of(column))
            lo, hi = data.draw(ranges(len(column)))
            assert read(tree, lo, hi) == read(Tree.over(numbers_of(column), operation), lo, hi)

    check()


def test_a_tree_with_room_stays_where_it_is() -> None:
    tree = Tree.over(numbers_of([1, 2, 3]), SUM, room=2)
    nodes = tree.nodes
    assert tree.grown_to(numbers_of([1, 2, 3, 4])).nodes is nodes
    assert tree.grown_to(numbers_of([1, 2, 3, 4, 5, 6])).nodes is not nodes


def test_an_overflow_of_a_later_cell_is_known() -> None:
    tree = Tree.over(numbers_of([2**62]), SUM, room=3)
    assert not tree.overflow
    assert tree.grown_to(numbers_of([2**62, 2**62])).overflow

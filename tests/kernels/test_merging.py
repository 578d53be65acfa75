"""Many sorted runs as one."""

from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from panewise.aggregates.sum import SumPartial
from panewise.kernels.asked import AskedWindows
from panewise.kernels.cells import Cells
from panewise.kernels.merging import Joined, merged_runs, one_run, pane_heads, united
from panewise.kernels.program import Program
from panewise.plan import Edges
from tests.kernels.building import numbers_of

Row = tuple[int, int]  # key, pane
runs = st.lists(
    st.lists(st.tuples(st.integers(0, 2), st.integers(-2, 2)), min_size=1, max_size=6).map(sorted),
    min_size=1,
    max_size=6,
)


def cells_of(rows: list[Row], first: int = 0) -> Cells:
    code, pane = np.array(rows, np.int64).T
    return Cells(code.copy(), pane.copy(), [numbers_of(range(first, first + len(rows)))])


SUMMING = Program(AskedWindows(), Edges(()), (SumPartial("x"),))
APART = replace(SUMMING, mergeable=False)


def numbered(parts: list[list[Row]]) -> tuple[list[Cells], list[tuple[int, int, int]]]:
    """Runs whose partials count on, and all their rows with the numbers."""
    cells, rows, at = [], [], 0
    for part in parts:
        cells.append(cells_of(part, at))
        rows += [(*row, at + i) for i, row in enumerate(part)]
        at += len(part)
    return cells, rows


@given(runs)
def test_runs_are_merged_in_order_and_earlier_ones_first(parts: list[list[Row]]) -> None:
    cells, rows = numbered(parts)
    merged = merged_runs(cells)
    numbers = merged.partials[0].arrow().to_pylist()
    got = list(zip(merged.code.tolist(), merged.pane.tolist(), numbers, strict=True))
    assert got == sorted(rows)


@given(runs)
def test_cells_in_any_order_are_arranged_as_runs_are_merged(parts: list[list[Row]]) -> None:
    cells, rows = numbered(parts)
    whole = one_run(APART, cells, keys=3)
    numbers = whole.partials[0].arrow().to_pylist()
    got = list(zip(whole.code.tolist(), whole.pane.tolist(), numbers, strict=True))
    assert got == sorted(rows)


@given(st.lists(st.tuples(*[st.integers(0, 2)] * 3), min_size=1, max_size=20))
def test_cells_with_values_are_arranged_by_value_too(rows: list[tuple[int, int, int]]) -> None:
    code, pane, value = np.array(rows, np.int64).T
    cells = Cells(code.copy(), pane.copy(), [numbers_of(range(len(rows)))], value=value.copy())
    whole = one_run(APART, [cells], keys=3)
    assert whole.value is not None
    got = zip(whole.code.tolist(), whole.pane.tolist(), whole.value.tolist(), strict=True)
    assert list(got) == sorted(rows)


@given(runs)
def test_heads_are_the_first_cells_of_their_pane(parts: list[list[Row]]) -> None:
    rows = sorted(row for part in parts for row in part)
    assert pane_heads(cells_of(rows)).tolist() == sorted({rows.index(row) for row in rows})


@given(runs)
def test_united_runs_have_one_cell_for_each_pane(parts: list[list[Row]]) -> None:
    cells, rows = numbered(parts)
    both = united(SUMMING, cells), one_run(SUMMING, cells, keys=3)
    totals: dict[Row, int] = {}
    for key, pane, number in rows:
        totals[key, pane] = totals.get((key, pane), 0) + number
    for whole in both:
        assert list(zip(whole.code.tolist(), whole.pane.tolist(), strict=True)) == sorted(totals)
        assert whole.partials[0].arrow().to_pylist() == [totals[name] for name in sorted(totals)]


def test_cells_that_must_stay_apart_do() -> None:
    assert len(united(APART, [cells_of([(0, 0)]), cells_of([(0, 0)])])) == 2


COUNTING = Program(AskedWindows(), Edges(()), (SumPartial("x"),), counts_values=True)
Counted = tuple[int, int, int, int]  # key, pane, number of the value, count
small = st.integers(0, 2)
counted_runs = st.lists(
    st.lists(st.tuples(small, small, small, st.integers(1, 3)), min_size=1, max_size=8)
    .map(sorted),
    min_size=1,
    max_size=4,
)  # fmt: skip


def counted(rows: list[Counted]) -> Cells:
    code, pane, value, count = np.array(rows, np.int64).T.copy()
    return Cells(code, pane, [numbers_of(count.tolist())], value=value, weights=count)


def counts_of(rows: list[Counted]) -> dict[tuple[int, int, int], int]:
    counts: dict[tuple[int, int, int], int] = {}
    for *name, count in rows:
        counts[tuple(name)] = counts.get(tuple(name), 0) + count  # type: ignore[index,arg-type]
    return counts


def names_of(cells: Cells) -> list[tuple[int, ...]]:
    assert cells.value is not None
    columns = (cells.code, cells.pane, cells.value)
    return list(zip(*(each.tolist() for each in columns), strict=True))


@given(counted_runs)
def test_equal_values_become_one_cell(parts: list[list[Counted]]) -> None:
    cells = [counted(part) for part in parts]
    expected = counts_of([row for part in parts for row in part])
    totals = [expected[name] for name in sorted(expected)]
    for whole in (united(COUNTING, cells), one_run(COUNTING, cells, keys=3)):
        assert names_of(whole) == sorted(expected)
        assert whole.weights is not None and whole.weights.tolist() == totals
        assert whole.partials[0].arrow().to_pylist() == totals


def test_values_that_differ_stay_as_they_are() -> None:
    cells = counted([(0, 0, 0, 1), (0, 0, 1, 1), (0, 0, 2, 1)])
    assert united(COUNTING, [cells]) is cells


@given(counted_runs, counted_runs)
def test_a_cell_is_fresh_if_one_of_its_rows_is(
    before: list[list[Counted]], after: list[list[Counted]]
) -> None:
    held, new = (united(COUNTING, [counted(part) for part in parts]) for parts in (before, after))
    both = Joined.of(COUNTING, held, new)
    expected = counts_of([row for part in before + after for row in part])
    assert names_of(both.cells) == sorted(expected)
    totals = both.cells.partials[0].arrow().to_pylist()
    assert totals == [expected[name] for name in sorted(expected)]
    for flags, parts in ((both.fresh(), after), (both.old(), before)):
        flagged = {name for name, flag in zip(sorted(expected), flags, strict=True) if flag}
        assert flagged == {row[:3] for part in parts for row in part}

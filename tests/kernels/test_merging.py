"""Many sorted runs as one."""

from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import panewise as pw
from panewise.aggregates.sum import SumPartial
from panewise.kernels.asked import AskedWindows
from panewise.kernels.cells import Cells
from panewise.kernels.merging import arranged, merged_runs, pane_heads, united
from panewise.kernels.periodic import PeriodicTier
from panewise.kernels.program import Program
from panewise.plan import Edges
from tests.kernels.building import numbers_of, program

Row = tuple[int, int]  # key, pane
runs = st.lists(
    st.lists(st.tuples(st.integers(0, 2), st.integers(-2, 2)), min_size=1, max_size=6).map(sorted),
    min_size=1,
    max_size=6,
)


def cells_of(rows: list[Row], first: int = 0) -> Cells:
    code, pane = np.array(rows, np.int64).T
    return Cells(code.copy(), pane.copy(), [numbers_of(range(first, first + len(rows)))])


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
    whole = arranged(Cells.concat(cells), keys=3)
    numbers = whole.partials[0].arrow().to_pylist()
    got = list(zip(whole.code.tolist(), whole.pane.tolist(), numbers, strict=True))
    assert got == sorted(rows)


@given(st.lists(st.tuples(*[st.integers(0, 2)] * 3), min_size=1, max_size=20))
def test_cells_with_values_are_arranged_by_value_too(rows: list[tuple[int, int, int]]) -> None:
    code, pane, value = np.array(rows, np.int64).T
    cells = Cells(code.copy(), pane.copy(), [numbers_of(range(len(rows)))], value=value.copy())
    whole = arranged(cells, keys=3)
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
    whole = united(Program(AskedWindows(), Edges(()), (SumPartial("x"),)), cells)
    totals: dict[Row, int] = {}
    for key, pane, number in rows:
        totals[key, pane] = totals.get((key, pane), 0) + number
    assert list(zip(whole.code.tolist(), whole.pane.tolist(), strict=True)) == sorted(totals)
    assert whole.partials[0].arrow().to_pylist() == [totals[name] for name in sorted(totals)]


def test_cells_that_must_stay_apart_do() -> None:
    apart = Program(AskedWindows(), Edges(()), (SumPartial("x"),), mergeable=False)
    assert len(united(apart, [cells_of([(0, 0)]), cells_of([(0, 0)])])) == 2


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
    whole = united(COUNTING, [counted(part) for part in parts])
    expected = counts_of([row for part in parts for row in part])
    assert names_of(whole) == sorted(expected)
    totals = [expected[name] for name in sorted(expected)]
    assert whole.weights is not None and whole.weights.tolist() == totals
    assert whole.partials[0].arrow().to_pylist() == totals


def test_values_that_differ_stay_as_they_are() -> None:
    cells = counted([(0, 0, 0, 1), (0, 0, 1, 1), (0, 0, 2, 1)])
    assert united(COUNTING, [cells]) is cells


class OneTier(PeriodicTier):
    """Merges cells, and tells which were new and which were not."""

    def united(self, cells: Cells, fresh: np.ndarray) -> tuple[Cells, np.ndarray, np.ndarray]:
        return self._united(cells, fresh)


@given(counted_runs, st.integers(0, 2**32 - 1))
def test_a_cell_is_fresh_if_one_of_its_rows_is(parts: list[list[Counted]], bits: int) -> None:
    rows = sorted(row for part in parts for row in part)
    fresh = np.array([bits >> i & 1 for i in range(len(rows))], np.bool_)
    asked = program([pw.tumbling(5)], counts_values=True)
    tier = OneTier(replace(asked, partials=(SumPartial("x"),)), asked.windows)
    less, new, old = tier.united(counted(rows), fresh)
    names = names_of(less)
    for flags, wanted in ((new, True), (old, False)):
        flagged = {name for name, flag in zip(names, flags, strict=True) if flag}
        assert flagged == {r[:3] for r, is_new in zip(rows, fresh, strict=True) if is_new == wanted}

"""Many sorted runs as one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from panewise.aggregates.sum import SumPartial
from panewise.kernels.cells import Cells
from panewise.kernels.merging import merged_runs, pane_heads, united
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
def test_heads_are_the_first_cells_of_their_pane(parts: list[list[Row]]) -> None:
    rows = sorted(row for part in parts for row in part)
    assert pane_heads(cells_of(rows)).tolist() == sorted({rows.index(row) for row in rows})


@given(runs)
def test_united_runs_have_one_cell_for_each_pane(parts: list[list[Row]]) -> None:
    cells, rows = numbered(parts)
    whole = united(Program((), Edges(()), (SumPartial("x"),)), cells)
    totals: dict[Row, int] = {}
    for key, pane, number in rows:
        totals[key, pane] = totals.get((key, pane), 0) + number
    assert list(zip(whole.code.tolist(), whole.pane.tolist(), strict=True)) == sorted(totals)
    assert whole.partials[0].arrow().to_pylist() == [totals[name] for name in sorted(totals)]


@pytest.mark.parametrize("option", [{"mergeable": False}, {"counts_values": True}], ids=str)
def test_cells_that_must_stay_apart_do(option: dict[str, bool]) -> None:
    program = Program((), Edges(()), (SumPartial("x"),), **option)  # type: ignore[arg-type]
    assert len(united(program, [cells_of([(0, 0)]), cells_of([(0, 0)])])) == 2

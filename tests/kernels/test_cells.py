"""Cells: two sorted runs as one, and neighbours combined."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from panewise.aggregates.extremes import MaxPartial
from panewise.aggregates.sum import SumPartial
from panewise.errors import ResultOverflow
from panewise.kernels.arrivals import Arrivals
from panewise.kernels.cells import Cells
from panewise.kernels.columns import column_of
from tests.kernels.building import numbers_of

Row = tuple[int, int, int]  # key, pane, sequence
rows = st.lists(st.tuples(*[st.integers(0, 3)] * 3), max_size=12).map(sorted)


def cells_of(given: list[Row], *, sequence: bool = True) -> Cells:
    """Cells that carry everything; each partial is the place of its row."""
    code, pane, order = np.array(given, np.int64).reshape(-1, 3).T
    places = pa.array(range(len(given)), pa.int64())
    return Cells(
        code=code.copy(),
        pane=pane.copy(),
        partials=[column_of(places, "sum"), column_of(places.cast(pa.string()), None)],
        first=pane + 10,
        last=pane + 20,
        value=np.arange(len(given)) if sequence else None,
        weights=np.ones(len(given), np.int64),
        sequence=order.copy() if sequence else None,
        inputs=[places.cast(pa.string())],
    )


def listed(cells: Cells) -> list[Row]:
    assert cells.sequence is not None
    return list(zip(*(c.tolist() for c in (cells.code, cells.pane, cells.sequence)), strict=True))


@given(rows, rows)
def test_two_runs_become_one(held: list[Row], new: list[Row]) -> None:
    merged, fresh = Cells.merge(cells_of(held), cells_of(new))
    tagged = sorted([(row, False) for row in held] + [(row, True) for row in new])
    assert listed(merged) == [row for row, _ in tagged]
    assert fresh.tolist() == [is_new for _, is_new in tagged]


@given(rows, rows)
def test_without_a_sequence_what_is_held_comes_first(held: list[Row], new: list[Row]) -> None:
    merged, fresh = Cells.merge(cells_of(held, sequence=False), cells_of(new, sequence=False))
    tagged = sorted([(*row[:2], False) for row in held] + [(*row[:2], True) for row in new])
    assert fresh.tolist() == [is_new for _, _, is_new in tagged]
    assert merged.pane.tolist() == [pane for _, pane, _ in tagged]


@given(rows, rows)
def test_cells_of_one_pane_are_in_order_of_their_values(held: list[Row], new: list[Row]) -> None:
    def valued(given: list[Row]) -> Cells:
        cells = cells_of(given)
        return replace(cells, value=cells.sequence, sequence=None)

    merged, fresh = Cells.merge(valued(held), valued(new))
    tagged = sorted([(row, False) for row in held] + [(row, True) for row in new])
    assert merged.value is not None
    assert listed(replace(merged, sequence=merged.value)) == [row for row, _ in tagged]
    assert fresh.tolist() == [is_new for _, is_new in tagged]


def test_every_column_moves_with_its_row() -> None:
    held, new = cells_of([(0, 1, 0), (1, 0, 0)]), cells_of([(0, 0, 0), (0, 5, 0)])
    merged, _ = Cells.merge(held, new)  # places 0 0 1 1
    expected = [0, 0, 1, 1]
    assert [column.arrow().cast(pa.int64()).to_pylist() for column in merged.partials] == [
        expected,
        expected,
    ]
    assert merged.first is not None and merged.first.tolist() == [10, 11, 15, 10]
    assert merged.last is not None and merged.last.tolist() == [20, 21, 25, 20]
    assert merged.value is not None and merged.value.tolist() == expected
    assert merged.inputs[0].to_pylist() == ["0", "0", "1", "1"]


@given(rows.filter(bool))
def test_rows_of_one_pane_are_combined(given: list[Row]) -> None:
    code, pane, _ = np.array(given, np.int64).T
    xs = np.arange(len(given))
    cells = Cells(
        code, pane, [numbers_of(xs.tolist()), numbers_of(xs.tolist())],
        first=xs, last=xs, weights=xs + 1, value=10 * code + pane,
    )  # fmt: skip
    names = sorted(set(zip(code.tolist(), pane.tolist(), strict=True)))
    heads = np.array([list(zip(code, pane, strict=True)).index(name) for name in names])
    merged = cells.merged((SumPartial("x"), MaxPartial("x")), heads, pane[heads], True)
    groups = [[i for i in xs.tolist() if (code[i], pane[i]) == name] for name in names]
    total, top = (column.arrow().to_pylist() for column in merged.partials)
    assert total == [sum(group) for group in groups]
    assert top == [max(group) for group in groups]
    assert merged.first is not None and merged.first.tolist() == [min(g) for g in groups]
    assert merged.last is not None and merged.last.tolist() == [max(g) for g in groups]
    assert merged.value is not None and merged.value.tolist() == [10 * k + p for k, p in names]
    weights = [sum(i + 1 for i in group) for group in groups]
    assert merged.weights is not None and merged.weights.tolist() == weights


def test_a_combined_sum_that_overflows_is_an_error_when_checked() -> None:
    zeros = np.zeros(2, np.int64)
    cells = Cells(zeros, zeros, [numbers_of([2**62, 2**62])])
    head = np.array([0])
    with pytest.raises(ResultOverflow):
        cells.merged((SumPartial("x"),), head, head, True)
    merged = cells.merged((SumPartial("x"),), head, head, False)
    assert merged.partials[0].arrow().to_pylist() == [-(2**63)]


def test_runs_say_where_each_key_begins() -> None:
    cells = cells_of([(0, 0, 0), (0, 1, 0), (2, 0, 0)])
    assert cells.runs(4).tolist() == [0, 2, 2, 3, 3]


def test_memory_is_that_of_all_columns() -> None:
    cells = cells_of([(0, 0, 0)] * 3)
    assert cells.nbytes > replace(cells, inputs=(), value=None).nbytes > 0


def test_a_row_is_a_cell_of_weight_one() -> None:
    bare = Cells(np.array([0, 1]), np.array([4, 2]), [], sequence=Arrivals(7, 2))
    cells = bare.as_rows()
    assert cells.first is not None and cells.last is not None
    assert cells.first.tolist() == cells.last.tolist() == [4, 2]
    assert cells.weights is not None and cells.weights.tolist() == [1, 1]
    assert isinstance(cells.sequence, np.ndarray) and cells.sequence.tolist() == [7, 8]

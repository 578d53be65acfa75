"""Cells that grow at their end against cells put together at once."""

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from panewise.kernels.cells import Cells
from panewise.kernels.columns import Objects
from panewise.kernels.growing import Growing
from tests.kernels.building import numbers_of

values = st.lists(st.one_of(st.none(), st.integers(-9, 9)), max_size=5)


def cells_of(column: list[int | None], begin: int) -> Cells:
    pane = np.arange(begin, begin + len(column))
    texts = Objects(pa.array([str(v) for v in column], pa.string()))
    return Cells(np.zeros(len(column), np.int64), pane, [numbers_of(column), texts], last=pane + 1)


def shown(cells: Cells) -> list[object]:
    assert cells.last is not None
    columns = [column.arrow().to_pylist() for column in cells.partials]
    return [cells.code.tolist(), cells.pane.tolist(), cells.last.tolist(), *columns]


@given(st.lists(st.tuples(values, st.integers(0, 3)), min_size=1, max_size=8))
def test_cells_that_grew_are_those_put_together(
    steps: list[tuple[list[int | None], int]],
) -> None:
    """Some of the first cells go between two steps; what was told before stays as it was."""
    growing, held = Growing(), cells_of([1], 0)
    column: list[int | None] = [1]
    end = 1
    for added, gone in steps:
        before, was = held, shown(held)
        held = growing.appended(held, cells_of(added, end))
        column, end = column + added, end + len(added)
        assert shown(held) == shown(cells_of(column, end - len(column)))
        assert shown(before) == was
        if 0 < gone < len(held):
            held, column = held.take(np.arange(gone, len(held))), column[gone:]


def test_nothing_moves_while_there_is_room() -> None:
    growing = Growing()
    held = growing.appended(cells_of([1] * 10, 0), cells_of([2], 10))
    more = growing.appended(held, cells_of([3], 11))
    assert np.shares_memory(held.pane, more.pane)


def test_cells_of_other_keys_keep_their_numbers() -> None:
    held, new = cells_of([1, 2], 0), cells_of([3], 2)
    held.code, new.code = np.array([0, 1]), np.array([1])
    assert Growing().appended(held, new).code.tolist() == [0, 1, 1]

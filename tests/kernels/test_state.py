"""State: cells as a table and back, and cells of one layout in another."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from panewise.aggregates import Partial
from panewise.aggregates.collect import ListPartial
from panewise.aggregates.extremes import MaxPartial
from panewise.aggregates.sum import SumPartial
from panewise.kernels.cells import Cells
from panewise.kernels.columns import column_of
from panewise.kernels.state import Layout, cells_of, table_of

SUM, TOP = SumPartial("x"), MaxPartial("x")
two = np.array([3, 4])
words = pa.array(["a", None])


def cells(**more: Any) -> Cells:
    sums = column_of(pa.array([1, None], pa.int64()), "sum")
    tops = column_of(pa.array([True, None]), "max")
    return Cells(np.array([0, 1]), np.array([-5, 7]), [sums, tops], **more)


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"first": two, "last": two + 1},
        {"value": two, "weights": two},
        {"first": two, "last": two, "weights": two, "sequence": two, "inputs": [words] * 11},
    ],
    ids=["panes", "times", "values", "rows"],
)
def test_cells_come_back_from_a_table(more: dict[str, Any]) -> None:
    before = cells(**more)
    after = cells_of(table_of(before), (SUM, TOP))
    assert table_of(after).equals(table_of(before))
    assert [type(c) for c in after.partials] == [type(c) for c in before.partials]
    for name in ("first", "last", "value", "weights", "sequence"):
        assert (getattr(after, name) is None) == (name not in more)


def test_a_table_without_rows() -> None:
    none = cells().take(np.empty(0, np.int64))
    assert len(cells_of(table_of(none), (SUM, TOP))) == 0


def layout(*partials: Partial, **more: Any) -> Layout:
    kinds = {SUM: pa.int64(), TOP: pa.bool_()}
    listed = [kinds.get(p, pa.list_(pa.int64())) for p in partials]  # type: ignore[call-overload]
    return Layout(partials, listed, more.get("inputs", ()))


def test_partials_are_found_by_what_they_are() -> None:
    adapted = layout(TOP, ListPartial("x"), SUM).adapted(cells(), layout(SUM, TOP))
    assert [column.arrow().to_pylist() for column in adapted.partials] == [
        [True, None],
        [None, None],
        [1, None],
    ]


def test_values_and_their_counts_stay() -> None:
    adapted = layout(TOP).adapted(cells(value=two, weights=two + 1), layout(SUM, TOP))
    assert adapted.value is not None and adapted.value.tolist() == [3, 4]
    assert adapted.weights is not None and adapted.weights.tolist() == [4, 5]


def test_inputs_move_to_their_new_place() -> None:
    rows = cells(sequence=two, inputs=[words])
    before = layout(SUM, TOP, inputs=[("y", pa.string())])
    after = layout(SUM, TOP, inputs=[("z", pa.int64()), ("y", pa.string())])
    adapted = after.adapted(rows, before)
    assert [each.to_pylist() for each in adapted.inputs] == [[None, None], ["a", None]]


def test_cells_of_panes_have_no_inputs() -> None:
    adapted = layout(SUM, TOP, inputs=[("y", pa.string())]).adapted(cells(), layout(SUM, TOP))
    assert list(adapted.inputs) == []


def test_the_cells_given_stay_as_they_are() -> None:
    given = cells()
    layout(TOP).adapted(given, layout(SUM, TOP))
    assert len(given.partials) == 2 and given.weights is None

"""Value counts: equal values of one pane as one cell."""

from collections import Counter

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from panewise.aggregates.sum import SumPartial
from panewise.kernels.cells import Cells
from panewise.kernels.compact import compacted
from panewise.kernels.program import Program
from panewise.plan import Edges
from tests.kernels.building import numbers_of

PROGRAM = Program((), Edges(()), (SumPartial("x"),), counts_values=True)
value = st.one_of(st.none(), st.integers(-1, 1))
Row = tuple[int, int, int | None, str | None, int]  # key, pane, two values, count
rows = st.lists(
    st.tuples(
        st.integers(0, 1),
        st.integers(0, 1),
        value,
        st.one_of(st.none(), st.sampled_from("ab")),
        st.integers(1, 3),
    ),
    min_size=1,
    max_size=20,
).map(lambda given: sorted(given, key=lambda row: row[:2]))


def cells_of(given: list[Row]) -> Cells:
    code, pane, x, y, count = zip(*given, strict=True)
    return Cells(
        code=np.array(code),
        pane=np.array(pane),
        partials=[numbers_of(count)],
        values=[pa.array(x, pa.int64()), pa.array(y, pa.string())],
        weights=np.array(count),
    )


def counted(cells: Cells) -> dict[tuple, int]:
    assert cells.weights is not None
    columns = [cells.code.tolist(), cells.pane.tolist(), *(v.to_pylist() for v in cells.values)]
    names = list(zip(*columns, strict=True))
    assert cells.partials[0].arrow().to_pylist() == cells.weights.tolist()
    counts: Counter[tuple] = Counter()
    for name, weight in zip(names, cells.weights.tolist(), strict=True):
        counts[name] += weight
    return dict(counts)


@given(rows)
def test_equal_values_become_one_cell(given: list[Row]) -> None:
    cells = cells_of(given)
    less, _ = compacted(PROGRAM, cells, np.ones(len(cells), np.bool_))
    assert counted(less) == counted(cells)
    assert len(less) == len(counted(cells))
    by_pane = list(zip(less.code, less.pane, strict=True))
    assert by_pane == sorted(by_pane)


@given(rows, st.integers(0, 2**20))
def test_a_cell_is_fresh_if_one_of_its_rows_is(given: list[Row], bits: int) -> None:
    fresh = np.array([bits >> i & 1 for i in range(len(given))], np.bool_)
    less, flags = compacted(PROGRAM, cells_of(given), fresh)
    names = list(zip(less.code, less.pane, *(v.to_pylist() for v in less.values), strict=True))
    new = {row[:4] for row, is_new in zip(given, fresh, strict=True) if is_new}
    assert {name for name, flag in zip(names, flags, strict=True) if flag} == new


def test_values_that_differ_stay_as_they_are() -> None:
    cells = cells_of([(0, 0, 1, "a", 1), (0, 0, None, "a", 1), (0, 0, 1, None, 1)])
    less, fresh = compacted(PROGRAM, cells, np.array([True, False, True]))
    assert less is cells
    assert fresh.tolist() == [True, False, True]


def test_zeros_are_one_value_and_so_is_not_a_number() -> None:
    cells = cells_of([(0, 0, 0, None, 1)] * 4)
    cells.values = [pa.array([0.0, -0.0, float("nan"), float("nan")])]
    less, _ = compacted(PROGRAM, cells, np.zeros(4, np.bool_))
    assert less.weights is not None and less.weights.tolist() == [2, 2]

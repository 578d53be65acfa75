"""Partials of rows that came behind others are those of rows with a greater sequence."""

from dataclasses import replace

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from panewise.aggregates import Aggregate, registered
from panewise.testing.cells import CellAlgebra, Cells, concat, nothing, rows_of, take

CASES = [
    pytest.param(example, id=example.canonical)
    for kind in registered().values()
    for example in kind.examples()
]
COLUMNS = {
    "x": pa.array([4, None, 1, 1, 7, None], pa.int64()),
    "y": pa.array([1, 2, None, 0, 2, 1], pa.int64()),
}


@pytest.mark.parametrize("aggregate", CASES)
def test_as_if_rows_were_numbered_so(aggregate: Aggregate) -> None:
    algebra, rows = CellAlgebra.over(aggregate, COLUMNS), rows_of(COLUMNS)
    later = replace(rows, sequence=pc.add(rows.sequence, 100))

    def cells(lifted: Cells) -> Cells:
        """Single rows, all of them in one, and none; a part of others, as slices are."""
        made = concat(lifted, algebra.fold(take(lifted, range(6))), nothing(lifted))
        return tuple(part.slice(1) for part in made)

    before, expected = cells(algebra.lift(rows)), cells(algebra.lift(later))
    sides = zip(algebra.partials, before, expected, strict=True)
    for partial, column, wanted in sides:
        found = partial.behind(column, 100)
        assert found.type == column.type
        if partial.properties.ordered:
            assert found.to_pylist() == wanted.to_pylist() != column.to_pylist()
        else:
            assert found is column, "nothing is done where nothing depends on order"

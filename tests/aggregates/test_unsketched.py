"""Values of single rows on their way into sketches."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import panewise as pw
from panewise.aggregates import Aggregate, Partial, Rows, Scope
from panewise.aggregates.unsketched import are_marked, marked_numbers, reals_of, value_of
from panewise.kernels.records import fold_records

datasketches = pytest.importorskip("datasketches")
COLUMNS: dict[str, pa.Array] = {
    "int64": pa.array([3, None, 3, -(2**63), 7] * 40),
    "double": pa.array([0.0, -0.0, None, 1.5, float("nan")] * 40),
    "text": pa.array(["", None, "a", "ä", "a"] * 40),
    "binary": pa.array([b"", b"a", None, b"\xff", b"a"] * 40),
}


def lifted(aggregate: Aggregate, x: pa.Array) -> tuple[Partial, pa.Array]:
    (partial,) = aggregate.partials(Scope({"x": "x"}, {"x": "double"}, "t", "s"))
    none = pa.array(np.zeros(len(x), np.int64))
    return partial, partial.lift(Rows({"x": x}, none, none))


@pytest.mark.parametrize("name", COLUMNS)
def test_a_range_is_counted_as_its_rows_one_by_one(name: str) -> None:
    aggregate = pw.approx_count_distinct("x")
    partial, column = lifted(aggregate, COLUMNS[name])
    lo, hi = np.array([0, 1, 5, 30]), np.array([200, 2, 5, 180])
    found = fold_records(partial, column, lo, hi)
    expected = []
    for low, high in zip(lo, hi, strict=True):
        total = pa.nulls(1, pa.binary())
        for at in range(low, high):
            total = partial.combine(total, column.slice(at, 1))
        expected.append(aggregate.lower([total])[0].as_py())
    assert aggregate.lower([found]).to_pylist() == expected


def test_what_was_folded_is_a_sketch_that_anyone_reads() -> None:
    partial, column = lifted(pw.approx_count_distinct("x"), pa.array([5, None]))
    assert are_marked(column)
    one, none = fold_records(partial, column, np.array([0, 1]), np.array([1, 2])).to_pylist()
    assert none is None
    assert datasketches.hll_sketch.deserialize(one).get_estimate() == pytest.approx(1)
    partial, column = lifted(pw.approx_quantile("x", 0.5), pa.array([5.0, None]))
    one, none = fold_records(partial, column, np.array([0, 1]), np.array([1, 2])).to_pylist()
    assert none is None
    assert datasketches.kll_doubles_sketch.deserialize(one).get_quantile(0.5, True) == 5.0


@pytest.mark.parametrize(
    ("aggregate", "expected"),
    [(pw.approx_count_distinct("x"), 3), (pw.approx_quantile("x", 0.5), 2)],
)
def test_sketches_and_values_together_are_left_to_combine(
    aggregate: Aggregate, expected: int
) -> None:
    partial, column = lifted(aggregate, pa.array([1.0, 2.0, 3.0]))
    both = fold_records(partial, column, np.array([0]), np.array([2]))
    mixed = pa.concat_arrays([both, column.slice(2)])
    assert partial.record(mixed) is None
    merged = partial.combine(mixed.slice(0, 1), mixed.slice(1))
    assert aggregate.lower([merged]).to_pylist() == [expected]


@pytest.mark.parametrize("values", [[], [1.5], [None, 2.0, None, 3.5, float("inf")]])
def test_doubles_come_back(values: list[Any]) -> None:
    column = marked_numbers(pa.array([9.0, *values], pa.float64())).slice(1)
    assert reals_of(column).tolist() == [v for v in values if v is not None]
    assert [None if blob is None else value_of(blob) for blob in column.to_pylist()] == values

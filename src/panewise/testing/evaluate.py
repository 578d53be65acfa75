"""Evaluate one aggregate over values in a list, for examples and quick looks."""

from __future__ import annotations

from typing import Any

from panewise.aggregates import Aggregate
from panewise.testing.cells import CellAlgebra, as_array, rows_of


def evaluate(aggregate: Aggregate, **columns: object) -> Any:
    """The aggregate over one window holding these rows, in this order.

    >>> from panewise.aggregates import sum
    >>> evaluate(sum("x"), x=[1, 2, None])
    3
    """
    arrays = {name: as_array(values) for name, values in columns.items()}
    algebra = CellAlgebra.over(aggregate, arrays)
    return algebra.lower(algebra.fold(algebra.lift(rows_of(arrays))))[0]

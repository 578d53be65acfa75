"""Cells: the array code of one aggregate, applied to rows kept in memory.

Idea: an aggregate's partials side by side are one cell per row; lifting, combining and lowering act
on all cells of an array at once.  Nothing of an engine is used, so what holds here holds in all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from panewise.aggregates import Aggregate, Bounds, Partial, Rows, Scope
from panewise.model.sql_types import sql_type

Cells = tuple[pa.Array, ...]


@dataclass(frozen=True)
class CellAlgebra:
    """Lift, combine and lower of one aggregate over columns of known types."""

    aggregate: Aggregate
    partials: tuple[Partial, ...]

    @classmethod
    def over(cls, aggregate: Aggregate, columns: Mapping[str, pa.Array]) -> CellAlgebra:
        return cls(aggregate, aggregate.partials(scope_of(columns)))

    def lift(self, rows: Rows) -> Cells:
        return tuple(partial.lift(rows) for partial in self.partials)

    def combine(self, left: Cells, right: Cells) -> Cells:
        sides = zip(self.partials, left, right, strict=True)
        return tuple(partial.combine(a, b) for partial, a, b in sides)

    def invert(self, whole: Cells, part: Cells) -> Cells:
        sides = zip(self.partials, whole, part, strict=True)
        return tuple(partial.invert(a, b) for partial, a, b in sides)

    def lower(self, cells: Cells) -> list[Any]:
        nowhere = Bounds.at_zero(len(cells[0]))
        lowered: list[Any] = self.aggregate.results_within(cells, nowhere).to_pylist()
        return lowered

    def fold(self, cells: Cells) -> Cells:
        """All cells combined in order, as a balanced tree; the identity for no cells."""
        while len(cells[0]) > 1:
            half = len(cells[0]) // 2
            pairs = self.combine(
                take(cells, range(0, 2 * half, 2)), take(cells, range(1, 2 * half, 2))
            )
            cells = concat(pairs, take(cells, range(2 * half, len(cells[0]))))
        return cells if len(cells[0]) else nothing(cells)


def take(cells: Cells, at: Sequence[int]) -> Cells:
    """The cells at these places."""
    return tuple(part.take(pa.array(at, pa.int64())) for part in cells)


def concat(*several: Cells) -> Cells:
    """Cells one after the other."""
    return tuple(pa.concat_arrays(parts) for parts in zip(*several, strict=True))


def nothing(cells: Cells) -> Cells:
    """One cell that no row has contributed to, of the types of these cells."""
    return tuple(pa.nulls(1, part.type) for part in cells)


def scope_of(columns: Mapping[str, pa.Array]) -> Scope:
    """The scope of columns held as arrays."""
    return Scope(
        columns={name: f"`{name}`" for name in columns},
        types={name: sql_type(array.type) for name, array in columns.items()},
        time="__time",
        sequence="__sequence",
    )


def rows_of(columns: Mapping[str, pa.Array], first: int = 0) -> Rows:
    """Rows in order: ticks and sequence count up from `first`."""
    length = len(next(iter(columns.values())))
    counted = pa.array(range(first, first + length), pa.int64())
    return Rows(columns=columns, ticks=counted, sequence=counted)


def as_array(values: object) -> pa.Array:
    """An Arrow array of Python values; an array stays what it is."""
    array = values if isinstance(values, pa.Array) else pa.array(values)
    return array.cast(pa.int64()) if pa.types.is_null(array.type) else array

"""Cases for the laws: one aggregate, some rows, and cells made from them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Any

import pyarrow as pa

from panewise.testing.cells import CellAlgebra, Cells, concat, nothing, rows_of, take
from panewise.testing.compare import same

Columns = Mapping[str, pa.Array]
FEW = 3  # single rows to try in all triples, whose number is the cube of this


@dataclass(frozen=True)
class Case:
    """One aggregate, the rows it is tried on, and some cells made from them."""

    algebra: CellAlgebra
    columns: Columns

    @cached_property
    def lifted(self) -> Cells:
        return self.algebra.lift(rows_of(self.columns))

    @cached_property
    def whole(self) -> Cells:
        """All rows in one cell."""
        return self.algebra.fold(self.lifted)

    @cached_property
    def pool(self) -> Cells:
        """A few single rows, a fold of several, and the identity."""
        lifted = self.lifted
        few = take(lifted, range(min(len(lifted[0]), FEW)))
        return concat(few, self.whole, nothing(lifted))

    @cached_property
    def magnitude(self) -> float:
        """The largest number among the inputs, which bounds what cancellation can lose."""
        largest = 1.0
        for value in itertools.chain(*(column.to_pylist() for column in self.columns.values())):
            if isinstance(value, int | float | Decimal) and math.isfinite(value):
                largest = max(largest, abs(float(value)))
        return largest * max(len(next(iter(self.columns.values()))), 1)

    def differ(self, left: Cells, right: Cells) -> Iterator[tuple[int, Any, Any]]:
        """Where two arrays of cells are not the same: place, one result, the other."""
        probe = take(self.whole, [0] * len(left[0]))
        pairs = [(left, right)]
        pairs.append((self.algebra.combine(left, probe), self.algebra.combine(right, probe)))
        for one, other in pairs:
            results = zip(self.algebra.lower(one), self.algebra.lower(other), strict=True)
            for at, (a, b) in enumerate(results):
                if not same(a, b, self.magnitude):
                    yield at, a, b

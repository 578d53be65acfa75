"""What a tier holds, apart from what it computes: for snapshots, and for changing queries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa

from panewise.aggregates import Partial
from panewise.kernels.cells import Cells
from panewise.kernels.columns import column_of, nulls, whole


@dataclass(frozen=True)
class State:
    """Cells, named groups of integer columns, and the contexts of scans as JSON has them."""

    cells: Cells | None
    arrays: dict[str, dict[str, np.ndarray]] = field(default_factory=dict)
    contexts: Any = None
    keys: int = 0
    """How many keys there are."""

    @property
    def held(self) -> np.ndarray:
        """How many cells each key has."""
        codes = np.empty(0, np.int64) if self.cells is None else self.cells.code
        return np.bincount(codes, minlength=self.keys)


@dataclass(frozen=True)
class Layout:
    """The columns that cells of a program carry: partials and inputs of scans."""

    partials: Sequence[Partial]
    kinds: Sequence[pa.DataType]
    """The types of the partials."""
    inputs: Sequence[tuple[Any, pa.DataType]]

    def adapted(self, cells: Cells, before: Layout) -> Cells:
        """Cells of another layout: columns found by what they are, new ones without a value."""
        count = len(cells)
        own = dict(zip(before.partials, cells.partials, strict=True))
        adapted = replace(cells)
        adapted.partials = [
            own[p] if p in own else nulls(count, kind, p.monoid)
            for p, kind in zip(self.partials, self.kinds, strict=True)
        ]
        looked = dict(zip(before.inputs, cells.inputs, strict=False))
        if cells.inputs or cells.sequence is not None:
            adapted.inputs = [looked.get(i, pa.nulls(count, i[1])) for i in self.inputs]
        return adapted


def table_of(cells: Cells) -> pa.Table:
    """Cells as an Arrow table."""
    columns: dict[str, pa.Array] = {"code": pa.array(cells.code), "pane": pa.array(cells.pane)}
    for name in ("first", "last", "value", "weights", "sequence"):
        column = getattr(cells, name)
        if column is not None:
            columns[name] = pa.array(np.asarray(column))
    columns |= {f"p{i}": column.arrow() for i, column in enumerate(cells.partials)}
    columns |= {f"i{i}": column for i, column in enumerate(cells.inputs)}
    return pa.table(columns)


def cells_of(table: pa.Table, partials: Sequence[Partial]) -> Cells:
    """The inverse of `table_of`."""
    columns = {name: whole(table[name]) for name in table.column_names}

    def numbers(name: str) -> np.ndarray | None:
        return np.array(columns[name]) if name in columns else None

    def listed(letter: str) -> list[pa.Array]:
        return [columns[n] for n in table.column_names if n[0] == letter and n[1:].isdigit()]

    return Cells(
        code=np.array(columns["code"]),
        pane=np.array(columns["pane"]),
        partials=[column_of(c, p.monoid) for p, c in zip(partials, listed("p"), strict=True)],
        first=numbers("first"),
        last=numbers("last"),
        value=numbers("value"),
        weights=numbers("weights"),
        sequence=numbers("sequence"),
        inputs=listed("i"),
    )

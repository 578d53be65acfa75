"""The Arrow boundary: what a Python worker does with the cells of one partition.

Cells come in as Arrow batches in pane order and leave as window partials; nothing here knows Spark.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from panewise.aggregates import Aggregate, TallyAggregate
from panewise.aggregates.arrays import nullable
from panewise.kernels.cells import Cells
from panewise.kernels.compose import Composer, Piece, Program

PUSH_ROWS = 1 << 17
"""Cells handed to the kernel at once: enough to make its fixed costs vanish."""


@dataclass(frozen=True)
class Lowered:
    """An aggregate that is lowered here: its result column, partial columns and input column."""

    name: str
    aggregate: Aggregate
    partials: tuple[str, ...]
    column: str


@dataclass(frozen=True)
class Job:
    """Names of the columns that come and go, and the program between."""

    program: Program
    keys: tuple[str, ...]
    partials: tuple[str, ...]
    counted: tuple[str, ...]
    lowered: tuple[Lowered, ...]
    schema: pa.Schema

    def run(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Compose one partition."""
        composer: Composer | None = None
        waiting: list[pa.RecordBatch] = []
        count = 0
        for batch in batches:
            if not batch.num_rows:
                continue
            if composer is None:
                composer = Composer(
                    self.program, pa.schema([batch.schema.field(k) for k in self.keys])
                )
            waiting.append(batch)
            count += batch.num_rows
            if count >= max(PUSH_ROWS, composer.held):
                for piece in composer.push(self._cells(composer, waiting)):
                    yield from self._rows(composer, piece)
                waiting, count = [], 0
        if composer is None:
            return
        if waiting:
            for piece in composer.push(self._cells(composer, waiting)):
                yield from self._rows(composer, piece)
        for piece in composer.flush():
            yield from self._rows(composer, piece)

    def _cells(self, composer: Composer, batches: list[pa.RecordBatch]) -> Cells:
        table = pa.Table.from_batches(batches).combine_chunks()
        columns = {name: _whole(table[name]) for name in table.column_names}
        pane = np.asarray(columns["p"])
        partials = [
            columns[name].cast(partial.wide(nullable(columns[name].type)))
            for partial, name in zip(self.program.partials, self.partials, strict=True)
        ]
        weights = np.asarray(columns["n"]) if self.counted else np.empty(len(pane), np.int64)
        return Cells(
            code=composer.keys.encode(table.select(list(self.keys))),
            pane=pane,
            first=np.asarray(columns.get("f", columns["p"])),
            last=np.asarray(columns.get("l", columns["p"])),
            partials=partials,
            values=[columns[name] for name in self.counted],
            weights=weights,
        )

    def _rows(self, composer: Composer, piece: Piece) -> Iterator[pa.RecordBatch]:
        count = len(piece.start)
        if not count:
            return
        arrays = dict(zip(self.keys, composer.keys.take(piece.code), strict=True))
        arrays["w"] = pa.array(np.full(count, piece.window, np.int32))
        arrays["s"], arrays["e"] = pa.array(piece.start), pa.array(piece.end)
        arrays |= dict(zip(self.partials, piece.partials, strict=True))
        arrays |= {one.name: self._lower(one, arrays, piece) for one in self.lowered}
        yield pa.RecordBatch.from_arrays(
            [fitted(arrays[f.name], f.type, self.program.checked) for f in self.schema],
            schema=self.schema,
        )

    def _lower(self, one: Lowered, arrays: dict[str, pa.Array], piece: Piece) -> pa.Array:
        if not isinstance(one.aggregate, TallyAggregate):
            return one.aggregate.results([arrays[name] for name in one.partials])
        ranked = piece.ranked_values(self.counted.index(one.column))
        parts = [one.aggregate.lower_tally(t) for _, t in ranked.tallies(piece.lo, piece.hi)]
        return pa.concat_arrays(parts)


def fitted(column: pa.Array, kind: pa.DataType, checked: bool) -> pa.Array:
    """A column in the type that Spark expects."""
    if column.type.equals(kind):
        return column
    if pa.types.is_decimal256(column.type):
        return _narrow(column, kind, checked)
    return column.cast(kind)


def _narrow(column: pa.Array, kind: pa.DataType, checked: bool) -> pa.Array:
    """Decimal sums that need more digits than there are: an error or null, as Spark has it."""
    limit = pa.scalar(Decimal(10) ** (kind.precision - kind.scale), column.type)
    too_large = pc.greater_equal(pc.abs(column), limit)
    if checked and pc.any(too_large).as_py():
        raise OverflowError(f"a decimal sum needs more than {kind.precision} digits")
    fits = pc.if_else(too_large, pa.scalar(None, column.type), column)
    return fits.cast(kind)


def _whole(column: pa.ChunkedArray) -> pa.Array:
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()

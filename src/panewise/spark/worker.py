"""The Arrow boundary: what a Python worker does with the cells or rows of one partition.

Cells come in as Arrow batches in order of time, rows in packets, and leave as window partials;
nothing here knows Spark.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from panewise.aggregates import Aggregate, Rows, TallyAggregate
from panewise.aggregates.arrays import nullable
from panewise.kernels.cells import Cells
from panewise.kernels.columns import column_of
from panewise.kernels.compose import Composer
from panewise.kernels.keys import counting_sort
from panewise.kernels.program import Piece, Program
from panewise.kernels.scans import scan_inputs
from panewise.kernels.slicer import Slicer
from panewise.operator.results import fitted
from panewise.spark.packets import unpacked
from panewise.windows import Scan

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
class Job(ABC):
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
        waiting: list[pa.Table] = []
        count = newest = 0
        for table, newest in self.parts(batches):
            if composer is None:
                keys, values = (
                    pa.schema([table.schema.field(name) for name in names])
                    for names in (self.keys, self.counted)
                )
                composer = Composer(self.program, keys, values)
            waiting.append(table)
            count += table.num_rows
            if count >= max(PUSH_ROWS, composer.held):
                yield from self._told(composer, self.push(composer, _joined(waiting), newest))
                waiting, count = [], 0
        if composer is None:
            return
        if waiting:
            yield from self._told(composer, self.push(composer, _joined(waiting), newest))
        yield from self._told(composer, composer.flush())

    @abstractmethod
    def parts(self, batches: Iterable[pa.RecordBatch]) -> Iterator[tuple[pa.Table, int]]:
        """What comes in, never empty, and a time that nothing later is before."""

    @abstractmethod
    def push(self, composer: Composer, table: pa.Table, newest: int) -> Iterator[Piece]:
        """What is final once these are in, and nothing comes that is before the newest time."""

    def _told(self, composer: Composer, pieces: Iterable[Piece]) -> Iterator[pa.RecordBatch]:
        for piece in pieces:
            if len(piece):
                yield self._rows(composer, piece)
        if composer.has_idle_numbers():
            composer.forget()

    def _rows(self, composer: Composer, piece: Piece) -> pa.RecordBatch:
        found, count = piece.ranges, len(piece)
        arrays = dict(zip(self.keys, composer.keys.take(found.code), strict=True))
        arrays["w"] = pa.array(found.window.astype(np.int32))
        arrays["s"], arrays["e"] = pa.array(found.start), pa.array(found.end)
        number = pa.nulls(count, pa.int64()) if piece.number is None else pa.array(piece.number)
        arrays["no"] = number
        columns = zip(self.partials, piece.partials, strict=True)
        arrays |= {name: column.arrow() for name, column in columns}
        arrays |= {one.name: self._lower(one, arrays, piece, composer) for one in self.lowered}
        return pa.RecordBatch.from_arrays(
            [fitted(arrays[f.name], f.type, self.program.checked) for f in self.schema],
            schema=self.schema,
        )

    def _lower(
        self, one: Lowered, arrays: dict[str, pa.Array], piece: Piece, composer: Composer
    ) -> pa.Array:
        if not isinstance(one.aggregate, TallyAggregate):
            return one.aggregate.results([arrays[name] for name in one.partials])
        ranked = piece.ranked_values(self.counted.index(one.column), composer.values)
        tallies = ranked.tallies(piece.ranges.lo, piece.ranges.hi)
        return pa.concat_arrays([one.aggregate.lower_tally(tally) for _, tally in tallies])


class CellJob(Job):
    """Cells of panes in, in the order of panes."""

    def parts(self, batches: Iterable[pa.RecordBatch]) -> Iterator[tuple[pa.Table, int]]:
        for batch in batches:
            if batch.num_rows:
                yield pa.Table.from_batches([batch]), batch["p"][-1].as_py()

    def push(self, composer: Composer, table: pa.Table, newest: int) -> Iterator[Piece]:
        columns = {name: _whole(table[name]) for name in table.column_names}
        pane = np.asarray(columns["p"])
        code = composer.keys.encode(table.select(list(self.keys)))
        cells = Cells(
            code=code,
            pane=pane,
            partials=[
                column_of(columns[name].cast(p.wide(nullable(columns[name].type))), p.monoid)
                for p, name in zip(self.program.partials, self.partials, strict=True)
            ],
            first=np.asarray(columns["f"]) if "f" in columns else None,
            last=np.asarray(columns["l"]) if "l" in columns else None,
            value=composer.values.encode(table.select(list(self.counted)))
            if self.counted
            else None,
            weights=np.asarray(columns["n"]) if self.counted else None,
        )
        by_key = cells.take(counting_sort(code, len(composer.keys))[0])
        yield from composer.push(by_key, None, newest, newest)


@dataclass(frozen=True)
class RowJob(Job):
    """Rows in, in packets."""

    inputs: dict[str, str] = field(default_factory=dict)
    """Columns of the query by their names inside."""

    def parts(self, batches: Iterable[pa.RecordBatch]) -> Iterator[tuple[pa.Table, int]]:
        return unpacked(batches)

    def push(self, composer: Composer, table: pa.Table, newest: int) -> Iterator[Piece]:
        columns = {name: _whole(table[name]) for name in table.column_names}
        ticks = np.asarray(columns["t"])
        read = {name: columns[inside] for name, inside in self.inputs.items()}
        read |= {inside: columns[inside] for inside in self.counted}
        rows = Rows(read, columns["t"], columns["s"])
        looked_at = [
            each
            for window in self.program.windows.scanned
            if isinstance(window.demand, Scan)
            for each in scan_inputs(window.demand.window, read, len(ticks))
        ]
        times = bool(self.program.windows.sessions)
        slicer = Slicer(self.program, composer.values, times=times)
        code = composer.keys.encode(table.select(list(self.keys)))
        single = slicer.rows(code, ticks, rows, looked_at, np.asarray(columns["s"]))
        yield from composer.push(None, single, newest, newest)


def _joined(tables: list[pa.Table]) -> pa.Table:
    return pa.concat_tables(tables).combine_chunks()


def _whole(column: pa.ChunkedArray) -> pa.Array:
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()

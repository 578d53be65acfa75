"""Events with a duration that travel to the worker of their key, and are entered into slots there.

One shuffle of narrow rows, for all partials at once: with many keys, cells are nearly as many as
events, and Spark's own group-by of them takes longer than all the rest.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from panewise.aggregates import Partial, Rows
from panewise.kernels.columns import Column, array_of
from panewise.kernels.keys import KeyTable
from panewise.kernels.spanning.answers import answers, busy_of, layout_for
from panewise.kernels.spanning.busy import windows
from panewise.kernels.spanning.dense import Dense, Extent, Spans
from panewise.kernels.spanning.store import Share, slicer_for, written
from panewise.kernels.vocabulary import Vocabulary
from panewise.operator.results import fitted
from panewise.plan import Edges
from panewise.spark.worker import Lowered
from panewise.windows import Family

AT_ONCE = 1 << 18
"""Windows that are told in one batch, about."""
Piece = tuple[tuple[np.ndarray, ...], dict[Partial, Column]]


@dataclass(frozen=True)
class SpanRowJob:
    """Names of the columns that come and go, and how events become windows."""

    shares: tuple[Share, ...]
    panes: Edges
    families: tuple[tuple[int, Family], ...]
    keys: tuple[str, ...]
    inputs: dict[str, str]
    """Columns of the query by their names inside."""
    told: dict[Partial, str]
    lowered: tuple[Lowered, ...]
    schema: pa.Schema
    checked: bool

    def run(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The windows of all keys of a partition.

        Events stay in parts, as they came: they are not copied once more to be put together.
        """
        keys: KeyTable | None = None
        parts: list[Spans] = []
        for batch in batches:
            if not batch.num_rows:
                continue
            own = batch.select(list(self.keys))
            keys = keys or KeyTable(own.schema)
            code = keys.encode(pa.Table.from_batches([own])).astype(np.int32)
            parts.append(self._part(batch, code))
        if keys is None:
            return
        for found, columns in self._pieces(parts, len(keys)):
            yield self._rows(keys, found, columns)

    def _part(self, batch: pa.RecordBatch, code: np.ndarray) -> Spans:
        # copies, because a batch is one piece of memory: a view of a column would keep its keys too
        start, behind = np.array(batch["t"]), np.asarray(batch["z"]) + 1
        read = {name: batch[inside] for name, inside in self.inputs.items()}
        rows = Rows(read, array_of(start, pa.int64()), pa.array(np.empty(0, np.int64)))
        return Spans(code, start, behind, rows)

    def _pieces(self, parts: list[Spans], keys: int) -> Iterator[Piece]:
        extent = Extent.of(parts)
        dense = Dense.of(self.panes, self.families, keys, parts, extent, self.shares)
        if dense is not None and all(dense.has(share) for share in self.shares):
            parts.clear()
            for piece in dense.pieces(AT_ONCE):
                told: dict[Partial, Column] = {}
                for share in self.shares:
                    told |= dense.columns(share, piece)
                yield piece.windows, told
            return
        del dense
        whole = Spans.together(parts)
        assert whole.code is not None
        code, last = whole.code.astype(np.int64), whole.end - 1
        yield from self._from_cells(code, keys, whole.rows, last, extent.bounds)

    def _from_cells(
        self, code: np.ndarray, keys: int, rows: Rows, last: np.ndarray, bounds: tuple[int, int]
    ) -> Iterator[Piece]:
        """Where slots would outnumber events by far: cells of each share, sorted."""
        made = []
        for share in self.shares:
            layout = layout_for(share, self.panes, *bounds)
            slicer = slicer_for(share, layout.panes, self.checked, Vocabulary(pa.schema([])))
            cells = written(slicer, layout, code, keys, rows, last)
            made.append((share, layout, cells))
        listed = windows(busy_of(*made[0][1:]), self.families)
        for first in range(0, len(listed[0]), AT_ONCE):
            part = tuple(each[first : first + AT_ONCE] for each in listed)
            told: dict[Partial, Column] = {}
            for share, layout, cells in made:
                every = answers(share, layout, cells, part, self.checked)
                told |= {partial: every[partial] for partial in share.partials}
            yield part, told

    def _rows(
        self, keys: KeyTable, found: tuple[np.ndarray, ...], told: dict[Partial, Column]
    ) -> pa.RecordBatch:
        number, code, start, end = found
        arrays = dict(zip(self.keys, keys.take(code), strict=True))
        arrays |= {"w": pa.array(number.astype(np.int32)), "s": pa.array(start), "e": pa.array(end)}
        arrays |= {name: told[partial].arrow() for partial, name in self.told.items()}
        for one in self.lowered:
            arrays[one.name] = one.aggregate.results([arrays[name] for name in one.partials])
        return pa.RecordBatch.from_arrays(
            [fitted(arrays[f.name], f.type, self.checked) for f in self.schema], schema=self.schema
        )

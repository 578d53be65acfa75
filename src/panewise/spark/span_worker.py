"""What a Python worker does with the cells of events that have a duration."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from panewise.aggregates.arrays import nullable
from panewise.kernels.cells import Cells
from panewise.kernels.columns import Column, column_of
from panewise.kernels.keys import KeyTable, counting_sort
from panewise.kernels.order import radix_order
from panewise.kernels.spanning.busy import windows
from panewise.kernels.spanning.compose import busy_stretches, composed
from panewise.kernels.spanning.layout import extent, layout_of
from panewise.kernels.spanning.store import Share, leveled
from panewise.operator.results import fitted
from panewise.plan import Edges
from panewise.windows import Family

AT_ONCE = 1 << 18
"""Windows that are told in one batch."""


@dataclass(frozen=True)
class SpanJob:
    """Names of the columns that come and go, and how cells become windows."""

    share: Share
    panes: Edges
    families: tuple[tuple[int, Family], ...]
    keys: tuple[str, ...]
    columns: tuple[str, ...]
    """Partials of cells, the number of their events last."""
    told: tuple[str, ...]
    schema: pa.Schema
    checked: bool

    def run(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Compose the windows of all keys of a partition."""
        given = [batch for batch in batches if batch.num_rows]
        if not given:
            return
        table = pa.Table.from_batches(given).combine_chunks()
        keys = KeyTable(pa.schema([table.schema.field(name) for name in self.keys]))
        code = np.zeros(table.num_rows, np.int64)
        if self.keys:
            code = keys.encode(table.select(list(self.keys)))
        cells = leveled(self._cells(table, code, max(len(keys), 1)), max(len(keys), 1))
        pane = cells.cells.pane
        technique = self.share.technique
        bounds = extent(technique, self.panes, pane)
        layout = layout_of(technique, self.panes, *bounds, self.share.idempotent)
        found = windows(busy_stretches(layout, cells), self.families)
        for first in range(0, len(found[0]), AT_ONCE):
            part = tuple(each[first : first + AT_ONCE] for each in found)
            columns = composed(layout, cells, self.share.carried, part, self.checked)
            yield self._rows(keys, part, columns)

    def _cells(self, table: pa.Table, code: np.ndarray, keys: int) -> Cells:
        placed = np.asarray(table["lv"]) * keys + code
        pane = np.asarray(table["p"])
        order = radix_order(pane)
        order = order[counting_sort(placed[order], int(placed.max()) + 1)[0]]
        columns = []
        for partial, name in zip(self.share.carried, self.columns, strict=True):
            column = table[name].combine_chunks()
            wide = column.cast(partial.wide(nullable(column.type)))
            columns.append(column_of(wide, partial.monoid).take(order))
        return Cells(placed[order], pane[order], columns)

    def _rows(
        self, keys: KeyTable, found: tuple[np.ndarray, ...], columns: list[Column]
    ) -> pa.RecordBatch:
        number, code, start, end = found
        arrays = dict(zip(self.keys, keys.take(code), strict=True)) if self.keys else {}
        arrays |= {"w": pa.array(number.astype(np.int32)), "s": pa.array(start), "e": pa.array(end)}
        told = dict(zip(self.share.carried, columns, strict=True))
        arrays |= {
            name: told[partial].arrow()
            for name, partial in zip(self.told, self.share.partials, strict=True)
        }
        return pa.RecordBatch.from_arrays(
            [fitted(arrays[f.name], f.type, self.checked) for f in self.schema], schema=self.schema
        )

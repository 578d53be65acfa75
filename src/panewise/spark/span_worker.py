"""What a Python worker does with the cells of events that have a duration."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from panewise.aggregates import Partial, TallyAggregate
from panewise.aggregates.arrays import nullable
from panewise.kernels.cells import Cells
from panewise.kernels.columns import Column, Numbers, column_of
from panewise.kernels.keys import KeyTable, counting_sort
from panewise.kernels.order import radix_order
from panewise.kernels.program import Piece
from panewise.kernels.spanning.answers import answers, busy_of, layout_for
from panewise.kernels.spanning.busy import windows
from panewise.kernels.spanning.gather import gathered
from panewise.kernels.spanning.layout import extent
from panewise.kernels.spanning.store import Share, leveled
from panewise.kernels.vocabulary import Vocabulary
from panewise.operator.results import fitted
from panewise.plan import Edges
from panewise.spark.worker import Lowered
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
    counted: tuple[str, ...]
    """Columns whose values are counted; then every cell is of one value."""
    columns: tuple[str, ...]
    """Partials of cells, the number of their events last."""
    told: tuple[str, ...]
    lowered: tuple[Lowered, ...]
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
        values = Vocabulary(pa.schema([table.schema.field(name) for name in self.counted]))
        cells = leveled(self._cells(table, code, max(len(keys), 1), values), max(len(keys), 1))
        pane = cells.cells.pane
        technique = self.share.technique
        bounds = extent(technique, self.panes, pane)
        layout = layout_for(self.share, self.panes, *bounds)
        found = windows(busy_of(layout, cells), self.families)
        for first in range(0, len(found[0]), AT_ONCE):
            part = tuple(each[first : first + AT_ONCE] for each in found)
            if not self.counted:
                told = answers(self.share, layout, cells, part, self.checked)
                yield self._rows(keys, part, self._results(told))
                continue
            for which, piece in gathered(layout, cells, part):
                own = tuple(each[which] for each in part)
                yield self._rows(keys, own, self._tallied(piece, values))

    def _cells(self, table: pa.Table, code: np.ndarray, keys: int, values: Vocabulary) -> Cells:
        placed = np.asarray(table["lv"]) * keys + code
        pane = np.asarray(table["p"])
        order = radix_order(pane)
        order = order[counting_sort(placed[order], int(placed.max()) + 1)[0]]
        columns = []
        for partial, name in zip(self.share.carried, self.columns, strict=True):
            column = table[name].combine_chunks()
            wide = column.cast(partial.wide(nullable(column.type)))
            columns.append(column_of(wide, partial.monoid).take(order))
        if not self.counted:
            return Cells(placed[order], pane[order], columns)
        value = values.encode(table.select(list(self.counted)))[order]
        counts = columns[-1]
        assert isinstance(counts, Numbers)
        return Cells(placed[order], pane[order], columns, value=value, weights=counts.values)

    def _results(self, told: dict[Partial, Column]) -> dict[str, pa.Array]:
        """The columns of partials, and of what is lowered from them."""
        arrays = {
            name: told[partial].arrow()
            for name, partial in zip(self.told, self.share.partials, strict=True)
        }
        for one in self.lowered:
            arrays[one.name] = one.aggregate.results([arrays[name] for name in one.partials])
        return arrays

    def _tallied(self, piece: Piece, values: Vocabulary) -> dict[str, pa.Array]:
        """What is lowered from value counts."""
        arrays = {}
        for one in self.lowered:
            assert isinstance(one.aggregate, TallyAggregate)
            tallies = piece.tallies(self.counted.index(one.column), values)
            arrays[one.name] = pa.concat_arrays([one.aggregate.lower_tally(t) for t in tallies])
        return arrays

    def _rows(
        self, keys: KeyTable, found: tuple[np.ndarray, ...], told: dict[str, pa.Array]
    ) -> pa.RecordBatch:
        number, code, start, end = found
        arrays = dict(zip(self.keys, keys.take(code), strict=True)) if self.keys else {}
        arrays |= {"w": pa.array(number.astype(np.int32)), "s": pa.array(start), "e": pa.array(end)}
        arrays |= told
        return pa.RecordBatch.from_arrays(
            [fitted(arrays[f.name], f.type, self.checked) for f in self.schema], schema=self.schema
        )

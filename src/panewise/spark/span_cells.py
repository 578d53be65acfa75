"""Cells of events with a duration by array code, where the rows are: for a user's own aggregates.

Events come in as they are, one row each; what each writes is found, and folded, in the worker.
Equal cells of different batches meet where windows are composed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import IntegerType, LongType, StructField, StructType

from panewise.aggregates import Partial, Rows
from panewise.aggregates.count import CountPartial
from panewise.kernels.keys import KeyTable
from panewise.kernels.spanning.answers import layout_for
from panewise.kernels.spanning.store import Share, slicer_for, written
from panewise.kernels.vocabulary import Vocabulary
from panewise.operator.results import fitted
from panewise.plan import Edges
from panewise.spark.batches import larger
from panewise.spark.binding import Binding


def folded(share: Share, panes: Edges, names: Mapping[Partial, str], binding: Binding) -> DataFrame:
    """Cells with columns `k*`, `lv`, `p` and `c*`."""
    rows = binding.rows
    fields = [rows.schema[name] for name in binding.keys]
    fields += [StructField("lv", IntegerType()), StructField("p", LongType())]
    fields += [
        StructField(name, LongType() if isinstance(p, CountPartial) else binding.partial_type(p))
        for p, name in names.items()
    ]
    schema = StructType(fields)
    arrow = to_arrow_schema(schema, timezone=binding.time_zone)
    keys, inputs = tuple(binding.keys), dict(binding.inputs)
    job = FoldJob(share, panes, keys, inputs, tuple(names.values()), arrow, binding.ansi)
    return rows.mapInArrow(job.run, schema)


@dataclass(frozen=True)
class FoldJob:
    """Names of the columns that come and go, and which cells an event writes."""

    share: Share
    panes: Edges
    keys: tuple[str, ...]
    inputs: Mapping[str, str]
    """Columns of the query by their names inside."""
    columns: tuple[str, ...]
    schema: pa.Schema
    checked: bool

    def run(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Fold the events of a partition, many at a time."""
        for batch in larger(batches):
            if batch.num_rows:
                yield self._folded(batch)

    def _folded(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        whole = {name: batch[name] for name in batch.schema.names}
        start, last = np.asarray(whole["t"]), np.asarray(whole["z"])
        keys = KeyTable(pa.schema([batch.schema.field(name) for name in self.keys]))
        code = keys.encode(batch.select(list(self.keys)))
        read = {column: whole[inside] for column, inside in self.inputs.items()}
        rows = Rows(read, whole["t"], pa.array(np.empty(0, np.int64)))
        layout = layout_for(self.share, self.panes, int(start.min()), int(last.max()))
        nothing = Vocabulary(pa.schema([]))
        slicer = slicer_for(self.share, layout.panes, self.checked, nothing)
        cells = written(slicer, layout, code, len(keys), rows, last).cells
        level, key = np.divmod(cells.code, len(keys))
        arrays = dict(zip(self.keys, keys.take(key), strict=True))
        arrays |= {"lv": pa.array(level.astype(np.int32)), "p": pa.array(cells.pane)}
        partials = zip(self.columns, cells.partials, strict=True)
        arrays |= {name: column.arrow() for name, column in partials}
        return pa.RecordBatch.from_arrays(
            [fitted(arrays[f.name], f.type, self.checked) for f in self.schema], schema=self.schema
        )

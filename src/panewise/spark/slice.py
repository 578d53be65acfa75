"""Slice: rows into cells, where the rows are.

Native: one hash aggregation in Spark's own generated code.  With user-defined aggregates, array
code folds each Arrow batch, and equal cells of different batches meet in the compose step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import LongType, StructField, StructType

from panewise.aggregates import Rows
from panewise.aggregates.user import UserPartial
from panewise.operator.results import fitted
from panewise.plan import Edges
from panewise.spark.binding import Binding
from panewise.spark.expressions import pane_of


def cells(binding: Binding, rows: DataFrame, panes: Edges, *, times: bool) -> DataFrame:
    """Cells with columns `k*`, `p`, then `f` and `l` (with `times`), `a*`, counted `v*` and `n`."""
    if any(isinstance(partial, UserPartial) for partial in binding.partials):
        return _folded(binding, rows, panes, times)
    measures = binding.lifted(pane_of(panes, "t"))
    if times:
        measures += [F.min("t").alias("f"), F.max("t").alias("l")]
    if binding.counted or not measures:
        measures.append(F.count(F.lit(1)).alias("n"))
    pane = F.expr(pane_of(panes, "t")).alias("p")
    return rows.groupBy(*binding.keys, pane, *binding.counted).agg(*measures)


def _folded(binding: Binding, rows: DataFrame, panes: Edges, times: bool) -> DataFrame:
    paned = rows.withColumn("p", F.expr(pane_of(panes, "t")))
    kept = [paned.schema[name] for name in [*binding.keys, "p"]]
    out = kept + [StructField(n, binding.partial_type(p)) for p, n in binding.partials.items()]
    if times:
        out += [StructField("f", LongType()), StructField("l", LongType())]
    out += [paned.schema[name] for name in binding.counted]
    if binding.counted:
        out.append(StructField("n", LongType()))
    schema = StructType([StructField(field.name, field.dataType) for field in out])
    arrow = to_arrow_schema(schema, timezone=binding.time_zone)
    return paned.mapInArrow(_folder(binding, arrow), schema)


def _folder(
    binding: Binding, schema: pa.Schema
) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    keys = [*binding.keys, "p", *binding.counted]
    partials = list(binding.partials.items())
    inputs, checked = binding.inputs, binding.ansi

    def fold_batches(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        from panewise.kernels.columns import column_of
        from panewise.kernels.fold import fold
        from panewise.kernels.keys import KeyTable, counting_sort

        for batch in batches:
            if not batch.num_rows:
                continue
            rows = pa.Table.from_batches([batch])
            table = KeyTable(rows.select(keys).schema)
            order, runs = counting_sort(table.encode(rows.select(keys)), len(table))
            rows = rows.take(pa.array(order))
            whole = {name: rows[name].combine_chunks() for name in rows.column_names}
            sequence = whole.get("s", whole["t"])
            lifted = Rows({c: whole[inside] for c, inside in inputs.items()}, whole["t"], sequence)
            lo, hi = runs[:-1], runs[1:]
            columns = {name: table.keys[name].combine_chunks() for name in keys}
            columns |= {
                name: fold(p, column_of(p.lift(lifted), p.monoid), lo, hi, checked=checked).arrow()
                for p, name in partials
            }
            ticks = np.asarray(whole["t"])
            columns["f"] = pa.array(np.minimum.reduceat(ticks, lo))
            columns["l"] = pa.array(np.maximum.reduceat(ticks, lo))
            columns["n"] = pa.array(hi - lo)
            yield pa.RecordBatch.from_arrays(
                [fitted(columns[f.name], f.type, checked) for f in schema], schema=schema
            )

    return fold_batches

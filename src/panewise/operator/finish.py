"""Results in process as a statement tells them: filtered, named, ordered and cut off."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from panewise.aggregates.value_counts import rank_values
from panewise.query import Finish
from panewise.query.finish import Ordered


def finished(rows: pa.Table, finish: Finish) -> pa.Table:
    """The rows and columns that are told."""
    columns = _columns(rows)
    if finish.having is not None:
        keep = pa.array(finish.having.holds(columns))
        columns = {name: column.filter(keep) for name, column in columns.items()}
    arrays = [item.value.evaluate(columns) for item in finish.select]
    told = pa.table(arrays, names=[item.name for item in finish.select])
    if finish.order:
        told = told.take(_order(columns, finish.order))
    return told if finish.limit is None else told.slice(0, finish.limit)


def _columns(rows: pa.Table) -> dict[str, pa.Array]:
    """The columns of results, and where windows start and end."""
    found = {name: _whole(rows[name]) for name in rows.column_names}
    window = found["window"]
    bounds = {"window_start": "start", "window_end": "end"}
    return {**{name: pc.struct_field(window, part) for name, part in bounds.items()}, **found}


def _whole(column: pa.ChunkedArray) -> pa.Array:
    whole = column.combine_chunks()
    return whole if isinstance(whole, pa.Array) else whole.chunk(0)


def _order(columns: dict[str, pa.Array], keys: tuple[Ordered, ...]) -> np.ndarray:
    """The places of rows in order; as in Spark, NaN is above every number."""
    sorts: list[np.ndarray] = []
    for key in reversed(keys):
        values = key.value.evaluate(columns)
        null = np.asarray(values.is_null())
        ranks = np.zeros(len(values), np.int64)
        ranks[~null] = rank_values(values.drop_null())
        sorts += [-ranks if key.descending else ranks, ~null if key.nulls_first else null]
    return np.lexsort(sorts)

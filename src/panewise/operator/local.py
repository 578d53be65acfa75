"""A plan over data at hand: in process, on all cores, without a JVM.

Idea: every core folds chunks of rows into cells; cells of all chunks are merged, and windows are
composed once.  Only windows that need rows in order keep the rows.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from panewise.kernels.cells import Cells
from panewise.kernels.keys import counting_sort
from panewise.kernels.merging import united
from panewise.kernels.ranges import ALWAYS
from panewise.operator.bound import Bound
from panewise.operator.columns import columns_of
from panewise.operator.decisions import Stream
from panewise.operator.engine import Engine, program_of
from panewise.operator.registry import Registry
from panewise.operator.results import Results
from panewise.operator.rows import accepted
from panewise.operator.sources import Chunk, source_of
from panewise.plan import Plan, SharedPlan

IN_ORDER = Stream(0, 0)
CACHED = 1 << 16
"""Rows folded at once: what is made of them stays in the processor's cache."""


@dataclass(frozen=True)
class Folded:
    """What became of a chunk: its cells and rows, and the keys and values behind the numbers."""

    cells: Cells | None
    rows: Cells | None
    keys: pa.Table
    values: pa.Table


def run_plan(plan: Plan | SharedPlan, data: Any) -> pa.Table:
    """The rows of all windows as an Arrow table."""
    registry = Registry.of_plan(plan)
    whole, since = registry.whole()
    names = whole.columns()
    source = source_of(data, names)
    bound = Bound.to(whole, columns_of(source.schema.empty_table(), names))
    program = program_of(bound, IN_ORDER, since=since)
    engine = Engine(bound, program, IN_ORDER)
    results = Results(bound, registry, revisions=False)
    folded = _in_parallel(lambda chunk: _fold(bound, engine, chunk), source.chunks)
    cells, rows = _together(engine, folded)
    pieces = engine.composer.push(cells, rows, ALWAYS, ALWAYS)
    return results.table(pieces, engine.composer)


def part_of(shared: SharedPlan, rows: pa.Table, name: str) -> pa.Table:
    """One query's own rows and columns."""
    query = shared.queries[name].query
    columns = [*query.result_columns, *query.by, *(a.name for a in query.aggregates)]
    return rows.filter(pc.equal(rows["query"], name)).select(columns)


def _fold(bound: Bound, engine: Engine, chunk: Chunk) -> Folded:
    """One chunk by an engine of its own, so that threads share nothing."""
    own = Engine(bound, engine.program, engine.stream)
    names, table = bound.query.columns(), chunk.read()
    single = []
    for first in range(0, table.num_rows, CACHED):
        columns = columns_of(table.slice(first, CACHED), names)
        bound.check(columns)
        rows = accepted(columns, bound.query, chunk.first + first)
        if len(rows.ticks):
            single.append(own.ingest(rows))
    composer, ordered = own.composer, [rows for rows in single if rows is not None]
    return Folded(
        own.slicer.drain(),
        Cells.concat(ordered) if ordered else None,
        composer.keys.keys,
        composer.values.table.keys,
    )


def _in_parallel(work: Callable[[Chunk], Folded], chunks: Sequence[Chunk]) -> list[Folded]:
    workers = min(os.cpu_count() or 1, len(chunks))
    if workers <= 1:
        return [work(chunk) for chunk in chunks]
    with ThreadPoolExecutor(workers) as pool:
        return list(pool.map(work, chunks))


def _together(engine: Engine, parts: Sequence[Folded]) -> tuple[Cells | None, Cells | None]:
    """All chunks with one numbering of keys."""
    keys, values = engine.composer.keys, engine.composer.values
    cells: list[Cells] = []
    rows: list[Cells] = []
    for part in parts:
        renamed = keys.encode(part.keys) if engine.bound.query.by else np.zeros(1, np.int64)
        counted = values.encode(part.values) if len(values.schema) else None
        for single, gathered in ((part.cells, cells), (part.rows, rows)):
            if single is not None:
                single.code = renamed[single.code]
                if counted is not None and single.value is not None:
                    single.value = counted[single.value]
                gathered.append(single)
    merged = None
    if cells:
        merged = united(engine.program, [_by_key(each, len(keys)) for each in cells])
    # rows need only be gathered: they are sorted when they are let go
    return merged, Cells.concat(rows) if rows else None


def _by_key(cells: Cells, keys: int) -> Cells:
    if np.all(np.diff(cells.code) >= 0):
        return cells
    return cells.take(counting_sort(cells.code, keys)[0])

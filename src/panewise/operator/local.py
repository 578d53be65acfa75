"""A plan over data at hand: in process, on all cores, without a JVM.

Idea: every core folds chunks of rows into cells; cells of all chunks are merged, and windows are
composed once.  Only windows that need rows in order keep the rows.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from panewise.kernels.ranges import ALWAYS
from panewise.operator.bound import Bound
from panewise.operator.columns import columns_of
from panewise.operator.engine import Engine, program_of
from panewise.operator.folding import IN_ORDER, Folded, Folding, together
from panewise.operator.local_spans import run_spans
from panewise.operator.registry import Registry
from panewise.operator.results import Results
from panewise.operator.rows import accepted
from panewise.operator.sources import Chunk, source_of
from panewise.plan import Plan, SharedPlan

CACHED = 1 << 17
"""Rows folded at once: what is made of them stays in the processor's cache."""


def run_plan(plan: Plan | SharedPlan, data: Any) -> pa.Table:
    """The rows of all windows as an Arrow table."""
    if (plan if isinstance(plan, Plan) else plan.plan).query.spanning:
        return run_spans(plan, data)
    registry = Registry.of_plan(plan)
    whole = registry.whole
    names = whole.columns()
    source = source_of(data, names)
    bound = Bound.to(whole, columns_of(source.schema.empty_table(), names))
    program = program_of(bound, registry, IN_ORDER)
    engine = Engine(bound, program, IN_ORDER, pushed=False)
    results = Results(bound, registry, revisions=False)
    folded = _in_parallel(lambda chunk: _fold(bound, engine, chunk), source.chunks)
    cells, rows = together(engine, folded)
    pieces = engine.composer.push(cells, rows, ALWAYS, ALWAYS)
    return results.table(pieces, engine.composer)


def part_of(shared: SharedPlan, rows: pa.Table, name: str) -> pa.Table:
    """One query's own rows and columns."""
    query = shared.queries[name].query
    columns = [*query.result_columns, *query.by, *(a.name for a in query.aggregates)]
    return rows.filter(pc.equal(rows["query"], name)).select(columns)


def _fold(bound: Bound, engine: Engine, chunk: Chunk) -> Folded:
    """One chunk by an engine of its own, so that threads share nothing."""
    folding = Folding(bound, engine.program)
    names, table = bound.query.columns(), chunk.read()
    for first in range(0, table.num_rows, CACHED):
        columns = columns_of(table.slice(first, CACHED), names)
        bound.check(columns)
        folding.add(accepted(columns, bound.query, chunk.first + first))
    return folding.folded()


def _in_parallel(work: Callable[[Chunk], Folded], chunks: Sequence[Chunk]) -> list[Folded]:
    workers = min(os.cpu_count() or 1, len(chunks))
    if workers <= 1:
        return [work(chunk) for chunk in chunks]
    with ThreadPoolExecutor(workers) as pool:
        return list(pool.map(work, chunks))

"""The operator: a plan in process, fed batch by batch.

Idea: `push` folds a batch into what is held, moves the watermark to the newest time less the delay,
and returns the windows that are final now.  Rows behind the watermark by more than the lateness
are dropped and counted; those between revise what was reported.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

import pyarrow as pa

from panewise.errors import OperatorError, QueryError, SchemaError
from panewise.kernels.program import Piece
from panewise.kernels.ranges import ALWAYS, NEVER
from panewise.model import RowCount
from panewise.operator.bound import Bound
from panewise.operator.columns import columns_of, moment_of
from panewise.operator.decisions import Stream, decisions
from panewise.operator.engine import Engine, Holding, program_of
from panewise.operator.frames import FramesAsked, frame_lines
from panewise.operator.item_stream import ItemStream
from panewise.operator.moments import tick_of, ticks_between
from panewise.operator.registry import AnyPlan, Registry
from panewise.operator.results import Results
from panewise.operator.ring_state import RingState
from panewise.operator.span_engine import SpanEngine
from panewise.operator.span_settings import span_lines, techniques, waiting
from panewise.operator.stairs import ring_lines, stair_lines
from panewise.operator.transplant import transplanted
from panewise.plan import Plan, RingPlan
from panewise.query import Query

STORES = ("auto", "lazy", "eager")


@dataclass(frozen=True)
class Stats:
    """What an operator holds, and what it left out."""

    slices: int
    """Cells: panes, or rows that were combined."""
    tuples: int
    """Rows kept one by one."""
    keys: int
    bytes: int
    rows: int
    """Rows that were pushed."""
    late_rows: int
    """Rows that came after the lateness, and were dropped."""
    null_times: int
    """Rows without a time, which are in no window."""
    bad_rows: int
    """Events that end before they begin, which were dropped."""
    watermark: Any
    """In the type of the time column; None before the first row."""
    buffers: tuple[str, ...] = ()
    """How rows are kept in order now, for each of the frames."""


class Operator:
    """A plan that runs here, over batches that are pushed.

    `delay` is how far rows may be behind the newest one; `lateness` how long after that they still
    revise what was reported, with columns `revision` and `retracted`.  `store` is "lazy" (cells are
    combined when a window ends), "eager" (a tree of partials is kept) or "auto".

    Events with a duration are known when they end, so their windows are told some time after their
    end: `postpone`, or "auto" with the `completeness` that it must reach.  The column `late_share`
    is the share of events that came, or by what was seen so far will come, after that.

    Frames are told once they are final, or with `report="update"` as they are now, open ones too;
    every `period` of event time if one is given, else with every push.  `evict=(X, Y)` forgets the
    first Y frames of a key once it has X, besides those that the lateness has passed.  How rows are
    kept in order depends on what is asked for and on how many come late; `buffer` forces it
    ("in_order", "lazy", "eager" or "multi"), for comparison.

    >>> import panewise as pw
    >>> plan = pw.plan(time="t", windows=[pw.tumbling(10)], aggregates=[pw.sum("x")])
    >>> op = Operator(plan, delay=2)
    >>> op.push({"t": [1, 9, 8], "x": [1, 2, 3]}).num_rows
    0
    >>> op.push({"t": [13], "x": [5]}).select(["window", "sum(x)"]).to_pylist()
    [{'window': {'start': 0, 'end': 10}, 'sum(x)': 6}]
    >>> op.flush()["sum(x)"].to_pylist()
    [5]
    """

    def __init__(
        self,
        plan: AnyPlan,
        *,
        delay: object = 0,
        lateness: object = 0,
        store: str = "auto",
        postpone: object = None,
        completeness: float | None = None,
        report: str = "close",
        period: object = None,
        buffer: str = "auto",
        evict: tuple[int, int] | None = None,
    ) -> None:
        if store not in STORES:
            raise QueryError(
                f"store is one of {', '.join(STORES)}: got {store!r}.", hint='leave it at "auto".'
            )
        self._registry = Registry.of_plan(plan).ready()
        query = next(iter(self._registry.queries.values()))[0]
        sizes = [size for window in query.windows for size in window.sizes().values()]
        measured = any(not isinstance(size, RowCount) for size in sizes)
        timed = query.counts_time if measured else None
        self.stream = Stream(
            ticks_between("delay", delay, timed),
            ticks_between("lateness", lateness, timed),
            *waiting(query, postpone, completeness, timed),
        )
        asked = FramesAsked(report, period, buffer, evict)
        self.stream = replace(self.stream, frames=asked.policy(query, self.stream, timed))
        self._ringed = plan.query if isinstance(plan, RingPlan) else None
        self._rings: RingState | None = None
        self._techniques = () if isinstance(plan, RingPlan) else techniques(plan)
        self._stretches = {"delay": delay, "lateness": lateness, "period": period or 0}
        self._store = store
        self._engine: Engine | SpanEngine | None = None
        self._results: Results | None = None
        self._newest = NEVER
        self._watermark = NEVER
        self._flushed = self._failed = False
        self._outdated = False  # a query waits for the types of its columns
        self._rows = self._late = self._null_times = self._bad_rows = 0
        self._items: ItemStream | None = None
        self._names = _all_columns(self._registry)
        if self._ringed is not None:
            self._names = self._ringed.outer.columns()
        self._time = None if query.spanning else query.time

    def push(self, batch: Any) -> pa.Table:
        """Take a batch of rows in; the windows that are final now, or changed.

        >>> import panewise as pw
        >>> plan = pw.plan(time="t", windows=[pw.tumbling(10)], aggregates=[pw.sum("x")])
        >>> op = pw.Operator(plan)
        >>> op.push({"t": [1, 4, 12], "x": [5, 1, 2]})["sum(x)"].to_pylist()
        [6]
        """
        self._refuse_after_flush("push")
        columns: Mapping[str, pa.Array] = columns_of(batch, self._names, self._time)
        if self._ringed is not None and self._ringed.items is not None:
            self._items = self._items or ItemStream.of(self._ringed, columns)
            columns = self._items.marked(columns)
        engine, columns = self._bind(columns)
        rows = self._ingest(engine, columns)
        if self._newest != NEVER:
            self._watermark = max(self._watermark, self._newest - self.stream.delay)
        return self._told(engine.advance(rows, self._watermark))

    def advance(self, watermark: Any) -> pa.Table:
        """Say that no row before this time will come; the windows that are final now.

        A time in the type of the time column, or an integer of its ticks.

        >>> import panewise as pw
        >>> plan = pw.plan(time="t", windows=[pw.tumbling(10)], aggregates=[pw.sum("x")])
        >>> op = pw.Operator(plan)
        >>> op.push({"t": [1, 4], "x": [5, 1]}).num_rows
        0
        >>> op.advance(10)["sum(x)"].to_pylist()
        [6]
        """
        self._refuse_after_flush("advance")
        if self._engine is None:
            raise OperatorError(
                "the operator knows no time column yet: advance before the first push.",
                hint="push a batch first; it may be empty.",
            )
        moment = tick_of(watermark, self._engine.bound)
        if moment < self._watermark:
            raise OperatorError(
                f"a watermark never goes back: got {self._shown(moment)} after "
                f"{self._shown(self._watermark)}.",
                hint="leave it out; push moves the watermark by itself.",
            )
        self._watermark = moment
        return self._told(self._engine.advance(None, self._watermark))

    def flush(self) -> pa.Table:
        """The end of the stream: every window that is still open.

        >>> import panewise as pw
        >>> plan = pw.plan(time="t", windows=[pw.tumbling(10)], aggregates=[pw.sum("x")])
        >>> op = pw.Operator(plan)
        >>> op.push({"t": [1, 4], "x": [5, 1]}).num_rows
        0
        >>> op.flush()["sum(x)"].to_pylist()
        [6]
        """
        self._refuse_after_flush("flush")
        self._flushed = True
        if self._engine is None or self._results is None:
            return pa.table({})
        return self._told(self._engine.flush())

    def add(self, query: Plan | Query, *, name: str | None = None) -> Any:
        """Answer one more query from now on; returns the time from which on it is exact.

        Results carry a column `query` from then on; the first query's is "main".

        >>> import panewise as pw
        >>> plan = pw.plan(time="t", windows=[pw.tumbling(10)], aggregates=[pw.sum("x")])
        >>> op = pw.Operator(plan)
        >>> op.push({"t": [1, 4], "x": [5, 1]}).num_rows
        0
        >>> more = pw.plan(time="t", windows=[pw.tumbling(5)], aggregates=[pw.max("x")])
        >>> op.add(more, name="more")
        5
        >>> op.push({"t": [7, 12], "x": [3, 2]})["query"].to_pylist()
        ['main', 'more']
        """
        self._refuse_after_flush("add")
        self._refuse_change("add")
        asked = query.query if isinstance(query, Plan) else query
        if not isinstance(asked, Query):
            raise QueryError(f"add takes a plan or a query: got {query!r}.", hint="use pw.plan().")
        since = NEVER if self._newest == NEVER else self._newest + self._resolution()
        made_up = (f"query {n}" for n in count(len(self._registry.queries) + 1))
        name = name or next(each for each in made_up if each not in self._registry.queries)
        registry = self._registry.with_query(name, asked, since)
        registry.ready()  # refuses queries that do not go together
        self._change(registry)
        return None if since == NEVER else self._shown(since)

    def remove(self, name: str) -> None:
        """Answer a query no more; what only it needed is dropped.

        >>> import panewise as pw
        >>> plan = pw.plan(time="t", windows=[pw.tumbling(10)], aggregates=[pw.sum("x")])
        >>> op = pw.Operator(plan)
        >>> more = pw.plan(time="t", windows=[pw.tumbling(5)], aggregates=[pw.max("x")])
        >>> op.add(more, name="more")
        >>> op.remove("main")
        >>> op.queries
        ('more',)
        """
        self._refuse_after_flush("remove")
        self._refuse_change("remove")
        self._change(self._registry.without(name))

    @property
    def queries(self) -> tuple[str, ...]:
        """The names of the queries that are answered.

        >>> import panewise as pw
        >>> plan = pw.plan(time="t", windows=[pw.tumbling(10)], aggregates=[pw.sum("x")])
        >>> op = pw.Operator(plan)
        >>> op.queries
        ('main',)
        """
        return tuple(self._registry.queries)

    @property
    def watermark(self) -> Any:
        """Every row before this has come, or is late; None before the first row.

        >>> import panewise as pw
        >>> plan = pw.plan(time="t", windows=[pw.tumbling(10)], aggregates=[pw.sum("x")])
        >>> op = pw.Operator(plan, delay=2)
        >>> op.push({"t": [1, 4], "x": [5, 1]}).num_rows, op.watermark
        (0, 2)
        """
        return None if self._watermark == NEVER else self._shown(self._watermark)

    def stats(self) -> Stats:
        """What is held and what was left out.

        >>> import panewise as pw
        >>> plan = pw.plan(time="t", windows=[pw.tumbling(10)], aggregates=[pw.sum("x")])
        >>> op = pw.Operator(plan)
        >>> for times in ([1, 12, 4], [3]):
        ...     told = op.push({"t": times, "x": times})
        >>> op.stats().rows, op.stats().late_rows
        (4, 1)
        """
        held = Holding(0, 0, 0, 0) if self._engine is None else self._engine.holding()
        keys = held.keys
        if self._ringed is not None and self._items is not None and self._engine is not None:
            keys = self._ringed.keys_among(self._engine.composer.keys.keys)
        return Stats(
            held.slices,
            held.tuples,
            keys,
            held.bytes
            + sum(each.nbytes for each in (self._rings, self._items) if each is not None),
            self._rows,
            self._late,
            self._null_times,
            self._bad_rows,
            self.watermark,
            self._engine.buffers() if isinstance(self._engine, Engine) else (),
        )

    def explain(self) -> str:
        """What is shared, what is kept, and why.

        >>> import panewise as pw
        >>> plan = pw.plan(time="t", windows=[pw.tumbling(10)], aggregates=[pw.sum("x")])
        >>> op = pw.Operator(plan)
        >>> print(op.explain().splitlines()[0])
        Operator over "main"
        """
        query = self._registry.whole
        lines = ["Operator over " + " and ".join(f'"{name}"' for name in self._registry.queries)]
        if query.spanning:
            return "\n".join([*lines, *span_lines(query, self._techniques, self.stream)])
        if self._ringed is not None:
            lines += [f"  {each}" for each in ring_lines(self._ringed)]
        lines += [f"  {each}" for each in decisions(query, self.stream)]
        plain = query.commutative and not self.stream.revises
        together = plain and self._store != "eager"
        if isinstance(self._engine, Engine):  # types are known
            together = plain and self._engine.in_place
        lines.append(f"  store: {self._store}, {_STORE_REASONS[self._store]}")
        lines += [f"  {each}" for each in stair_lines(query, self.stream, together=together)]
        now = self._engine.buffers() if isinstance(self._engine, Engine) else ()
        lines += [f"  {each}" for each in frame_lines(query, self.stream, now)]
        return "\n".join(lines)

    def snapshot(self) -> bytes:
        """All state as bytes, for `restore`.

        >>> import panewise as pw
        >>> plan = pw.plan(time="t", windows=[pw.tumbling(10)], aggregates=[pw.sum("x")])
        >>> op = pw.Operator(plan)
        >>> op.push({"t": [1, 4], "x": [5, 1]}).num_rows
        0
        >>> isinstance(op.snapshot(), bytes)
        True
        """
        from panewise.operator.snapshot import snapshot

        self._refuse_after_error("snapshot")
        if self._outdated:
            raise OperatorError(
                "a query that was added reads a column whose type is not known yet.",
                hint="push a batch first; it may be empty.",
            )
        return snapshot(self)

    @classmethod
    def restore(
        cls,
        plan: AnyPlan,
        blob: bytes,
        *,
        added: Mapping[str, Plan | Query] | None = None,
    ) -> Operator:
        """An operator that goes on where the snapshot was taken.

        `plan` is the one it was made with, `added` the queries that were added since, by name.

        >>> import panewise as pw
        >>> plan = pw.plan(time="t", windows=[pw.tumbling(10)], aggregates=[pw.sum("x")])
        >>> op = pw.Operator(plan)
        >>> op.push({"t": [1, 4], "x": [5, 1]}).num_rows
        0
        >>> again = pw.Operator.restore(plan, op.snapshot())
        >>> again.flush()["sum(x)"].to_pylist()
        [6]
        """
        from panewise.operator.snapshot import restore

        return restore(cls, plan, blob, added or {})

    def _bind(
        self, columns: Mapping[str, pa.Array]
    ) -> tuple[Engine | SpanEngine, Mapping[str, pa.Array]]:
        """The engine for columns, and these in the types that it knows."""
        if self._engine is None:
            bound = Bound.to(self._registry.whole, columns)
            for name, given in self._stretches.items():
                ticks_between(name, given, bound.measure.counts_time)
            self._engine, self._results = self._made(bound, fresh=True)
        elif self._outdated:
            known = self._engine.bound.types
            self._rebind({n: known.get(n, column.type) for n, column in columns.items()})
        return self._engine, self._engine.bound.typed(columns)

    def _made(self, bound: Bound, *, fresh: bool) -> tuple[Engine | SpanEngine, Results]:
        results = Results(bound, self._registry, revisions=self.stream.revises, streamed=True)
        if self._ringed is not None:
            words = None if self._items is None else self._items.words
            revises = self.stream.revises
            self._rings = RingState(self._ringed, results.schema, words, revises=revises)
        if bound.query.spanning:
            return SpanEngine(bound, self._techniques, self.stream), results
        program = program_of(bound, self._registry, self.stream, store=self._store, numbered=True)
        return Engine(bound, program, self.stream, fresh=fresh), results

    def _change(self, registry: Registry) -> None:
        """Other queries; columns that were not read so far get their types from the next batch."""
        before = self._registry, self._names
        self._registry, self._names = registry, _all_columns(registry)
        if self._engine is None:
            return
        types = self._engine.bound.types
        self._outdated = any(name not in types for name in self._names)
        if self._outdated:
            return
        try:
            self._rebind({name: types[name] for name in self._names})
        except Exception:
            self._registry, self._names = before
            raise

    def _rebind(self, types: Mapping[str, pa.DataType]) -> None:
        """Go on with other queries: what is held stays."""
        assert isinstance(self._engine, Engine)
        engine, results = self._made(Bound(self._registry.whole, types).checked(), fresh=False)
        assert isinstance(engine, Engine)
        self._engine, self._results = transplanted(self._engine, engine), results
        self._outdated = False

    def _ingest(self, engine: Any, columns: Mapping[str, pa.Array]) -> Any:
        """What the engine wants to have once the watermark is known."""
        rows = engine.accept(columns, self._rows, self._watermark)
        self._rows += len(columns[engine.bound.query.time])
        self._null_times += rows.null_times
        self._bad_rows += rows.bad_rows
        self._late += rows.late
        if not len(rows):
            return None
        self._newest = max(self._newest, rows.high)
        self._failed = True  # an error leaves some rows in and others out
        try:
            taken = engine.ingest(rows)
        except pa.ArrowInvalid as problem:  # text that stands for no number, for example
            raise SchemaError(
                f"a value of the batch cannot be read: {str(problem).splitlines()[0]}.",
                hint="cast the column first.",
            ) from problem
        self._failed = False
        return taken

    def _told(self, pieces: Iterable[Piece]) -> pa.Table:
        assert self._engine is not None and self._results is not None
        self._failed = True  # an error leaves some windows told and others not
        told = self._results.table(pieces, self._engine.composer, self._late, self._bad_rows)
        if self._rings is not None:
            watermark = ALWAYS if self._flushed else self._watermark
            told = self._rings.advance(told, watermark, self.stream.lateness)
        if self._items is not None:
            self._items.settle(self._newest, self._watermark, self.stream.lateness)
        self._failed = False
        if isinstance(self._engine, Engine):
            self._late += self._engine.composer.forgotten()
        return told

    def _resolution(self) -> int:
        return 1 if self._engine is None else self._engine.bound.resolution

    def _shown(self, ticks: int) -> Any:
        assert self._engine is not None
        kind = self._engine.bound.types[self._engine.bound.query.time]
        return moment_of(ticks, kind)

    def _refuse_change(self, call: str) -> None:
        if self._ringed is not None:
            raise OperatorError(
                f"{call}: a query about rings of granules is answered alone.",
                hint="make a second operator.",
            )
        if any(query.spanning for query, _ in self._registry.queries.values()):
            raise OperatorError(
                f"{call}: the queries of events with a duration stay as they are, because their "
                "slices cannot be cut anew.",
                hint="plan them together with pw.plan_all, or make a second operator.",
            )

    def _refuse_after_flush(self, call: str) -> None:
        if self._flushed:
            raise OperatorError(
                f"{call} after flush: the stream has ended.", hint="make a new operator."
            )
        self._refuse_after_error(call)

    def _refuse_after_error(self, call: str) -> None:
        if self._failed:
            raise OperatorError(
                f"{call} after an error: what is held is not whole any more.",
                hint="restore the last snapshot, or make a new operator.",
            )


_STORE_REASONS = {
    "auto": "a tree of partials where results outnumber cells",
    "lazy": "cells are combined when a window ends",
    "eager": "a tree of partials is kept, for low latency",
}


def _all_columns(registry: Registry) -> tuple[str, ...]:
    return tuple(dict.fromkeys(c for q, _ in registry.queries.values() for c in q.columns()))

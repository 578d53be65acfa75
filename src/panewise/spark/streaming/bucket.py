"""A bucket: the operator for a share of the keys, from one micro-batch to the next.

Idea: rows are late against the watermark before their batch, so the answer depends on the batches
only, not on which task was first.  A cell was folded where no watermark is known: it is late when
its whole pane lies before the watermark, and then its rows are counted and dropped.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from panewise.kernels.cells import Cells
from panewise.kernels.columns import column_of
from panewise.kernels.grid import Grid
from panewise.kernels.ranges import NEVER
from panewise.kernels.state import cells_of
from panewise.operator import engine_state
from panewise.operator.columns import ticks_of
from panewise.operator.folding import Folded, together
from panewise.operator.registry import told_from
from panewise.spark.streaming.changes import Since, described, gone_on, is_same, new_since
from panewise.spark.streaming.job import Job, window_name
from panewise.spark.streaming.pages import Name, Page, pages_of, widths_of
from panewise.spark.streaming.parcels import Parcel
from panewise.windows import Window


class Bucket:
    """What is held for the keys of one bucket, and what was counted."""

    def __init__(self, job: Job, since: Since | None = None) -> None:
        self.job = job
        self.since = since or Since()
        self.engine = job.engine(self.since.windows)
        self._results = job.results()
        self._rings = job.ring_state()
        self._grid = Grid(job.program.panes)
        self.newest = self.watermark = NEVER
        self.rows = self.late = 0

    @classmethod
    def restored(
        cls, job: Job, head: Mapping[str, Any], tables: Mapping[str, pa.Table]
    ) -> tuple[Bucket, bool]:
        """The bucket of a checkpoint, and whether that was of the same query."""
        same = is_same(head, cls(job).described())
        if same:
            bucket = cls(job, Since(**head["since"]))
            engine_state.load(bucket.engine, head["watermark"], head["contexts"], tables)
        else:
            bucket = cls(job, new_since(job, head))
            bucket.engine = gone_on(job, bucket.engine, head, tables)
        if bucket._rings is not None:
            bucket._rings.load(tables["rings"])
        return bucket, same

    def described(self) -> dict[str, Any]:
        """What a checkpoint says about its query."""
        composer = self.engine.composer
        tiers = (*composer.tiers, *composer.row_tiers)
        return described(self.job, [repr(tier.identity) for tier in tiers])

    def state(self) -> tuple[dict[str, Any], dict[Name, Page]]:
        """The contexts of scans, and all that is held."""
        contexts, tables = engine_state.taken(self.engine)
        if self._rings is not None:
            tables["rings"] = self._rings.table()
        return contexts, pages_of(tables, widths_of(self.engine))

    @property
    def cells(self) -> int:
        return self.engine.composer.held + len(self.engine.composer.waiting)

    @property
    def keys(self) -> int:
        if self.job.rings is not None and self.job.rings.items is not None:
            return self.job.rings.keys_among(self.engine.composer.keys.keys)
        return len(self.engine.composer.keys) if self.job.bound.query.by else 0

    def push(self, parcels: Sequence[Parcel]) -> pa.Table:
        """Take in what all tasks of a batch sent; the windows that are final now, or changed."""
        keep = self._keep()
        parts = []
        for parcel in parcels:
            folded = self._folded(parcel)
            cells, rows = folded.cells, folded.rows
            if cells is not None:
                bound = keep if keep == NEVER else self._grid.pane_of(keep)
                cells = self._in_time(cells, bound, counted=rows is None)
            if rows is not None:
                rows = self._in_time(rows, keep, counted=True)
            cells, rows = self._behind(cells), self._behind(rows)
            self.rows += parcel.counts.rows
            parts.append(replace(folded, cells=cells, rows=rows))
            self.newest = max(self.newest, parcel.counts.newest)
        merged, single = together(self.engine, parts)
        if self.newest != NEVER:
            self.watermark = max(self.watermark, self.newest - self.job.stream.delay)
        composer = self.engine.composer
        pieces = composer.push(merged, single, self.watermark, self._keep())
        told = self._answered(self._results.table(pieces, composer))
        if self._rings is not None:
            told = self._rings.advance(told, self.watermark, self.job.stream.lateness)
        self.late += composer.forgotten()
        if composer.has_idle_numbers():
            composer.forget()
        return told

    def _folded(self, parcel: Parcel) -> Folded:
        tables, partials = parcel.tables, self.job.program.partials
        cells, rows = (
            cells_of(tables[name], partials) if name in tables else None
            for name in ("cells", "rows")
        )
        return Folded(cells, rows, tables["keys"], tables["values"])

    def _behind(self, cells: Cells | None) -> Cells | None:
        """Cells of a task, which numbered its rows from 0, behind all that came before."""
        if cells is None or not self.rows or self.job.bound.query.order_by is not None:
            return cells
        partials = [
            column_of(p.behind(column.arrow(), self.rows), p.monoid)
            if p.properties.ordered
            else column
            for p, column in zip(self.job.program.partials, cells.partials, strict=True)
        ]
        sequence = None if cells.sequence is None else np.asarray(cells.sequence) + self.rows
        return replace(cells, partials=partials, sequence=sequence)

    def _answered(self, told: pa.Table) -> pa.Table:
        """Without windows, and values of aggregates, that began before they were asked for."""
        if self.since.latest is None or not told.num_rows:
            return told
        bound = self.job.bound
        start = np.asarray(ticks_of(pc.struct_field(told["window"].combine_chunks(), 0)))
        kept = np.ones(told.num_rows, np.bool_)
        for window in bound.query.windows:
            moment = self.since.windows.get(window_name(window))
            if moment is not None:
                own = _told_of(window, told)
                kept &= ~own | (start >= told_from(window, moment))
        for aggregate in bound.query.aggregates:
            moment = self.since.aggregates.get(aggregate.canonical)
            if moment is not None:
                at = told.column_names.index(aggregate.name)
                known = pc.if_else(pa.array(start >= moment), told[at], None)
                told = told.set_column(at, told.schema.field(at), known)
        return told.filter(pa.array(kept))

    def _keep(self) -> int:
        return NEVER if self.watermark == NEVER else self.watermark - self.job.stream.lateness

    def _in_time(self, cells: Cells, keep: int, *, counted: bool) -> Cells | None:
        """Cells without those before `keep`, and without weights that are only for these."""
        weights, late = cells.weights, cells.pane < keep
        if not self.job.program.counts_values:
            cells = replace(cells, weights=None)
        if not late.any():
            return cells
        if counted:
            self.late += int(np.count_nonzero(late) if weights is None else weights[late].sum())
        return cells.take(np.flatnonzero(~late)) if not late.all() else None


def _told_of(window: Window, told: pa.Table) -> np.ndarray:
    """Which rows are of this window."""
    own = pc.equal(told["window_id"], window.window_id)
    if window.level is not None:
        own = pc.and_(own, pc.fill_null(pc.equal(told["level"], window.level), False))
    return np.asarray(own.combine_chunks())

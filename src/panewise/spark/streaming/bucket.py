"""A bucket: the operator for a share of the keys, from one micro-batch to the next.

Idea: rows are late against the watermark before their batch, so the answer depends on the batches
only, not on which task was first.  A cell was folded where no watermark is known: it is late when
its whole pane lies before the watermark, and then its rows are counted and dropped.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa

from panewise.kernels.cells import Cells
from panewise.kernels.columns import Numbers
from panewise.kernels.grid import Grid
from panewise.kernels.order import time_order
from panewise.kernels.ranges import NEVER
from panewise.operator.folding import together
from panewise.spark.streaming.job import Job
from panewise.spark.streaming.parcels import Parcel

NUMBERS = ("newest", "watermark", "rows", "late")


class Bucket:
    """What is held for the keys of one bucket, and what was counted."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self.engine = job.engine()
        self._results = job.results()
        self._grid = Grid(job.program.panes)
        self.newest = self.watermark = NEVER
        self.rows = self.late = 0

    def push(self, parcels: Sequence[Parcel]) -> pa.Table:
        """Take in what all tasks of a batch sent; the windows that are final now, or changed."""
        keep = self._keep()
        parts = []
        for parcel in sorted(parcels, key=lambda each: each.task):
            cells, rows = parcel.folded.cells, parcel.folded.rows
            if cells is not None:
                cells = self._in_time(cells, keep if keep == NEVER else self._grid.pane_of(keep))
            if rows is not None:
                if self.job.bound.query.order_by is None and rows.sequence is not None:
                    rows.sequence += self.rows  # later than all that came before
                rows = self._in_time(rows, keep)
            self.rows += parcel.rows
            parts.append(replace(parcel.folded, cells=cells, rows=rows))
            self.newest = max(self.newest, parcel.newest)
        merged, single = together(self.engine, parts)
        if single is not None:
            assert single.sequence is not None
            single = single.take(time_order(single.pane, single.sequence))
        if self.newest != NEVER:
            self.watermark = max(self.watermark, self.newest - self.job.stream.delay)
        composer = self.engine.composer
        pieces = composer.push(merged, single, self.watermark, self._keep())
        told = self._results.table(pieces, composer)
        if composer.has_idle_numbers():
            composer.forget()
        return told

    def _keep(self) -> int:
        return NEVER if self.watermark == NEVER else self.watermark - self.job.stream.lateness

    def _in_time(self, cells: Cells, keep: int) -> Cells | None:
        """Cells without those before `keep`, and without the counts that are only for these."""
        *partials, counts = cells.partials
        assert isinstance(counts, Numbers)
        late = cells.pane < keep
        cells = replace(cells, partials=partials)
        if not late.any():
            return cells
        self.late += int(counts.values[late].sum())
        return cells.take(np.flatnonzero(~late)) if not late.all() else None

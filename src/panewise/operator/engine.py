"""One bound program in process: rows in, pieces of windows out.

Idea: what an operator, a run over a file and a Spark worker have in common: numbering keys, making
cells of rows, and composing windows as the watermark passes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from panewise.aggregates import Rows
from panewise.kernels.cells import Cells
from panewise.kernels.compose import Composer, scanned
from panewise.kernels.program import Asked, Piece, Program
from panewise.kernels.ranges import NEVER
from panewise.kernels.scans import scan_inputs
from panewise.kernels.slicer import Slicer
from panewise.operator.bound import Bound
from panewise.operator.decisions import Stream
from panewise.optimizer.edges import pane_edges
from panewise.windows import Family, PaneWidth, Scan


def program_of(
    bound: Bound, stream: Stream, *, since: Sequence[int] = (), store: str = "auto"
) -> Program:
    """What a bound query computes from a stream."""
    query = bound.query
    moments = since or [NEVER] * len(query.windows)
    asked = tuple(
        Asked(number, window.demand(), moment)
        for number, (window, moment) in enumerate(zip(query.windows, moments, strict=True))
    )
    paned = [w for w in query.windows if isinstance(w.demand(), Family | PaneWidth)]
    return Program(
        windows=asked,
        panes=pane_edges(paned, many=True),
        partials=bound.partials,
        counts_values=bool(bound.counted),
        resolution=bound.measure.resolution,
        commutative=query.commutative,
        mergeable=query.commutative or stream.lateness == 0,
        revising=stream.lateness > 0,
        store=store,
    )


@dataclass(frozen=True)
class Ingested:
    """A batch as the composer takes it: cells of panes, rows in order, and the newest time."""

    cells: Cells | None
    rows: Cells | None


class Engine:
    """A slicer and a composer for one program."""

    def __init__(self, bound: Bound, program: Program, stream: Stream) -> None:
        self.bound, self.program, self.stream = bound, program, stream
        self.composer = Composer(program, bound.key_schema, stream.delay)
        times = any(isinstance(w.demand, PaneWidth) for w in program.windows)
        self.slicer = Slicer(program, bound.counted, times=times)

    def ingest(
        self, columns: Mapping[str, pa.Array], ticks: np.ndarray, sequence: np.ndarray
    ) -> Ingested:
        """Rows as cells; there is at least one."""
        query = self.bound.query
        keys = self.composer.keys
        code = keys.encode(_keys(columns, query.by))
        rows = Rows(columns, pa.array(ticks), pa.array(sequence))
        cells = single = None
        if self.composer.takes_cells:
            cells = self.slicer.cells(code, len(keys), ticks, rows)
        if self.composer.takes_rows:
            inputs = [
                each
                for window in scanned(self.program.windows)
                if isinstance(window.demand, Scan)
                for each in scan_inputs(window.demand.window, columns)
            ]
            single = self.slicer.rows(code, ticks, rows, inputs)
        return Ingested(cells, single)

    def advance(self, batch: Ingested, watermark: int) -> Iterator[Piece]:
        """What is due once the batch is in."""
        keep = watermark - self.stream.lateness if watermark != NEVER else NEVER
        yield from self.composer.push(batch.cells, batch.rows, watermark, keep)

    def flush(self) -> Iterator[Piece]:
        """All that is still open."""
        yield from self.composer.flush()


NOTHING = Ingested(None, None)


def _keys(columns: Mapping[str, pa.Array], names: Sequence[str]) -> pa.RecordBatch:
    if not names:
        some = next(iter(columns.values()))
        return pa.RecordBatch.from_arrays([some], names=[""])
    return pa.RecordBatch.from_arrays([columns[name] for name in names], names=list(names))

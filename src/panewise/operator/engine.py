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
from panewise.kernels.columns import array_of
from panewise.kernels.compose import Composer
from panewise.kernels.constant import Constant
from panewise.kernels.frames.scanner import FrameScanner
from panewise.kernels.in_place import on_open_panes, reads_in_place
from panewise.kernels.program import Piece, Program, in_one
from panewise.kernels.ranges import ALWAYS, NEVER
from panewise.kernels.scanned_tier import ScannedTier
from panewise.kernels.scans import scan_inputs
from panewise.kernels.slicer import Slicer
from panewise.operator.bound import Bound
from panewise.operator.decisions import Stream
from panewise.operator.registry import Registry, asked
from panewise.operator.rows import Accepted, accepted
from panewise.windows import Scan


def program_of(
    bound: Bound,
    registry: Registry,
    stream: Stream,
    *,
    since: Sequence[int] | None = None,
    store: str = "auto",
    numbered: bool = False,
) -> Program:
    """What a registry's whole query, bound to columns, computes from a stream; rows may be
    `numbered` as they come, one batch behind the other."""
    query = bound.query
    return Program(
        windows=registry.asked if since is None else asked(query, since),
        panes=registry.panes,
        partials=bound.partials,
        counts_values=bool(bound.counted),
        resolution=bound.resolution,
        commutative=query.commutative,
        # cells of one value each would be combined out of order
        mergeable=query.commutative or (stream.lateness == 0 and not bound.counted),
        revising=stream.lateness > 0,
        by_arrival=numbered and query.order_by is None,
        store=store,
        frames=stream.frames,
    )


@dataclass(frozen=True)
class Holding:
    """What an engine holds: cells, rows one by one, keys, and their bytes."""

    slices: int
    tuples: int
    keys: int
    bytes: int


class Engine:
    """A slicer and a composer for one program."""

    def __init__(
        self,
        bound: Bound,
        program: Program,
        stream: Stream,
        *,
        in_place: bool = True,
        fresh: bool = True,
        pushed: bool = True,
        at_once: int = 0,
    ) -> None:
        """`fresh` is one that will not go on with what another one held; rows are `pushed` batch by
        batch, or come all at once.  Those that must be sorted may wait until they are `at_once`."""
        self.bound, self.program, self.stream = bound, program, stream
        self.composer = Composer(program, bound.key_schema, bound.value_schema, stream.delay)
        times = bool(program.windows.sessions)
        tiers, keyed = self.composer.tiers, bool(bound.query.by)
        whole = not keyed and not program.revising
        values = self.composer.values
        self.slicer = Slicer(program, values, times=times, whole=whole, at_once=at_once)
        query = bound.query
        self._sequenced = not query.commutative or any(
            a.properties.ordered for a in query.aggregates
        )
        demands = [window.demand for window in program.windows.scanned]
        self._scanned = [each.window for each in demands if isinstance(each, Scan)]
        self._no_keys = Constant(0)
        """Where there are no keys, all rows are of the first."""
        self._late = False
        self._gone = 0  # panes that were forgotten when idle numbers were last looked for
        self.in_place = in_place and reads_in_place(
            program, tiers, bound.layout, keyed=keyed, fresh=fresh, pushed=pushed
        )
        if self.in_place:
            self.composer.tiers = on_open_panes(
                tiers, self.slicer.open, self.slicer.grid, keyed=keyed
            )

    def accept(self, columns: Mapping[str, pa.Array], first: int, watermark: int) -> Accepted:
        """The rows of a batch that take part; `first` is the number of the first one."""
        keep = NEVER if watermark == NEVER else watermark - self.stream.lateness
        return accepted(columns, self.bound.query, first, keep)

    def ingest(self, rows: Accepted) -> Cells | None:
        """Put rows, at least one, into cells; those that must stay rows are returned."""
        keys, by = self.composer.keys, self.bound.query.by
        code = keys.encode(_keys(rows.columns, by)) if by else None
        # only what depends on the order of rows looks at their sequence
        sequence = _UNREAD
        if self._sequenced:
            sequence = array_of(np.asarray(rows.sequence), pa.int64())
        lifted_from = Rows(rows.columns, rows.times, sequence)
        if self.composer.takes_cells:
            surveyed = rows.low, rows.high, rows.ascending
            self.slicer.add(code, len(keys), rows.ticks, lifted_from, surveyed)
            self._late |= self.program.revising and rows.low < self.composer.watermark
        if not self.composer.takes_rows:
            return None
        inputs = [
            each
            for window in self._scanned
            for each in scan_inputs(window, rows.columns, len(rows))
        ]
        codes = self._no_keys.times(len(rows)) if code is None else code
        # in the order of arrival, unless the user names another
        ordered = rows.ascending and self.bound.query.order_by is None
        return self.slicer.rows(
            codes, rows.ticks, lifted_from, inputs, rows.sequence, ordered=ordered
        )

    def advance(self, rows: Cells | None, watermark: int) -> Iterator[Piece]:
        """What is due once the rows are in; cells are handed on when some window asks."""
        keep = watermark - self.stream.lateness if watermark != NEVER else NEVER
        cells = None
        idle = False
        if self.composer.has_many_numbers and self._may_be_idle():
            idle = self.composer.has_idle_numbers(self.slicer.cells())
        if idle:  # cells under construction would not know the new numbers of their keys
            cells, self._late = self.slicer.drain(), False
        elif self._late or self._hands_on(watermark):
            cells, self._late = self.slicer.drain(watermark), False
        pieces = self.composer.push(cells, rows, watermark, keep, self.slicer.earliest)
        yield from pieces if self.program.counts_values else in_one(pieces)
        if idle:
            self.composer.forget()

    def _may_be_idle(self) -> bool:
        """Whether cells may have become fewer; to count them takes a look at every slot."""
        gone, self._gone = self._gone, self.slicer.open.gone
        return not self.in_place or gone != self._gone or self.composer.held > 0

    def _hands_on(self, watermark: int) -> bool:
        """Whether windows may ask for cells that the slicer has."""
        if not self.composer.takes_cells:
            return False
        if self.in_place:  # they read open panes, but not what was set aside
            return bool(self.slicer.parts())
        return self.composer.is_due(watermark, self.slicer.earliest)

    def settle(self) -> None:
        """Hand on all cells, so that the composer has all state."""
        watermark = self.composer.watermark
        if watermark != NEVER:
            keep = watermark - self.stream.lateness
            told = list(self.composer.push(self.slicer.drain(), None, watermark, keep))
            assert not told, "nothing can be due while the watermark stands still"

    def holding(self) -> Holding:
        """What there is."""
        composer, slicer = self.composer, self.slicer
        tiers, waiting = (*composer.tiers, *composer.row_tiers), composer.waiting.parts()
        size = composer.keys.nbytes + composer.values.nbytes + slicer.open.nbytes
        size += sum(part.nbytes for part in (*waiting, *slicer.parts()))
        return Holding(
            slices=sum(tier.cells for tier in composer.tiers) + slicer.cells(),
            tuples=sum(tier.cells for tier in composer.row_tiers) + sum(map(len, waiting)),
            keys=len(composer.keys) if self.bound.query.by else 0,
            bytes=size + sum(tier.nbytes for tier in tiers),
        )

    def buffers(self) -> tuple[str, ...]:
        """How rows are kept in order, for each of the frames."""
        tiers = (tier for tier in self.composer.row_tiers if isinstance(tier, ScannedTier))
        return tuple(tier.buffer for tier in tiers if isinstance(tier.scanner, FrameScanner))

    def flush(self) -> Iterator[Piece]:
        """All that is still open."""
        drained = self.slicer.drain() if not self.in_place or self.slicer.parts() else None
        yield from self.composer.push(drained, None, ALWAYS, ALWAYS)


_UNREAD = pa.nulls(0, pa.int64())


def _keys(columns: Mapping[str, pa.Array], names: Sequence[str]) -> pa.RecordBatch:
    return pa.RecordBatch.from_arrays([columns[name] for name in names], names=list(names))

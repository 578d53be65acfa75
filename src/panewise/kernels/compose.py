"""Composing windows from cells and rows, as a watermark passes.

Idea: all keys share one watermark.  Each push merges the new cells behind those still held, reports
every window that the watermark has passed, and holds what open windows still need.  Cells of panes
may come in any order that the watermark allows; rows wait until nothing can come before them.

Invariant: what is reported depends only on the rows, not on where the input was cut.
Cost: O(new cells + results); memory grows with open windows, not with rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np
import pyarrow as pa

from panewise.kernels.asked import Asked
from panewise.kernels.cells import Cells
from panewise.kernels.frames.multi_tier import MultiBufferTier
from panewise.kernels.frames.open_tier import OpenFrameTier
from panewise.kernels.frames.switching_tier import SwitchingTier
from panewise.kernels.grid import Grid
from panewise.kernels.holder import Holder
from panewise.kernels.keys import KeyTable
from panewise.kernels.periodic import PeriodicTier
from panewise.kernels.program import Piece, Program, Step
from panewise.kernels.ranges import ALWAYS, NEVER
from panewise.kernels.row_counts import RowCountTier
from panewise.kernels.scan_tier import ScanTier
from panewise.kernels.scans import input_count
from panewise.kernels.sessions import SessionTier
from panewise.kernels.tier import Tier
from panewise.kernels.vocabulary import Vocabulary
from panewise.kernels.waiting import WaitingRoom
from panewise.windows import Frame, Scan

FEW_KEYS, FEW_VALUES = 1024, 1 << 16
"""Keys and values that are kept whether they are busy or not."""


class Composer:
    """Push cells and rows, get windows; `flush` reports what is still open."""

    def __init__(
        self,
        program: Program,
        key_schema: pa.Schema,
        value_schema: pa.Schema,
        delay: int = 0,
    ) -> None:
        self.program = program
        self.keys = KeyTable(key_schema)
        self.values = Vocabulary(value_schema)
        self.watermark = NEVER
        self.waiting = WaitingRoom(delay)
        self.tiers: list[Holder] = pane_tiers(program)
        self.row_tiers: list[Holder] = row_tiers(program)

    def push(
        self,
        cells: Cells | None,
        rows: Cells | None,
        watermark: int,
        keep: int,
        unseen: int = ALWAYS,
    ) -> Iterator[Piece]:
        """Windows that are final, or changed, once these are in. No row before `keep` comes later.

        `cells` are of panes and sorted by key, `rows` are in order of time.  Rows from `unseen` on
        may be in cells that are not handed on yet.
        """
        step = Step(len(self.keys), self.watermark, max(watermark, self.watermark), keep, unseen)
        released: list[Cells] = []
        reports = self._reports(step)
        if self.takes_rows:
            until = self._released_until(step) if reports else NEVER
            released = self.waiting.exchange(rows, until, step.keys)
        if not self.program.commutative:
            cells = self._as_panes(Cells.concat(released).as_rows() if released else None)
        for tier in self.tiers:
            # tiers number keys anew, each in cells of its own
            own = cells if cells is None or len(self.tiers) == 1 else cells.copy()
            yield from tier.advance(own, step)
        for row_tier in self.row_tiers if reports else ():
            yield from row_tier.advance(released, step)
        self.watermark = step.watermark

    def _released_until(self, step: Step) -> int:
        """Rows before this are handed on: those that none can come before, unless what is told is
        what is known now."""
        if step.final or self.program.frames.updates:
            return ALWAYS
        return step.watermark + self._takes_newest

    @cached_property
    def _takes_newest(self) -> bool:
        """Whether rows at the watermark are handed on too: what comes at their time is behind them,
        and closes nothing that ends before."""
        in_order = all(isinstance(tier, OpenFrameTier) for tier in self.row_tiers)
        return self.program.by_arrival and in_order and not self.tiers

    def _reports(self, step: Step) -> bool:
        """Whether row tiers are asked: always, or when time passes a multiple of their period."""
        period = self.program.frames.period
        if not period or step.final or step.previous == NEVER:
            return True
        return step.watermark // period > step.previous // period

    def flush(self) -> Iterator[Piece]:
        """Every window that is still open."""
        yield from self.push(None, None, ALWAYS, ALWAYS)

    def is_due(self, watermark: int, earliest_open: int) -> bool:
        """Whether cells that were not handed over yet, from this time on, may be asked for."""
        step = Step(len(self.keys), self.watermark, max(watermark, self.watermark), watermark)
        return any(isinstance(tier, Tier) and tier.asks(step, earliest_open) for tier in self.tiers)

    def forgotten(self) -> int:
        """Rows that came after what they belong to was forgotten, since this was last asked."""
        late = 0
        for tier in self.row_tiers:
            late, tier.late = late + tier.late, 0
        return late

    @cached_property
    def _grid(self) -> Grid:
        return Grid(self.program.panes)

    @property
    def takes_rows(self) -> bool:
        """Whether rows are wanted one by one."""
        return bool(self.row_tiers) or not self.program.commutative

    @property
    def takes_cells(self) -> bool:
        """Whether cells of panes are wanted."""
        return bool(self.tiers) and self.program.commutative

    @property
    def held(self) -> int:
        """Cells kept for open windows."""
        return sum(tier.cells for tier in (*self.tiers, *self.row_tiers))

    def _as_panes(self, rows: Cells | None) -> Cells | None:
        """Rows in order, combined to panes unless late ones may still come between."""
        if rows is None or not self.program.mergeable:
            return rows
        pane = self._grid.panes_of(rows.pane)
        apart = np.ones(len(rows), np.bool_)
        apart[1:] = (pane[1:] != pane[:-1]) | (rows.code[1:] != rows.code[:-1])
        heads = np.flatnonzero(apart)
        if self.program.counts_values:
            return replace(rows, pane=pane, sequence=None, inputs=())
        panes = rows.merged(self.program.partials, heads, pane[heads], self.program.checked)
        return replace(panes, sequence=None, inputs=())

    @property
    def has_many_numbers(self) -> bool:
        """Whether there are so many keys or values that it is worth to look for idle ones."""
        return len(self.keys) > FEW_KEYS or len(self.values) > FEW_VALUES

    def has_idle_numbers(self, under_construction: int = 0) -> bool:
        """Whether keys or values without cells, here and elsewhere, are the larger part."""
        if not self.has_many_numbers:
            return False
        busy = self.held + len(self.waiting) + under_construction
        if len(self.values) > max(2 * busy, FEW_VALUES):
            return True
        return len(self.keys) > max(2 * busy, FEW_KEYS)

    def forget(self) -> None:
        """Drop the numbers of keys and values without cells. Nobody else may hold such a number."""
        self._forget_keys()
        self._forget_values()

    def _forget_keys(self) -> None:
        count = len(self.keys)
        used = [tier.codes() for tier in (*self.tiers, *self.row_tiers)]
        codes = np.concatenate(
            [*(c for each in used for c in each), *(p.code for p in self.waiting.parts())]
            or [np.empty(0, np.int64)]
        )
        mask = np.zeros(count, np.bool_)
        mask[codes] = True
        if 2 * mask.sum() > count:
            return
        renamed = self.keys.keep(np.flatnonzero(mask))
        for tier in (*self.tiers, *self.row_tiers):
            tier.rename(renamed)
        for part in self.waiting.parts():
            part.code = renamed[part.code]

    def _forget_values(self) -> None:
        """Drop the numbers of values that no cell has, once they are the larger part."""
        tiers, waiting = (*self.tiers, *self.row_tiers), self.waiting.parts()
        parts = [*(part for tier in tiers for part in tier.parts()), *waiting]
        if len(self.values) <= max(2 * sum(map(len, parts)), FEW_VALUES):
            return
        mask = np.zeros(len(self.values), np.bool_)
        for part in parts:
            mask[part.value] = True
        renamed = self.values.keep(np.flatnonzero(mask))
        for tier in tiers:
            tier.rename_values(renamed)
        for part in waiting:
            assert part.value is not None
            part.value = renamed[part.value]


def pane_tiers(program: Program) -> list[Holder]:
    """The tiers that cells of panes answer."""
    periodic = [PeriodicTier.of(program, families) for families in program.windows.by_length]
    return [*periodic, *(SessionTier(program, w) for w in program.windows.sessions)]


def row_tiers(program: Program) -> list[Holder]:
    """The tiers that rows in order answer."""
    tiers: list[Holder] = []
    counted: dict[int, list[Asked]] = {}
    for window in program.windows.counted:
        counted.setdefault(window.since, []).append(window)
    tiers += [RowCountTier(program, same) for same in counted.values()]
    scanned = program.windows.scanned
    for window, places in zip(scanned, scan_places(scanned), strict=True):
        tiers.append(_scan_tier(program, window, places))
    return tiers


def _scan_tier(program: Program, window: Asked, places: tuple[int, ...]) -> Holder:
    assert isinstance(window.demand, Scan)
    single = program.frames.single(program.revising)
    if isinstance(window.demand.window, Frame) and not single:
        suits = SwitchingTier.suits(program)
        return (SwitchingTier if suits else MultiBufferTier)(program, window, places)
    if isinstance(window.demand.window, Frame) and OpenFrameTier.suits(program):
        return OpenFrameTier(program, window, places)
    return ScanTier(program, window, places)


def scan_places(scanned: Sequence[Asked]) -> list[tuple[int, ...]]:
    """Where the inputs of each scanned window lie among the inputs of a row."""
    places, at = [], 0
    for window in scanned:
        assert isinstance(window.demand, Scan)
        count = input_count(window.demand.window)
        places.append(tuple(range(at, at + count)))
        at += count
    return places

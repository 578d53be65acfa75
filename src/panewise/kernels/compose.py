"""Composing windows from cells that arrive in time order.

Idea: all keys share one watermark, the pane of the newest cell.  Each push groups the new cells by
key behind those still held, reports every window that the watermark has passed, and holds what open
windows still need.  Windows of similar length share a *tier*; a tier holds its cells merged to its
own edges, so a day-long window beside one-second panes holds one cell per key and not 86,400.

Invariant: what is reported depends only on the cells, not on where the input was cut.
Cost: O(cells + results); memory grows with open windows, not with rows.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from panewise.aggregates import Partial
from panewise.aggregates.arrays import spans
from panewise.kernels.cells import Cells
from panewise.kernels.fold import fold
from panewise.kernels.keys import KeyTable
from panewise.kernels.ranges import (
    ALWAYS,
    NEVER,
    count_periodic,
    panes_of,
    periodic_ranges,
    session_ranges,
    still_needed,
)
from panewise.kernels.tallies import Ranked
from panewise.plan import Edges
from panewise.windows import Family, PaneWidth

MOST_RESULTS = 1 << 20
"""Windows reported in one piece, so that a tiny slide does not fill the memory."""


@dataclass(frozen=True)
class Program:
    """What to compose: the windows by number, and the columns that cells carry."""

    windows: tuple[tuple[int, Family | PaneWidth], ...]
    panes: Edges
    partials: tuple[Partial, ...]
    counts_values: bool
    checked: bool
    """Whether integer overflow is an error."""


@dataclass
class Piece:
    """Results of one window: whose, which interval, and the rows of cells behind each."""

    window: int
    code: np.ndarray
    start: np.ndarray
    end: np.ndarray
    partials: list[pa.Array]
    cells: Cells
    runs: np.ndarray
    lo: np.ndarray
    hi: np.ndarray
    ranked: dict[int, Ranked] = field(default_factory=dict)

    def ranked_values(self, column: int) -> Ranked:
        """The value counts of one column, numbered once per push."""
        if column not in self.ranked:
            values, weights = self.cells.values[column], self.cells.weights
            self.ranked[column] = Ranked(values, weights, self.runs)
        return self.ranked[column]


class Composer:
    """Push cells in ascending pane order, get windows; `flush` reports what is still open."""

    def __init__(self, program: Program, key_schema: pa.Schema) -> None:
        self.keys = KeyTable(key_schema)
        self._tiers = _tiers(program)
        self._watermark = NEVER

    @property
    def held(self) -> int:
        """Cells kept for open windows."""
        return sum(len(tier.held) for tier in self._tiers if tier.held is not None)

    def push(self, cells: Cells) -> Iterator[Piece]:
        """Windows that are final once these cells are in."""
        yield from self._advance(cells, int(cells.pane[-1]) if len(cells) else self._watermark)
        self._forget_keys()

    def flush(self) -> Iterator[Piece]:
        """Every window that is still open."""
        yield from self._advance(None, ALWAYS)

    def _advance(self, cells: Cells | None, watermark: int) -> Iterator[Piece]:
        grouped = cells.by_key(len(self.keys))[0] if cells is not None else None
        for tier in self._tiers:
            yield from tier.advance(grouped, len(self.keys), self._watermark, watermark)
        self._watermark = watermark

    def _forget_keys(self) -> None:
        """Drop the numbers of keys without cells once they are the larger part."""
        held = [tier.held for tier in self._tiers if tier.held is not None]
        if len(self.keys) <= 2 * sum(map(len, held)) + 1024:
            return
        renamed = self.keys.keep(np.concatenate([cells.code for cells in held]))
        for cells in held:
            cells.code = renamed[cells.code]


class Tier(ABC):
    """Windows that share held cells."""

    def __init__(self, program: Program, edges: Edges | None) -> None:
        self.program = program
        self.edges = edges
        self.held: Cells | None = None

    def advance(
        self, cells: Cells | None, keys: int, previous: int, watermark: int
    ) -> Iterator[Piece]:
        """Report, and hold what is still needed."""
        parts = [part for part in (self.held, cells) if part is not None and len(part)]
        if not parts:
            return
        both, runs = Cells.concat(parts).by_key(keys)
        both, runs = self.arranged(both, runs)
        yield from self.report(both, runs, previous, watermark)
        self.held = self.hold(both, runs, watermark)

    def arranged(self, cells: Cells, runs: np.ndarray) -> tuple[Cells, np.ndarray]:
        """Cells merged to this tier's own edges."""
        if self.edges is None:
            return cells, runs
        pane = np.empty(len(cells), np.int64)
        grid = np.array(self.edges.progressions, np.int64).reshape(-1, 2)
        fixed = np.array(self.edges.fixed, np.int64)
        panes_of(cells.pane, grid[:, 0].copy(), grid[:, 1].copy(), fixed, pane)
        fresh = np.ones(len(cells), np.bool_)
        fresh[1:] = (pane[1:] != pane[:-1]) | (cells.code[1:] != cells.code[:-1])
        heads = np.flatnonzero(fresh)
        if len(heads) == len(cells):
            return cells, runs
        merged = cells.merged(self.program.partials, heads, pane[heads], self.program.checked)
        return merged, np.searchsorted(heads, runs)

    @abstractmethod
    def report(
        self, cells: Cells, runs: np.ndarray, previous: int, watermark: int
    ) -> Iterator[Piece]:
        """The windows that end in `(previous, watermark]`."""

    @abstractmethod
    def hold(self, cells: Cells, runs: np.ndarray, watermark: int) -> Cells:
        """The cells that windows ending later still read."""

    def piece(
        self, window: int, cells: Cells, runs: np.ndarray,
        start: np.ndarray, end: np.ndarray, lo: np.ndarray, hi: np.ndarray,
    ) -> Piece:  # fmt: skip
        """The partials of ranges of cells."""
        columns = zip(self.program.partials, cells.partials, strict=True)
        folded = [fold(p, column, lo, hi, checked=self.program.checked) for p, column in columns]
        return Piece(window, cells.code[lo], start, end, folded, cells, runs, lo, hi)


class PeriodicTier(Tier):
    """Context-free windows."""

    def __init__(
        self, program: Program, edges: Edges | None, families: Sequence[tuple[int, Family]]
    ) -> None:
        super().__init__(program, edges)
        self.families = families

    def report(
        self, cells: Cells, runs: np.ndarray, previous: int, watermark: int
    ) -> Iterator[Piece]:
        ranked: dict[int, Ranked] = {}
        for window, family in self.families:
            for span in _spans(cells.pane, runs, family, previous, watermark):
                found = periodic_ranges(cells.pane, runs, family, *span)
                piece = self.piece(window, cells, runs, *found)
                piece.ranked = ranked
                yield piece

    def hold(self, cells: Cells, runs: np.ndarray, watermark: int) -> Cells:
        mask = np.zeros(len(cells), np.bool_)
        if watermark != ALWAYS:
            for _, f in self.families:
                still_needed(cells.pane, f.size, f.slide, f.origin, f.once, watermark, mask)
        return cells.take(np.flatnonzero(mask))


class SessionTier(Tier):
    """Sessions of one gap. An open session is held as one cell, unless values are counted."""

    def __init__(self, program: Program, window: int, gap: int) -> None:
        super().__init__(program, None)
        self.window = window
        self.gap = gap

    def arranged(self, cells: Cells, runs: np.ndarray) -> tuple[Cells, np.ndarray]:
        """Cells by their first time: those of one pane come in any order."""
        same = cells.code[1:] == cells.code[:-1]
        if not np.any(same & (cells.first[1:] < cells.first[:-1])):
            return cells, runs
        return cells.take(np.lexsort((cells.first, cells.code))), runs

    def report(
        self, cells: Cells, runs: np.ndarray, previous: int, watermark: int
    ) -> Iterator[Piece]:
        lo, hi, begin, end, closed = session_ranges(
            cells.first, cells.last, runs, self.gap, watermark
        )
        self._open = lo[~closed], hi[~closed]
        lo, hi, begin, end = lo[closed], hi[closed], begin[closed], end[closed]
        if len(lo):
            yield self.piece(self.window, cells, runs, begin, end + self.gap, lo, hi)

    def hold(self, cells: Cells, runs: np.ndarray, watermark: int) -> Cells:
        lo, hi = self._open
        rows = spans(lo, hi - lo)
        kept = cells.take(rows)
        if cells.values or not len(rows):
            return kept
        heads = np.concatenate([[0], np.cumsum(hi - lo)[:-1]])
        pane = cells.pane[hi - 1]
        return kept.merged(self.program.partials, heads, pane, self.program.checked)


def _spans(
    pane: np.ndarray, runs: np.ndarray, family: Family, previous: int, watermark: int
) -> Iterable[tuple[int, int]]:
    """Cut `(previous, watermark]` until each part reports a bounded number of windows."""
    count = count_periodic(pane, runs, family, previous, watermark)
    if count == 0:
        return
    if count <= MOST_RESULTS:
        yield previous, watermark
        return
    low = max(previous, int(pane.min()))
    high = min(watermark, int(pane.max()) + family.size)
    middle = (low + high) // 2
    if not low < middle < high:
        yield previous, watermark
        return
    yield from _spans(pane, runs, family, previous, middle)
    yield from _spans(pane, runs, family, middle, watermark)


def _tiers(program: Program) -> list[Tier]:
    """One tier for each power of eight of the window sizes; one for each session gap."""
    tiers: list[Tier] = []
    by_length: dict[int, list[tuple[int, Family]]] = {}
    for number, demand in program.windows:
        if isinstance(demand, Family):
            by_length.setdefault(demand.size.bit_length() // 3, []).append((number, demand))
        else:
            tiers.append(SessionTier(program, number, demand.ticks))
    for families in by_length.values():
        tiers.append(PeriodicTier(program, _own_edges(program, families), families))
    return tiers


def _own_edges(program: Program, families: Sequence[tuple[int, Family]]) -> Edges | None:
    """The edges that these windows need, if the panes are finer and cells can be merged."""
    if program.counts_values:
        return None
    periodic = [f for _, f in families if not f.once]
    fixed = [edge for _, f in families if f.once for edge in f.fixed_edges()]
    own = Edges.union([edge for f in periodic for edge in f.edges()], fixed)
    return None if own == program.panes else own

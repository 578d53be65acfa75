"""What to compose: windows, panes, and the columns that cells carry."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np

from panewise.aggregates import Partial, Tally
from panewise.kernels.asked import AskedWindows
from panewise.kernels.binned import BinnedPanes
from panewise.kernels.cells import Cells
from panewise.kernels.columns import Column, joined
from panewise.kernels.frames.policy import ON_CLOSE, Policy
from panewise.kernels.ranges import ALWAYS, Ranges
from panewise.kernels.selection import are_many, pays, selected
from panewise.kernels.tallies import Ranked
from panewise.kernels.vocabulary import Vocabulary
from panewise.plan import Edges

SMALL = 1 << 12
"""Results of a piece that is put together with others."""


@dataclass(frozen=True)
class Program:
    """The windows, and what they are made of."""

    windows: AskedWindows
    panes: Edges
    partials: tuple[Partial, ...]
    counts_values: bool = False
    weighted: bool = False
    """Whether cells tell how many rows are behind them; those with counted values always do."""
    checked: bool = True
    """Whether integer overflow is an error."""
    resolution: int = 1
    """Ticks between a row and the next moment: the end of a window of rows."""
    commutative: bool = True
    """Whether rows may be combined in any order."""
    mergeable: bool = True
    """Whether cells of one pane may be combined before all rows of the pane are there."""
    whole_panes: bool = False
    """Whether late rows are known by their pane only: then sessions close at edges of panes."""
    revising: bool = False
    """Whether windows that were reported may still change."""
    by_arrival: bool = False
    """Whether rows of one time are in the order in which they come."""
    store: str = "auto"
    """Whether cells are combined when a window ends ("lazy"), or a tree is kept ("eager")."""
    frames: Policy = ON_CLOSE

    @cached_property
    def grows(self) -> bool:
        """Whether a cell is the larger the more rows are behind it."""
        return self.counts_values or any(partial.grows for partial in self.partials)


class Step(NamedTuple):
    """How far the stream has come: windows that end in `(previous, watermark]` are due, and rows
    before `keep` will not come any more."""

    keys: int
    previous: int
    watermark: int
    keep: int
    unseen: int = ALWAYS
    """No row that came, and was not handed on yet, is before this."""

    @property
    def final(self) -> bool:
        """Whether no row will come any more."""
        return self.watermark == ALWAYS


@dataclass
class Piece:
    """Results: whose, which intervals, and the rows of cells behind each."""

    ranges: Ranges
    partials: list[Column]
    cells: Cells
    runs: np.ndarray
    number: np.ndarray | None = None
    """The window's index, for windows that are counted."""
    revision: np.ndarray | None = None
    """How often each was reported before; None is never."""
    retracted: bool | np.ndarray = False
    """Whether they are taken back; all of them, or each."""
    late: np.ndarray | None = None
    """The share of what is in each that came, or will come, after it was told first."""
    ranked: dict[int, Ranked] = field(default_factory=dict)
    binned: defaultdict[int, BinnedPanes] | None = None
    """What the tier knows of the values in its panes, by counted column."""

    def __len__(self) -> int:
        return len(self.ranges)

    def revisions(self) -> np.ndarray:
        """How often each was reported before."""
        return np.zeros(len(self), np.int64) if self.revision is None else self.revision

    def taken_back(self) -> np.ndarray:
        """Whether each is retracted."""
        if isinstance(self.retracted, np.ndarray):
            return self.retracted
        return np.full(len(self), self.retracted)

    def ranked_values(self, column: int, vocabulary: Vocabulary) -> Ranked:
        """The value counts of one counted column, numbered once per push."""
        if column not in self.ranked:
            value, weights = self.cells.value, self.cells.weights
            assert value is not None and weights is not None
            ranks, values = vocabulary.ranks(column)
            self.ranked[column] = Ranked(ranks[value], values, weights, self.runs)
        return self.ranked[column]

    def tallies(
        self, column: int, vocabulary: Vocabulary, shares: Sequence[float] = ()
    ) -> Iterator[Tally]:
        """The tallies of all results in order; with `shares`, good for these quantiles only."""
        lo, hi = self.ranges.lo, self.ranges.hi
        if shares and self.binned is not None and are_many(len(vocabulary)):
            ranking = vocabulary.ranking(column)
            found = self.binned[column].selected(ranking, self.cells, lo, hi, shares)
            if found is not None:
                yield found
                return
        if shares and pays(len(vocabulary), lo, hi):
            value, weights = self.cells.value, self.cells.weights
            assert value is not None and weights is not None
            yield selected(*vocabulary.ranks(column), value, weights, lo, hi, shares)
        else:
            for _, tally in self.ranked_values(column, vocabulary).tallies(lo, hi):
                yield tally


def in_one(pieces: Iterable[Piece]) -> Iterator[Piece]:
    """Small pieces that follow each other as one: making a table costs more than what is in it.

    For pieces whose cells nobody looks at any more, as values are not counted.
    """
    waiting: list[Piece] = []
    for piece in pieces:
        if piece.number is None and len(piece) <= SMALL:
            waiting.append(piece)
            continue
        yield from _together(waiting)
        yield piece
        waiting = []
    yield from _together(waiting)


def _together(pieces: Sequence[Piece]) -> Iterator[Piece]:
    if len(pieces) < 2:
        yield from pieces
        return
    ranges = zip(*(piece.ranges.arrays() for piece in pieces), strict=True)
    partials = zip(*(piece.partials for piece in pieces), strict=True)
    revised = any(piece.revision is not None or np.any(piece.retracted) for piece in pieces)
    yield Piece(
        Ranges(*(np.concatenate(same) for same in ranges)),
        [joined(same) for same in partials],
        pieces[0].cells,
        pieces[0].runs,
        revision=np.concatenate([piece.revisions() for piece in pieces]) if revised else None,
        retracted=np.concatenate([piece.taken_back() for piece in pieces]) if revised else False,
    )


def one(value: int) -> np.ndarray:
    """A bound for all keys."""
    return np.array([value], np.int64)

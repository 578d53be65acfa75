"""The value counts of windows over events with a duration.

Idea: a window's cells lie in ranges of several levels.  They are put side by side, window after
window, so that whatever counts values in ranges of cells (`tallies.py`, `selection.py`) reads them
as it reads any other.  Cost: the cells of every window, in pieces of bounded size.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from panewise.aggregates.arrays import spans
from panewise.kernels.cells import Cells
from panewise.kernels.columns import Column
from panewise.kernels.program import Piece
from panewise.kernels.ranges import Ranges
from panewise.kernels.spanning.compose import Leveled, level_ranges
from panewise.kernels.spanning.layout import Layout

MOST_WINDOWS = 1 << 16
MOST_CELLS = 1 << 22
"""Windows and cells that are put side by side at once."""

Windows = tuple[np.ndarray, ...]


def gathered(
    layout: Layout, leveled: Leveled, windows: Windows
) -> Iterator[tuple[np.ndarray, Piece]]:
    """Pieces without partials for windows `(number, key, start, end)`, and which they are."""
    for first in range(0, len(windows[0]), MOST_WINDOWS):
        part = tuple(each[first : first + MOST_WINDOWS] for each in windows)
        ranges = [level_ranges(layout, leveled, n, part) for n in range(leveled.levels)]
        lo = np.stack([low for low, _ in ranges], axis=1)
        lengths = np.stack([high for _, high in ranges], axis=1) - lo
        ends = np.cumsum(lengths.sum(axis=1))
        at = 0
        while at < len(ends):
            before = ends[at - 1] if at else 0
            stop = max(int(ends.searchsorted(before + MOST_CELLS, side="right")), at + 1)
            own = tuple(each[at:stop] for each in part)
            read = spans(lo[at:stop].ravel(), lengths[at:stop].ravel())
            yield (
                np.arange(first + at, first + stop),
                _piece(leveled, own, read, np.append(before, ends[at:stop]) - before),
            )
            at = stop


def spread_out(
    windows: Windows,
    partials: Sequence[Column],
    counted: tuple[Layout, Leveled] | None,
    **more: np.ndarray,
) -> Iterator[Piece]:
    """Windows with their partials and more columns of a piece; with value counts, if there are."""
    if counted is None:
        none = np.empty(0, np.int64)
        number, code, start, end = windows
        ranges = Ranges(number, code, start, end, none, none)
        yield Piece(ranges, list(partials), Cells(none, none, []), none, **more)  # type: ignore[arg-type]
        return
    for which, piece in gathered(*counted, windows):
        own = {name: column[which] for name, column in more.items()}
        yield replace(piece, partials=[column.take(which) for column in partials], **own)


def _piece(leveled: Leveled, windows: Windows, read: np.ndarray, bounds: np.ndarray) -> Piece:
    number, code, start, end = windows
    value, weights = leveled.cells.value, leveled.cells.weights
    assert value is not None and weights is not None
    fresh = np.ones(len(code), np.bool_)
    fresh[1:] = (number[1:] != number[:-1]) | (code[1:] != code[:-1])
    none = np.empty(0, np.int64)
    return Piece(
        Ranges(number, code, start, end, bounds[:-1], bounds[1:]),
        [],
        Cells(none, none, [], value=value[read], weights=weights[read]),
        np.append(bounds[:-1][fresh], bounds[-1]),
    )

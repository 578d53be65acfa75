"""Rows into cells: one for each key and pane, or one for each row where order matters.

Idea: rows go straight to their cell where a loop can add them there (`open_panes.py`).  Where an
aggregate needs Arrow arrays, counts values or depends on order, rows are sorted by cell first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa

from panewise.aggregates import Rows
from panewise.kernels.arrivals import Arrivals
from panewise.kernels.cells import Cells
from panewise.kernels.columns import ALL_VALID, Column, Numbers, column_of
from panewise.kernels.constant import Constant
from panewise.kernels.fold import fold_groups, stops
from panewise.kernels.grid import Grid, Lead
from panewise.kernels.grouping import NO_TIE, Groups, grouped
from panewise.kernels.keys import counting_sort
from panewise.kernels.merging import united
from panewise.kernels.open_panes import Batch, OpenPanes
from panewise.kernels.order import in_order, radix_order, time_order
from panewise.kernels.program import Program
from panewise.kernels.ranges import ALWAYS
from panewise.kernels.vocabulary import Vocabulary

CROWDED = 32
"""Rows of a key, in the mean, above which all rows are put in order of panes before they are dealt
out by key: of many rows that come late, each would be moved past many others of its key."""
SPARSE = 4
"""Cells that there may be for each row, from which on few rows share one, if keys are alike."""
SAMPLE = 1 << 12
"""Neighbouring rows that show whether they are: a few keys may have most of the rows."""
_ONES = Constant(1)
"""What every row counts."""


class Slicer:
    """Makes cells of batches of rows, which may be in any order."""

    def __init__(
        self,
        program: Program,
        vocabulary: Vocabulary,
        *,
        times: bool,
        whole: bool = False,
        at_once: int = 0,
    ) -> None:
        """Rows that must be sorted wait until there are `at_once`, or until cells are drained.

        Fewer are sorted at a time where a key has many of them: they stay in the caches, and there
        is little to merge.
        """
        self.program = program
        self.vocabulary = vocabulary
        self.times = times
        self._whole = whole or not times
        """Whether panes are handed on once they are whole; sessions of many keys cannot wait."""
        self.grid = Grid(program.panes)
        self._weighted = program.weighted or program.counts_values
        counted = ("sum",) if self._weighted else ()
        self.open = OpenPanes(
            [str(p.monoid) for p in program.partials] + list(counted),
            checked=program.checked,
            times=times,
        )
        self._made: list[Cells] = []
        self._at_once = at_once
        self._unsorted: list[Cells] = []
        self._keys = 0
        self._depth = 1
        """Values that every key has a place for under construction."""
        self.earliest = ALWAYS
        """No time under construction is before this."""

    def add(
        self,
        code: np.ndarray | None,
        keys: int,
        ticks: np.ndarray,
        rows: Rows,
        surveyed: tuple[int, int, bool],
    ) -> None:
        """Put rows into cells; `code` is None where there are no keys."""
        lifted = self.lifted(rows)
        value = self._values(rows)
        low, high, ascending = surveyed
        self.earliest = min(self.earliest, low)
        panes, most = None, self._at_once
        if not self.program.mergeable or not all(isinstance(c, Numbers) for c in lifted):
            most = min(most, CROWDED * keys)
        else:
            panes = self.grid.between(low, high, len(ticks))
        slots = keys * self._depth
        if panes is not None and self.open.crowded(slots, len(panes), len(ticks)):
            self._set_aside()
            if self.open.crowded(slots, len(panes), len(ticks)):
                panes = None
        if panes is None:
            self._set_aside()
            codes = np.zeros(len(ticks), np.int64) if code is None else code
            self._keys, sequence = keys, np.asarray(rows.sequence)
            self._unsorted.append(Cells(codes, ticks, lifted, value=value, sequence=sequence))
            if sum(map(len, self._unsorted)) >= most:
                self._sort()
            return
        self._sort()
        numbers = [column for column in lifted if isinstance(column, Numbers)]
        if value is not None:  # a key and a value together are a key of the slots
            code = value if code is None else code * self._depth + value
        if self._weighted:
            numbers.append(Numbers(_ONES.times(len(ticks)), ALL_VALID, pa.int64()))
        lead = None
        if code is not None or not ascending:
            lead = Lead.to(panes, low, high, len(ticks))
        self.open.add(Batch(code, ticks, numbers), slots, panes, lead)

    def _values(self, rows: Rows) -> np.ndarray | None:
        """The number of each row's counted values."""
        if not self.program.counts_values:
            return None
        names = self.vocabulary.schema.names
        value = self.vocabulary.encode(
            pa.RecordBatch.from_arrays([rows[name] for name in names], names=names)
        )
        if len(self.vocabulary) > self._depth:
            self._set_aside()  # before slots are numbered another way
            self._depth = 1 << len(self.vocabulary).bit_length()
        return value

    def drain(self, watermark: int = ALWAYS) -> Cells | None:
        """All cells that a window ending by the watermark may read, sorted by key and pane."""
        # the pane that the watermark is in lies beyond the last edge, and so of every such window
        whole = self._whole and watermark != ALWAYS
        self._sort()
        self._set_aside(self.grid.pane_of(watermark) if whole else watermark)
        self.earliest = self.open.earliest()
        made, self._made = self._made, []
        if len(made) == 1:
            return made[0]
        return united(self.program, made) if made else None

    def scattered(self) -> Cells | None:
        """All rows, each as a cell and as they came, if few of them would share one; else None.

        For those who sort cells anyway, with those of others: sorting them here would take longer
        than what is saved by folding them.
        """
        if not self._unsorted or self._made or self.open.count() or not self.program.mergeable:
            return None
        self._unsorted = [rows] = [Cells.concat(self._unsorted)]
        if rows.value is not None or not all(isinstance(c, Numbers) for c in rows.partials):
            return None  # counted together, or in an order
        panes, place = self.grid.place(rows.pane)
        if len(panes) * self._keys < SPARSE * len(rows) or not _are_apart(rows.code, place):
            return None
        self._unsorted, self.earliest = [], ALWAYS
        times = rows.pane if self.times else None
        ones = _ONES.times(len(rows)) if self._weighted else None
        return Cells(rows.code, panes[place], rows.partials, first=times, last=times, weights=ones)

    def _set_aside(self, before: int = ALWAYS) -> None:
        cells = self.open.drain(before, self._depth if self.program.counts_values else 0)
        if cells is not None and self._weighted:
            *partials, counts = cells.partials
            assert isinstance(counts, Numbers)
            cells = replace(cells, weights=counts.values, partials=partials)
        if cells is not None:
            self._made.append(cells)

    def cells(self) -> int:
        """How many cells there are."""
        return self.open.count() + sum(map(len, self._made))

    def parts(self) -> list[Cells]:
        """Cells that are finished and wait to be drained."""
        return self._made

    def rows(
        self,
        code: np.ndarray,
        ticks: np.ndarray,
        rows: Rows,
        inputs: Sequence[pa.Array],
        sequence: np.ndarray | Arrivals,
        *,
        ordered: bool = False,
    ) -> Cells:
        """Every row as a cell of its own, sorted by time and sequence, whatever the key.

        They may be known to be `ordered`.
        """
        cells = Cells(
            code, ticks, self.lifted(rows), value=self._values(rows), sequence=sequence,
            inputs=list(inputs),
        )  # fmt: skip
        if ordered:
            return cells
        numbers = np.asarray(sequence)
        if in_order(ticks, numbers):
            return cells
        return cells.take(time_order(ticks, numbers))

    def lifted(self, rows: Rows) -> list[Column]:
        """The partials of single rows."""
        return [column_of(p.lift(rows), p.monoid) for p in self.program.partials]

    def _sort(self) -> None:
        """Rows by cell, for partials that loops cannot add up where they lie."""
        if not self._unsorted:
            return
        rows, self._unsorted = Cells.concat(self._unsorted), []
        code, ticks, value, keys = rows.code, rows.pane, rows.value, self._keys
        panes, place = self.grid.place(ticks)
        order = None
        if value is not None:
            order = radix_order(value)
        elif rows.sequence is not None and len(rows.sequence):
            # array code may depend on the order of rows
            order = time_order(ticks, np.asarray(rows.sequence))
        if len(code) > CROWDED * keys:
            listed = place if order is None else place[order]
            by_pane = counting_sort(listed, len(panes))[0]
            order = by_pane if order is None else order[by_pane]
        by_cell = _grouped(code, place, keys, value, order)
        listed, heads = by_cell.order, by_cell.heads
        times = ticks[listed] if self.times else None
        cells = Cells(
            code=by_cell.code,
            pane=panes[by_cell.pane],
            partials=[
                fold_groups(p, each, heads, listed, checked=self.program.checked)
                for p, each in zip(self.program.partials, rows.partials, strict=True)
            ],
            first=None if times is None else np.minimum.reduceat(times, heads),
            last=None if times is None else np.maximum.reduceat(times, heads),
            value=None if value is None else value[listed[heads]],
            weights=stops(heads, len(listed)) - heads if self._weighted else None,
        )
        self._made.append(cells)


def _are_apart(code: np.ndarray, place: np.ndarray) -> bool:
    """Whether three of four rows in the middle have a key and a pane of their own."""
    first = max(len(code) - SAMPLE, 0) // 2
    some = slice(first, first + SAMPLE)
    pairs = code[some] * (int(place[some].max()) + 1) + place[some]
    return 4 * len(np.unique(pairs)) >= 3 * len(pairs)


def _grouped(
    code: np.ndarray,
    place: np.ndarray,
    keys: int,
    value: np.ndarray | None,
    order: np.ndarray | None,
) -> Groups:
    """Rows by key, pane and value, and in this order within, if there is one."""
    if order is None:
        return grouped(code, place, keys)
    tie = NO_TIE if value is None else value[order]
    found = grouped(code[order], place[order], keys, tie)
    return found._replace(order=order[found.order])

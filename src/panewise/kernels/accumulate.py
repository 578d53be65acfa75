"""Adding rows to slots: one value for each cell under construction.

Idea: rows need not be sorted; a loop per column adds each value where it belongs.  Where whole
stretches of rows belong to one slot they are reduced first, several at a time.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from panewise.errors import ResultOverflow
from panewise.kernels.columns import ALL_VALID, Numbers
from panewise.kernels.compiled import compiled, summing
from panewise.kernels.fold import two_stacks
from panewise.kernels.grid import Lead, pane_at
from panewise.kernels.monoids import MAX, MIN, OPERATIONS, PRODUCT, SUM
from panewise.kernels.pane_rows import RowColumn
from panewise.kernels.ranges import ALWAYS, NEVER

_LIMIT = 2**62
CACHED = 1 << 12
"""Rows that are looked at several times while they are in the nearest caches."""
# fmin passes over what is not a number, which is above every number; maximum keeps it
_REDUCED: dict[int, np.ufunc] = {
    SUM: np.add,
    MIN: np.fmin,
    MAX: np.maximum,
    PRODUCT: np.multiply,
}


@dataclass
class Slots:
    """One partial of every slot; `present` is None while every seen slot has a value."""

    operation: int
    values: np.ndarray
    present: np.ndarray | None
    kind: object
    bound: int = 0
    """No sum of integers so far is larger than this."""

    @classmethod
    def of(cls, monoid: str, column: Numbers) -> Slots:
        operation = OPERATIONS[monoid]
        present = None if operation == SUM else np.zeros(0, np.bool_)
        return cls(operation, np.zeros(0, column.values.dtype), present, column.kind)

    @property
    def nbytes(self) -> int:
        return int(self.values.nbytes) + (0 if self.present is None else int(self.present.nbytes))

    def tracks(self, column: Numbers) -> bool:
        """Whether it must know which slots had a row before this column came."""
        return self.present is None and len(column.valid) > 0

    def add(self, column: Numbers, slot: np.ndarray, before: np.ndarray, checked: bool) -> None:
        """Each value to its slot; `before` says which slots had a row."""
        careful = self._may_wrap(column)
        if self.tracks(column):
            self.present = before.copy()
        if self.operation == SUM and self.present is None:
            wrapped = _sums(column.values, slot, self.values, careful)
        else:
            assert self.present is not None
            wrapped = _each(
                column.values, column.valid, slot, self.operation, self.values, self.present
            )
        self._refuse(wrapped, checked)

    def add_scattered(
        self,
        column: Numbers,
        ticks: np.ndarray,
        lead: Lead,
        here: slice,
        seen: np.ndarray,
        first: np.ndarray,
        last: np.ndarray,
    ) -> bool:
        """Rows to the slots of their panes, where nothing but numbers are added; else False.

        Marks slots with a row, and moves their first and last time unless there are none.
        """
        plain = self.operation == SUM and self.present is None and not len(column.valid)
        bound = self._bound_with(column) if plain else 0
        if not plain or bound >= _LIMIT:
            return False
        self.bound = bound
        _scatter(
            ticks, lead.edges, lead.low, lead.shift, lead.table,
            column.values, self.values[here], seen[here], first, last,
        )  # fmt: skip
        return True

    def add_stretches(
        self,
        column: Numbers,
        at: np.ndarray | slice,
        lo: np.ndarray,
        hi: np.ndarray,
        before: np.ndarray,
        checked: bool,
    ) -> None:
        """Whole stretches of rows to one slot each; a slice has neighbours, and is faster."""
        if self.tracks(column):
            self.present = before.copy()
        if self._may_wrap(column) or len(column.valid):
            if self.present is None:
                self.present = before.copy()
            slot = np.arange(at.start, at.stop) if isinstance(at, slice) else at
            wrapped = _stretches(
                column.values, column.valid, slot, lo, hi, self.operation, self.values, self.present
            )
            self._refuse(wrapped, checked)
            return
        with np.errstate(all="ignore"):  # what leaves the floating numbers does so silently
            self._join(at, _REDUCED[self.operation].reduceat(column.values, lo))

    def _join(self, at: np.ndarray | slice, values: np.ndarray) -> None:
        """One more value for each of these slots, which are different ones."""
        if self.present is None:
            self.values[at] += values
            return
        had = self.present[at]
        self.values[at] = np.where(had, _REDUCED[self.operation](self.values[at], values), values)
        self.present[at] = True

    def merge(self, lo: np.ndarray, hi: np.ndarray, checked: bool) -> None:
        """Ranges of the first slots become one slot each: the last ones of these."""
        count = int(hi[-1])
        valid = ALL_VALID if self.present is None else self.present[:count]
        merged, there = np.empty(len(lo), self.values.dtype), np.empty(len(lo), np.bool_)
        wrapped = two_stacks(self.values[:count], valid, lo, hi, self.operation, merged, there)
        self._refuse(wrapped, checked)
        self.values[count - len(lo) : count] = merged
        if self.present is not None:
            self.present[count - len(lo) : count] = there

    def column(self, slot: np.ndarray | slice) -> Numbers:
        """The values of some slots."""
        valid = ALL_VALID if self.present is None else self.present[slot]
        return Numbers(self.values[slot], ALL_VALID if valid.all() else valid, self.kind)

    def rows(self, shaped: Callable[[np.ndarray], np.ndarray]) -> RowColumn:
        """The slots as rows, where they lie."""
        present = None if self.present is None else shaped(self.present)
        careful = self.bound >= _LIMIT
        return RowColumn(self.operation, shaped(self.values), present, self.kind, careful)

    def _may_wrap(self, column: Numbers) -> bool:
        """Whether a sum of integers could leave 64 bits, from the largest value alone."""
        self.bound = self._bound_with(column)
        return self.bound >= _LIMIT

    def view(self, count: int) -> Numbers:
        """The first slots, where they lie."""
        if self.present is None:
            return Numbers(self.values[:count], ALL_VALID, self.kind)
        valid = self.present[:count]
        return Numbers(self.values[:count], ALL_VALID if valid.all() else valid, self.kind)

    def _bound_with(self, column: Numbers) -> int:
        if self.values.dtype != np.int64 or not len(column.values):
            return self.bound
        return self.bound + (int(_bits(column.values)) + 1) * len(column.values)

    def _refuse(self, wrapped: bool, checked: bool) -> None:
        if wrapped and checked and self.values.dtype == np.int64:
            raise ResultOverflow(
                "an integer sum left the range of BIGINT.", hint="cast the column to DECIMAL first."
            )


@compiled
def mark(place, base, keys, code, slot, seen):  # type: ignore[no-untyped-def]
    """The slot of each row, from its pane and key; slots with a row are seen."""
    for i in range(len(place)):
        slot[i] = (base + place[i]) * keys + code[i]
        seen[slot[i]] = True


@compiled
def _sums(values, slot, out, careful):  # type: ignore[no-untyped-def]
    wrapped = False
    if not careful:
        for i in range(len(values)):
            out[slot[i]] += values[i]
        return wrapped
    for i in range(len(values)):
        before = out[slot[i]]
        total = before + values[i]
        wrapped |= (before >= 0) == (values[i] >= 0) and (total >= 0) != (before >= 0)
        out[slot[i]] = total
    return wrapped


@compiled
def _scatter(  # type: ignore[no-untyped-def]
    ticks, edges, low, shift, table, values, sums, seen, first, last
):
    """Rows of one pane are summed at once; those of earlier ones are listed, and go there after.

    A branch for each late row would be guessed wrong, which costs more than to list every row.
    """
    behind, place = np.empty(CACHED + 1, np.int64), np.empty(CACHED + 1, np.int64)
    here, begin, end = 0, ALWAYS, NEVER
    for base in range(0, len(ticks), CACHED):
        stop = min(base + CACHED, len(ticks))
        at, late = base, 0
        while at < stop:
            if ticks[at] >= end:
                here = pane_at(ticks[at], edges, low, shift, table)
                begin, end = edges[here], edges[here + 1]
                seen[here] = True
            ahead, late = _list_behind(ticks[at:stop], begin, end, at, behind, late)
            rows = ticks[at : at + ahead]
            sums[here] += _sum_from(rows, values[at : at + ahead], begin)
            if len(first) > 0:
                earliest, latest = _extent(rows, begin)
                first[here], last[here] = min(first[here], earliest), max(last[here], latest)
            at += ahead
        for q in range(late):
            place[q] = pane_at(ticks[behind[q]], edges, low, shift, table)
        for q in range(late):
            sums[place[q]] += values[behind[q]]
            seen[place[q]] = True
        for q in range(late if len(first) > 0 else 0):
            j, t = place[q], ticks[behind[q]]
            first[j], last[j] = min(first[j], t), max(last[j], t)


@compiled
def _list_behind(ticks, begin, end, number, behind, late):  # type: ignore[no-untyped-def]
    """Rows up to the first that reaches the end; those before the beginning are listed."""
    for i in range(len(ticks)):
        if ticks[i] >= end:
            return i, late
        behind[late] = number + i
        late += ticks[i] < begin
    return len(ticks), late


@summing
def _sum_from(ticks, values, begin):  # type: ignore[no-untyped-def]
    """The sum of rows that are not before this."""
    zero = values.dtype.type(0)
    total = zero
    for i in range(len(ticks)):
        total += values[i] if ticks[i] >= begin else zero
    return total


@compiled
def _extent(ticks, begin):  # type: ignore[no-untyped-def]
    """The first and the last of the times that are not before this."""
    first, last = ALWAYS, NEVER
    for i in range(len(ticks)):
        first = min(first, ticks[i] if ticks[i] >= begin else ALWAYS)
        last = max(last, ticks[i])
    return first, last


@compiled
def _bits(values):  # type: ignore[no-untyped-def]
    """A number with every bit that the size of some value has."""
    some, every = np.int64(0), np.int64(-1)
    for value in values:  # these two are fast, and enough where all have one sign
        some |= value
        every &= value
    if some >= 0 or every < 0:
        return some if some >= 0 else ~every
    found = np.int64(0)
    for value in values:
        found |= value ^ (value >> 63)
    return found


@compiled
def _stretches(values, valid, at, lo, hi, operation, out, present):  # type: ignore[no-untyped-def]
    """Stretches of rows into slots, null by null."""
    wrapped = False
    every = len(valid) == 0
    for w in range(len(at)):
        total, some = out[at[w]], present[at[w]]
        for i in range(lo[w], hi[w]):
            if not (every or valid[i]):
                continue
            value = values[i]
            if not some:
                total, some = value, True
            elif operation == SUM:
                both = total + value
                wrapped |= (total >= 0) == (value >= 0) and (both >= 0) != (value >= 0)
                total = both
            elif operation == MIN:
                if value < total or total != total:  # NaN is above every number
                    total = value
            elif operation == MAX:
                if value > total or value != value:
                    total = value
            else:
                total *= value
        out[at[w]], present[at[w]] = total, some
    return wrapped


@compiled
def _each(values, valid, slot, operation, out, present):  # type: ignore[no-untyped-def]
    wrapped = False
    every = len(valid) == 0
    for i in range(len(values)):
        if not (every or valid[i]):
            continue
        at, value = slot[i], values[i]
        if not present[at]:
            out[at], present[at] = value, True
        elif operation == SUM:
            total = out[at] + value
            wrapped |= (out[at] >= 0) == (value >= 0) and (total >= 0) != (value >= 0)
            out[at] = total
        elif operation == PRODUCT:
            out[at] *= value
        elif operation == MIN:
            if value < out[at] or out[at] != out[at]:
                out[at] = value
        elif value > out[at] or value != value:
            out[at] = value
    return wrapped


@compiled
def bounds(ticks, slot, first, last):  # type: ignore[no-untyped-def]
    """The first and last time of every slot, without a branch that would be guessed wrong."""
    for i in range(len(ticks)):
        at, t = slot[i], ticks[i]
        first[at], last[at] = min(first[at], t), max(last[at], t)

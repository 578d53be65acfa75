"""Windows from cells of levels.

Cost: of every level one search for each window, and what folding its ranges costs; prefix sums for
differences.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from panewise.aggregates import Partial
from panewise.aggregates.count import CountPartial
from panewise.aggregates.sum import SumPartial
from panewise.errors import ResultOverflow
from panewise.kernels.cells import Cells
from panewise.kernels.columns import ALL_VALID, Column, Numbers, Objects
from panewise.kernels.compiled import compiled
from panewise.kernels.fold import fold
from panewise.kernels.monoids import OPERATIONS, SUM, combine, overflows
from panewise.kernels.ranges import gallop
from panewise.kernels.spanning.busy import Busy, swept, united
from panewise.kernels.spanning.layout import Difference, Layout


@dataclass(frozen=True)
class Leveled:
    """Cells sorted by `level * keys + key` and pane; `counts` are the events of each."""

    cells: Cells
    keys: int
    counts: np.ndarray

    @property
    def levels(self) -> int:
        return int(self.cells.code[-1]) // self.keys + 1 if len(self.cells) else 0

    def runs(self, level: int) -> np.ndarray:
        """Where the cells of each key begin and end."""
        return self.cells.code.searchsorted(level * self.keys + np.arange(self.keys + 1))

    def bounds(self, level: int) -> tuple[int, int]:
        """Where the cells of a level begin and end."""
        low, high = self.cells.code.searchsorted((level * self.keys, (level + 1) * self.keys))
        return int(low), int(high)

    def of(self, level: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Key, pane and events of the cells of a level."""
        low, high = self.bounds(level)
        code = self.cells.code[low:high] - level * self.keys
        return code, self.cells.pane[low:high], self.counts[low:high]


def busy_stretches(layout: Layout, leveled: Leveled) -> Busy:
    """The stretches in which events are there."""
    if isinstance(layout, Difference):
        return swept(leveled.of(0), leveled.of(1))
    parts = []
    for level in range(leveled.levels):
        code, pane, _ = leveled.of(level)
        if len(code):
            parts.append((code, *layout.extents(level, pane)))
    return united(*(np.concatenate(each) for each in zip(*parts, strict=True)))


def composed(
    layout: Layout,
    leveled: Leveled,
    partials: Sequence[Partial],
    windows: tuple[np.ndarray, ...],
    checked: bool,
) -> list[Column]:
    """The partials of windows `(number, key, start, end)`."""
    if isinstance(layout, Difference):
        return _differences(layout, leveled, partials, windows, checked)
    found: list[Column | None] = [None] * len(partials)
    for level in range(leveled.levels):
        lo, hi = level_ranges(layout, leveled, level, windows)
        if level and not np.any(lo < hi):
            continue
        for at, (partial, column) in enumerate(zip(partials, leveled.cells.partials, strict=True)):
            read = fold(partial, column, lo, hi, checked=checked)
            before = found[at]
            found[at] = read if before is None else joined(partial, before, read, checked)
    return [column for column in found if column is not None]


def level_ranges(
    layout: Layout, leveled: Leveled, level: int, windows: tuple[np.ndarray, ...]
) -> tuple[np.ndarray, np.ndarray]:
    """The cells of a level that windows read: from, and before."""
    _, code, start, end = windows
    return searched(leveled, level, code, *layout.reads(level, start, end))


def searched(
    leveled: Leveled, level: int, code: np.ndarray, begin: np.ndarray, stop: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The cells of a level and of keys whose panes are from `begin` on and before `stop`."""
    lo, hi = np.empty(len(code), np.int64), np.empty(len(code), np.int64)
    _search(leveled.cells.pane, leveled.runs(level), code, begin, stop, lo, hi)
    return lo, hi


def _differences(
    layout: Layout,
    leveled: Leveled,
    partials: Sequence[Partial],
    windows: tuple[np.ndarray, ...],
    checked: bool,
) -> list[Column]:
    begun, ended = (level_ranges(layout, leveled, level, windows) for level in (0, 1))
    found: dict[Partial, Column] = {}
    for partial, column in zip(partials, leveled.cells.partials, strict=True):
        if isinstance(column, Objects):
            whole, part = (fold(partial, column, *each, checked=checked) for each in (begun, ended))
            found[partial] = Objects(partial.invert(whole.arrow(), part.arrow()))
            continue
        out = np.empty(len(begun[0]), np.int64)
        if _subtract(column.values, column.valid, *begun, *ended, out) and checked:
            raise _overflow()
        found[partial] = Numbers(out, ALL_VALID, column.kind)
    return [_present(partial, column, found) for partial, column in found.items()]


def _present(partial: Partial, column: Column, found: Mapping[Partial, Column]) -> Column:
    """A sum of no values is null: sums that cancel do not tell, counts do."""
    counted = companion(partial)
    if counted is None:
        return column
    numbers = found[counted]
    assert isinstance(numbers, Numbers)
    there = numbers.values > 0
    if isinstance(column, Objects):
        blank = pa.nulls(len(there), column.array.type)
        return Objects(pc.if_else(pa.array(there), column.array, blank))
    return Numbers(column.values, ALL_VALID if there.all() else there, column.kind)


def companion(partial: Partial) -> Partial | None:
    """The count that tells whether a difference has values."""
    return CountPartial(partial.column) if isinstance(partial, SumPartial) else None


def _overflow() -> ResultOverflow:
    return ResultOverflow(
        "an integer sum left the range of BIGINT.", hint="cast the column to DECIMAL first."
    )


def joined(partial: Partial, left: Column, right: Column, checked: bool) -> Column:
    """Two columns, element by element; null is the identity."""
    if isinstance(left, Objects) or isinstance(right, Objects):
        return Objects(partial.combine(left.arrow(), right.arrow()))
    valid = np.empty(len(left), np.bool_)
    out = np.empty(len(left), left.values.dtype)
    operation = OPERATIONS[str(partial.monoid)]
    sides = left.values, left.valid, right.values, right.valid
    if _join(*sides, operation, out.dtype == np.int64, out, valid) and checked:
        raise _overflow()
    return Numbers(out, ALL_VALID if valid.all() else valid, left.kind)


@compiled
def _search(pane, runs, code, begin, stop, lo, hi):  # type: ignore[no-untyped-def]
    """The cells of each window's key from `begin` on and before `stop`.

    Windows of a key mostly come in order, so the search goes on where the last one ended.
    """
    for w in range(len(code)):
        first, last = runs[code[w]], runs[code[w] + 1]
        on = w > 0 and code[w] == code[w - 1]
        lo[w] = gallop(
            pane, lo[w - 1] if on and begin[w] >= begin[w - 1] else first, last, begin[w]
        )
        behind = hi[w - 1] if on and stop[w] >= stop[w - 1] else first
        hi[w] = gallop(pane, max(lo[w], behind), last, stop[w])


@compiled
def _subtract(values, valid, lo0, hi0, lo1, hi1, out):  # type: ignore[no-untyped-def]
    """Range less range, by running sums of 128 bits: whether some difference needs more than 64."""
    every = len(valid) == 0
    low = np.zeros(len(values) + 1, np.uint64)
    high = np.zeros(len(values) + 1, np.int64)
    for i in range(len(values)):
        value = values[i] if every or valid[i] else 0
        low[i + 1] = low[i] + np.uint64(value)
        carry = low[i + 1] < low[i]
        high[i + 1] = high[i] + (value >> 63) + carry
    wrong = False
    for w in range(len(out)):
        total, above = low[hi0[w]], high[hi0[w]]
        for at, back in ((lo0[w], True), (hi1[w], True), (lo1[w], False)):
            if back:
                above -= high[at] + (total < low[at])
                total -= low[at]
            else:
                grown = total + low[at]
                above += high[at] + (grown < total)
                total = grown
        out[w] = np.int64(total)
        wrong |= above != out[w] >> 63
    return wrong


@compiled
def _join(left, lvalid, right, rvalid, operation, whole, out, valid):  # type: ignore[no-untyped-def]
    lall, rall, wrong = len(lvalid) == 0, len(rvalid) == 0, False
    for i in range(len(out)):
        a, b = lall or lvalid[i], rall or rvalid[i]
        valid[i] = a or b
        if a and b:
            out[i] = combine(left[i], right[i], operation)
            if whole and operation == SUM:
                wrong |= overflows(left[i], right[i], out[i])
        else:
            out[i] = left[i] if a else right[i]
    return wrong

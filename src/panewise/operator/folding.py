"""Rows folded in one place, and composed in another: by threads, or by the tasks of a cluster.

Idea: whoever folds numbers the keys for itself; whoever composes numbers them anew.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from panewise.kernels.cells import Cells
from panewise.kernels.keys import counting_sort
from panewise.kernels.merging import one_run
from panewise.kernels.order import in_order, time_order
from panewise.kernels.program import Program
from panewise.operator.bound import Bound
from panewise.operator.decisions import Stream
from panewise.operator.engine import Engine
from panewise.operator.rows import Accepted

IN_ORDER = Stream(0, 0)
AT_ONCE = 1 << 19
"""Rows that are sorted at once: what is sorted apart must be merged, where keys are many."""


@dataclass(frozen=True)
class Folded:
    """What became of some rows: cells and single rows, and the keys and values that they number."""

    cells: Cells | None
    rows: Cells | None
    keys: pa.Table
    values: pa.Table

    def split(self, home: np.ndarray, homes: int) -> list[Folded]:
        """Apart by key: `home` says where each key belongs."""
        by_home, begins = counting_sort(home, homes)
        renamed = np.empty(len(home), np.int64)
        renamed[by_home] = np.arange(len(home)) - np.repeat(begins[:-1], np.diff(begins))
        cells, rows = (_dealt(part, home, renamed, homes) for part in (self.cells, self.rows))
        keys = self.keys.take(pa.array(by_home)) if self.keys.num_columns else self.keys
        return [
            _numbered_anew(
                Folded(
                    cells[number],
                    rows[number],
                    keys.slice(low, high - low) if keys.num_columns else keys,
                    self.values,
                )
            )
            for number, (low, high) in enumerate(itertools.pairwise(begins))
        ]


def _dealt(
    cells: Cells | None, home: np.ndarray, renamed: np.ndarray, homes: int
) -> list[Cells | None]:
    """The cells of each home, whose keys have new numbers."""
    if cells is None:
        return [None] * homes
    order, begins = counting_sort(home[cells.code], homes)
    dealt = cells.take(order)
    dealt.code = renamed[dealt.code]
    bounds = itertools.pairwise(begins)
    return [dealt.cut(low, high) if low < high else None for low, high in bounds]


def _numbered_anew(part: Folded) -> Folded:
    """With those values only that it counts."""
    if not part.values.num_columns:
        return part
    used = np.zeros(part.values.num_rows, np.bool_)
    both = (part.cells, part.rows)
    counting = [each for each in both if each is not None and each.value is not None]
    for each in counting:
        used[each.value] = True
    numbered = np.cumsum(used) - 1
    for each in counting:
        each.value = numbered[each.value]
    return replace(part, values=part.values.filter(pa.array(used)))


class Folding:
    """Takes rows, gives cells."""

    def __init__(self, bound: Bound, program: Program) -> None:
        self._engine = Engine(bound, program, IN_ORDER, in_place=False, at_once=AT_ONCE)
        self._single: list[Cells] = []

    def add(self, rows: Accepted) -> None:
        """Fold these in."""
        if len(rows.ticks):
            single = self._engine.ingest(rows)
            if single is not None:
                self._single.append(single)

    def folded(self) -> Folded:
        """All that was added; cells are in any order."""
        composer, slicer = self._engine.composer, self._engine.slicer
        cells = slicer.scattered()
        return Folded(
            slicer.drain() if cells is None else cells,
            Cells.concat(self._single) if self._single else None,
            composer.keys.keys,
            composer.values.table.keys,
        )


def together(engine: Engine, parts: Sequence[Folded]) -> tuple[Cells | None, Cells | None]:
    """Cells and rows of all parts, in the engine's own numbers."""
    keys, values = engine.composer.keys, engine.composer.values
    cells: list[Cells] = []
    rows: list[Cells] = []
    for part in parts:
        renamed = keys.encode(part.keys) if engine.bound.query.by else np.zeros(1, np.int64)
        counted = values.encode(part.values) if len(values.schema) else None
        for single, gathered in ((part.cells, cells), (part.rows, rows)):
            if single is not None:
                single.code = renamed[single.code]
                if counted is not None and single.value is not None:
                    single.value = counted[single.value]
                gathered.append(single)
    merged = one_run(engine.program, cells, len(keys)) if cells else None
    return merged, _by_time(Cells.concat(rows)) if rows else None


def _by_time(rows: Cells) -> Cells:
    assert rows.sequence is not None
    sequence = np.asarray(rows.sequence)
    if in_order(rows.pane, sequence):
        return rows
    return rows.take(time_order(rows.pane, sequence))

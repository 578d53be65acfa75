"""Many sorted runs of cells as one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from panewise.kernels.cells import Cells
from panewise.kernels.compiled import compiled
from panewise.kernels.grouping import NO_TIE, Groups
from panewise.kernels.program import Program


def merged_runs(parts: Sequence[Cells]) -> Cells:
    """Two by two, so that each cell is moved as often as the number of runs has digits."""
    runs = list(parts)
    while len(runs) > 1:
        pairs = [runs[i : i + 2] for i in range(0, len(runs), 2)]
        runs = [Cells.merge(*pair)[0] if len(pair) == 2 else pair[0] for pair in pairs]
    return runs[0]


def one_run(program: Program, parts: Sequence[Cells], keys: int) -> Cells:
    """Cells of so many keys that were folded apart, as one run of those that may be combined."""
    cells = Cells.concat(parts)
    return _in_groups(program, cells, cells.groups(keys))


def _in_groups(program: Program, cells: Cells, groups: Groups) -> Cells:
    """One cell for each group where cells may be combined, else all of them in order."""
    if not program.mergeable or len(groups.heads) == len(cells):
        return cells.take(groups.order)
    return cells.combined(program.partials, groups, program.checked)


@dataclass(frozen=True)
class Joined:
    """Cells that were held and new ones as one run, and how each came to be."""

    cells: Cells
    _before: int
    _groups: Groups

    @classmethod
    def of(cls, program: Program, held: Cells, new: Cells) -> Joined:
        """With one cell for each key and pane where cells may be combined."""
        groups = held.groups_with(new)
        cells = _in_groups(program, Cells.concat([held, new]), groups)
        return cls(cells, len(held), groups)

    def fresh(self) -> np.ndarray:
        """Which cells have new rows."""
        return self._some(self._groups.order >= self._before)

    def old(self) -> np.ndarray:
        """Which cells had rows before."""
        return self._some(self._groups.order < self._before)

    def _some(self, marks: np.ndarray) -> np.ndarray:
        if len(self.cells) == len(marks):
            return marks
        return np.asarray(np.logical_or.reduceat(marks, self._groups.heads))


def pane_heads(cells: Cells) -> np.ndarray:
    """Where the cells of a key, pane and value begin."""
    value = NO_TIE if cells.value is None else cells.value
    heads: np.ndarray = _heads(cells.code, cells.pane, value)
    return heads


@compiled
def _heads(code, pane, value):  # type: ignore[no-untyped-def]
    heads, count, valued = np.empty(len(code) + 1, np.int64), 0, len(value) > 0
    for i in range(len(code)):
        heads[count] = i
        apart = i == 0 or pane[i] != pane[i - 1] or code[i] != code[i - 1]
        count += apart or (valued and value[i] != value[i - 1])
    return heads[:count]


def united(program: Program, parts: Sequence[Cells]) -> Cells:
    """All runs as one, with one cell for each key and pane where cells may be combined."""
    return combined(program, merged_runs(parts))


def combined(program: Program, cells: Cells) -> Cells:
    """Neighbours of one key and pane as one, where cells may be combined."""
    if not program.mergeable:
        return cells
    heads = pane_heads(cells)
    if len(heads) == len(cells):
        return cells
    return cells.merged(program.partials, heads, cells.pane[heads], program.checked)

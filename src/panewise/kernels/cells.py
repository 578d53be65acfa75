"""Cells: the partial aggregates of panes, many keys at once.

Invariant: sorted by `(code, pane, sequence)`. A single row is a cell too, with its own time as its
pane: windows that need rows in order are computed by the same loops.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from panewise.aggregates import Partial
from panewise.kernels.arrivals import Arrivals
from panewise.kernels.columns import Column, apart, cut, taken
from panewise.kernels.columns import joined as joined_columns
from panewise.kernels.compiled import compiled
from panewise.kernels.fold import fold_groups
from panewise.kernels.grouping import NO_ORDER, NO_TIE, Groups, grouped, joined


@dataclass
class Cells:
    """Rows of `(key, pane, first time, last time, partials)`, and values with their counts.

    `first` and `last` are there when a session or a row window needs them, `value` is the number of
    a value when an aggregate counts them: then one pane may have several rows. `weights` are rows
    behind each cell, `sequence` breaks ties between rows, `inputs` are what scanned windows look
    at.
    """

    code: np.ndarray
    pane: np.ndarray
    partials: list[Column]
    first: np.ndarray | None = None
    last: np.ndarray | None = None
    value: np.ndarray | None = None
    weights: np.ndarray | None = None
    sequence: np.ndarray | Arrivals | None = None
    inputs: list[pa.Array] | tuple[()] = ()

    def __len__(self) -> int:
        return len(self.code)

    @property
    def nbytes(self) -> int:
        """What is held, without Python's own overhead."""
        return sum(
            sum(each.nbytes for each in part) if isinstance(part, list | tuple) else part.nbytes
            for part in vars(self).values()
            if part is not None
        )

    def copy(self) -> Cells:
        """The same columns, for one who gives keys or times of its own to them."""
        return Cells(**vars(self))

    def take(self, rows: np.ndarray) -> Cells:
        """A selection of rows."""
        return self._each(taken, rows)

    def cut(self, lo: int, hi: int) -> Cells:
        """The rows `[lo, hi)`, where they lie."""
        if lo == 0 and hi == len(self):
            return self
        return self._each(cut, lo, hi)

    def apart(self, lo: int, hi: int) -> Cells:
        """The same as copies, which keep nothing else in memory."""
        return self._each(apart, lo, hi)

    def _each(self, change: Callable[..., Any], *given: Any) -> Cells:
        """All columns that there are, changed in the same way."""
        chosen: dict[str, Any] = {}
        for name, part in vars(self).items():
            if isinstance(part, list | tuple):
                chosen[name] = [change(each, *given) for each in part]
            elif part is not None:
                chosen[name] = change(part, *given)
        return Cells(**chosen)

    @classmethod
    def concat(cls, parts: Sequence[Cells]) -> Cells:
        """Rows of all parts, in order."""
        if len(parts) == 1:
            return parts[0]
        together: dict[str, Any] = {}
        for name, first in vars(parts[0]).items():
            if first is None or isinstance(first, tuple):
                continue
            same = [getattr(part, name) for part in parts]
            together[name] = (
                [joined_columns(c) for c in zip(*same, strict=True)]
                if isinstance(first, list)
                else np.concatenate(same)
            )
        return cls(**together)

    def as_rows(self) -> Cells:
        """Rows as cells like others, which have bounds and a weight."""
        ones = np.ones(len(self), np.int64)
        sequence = None if self.sequence is None else np.asarray(self.sequence)
        return replace(self, first=self.pane, last=self.pane, weights=ones, sequence=sequence)

    @classmethod
    def merge(cls, held: Cells, new: Cells) -> tuple[Cells, np.ndarray]:
        """Both in order, the held one first among equals; and which rows are new."""
        fresh = np.zeros(len(held) + len(new), np.bool_)
        fresh[len(held) :] = True
        if not len(held) or not len(new):
            return (new if not len(held) else held), fresh
        if held.precedes(new):
            return cls.concat([held, new]), fresh
        order = held.groups_with(new).order
        return cls.concat([held, new]).take(order), fresh[order]

    def groups_with(self, other: Cells) -> Groups:
        """The cells of both, one behind the other, by key, pane and tie."""
        return joined(self.code, self.pane, self.tie, other.code, other.pane, other.tie)

    def groups(self, keys: int) -> Groups:
        """Cells of so many keys, which are in any order, by key, pane and tie."""
        tie = self.tie
        if not len(tie):
            return grouped(self.code, self.pane, keys)
        by_tie = np.argsort(tie, kind="stable")
        found = grouped(self.code[by_tie], self.pane[by_tie], keys, tie[by_tie])
        return found._replace(order=by_tie[found.order])

    def precedes(self, other: Cells) -> bool:
        """Whether every cell comes before all of the other's, as in a stream of one key."""
        mine, theirs = self.code[-1], other.code[0]
        return bool(mine < theirs or (mine == theirs and self.pane[-1] < other.pane[0]))

    @property
    def tie(self) -> np.ndarray:
        """What orders cells of one key and pane: the sequence of rows, or the value."""
        if self.sequence is not None:
            return np.asarray(self.sequence)
        return NO_TIE if self.value is None else self.value

    def runs(self, keys: int) -> np.ndarray:
        """Where the cells of each key begin."""
        if keys == 1:
            return np.array([0, len(self)])
        runs: np.ndarray = _runs(self.code, keys)
        return runs

    def merged(
        self, partials: Sequence[Partial], heads: np.ndarray, pane: np.ndarray, checked: bool
    ) -> Cells:
        """Rows from one head to the next, which have one value, combined into one."""
        return self.combined(partials, Groups(NO_ORDER, heads, self.code[heads], pane), checked)

    def combined(self, partials: Sequence[Partial], groups: Groups, checked: bool) -> Cells:
        """The rows of each group, which have one value, combined into one."""
        order, heads = groups.order, groups.heads
        columns = zip(partials, self.partials, strict=True)

        def first(column: Any) -> Any:
            return taken(column, order[heads] if len(order) else heads)

        def reduced(how: np.ufunc, column: np.ndarray | None) -> np.ndarray | None:
            if column is None:
                return None
            return np.asarray(how.reduceat(column[order] if len(order) else column, heads))

        return Cells(
            code=groups.code,
            pane=groups.pane,
            partials=[fold_groups(p, each, heads, order, checked=checked) for p, each in columns],
            first=reduced(np.minimum, self.first),
            last=reduced(np.maximum, self.last),
            value=None if self.value is None else first(self.value),
            weights=reduced(np.add, self.weights),
            sequence=None if self.sequence is None else first(self.sequence),
            inputs=[first(each) for each in self.inputs],
        )


@compiled
def _runs(code, keys):  # type: ignore[no-untyped-def]
    runs = np.empty(keys + 1, np.int64)
    k = 0
    for i in range(len(code)):
        while k <= code[i]:
            runs[k] = i
            k += 1
    runs[k:] = len(code)
    return runs

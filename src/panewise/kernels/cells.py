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
from panewise.kernels.columns import Column, apart, cut, joined, taken
from panewise.kernels.compiled import compiled
from panewise.kernels.fold import fold

_NO_TIE = np.empty(0, np.int64)


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
                [joined(c) for c in zip(*same, strict=True)]
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
        order = _merge_order(
            held.code, held.pane, held.tie,
            new.code, new.pane, new.tie,
        )  # fmt: skip
        return cls.concat([held, new]).take(order), fresh[order]

    def precedes(self, other: Cells) -> bool:
        """Whether every cell comes before all of the other's, as in a stream of one key."""
        mine, theirs = self.code[-1], other.code[0]
        return bool(mine < theirs or (mine == theirs and self.pane[-1] < other.pane[0]))

    @property
    def tie(self) -> np.ndarray:
        """What orders cells of one key and pane: the sequence of rows, or the value."""
        if self.sequence is not None:
            return np.asarray(self.sequence)
        return _NO_TIE if self.value is None else self.value

    def runs(self, keys: int) -> np.ndarray:
        """Where the cells of each key begin."""
        if keys == 1:
            return np.array([0, len(self)])
        return np.searchsorted(self.code, np.arange(keys + 1))

    def merged(
        self, partials: Sequence[Partial], heads: np.ndarray, pane: np.ndarray, checked: bool
    ) -> Cells:
        """Rows from one head to the next, which have one value, combined into one."""
        lo, hi = heads, np.append(heads[1:], len(self))
        columns = zip(partials, self.partials, strict=True)
        return Cells(
            code=self.code[lo],
            pane=pane,
            partials=[fold(partial, each, lo, hi, checked=checked) for partial, each in columns],
            first=None if self.first is None else np.minimum.reduceat(self.first, lo),
            last=None if self.last is None else np.maximum.reduceat(self.last, lo),
            value=None if self.value is None else self.value[lo],
            weights=None if self.weights is None else np.add.reduceat(self.weights, lo),
            sequence=None if self.sequence is None else self.sequence[lo],
            inputs=[taken(each, lo) for each in self.inputs],
        )


@compiled
def _merge_order(code, pane, seq, code2, pane2, seq2):  # type: ignore[no-untyped-def]
    n, m = len(code), len(code2)
    order = np.empty(n + m, np.int64)
    i = j = at = 0
    while i < n and j < m:
        if code[i] != code2[j]:
            left = code[i] < code2[j]
        elif pane[i] != pane2[j]:
            left = pane[i] < pane2[j]
        else:
            left = len(seq) == 0 or seq[i] <= seq2[j]
        if left:
            order[at] = i
            i += 1
        else:
            order[at] = n + j
            j += 1
        at += 1
    while i < n:
        order[at] = i
        i += 1
        at += 1
    while j < m:
        order[at] = n + j
        j += 1
        at += 1
    return order

"""Cells: the partial aggregates of panes, many keys at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from panewise.aggregates import Partial
from panewise.kernels.fold import fold
from panewise.kernels.keys import counting_sort


@dataclass
class Cells:
    """Rows of `(key, pane, first time, last time, partials)`, and values with their counts.

    `first` and `last` are there when a session needs them, `values` and `weights` when an aggregate
    counts values; then one pane may have several rows.
    """

    code: np.ndarray
    pane: np.ndarray
    first: np.ndarray
    last: np.ndarray
    partials: list[pa.Array]
    values: list[pa.Array]
    weights: np.ndarray

    def __len__(self) -> int:
        return len(self.code)

    def take(self, rows: np.ndarray) -> Cells:
        """A selection of rows."""
        picked = pa.array(rows)
        return Cells(
            self.code[rows], self.pane[rows], self.first[rows], self.last[rows],
            [p.take(picked) for p in self.partials], [v.take(picked) for v in self.values],
            self.weights[rows],
        )  # fmt: skip

    @classmethod
    def concat(cls, parts: Sequence[Cells]) -> Cells:
        """Rows of all parts, in order."""
        if len(parts) == 1:
            return parts[0]
        return cls(
            code=np.concatenate([part.code for part in parts]),
            pane=np.concatenate([part.pane for part in parts]),
            first=np.concatenate([part.first for part in parts]),
            last=np.concatenate([part.last for part in parts]),
            partials=_joined([part.partials for part in parts]),
            values=_joined([part.values for part in parts]),
            weights=np.concatenate([part.weights for part in parts]),
        )

    def by_key(self, keys: int) -> tuple[Cells, np.ndarray]:
        """The rows grouped by key, their order within a key kept, and where each key begins."""
        order, runs = counting_sort(self.code, keys)
        if len(order) and np.array_equal(order, np.arange(len(order))):
            return self, runs
        return self.take(order), runs

    def merged(
        self, partials: Sequence[Partial], heads: np.ndarray, pane: np.ndarray, checked: bool
    ) -> Cells:
        """Rows from one head to the next combined into one. Not for cells that count values."""
        lo, hi = heads, np.append(heads[1:], len(self))
        columns = zip(partials, self.partials, strict=True)
        return Cells(
            self.code[lo], pane,
            np.minimum.reduceat(self.first, lo), np.maximum.reduceat(self.last, lo),
            [fold(partial, column, lo, hi, checked=checked) for partial, column in columns],
            [], np.empty(len(lo), np.int64),
        )  # fmt: skip


def _joined(parts: Sequence[list[pa.Array]]) -> list[pa.Array]:
    return [pa.concat_arrays(same) for same in zip(*parts, strict=True)]

"""Values that are counted, as small integers.

Idea: cells carry the number of a value instead of the value, so that counting, merging and moving
them is work on integers; only when results are lowered the values behind the numbers are looked at.
Several counted columns share one number for each combination.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from panewise.aggregates.value_counts import rank_values
from panewise.kernels.keys import KeyTable


class Vocabulary:
    """Numbers for the combinations of counted values seen so far."""

    def __init__(self, schema: pa.Schema) -> None:
        self.schema = schema
        self.table = KeyTable(schema)
        self._ranked: dict[int, tuple[int, np.ndarray, pa.Array]] = {}

    def __len__(self) -> int:
        return len(self.table) if len(self.schema) else 0

    @property
    def nbytes(self) -> int:
        return self.table.nbytes if len(self.schema) else 0

    def encode(self, columns: pa.Table | pa.RecordBatch) -> np.ndarray:
        """The number of each row's values."""
        return self.table.encode(columns)

    def ranks(self, column: int) -> tuple[np.ndarray, pa.Array]:
        """For each number the rank of its value in one column (-1 for null), and the values by
        rank."""
        known = self._ranked.get(column)
        if known is None or known[0] != len(self.table):
            values = self.table.take(np.arange(len(self.table)))[column]
            ranks = np.full(len(values), -1, np.int64)
            present = values.drop_null() if values.null_count else values
            ranks[np.asarray(values.is_valid())] = rank_values(present)
            first = np.zeros(int(ranks.max(initial=-1)) + 1, np.int64)
            first[ranks[ranks >= 0]] = np.flatnonzero(ranks >= 0)
            known = len(self.table), ranks, values.take(pa.array(first))
            self._ranked[column] = known
        return known[1], known[2]

    def keep(self, numbers: np.ndarray) -> np.ndarray:
        """Forget every value but these; returns the new number of each old one."""
        self._ranked = {}
        return self.table.keep(numbers)

"""Values that are counted, as small integers.

Idea: cells carry the number of a value instead of the value, so that counting, merging and moving
them is work on integers; only when results are lowered the values behind the numbers are looked at.
Several counted columns share one number for each combination.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from panewise.kernels.keys import KeyTable
from panewise.kernels.ranking import Ranking


class Vocabulary:
    """Numbers for the combinations of counted values seen so far."""

    def __init__(self, schema: pa.Schema) -> None:
        self.schema = schema
        self.table = KeyTable(schema)
        self._ranked: dict[int, Ranking] = {}

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
        known = self.ranking(column)
        return known.ranks, known.values

    def ranking(self, column: int) -> Ranking:
        """The values of one column in order."""
        known = self._ranked.setdefault(column, Ranking(self.schema.types[column]))
        if len(known) < len(self.table):
            fresh = np.arange(len(known), len(self.table))
            known.add(self.table.take(fresh)[column])
        return known

    def keep(self, numbers: np.ndarray) -> np.ndarray:
        """Forget every value but these; returns the new number of each old one."""
        self._ranked = {}
        return self.table.keep(numbers)

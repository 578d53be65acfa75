"""Keys as small integers.

Idea: loops want `0 .. n-1`.  Each distinct combination of key values gets the next number when it
is first seen and keeps it as long as cells with it are held.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from panewise.kernels.compiled import compiled


class KeyTable:
    """Numbers for the keys seen so far, and the keys behind the numbers."""

    def __init__(self, schema: pa.Schema) -> None:
        self._schema = schema
        self.keys = schema.empty_table()

    def __len__(self) -> int:
        return self.keys.num_rows if len(self._schema) else 1

    def encode(self, columns: pa.Table) -> np.ndarray:
        """The number of each row's key; new keys are added."""
        if not len(self._schema):
            return np.zeros(columns.num_rows, np.int64)
        known = self.keys.num_rows
        both = pa.concat_tables([self.keys, columns])
        codes = _combined([_codes(column) for column in both.columns])
        # number by first appearance, so that known keys keep theirs
        first = np.full(int(codes.max()) + 1 if len(codes) else 0, -1, np.int64)
        order, fresh = _by_appearance(codes, first)
        self.keys = both.take(pa.array(fresh))
        return order[known:]

    def take(self, codes: np.ndarray) -> list[pa.Array]:
        """The key columns of numbered rows."""
        picked = pa.array(codes)
        return [column.combine_chunks().take(picked) for column in self.keys.columns]

    def keep(self, codes: np.ndarray) -> np.ndarray:
        """Forget every key but these; returns the new number of each old one."""
        renamed = np.full(len(self), -1, np.int64)
        kept = np.unique(codes)
        renamed[kept] = np.arange(len(kept))
        if len(self._schema):
            self.keys = self.keys.take(pa.array(kept))
        return renamed


def _codes(column: pa.ChunkedArray) -> np.ndarray:
    whole = column.combine_chunks()
    if pa.types.is_floating(whole.type):
        whole = pc.add(whole, pa.scalar(0.0, whole.type))  # a negative zero is a zero
    if pa.types.is_nested(whole.type) or pa.types.is_null(whole.type):
        # Arrow cannot encode these; their printed form is unique
        whole = pa.array([repr(_plain(value)) for value in whole.to_pylist()], pa.string())
    encoded = whole.dictionary_encode(null_encoding="encode")
    return np.asarray(encoded.indices).astype(np.int64)


def _plain(value: object) -> object:
    if isinstance(value, float):
        return value + 0.0
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in value.items()}
    return value


def _combined(codes: list[np.ndarray]) -> np.ndarray:
    joint = codes[0]
    for other in codes[1:]:
        wide = joint * (int(other.max()) + 1 if len(other) else 1) + other
        joint = np.unique(wide, return_inverse=True)[1]
    return joint


@compiled
def _by_appearance(codes, first):  # type: ignore[no-untyped-def]
    numbered = np.empty(len(codes), np.int64)
    fresh = np.empty(len(first), np.int64)
    count = 0
    for i in range(len(codes)):
        if first[codes[i]] < 0:
            first[codes[i]] = count
            fresh[count] = i
            count += 1
        numbered[i] = first[codes[i]]
    return numbered, fresh[:count]


@compiled
def counting_sort(codes, keys):  # type: ignore[no-untyped-def]
    """A stable order by code, and where each code's rows begin."""
    runs = np.zeros(keys + 1, np.int64)
    for code in codes:
        runs[code + 1] += 1
    for k in range(keys):
        runs[k + 1] += runs[k]
    at = runs[:-1].copy()
    order = np.empty(len(codes), np.int64)
    for i in range(len(codes)):
        order[at[codes[i]]] = i
        at[codes[i]] += 1
    return order, runs

"""Keys as small integers.

Idea: loops want `0 .. n-1`.  Each distinct combination of key values gets the next number when it
is first seen and keeps it as long as cells with it are held.  A key column becomes integers first:
numbers by their bits, everything else by its place in a dictionary of the values seen so far.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from panewise.kernels.columns import taken, whole
from panewise.kernels.compiled import compiled
from panewise.kernels.hashing import IntTable

WIDE = 1 << 22
"""Integers between the smallest and the largest key up to which an array has a place for each."""
SHARE = 8
"""Of so many keys one that is told makes it worth to have the columns of all."""


class KeyTable:
    """Numbers for the keys seen so far, and the keys behind the numbers."""

    def __init__(self, schema: pa.Schema) -> None:
        self._schema = schema
        self._columns = [_KeyColumn(field.type) for field in schema]
        self._table = IntTable(len(schema) + 1)
        self._all = np.empty(0, np.int64)
        self._told: list[pa.Array] = []
        one_integer = len(schema) == 1 and pa.types.is_integer(schema[0].type)
        self._near = NearIntegers() if one_integer else None

    def __len__(self) -> int:
        return len(self._table) if len(self._schema) else 1

    @property
    def nbytes(self) -> int:
        return self._table.nbytes + sum(column.nbytes for column in self._columns)

    def encode(self, columns: pa.Table | pa.RecordBatch) -> np.ndarray:
        """The number of each row's key; new keys are added."""
        count = columns.num_rows
        if not len(self._schema):
            return np.zeros(count, np.int64)
        if self._near is None:
            return self._add(columns)
        column = whole(columns[self._schema.names[0]])
        numbers = self._near.find(column)
        if numbers is not None:
            return numbers
        fresh = self._near.fresh(column, self._table.rows)
        if fresh is None:
            return self._add(columns)
        self._table.append([fresh, np.zeros(len(fresh), np.int64)])
        self._near.learn(self._table.rows)
        numbers = self._near.find(column)
        assert numbers is not None
        return numbers

    def _add(self, columns: pa.Table | pa.RecordBatch) -> np.ndarray:
        missing = np.zeros(columns.num_rows, np.int64)  # a bit for each column that is null
        parts = []
        for bit, name in enumerate(self._schema.names):
            column = whole(columns[name])
            if column.null_count:
                missing |= np.asarray(column.is_null()).astype(np.int64) << bit
            parts.append(self._columns[bit].integers(column))
        return self._table.add([*parts, missing])

    def take(self, codes: np.ndarray) -> list[pa.Array]:
        """The key columns of numbered rows."""
        if not len(self._schema):
            return []
        if len(codes) * SHARE >= len(self):
            return self._of_all(codes)
        return self._of(self._table.rows[codes])

    def _of_all(self, codes: np.ndarray) -> list[pa.Array]:
        """The same from the columns of all keys, which stay at hand for those who ask again."""
        if len(self._all) != len(self) or not self._told:
            self._all = np.arange(len(self))
            self._told = self._of(self._table.rows)
        if len(codes) == len(self._all) and np.array_equal(codes, self._all):
            return self._told
        return [taken(column, codes) for column in self._told]

    def _of(self, rows: np.ndarray) -> list[pa.Array]:
        return [
            column.values(rows[:, at], (rows[:, -1] >> at & 1).astype(np.bool_))
            for at, column in enumerate(self._columns)
        ]

    @property
    def keys(self) -> pa.Table:
        """All keys in the order of their numbers."""
        return pa.table(self._of(self._table.rows), schema=self._schema)

    def keep(self, codes: np.ndarray) -> np.ndarray:
        """Forget every key but these; returns the new number of each old one."""
        mask = np.zeros(len(self), np.bool_)
        mask[codes] = True
        kept = np.flatnonzero(mask)
        renamed = np.full(len(self), -1, np.int64)
        renamed[kept] = np.arange(len(kept))
        if len(self._schema):
            keys = self.keys.take(pa.array(kept))
            self._columns = [_KeyColumn(field.type) for field in self._schema]
            self._table = IntTable(len(self._schema) + 1)
            self._all = np.empty(0, np.int64)
            self._near = None if self._near is None else NearIntegers()
            self.encode(keys)
        return renamed


class NearIntegers:
    """Numbers of integers that lie near each other, by an array instead of a hash table.

    Keys so far are given as rows: an integer, and a mark that it is null.
    """

    def __init__(self) -> None:
        self._low = 0
        self._numbers = np.empty(0, np.int32)
        self._known = 0
        self._looked = 0  # keys whose values are between these two
        self._least, self._greatest = 2**63 - 1, -(2**63)

    def find(self, column: pa.Array) -> np.ndarray | None:
        """The number of each; None if some have none here."""
        if not len(self._numbers) or column.null_count:
            return None
        values = np.asarray(column)
        out = np.empty(len(values), np.int64)
        return out if _look_up(values, self._low, self._numbers, out) else None

    def fresh(self, column: pa.Array, rows: np.ndarray) -> np.ndarray | None:
        """Integers that are no keys yet, each once, in the order in which they come.

        None if there are nulls, or if some are too far away.  They get places, so `learn` follows.
        """
        if column.null_count or not len(column):
            return None
        values = np.asarray(column)
        if not self._reaches(int(values.min()), int(values.max()), rows):
            return None
        found = np.empty(min(len(values), len(self._numbers)), np.int64)
        return found[: _unknown(values, self._low, self._numbers, found)]

    def learn(self, rows: np.ndarray) -> None:
        """All keys so far; those that are integers have places."""
        fresh = rows[self._known :]
        given = np.flatnonzero(fresh[:, 1] == 0)
        self._numbers[fresh[given, 0] - self._low] = self._known + given
        self._known = len(rows)

    def _reaches(self, low: int, high: int, rows: np.ndarray) -> bool:
        """Whether all keys, and integers from the lowest to the highest, have places now."""
        self._look(rows)
        low, high = min(low, self._least), max(high, self._greatest)
        if high - low >= max(WIDE, 4 * len(rows)):
            self._numbers = np.empty(0, np.int32)
            return False
        if not (self._low <= low and high < self._low + len(self._numbers)):
            self._low, self._known = low, 0
            self._numbers = np.full(2 * (high - low) + 64, -1, np.int32)
        self.learn(rows)
        return True

    def _look(self, rows: np.ndarray) -> None:
        values = rows[self._looked :, 0][rows[self._looked :, 1] == 0]
        if len(values):
            self._least = min(self._least, int(values.min()))
            self._greatest = max(self._greatest, int(values.max()))
        self._looked = len(rows)


class _KeyColumn:
    """Values of one key column as integers, and back."""

    def __init__(self, kind: pa.DataType) -> None:
        self.kind = kind
        self._numbers: dict[Any, int] = {}
        self._seen: list[pa.Array] = []

    @property
    def nbytes(self) -> int:
        return sum(int(each.nbytes) for each in self._seen)

    def integers(self, column: pa.Array) -> np.ndarray:
        if pa.types.is_integer(self.kind):
            return np.asarray(_filled(column).cast(pa.int64(), safe=False))
        if pa.types.is_floating(self.kind):
            return _float_bits(_filled(column).cast(pa.float64()))
        if pa.types.is_temporal(self.kind) and not pa.types.is_interval(self.kind):
            width = pa.int32() if self.kind.bit_width == 32 else pa.int64()
            return np.asarray(_filled(column.cast(width)).cast(pa.int64()))
        return self._numbered(column)

    def values(self, integers: np.ndarray, missing: np.ndarray) -> pa.Array:
        mask = missing if missing.any() else None
        if pa.types.is_integer(self.kind):
            return pa.array(integers, mask=mask).cast(self.kind, safe=False)
        if pa.types.is_floating(self.kind):
            return pa.array(integers.view(np.float64), mask=mask).cast(self.kind)
        if pa.types.is_temporal(self.kind) and not pa.types.is_interval(self.kind):
            width = pa.int32() if self.kind.bit_width == 32 else pa.int64()
            return pa.array(integers, mask=mask).cast(width).cast(self.kind)
        known = pa.concat_arrays(self._seen) if self._seen else pa.nulls(0, self.kind)
        self._seen = [known] if len(known) else []
        return known.take(pa.array(integers, mask=mask))

    def _numbered(self, column: pa.Array) -> np.ndarray:
        if pa.types.is_nested(self.kind) or pa.types.is_null(self.kind):
            # Arrow cannot encode these; their printed form is unique
            names = pa.array([repr(_plain(value)) for value in column.to_pylist()], pa.string())
            encoded = names.dictionary_encode()
            first = np.full(len(encoded.dictionary), -1, np.int64)
            _first_places(np.asarray(encoded.indices).astype(np.int64), first)
            values = column.take(pa.array(first))
        else:
            encoded = column.dictionary_encode()
            values = encoded.dictionary
        numbers = np.empty(len(encoded.dictionary) + 1, np.int64)
        numbers[-1] = 0  # stands for null, whose bit tells it apart
        fresh = []
        for at, name in enumerate(encoded.dictionary.to_pylist()):
            number = self._numbers.get(name)
            if number is None:
                number = self._numbers[name] = len(self._numbers)
                fresh.append(at)
            numbers[at] = number
        if fresh:
            self._seen.append(values.take(pa.array(fresh)))
        places = np.asarray(encoded.indices.fill_null(len(encoded.dictionary)))
        return numbers[places.astype(np.int64)]


def _filled(column: pa.Array) -> pa.Array:
    return column.fill_null(0) if column.null_count else column


def _float_bits(column: pa.Array) -> np.ndarray:
    values = np.asarray(column) + 0.0  # a negative zero is a zero
    values[np.isnan(values)] = np.nan  # and all that are not a number are the same
    return values.view(np.int64)


def _plain(value: object) -> object:
    if isinstance(value, float):
        return value + 0.0
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in value.items()}
    return value


@compiled
def _look_up(values, low, numbers, out):  # type: ignore[no-untyped-def]
    every = True
    for i in range(len(values)):
        at = np.uint64(np.int64(values[i]) - low)
        out[i] = numbers[at] if at < np.uint64(len(numbers)) else -1
        every &= out[i] >= 0
    return every


@compiled
def _unknown(values, low, numbers, found):  # type: ignore[no-untyped-def]
    """Marks what has no number, and puts each of it into `found` once; how many they are."""
    count = 0
    for i in range(len(values)):
        at = np.int64(values[i]) - low
        if numbers[at] == -1:
            numbers[at] = -2
            found[count] = values[i]
            count += 1
    return count


@compiled
def _first_places(codes, first):  # type: ignore[no-untyped-def]
    for i in range(len(codes)):
        if first[codes[i]] < 0:
            first[codes[i]] = i


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

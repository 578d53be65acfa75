"""Items by number, so that any of them are bits of few words.

Idea: an item gets the lowest number that is free when it comes, and keeps it as long as a window
that is still to be told may hold it.  So there are as many numbers as items within the widest
range, however many come and go, and the bits of all are close together.
Invariant: no number of an item that some window may tell is given to another one.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from panewise.errors import ResultOverflow
from panewise.kernels.keys import KeyTable
from panewise.kernels.ranges import NEVER
from panewise.operator.container import damaged
from panewise.operator.snapshot_checks import check_columns
from panewise.operator.words import Words

FEW = 1 << 10
"""Items that are not looked through for idle ones."""
MOST = 1 << 26
"""Items that have numbers at once."""
_ITEM, _NUMBER, _NEWEST = "item", "number", "newest"


class NumberedWords(Words):
    """Items of any type as the bits of their numbers."""

    def __init__(self, kind: pa.DataType) -> None:
        super().__init__(pa.int64())
        self.kind = kind
        self._numbered = Words(pa.int64())
        self._table = KeyTable(pa.schema([(_ITEM, kind)]))
        self._number = np.empty(0, np.int64)
        """The number of each item of the table."""
        self._place = np.empty(0, np.int64)
        """Where the item of each number is in the table; -1 where the number is free."""
        self._newest = np.empty(0, np.int64)
        """The newest time that was known when each item last came."""
        self._came: np.ndarray = np.empty(0, np.int64)

    def __len__(self) -> int:
        return len(self._number)

    @property
    def nbytes(self) -> int:
        arrays = self._number.nbytes + self._place.nbytes + self._newest.nbytes
        return int(self._table.nbytes + arrays)

    def marked(self, items: pa.Array) -> tuple[pa.Array, pa.Array]:
        valid = items.drop_null() if items.null_count else items
        came = (
            self._table.encode(pa.table([valid], names=[_ITEM])) if len(valid) else self._came[:0]
        )
        self._add(len(self._table) - len(self))
        self._came = came
        numbers = self._number[came]
        if not items.null_count:
            return self._numbered.marked(pa.array(numbers))
        there = np.asarray(items.is_valid())
        spread = np.zeros(len(items), np.int64)
        spread[there] = numbers
        return self._numbered.marked(pa.array(spread, mask=~there))

    def _add(self, count: int) -> None:
        """Numbers for items that are new in the table: free ones first."""
        if not count:
            return
        free = np.flatnonzero(self._place < 0)[:count]
        more = np.arange(len(self._place), len(self._place) + count - len(free))
        if len(self._place) + len(more) > MOST:
            raise ResultOverflow(
                f"recurring: windows that are open hold more than {MOST:,} different items.",
                hint="ask for coarser items, or take shorter ranges.",
            )
        fresh = np.concatenate([free, more])
        self._place = np.concatenate([self._place, np.full(len(more), -1)])
        self._place[fresh] = len(self) + np.arange(count)
        self._newest = np.concatenate([self._newest, np.full(count, NEVER)])
        self._number = np.concatenate([self._number, fresh])

    def settle(self, newest: int, before: int) -> None:
        """The items that came have no time after `newest`; no window that is still to be told has
        one before `before`, so items that came last before it may be forgotten."""
        self._newest[self._came] = newest
        self._came = self._came[:0]
        if len(self) <= FEW:
            return
        kept = np.flatnonzero(self._newest >= before)
        if 2 * len(kept) > len(self):
            return
        gone = np.ones(len(self), np.bool_)
        gone[kept] = False
        self._place[self._number[gone]] = -1
        self._table.keep(kept)
        self._number, self._newest = self._number[kept], self._newest[kept]
        self._place[self._number] = np.arange(len(kept))

    def listed(self, words: pa.Array, bits: np.ndarray) -> tuple[np.ndarray, pa.Array]:
        row, numbers = self._numbered.listed(words, bits)
        number = np.asarray(numbers)
        known = (number >= 0) & (number < len(self._place))
        place = np.full(len(number), -1)
        place[known] = self._place[number[known]]
        if (place < 0).any():
            raise damaged("an item has no name")
        return row, self._table.take(place)[0]

    def table(self) -> pa.Table:
        """All items with their numbers."""
        columns = [self._table.keys[_ITEM], pa.array(self._number), pa.array(self._newest)]
        return pa.table(columns, names=[_ITEM, _NUMBER, _NEWEST])

    def load(self, table: pa.Table) -> None:
        """Go on with what another one held; everything is checked first."""
        integer = pa.int64()
        check_columns(
            table, pa.schema([(_ITEM, self.kind), (_NUMBER, integer), (_NEWEST, integer)])
        )
        if any(column.null_count for column in table.columns):
            raise damaged("an item is null")
        number = np.array(table[_NUMBER].combine_chunks())
        in_reach = number.min(initial=0) >= 0 and number.max(initial=0) < MOST
        if not in_reach or len(np.unique(number)) < len(number):
            raise damaged("two items have one number, or one has none")
        self._table.encode(table.select([_ITEM]))
        if len(self._table) != len(table):
            raise damaged("an item is there twice")
        self._number, self._newest = number, np.array(table[_NEWEST].combine_chunks())
        self._place = np.full(int(number.max(initial=-1)) + 1, -1)
        self._place[number] = np.arange(len(number))

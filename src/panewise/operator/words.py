"""Items as bits of words.

Idea: a set of items is a bitmap, cut into words of 64 bits, of which only those with a bit are
there.  An integer is a bit of the word that its higher digits number, so sets of neighbouring
integers are few words; any other item is a word of its own, of one bit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

import numpy as np
import pyarrow as pa

from panewise.operator.bound import Bound
from panewise.operator.columns import columns_of
from panewise.operator.sources import Derived, Source, source_of
from panewise.query.rings import ItemBits, RingQuery

DIGITS = 6
"""Digits of a number that say which bit of its word it is."""
_ONE = np.int64(1)


class Words:
    """Items of one type as words and bits, and back."""

    def __init__(self, kind: pa.DataType) -> None:
        self.kind = kind
        self._numbers = pa.types.is_integer(kind)

    def marked(self, items: pa.Array) -> tuple[pa.Array, pa.Array]:
        """The word of each item, and its bit; both null where it is null."""
        missing = np.asarray(items.is_null()) if items.null_count else None
        if not self._numbers:
            return items, pa.array(np.ones(len(items), np.int64), mask=missing)
        numbers = np.asarray(items.fill_null(0) if items.null_count else items).astype(np.int64)
        return (
            pa.array(numbers >> DIGITS, mask=missing),
            pa.array(_ONE << (numbers & ((1 << DIGITS) - 1)), mask=missing),
        )

    def listed(self, words: pa.Array, bits: np.ndarray) -> tuple[np.ndarray, pa.Array]:
        """The items that these words have the bits of: which row each is of, and the item."""
        if not self._numbers:
            return np.arange(len(words)), words
        each = np.unpackbits(bits.astype("<u8").view(np.uint8).reshape(-1, 8), 1, bitorder="little")
        row, bit = np.nonzero(each)
        numbers = (np.asarray(words)[row] << DIGITS) + bit
        return row, pa.array(numbers).cast(self.kind)


@dataclass(frozen=True)
class Marked(Derived):
    """Rows with the words and bits of their items."""

    data: Source
    items: ItemBits
    words: Words
    turn: Lock = field(default_factory=Lock)
    """Whoever makes words waits for it: there may be one numbering for all cores."""

    @classmethod
    def of(cls, asked: RingQuery, data: Any, words: Callable[[pa.DataType], Words]) -> Marked:
        """Rows of anything that holds some, and such words of their items."""
        assert asked.items is not None
        names = asked.outer.columns()
        source = source_of(data, names)
        bound = Bound.to(asked.outer, columns_of(source.schema.empty_table(), names))
        return cls(source, asked.items, words(bound.types[asked.items.column]))

    def reads(self, names: Sequence[str]) -> tuple[str, ...]:
        made = (self.items.word, self.items.bits)
        kept = (name for name in names if name not in made)
        return tuple(dict.fromkeys([*kept, self.items.column]))

    def applied(self, table: pa.Table, names: Sequence[str]) -> pa.Table:
        columns = columns_of(table, table.column_names)
        with self.turn:
            columns = marked(columns, self.items, self.words)
        return pa.table({name: columns[name] for name in names})


def marked(columns: Mapping[str, pa.Array], items: ItemBits, words: Words) -> dict[str, pa.Array]:
    """Columns, and those of words and bits."""
    word, bits = words.marked(columns[items.column])
    return {**columns, items.word: word, items.bits: bits}

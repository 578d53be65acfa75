"""The items of a stream as bits: what becomes of a batch before an operator takes it."""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow as pa

from panewise.kernels.ranges import NEVER
from panewise.operator.bound import Bound
from panewise.operator.container import damaged
from panewise.operator.numbering import NumberedWords
from panewise.operator.words import marked
from panewise.query import RingQuery
from panewise.windows import sizes


class ItemStream:
    """Batches of events, and the numbers of their items."""

    def __init__(self, asked: RingQuery, types: Mapping[str, pa.DataType]) -> None:
        assert asked.items is not None
        self._bound = Bound(asked.outer, types).checked()
        self._items = asked.items
        self._widest = sizes.units(asked.scheme.levels[-1][0])
        self.words = NumberedWords(types[asked.items.column])

    @classmethod
    def of(cls, asked: RingQuery, columns: Mapping[str, pa.Array]) -> ItemStream:
        """From the columns of the first batch, or an error that says what does not fit."""
        return cls(asked, {name: column.type for name, column in columns.items()})

    @classmethod
    def restored(
        cls, asked: RingQuery, types: Mapping[str, pa.DataType], items: pa.Table
    ) -> ItemStream:
        """Going on with the items of a snapshot, where the other columns have these types."""
        assert asked.items is not None
        if not items.num_columns:
            raise damaged("there are no items")
        known = {**types, asked.items.column: items.schema.types[0]}
        stream = cls(asked, {name: known[name] for name in asked.outer.columns()})
        stream.words.load(items)
        return stream

    @property
    def nbytes(self) -> int:
        return self.words.nbytes

    def marked(self, columns: Mapping[str, pa.Array]) -> dict[str, pa.Array]:
        """Columns of a batch, and those of words and bits."""
        typed = self._bound.typed(columns)
        made = marked(typed, self._items, self.words)
        read = (*self._bound.query.by, self._items.word, self._items.bits)
        order = self._bound.query.order_by
        kept = (self._bound.query.time, *read, *([order] if order is not None else []))
        return {name: made[name] for name in kept}

    def settle(self, newest: int, watermark: int, lateness: int) -> None:
        """Rows up to the newest time are in, and windows up to the watermark are told."""
        keep = NEVER if watermark == NEVER else watermark - lateness - self._widest
        self.words.settle(newest, keep)

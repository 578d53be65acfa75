"""Collect and concat: the values themselves, in order.

Idea: a list of `(time, sequence, value)`; combining joins lists, lowering sorts once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from panewise.aggregates.algebra import (
    Aggregate,
    Kind,
    OneColumn,
    Partial,
    Properties,
    Rows,
    Scope,
    register,
)
from panewise.aggregates.arrays import concat_lists, fields, raised
from panewise.aggregates.records import Joins


@dataclass(frozen=True)
class ListPartial(Partial):
    """`array<struct(t, s, v)>` of the values that are not null, in no particular order."""

    column: str
    properties: ClassVar[Properties] = Properties(kind=Kind.HOLISTIC, ordered=True)

    def lift_sql(self, scope: Scope) -> str:
        t, s, v = scope.time, scope.sequence, scope[self.column]
        row = f"named_struct('t', {t}, 's', {s}, 'v', {v})"
        return f"collect_list({row}) FILTER (WHERE {v} IS NOT NULL)"

    def combine_sql(self, column: str) -> str:
        return f"flatten(collect_list({column}))"

    def lift(self, rows: Rows) -> pa.Array:
        v = rows[self.column]
        kept = np.flatnonzero(np.asarray(v.is_valid()))
        row = pa.StructArray.from_arrays([rows.ticks, rows.sequence, v], names=["t", "s", "v"])
        offsets = np.concatenate([[0], np.cumsum(np.asarray(v.is_valid()))])
        return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), row.take(pa.array(kept)))

    def combine(self, left: pa.Array, right: pa.Array) -> pa.Array:
        return concat_lists(left, right)

    def behind(self, column: pa.Array, rows: int) -> pa.Array:
        mask = column.is_null() if column.null_count else None
        offsets = pa.array(np.asarray(column.offsets))  # a part of others takes no mask
        values = raised(column.values, "s", rows)
        return pa.ListArray.from_arrays(offsets, values, type=column.type, mask=mask)

    def record(self, column: pa.Array) -> Joins:
        return Joins()


@register
@dataclass(frozen=True)
class Collect(OneColumn):
    """All values that are not null, in `(time, sequence)` order.

    >>> from panewise.testing import evaluate
    >>> evaluate(collect("x"), x=[3, None, 1])
    [3, 1]
    """

    kind_name: ClassVar[str] = "collect"
    parts = (ListPartial,)

    def lower_sql(self, scope: Scope, partials: Sequence[str]) -> str:
        return f"transform(array_sort(coalesce({partials[0]}, array())), e -> e.v)"

    def lower(self, partials: Sequence[pa.Array]) -> pa.Array:
        offsets, values = _in_order(partials[0])
        return pa.ListArray.from_arrays(offsets, values)


@register
@dataclass(frozen=True)
class Concat(OneColumn):
    """All values that are not null as one text, in order; null over a window with no value.

    >>> from panewise.testing import evaluate
    >>> evaluate(concat("x", "-"), x=["a", "b", None, "c"])
    'a-b-c'
    """

    kind_name: ClassVar[str] = "concat"
    parts = (ListPartial,)
    separator: str = ""

    def lower_sql(self, scope: Scope, partials: Sequence[str]) -> str:
        p, sep = partials[0], self.separator.replace("\\", "\\\\").replace("'", "\\'")
        texts = f"transform(array_sort({p}), e -> cast(e.v as string))"
        return f"CASE WHEN size({p}) > 0 THEN array_join({texts}, '{sep}') END"

    def lower(self, partials: Sequence[pa.Array]) -> pa.Array:
        offsets, values = _in_order(partials[0])
        texts = pa.ListArray.from_arrays(offsets, values.cast(pa.string()))
        joined = pc.binary_join(texts, self.separator)
        return pc.if_else(pc.greater(pc.list_value_length(texts), 0), joined, None)

    @classmethod
    def examples(cls) -> tuple[Aggregate, ...]:
        return (concat("x"), concat("x", "', "))


def collect(column: str) -> Collect:
    """The values of a column as an array.

    >>> import panewise as pw
    >>> from panewise.testing import evaluate
    >>> evaluate(pw.collect("x"), x=[3, None, 1])
    [3, 1]
    """
    return Collect(column=column)


def concat(column: str, separator: str = "") -> Concat:
    """The values of a column as one text.

    >>> import panewise as pw
    >>> from panewise.testing import evaluate
    >>> evaluate(pw.concat("x", "-"), x=["a", "b", None, "c"])
    'a-b-c'
    """
    return Concat(column=column, separator=separator)


def _in_order(lists: pa.Array) -> tuple[pa.Array, pa.Array]:
    lengths = np.asarray(pc.fill_null(pc.list_value_length(lists), 0)).astype(np.int64)
    t, s, v = fields(lists.flatten())
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    times, sequence = np.asarray(t), np.asarray(s)
    if not _ascend(times, sequence, offsets):
        owner = np.repeat(np.arange(len(lists)), lengths)
        v = v.take(pa.array(np.lexsort((sequence, times, owner))))
    return pa.array(offsets, pa.int32()), v


def _ascend(times: np.ndarray, sequence: np.ndarray, offsets: np.ndarray) -> bool:
    """Whether rows are in order within every list, as they are where panes were read in order."""
    behind = (times[1:] < times[:-1]) | ((times[1:] == times[:-1]) & (sequence[1:] < sequence[:-1]))
    heads = offsets[(offsets > 0) & (offsets < len(times))]
    behind[heads - 1] = False
    return not behind.any()

"""Events that are sent again: of each, the version that holds.

Rule: rows with one key and one id are versions of one event; a row without an id has no other.  The
one with the highest `order_by` holds; among equals, and where there is no such column, the one that
ends last, then the one that starts last, then the one with the highest values.  So it does not
matter in which order versions come, or how they are cut into batches.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from panewise.kernels.keys import KeyTable
from panewise.operator.columns import ticks_of
from panewise.operator.spans import Spanned
from panewise.query import Query


@dataclass(frozen=True)
class Events:
    """Events from their first to their last tick, with the numbers of their keys."""

    columns: Mapping[str, pa.Array]
    start: np.ndarray
    last: np.ndarray
    code: np.ndarray

    @classmethod
    def of(cls, found: Spanned, code: np.ndarray) -> Events:
        return cls(found.columns, found.start, found.last, code)

    def __len__(self) -> int:
        return len(self.code)

    def take(self, rows: np.ndarray) -> Events:
        """A selection."""
        picked = pa.array(rows)
        columns = {name: column.take(picked) for name, column in self.columns.items()}
        return Events(columns, self.start[rows], self.last[rows], self.code[rows])

    def with_others(self, others: Events) -> Events:
        """These, and then the others."""
        columns = {
            name: pa.concat_arrays([column, others.columns[name]])
            for name, column in self.columns.items()
        }
        both = ((getattr(self, n), getattr(others, n)) for n in ("start", "last", "code"))
        return Events(columns, *(np.concatenate(each) for each in both))


def holding(events: Events, query: Query) -> np.ndarray:
    """The rows whose version holds, in order."""
    assert query.revise is not None
    ids = KeyTable(pa.schema([(query.revise, events.columns[query.revise].type)]))
    column = events.columns[query.revise]
    number = ids.encode(pa.table({query.revise: column}))
    unknown = np.flatnonzero(np.asarray(column.is_null()))
    number[unknown] = -1 - unknown  # each is an event of its own
    order = _ranked(events, query)
    order = order[np.lexsort((number[order], events.code[order]))]
    code, number = events.code[order], number[order]
    final = np.ones(len(order), np.bool_)
    final[:-1] = (code[1:] != code[:-1]) | (number[1:] != number[:-1])
    return np.sort(order[final])


def _ranked(events: Events, query: Query) -> np.ndarray:
    """Rows from the version that holds least to the one that holds most."""
    ranks = [pa.array(events.last), pa.array(events.start)]
    if query.order_by is not None:
        ranks.insert(0, ticks_of(events.columns[query.order_by]))
    read = dict.fromkeys(name for a in query.aggregates for name in a.columns())
    values = [events.columns[name] for name in read]
    ranks += [column for column in values if not pa.types.is_nested(column.type)]
    columns: dict[str, pa.Array] = {}
    for number, column in enumerate(ranks):  # nothing is less than any value
        columns |= {f"is{number}": column.is_valid(), f"value{number}": column}
    keys = [(name, "ascending") for name in columns]
    found = pc.sort_indices(pa.table(columns), sort_keys=keys)
    return np.asarray(found).astype(np.int64)


class Live:
    """The versions that hold, of events that some window may still ask for."""

    def __init__(self, query: Query) -> None:
        self._query = query
        self.events: Events | None = None

    def __len__(self) -> int:
        return 0 if self.events is None else len(self.events)

    @property
    def nbytes(self) -> int:
        if self.events is None:
            return 0
        columns = self.events.columns.values()
        return sum(column.nbytes for column in columns) + 24 * len(self.events)

    def put(self, new: Events) -> tuple[Events, Events]:
        """Take versions in: the events that hold from now on, and those that held before them."""
        known = len(self)
        together = new if self.events is None else self.events.with_others(new)
        rows = holding(together, self._query)
        replaced = np.ones(known, np.bool_)
        replaced[rows[rows < known]] = False
        self.events = together.take(rows)
        return together.take(rows[rows >= known]), together.take(np.flatnonzero(replaced))

    def cut(self, earliest: int) -> None:
        """Drop events that ended before."""
        if self.events is not None:
            self.events = self.events.take(np.flatnonzero(self.events.last >= earliest))

    def codes(self) -> np.ndarray:
        """The keys of events."""
        return np.empty(0, np.int64) if self.events is None else self.events.code

    def rename(self, renamed: np.ndarray) -> None:
        """Keys were numbered anew."""
        if self.events is not None:
            self.events = replace(self.events, code=renamed[self.events.code])

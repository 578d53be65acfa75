"""Events with a duration: which rows take part, from when to when."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from panewise.errors import BadRowsError, SchemaError
from panewise.kernels.survey import survey_spans
from panewise.operator.columns import ticks_of
from panewise.operator.rows import BEYOND
from panewise.query import Query


@dataclass(frozen=True)
class Spanned:
    """Rows with their start and end; those without one of them are left out."""

    columns: Mapping[str, pa.Array]
    start: np.ndarray
    end: np.ndarray
    null_times: int
    bounds: tuple[int, int]
    """The first and the last tick of all."""
    longest: int
    """Ticks of the longest."""
    late: int = 0

    @cached_property
    def last(self) -> np.ndarray:
        """The last ticks.  An event that takes no time is there for one tick."""
        return np.maximum(self.end - 1, self.start)

    def __len__(self) -> int:
        return len(self.start)

    @property
    def high(self) -> int:
        """The latest end."""
        return self.bounds[1] + 1


def spanned(columns: Mapping[str, pa.Array], query: Query) -> Spanned:
    """The events of a batch."""
    assert query.until is not None
    start, until = columns[query.time], columns[query.until]
    there = pc.and_(start.is_valid(), until.is_valid())
    null_times = len(there) - there.true_count
    if null_times:
        columns = {name: column.filter(there) for name, column in columns.items()}
        start, until = columns[query.time], columns[query.until]
    begin = np.asarray(ticks_of(start))
    if pa.types.is_duration(until.type):
        end = begin + np.asarray(until.cast(pa.duration("us")).cast(pa.int64()))
    else:
        end = np.asarray(ticks_of(until))
    low, high, longest, backwards = survey_spans(begin, end)
    if backwards:
        at = int(np.flatnonzero(end < begin)[0])
        raise BadRowsError(
            f'an event ends before it begins: "{query.until}" is {until[at]} where '
            f'"{query.time}" is {start[at]}, and {backwards:,} such rows in all.',
            hint="correct them, or leave them out.",
        )
    if max(-int(low), int(high)) >= BEYOND:
        raise SchemaError(
            "a time is beyond 62 bits of ticks, where window bounds would wrap around.",
            hint="scale the column down.",
        )
    return Spanned(columns, begin, end, null_times, (int(low), int(high)), int(longest))


def check_until(query: Query, types: Mapping[str, pa.DataType]) -> None:
    """Start and end are of one type, or the second is how long it takes."""
    assert query.until is not None
    start, until = types[query.time], types[query.until]
    lasts = pa.types.is_duration(until) and pa.types.is_timestamp(start)
    both = pa.types.is_integer(start) and pa.types.is_integer(until)
    if not lasts and not both and start != until:
        raise SchemaError(
            f'start and end are of one type, or the second is a duration: "{query.time}" is '
            f'{start} and "{query.until}" is {until}.',
            hint="cast one of them.",
        )

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
from panewise.operator.rows import BEYOND, beyond
from panewise.query import Query
from panewise.query.query import FAIL


@dataclass(frozen=True)
class Spanned:
    """Rows with their start and end; those without one of them, or with an end before the start,
    are left out."""

    columns: Mapping[str, pa.Array]
    start: np.ndarray
    end: np.ndarray
    null_times: int
    bad_rows: int
    """Rows that end before they begin."""
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
    there = pc.and_(columns[query.time].is_valid(), columns[query.until].is_valid())
    null_times = len(there) - there.true_count
    if null_times:
        columns = {name: column.filter(there) for name, column in columns.items()}
    begin, end = _bounds(columns[query.time], columns[query.until])
    low, high, longest, backwards = survey_spans(begin, end)
    if backwards:
        bad = end < begin
        if query.on_bad_rows == FAIL:
            raise _bad_rows(columns, query, np.flatnonzero(bad))
        kept = pa.array(~bad)
        columns = {name: column.filter(kept) for name, column in columns.items()}
        begin, end = begin[~bad], end[~bad]
        low, high, longest, _ = survey_spans(begin, end)
    if max(-int(low), int(high)) >= BEYOND:
        raise beyond()
    bounds = int(low), int(high)
    return Spanned(columns, begin, end, null_times, int(backwards), bounds, int(longest))


def _bounds(start: pa.Array, until: pa.Array) -> tuple[np.ndarray, np.ndarray]:
    """The first ticks, and those behind the last ones."""
    begin = np.asarray(ticks_of(start))
    if not pa.types.is_duration(until.type):
        return begin, np.asarray(ticks_of(until))
    lasts = np.asarray(until.cast(pa.duration("us")).cast(pa.int64()))
    end = begin + lasts
    if np.any((lasts > 0) & (end < begin)):  # no event that ends too early, but a sum that does
        raise beyond()
    return begin, end


def _bad_rows(columns: Mapping[str, pa.Array], query: Query, bad: np.ndarray) -> BadRowsError:
    assert query.until is not None
    start, until = (columns[name][int(bad[0])] for name in (query.time, query.until))
    return BadRowsError(
        f'an event ends before it begins: "{query.until}" is {until} where "{query.time}" is '
        f"{start}, and {len(bad):,} such rows in all.",
        hint='correct them, or leave them out with on_bad_rows="drop".',
    )


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

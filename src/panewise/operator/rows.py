"""The rows of a batch that take part: those with a time, with the sequence that breaks ties."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pyarrow as pa

from panewise.errors import SchemaError
from panewise.kernels.arrivals import Arrivals
from panewise.kernels.columns import array_of
from panewise.kernels.ranges import NEVER
from panewise.kernels.survey import survey
from panewise.operator.columns import ticks_of
from panewise.query import Query

BEYOND = 2**62
"""No time is further from 1970: bounds of windows would wrap around."""


@dataclass(slots=True)
class Accepted:
    """Rows that take part, and how many do not."""

    columns: Mapping[str, pa.Array]
    ticks: np.ndarray
    times: pa.Array
    """The same for array code."""
    sequence: np.ndarray | Arrivals
    low: int = 0
    high: int = 0
    """The earliest and the latest time."""
    ascending: bool = True
    """Whether no time is before the one before it."""
    null_times: int = 0
    late: int = 0
    bad_rows: ClassVar[int] = 0
    """Rows at one time cannot end before they begin."""

    def __len__(self) -> int:
        return len(self.ticks)


def accepted(
    columns: Mapping[str, pa.Array], query: Query, first: int, keep: int = NEVER
) -> Accepted:
    """Rows with a time that is not before `keep`; `first` is the number of the first row."""
    time = columns[query.time]
    count, null_times = len(time), time.null_count
    kept: np.ndarray | None = None
    if null_times:
        kept = np.flatnonzero(np.asarray(time.is_valid()))
        time = time.drop_null()
    try:
        times = ticks_of(time)
    except pa.ArrowInvalid:  # seconds that are too many microseconds
        raise beyond() from None
    ticks = times.to_numpy()
    low, high, ascending = survey(ticks)
    if low == NEVER and len(ticks) and pa.types.is_timestamp(time.type):
        # NumPy's way to say that a moment is missing
        kept, ticks = _chosen(ticks != NEVER, kept, ticks)
        null_times = count - len(ticks)
        low, high, ascending = survey(ticks)
    if max(-low, high) > BEYOND and len(ticks):
        raise beyond()
    late = 0
    if low < keep and len(ticks):
        before = len(ticks)
        kept, ticks = _chosen(ticks >= keep, kept, ticks)
        late = before - len(ticks)
        low, high, ascending = survey(ticks)
    if kept is not None:
        picked = pa.array(kept)
        columns = {name: column.take(picked) for name, column in columns.items()}
        times = array_of(ticks, times.type)
    sequence = _sequence(columns, query, count, kept, first)
    return Accepted(columns, ticks, times, sequence, low, high, ascending, null_times, late)


def beyond() -> SchemaError:
    """A time that no window can be around."""
    return SchemaError(
        "a time is beyond 62 bits of ticks, where window bounds would wrap around.",
        hint="scale the column down.",
    )


def _chosen(
    mask: np.ndarray, kept: np.ndarray | None, ticks: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    places = np.flatnonzero(mask)
    return places if kept is None else kept[places], ticks[places]


def _sequence(
    columns: Mapping[str, pa.Array], query: Query, count: int, kept: np.ndarray | None, first: int
) -> np.ndarray | Arrivals:
    """The order column, a null before every number; else the order of arrival."""
    if not query.ordered:
        return _UNORDERED
    if query.order_by is None:
        return Arrivals(first, count) if kept is None else kept + first
    column = ticks_of(columns[query.order_by])
    return np.asarray(column.fill_null(NEVER + 1) if column.null_count else column)


_UNORDERED = np.empty(0, np.int64)
"""Where nothing depends on the order of rows."""

"""Moments and stretches of time that users write, in ticks."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

import numpy as np
import pyarrow as pa

from panewise.errors import QueryError
from panewise.model import Duration, RowCount, parse_size
from panewise.operator.bound import Bound
from panewise.operator.columns import counts_ticks, ticks_of
from panewise.operator.rows import BEYOND


def ticks_between(name: str, given: object, timed: bool | None) -> int:
    """A delay, a lateness or a period: a duration, or an integer of the measure; zero is either.

    `timed` says which one the windows ask for, None that they only count rows.
    """
    size = parse_size(given)
    if isinstance(size, RowCount):
        raise QueryError(f"{name} is a stretch of time: got {size}.", hint=f'write {name}="2 s".')
    ticks = size.ticks if isinstance(size, Duration) else size
    if ticks < 0:
        raise QueryError(
            f"{name} must not be negative: got {given!r}.", hint=f'write {name}="2 s".'
        )
    if ticks and timed not in (None, isinstance(size, Duration)):
        wanted = "a duration" if timed else "an integer of the measure"
        raise QueryError(
            f"{name} counts what the windows count, {wanted}: got {given!r}.",
            hint=f'write {name}="2 s" for times, and {name}=2 for an integer time column.',
        )
    return ticks


def tick_of(moment: Any, bound: Bound) -> int:
    """A moment in the type of the time column, or an integer of its ticks."""
    kind = bound.types[bound.query.time]
    if isinstance(moment, np.integer):
        moment = int(moment)
    if isinstance(moment, np.datetime64) and not np.isnat(moment):
        moment = moment.astype("M8[us]")
        ticks = counts_ticks(kind) and bound.measure.counts_time
        moment = int(moment.view(np.int64)) if ticks else moment.item()
    if isinstance(moment, bool) or not isinstance(moment, int | str | date | datetime | pa.Scalar):
        raise QueryError(
            f"a watermark is a time or an integer of ticks: got {moment!r}.",
            hint="pass a datetime, or microseconds since 1970.",
        )
    try:
        value = moment.as_py() if isinstance(moment, pa.Scalar) else moment
        if isinstance(value, str):
            value = datetime.fromisoformat(value)
        if not isinstance(value, int):
            if not bound.measure.counts_time:
                raise TypeError("pass an integer.")
            value = int(ticks_of(pa.array([value]).cast(kind))[0].as_py())
    except (pa.ArrowException, ValueError, TypeError) as problem:
        raise QueryError(
            f"a watermark is in the type of the time column, {kind}: got {moment!r}.",
            hint=str(problem).splitlines()[0],
        ) from None
    if abs(value) > BEYOND:
        raise QueryError(
            f"a watermark is beyond 62 bits of ticks: got {moment!r}.",
            hint="flush() ends the stream.",
        )
    return value

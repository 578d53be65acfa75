"""What is known of the data: how many rows, how fast, how many keys in a stretch of time.

Idea: a pane holds one row per key that is active in it, so everything the optimizer wants to know
of keys is one function, the mean number of distinct keys in a stretch of a given width.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from panewise.errors import QueryError
from panewise.model import Duration, RowCount, parse_size

ROWS = 10_000_000
"""Rows assumed where nobody says: large enough that a shuffle is worth avoiding."""
NOT_A_STRETCH = 0.25
"""A sample whose rows are out of order by this share of its length is no stretch of time."""
_NARROWEST = 4
"""Rows in the narrowest stretch that is counted in a sample."""


@dataclass(frozen=True)
class Statistics:
    """Counts of a stream; `rate` and `keys` may be unknown.

    >>> sparse = Statistics.given(rows=1000, span=1000, keys=1000)
    >>> round(sparse.keys_in(10), 2), round(sparse.keys_in(1000))
    (9.95, 631)
    """

    rows: float = ROWS
    rate: float | None = None
    """Rows per tick."""
    keys: tuple[tuple[float, float], ...] = ()
    """Widths, ascending, with the mean number of distinct keys in a stretch of that width."""
    disorder: int | None = None
    """How many ticks a row was behind the newest one before it, at most."""
    source: str = "defaults"
    length: float | None = None
    """The mean length, in ticks, of events that have a duration."""

    def __post_init__(self) -> None:
        if not self.rows >= 0 or not (self.rate is None or self.rate > 0):
            raise QueryError(
                f"rows must not be negative, a rate positive: got {self.rows} and {self.rate}.",
                hint="leave out what is not known.",
            )

    @classmethod
    def given(cls, *, rows: int, span: object, keys: int = 1, length: object = None) -> Statistics:
        """Statistics by hand: so many rows of so many keys, spread evenly over a span.

        `span`, and the mean `length` of events that have one, are durations such as "3 hours", or
        integers of the measure.

        >>> import panewise as pw
        >>> known = pw.Statistics.given(rows=1000, span="1 hour", keys=10)
        >>> known.rows, known.source
        (1000, 'given')
        """
        ticks = _ticks(span)
        if ticks <= 0 or rows <= 0 or keys <= 0:
            raise QueryError(
                f"statistics need positive numbers: got rows={rows}, span={span!r}, keys={keys}.",
                hint='write Statistics.given(rows=10_000_000, span="3 hours", keys=100).',
            )
        known = cls.even(rows, ticks, keys)
        lasts = None if length is None else _ticks(length)
        if lasts is not None and lasts <= 0:
            raise QueryError(
                f"events have a positive length: got length={length!r}.",
                hint="leave it out for events without a duration.",
            )
        return replace(known, length=lasts)

    @classmethod
    def even(cls, rows: float, ticks: float, keys: int = 1) -> Statistics:
        """Rows of so many keys, spread evenly over so many ticks.

        >>> import panewise as pw
        >>> pw.Statistics.even(rows=1000, ticks=500).rate
        2.0
        """
        rate = rows / ticks
        widths = [w for i in range(-4, 128) if (w := 2.0 ** (i / 2) / rate) <= 4 * ticks]
        points = tuple((w, keys * -math.expm1(-rate * w / keys)) for w in widths)
        return cls(rows=rows, rate=rate, keys=points, source="given")

    @classmethod
    def counted(cls, ticks: np.ndarray, keys: np.ndarray, rows: float | None = None) -> Statistics:
        """Statistics of a stretch of the stream: times and keys of its rows in order of arrival.

        Where rows are far out of order the sample is no stretch of time (a table sorted by device,
        say): then only the number of rows is known.

        >>> import panewise as pw
        >>> ticks = np.arange(1000)
        >>> pw.Statistics.counted(ticks, ticks % 7).source
        'a sample of 1,000 rows'
        """
        total = float(rows if rows is not None else len(ticks))
        span = int(ticks.max() - ticks.min()) if len(ticks) else 0
        if len(ticks) < _NARROWEST or span == 0:
            return cls(rows=total, source="a sample too small to tell")
        behind = int((np.maximum.accumulate(ticks) - ticks).max())
        if behind > NOT_A_STRETCH * span:
            return cls(rows=total, disorder=behind, source="a sample too disordered to tell")
        codes = np.unique(keys, return_inverse=True)[1]
        widths = _widths(span, len(ticks))
        points = tuple((float(w), _distinct(ticks, codes, w)) for w in widths)
        return cls(total, len(ticks) / span, points, behind, f"a sample of {len(ticks):,} rows")

    @property
    def span(self) -> float | None:
        """Ticks from the first to the last row.

        >>> import panewise as pw
        >>> pw.Statistics.given(rows=1000, span=500).span
        500.0
        """
        return None if self.rate is None else self.rows / self.rate

    def keys_in(self, width: float) -> float:
        """The mean number of distinct keys in a stretch of this width.

        >>> import panewise as pw
        >>> known = pw.Statistics.given(rows=1000, span=1000, keys=10)
        >>> round(known.keys_in(1000), 3), round(known.keys_in(2), 2)
        (10.0, 1.81)
        """
        assert self.rate is not None and self.keys
        rows = self.rate * width
        narrow, wide = self.keys[0], self.keys[-1]
        if narrow[0] < width < wide[0]:
            at = np.interp(
                math.log(width), *np.log(np.array(self.keys).T)
            )  # a straight line between points on a double logarithmic scale
            return min(rows, math.exp(float(at)))
        nearest = narrow if width <= narrow[0] else wide
        known = _keys_behind(nearest[1], self.rate * nearest[0])
        return min(rows, known * -math.expm1(-rows / known))


def _ticks(given: object) -> int:
    size = parse_size(given)
    if isinstance(size, RowCount):
        return 0  # no stretch of time
    return size.ticks if isinstance(size, Duration) else size


def _widths(span: int, rows: int) -> Sequence[int]:
    """Widths from a few rows up to a quarter of the sample, each twice the one before."""
    widest = span // 4
    narrowest = max(1, span * _NARROWEST // rows)
    found = [widest >> i for i in range(widest.bit_length()) if widest >> i >= narrowest]
    return sorted(set(found)) or [max(1, widest)]


def _distinct(ticks: np.ndarray, codes: np.ndarray, width: int) -> float:
    panes = (ticks - ticks.min()) // width
    whole = panes < panes.max()  # the last pane is cut off by the end of the sample
    cells = len(np.unique(panes[whole] * (int(codes.max()) + 1) + codes[whole]))
    return max(cells / max(int(panes.max()), 1), 1e-9)


def _keys_behind(distinct: float, rows: float) -> float:
    """How many equally busy keys show so many distinct ones in so many rows."""
    if distinct >= rows * 0.999:
        return rows * 1000.0
    low, high = distinct, distinct * 1e6
    for _ in range(80):
        middle = math.sqrt(low * high)
        low, high = (
            (middle, high) if middle * -math.expm1(-rows / middle) < distinct else (low, middle)
        )
    return high

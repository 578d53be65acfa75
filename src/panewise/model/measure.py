"""Measures: what a window's sizes count.

Idea: every engine computes in integer ticks; a measure says which column types carry it, and
whether sizes are durations or plain numbers.
"""

from __future__ import annotations

from enum import Enum

from panewise.errors import SchemaError
from panewise.model.duration import DAY, SECOND


class Measure(Enum):
    """The type of a time column, as far as windows can tell the difference."""

    TIMESTAMP = "timestamp"
    TIMESTAMP_NTZ = "timestamp_ntz"
    DATE = "date"
    INTEGER = "integer"

    @property
    def counts_time(self) -> bool:
        """Whether sizes are durations; plain integers otherwise."""
        return self is not Measure.INTEGER

    @property
    def resolution(self) -> int:
        """Ticks between neighbouring values: sizes must be multiples of it."""
        return DAY if self is Measure.DATE else 1

    @property
    def unit(self) -> int:
        """Ticks in the unit of rates: a second, a day of dates, one of an integer measure."""
        return SECOND if self in (Measure.TIMESTAMP, Measure.TIMESTAMP_NTZ) else self.resolution


_BY_TYPE = {
    "timestamp": Measure.TIMESTAMP,
    "timestamp_ntz": Measure.TIMESTAMP_NTZ,
    "date": Measure.DATE,
    "tinyint": Measure.INTEGER,
    "smallint": Measure.INTEGER,
    "int": Measure.INTEGER,
    "bigint": Measure.INTEGER,
}


def measure_of(column: str, type_name: str) -> Measure:
    """The measure that a column of this SQL type carries."""
    try:
        return _BY_TYPE[type_name]
    except KeyError:
        raise SchemaError(
            f'the time column must be a TIMESTAMP, TIMESTAMP_NTZ, DATE or integer: "{column}" is '
            f"{type_name.upper()}.",
            hint="cast it first, for example with to_timestamp().",
        ) from None

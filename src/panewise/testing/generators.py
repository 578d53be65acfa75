"""Hypothesis strategies: events, values and windows that sit where mistakes are made.

Times repeat, lie on window edges and beside them, before 1970 and far from it, or are null; keys
and values may be null, and floating values NaN, infinite or a negative zero.  Floating numbers are
multiples of 1/4, so that a sum does not depend on its order.
"""

from __future__ import annotations

import dataclasses
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from panewise.model import Duration, Measure, Size
from panewise.model.duration import DAY, MINUTE, SECOND
from panewise.windows import Level, Window, registered

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

VALUE_TYPES = (
    "int",
    "bigint",
    "float",
    "double",
    "decimal(10,2)",
    "decimal(38,10)",
    "boolean",
    "string",
    "date",
    "timestamp",
    "timestamp_ntz",
)
EPOCH = datetime(1970, 1, 1)
_UNIT = {Measure.INTEGER: 1, Measure.DATE: DAY}
_FAR = {
    Measure.INTEGER: (0, 0, 0, -1_000_000_007, 1_700_000_000_000_000),
    Measure.DATE: (0, 0, 0, -7_001, 19_800),
}
_FAR_MINUTES = (0, 0, 0, -10_000_001, 28_333_333)


def values(sql_type: str, *, nulls: bool = True) -> SearchStrategy[Any]:
    """Values of a SQL type as Python objects, with few different ones so that ties are common."""
    present = _present(sql_type)
    return _null_in(4, present) if nulls else present


def _null_in(share: int, present: SearchStrategy[Any]) -> SearchStrategy[Any]:
    """One null in `share` values. (A branch repeated in `one_of` would count once.)"""
    from hypothesis import strategies as st

    kept = st.integers(1, share)
    return st.builds(lambda n, value: None if n == share else value, kept, present)


def _present(sql_type: str) -> SearchStrategy[Any]:
    from hypothesis import strategies as st

    few = st.integers(-3, 3)
    if sql_type.startswith("decimal"):
        scale = int(sql_type.removesuffix(")").partition(",")[2])
        units = st.one_of(few, st.integers(-(10**9), 10**9))
        return units.map(lambda n: Decimal(n).scaleb(-scale))
    days, instants = st.integers(-9_000, 20_000), st.integers(-(10**15), 2 * 10**15)
    kinds: dict[str, SearchStrategy[Any]] = {
        "boolean": st.booleans(),
        "string": st.one_of(st.sampled_from("ab"), st.text("aBä'\\ \U0001f600", max_size=3)),
        "float": _floats(),
        "double": _floats(),
        "date": st.one_of(few, days).map(lambda n: date(1970, 1, 1) + timedelta(days=n)),
        "timestamp_ntz": st.one_of(few, instants).map(_moment),
        "timestamp": st.one_of(few, instants).map(lambda n: _moment(n).replace(tzinfo=UTC)),
        "tinyint": few,
        "smallint": st.one_of(few, st.integers(-9_000, 9_000)),
    }
    return kinds.get(sql_type, st.one_of(few, st.integers(-(10**6), 10**6)))


def _floats() -> SearchStrategy[float]:
    from hypothesis import strategies as st

    special = st.sampled_from([float("nan"), 0.0, -0.0, float("inf"), float("-inf")])
    grid = st.integers(-4_000, 4_000)
    return st.one_of(st.integers(-12, 12).map(_quarter), grid.map(_quarter), special)


def times(measure: Measure = Measure.INTEGER) -> SearchStrategy[Any]:
    """Times near each other and near edges; null now and then."""
    from hypothesis import strategies as st

    near = st.one_of(
        st.integers(-40, 60), st.sampled_from([-30, -7, -5, -1, 0, 3, 5, 7, 10, 14, 25, 30, 35])
    )
    if measure in _UNIT:
        beside = st.just(0)
    else:
        beside = st.sampled_from([0, 0, 0, -1, 1, 30 * SECOND])
    unit = unit_of(measure)
    ticks = st.builds(lambda n, extra: n * unit + extra, near, beside)
    return _null_in(12, ticks.map(lambda t: time_of(t, measure)))


def events(
    sql_type: str = "bigint",
    measure: Measure = Measure.INTEGER,
    *,
    min_rows: int = 0,
    max_rows: int = 14,
) -> SearchStrategy[list[dict[str, Any]]]:
    """Rows in arrival order: time `t`, key `k`, values `x` and `y`, and a unique `seq`.

    All times of one list may be shifted far away, as epoch times in a fine unit are.
    """
    from hypothesis import strategies as st

    row = st.fixed_dictionaries(
        {
            "t": times(measure),
            "k": st.sampled_from(["a", "a", "b", None]),
            "x": values(sql_type),
            "y": _null_in(6, st.integers(-2, 2)),
        }
    )

    def placed(rows: list[dict[str, Any]], offset: int, order: Any) -> list[dict[str, Any]]:
        sequence = list(range(len(rows)))
        order.shuffle(sequence)
        return [
            {**r, "t": shifted(r["t"], offset, measure), "seq": s}
            for r, s in zip(rows, sequence, strict=True)
        ]

    return st.builds(
        placed,
        st.lists(row, min_size=min_rows, max_size=max_rows),
        st.sampled_from(_FAR.get(measure, _FAR_MINUTES)),
        st.randoms(use_true_random=False),
    )


def windows(measure: Measure = Measure.INTEGER, *, most: int = 4) -> SearchStrategy[list[Window]]:
    """Sets of windows of any registered type, without two of one name."""
    from hypothesis import strategies as st

    return st.lists(
        st.sampled_from(window_examples(measure)),
        min_size=1,
        max_size=most,
        unique_by=lambda w: w.window_id,
    )


def window_examples(measure: Measure = Measure.INTEGER) -> list[Window]:
    """The examples of every window type, with sizes that this measure can carry."""
    return [in_measure(w, measure) for kind in registered().values() for w in kind.examples()]


def in_measure(window: Window, measure: Measure) -> Window:
    """A window on an integer measure, with each number read as minutes (of dates: days)."""
    if not measure.counts_time:
        return window
    if isinstance(window, Level):
        return _level_in(window, unit_of(measure))
    sizes = {
        name: Duration(size * unit_of(measure))
        for name, size in window.sizes().items()
        if isinstance(size, int)
    }
    return dataclasses.replace(window, **sizes)  # type: ignore[arg-type]


def _level_in(window: Level, unit: int) -> Window:
    def counted(size: Size) -> Size:
        return Duration(size * unit) if isinstance(size, int) else size

    levels = tuple((counted(wide), counted(slide)) for wide, slide in window.levels)
    return dataclasses.replace(window, levels=levels, origin=counted(window.origin))


def unit_of(measure: Measure) -> int:
    """How many ticks the generators count as one."""
    return _UNIT.get(measure, MINUTE)


def time_of(ticks: int, measure: Measure) -> Any:
    """Ticks as a Python value of the measure's type."""
    if measure is Measure.INTEGER:
        return ticks
    moment = _moment(ticks)
    if measure is Measure.DATE:
        return moment.date()
    return moment.replace(tzinfo=UTC) if measure is Measure.TIMESTAMP else moment


def shifted(time: Any, units: int, measure: Measure) -> Any:
    """A time moved by this many units; null stays null."""
    if time is None or measure is Measure.INTEGER:
        return None if time is None else time + units
    return time + timedelta(microseconds=units * unit_of(measure))


def _quarter(number: int) -> float:
    return number / 4


def _moment(ticks: int) -> datetime:
    return EPOCH + timedelta(microseconds=ticks)

"""SQL text for ticks, panes and windows. Every name that comes from a user is quoted here."""

from __future__ import annotations

from panewise.model import Measure
from panewise.model.duration import DAY
from panewise.plan import Edges

_INTEGERS = {
    name: (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    for name, bits in (("tinyint", 8), ("smallint", 16), ("int", 32))
}
_NTZ_EPOCH = "TIMESTAMP_NTZ'1970-01-01 00:00:00'"


def quoted(name: str) -> str:
    """A column name as SQL, whatever is in it.

    >>> quoted("a`b.c")
    '`a``b.c`'
    """
    return "`" + name.replace("`", "``") + "`"


def literal(text: str) -> str:
    """A SQL string.

    >>> print(literal("it's"))
    'it\\'s'
    """
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def ticks_of(measure: Measure, column: str) -> str:
    """A time column as a BIGINT of ticks, the same under every session time zone."""
    if measure is Measure.TIMESTAMP:
        return f"unix_micros({column})"
    if measure is Measure.TIMESTAMP_NTZ:
        # the difference of two zone-less times is an interval: no zone is asked
        return f"cast(cast({column} - {_NTZ_EPOCH} as decimal(18,6)) * 1000000 as bigint)"
    if measure is Measure.DATE:
        return f"unix_date({column}) * {DAY}L"
    return f"cast({column} as bigint)"


def within_bounds(ticks: str) -> str:
    """Ticks of a BIGINT column, or an error: sizes and times below 2**62 never wrap around."""
    problem = literal(
        "a time is beyond 62 bits, where window bounds would wrap around. "
        "Hint: scale the column down."
    )
    inside = f"{ticks} IS NULL OR {ticks} BETWEEN {-(2**62)}L AND {2**62}L"
    return f"CASE WHEN {inside} THEN {ticks} ELSE raise_error({problem}) END"


def time_of(measure: Measure, ticks: str, type_name: str) -> str:
    """The inverse of `ticks_of`, in the column's own type."""
    if measure is Measure.TIMESTAMP:
        return f"timestamp_micros({ticks})"
    if measure is Measure.TIMESTAMP_NTZ:
        return f"timestampadd(MICROSECOND, {ticks}, {_NTZ_EPOCH})"
    if measure is Measure.DATE:
        return f"date_from_unix_date(cast({ticks} div {DAY}L as int))"
    if type_name == "bigint":
        return ticks
    # a bound beyond the column's type must not wrap around silently
    low, high = _INTEGERS[type_name]
    problem = literal(
        f"a window bound does not fit {type_name.upper()}, the type of the time column. "
        "Hint: cast the time column to BIGINT."
    )
    return (
        f"CASE WHEN {ticks} BETWEEN {low}L AND {high}L THEN cast({ticks} as {type_name}) "
        f"ELSE raise_error({problem}) END"
    )


def pane_of(edges: Edges, ticks: str) -> str:
    """The greatest edge at or before a time.

    >>> pane_of(Edges(((15, 0), (17, 3))), "t")
    'greatest(t - pmod(t, 15L), t - pmod(t - 3L, 17L))'
    """
    at = [floor_of(ticks, period, phase) for period, phase in edges.progressions]
    at += [f"CASE WHEN {ticks} >= {edge}L THEN {edge}L END" for edge in edges.fixed]
    if edges.fixed and not edges.progressions:
        at.append(f"{-(2**62)}L")  # before every band: one pane that no window reads
    return f"greatest({', '.join(at)})" if len(at) > 1 else at[0]


def floor_of(ticks: str, period: int, phase: int) -> str:
    """The greatest edge of a progression at or before a time."""
    phase %= period
    shifted = f"{ticks} - {phase}L" if phase else ticks
    return f"{ticks} - pmod({shifted}, {period}L)"

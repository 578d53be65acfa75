"""SQL text for ticks, panes and windows. Every name that comes from a user is quoted here."""

from __future__ import annotations

from dataclasses import dataclass

from panewise.model import Measure
from panewise.model.duration import DAY
from panewise.plan import Edges, Shape
from panewise.windows import Family

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
    at = [_floor(ticks, period, phase) for period, phase in edges.progressions]
    at += [f"CASE WHEN {ticks} >= {edge}L THEN {edge}L END" for edge in edges.fixed]
    if edges.fixed and not edges.progressions:
        at.append(f"{-(2**62)}L")  # before every band: one pane that no window reads
    return f"greatest({', '.join(at)})" if len(at) > 1 else at[0]


UNROLLED = 16
"""Instances written out one by one; more of them are made by a loop, at a higher price each."""


@dataclass(frozen=True)
class Instance:
    """Instances of a node that may read a row, as SQL: `steps` of them, told apart by `j`."""

    number: str
    start: str
    end: str
    ok: str = "true"
    steps: int = 1


def instances_of(
    number: int,
    shape: Shape,
    start: str,
    end: str,
    *,
    overlapping: bool = False,
    stride: int | None = None,
) -> list[Instance]:
    """The instances of a node that read a row of its parent, which is `[start, end)`.

    Rows that are `overlapping` may be in no instance as a whole.  With a `stride` only the rows of
    a minimal cover are read: those a multiple of it from the beginning of the instance, and the one
    that ends with it.
    """
    if isinstance(shape, Edges):
        pane = pane_of(shape, start)
        return [Instance(str(number), pane, f"{pane} + 1")]
    assert isinstance(shape, Family)
    nested = shape.size // shape.step
    steps = nested if shape.once or nested > 1 else -(-shape.size // shape.slide)
    if steps > UNROLLED:
        return [_instance(number, shape, start, end, "j", steps, overlapping, stride)]
    return [
        _instance(number, shape, start, end, f"{j}L", 1, overlapping, stride) for j in range(steps)
    ]


def _instance(
    number: int,
    shape: Family,
    start: str,
    end: str,
    step: str,
    steps: int,
    overlapping: bool,
    stride: int | None,
) -> Instance:
    """The instance that a step tells: how many slides back, or how many steps long."""
    begins = f"{shape.origin}L" if shape.once else _floor(start, shape.slide, shape.origin)
    if shape.step < shape.size:
        ends = f"{begins} + ({step} + 1L) * {shape.step}L"
    else:
        if step != "0L":
            begins = f"{begins} - {step} * {shape.slide}L"
        ends = f"{begins} + {shape.size}L"
    if shape.size == shape.slide == shape.step and not (shape.once or overlapping):
        ok = "true"  # end to end: every row is in one instance, and whole in it
    else:
        ok = f"{start} >= {begins} AND {end} <= {ends}"
    if stride:  # 0 under a parent with gaps: it lends whole instances, which `ok` asks for already
        ok += f" AND (pmod({start} - ({begins}), {stride}L) = 0 OR {end} = {ends})"
    return Instance(str(number), begins, ends, ok, steps)


def _floor(ticks: str, period: int, phase: int) -> str:
    phase %= period
    shifted = f"{ticks} - {phase}L" if phase else ticks
    return f"{ticks} - pmod({shifted}, {period}L)"

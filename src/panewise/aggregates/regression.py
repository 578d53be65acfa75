"""Linear regression against time: slope, intercept, r2, and the forecast at the window's end.

Idea: carry centred moments of times and values and merge them pairwise.  Times are kept as a tick
and an offset from it, so that neither epoch microseconds nor large values lose digits, instants may
be missing, and one instant may have several values.  Cost: one struct of nine numbers.

The unit of time is a second for TIMESTAMP and TIMESTAMP_NTZ, a day for DATE, and one of the measure
for integers.  The intercept is the value of the line where the window begins, the forecast that
where it ends: at the origin of epoch times, half a century away, no digit of it would be left.

References: Chan, Golub, LeVeque, 1979 (merging); the sums of the multi-granular windows source,
which lose all digits at epoch times, are not used.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from panewise.aggregates.algebra import (
    Bounds,
    Kind,
    OneColumn,
    Partial,
    Properties,
    Rows,
    Scope,
    register,
)
from panewise.aggregates.arrays import choose, fields, struct_of

_MERGED = """
named_struct('n', a.n + b.n, 't0', a.t0,
  't', a.t + {dt} * {share}, 'y', a.y + {dy} * {share},
  'tt', a.tt + b.tt + {dt} * {dt} * a.n * {share},
  'ty', a.ty + b.ty + {dt} * {dy} * a.n * {share},
  'yy', a.yy + b.yy + {dy} * {dy} * a.n * {share},
  'lo', least(a.lo, b.lo), 'hi', greatest(a.hi, b.hi))
""".format(dt="((b.t0 - a.t0) + (b.t - a.t))", dy="(b.y - a.y)", share="(b.n / (a.n + b.n))")
_NOTHING = (
    "named_struct('n', 0L, 't0', 0L, 't', 0D, 'y', 0D, 'tt', 0D, 'ty', 0D, 'yy', 0D, "
    "'lo', 0D, 'hi', 0D)"
)


@dataclass(frozen=True)
class RegressionPartial(Partial):
    """`struct(n, t0, t, y, tt, ty, yy, lo, hi)`: the mean time is `t0 + t`, in ticks.

    `lo` and `hi` tell values that are all the same from those that nearly are.
    """

    column: str
    properties: ClassVar[Properties] = Properties(kind=Kind.ALGEBRAIC)

    def lift_sql(self, scope: Scope) -> str:
        y = f"cast({scope[self.column]} as double)"
        # rows beyond every window may be too far from the anchor to be subtracted
        t = f"cast(try_subtract({scope.time}, {scope.anchor}) as double)"
        yy = f"regr_syy({y}, {t})"
        return (
            f"CASE WHEN count({y}) > 0 THEN named_struct('n', count({y}), "
            f"'t0', min({scope.anchor}), 't', avg({t}) FILTER (WHERE {y} IS NOT NULL), "
            f"'y', avg({y}), 'tt', regr_sxx({y}, {t}), "
            f"'ty', IF(isnan({yy}), double('NaN'), regr_sxy({y}, {t})), 'yy', {yy}, "
            f"'lo', min({y}), 'hi', max({y})) END"
        )

    def combine_sql(self, column: str) -> str:
        return (
            f"reduce(collect_list({column}), {_NOTHING}, "
            f"(a, b) -> CASE WHEN a.n = 0 THEN b ELSE {_MERGED} END, "
            "a -> CASE WHEN a.n > 0 THEN a END)"
        )

    def lift(self, rows: Rows) -> pa.Array:
        y = pc.cast(rows[self.column], pa.float64(), safe=False)
        present = y.is_valid()
        none = pc.subtract(y, y)  # NaN where a value is not finite, and so for ever
        zero = pa.array(np.zeros(len(y)))
        n = pc.cast(present, pa.int64())
        times = {"n": n, "t0": rows.ticks, "t": zero, "y": y, "tt": zero}
        return struct_of(present, **times, ty=none, yy=none, lo=y, hi=y)

    def combine(self, left: pa.Array, right: pa.Array) -> pa.Array:
        a, b = (_Moments.of(side) for side in (left, right))
        with np.errstate(all="ignore"):
            merged = a.merged(b)
        both = struct_of(left.is_valid(), **{k: pa.array(v) for k, v in vars(merged).items()})
        lone = choose(left.is_valid(), left, right)
        return choose(pc.and_(left.is_valid(), right.is_valid()), both, lone)


@dataclass
class _Moments:
    """The columns of the struct as arrays."""

    n: np.ndarray
    t0: np.ndarray
    t: np.ndarray
    y: np.ndarray
    tt: np.ndarray
    ty: np.ndarray
    yy: np.ndarray
    lo: np.ndarray
    hi: np.ndarray

    @classmethod
    def of(cls, structs: pa.Array) -> _Moments:
        return cls(*(np.asarray(column.fill_null(0)) for column in fields(structs)))

    def merged(self, other: _Moments) -> _Moments:
        n, share = self.n, other.n / (self.n + other.n)
        dt = (other.t0 - self.t0) + (other.t - self.t)
        dy = other.y - self.y
        return _Moments(
            n + other.n,
            self.t0,
            self.t + dt * share,
            self.y + dy * share,
            self.tt + other.tt + dt * dt * n * share,
            self.ty + other.ty + dt * dy * n * share,
            self.yy + other.yy + dy * dy * n * share,
            np.minimum(self.lo, other.lo),
            np.maximum(self.hi, other.hi),
        )

    @property
    def flat(self) -> np.ndarray:
        """Whether all values are the same."""
        return (self.lo == self.hi) & ~np.isnan(self.yy)

    def slope(self) -> np.ndarray:
        """For a tick."""
        return np.where(self.flat, 0.0, self.ty / self.tt)

    def r2(self) -> np.ndarray:
        return np.where(self.flat, 1.0, (self.ty / self.tt) * (self.ty / self.yy))

    def at(self, ticks: np.ndarray) -> np.ndarray:
        """The value of the line."""
        return self.y + self.slope() * ((ticks - self.t0) - self.t)


@dataclass(frozen=True)
class _Fitted(OneColumn):
    """What a line through the values says; null where all of them are of one instant."""

    parts = (RegressionPartial,)
    placed = True

    def lower(self, partials: Sequence[pa.Array]) -> pa.Array:
        return self.results_within(partials, Bounds.at_zero(len(partials[0])))

    def results_within(self, partials: Sequence[pa.Array], bounds: Bounds) -> pa.Array:
        moments = _Moments.of(partials[0])
        with np.errstate(all="ignore"):
            found = self.told(moments, bounds)
        known = pa.array(moments.tt != 0)
        return pc.if_else(known, pa.array(found), pa.scalar(None, pa.float64()))

    def told(self, moments: _Moments, bounds: Bounds) -> np.ndarray:
        raise NotImplementedError

    def lower_sql(self, scope: Scope, partials: Sequence[str]) -> str:
        return f"CASE WHEN {partials[0]}.tt <> 0 THEN {self.told_sql(scope, partials[0])} END"

    def told_sql(self, scope: Scope, p: str) -> str:
        raise NotImplementedError


@register
@dataclass(frozen=True)
class Slope(_Fitted):
    """How much the value grows in a unit of time.

    >>> from panewise.testing import evaluate
    >>> evaluate(slope("x"), x=[1.0, 3.0, 5.0])
    2.0
    """

    kind_name: ClassVar[str] = "slope"

    def told(self, moments: _Moments, bounds: Bounds) -> np.ndarray:
        return moments.slope() * bounds.unit

    def told_sql(self, scope: Scope, p: str) -> str:
        return f"{_slope_sql(p)} * {scope.unit}"


@register
@dataclass(frozen=True)
class Intercept(_Fitted):
    """The value of the line where the window begins.

    >>> from panewise.testing import evaluate
    >>> evaluate(intercept("x"), x=[1.0, 3.0, 5.0])
    1.0
    """

    kind_name: ClassVar[str] = "intercept"

    def told(self, moments: _Moments, bounds: Bounds) -> np.ndarray:
        return moments.at(bounds.start)

    def told_sql(self, scope: Scope, p: str) -> str:
        return _at_sql(p, scope.start)


@register
@dataclass(frozen=True)
class R2(_Fitted):
    """The share of the variance that the line explains; 1 where all values are the same.

    >>> from panewise.testing import evaluate
    >>> evaluate(r2("x"), x=[1.0, 3.0, 5.0])
    1.0
    """

    kind_name: ClassVar[str] = "r2"

    def told(self, moments: _Moments, bounds: Bounds) -> np.ndarray:
        return moments.r2()

    def told_sql(self, scope: Scope, p: str) -> str:
        return f"CASE WHEN {_flat_sql(p)} THEN 1D ELSE ({p}.ty / {p}.tt) * ({p}.ty / {p}.yy) END"


@register
@dataclass(frozen=True)
class Forecast(_Fitted):
    """The value of the line where the window ends.

    >>> from panewise.testing import evaluate
    >>> evaluate(forecast("x"), x=[1.0, 3.0, 5.0])  # a window that ends at 0
    1.0
    """

    kind_name: ClassVar[str] = "forecast"

    def told(self, moments: _Moments, bounds: Bounds) -> np.ndarray:
        return moments.at(bounds.end)

    def told_sql(self, scope: Scope, p: str) -> str:
        return _at_sql(p, scope.end)


_ALL = (Slope, Intercept, R2, Forecast)


@register
@dataclass(frozen=True)
class Regression(_Fitted):
    """Slope, intercept, r2 and forecast as one struct, null where there is no line.

    >>> from panewise.testing import evaluate
    >>> evaluate(regression("x"), x=[1.0, 3.0, 5.0])["slope"]
    2.0
    """

    kind_name: ClassVar[str] = "regression"

    def results_within(self, partials: Sequence[pa.Array], bounds: Bounds) -> pa.Array:
        fits = [each(self.column) for each in _ALL]
        parts = {fit.kind_name: fit.results_within(partials, bounds) for fit in fits}
        return struct_of(parts["slope"].is_valid(), **parts)

    def told_sql(self, scope: Scope, p: str) -> str:
        parts = [f"'{each.kind_name}', {each(self.column).told_sql(scope, p)}" for each in _ALL]
        return f"named_struct({', '.join(parts)})"


def _flat_sql(p: str) -> str:
    return f"{p}.lo = {p}.hi AND NOT isnan({p}.yy)"


def _slope_sql(p: str) -> str:
    return f"CASE WHEN {_flat_sql(p)} THEN 0D ELSE {p}.ty / {p}.tt END"


def _at_sql(p: str, tick: str) -> str:
    return f"({p}.y + ({_slope_sql(p)}) * (({tick} - {p}.t0) - {p}.t))"


def slope(column: str) -> Slope:
    """How much a column grows in a second (a day of dates, one of an integer measure).

    >>> import panewise as pw
    >>> events = {"t": [0, 1, 2, 3], "y": [1.0, 3.0, 5.0, 7.0]}
    >>> line = pw.slope("y")
    >>> told = pw.aggregate(events, time="t", windows=[pw.tumbling(10)], aggregates=[line])
    >>> told["slope(y)"].to_pylist()
    [2.0]
    """
    return Slope(column=column)


def intercept(column: str) -> Intercept:
    """The line through a column's values, where the window begins.

    >>> import panewise as pw
    >>> events = {"t": [0, 1, 2, 3], "y": [1.0, 3.0, 5.0, 7.0]}
    >>> line = pw.intercept("y")
    >>> told = pw.aggregate(events, time="t", windows=[pw.tumbling(10)], aggregates=[line])
    >>> told["intercept(y)"].to_pylist()
    [1.0]
    """
    return Intercept(column=column)


def r2(column: str) -> R2:
    """The share of a column's variance that a line explains.

    >>> import panewise as pw
    >>> events = {"t": [0, 1, 2, 3], "y": [1.0, 3.0, 5.0, 7.0]}
    >>> line = pw.r2("y")
    >>> told = pw.aggregate(events, time="t", windows=[pw.tumbling(10)], aggregates=[line])
    >>> told["r2(y)"].to_pylist()
    [1.0]
    """
    return R2(column=column)


def forecast(column: str) -> Forecast:
    """The line through a column's values, where the window ends.

    >>> import panewise as pw
    >>> events = {"t": [0, 1, 2, 3], "y": [1.0, 3.0, 5.0, 7.0]}
    >>> line = pw.forecast("y")
    >>> told = pw.aggregate(events, time="t", windows=[pw.tumbling(10)], aggregates=[line])
    >>> told["forecast(y)"].to_pylist()
    [21.0]
    """
    return Forecast(column=column)


def regression(column: str) -> Regression:
    """A struct of slope, intercept, r2 and forecast of a column against time.

    >>> import panewise as pw
    >>> events = {"t": [0, 1, 2, 3], "y": [1.0, 3.0, 5.0, 7.0]}
    >>> line = pw.regression("y")
    >>> told = pw.aggregate(events, time="t", windows=[pw.tumbling(10)], aggregates=[line])
    >>> told["regression(y)"].to_pylist()
    [{'slope': 2.0, 'intercept': 1.0, 'r2': 1.0, 'forecast': 21.0}]
    """
    return Regression(column=column)

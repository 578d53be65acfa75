"""Linear regression against time: slope, intercept, r2, and the forecast at the window's end.

Idea: a line is a few quotients of centred moments (`time_moments.py`), which all of these share.

The unit of time is a second for TIMESTAMP and TIMESTAMP_NTZ, a day for DATE, and one of the measure
for integers.  The intercept is the value of the line where the window begins, the forecast that
where it ends: at the origin of epoch times, half a century away, no digit of it would be left.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from panewise.aggregates.algebra import Bounds, OneColumn, Scope, register
from panewise.aggregates.arrays import struct_of
from panewise.aggregates.time_moments import Moments, RegressionPartial


@dataclass(frozen=True)
class _OfLine(OneColumn):
    """What a line through the values says; null where all of them are of one instant."""

    parts = (RegressionPartial,)
    placed = True

    def lower(self, partials: Sequence[pa.Array]) -> pa.Array:
        return self.results_within(partials, Bounds.at_zero(len(partials[0])))

    def lower_sql(self, scope: Scope, partials: Sequence[str]) -> str:
        return f"CASE WHEN {partials[0]}.tt <> 0 THEN {self.told_sql(scope, partials[0])} END"

    @abstractmethod
    def told_sql(self, scope: Scope, p: str) -> str:
        """The same where there is a line, in SQL; `p` is the struct of moments."""


@dataclass(frozen=True)
class _Number(_OfLine):
    """One number of a line."""

    def results_within(self, partials: Sequence[pa.Array], bounds: Bounds) -> pa.Array:
        moments = Moments.of(partials[0])
        with np.errstate(all="ignore"):
            found = self.told(moments, bounds)
        known = pa.array(moments.tt != 0)
        return pc.if_else(known, pa.array(found), pa.scalar(None, pa.float64()))

    @abstractmethod
    def told(self, moments: Moments, bounds: Bounds) -> np.ndarray:
        """The number, where there is a line."""


@register
@dataclass(frozen=True)
class Slope(_Number):
    """How much the value grows in a unit of time.

    >>> from panewise.testing import evaluate
    >>> evaluate(slope("x"), x=[1.0, 3.0, 5.0])
    2.0
    """

    kind_name: ClassVar[str] = "slope"

    def told(self, moments: Moments, bounds: Bounds) -> np.ndarray:
        return moments.slope() * bounds.unit

    def told_sql(self, scope: Scope, p: str) -> str:
        return f"{_slope_sql(p)} * {scope.unit}"


@register
@dataclass(frozen=True)
class Intercept(_Number):
    """The value of the line where the window begins.

    >>> from panewise.testing import evaluate
    >>> evaluate(intercept("x"), x=[1.0, 3.0, 5.0])
    1.0
    """

    kind_name: ClassVar[str] = "intercept"

    def told(self, moments: Moments, bounds: Bounds) -> np.ndarray:
        return moments.at(bounds.start)

    def told_sql(self, scope: Scope, p: str) -> str:
        return _at_sql(p, scope.start)


@register
@dataclass(frozen=True)
class R2(_Number):
    """The share of the variance that the line explains; 1 where all values are the same.

    >>> from panewise.testing import evaluate
    >>> evaluate(r2("x"), x=[1.0, 3.0, 5.0])
    1.0
    """

    kind_name: ClassVar[str] = "r2"

    def told(self, moments: Moments, bounds: Bounds) -> np.ndarray:
        return moments.r2()

    def told_sql(self, scope: Scope, p: str) -> str:
        return f"CASE WHEN {_flat_sql(p)} THEN 1D ELSE ({p}.ty / {p}.tt) * ({p}.ty / {p}.yy) END"


@register
@dataclass(frozen=True)
class Forecast(_Number):
    """The value of the line where the window ends.

    >>> from panewise.testing import evaluate
    >>> evaluate(forecast("x"), x=[1.0, 3.0, 5.0])  # a window that ends at 0
    1.0
    """

    kind_name: ClassVar[str] = "forecast"

    def told(self, moments: Moments, bounds: Bounds) -> np.ndarray:
        return moments.at(bounds.end)

    def told_sql(self, scope: Scope, p: str) -> str:
        return _at_sql(p, scope.end)


_ALL: tuple[type[_Number], ...] = (Slope, Intercept, R2, Forecast)


@register
@dataclass(frozen=True)
class Regression(_OfLine):
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

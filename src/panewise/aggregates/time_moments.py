"""Centred moments of times and values: what a line through the values is made of.

Idea: merge moments pairwise.  Times are kept as a tick and an offset from it, so that neither epoch
microseconds nor large values lose digits, instants may be missing, and one instant may have several
values.  Cost: one struct of nine numbers.

References: Chan, Golub, LeVeque, 1979 (merging); the sums of the multi-granular windows source,
which lose all digits at epoch times, are not used.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from panewise.aggregates.algebra import Kind, Partial, Properties, Rows, Scope
from panewise.aggregates.arrays import choose, fields, struct_of
from panewise.aggregates.records import Merges

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
        a, b = (Moments.of(side) for side in (left, right))
        with np.errstate(all="ignore"):
            merged = a.merged(b)
        both = struct_of(left.is_valid(), **{k: pa.array(v) for k, v in vars(merged).items()})
        lone = choose(left.is_valid(), left, right)
        return choose(pc.and_(left.is_valid(), right.is_valid()), both, lone)

    def record(self, column: pa.Array) -> Merges | None:
        given = vars(Moments.of(column))
        n, t0 = given["n"], given["t0"]
        if not n.any():
            return None
        base = _earliest(n, t0)
        if int(t0.max(initial=base, where=n > 0)) - base > _EXACT:
            return None
        numbers = (given | {"t0": t0 - base}).values()
        return Merges("line", [*numbers, np.zeros(len(n))])

    def recorded(self, numbers: np.ndarray, there: np.ndarray, column: pa.Array) -> pa.Array:
        before = Moments.of(column)
        *merged, rest = numbers
        found = dict(zip(vars(before), merged, strict=True))
        found |= {name: np.where(there, found[name], 0).astype(np.int64) for name in ("n", "t0")}
        found["t0"] = found["t0"] + _earliest(before.n, before.t0)
        found["y"] = found["y"] + rest
        return struct_of(pa.array(there), **{name: pa.array(v) for name, v in found.items()})


_EXACT = 2**53
"""Ticks up to which a floating number has each."""


def _earliest(n: np.ndarray, t0: np.ndarray) -> int:
    """Of those with rows, at least one."""
    return int(t0.min(initial=2**63 - 1, where=n > 0))


@dataclass
class Moments:
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
    def of(cls, structs: pa.Array) -> Moments:
        return cls(*(np.asarray(column.fill_null(0)) for column in fields(structs)))

    def merged(self, other: Moments) -> Moments:
        n, share = self.n, other.n / (self.n + other.n)
        dt = (other.t0 - self.t0) + (other.t - self.t)
        dy = other.y - self.y
        return Moments(
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

"""Variance and standard deviation.

Idea: carry (count, mean, sum of squared deviations) and merge them pairwise; unlike sums of squares
they lose nothing when the values are large and close together.

References: Chan, Golub, LeVeque, 1979.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from panewise.aggregates.algebra import (
    Aggregate,
    Kind,
    OneColumn,
    Partial,
    Properties,
    Rows,
    Scope,
    register,
)
from panewise.aggregates.arrays import choose, fields, struct_of
from panewise.aggregates.records import Merges
from panewise.errors import QueryError


@dataclass(frozen=True)
class MomentsPartial(Partial):
    """`struct(n, mean, m2)`."""

    column: str
    properties: ClassVar[Properties] = Properties(kind=Kind.ALGEBRAIC)

    def lift_sql(self, scope: Scope) -> str:
        x = f"cast({scope[self.column]} as double)"
        return (
            f"CASE WHEN count({x}) > 0 THEN named_struct('n', count({x}), 'mean', avg({x}), "
            f"'m2', var_pop({x}) * count({x})) END"
        )

    def combine_sql(self, column: str) -> str:
        merged = (
            "named_struct('n', a.n + b.n, "
            "'mean', a.mean + (b.mean - a.mean) * b.n / (a.n + b.n), "
            "'m2', a.m2 + b.m2 + (b.mean - a.mean) * (b.mean - a.mean) * a.n * b.n / (a.n + b.n))"
        )
        return (
            f"reduce(collect_list({column}), named_struct('n', 0L, 'mean', 0D, 'm2', 0D), "
            f"(a, b) -> CASE WHEN a.n = 0 THEN b ELSE {merged} END, "
            "a -> CASE WHEN a.n > 0 THEN a END)"
        )

    def lift(self, rows: Rows) -> pa.Array:
        x = pc.cast(rows[self.column], pa.float64(), safe=False)
        present = x.is_valid()
        return struct_of(
            present, n=pc.cast(present, pa.int64()), mean=x, m2=pc.multiply(pc.subtract(x, x), 0.0)
        )

    def combine(self, left: pa.Array, right: pa.Array) -> pa.Array:
        (n, mean, m2), (m, other, o2) = (
            [np.asarray(c.fill_null(0)) for c in fields(side)] for side in (left, right)
        )
        with np.errstate(all="ignore"):
            total = n + m
            delta = other - mean
            share = m / total
            merged = struct_of(
                left.is_valid(),
                n=pa.array(total),
                mean=pa.array(mean + delta * share),
                m2=pa.array(m2 + o2 + delta * delta * n * share),
            )
        lone = choose(left.is_valid(), left, right)
        return choose(pc.and_(left.is_valid(), right.is_valid()), merged, lone)

    def record(self, column: pa.Array) -> Merges:
        n, mean, m2 = (np.asarray(each.fill_null(0)) for each in fields(column))
        return Merges("moments", [n, mean, np.zeros(len(n)), m2])

    def recorded(self, numbers: np.ndarray, there: np.ndarray, column: pa.Array) -> pa.Array:
        n, mean, rest, m2 = numbers
        whole = np.where(there, n, 0).astype(np.int64)
        found = {"n": whole, "mean": mean + rest, "m2": m2}
        return struct_of(pa.array(there), **{name: pa.array(v) for name, v in found.items()})


@register
@dataclass(frozen=True)
class Variance(OneColumn):
    """Variance, of the sample by default; null where there are not enough values.

    >>> from panewise.testing import evaluate
    >>> evaluate(variance("x"), x=[1.0, 2.0, 6.0]), evaluate(variance("x", ddof=0), x=[5])
    (7.0, 0.0)
    """

    kind_name: ClassVar[str] = "variance"
    parts = (MomentsPartial,)
    ddof: int = 1

    def running(self) -> str:
        return f"{self.kind_name} {'samp' if self.ddof else 'pop'}"

    def reference_sql(self, scope: Scope) -> str:
        return f"{'var_samp' if self.ddof else 'var_pop'}({scope[self.column]})"

    def lower_sql(self, scope: Scope, partials: Sequence[str]) -> str:
        p = partials[0]
        return f"CASE WHEN {p}.n > {self.ddof} THEN {p}.m2 / ({p}.n - {self.ddof}) END"

    def lower(self, partials: Sequence[pa.Array]) -> pa.Array:
        n, _, m2 = fields(partials[0])
        enough = pc.fill_null(pc.greater(n, self.ddof), False)
        freedom = pc.if_else(enough, pc.subtract(n, self.ddof), 1)
        ratio = pc.divide(m2, pc.cast(freedom, pa.float64()))
        return pc.if_else(enough, ratio, pa.scalar(None, pa.float64()))

    @classmethod
    def examples(cls) -> tuple[Aggregate, ...]:
        return (variance("x"), variance("x", ddof=0))


@register
@dataclass(frozen=True)
class Stddev(Variance):
    """Standard deviation, of the sample by default.

    >>> from panewise.testing import evaluate
    >>> evaluate(stddev("x", ddof=0), x=[1, 3])
    1.0
    """

    kind_name: ClassVar[str] = "stddev"

    def reference_sql(self, scope: Scope) -> str:
        return f"{'stddev_samp' if self.ddof else 'stddev_pop'}({scope[self.column]})"

    def lower_sql(self, scope: Scope, partials: Sequence[str]) -> str:
        return f"sqrt({super().lower_sql(scope, partials)})"

    def lower(self, partials: Sequence[pa.Array]) -> pa.Array:
        return pc.sqrt(super().lower(partials))

    @classmethod
    def examples(cls) -> tuple[Aggregate, ...]:
        return (stddev("x"), stddev("x", ddof=0))


def variance(column: str, *, ddof: int = 1) -> Variance:
    """Variance of a column; `ddof=0` for the population's.

    >>> import panewise as pw
    >>> from panewise.testing import evaluate
    >>> evaluate(pw.variance("x"), x=[1.0, 2.0, 6.0])
    7.0
    """
    return Variance(column=column, ddof=_checked(ddof))


def stddev(column: str, *, ddof: int = 1) -> Stddev:
    """Standard deviation of a column; `ddof=0` for the population's.

    >>> import panewise as pw
    >>> from panewise.testing import evaluate
    >>> evaluate(pw.stddev("x", ddof=0), x=[1, 3])
    1.0
    """
    return Stddev(column=column, ddof=_checked(ddof))


def _checked(ddof: int) -> int:
    if ddof not in (0, 1):
        raise QueryError(
            f"ddof is 1 (sample) or 0 (population): got {ddof!r}.", hint="write ddof=0."
        )
    return ddof

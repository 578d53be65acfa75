"""The law suite finds a broken law and names it. Each aggregate below breaks one."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from panewise.aggregates import Kind, Partial, Properties, Rows, Scope, UserAggregate
from panewise.errors import LawError
from panewise.testing import check_aggregate

Columns = tuple[np.ndarray, ...]


class Total(UserAggregate):
    """A sum that keeps every law; the others change one thing."""

    kind_name = "total"
    partial_types = ("double",)
    returns = "double"
    claims = Properties(kind=Kind.ALGEBRAIC, invertible=True)

    def lift(self, values: np.ndarray) -> Columns:
        return (values.astype(float),)

    def combine(self, left: Columns, right: Columns) -> Columns:
        return (left[0] + right[0],)

    def invert(self, whole: Columns, part: Columns) -> Columns:
        return (whole[0] - part[0],)

    def lower(self, partials: Columns) -> np.ndarray:
        return partials[0]


class Halving(Total):
    def combine(self, left: Columns, right: Columns) -> Columns:
        return ((left[0] + right[0]) / 2,)


class Leftmost(Total):
    def combine(self, left: Columns, right: Columns) -> Columns:
        return left


class Idempotent(Total):
    claims = Properties(kind=Kind.ALGEBRAIC, idempotent=True)


class WrongInverse(Total):
    def invert(self, whole: Columns, part: Columns) -> Columns:
        return whole


class NoInverse(Total):
    invert = UserAggregate.invert


class BatchDependent(Total):
    def lift(self, values: np.ndarray) -> Columns:
        return (values.astype(float) + len(values),)


class FirstOnly(Total):
    def lift(self, values: np.ndarray) -> Columns:
        return (values[:1].astype(float),)


class CountsOnPresence(Total):
    def lower(self, partials: Columns) -> np.ndarray:
        return partials[0] / partials[0].max()


class Smaller(Total):
    """Right for numbers; a comparison with NaN is false, so NaN wins or loses by its place."""

    claims = Properties(kind=Kind.ALGEBRAIC, idempotent=True)

    def combine(self, left: Columns, right: Columns) -> Columns:
        return (np.where(left[0] < right[0], left[0], right[0]),)


@dataclass(frozen=True)
class NullIsZero(Partial):
    """Forgets that null is the identity."""

    column: str

    def lift_sql(self, scope: Scope) -> None:
        return None

    def combine_sql(self, column: str) -> None:
        return None

    def lift(self, rows: Rows) -> pa.Array:
        return pc.cast(rows[self.column], pa.float64())

    def combine(self, left: pa.Array, right: pa.Array) -> pa.Array:
        return pc.min_element_wise(pc.fill_null(left, 0.0), pc.fill_null(right, 0.0))


class NoIdentity(Total):
    def partials(self, scope: Scope) -> tuple[Partial, ...]:
        return (NullIsZero(self.column),)

    def results(self, partials: Sequence[pa.Array]) -> pa.Array:
        return partials[0]


@pytest.mark.parametrize(
    ("aggregate", "law"),
    [
        (Halving, "associativity"),
        (Leftmost, "commutativity"),
        (Idempotent, "idempotence"),
        (WrongInverse, "inverse"),
        (NoInverse, "inverse: NoInverse claims an inverse and does not define it"),
        (BatchDependent, "cutting"),
        (FirstOnly, "one_cell_per_row"),
        (CountsOnPresence, "one_cell_per_row: ValueError"),  # no cells at all
        (NoIdentity, "identity"),
    ],
)
def test_the_broken_law_is_named(aggregate: type[UserAggregate], law: str) -> None:
    with pytest.raises(LawError, match=f"breaks {law}"):
        check_aggregate(aggregate("x"))


def test_a_law_that_only_nan_breaks() -> None:
    check_aggregate(Smaller("x"), x=[3, 1, None, 2])
    with pytest.raises(LawError, match=r"breaks .* with NaN among the rows"):
        check_aggregate(Smaller("x"), x=[3.0, 1.0, None, 2.0])


@pytest.mark.parametrize("values", [[], [None], [1.5], [1.0, None, float("nan")], [1, 2, 2]])
def test_a_lawful_aggregate_passes(values: list[Any]) -> None:
    check_aggregate(Total("x"), x=values)

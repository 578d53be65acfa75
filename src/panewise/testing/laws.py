"""The laws of aggregates, checked on data.

Idea: two cells are the same if they lower to the same result, now and after more rows have joined
them; each law is a statement about such cells.  Cells are tried in all pairs and triples at once,
because combining works on arrays.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pyarrow as pa

from panewise.aggregates import Aggregate, UserAggregate
from panewise.errors import LawError, PanewiseError
from panewise.testing.cases import FEW, Case, Columns
from panewise.testing.cells import (
    CellAlgebra,
    Cells,
    as_array,
    concat,
    nothing,
    rows_of,
    scope_of,
    take,
)
from panewise.testing.compare import same
from panewise.testing.oracle import value_of
from panewise.testing.oracle.table import Event

_SAMPLE = (3, 1, None, 2, 2, -5, 0)


Law = Callable[[Case], Iterator[str]]


def one_cell_per_row(case: Case) -> Iterator[str]:
    """Lift, combine and lower return as many elements as they are given, none for none."""
    rows = len(next(iter(case.columns.values())))
    for size in (rows, 0):
        cells = case.algebra.lift(rows_of({n: c.slice(0, size) for n, c in case.columns.items()}))
        merged = case.algebra.combine(cells, cells)
        lengths = {len(part) for part in (*cells, *merged)} | {len(case.algebra.lower(cells))}
        if lengths != {size}:
            yield f"{size} rows gave arrays of length {sorted(lengths)}"


def identity(case: Case) -> Iterator[str]:
    """Null on either side changes nothing."""
    pool = case.pool
    empty = take(nothing(pool), [0] * len(pool[0]))
    for side, merged in (
        ("left", case.algebra.combine(empty, pool)),
        ("right", case.algebra.combine(pool, empty)),
    ):
        for at, a, b in case.differ(merged, pool):
            yield f"null on the {side} of cell {at} gives {a!r} in place of {b!r}"


def associativity(case: Case) -> Iterator[str]:
    """(a + b) + c is a + (b + c)."""
    pool, combine = case.pool, case.algebra.combine
    triples = list(itertools.product(range(len(pool[0])), repeat=3))
    a, b, c = (take(pool, [triple[side] for triple in triples]) for side in range(3))
    for at, one, other in case.differ(combine(combine(a, b), c), combine(a, combine(b, c))):
        yield f"cells {triples[at]}: (a+b)+c gives {one!r}, a+(b+c) gives {other!r}"


def commutativity(case: Case) -> Iterator[str]:
    """a + b is b + a, where claimed."""
    if not case.algebra.aggregate.properties.commutative:
        return
    a, b, pairs = _pairs(case.pool)
    combine = case.algebra.combine
    for at, one, other in case.differ(combine(a, b), combine(b, a)):
        yield f"cells {pairs[at]}: a+b gives {one!r}, b+a gives {other!r}"


def idempotence(case: Case) -> Iterator[str]:
    """a + a is a, where claimed."""
    if not case.algebra.aggregate.properties.idempotent:
        return
    pool = case.pool
    for at, one, other in case.differ(case.algebra.combine(pool, pool), pool):
        yield f"cell {at}: a+a gives {one!r}, a is {other!r}"


def inverse(case: Case) -> Iterator[str]:
    """(a + b) - b is a, where claimed, for cells that rows with finite values have made.

    A cell without a value has nothing to return to, and no number comes back from infinity.
    """
    if not case.algebra.aggregate.properties.invertible:
        return
    finite = _finite_rows(case.columns)
    if len(next(iter(finite.values()))) == 0:
        return
    a, b, pairs = _pairs(take(case.algebra.lift(rows_of(finite)), range(_count(finite))))
    back = case.algebra.invert(case.algebra.combine(a, b), b)
    for at, one, other in case.differ(back, a):
        yield f"rows {pairs[at]}: (a+b)-b gives {one!r}, a is {other!r}"


def cutting(case: Case) -> Iterator[str]:
    """Rows cut into two pieces anywhere, lifted apart, give the result of the whole."""
    rows = len(next(iter(case.columns.values())))
    cuts = [_fold_in_two(case, at) for at in range(rows + 1)]
    for at, one, other in case.differ(concat(*cuts), take(case.whole, [0] * len(cuts))):
        yield f"cut before row {at} gives {one!r}, the whole {other!r}"


def _fold_in_two(case: Case, at: int) -> Cells:
    before, after = _slice(case.columns, 0, at), _slice(case.columns, at)
    pieces = [case.algebra.lift(rows_of(before)), case.algebra.lift(rows_of(after, first=at))]
    return case.algebra.combine(*map(case.algebra.fold, pieces))


def emptiness(case: Case) -> Iterator[str]:
    """A window whose inputs are all null, and one that no row has reached, can be lowered."""
    nulls = {name: pa.nulls(3, column.type) for name, column in case.columns.items()}
    cells = case.algebra.lift(rows_of(nulls))
    lowered = case.algebra.lower(concat(case.algebra.fold(cells), nothing(cells)))
    if len(lowered) != 2:
        yield f"two cells without values gave {lowered!r}"


def definition(case: Case) -> Iterator[str]:
    """The fold lowers to what the oracle computes."""
    if isinstance(case.algebra.aggregate, UserAggregate):
        return
    names, types = list(case.columns), scope_of(case.columns).types
    listed = zip(*(column.to_pylist() for column in case.columns.values()), strict=True)
    events = [Event(i, (i,), dict(zip(names, row, strict=True))) for i, row in enumerate(listed)]
    expected = value_of(case.algebra.aggregate, events, types)
    (got,) = case.algebra.lower(case.whole)
    if not same(got, expected, case.magnitude):
        yield f"the fold gives {got!r}, the definition {expected!r}"


LAWS: tuple[Law, ...] = (
    one_cell_per_row,
    identity,
    associativity,
    commutativity,
    idempotence,
    inverse,
    cutting,
    emptiness,
    definition,
)


def check_aggregate(aggregate: Aggregate, **columns: object) -> None:
    """Raise `LawError` naming the first law that the aggregate breaks on these rows.

    Columns are lists or Arrow arrays; without any, a small sample of numbers is used. Floating
    columns are tried once more with NaN among the rows.

    >>> from panewise.aggregates import mean
    >>> check_aggregate(mean("x"), x=[1.0, None, 3.0])
    """
    given = columns or {name: _SAMPLE for name in aggregate.columns() or ("x",)}
    arrays = {name: as_array(values) for name, values in given.items()}
    _check(aggregate, arrays, "")
    if any(pa.types.is_floating(column.type) for column in arrays.values()):
        _check(aggregate, {n: _with_nan(c) for n, c in arrays.items()}, " with NaN among the rows")


def _check(aggregate: Aggregate, columns: Columns, when: str) -> None:
    case = Case(CellAlgebra.over(aggregate, columns), columns)
    for law in LAWS:
        try:
            broken = next(law(case), None)
        except PanewiseError as error:
            broken = str(error)
        except Exception as error:  # the user's code, so whatever it raises
            broken = f"{type(error).__name__}: {error}"
        if broken is not None:
            shown = {name: column.to_pylist() for name, column in columns.items()}
            raise LawError(
                f"{aggregate.canonical} breaks {law.__name__}{when}: {broken}. Rows: {shown}.",
                hint=(law.__doc__ or "").split("\n")[0],
            )


def _pairs(pool: Cells) -> tuple[Cells, Cells, Sequence[tuple[int, ...]]]:
    pairs = list(itertools.product(range(len(pool[0])), repeat=2))
    a, b = (take(pool, [pair[side] for pair in pairs]) for side in range(2))
    return a, b, pairs


def _slice(columns: Columns, start: int, end: int | None = None) -> Columns:
    return {n: c.slice(start, None if end is None else end - start) for n, c in columns.items()}


def _count(columns: Columns) -> int:
    return min(len(next(iter(columns.values()))), FEW)


def _finite_rows(columns: Columns) -> Columns:
    def usable(value: Any) -> bool:
        return value is not None and not (isinstance(value, float) and not math.isfinite(value))

    listed = list(zip(*(column.to_pylist() for column in columns.values()), strict=True))
    kept = pa.array([i for i, row in enumerate(listed) if all(map(usable, row))], pa.int64())
    return {name: column.take(kept) for name, column in columns.items()}


def _with_nan(column: pa.Array) -> pa.Array:
    edge = pa.array([math.nan if pa.types.is_floating(column.type) else None], column.type)
    return pa.concat_arrays([edge, column, edge])

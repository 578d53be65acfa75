"""A query bound to the columns of a stream: which types, which partials, which results."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import pyarrow as pa

from panewise.aggregates import Aggregate, Bounds, Partial, Rows, Scope, TallyAggregate, ValueCounts
from panewise.errors import PanewiseError, QueryError, SchemaError
from panewise.kernels.scans import check_inputs, scan_inputs
from panewise.kernels.state import Layout
from panewise.model import Duration, Measure, measure_of
from panewise.model.sql_types import sql_type
from panewise.operator.columns import COARSE
from panewise.query import Query

_NULL = pa.null().id
_SEQUENCE = (pa.types.is_integer, pa.types.is_date32, pa.types.is_timestamp)


@dataclass(frozen=True)
class Bound:
    """The query's columns by name, in the types that the engine computes in."""

    query: Query
    types: Mapping[str, pa.DataType]

    @classmethod
    def to(cls, query: Query, columns: Mapping[str, pa.Array]) -> Bound:
        """Bind to the columns of the first batch, or say what does not fit."""
        return cls(query, {name: column.type for name, column in columns.items()}).checked()

    def checked(self) -> Bound:
        """Itself, or an error that says what does not fit."""
        self.query.check_measure(self.measure)
        self._check_resolution()
        order = self.query.order_by
        if order is not None and not any(test(self.types[order]) for test in _SEQUENCE):
            raise SchemaError(
                f'order_by must be an integer, date or timestamp column: "{order}" is '
                f"{self.types[order]}.",
                hint="add a numeric sequence, for example an offset or an id.",
            )
        _ = self.result_types  # refuses what array code cannot compute
        for window in self.query.scans:
            check_inputs(window, {name: self.types[name] for name in window.columns()})
        return self

    def typed(self, columns: Mapping[str, pa.Array]) -> Mapping[str, pa.Array]:
        """Columns that are all null, and so have no type of their own, in the type from before;
        others that changed their type are refused."""
        odd = {name: c for name, c in columns.items() if c.type != self.types[name]}
        self.check({name: column for name, column in odd.items() if column.type.id != _NULL})
        nulls = {name: pa.nulls(len(column), self.types[name]) for name, column in odd.items()}
        return {**columns, **nulls} if nulls else columns

    def check(self, columns: Mapping[str, pa.Array]) -> None:
        """Refuse columns that changed their type."""
        for name, column in columns.items():
            if column.type != self.types[name]:
                raise SchemaError(
                    f'column "{name}" was {self.types[name]} and is {column.type} now.',
                    hint="cast it before it is pushed.",
                )

    @cached_property
    def measure(self) -> Measure:
        return measure_of(self.query.time, self.scope.types[self.query.time])

    @cached_property
    def resolution(self) -> int:
        """Ticks between neighbouring values of the time column."""
        kind = self.types[self.query.time]
        unit = COARSE.get(kind.unit, 1) if pa.types.is_timestamp(kind) else 1
        return max(unit, self.measure.resolution)

    def _check_resolution(self) -> None:
        """Bounds of windows are in the type of the time column, which must be able to say them."""
        if self.query.grain % self.resolution == 0:
            return
        for window in self.query.windows:
            for name, size in window.sizes().items():
                if isinstance(size, Duration) and size.ticks % self.resolution:
                    raise QueryError(
                        f'{window.canonical}: the time column "{self.query.time}" is '
                        f"{self.types[self.query.time]}, which is coarser than {name}={size}.",
                        hint='cast the column to timestamp("us").',
                    )

    @cached_property
    def scope(self) -> Scope:
        types = {name: _sql(name, kind) for name, kind in self.types.items()}
        return Scope({name: name for name in types}, types, time="t", sequence="s")

    @cached_property
    def partials(self) -> tuple[Partial, ...]:
        """The partial columns of a cell, each once; value counts are apart."""
        return tuple(dict.fromkeys(p for p in self._all() if not isinstance(p, ValueCounts)))

    @cached_property
    def counted(self) -> tuple[str, ...]:
        """The columns whose values are counted."""
        return tuple(dict.fromkeys(p.column for p in self._all() if isinstance(p, ValueCounts)))

    def places(self, aggregate: Aggregate) -> list[int]:
        """Where an aggregate's own partials lie among all."""
        mine = aggregate.partials(self.scope)
        return [self.partials.index(p) for p in mine if not isinstance(p, ValueCounts)]

    @cached_property
    def key_schema(self) -> pa.Schema:
        return pa.schema([(name, self.types[name]) for name in self.query.by])

    @cached_property
    def value_schema(self) -> pa.Schema:
        """The columns whose values are counted."""
        return pa.schema([(name, self.types[name]) for name in self.counted])

    @cached_property
    def result_types(self) -> tuple[pa.DataType, ...]:
        """The types of the result columns, the same as Spark's."""
        return tuple(map(self._result_type, self.query.aggregates))

    def _result_type(self, aggregate: Aggregate) -> pa.DataType:
        try:
            nothing = self._nothing(aggregate)
        except (pa.ArrowException, PanewiseError) as problem:
            given = ", ".join(f'"{c}" is {self.types[c]}' for c in aggregate.columns())
            raise SchemaError(
                f"{aggregate.canonical} cannot be computed: {given}.",
                hint=f"cast the column first; Arrow says: {str(problem).splitlines()[0]}",
            ) from problem
        return aggregate.arrow_type(self.types, nothing.type)

    def layout(self) -> Layout:
        """The columns that cells of this query carry."""
        nothing = self._no_rows(self.types)
        inputs = []
        for window in self.query.scans:
            made = scan_inputs(window, nothing.columns, 0)
            bare = replace(window, name=None)
            inputs += [((bare, at), column.type) for at, column in enumerate(made)]
        return Layout(
            self.partials,
            [p.lift(nothing).type for p in self.partials],
            inputs,
        )

    def _no_rows(self, names: Iterable[str]) -> Rows:
        columns = {name: pa.nulls(0, self.types[name]) for name in names}
        return Rows(columns, pa.nulls(0, pa.int64()), pa.nulls(0, pa.int64()))

    def _nothing(self, aggregate: Aggregate) -> pa.Array:
        """The results of no rows."""
        rows = self._no_rows(aggregate.columns())
        lifted = [p.lift(rows) for p in aggregate.partials(self.scope)]
        for partial, column in zip(aggregate.partials(self.scope), lifted, strict=True):
            if not isinstance(partial, ValueCounts):
                partial.combine(column, column)
        if isinstance(aggregate, TallyAggregate):
            return aggregate.lower(lifted)
        return aggregate.results_within(lifted, Bounds.at_zero(0))

    def _all(self) -> list[Partial]:
        return [p for a in self.query.aggregates for p in a.partials(self.scope)]


def _sql(name: str, kind: pa.DataType) -> str:
    if pa.types.is_nested(kind) or pa.types.is_null(kind) or pa.types.is_duration(kind):
        return str(kind)  # keys may be of any type; aggregates refuse these by themselves
    try:
        return sql_type(kind)
    except SchemaError as problem:
        raise SchemaError(f'column "{name}": {problem.message}', hint="cast it first.") from None

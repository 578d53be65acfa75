"""A query bound to a DataFrame: which columns, of which types, under which names inside.

Idea: inside the pipeline every column has a short name of ours (`t`, `k0`, `v0`, ...), so dots,
spaces and columns called `window` are met once, here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import pyarrow as pa
from pyspark.errors import AnalysisException
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import to_arrow_type
from pyspark.sql.types import DataType, StructField

from panewise.aggregates import Aggregate, Partial, Scope, ValueCounts
from panewise.aggregates.arrays import nullable
from panewise.aggregates.user import UserPartial
from panewise.aggregates.value_counts import rank_values
from panewise.errors import PanewiseError, SchemaError, nearest
from panewise.kernels.scans import check_inputs
from panewise.model import Measure, measure_of
from panewise.query import Query
from panewise.query.query import DROP
from panewise.spark.expressions import literal, quoted, ticks_of, within_bounds
from panewise.windows import Frame, Scan

_FIRST = -(2**63) + 1
"""A null in the order column comes before every number, as in Spark's ascending order."""
_INTEGERS = ("tinyint", "smallint", "int", "bigint")
_SEQUENCE_TYPES = ("tinyint", "smallint", "int", "bigint", "date", "timestamp", "timestamp_ntz")


@dataclass(frozen=True)
class Binding:
    """The query's columns found in a DataFrame."""

    query: Query
    events: DataFrame
    fields: dict[str, StructField]

    @classmethod
    def of(cls, query: Query, events: DataFrame) -> Binding:
        """Find every column, or say which one is missing."""
        if not isinstance(events, DataFrame):
            raise SchemaError(
                f"plan.run takes a Spark DataFrame: got {type(events).__name__}.",
                hint="make one with spark.createDataFrame().",
            )
        events = _with_columns(query, events)
        exact = events.sparkSession.conf.get("spark.sql.caseSensitive") == "true"
        fields = {name: _find(name, events.schema.fields, exact) for name in query.columns()}
        bound = cls(query, events, fields)
        query.check_measure(bound.measure)
        bound._check_until()
        bound._check_collation()
        bound._check_sequence()
        _ = bound._analysed  # refuses what Spark cannot compute
        bound._check_arrays()
        bound._check_scans()
        return bound

    @cached_property
    def types(self) -> dict[str, str]:
        """The SQL type of each column."""
        return {name: field.dataType.simpleString() for name, field in self.fields.items()}

    @cached_property
    def measure(self) -> Measure:
        return measure_of(self.query.time, self.types[self.query.time])

    @cached_property
    def keys(self) -> list[str]:
        """Names of the key columns inside."""
        return [f"k{i}" for i in range(len(self.query.by))]

    @cached_property
    def inputs(self) -> dict[str, str]:
        """Names inside of the columns that aggregates and windows read."""
        read = [c for a in self.query.aggregates for c in a.columns()]
        read += [c for w in self.query.windows for c in w.columns()]
        used = dict.fromkeys(read)
        return {column: f"v{i}" for i, column in enumerate(used)}

    @cached_property
    def scope(self) -> Scope:
        unit = self.measure.unit
        return Scope(self.inputs, self.types, time="t", sequence="s", unit=unit)

    def lifted(self, anchor: str) -> list[Column]:
        """The partial columns of rows that are grouped; the anchor is one tick for each group."""
        scope = replace(self.scope, anchor=anchor)
        return [F.expr(str(p.lift_sql(scope))).alias(n) for p, n in self.partials.items()]

    @cached_property
    def partials(self) -> dict[Partial, str]:
        """The partial columns of a cell, each once, with their names; value counts are apart."""
        every = (p for a in self.query.aggregates for p in a.partials(self.scope))
        carried = dict.fromkeys(p for p in every if not isinstance(p, ValueCounts))
        return {partial: f"a{i}" for i, partial in enumerate(carried)}

    @cached_property
    def counted(self) -> list[str]:
        """The columns whose values are counted, by their names inside."""
        every = (p for a in self.query.aggregates for p in a.partials(self.scope))
        return list(
            dict.fromkeys(self.inputs[p.column] for p in every if isinstance(p, ValueCounts))
        )

    @cached_property
    def rows(self) -> DataFrame:
        """The events with ticks, keys and inputs under their inside names; no null times."""
        query = self.query
        # text, not Column objects: each of those costs several calls into the JVM
        columns = [f"{self._ticks()} AS t"]
        if query.until is not None:
            columns.append(f"{self._last(query.until)} AS z")
        columns += [
            f"{self._column(name)} AS {inside}"
            for name, inside in zip(query.by, self.keys, strict=True)
        ]
        columns += [f"{self._column(name)} AS {inside}" for name, inside in self.inputs.items()]
        if query.ordered or (query.revise is not None and query.order_by is not None):
            columns.append(f"{self._sequence()} AS s")
        if query.revise is not None:
            columns += [f"{self._column(query.revise)} AS e", "monotonically_increasing_id() AS m"]
        rows = self.events.where(self._there()).selectExpr(*columns)
        return rows if query.revise is None else self._holding(rows)

    def _there(self) -> str:
        """Which events have times, and do not end before they begin: of the columns as they are, so
        that files are read by it."""
        query = self.query
        times = [query.time] if query.until is None else [query.time, query.until]
        there = [f"{self._column(name)} IS NOT NULL" for name in times]
        if query.until is not None and query.on_bad_rows == DROP:
            there.append(f"{self._end(query.until)} >= {self._column(query.time)}")
        return " AND ".join(there)

    def _holding(self, rows: DataFrame) -> DataFrame:
        """Of every event the version that holds; one without an id has no other."""
        own = ["t", "z", *self.inputs.values()]
        ranks = ["z", "t", *(self.inputs[c] for c in self.inputs if not self._nested(c))]
        if self.query.order_by is not None:
            ranks.insert(0, "s")
        latest = f"max_by(struct({', '.join(own)}), struct({', '.join(ranks)})) AS held"
        grouped = rows.groupBy(*self.keys, "e", F.expr("IF(e IS NULL, m, NULL)"))
        return grouped.agg(F.expr(latest)).select(*self.keys, "held.*")

    def _nested(self, column: str) -> bool:
        return self.types[column].startswith(("array", "map", "struct"))

    @cached_property
    def time_zone(self) -> str:
        """The session's zone, which Spark writes into the Arrow type of a TIMESTAMP."""
        return str(self.events.sparkSession.conf.get("spark.sql.session.timeZone"))

    @cached_property
    def ansi(self) -> bool:
        return self.events.sparkSession.conf.get("spark.sql.ansi.enabled") == "true"

    def partials_of(self, aggregate: Aggregate) -> list[str]:
        """The inside names of an aggregate's own partials."""
        return [self.partials[p] for p in aggregate.partials(self.scope) if p in self.partials]

    def partial_type(self, partial: Partial) -> DataType:
        """The Spark type of a partial column."""
        if isinstance(partial, UserPartial):
            return DataType.fromDDL(partial.aggregate.partial_type())
        return self._analysed[str(partial.lift_sql(self.scope))]

    def result_type(self, aggregate: Aggregate) -> DataType | None:
        """The type that Spark's own expression, or the aggregate itself, says."""
        reference = aggregate.reference_sql(self.scope)
        if reference is not None:
            return self._analysed[reference]
        declared = aggregate.result_type(self.scope)
        return DataType.fromDDL(declared) if declared is not None else None

    @cached_property
    def _analysed(self) -> dict[str, DataType]:
        """What Spark's analyzer says of every expression: one analysis, nothing computed."""
        try:
            return _types(self.rows, [sql for a in self.query.aggregates for sql in self._sql(a)])
        except AnalysisException:
            for aggregate in self.query.aggregates:  # whose was it?
                try:
                    _types(self.rows, self._sql(aggregate))
                except AnalysisException as problem:
                    raise self._unfit(aggregate, problem) from problem
            raise

    def _sql(self, aggregate: Aggregate) -> list[str]:
        lifts = [p.lift_sql(self.scope) for p in aggregate.partials(self.scope)]
        return [sql for sql in (aggregate.reference_sql(self.scope), *lifts) if sql is not None]

    def _column(self, name: str) -> str:
        return quoted(self.fields[name].name)

    def _ticks(self) -> str:
        ticks = ticks_of(self.measure, self._column(self.query.time))
        return within_bounds(ticks) if self.types[self.query.time] == "bigint" else ticks

    def _last(self, until: str) -> str:
        """The last tick of an event; one that takes no time is there for one tick."""
        start, end = self._ticks(), ticks_of(self.measure, self._end(until))
        if self.types[until] == "bigint":
            end = within_bounds(end)
        last = f"greatest({end} - 1, {start})"
        if self.query.on_bad_rows == DROP:  # they are gone
            return last
        problem = literal(
            f'an event ends before it begins: see "{self.query.time}" and "{until}". '
            'Hint: correct such rows, or leave them out with on_bad_rows="drop".'
        )
        return f"CASE WHEN {end} < {start} THEN raise_error({problem}) ELSE {last} END"

    def _end(self, until: str) -> str:
        """The end of an event, as given or by how long it takes."""
        column = self._column(until)
        lasts = self.types[until].startswith("interval")
        return f"{self._column(self.query.time)} + {column}" if lasts else column

    def _check_until(self) -> None:
        """Start and end are of one type, or the second is how long it takes."""
        if self.query.until is None:
            return
        start, until = self.types[self.query.time], self.types[self.query.until]
        lasts = until.startswith("interval") and self.measure.counts_time
        both = until in _INTEGERS and start in _INTEGERS
        if not lasts and not both and start != until:
            raise SchemaError(
                f'start and end are of one type, or the second is an interval: "{self.query.time}" '
                f'is {start.upper()} and "{self.query.until}" is {until.upper()}.',
                hint="cast one of them.",
            )

    def _sequence(self) -> str:
        order = self.query.order_by
        if order is None:
            return "monotonically_increasing_id()"
        kind = self.types[order]
        measure = measure_of(order, kind)
        return f"coalesce({ticks_of(measure, self._column(order))}, {_FIRST}L)"

    def _check_sequence(self) -> None:
        order = self.query.order_by
        if order is not None and self.types[order] not in _SEQUENCE_TYPES:
            raise SchemaError(
                f'order_by must be an integer, date or timestamp column: "{order}" is '
                f"{self.types[order].upper()}.",
                hint="add a numeric sequence, for example an offset or an id.",
            )

    def _check_collation(self) -> None:
        """Array code compares text byte by byte, as Spark does where no collation is named."""
        for name, kind in self.types.items():
            if " collate " in kind.lower():
                raise SchemaError(
                    f'text with a collation is not supported: "{name}" is {kind.upper()}.',
                    hint="cast it to STRING COLLATE UTF8_BINARY, for example after lower().",
                )

    def _check_arrays(self) -> None:
        """Array code must take the types too, whichever way is chosen: try it on no rows."""
        for aggregate in self.query.aggregates:
            try:
                for partial in aggregate.partials(self.scope):
                    self._try_on_nothing(partial)
            except (pa.ArrowException, PanewiseError) as problem:
                raise self._unfit(aggregate, problem) from problem

    def _try_on_nothing(self, partial: Partial) -> None:
        if isinstance(partial, ValueCounts):
            rank_values(pa.nulls(0, self._arrow(self.fields[partial.column].dataType)))
        elif not isinstance(partial, UserPartial):
            given = nullable(self._arrow(self.partial_type(partial)))
            nothing = pa.nulls(0, given).cast(partial.wide(given))
            partial.combine(nothing, nothing)

    def _check_scans(self) -> None:
        """What scanned windows look at in each row is array code, whichever way is chosen."""
        for window in self.query.windows:
            if isinstance(window.demand(), Scan):
                types = {name: self._arrow(self.fields[name].dataType) for name in window.columns()}
                check_inputs(window, types)

    def _arrow(self, kind: DataType) -> pa.DataType:
        return to_arrow_type(kind, timezone=self.time_zone)

    def _unfit(self, aggregate: Aggregate, problem: Exception) -> SchemaError:
        given = ", ".join(f'"{c}" is {self.types[c].upper()}' for c in aggregate.columns())
        by = "Spark" if isinstance(problem, AnalysisException) else "Arrow"
        return SchemaError(
            f"{aggregate.canonical} cannot be computed: {given}.",
            hint=f"cast the column first; {by} says: {str(problem).splitlines()[0]}",
        )


def _with_columns(query: Query, events: DataFrame) -> DataFrame:
    """The events with the columns that frames were given as such."""
    frames = (window for window in query.windows if isinstance(window, Frame))
    given = {f.column.name: f.column.column for f in frames if f.column is not None}
    return events.withColumns(given) if given else events


def _find(name: str, fields: Sequence[StructField], exact: bool) -> StructField:
    found = [f for f in fields if f.name == name or (not exact and f.name.lower() == name.lower())]
    if len(found) == 1:
        return found[0]
    if found:
        raise SchemaError(
            f'column "{name}" is ambiguous: the DataFrame has {len(found)} of that name.',
            hint="rename one with withColumnRenamed() or select().",
        )
    names = [field.name for field in fields]
    raise SchemaError(f'no column "{name}" in the DataFrame.', hint=nearest(name, names))


def _types(rows: DataFrame, expressions: Sequence[str]) -> dict[str, DataType]:
    distinct = list(dict.fromkeys(expressions))
    if not distinct:
        return {}
    columns = [f"{sql} AS e{i}" for i, sql in enumerate(distinct)]
    kinds = (field.dataType for field in rows.selectExpr(*columns).schema.fields)
    return dict(zip(distinct, kinds, strict=True))

"""The algebra every aggregate is built on: lift, combine, lower, and the ladder of properties.

Idea: an aggregate is a tuple of *partials* and a `lower`.  A partial is one column of a cell: it
can be lifted from rows and combined with its neighbour; null is its identity.  Partials are values,
so two aggregates that need the same one share the column.  Each piece is given twice: as Spark SQL
text (over names the caller has quoted) and as array code over Arrow arrays.

Invariant: `combine` is associative and null is its identity; everything else is claimed in
`Properties`, and the law suite checks the claims.
"""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import ClassVar, Self, TypeVar

import numpy as np
import pyarrow as pa

from panewise.aggregates.records import Record
from panewise.errors import QueryError


class Kind(Enum):
    """Gray et al.: how large a partial is."""

    DISTRIBUTIVE = "distributive"
    ALGEBRAIC = "algebraic"
    HOLISTIC = "holistic"


@dataclass(frozen=True, slots=True)
class Properties:
    """The ladder: an engine asks for the weakest property it needs."""

    kind: Kind = Kind.DISTRIBUTIVE
    commutative: bool = True
    idempotent: bool = False
    invertible: bool = False
    ordered: bool = False
    """Whether the result depends on the `(time, sequence)` order of the rows."""


@dataclass(frozen=True)
class Scope:
    """The names and types that SQL text may use: columns already quoted, types in SQL spelling."""

    columns: Mapping[str, str]
    types: Mapping[str, str]
    time: str
    sequence: str
    anchor: str = "0L"
    """A tick near all rows that are lifted together, the same for each of them."""
    start: str = "s"
    end: str = "e"
    """Where a window that is lowered begins and ends, in ticks."""
    unit: int = 1
    """The ticks of the unit of time: a second, a day of dates, one of an integer measure."""

    def __getitem__(self, column: str) -> str:
        return self.columns[column]

    def is_decimal(self, column: str) -> bool:
        return self.types[column].startswith("decimal")


@dataclass(frozen=True)
class Rows:
    """A batch of rows for array code: columns by name, ticks, and the sequence that breaks ties."""

    columns: Mapping[str, pa.Array]
    ticks: pa.Array
    sequence: pa.Array

    def __getitem__(self, column: str) -> pa.Array:
        return self.columns[column]


@dataclass(frozen=True)
class Bounds:
    """Where windows begin and end, in ticks, and how many ticks the unit of time has."""

    start: np.ndarray
    end: np.ndarray
    unit: int

    @classmethod
    def at_zero(cls, count: int) -> Bounds:
        """As many windows without a place."""
        return cls(np.zeros(count, np.int64), np.zeros(count, np.int64), 1)


class Partial(ABC):
    """One column of a cell. Subclasses are frozen dataclasses: equal ones are computed once."""

    monoid: ClassVar[str | None] = None
    """The compiled kernel that combines this column (`sum`, `min`, `max`, `product`,
    `or`), if any."""
    properties: ClassVar[Properties] = Properties()

    @property
    def grows(self) -> bool:
        """Whether it is the larger the more rows are behind it, as lists and texts are."""
        return self.properties.kind is Kind.HOLISTIC

    @abstractmethod
    def lift_sql(self, scope: Scope) -> str | None:
        """An aggregate expression over the rows of one pane; None if only arrays can say it."""

    @abstractmethod
    def combine_sql(self, column: str) -> str | None:
        """An aggregate expression over this column of several cells; None as above."""

    @abstractmethod
    def lift(self, rows: Rows) -> pa.Array:
        """One partial per row."""

    @abstractmethod
    def combine(self, left: pa.Array, right: pa.Array) -> pa.Array:
        """Element by element, `left` before `right`; a null is the identity."""

    def wide(self, given: pa.DataType) -> pa.DataType:
        """The type that array code combines in, where the column's own is too narrow."""
        return given

    def record(self, column: pa.Array) -> Record | None:
        """What `combine` does with these, for loops that do the same; None if they cannot."""
        return None

    def recorded(self, numbers: np.ndarray, there: np.ndarray, column: pa.Array) -> pa.Array:
        """Partials of what a loop made, null where nothing is there.

        A row of `numbers` is a field that was merged, or how many rows each picked one, then all of
        the `column`, stands for.
        """
        raise QueryError(f"{type(self).__name__} is no record.")

    def behind(self, column: pa.Array, rows: int) -> pa.Array:
        """The same, of rows that came behind so many others: what carries a sequence raises it."""
        return column

    def invert(self, whole: pa.Array, part: pa.Array) -> pa.Array:
        """`whole` without `part`, for invertible partials."""
        raise QueryError(f"{type(self).__name__} has no inverse.")


@dataclass(frozen=True, kw_only=True)
class Aggregate(ABC):
    """An aggregate over named columns. Frozen: `.alias()` returns a copy.

    `kind_name` is the function's name, and the start of the default column name.

    >>> import panewise as pw
    >>> pw.sum("amount").alias("total").name, isinstance(pw.sum("amount"), pw.Aggregate)
    ('total', True)
    """

    kind_name: ClassVar[str]
    native: ClassVar[bool] = True
    """Whether SQL text can combine and lower it; array code always can."""
    opaque: ClassVar[bool] = False
    """Whether its partials are sealed objects that arrays can only merge one by one."""
    technique: ClassVar[str | None] = None
    """The one technique that answers it, for aggregates of events with a duration only."""
    running_form: ClassVar[str | None] = None
    """The compiled loop that follows it row by row, for aggregate frames, if there is one."""
    placed: ClassVar[bool] = False
    """Whether it depends on when rows are, and on where windows begin and end."""
    output: str | None = None

    def alias(self, name: str) -> Self:
        """The same aggregate under another result column."""
        if not isinstance(name, str) or not name:
            raise QueryError(f"an alias is non-empty text: got {name!r}.")
        return dataclasses.replace(self, output=name)

    @property
    def name(self) -> str:
        """The result column: the alias, or a spelling such as `mean(temp)`."""
        return self.output or self.canonical

    @property
    def canonical(self) -> str:
        """A spelling that two equal aggregates share."""
        return f"{self.kind_name}({', '.join(map(str, self.arguments()))})"

    def arguments(self) -> tuple[object, ...]:
        """What the canonical spelling shows: every field that is not the default."""
        return tuple(
            getattr(self, f.name)
            for f in dataclasses.fields(self)
            if f.name != "output" and getattr(self, f.name) != f.default
        )

    @abstractmethod
    def columns(self) -> tuple[str, ...]:
        """The input columns."""

    @abstractmethod
    def partials(self, scope: Scope) -> tuple[Partial, ...]:
        """The columns of a cell that this aggregate is lowered from."""

    @property
    @abstractmethod
    def properties(self) -> Properties:
        """What the laws may be relied on."""

    @property
    def told_as_held(self) -> bool:
        """Whether the result is the only partial as it is, where that is not null."""
        return False

    def running(self) -> str | None:
        """The running form with the parameters given; None if it has none."""
        return self.running_form

    def reference_sql(self, scope: Scope) -> str | None:
        """Spark's own expression for the same result, where Spark has one."""
        return None

    @abstractmethod
    def lower_sql(self, scope: Scope, partials: Sequence[str]) -> str | None:
        """The result as an expression over partial columns; None if only arrays can say it."""

    @abstractmethod
    def lower(self, partials: Sequence[pa.Array]) -> pa.Array:
        """One result per cell."""

    def results(self, partials: Sequence[pa.Array]) -> pa.Array:
        """What engines call: `lower`, unless a user's version of it wants other arrays."""
        return self.lower(partials)

    def results_within(self, partials: Sequence[pa.Array], bounds: Bounds) -> pa.Array:
        """`results`, unless it matters where windows are."""
        return self.results(partials)

    def result_type(self, scope: Scope) -> str | None:
        """The SQL type of the result, where neither Spark nor `lower_sql` can tell it."""
        return None

    def arrow_type(self, types: Mapping[str, pa.DataType], lowered: pa.DataType) -> pa.DataType:
        """The type of the result without Spark: what `lower` makes, unless Spark's is narrower."""
        return lowered

    @classmethod
    @abstractmethod
    def examples(cls) -> tuple[Aggregate, ...]:
        """Instances over a column `x` (and `y`), for the suites that run over every aggregate."""


@dataclass(frozen=True)
class OneColumn(Aggregate):
    """An aggregate of one column, made of partials over that column; the first is the result."""

    parts: ClassVar[tuple[type[Partial], ...]]
    column: str

    def columns(self) -> tuple[str, ...]:
        return (self.column,)

    def partials(self, scope: Scope) -> tuple[Partial, ...]:
        return tuple(part(self.column) for part in self.parts)  # type: ignore[call-arg]

    @property
    def properties(self) -> Properties:
        return joined(*(part.properties for part in self.parts))

    def lower_sql(self, scope: Scope, partials: Sequence[str]) -> str | None:
        return partials[0]

    def lower(self, partials: Sequence[pa.Array]) -> pa.Array:
        return partials[0]

    @property
    def told_as_held(self) -> bool:
        return type(self).lower is OneColumn.lower and type(self).results is Aggregate.results

    @classmethod
    def examples(cls) -> tuple[Aggregate, ...]:
        return (cls(column="x"),)


A = TypeVar("A", bound=Aggregate)
_registry: dict[str, type[Aggregate]] = {}


def register(cls: type[A]) -> type[A]:
    """Make an aggregate known to the law and conformance suites."""
    _registry[cls.kind_name] = cls
    return cls


def registered() -> dict[str, type[Aggregate]]:
    """Every aggregate by its name."""
    return dict(_registry)


def joined(*parts: Properties) -> Properties:
    """The properties of an aggregate made of several partials: the weakest of each."""
    ladder = [Kind.DISTRIBUTIVE, Kind.ALGEBRAIC, Kind.HOLISTIC]
    kind = max((p.kind for p in parts), key=ladder.index)
    if kind is Kind.DISTRIBUTIVE and len(parts) > 1:
        kind = Kind.ALGEBRAIC
    return Properties(
        kind=kind,
        commutative=all(p.commutative for p in parts),
        idempotent=all(p.idempotent for p in parts),
        invertible=all(p.invertible for p in parts),
        ordered=any(p.ordered for p in parts),
    )

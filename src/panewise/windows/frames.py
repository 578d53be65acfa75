"""Frames: windows that the data itself opens and closes.

Idea: rows are taken in order.  A frame grows while a number that is kept along with it stays within
a limit; the first row that breaks the limit closes the frame and is not in it.  Which number is
kept, and which limit it has, is a `Scheme`: all four schemes of the source are values of this one
class, and engines know nothing else of them.

Every row that may open a frame opens one as soon as none is open, so frames are maximal and, but
for threshold frames, leave no gaps.

References: Grossniklaus et al., DEBS 2016.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from decimal import Decimal
from numbers import Rational, Real
from typing import ClassVar, Self

from panewise.errors import QueryError, shown
from panewise.expressions import Expression
from panewise.model import Size, whole
from panewise.windows import sizes
from panewise.windows.context import Context, Scan, Window
from panewise.windows.given_column import GivenColumn, is_column

Number = int | float | Decimal
BASES = ("observed", "interval")
_MOST_ROWS = 2**62


@dataclass(frozen=True, slots=True)
class Scheme:
    """When a frame grows: while `form` of it is below the limit."""

    form: str
    """What is kept of the frame's values; `kernels/frames/forms.py` has them by name."""
    limit: Number = 0
    inclusive: bool = False
    """Whether the limit itself is still within it."""
    ahead: bool = True
    """Whether the row that may join is counted in: else it joins if the rows so far leave room."""


@dataclass(frozen=True, kw_only=True)
class Frame(Window):
    """Base of the four schemes, with the conditions that all of them take.

    Frames with fewer rows than `min_rows`, or shorter than `min_duration`, are dropped when they
    close.  A frame that has `max_rows` rows, or would get longer than `max_duration`, closes early.
    How long a frame lasts is counted from its first row to its last (`basis="observed"`) or to the
    row that closes it (`"interval"`).  Rows whose value is null are in no frame and decide nothing.
    """

    context: ClassVar[Context] = Context.FORWARD_FREE
    min_rows: int = 1
    min_duration: Size | None = None
    max_rows: int | None = None
    max_duration: Size | None = None
    basis: str = "observed"
    column: GivenColumn | None = field(default=None, repr=False)
    """A Column of Spark's that `value` stands for: it is added to the events by that name."""

    @property
    @abstractmethod
    def value(self) -> Expression | None:
        """What is looked at in each row; None where rows only count."""

    @abstractmethod
    def looking_at(self, value: Expression) -> Self:
        """The same with another value, by which it is not known."""

    @property
    @abstractmethod
    def scheme(self) -> Scheme:
        """When frames grow."""

    @abstractmethod
    def described(self) -> list[str]:
        """The parameters of the scheme, as the canonical spelling has them."""

    @property
    def canonical(self) -> str:
        more = [f"{name}={sizes.show(size)}" for name, size in self.sizes().items()]
        more += [f"min_rows={self.min_rows}"] if self.min_rows > 1 else []
        more += [f"max_rows={self.max_rows}"] if self.max_rows is not None else []
        more += [f"basis={self.basis}"] if self.basis != BASES[0] else []
        return f"{self.kind}({', '.join([*self.described(), *more])})"

    def sizes(self) -> dict[str, Size]:
        given = {"min_duration": self.min_duration, "max_duration": self.max_duration}
        return {name: size for name, size in given.items() if size is not None}

    def columns(self) -> tuple[str, ...]:
        return () if self.value is None else self.value.columns

    def demand(self) -> Scan:
        return Scan(self)

    def shown(self, value: Expression) -> str:
        """What is looked at, as the canonical spelling has it."""
        return value.text if self.column is None else self.column.shown

    def given(self, column: GivenColumn) -> Self:
        """The same looking at a Column of Spark's."""
        return replace(self.looking_at(column.value), column=column)


@dataclass(frozen=True)
class Conditions:
    """The conditions of a frame as they were given, refused by name."""

    kind: str
    min_rows: object = 1
    min_duration: object = None
    max_rows: object = None
    max_duration: object = None
    basis: object = BASES[0]

    def read(self) -> dict[str, object]:
        """The fields of a `Frame`."""
        hint = '"observed" counts to the last row, "interval" to the row that closes.'
        one_of(self.kind, "basis", self.basis, BASES, hint)
        least, most = self._count("min_rows", self.min_rows), None
        if self.max_rows is not None:
            most = self._count("max_rows", self.max_rows)
        shortest, longest = self._stretch("min_duration"), self._stretch("max_duration")
        if most is not None and most < least:
            raise self._crossed("rows", least, most)
        if shortest and longest and sizes.units(longest) < sizes.units(shortest):
            raise self._crossed("duration", sizes.show(shortest), sizes.show(longest))
        return {
            "min_rows": least, "min_duration": shortest,
            "max_rows": most, "max_duration": longest, "basis": self.basis,
        }  # fmt: skip

    def _count(self, name: str, given: object) -> int:
        count = whole(given)
        if count is None or count < 1:
            raise QueryError(
                f"{self.kind}: {name} is a number of rows, at least 1: got {shown(given)}.",
                hint=f"write {name}=2.",
            )
        if count >= _MOST_ROWS:
            raise QueryError(
                f"{self.kind}: {name} is a number of rows, below 2**62: got {shown(given)}.",
                hint="leave it out, or write fewer.",
            )
        return count

    def _stretch(self, name: str) -> Size | None:
        given = getattr(self, name)
        return None if given is None else sizes.extent(self.kind, **{name: given})[name]

    def _crossed(self, what: str, least: object, most: object) -> QueryError:
        return QueryError(
            f"{self.kind}: no frame can have min_{what}={least} and max_{what}={most}.",
            hint="give a maximum that is not below the minimum.",
        )


def expression(kind: str, name: str, given: object) -> tuple[Expression, GivenColumn | None]:
    """SQL text over the columns of a row; or the column that a Column of Spark's is to be."""
    if isinstance(given, Expression):
        return given, None
    if isinstance(given, str):
        return Expression.parse(given), None
    if is_column(given):
        column = GivenColumn.of(given)
        return column.value, column
    raise QueryError(
        f"{kind}: {name} is SQL text over columns, or a Column of Spark's: got {given!r}.",
        hint='write "speed", or "price * rate".',
    )


def one_of(kind: str, name: str, given: object, known: Collection[str], hint: str) -> None:
    """Refuse what is none of these words."""
    if not isinstance(given, str) or given not in known:
        listed = " or ".join(f'"{word}"' for word in known)
        raise QueryError(f"{kind}: {name} is {listed}: got {shown(given)}.", hint=hint)


def number(kind: str, name: str, given: object, hint: str | None = None) -> Number:
    """A number that a DOUBLE can hold, with all digits that it was given."""
    hint = hint or f"write {name}=10."
    read = _number(given)
    if read is None:
        raise QueryError(f"{kind}: {name} is a number: got {shown(given)}.", hint=hint)
    if not isinstance(read, int) and not Decimal(read).is_finite():
        raise QueryError(f"{kind}: {name} is finite: got {given!r}.", hint=hint)
    if not _fits_double(read):
        rule = f"{name} is a number that a DOUBLE can hold"
        raise QueryError(f"{kind}: {rule}: got {shown(given)}.", hint=hint)
    return read


def _number(given: object) -> Number | None:
    """As Python has it; NumPy's numbers too, which are written otherwise."""
    if isinstance(given, Decimal):
        return given
    read = whole(given)
    if read is None and isinstance(given, Real) and not isinstance(given, Rational):
        return float(given)
    return read


def _fits_double(given: Number) -> bool:
    """Whether it is neither too large nor so small that it would be taken for zero."""
    try:
        near = float(given)
    except OverflowError:
        return False
    return math.isfinite(near) and (near == 0) == (given == 0)

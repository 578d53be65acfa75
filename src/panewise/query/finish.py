"""What is done around windows: events that are kept and columns made before, results after."""

from __future__ import annotations

from dataclasses import dataclass

from panewise.expressions import Expression


@dataclass(frozen=True)
class Preparation:
    """Which events count, and columns that are made of others."""

    where: Expression | None = None
    made: tuple[tuple[str, Expression], ...] = ()

    def __bool__(self) -> bool:
        return self.where is not None or bool(self.made)


@dataclass(frozen=True)
class Selected:
    """One column of the answer: an expression over result columns, and its name."""

    value: Expression
    name: str


@dataclass(frozen=True)
class Ordered:
    """One key of an order."""

    value: Expression
    descending: bool = False
    nulls_first: bool = True


@dataclass(frozen=True)
class Finish:
    """Which rows of the results are told, and as what.

    Expressions are over the columns of the results, and over `window_start` and `window_end`.
    """

    select: tuple[Selected, ...]
    having: Expression | None = None
    order: tuple[Ordered, ...] = ()
    limit: int | None = None

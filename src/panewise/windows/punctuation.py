"""Punctuation windows: marked rows cut the stream."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from panewise.expressions import Expression
from panewise.windows import context
from panewise.windows.context import Context, Scan, Window


@context.register
@dataclass(frozen=True)
class Punctuation(Window):
    """The rows between marked rows; a marked row opens the window after it and belongs to it.

    Rows before the first mark form a window too.  It reaches from its first row to the time of the
    mark that closes it; the one still open at the end of the data, to the tick after its last row.

    >>> punctuation("status = 'restarted'").window_id
    "punctuation(status = 'restarted')"
    """

    kind: ClassVar[str] = "punctuation"
    context: ClassVar[Context] = Context.FORWARD_FREE
    predicate: Expression

    @property
    def canonical(self) -> str:
        return f"{self.kind}({self.predicate.text})"

    def columns(self) -> tuple[str, ...]:
        return self.predicate.columns

    def demand(self) -> Scan:
        return Scan(self)

    @classmethod
    def examples(cls) -> tuple[Window, ...]:
        return (punctuation("y > 0"), punctuation("y IS NULL OR y = -2"), punctuation("y > 9"))


def punctuation(predicate: str | Expression) -> Punctuation:
    """Windows cut at the rows for which `predicate`, SQL text over columns, is true.

    >>> import panewise as pw
    >>> events = {"t": [1, 3, 12, 14], "x": [5, 1, 2, 7]}
    >>> window = pw.punctuation("x = 2")
    >>> told = pw.aggregate(events, time="t", windows=[window], aggregates=[pw.sum("x")])
    >>> for row in told.to_pylist():
    ...     print(row["window"], row["sum(x)"])
    {'start': 1, 'end': 12} 6
    {'start': 12, 'end': 15} 9
    """
    read = predicate if isinstance(predicate, Expression) else Expression.parse(predicate)
    return Punctuation(predicate=read)

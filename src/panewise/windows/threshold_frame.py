"""Threshold frames: the stretches in which a predicate holds."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Self

from panewise.expressions import Expression
from panewise.windows import context
from panewise.windows.context import Window
from panewise.windows.frames import Conditions, Frame, Scheme, expression


@context.register
@dataclass(frozen=True, kw_only=True)
class ThresholdFrame(Frame):
    """Neighbouring rows for which a predicate is true.

    A row for which it is false closes the frame and is in none.  The frame reaches from its first
    row to the time of the row that closes it.

    >>> threshold_frame("speed > 120", min_rows=3).window_id
    'threshold_frame(speed > 120, min_rows=3)'
    """

    kind: ClassVar[str] = "threshold_frame"
    predicate: Expression

    @property
    def value(self) -> Expression:
        return self.predicate

    def looking_at(self, value: Expression) -> Self:
        return replace(self, predicate=value)

    @property
    def scheme(self) -> Scheme:
        return Scheme("all")

    def described(self) -> list[str]:
        return [self.shown(self.predicate)]

    @classmethod
    def examples(cls) -> tuple[Window, ...]:
        return (
            threshold_frame("y > 0"),
            threshold_frame("y IS NULL OR y <> 1", min_rows=2, max_rows=3, max_duration=20),
            threshold_frame("y >= -1", min_duration=6, basis="interval"),
        )


def threshold_frame(
    predicate: object,
    *,
    min_rows: int = 1,
    min_duration: object = None,
    max_rows: int | None = None,
    max_duration: object = None,
    basis: str = "observed",
) -> ThresholdFrame:
    """Frames of the rows for which `predicate`, SQL text over columns, is true.

    >>> import panewise as pw
    >>> events = {"t": [1, 3, 12, 14], "x": [5, 1, 2, 7]}
    >>> window = pw.threshold_frame("x >= 2")
    >>> told = pw.aggregate(events, time="t", windows=[window], aggregates=[pw.sum("x")])
    >>> for row in told.to_pylist():
    ...     print(row["window"], row["sum(x)"])
    {'start': 1, 'end': 3} 5
    {'start': 12, 'end': 15} 9
    """
    kind = ThresholdFrame.kind
    conditions = Conditions(kind, min_rows, min_duration, max_rows, max_duration, basis).read()
    read, column = expression(kind, "predicate", predicate)
    return ThresholdFrame(predicate=read, column=column, **conditions)  # type: ignore[arg-type]

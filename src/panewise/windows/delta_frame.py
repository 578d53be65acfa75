"""Delta frames: the stretches in which a value moves by less than delta."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Self

from panewise.errors import QueryError
from panewise.expressions import Expression
from panewise.windows import context
from panewise.windows.context import Window
from panewise.windows.frames import Conditions, Frame, Number, Scheme, expression, number, one_of

_SCHEMES = {"anchor": ("anchor", False), "range": ("range", True)}
"""By mode: what is kept of the frame, and whether delta itself is within the limit."""


@context.register
@dataclass(frozen=True, kw_only=True)
class DeltaFrame(Frame):
    """Neighbouring rows whose value differs by less than `delta` from that of the first of them.

    With `mode="range"`, the highest and the lowest value of a frame differ by at most `delta`.  NaN
    differs from every number, and not from itself.

    >>> delta_frame("price", 4).window_id
    'delta_frame(price, 4)'
    """

    kind: ClassVar[str] = "delta_frame"
    moving: Expression
    delta: Number
    mode: str = "anchor"

    @property
    def value(self) -> Expression:
        return self.moving

    def looking_at(self, value: Expression) -> Self:
        return replace(self, moving=value)

    @property
    def scheme(self) -> Scheme:
        form, inclusive = _SCHEMES[self.mode]
        return Scheme(form, self.delta, inclusive)

    def described(self) -> list[str]:
        mode = [f"mode={self.mode}"] if self.mode != "anchor" else []
        return [self.shown(self.moving), str(self.delta), *mode]

    @classmethod
    def examples(cls) -> tuple[Window, ...]:
        return (
            delta_frame("y", 2),
            delta_frame("y", 1.5, mode="range", max_duration=10, min_rows=2),
        )


def delta_frame(
    value: object,
    delta: object,
    *,
    mode: str = "anchor",
    min_rows: int = 1,
    min_duration: object = None,
    max_rows: int | None = None,
    max_duration: object = None,
    basis: str = "observed",
) -> DeltaFrame:
    """Frames in which `value` stays within `delta` of the first one, or of each other.

    >>> import panewise as pw
    >>> events = {"t": [1, 3, 12, 14], "x": [5, 1, 2, 7]}
    >>> window = pw.delta_frame("x", 3)
    >>> told = pw.aggregate(events, time="t", windows=[window], aggregates=[pw.sum("x")])
    >>> for row in told.to_pylist():
    ...     print(row["window"], row["sum(x)"])
    {'start': 1, 'end': 3} 5
    {'start': 3, 'end': 14} 3
    {'start': 14, 'end': 15} 7
    """
    kind = DeltaFrame.kind
    conditions = Conditions(kind, min_rows, min_duration, max_rows, max_duration, basis).read()
    hint = '"anchor" compares with the first row, "range" the highest with the lowest.'
    one_of(kind, "mode", mode, _SCHEMES, hint)
    least = number(kind, "delta", delta)
    if least <= 0:
        raise QueryError(f"{kind}: delta must be positive: got {least}.", hint="write delta=4.")
    moving, column = expression(kind, "value", value)
    return DeltaFrame(moving=moving, column=column, delta=least, mode=mode, **conditions)  # type: ignore[arg-type]

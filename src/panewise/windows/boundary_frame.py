"""Boundary frames: the stretches in which a value stays between two boundaries."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import ClassVar, Self

from panewise.errors import QueryError, shown
from panewise.expressions import Expression
from panewise.windows import context
from panewise.windows.context import Window
from panewise.windows.frames import Conditions, Frame, Number, Scheme, expression, number


@context.register
@dataclass(frozen=True, kw_only=True)
class BoundaryFrame(Frame):
    """Neighbouring rows whose value is in one band.

    Bands are cut by `edges`, where a boundary belongs to the band above it, or are all `width`
    wide, one of them beginning at `origin`.  NaN is above every number.

    >>> boundary_frame("temp", edges=[3, 6]).window_id
    'boundary_frame(temp, edges=[3, 6])'
    >>> boundary_frame("temp", width=10, origin=5).window_id
    'boundary_frame(temp, width=10, origin=5)'
    """

    kind: ClassVar[str] = "boundary_frame"
    banded: Expression
    edges: tuple[Number, ...] = ()
    width: Number | None = None
    origin: Number = 0

    @property
    def value(self) -> Expression:
        return self.banded

    def looking_at(self, value: Expression) -> Self:
        return replace(self, banded=value)

    @property
    def scheme(self) -> Scheme:
        """Numbers of bands do not differ."""
        return Scheme("range", 0, inclusive=True)

    def described(self) -> list[str]:
        if self.width is None:
            return [self.shown(self.banded), f"edges=[{', '.join(map(str, self.edges))}]"]
        origin = [f"origin={self.origin}"] if self.origin else []
        return [self.shown(self.banded), f"width={self.width}", *origin]

    @classmethod
    def examples(cls) -> tuple[Window, ...]:
        return (
            boundary_frame("y * 2 + 1", edges=[-1, 2.5]),
            boundary_frame("y", width=2, origin=-1, max_rows=4),
        )


def boundary_frame(
    value: object,
    edges: object = None,
    *,
    width: object = None,
    origin: object = 0,
    min_rows: int = 1,
    min_duration: object = None,
    max_rows: int | None = None,
    max_duration: object = None,
    basis: str = "observed",
) -> BoundaryFrame:
    """Frames of rows whose `value` stays between two of the `edges`, or in a band of a `width`.

    >>> import panewise as pw
    >>> events = {"t": [1, 3, 12, 14], "x": [5, 1, 2, 7]}
    >>> window = pw.boundary_frame("x", edges=[3, 6])
    >>> told = pw.aggregate(events, time="t", windows=[window], aggregates=[pw.sum("x")])
    >>> for row in told.to_pylist():
    ...     print(row["window"], row["sum(x)"])
    {'start': 1, 'end': 3} 5
    {'start': 3, 'end': 14} 3
    {'start': 14, 'end': 15} 7
    """
    kind = BoundaryFrame.kind
    conditions = Conditions(kind, min_rows, min_duration, max_rows, max_duration, basis).read()
    if (edges is None) == (width is None):
        raise QueryError(
            f"{kind} takes edges or a width: got edges={shown(edges)}, width={shown(width)}.",
            hint='write boundary_frame("temp", edges=[3, 6]), or width=10.',
        )
    wide = None if width is None else number(kind, "width", width)
    if wide is not None and wide <= 0:
        raise QueryError(
            f"{kind}: width must be positive: got width={wide}.", hint="write width=10."
        )
    banded, column = expression(kind, "value", value)
    return BoundaryFrame(
        banded=banded,
        column=column,
        edges=() if edges is None else _ascending(kind, edges),
        width=wide,
        origin=number(kind, "origin", origin),
        **conditions,  # type: ignore[arg-type]
    )


def _ascending(kind: str, given: object) -> tuple[Number, ...]:
    if isinstance(given, Set | Mapping):
        raise QueryError(
            f"{kind}: edges are listed in order: got {shown(given)}, which has none.",
            hint="write edges=[3, 6].",
        )
    listed = _listed(given)
    if not listed:
        raise QueryError(
            f"{kind}: edges lists at least one number: got {shown(given)}.",
            hint="write edges=[3, 6].",
        )
    edges = tuple(number(kind, "an edge", each, "write edges=[3, 6].") for each in listed)
    for low, high in pairwise(edges):
        if low >= high:
            raise QueryError(
                f"{kind}: edges ascend: got {shown(low)} before {shown(high)}.",
                hint=f"write edges={shown(sorted(set(edges)))}.",
            )
    return edges


def _listed(given: object) -> list[object]:
    """What there is in it, if there is anything."""
    if isinstance(given, str) or not isinstance(given, Iterable):
        return []
    try:
        return list(given)
    except TypeError:  # an array of NumPy's that has no length
        return []

"""Columns and programs from plain Python, for the tests of kernels."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from panewise.aggregates import Partial, Rows, Scope
from panewise.aggregates.extremes import MaxPartial
from panewise.aggregates.sum import SumPartial
from panewise.kernels.asked import Asked, AskedWindows
from panewise.kernels.columns import Numbers, column_of
from panewise.kernels.program import Program
from panewise.optimizer import pane_edges
from panewise.windows import Family, PaneWidth, Window


def numbers_of(values: Sequence[float | int | None], kind: pa.DataType | None = None) -> Numbers:
    """A column that loops take; None is null."""
    typed = kind or (pa.float64() if any(isinstance(v, float) for v in values) else pa.int64())
    column = column_of(pa.array(values, typed), "sum")
    assert isinstance(column, Numbers)
    return column


@dataclass(frozen=True)
class TextPartial(Partial):
    """The values one after the other as text, which shows in what order they were combined."""

    column: str

    def lift_sql(self, scope: Scope) -> None:
        return None

    def combine_sql(self, column: str) -> None:
        return None

    def lift(self, rows: Rows) -> pa.Array:
        return texts(rows[self.column])

    def combine(self, left: pa.Array, right: pa.Array) -> pa.Array:
        both = pc.binary_join_element_wise(left, right, "")
        return pc.coalesce(both, left, right)


def texts(values: pa.Array) -> pa.Array:
    """What `TextPartial` makes of single values."""
    return pc.binary_join_element_wise(values.cast(pa.string()), ";", "")


def program(windows: Sequence[Window], **options: Any) -> Program:
    """A program of a sum and a maximum over `x`, and of a text where order matters."""
    partials: tuple[Partial, ...] = (SumPartial("x"), MaxPartial("x"))
    if not options.get("commutative", True):
        partials += (TextPartial("x"),)
    demands = [window.demand() for window in windows]
    paned = [w for w, d in zip(windows, demands, strict=True) if isinstance(d, Family | PaneWidth)]
    return Program(
        AskedWindows(Asked(number, demand) for number, demand in enumerate(demands)),
        pane_edges(paned, many=True),
        partials,
        **options,
    )

"""A window and an aggregate of a user's."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

import panewise as pw
from panewise.windows import ScannedRows


@dataclass(frozen=True)
class Every(pw.UserWindow):
    """A window of every n rows."""

    kind: ClassVar[str] = "nth"
    n: int
    column: str

    @property
    def reads(self) -> tuple[str, ...]:  # type: ignore[override]
        return (self.column,)

    def scan(self, context: Any, rows: ScannedRows, watermark: int) -> pw.Scanned:
        ends = list(range(self.n, len(rows) + 1, self.n))
        if watermark == pw.END and len(rows) not in [0, *ends[-1:]]:
            ends.append(len(rows))
        starts, ticks = [0, *ends], rows.ticks
        closed = [
            pw.Closed(lo, hi, ticks[lo], ticks[hi - 1] + rows.tick)
            for lo, hi in zip(starts, ends, strict=False)
        ]
        return pw.Scanned(closed, context, needed=starts[-1])


@dataclass(frozen=True)
class RootMeanSquare(pw.UserAggregate):
    """The root of the mean of squares."""

    kind_name: ClassVar[str] = "rms"
    partial_types: ClassVar[tuple[str, ...]] = ("double", "bigint")
    returns: ClassVar[str] = "double"

    def lift(self, x: np.ndarray) -> tuple[np.ndarray, ...]:
        return x.astype(float) ** 2, np.ones(len(x), int)

    def combine(self, a: Any, b: Any) -> tuple[np.ndarray, ...]:
        return a[0] + b[0], a[1] + b[1]

    def lower(self, p: Any) -> np.ndarray:  # type: ignore[override]
        return np.sqrt(p[0] / p[1])

"""A window and an aggregate as users write them; workers get them by value."""

from typing import Any

import numpy as np

import panewise as pw


def spread() -> type[pw.UserAggregate]:
    """The distance of the largest from the smallest."""

    class Spread(pw.UserAggregate):
        kind_name = "spread"
        partial_types = ("double", "double")
        returns = "double"

        def lift(self, values: np.ndarray) -> tuple[np.ndarray, ...]:
            return values.astype(float), values.astype(float)

        def combine(self, left: tuple, right: tuple) -> tuple[np.ndarray, ...]:
            return np.minimum(left[0], right[0]), np.maximum(left[1], right[1])

        def lower(self, partials: tuple) -> np.ndarray:
            return partials[1] - partials[0]

    return Spread


def until_blue() -> type[pw.UserWindow]:
    """Rows up to a blue one."""

    class UntilBlue(pw.UserWindow):
        kind = "until_blue"
        reads = ("word",)

        def scan(self, context: Any, rows: Any, watermark: int) -> pw.Scanned:
            ends = [int(blue) + 1 for blue in np.flatnonzero(rows["word"] == "blue")]
            if watermark == pw.END and len(rows) not in [0, *ends[-1:]]:
                ends.append(len(rows))
            starts, ticks = [0, *ends], rows.ticks
            found = [
                pw.Closed(lo, hi, ticks[lo], ticks[hi - 1] + rows.tick)
                for lo, hi in zip(starts, ends, strict=False)
            ]
            return pw.Scanned(found, context, needed=starts[-1])

    return UntilBlue

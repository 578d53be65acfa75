"""A user's window that the tests share: one per order, which closes on payment."""

from typing import Any

import numpy as np

import panewise as pw
from panewise.windows import ScannedRows


class Order(pw.UserWindow):
    kind = "order"
    reads = ("status",)

    def scan(self, context: Any, rows: ScannedRows, watermark: int) -> pw.Scanned:
        ends = [int(paid) + 1 for paid in np.flatnonzero(rows["status"] == "paid")]
        if watermark == pw.END and len(rows) not in [0, *ends[-1:]]:
            ends.append(len(rows))  # never paid
        starts, ticks = [0, *ends], rows.ticks
        closed = [
            pw.Closed(lo, hi, ticks[lo], ticks[hi - 1] + rows.tick)
            for lo, hi in zip(starts, ends, strict=False)
        ]
        return pw.Scanned(closed, context, needed=starts[-1])

"""The single buffer of the source: rows in one array, all of which are cut anew at every report.

Idea: late rows are put in order by sorting the array when a report is due (lazy), or each by moving
all that come after it (eager).  Slower than merging and than the multi buffer; for comparison.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from panewise.kernels.compiled import compiled


def lazy_order(code: np.ndarray, ticks: np.ndarray, sequence: np.ndarray, held: int) -> np.ndarray:
    """The order of all rows, by sorting them."""
    return np.lexsort((sequence, ticks, code))


@compiled
def eager_order(code, ticks, sequence, held):  # type: ignore[no-untyped-def]
    """The order of all rows, of which the first are in order, by inserting the others."""
    order = np.arange(len(code))
    for row in range(held, len(code)):
        at = row
        while at > 0:
            other = order[at - 1]
            if code[other] != code[row]:
                before = code[other] < code[row]
            elif ticks[other] != ticks[row]:
                before = ticks[other] < ticks[row]
            else:
                before = sequence[other] <= sequence[row]
            if before:
                break
            order[at] = other
            at -= 1
        order[at] = row
    return order


ORDERS: dict[str, Callable[..., np.ndarray]] = {"lazy": lazy_order, "eager": eager_order}
"""By the name of the buffer that is forced."""

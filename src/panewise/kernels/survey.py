"""What a batch's times are like, found in one pass."""

from __future__ import annotations

from panewise.kernels.compiled import compiled


@compiled
def survey(ticks):  # type: ignore[no-untyped-def]
    """The earliest and the latest time, and whether none is before the one before it.

    >>> import numpy as np
    >>> tuple(map(int, survey(np.array([3, 5, 4]))))
    (3, 5, 0)
    """
    if len(ticks) == 0:
        return 0, 0, True
    low = high = ticks[0]
    behind = 0
    for i in range(1, len(ticks)):
        low = min(low, ticks[i])
        high = max(high, ticks[i])
        behind += ticks[i] < ticks[i - 1]
    return low, high, behind == 0

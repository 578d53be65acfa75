"""What the times of a batch are like, found in one pass."""

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


@compiled
def survey_spans(start, end):  # type: ignore[no-untyped-def]
    """The first and the last tick of events, the ticks of the longest, how many end too early.

    >>> import numpy as np
    >>> tuple(map(int, survey_spans(np.array([3, 5]), np.array([9, 5]))))
    (3, 8, 6, 0)
    """
    if len(start) == 0:
        return 0, 0, 0, 0
    low, high, longest = start[0], start[0], 1
    backwards = 0
    for i in range(len(start)):
        begin, behind = start[i], end[i]
        low, high = min(low, begin), max(high, behind - 1, begin)
        longest = max(longest, behind - begin)
        backwards += behind < begin
    return low, high, longest, backwards

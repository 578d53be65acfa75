"""Running sums: a range is the difference of two, where sums can be inverted without loss.

Idea: integers subtract exactly.  Floating sums are not taken apart: what cancels would be lost.
Cost: one addition per cell and one subtraction per range, whatever the overlap.
"""

from __future__ import annotations

import numpy as np

from panewise.kernels.compiled import compiled


@compiled
def running_sums(values, valid, lo, hi, out, present):  # type: ignore[no-untyped-def]
    """Whether the running sum left 64 bits, so that the ranges must be summed one by one."""
    every = len(valid) == 0
    sums = np.zeros(len(values) + 1, values.dtype)
    counts = np.zeros(0 if every else len(values) + 1, np.int64)
    for i in range(len(values)):
        value = values[i] if every or valid[i] else values.dtype.type(0)
        total = sums[i] + value
        if (sums[i] >= 0) == (value >= 0) and (total >= 0) != (value >= 0):
            return True
        sums[i + 1] = total
        if not every:
            counts[i + 1] = counts[i] + valid[i]
    for w in range(len(lo)):
        out[w] = sums[hi[w]] - sums[lo[w]]
        present[w] = hi[w] > lo[w] if every else counts[hi[w]] > counts[lo[w]]
    return False

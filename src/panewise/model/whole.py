"""Integers, whoever's they are: Python's own, NumPy's, pandas'."""

from __future__ import annotations

import operator
from numbers import Integral


def whole(given: object) -> int | None:
    """The integer that this is; None for anything else, true and false among it.

    >>> import numpy as np
    >>> whole(np.int32(7)), whole(7.0), whole(True), whole(np.timedelta64(7, "s"))
    (7, None, None, None)
    """
    if isinstance(given, bool) or not isinstance(given, Integral):
        return None
    try:
        return operator.index(given)
    except TypeError:  # a stretch of time of NumPy's says that it is one
        return None

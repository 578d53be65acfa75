"""The numbers of rows that arrived one after another, made when somebody looks at them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True, slots=True)
class Arrivals:
    """The numbers from `first` on.

    >>> Arrivals(5, 3)[1:], Arrivals(5, 3)[np.array([2, 0])], np.asarray(Arrivals(5, 3))
    (Arrivals(first=6, count=2), array([7, 5]), array([5, 6, 7]))
    """

    first: int
    count: int

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, at: Any) -> Any:
        if isinstance(at, slice):
            low, high, step = at.indices(self.count)
            assert step == 1
            return Arrivals(self.first + low, max(high - low, 0))
        if isinstance(at, np.ndarray):
            return at + self.first
        return self.first + range(self.count)[at]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.arange(self.first, self.first + self.count, dtype=dtype)

    @property
    def nbytes(self) -> int:
        return 0

"""The names of windows, one for each result.

Idea: a push tells many results of a few windows, and the next one tells as many: a name that was
repeated once is told as a slice of what was made then.  Those who send results on need no texts:
they get the numbers of names.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from panewise.kernels.columns import array_of

KEPT = 1 << 26
"""Bytes of repeated names that stay at hand."""


class Names:
    """Names by number."""

    def __init__(self, names: pa.Array) -> None:
        self.type = names.type
        self._names = names
        self._repeated: dict[int, pa.Array] = {}

    def of(self, numbers: np.ndarray) -> pa.Array:
        """The name of each."""
        if len(numbers) and (len(self._names) == 1 or _are_one(numbers)):
            return self._one(int(numbers[0]), len(numbers))
        return self._names.take(pa.array(numbers))

    def _one(self, number: int, count: int) -> pa.Array:
        """One name so many times."""
        known = self._repeated.get(number)
        if known is None or len(known) < count:
            known = pa.repeat(self._names[number], count + count // 4)  # the next may be more
            self._keep(number, known)
        return known.slice(0, count)

    def _keep(self, number: int, repeated: pa.Array) -> None:
        self._repeated.pop(number, None)
        if repeated.nbytes + sum(each.nbytes for each in self._repeated.values()) > KEPT:
            self._repeated.clear()
        self._repeated[number] = repeated


class Codes:
    """The same as dictionaries: numbers, and the names that they stand for.

    >>> Codes(pa.array(["a", "b"])).of(np.array([1, 0, 1])).to_pylist()
    ['b', 'a', 'b']
    """

    def __init__(self, names: pa.Array) -> None:
        self.type = pa.dictionary(pa.int32(), names.type)
        self._names = names

    def of(self, numbers: np.ndarray) -> pa.Array:
        """The name of each."""
        places = array_of(numbers.astype(np.int32), pa.int32())
        return pa.DictionaryArray.from_arrays(places, self._names)


def _are_one(numbers: np.ndarray) -> bool:
    """Whether all are the same, which need not be looked at if they lie in one place."""
    return not numbers.strides[0] or bool((numbers == numbers[0]).all())

"""Numbers that are made when somebody looks: the same as if they had been there."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from panewise.kernels.arrivals import Arrivals
from panewise.kernels.columns import cut, taken


@given(first=st.integers(-5, 2**40), count=st.integers(1, 9), data=st.data())
def test_as_an_array_of_them(first: int, count: int, data: st.DataObject) -> None:
    arrivals, numbers = Arrivals(first, count), np.arange(first, first + count)
    assert len(arrivals) == count and np.asarray(arrivals).tolist() == numbers.tolist()
    place = data.draw(st.integers(-count, count - 1))
    assert arrivals[place] == numbers[place]
    rows = np.array(data.draw(st.lists(st.integers(0, count - 1))), np.int64)
    assert taken(arrivals, rows).tolist() == numbers[rows].tolist()
    lo, hi = sorted(data.draw(st.integers(0, count)) for _ in range(2))
    assert np.asarray(cut(arrivals, lo, hi)).tolist() == numbers[lo:hi].tolist()

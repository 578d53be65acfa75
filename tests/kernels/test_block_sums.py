"""Sums of blocks against sums of the cells themselves."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from panewise.kernels.block_sums import block_sums


@given(st.data(), st.integers(0, 200))
def test_ranges_are_summed_as_cell_by_cell(data: st.DataObject, size: int) -> None:
    rng = np.random.default_rng(size)
    values = rng.integers(-1000, 1000, size).astype(np.float64)  # sums are exact in any order
    bounds = st.tuples(st.integers(0, size), st.integers(0, size)).map(sorted)
    lo, hi = np.array(data.draw(st.lists(bounds, max_size=8)), np.int64).reshape(-1, 2).T.copy()
    out, present = np.empty(len(lo)), np.empty(len(lo), np.bool_)
    block_sums(values, lo, hi, out, present)
    assert out.tolist() == [values[a:b].sum() for a, b in zip(lo, hi, strict=True)]
    assert present.tolist() == (lo < hi).tolist()


def test_what_is_not_a_number_stays_in_its_ranges() -> None:
    values = np.ones(200)
    values[70], values[120] = np.nan, np.inf
    lo, hi = np.array([0, 64, 0, 71, 100]), np.array([70, 71, 200, 200, 121])
    out, present = np.empty(5), np.empty(5, np.bool_)
    block_sums(values, lo, hi, out, present)
    np.testing.assert_array_equal(out, [70, np.nan, np.nan, np.inf, np.inf])
    assert present.all()

"""Quantiles by selection against those of whole tallies."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import panewise as pw
from panewise.kernels import selection as module
from panewise.kernels.selection import pays, selected
from panewise.kernels.tallies import Ranked

cell = st.tuples(st.integers(0, 40), st.integers(1, 3))
shares = st.lists(st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.9, 1.0]), min_size=1, max_size=4)


@given(st.lists(cell, min_size=1, max_size=30), shares, st.data(), st.sampled_from([1, 4, 4096]))
def test_selected_quantiles_are_those_of_the_tally(
    cells: list[tuple[int, int]], asked: list[float], data: st.DataObject, bins: int
) -> None:
    numbers, weights = np.array(cells, np.int64).T.copy()
    # numbers are not in the order of values, and the last one is null
    ranks = np.append(np.arange(40) * 7 % 40, -1)
    values = pa.array(np.arange(40) / 4)
    bound = st.integers(0, len(cells))
    pairs = [sorted(p) for p in data.draw(st.lists(st.tuples(bound, bound), min_size=1))]
    lo, hi = np.array(pairs, np.int64).T.copy()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "BINS", bins)
        got = selected(ranks, values, numbers, weights, lo, hi, asked)
    whole = Ranked(ranks[numbers], values, weights, np.array([0, len(cells)]))
    ((_, expected),) = whole.tallies(lo, hi)
    aggregate = pw.quantiles("x", asked)
    assert aggregate.lower_tally(got).equals(aggregate.lower_tally(expected))
    for begin, end in zip(got.offsets[:-1], got.offsets[1:], strict=True):
        assert np.all(np.diff(np.asarray(got.values[begin:end])) > 0)
    assert got.totals.tolist() == expected.totals.tolist()


def test_it_pays_for_windows_apart_with_many_values() -> None:
    lo = np.arange(0, 1000, 10)
    assert pays(100_000, lo, lo + 10)
    assert not pays(100, lo, lo + 10)


def test_moving_counts_pays_where_windows_overlap_by_far() -> None:
    lo = np.arange(0, 10_000, 10)
    assert not pays(100_000, lo, lo + 1_000_000)

"""Bins of values: in order, and the same ones when values are added."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from panewise.kernels import bins as module
from panewise.kernels import ranking as ranks
from panewise.kernels.ranking import Ranking

parts = st.lists(st.lists(st.one_of(st.none(), st.integers(-50, 50)), max_size=9), max_size=5)


@given(parts, st.sampled_from([4, ranks.MANY]))
def test_bins_are_in_the_order_of_values_and_stay(given: list[list[int | None]], many: int) -> None:
    ranking = Ranking(pa.int64())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ranks, "MANY", many)
        patch.setattr(module, "BINS", 4)
        patch.setattr(module, "GROWN", 100)
        bins, before = ranking.bins(), np.empty(0, np.int64)
        for part in given:
            ranking.add(pa.array(part, pa.int64()))
            assert ranking.bins() is bins
            assert bins.of[: len(before)].tolist() == before.tolist()
            before = bins.of
            assert ((bins.of < 0) == (ranking.ranks < 0)).all()
            present = np.flatnonzero(bins.of >= 0)
            order = present[np.argsort(ranking.ranks[present], kind="stable")]
            assert (np.diff(bins.of[order]) >= 0).all()
            for number in present:
                at = bins.of[number]
                assert bins.first[at] <= ranking.ranks[number] < bins.first[at + 1]


def test_crowded_bins_are_cut_anew() -> None:
    ranking = Ranking(pa.int64())
    ranking.add(pa.array(range(10)))
    few = ranking.bins()
    ranking.add(pa.array(range(10, 10 + module.GROWN * module.BINS)))
    many = ranking.bins()
    assert many is not few
    assert np.bincount(many.of).max() <= module.GROWN + 1

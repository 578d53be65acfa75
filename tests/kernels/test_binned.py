"""Quantiles from binned panes that come and go, against those of whole tallies."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import panewise as pw
from panewise.kernels import binned as module
from panewise.kernels.binned import BinnedPanes
from panewise.kernels.cells import Cells
from panewise.kernels.ranking import Ranking
from panewise.kernels.tallies import Ranked

shares = st.lists(st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.9, 1.0]), min_size=1, max_size=4)
pane = st.dictionaries(st.integers(0, 15), st.integers(1, 3), min_size=1)
steps = st.lists(
    st.tuples(st.lists(pane, min_size=1, max_size=3), st.integers(0, 2)), min_size=1, max_size=4
)


def cells_of(panes: list[tuple[int, dict[int, int]]]) -> Cells:
    rows = [(at, value, count) for at, counts in panes for value, count in sorted(counts.items())]
    tick, value, weights = np.array(rows, np.int64).T.copy()
    return Cells(np.zeros(len(tick), np.int64), tick, [], value=value, weights=weights)


@given(steps, shares, st.data())
def test_quantiles_of_panes_that_come_and_go(
    given: list[tuple[list[dict[int, int]], int]], asked: list[float], data: st.DataObject
) -> None:
    ranking, binned = Ranking(pa.int64()), BinnedPanes()
    ranking.add(pa.array([5, None, 9]))
    panes: list[tuple[int, dict[int, int]]] = []
    tick = 0
    aggregate = pw.quantiles("x", asked)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "CROWDED", 0)
        for fresh, gone in given:
            # numbers up to 15 get values that lie among those from before
            more = range(len(ranking), min(len(ranking) + 5, 16))
            ranking.add(pa.array([each * 7 % 16 for each in more], pa.int64()))
            for counts in fresh:
                known = {number % len(ranking): count for number, count in counts.items()}
                panes, tick = [*panes, (tick, known)], tick + 10
            cells = cells_of(panes)
            cuts = np.append(np.flatnonzero(np.diff(cells.pane, prepend=-1)), len(cells))
            bound = st.integers(0, len(cuts) - 1)
            pairs = [sorted(p) for p in data.draw(st.lists(st.tuples(bound, bound), min_size=1))]
            lo, hi = cuts[np.array(pairs).T]
            got = binned.selected(ranking, cells, lo, hi, asked)
            assert got is not None and cells.value is not None and cells.weights is not None
            ranks = ranking.ranks[cells.value]
            whole = Ranked(ranks, ranking.values, cells.weights, np.array([0, len(cells)]))
            ((_, expected),) = whole.tallies(lo, hi)
            assert aggregate.lower_tally(got).equals(aggregate.lower_tally(expected))
            assert got.totals.tolist() == expected.totals.tolist()
            panes = panes[min(gone, len(panes) - 1) :]


def test_small_panes_are_left_to_others() -> None:
    ranking = Ranking(pa.int64())
    ranking.add(pa.array([1, 2]))
    cells = cells_of([(0, {0: 1, 1: 2})])
    whole = np.array([0]), np.array([2])
    assert BinnedPanes().selected(ranking, cells, *whole, [0.5]) is None

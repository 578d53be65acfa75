"""Ranks of values that come in parts against those of all at once."""

import math
from decimal import Decimal
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from panewise.aggregates.value_counts import rank_values
from panewise.kernels import ranking as module
from panewise.kernels.ranking import Ranking

KINDS = {
    "integers": (pa.int64(), st.integers(-5, 5)),
    "floats": (pa.float64(), st.sampled_from([0.0, 1.5, -2.0, math.inf, -math.inf, math.nan])),
    "texts": (pa.string(), st.sampled_from(["", "a", "b", "ab"])),
    "decimals": (pa.decimal128(5, 1), st.sampled_from([Decimal("1.5"), Decimal("-2.0")])),
}


@pytest.mark.parametrize("kind", KINDS)
def test_ranks_in_parts_are_those_of_the_whole(kind: str) -> None:
    of, value = KINDS[kind]

    @given(st.lists(st.lists(st.one_of(st.none(), value), max_size=6), max_size=5))
    def check(parts: list[list[object]]) -> None:
        ranking = Ranking(of)
        for part in parts:
            ranking.add(pa.array(part, of))
        whole = pa.array([value for part in parts for value in part], of)
        expected = np.full(len(whole), -1, np.int64)
        expected[np.asarray(whole.is_valid())] = rank_values(whole.drop_null())
        assert ranking.ranks.tolist() == expected.tolist()
        assert len(ranking) == len(whole)
        assert rank_values(ranking.values).tolist() == list(range(len(ranking.values)))
        given_at = np.flatnonzero(expected >= 0)
        by_rank = ranking.values.take(pa.array(expected[given_at]))
        assert repr(by_rank.to_pylist()) == repr(whole.take(pa.array(given_at)).to_pylist())

    check()


near_or_far = st.one_of(st.integers(-9, 9), st.sampled_from([-128, 60, 127]))


@given(st.lists(st.lists(st.one_of(st.none(), near_or_far), max_size=9), max_size=6))
def test_near_integers_have_ranks_in_their_order(parts: list[list[int | None]]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "MANY", 4)
        ranking = Ranking(pa.int8())
        whole: list[int | None] = []
        for part in parts:
            ranking.add(pa.array(part, pa.int8()))
            whole += part
            values = ranking.values.to_pylist()
            assert ranking.values.type == pa.int8()
            assert all(a < b for a, b in pairwise(values))
            shown = [None if rank < 0 else values[rank] for rank in ranking.ranks]
            assert shown == whole


def test_ranks_of_near_integers_stay_when_others_come_between() -> None:
    ranking = Ranking(pa.int64())
    ranking.add(pa.array(range(0, 2 * module.MANY, 2)))
    before = ranking.ranks
    ranking.add(pa.array([1, None, 2 * module.MANY + 5]))
    assert ranking.ranks[: len(before)].tolist() == before.tolist()
    assert ranking.ranks[-3] == before[0] + 1 and ranking.ranks[-2] == -1


def test_integers_are_near_no_more_once_one_is_far() -> None:
    ranking = Ranking(pa.int64())
    ranking.add(pa.array(range(module.MANY)))
    ranking.add(pa.array([2**62, -(2**62)]))
    assert len(ranking.values) == module.MANY + 2
    assert ranking.ranks[[0, -2, -1]].tolist() == [1, module.MANY + 1, 0]

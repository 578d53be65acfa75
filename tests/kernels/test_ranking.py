"""Ranks of values that come in parts against those of all at once."""

import math
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from panewise.aggregates.value_counts import rank_values
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

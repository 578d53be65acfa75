"""One pass over times against three."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from panewise.kernels.survey import survey


@given(st.lists(st.integers(-(2**62), 2**62), min_size=1, max_size=10))
def test_a_survey_finds_the_bounds_and_whether_times_ascend(ticks: list[int]) -> None:
    low, high, ascending = survey(np.array(ticks))
    assert (low, high, bool(ascending)) == (min(ticks), max(ticks), ticks == sorted(ticks))


def test_no_times_ascend() -> None:
    assert survey(np.empty(0, np.int64))[2]

"""The names of windows, repeated or not."""

from unittest.mock import patch

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from panewise.operator import names as module
from panewise.operator.names import Names

NAMES = ["a", "bc", ""]


@pytest.mark.parametrize("kept", [0, 40, 1 << 20])
@given(asked=st.lists(st.lists(st.integers(0, 2), max_size=6), max_size=8), data=st.data())
def test_each_result_has_the_name_of_its_window(
    kept: int, asked: list[list[int]], data: st.DataObject
) -> None:
    with patch.object(module, "KEPT", kept):
        names = Names(pa.array(NAMES))
        for numbers in asked:
            if numbers and data.draw(st.booleans()):
                numbers = [numbers[0]] * data.draw(st.integers(1, 20))
            found = names.of(np.array(numbers, np.int64)).to_pylist()
            assert found == [NAMES[number] for number in numbers]


def test_one_number_that_all_see() -> None:
    names = Names(pa.array(NAMES))
    assert names.of(np.broadcast_to(np.array([1]), 3)).to_pylist() == ["bc"] * 3
    assert names.of(np.broadcast_to(np.array([1]), 0)).to_pylist() == []


def test_what_was_repeated_is_told_again() -> None:
    names = Names(pa.array(NAMES))
    first, second = (names.of(np.full(count, 1)) for count in (100, 90))
    assert second.buffers()[1].address == first.buffers()[1].address


def test_names_that_are_too_many_to_keep_are_made_anew() -> None:
    with patch.object(module, "KEPT", 1000):
        names = Names(pa.array(NAMES))
        for number in (0, 1, 2, 0):
            assert len(names.of(np.full(100, number))) == 100
            assert sum(each.nbytes for each in names._repeated.values()) <= 1000

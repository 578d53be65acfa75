"""Picked texts against Arrow's own."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from panewise.kernels import texts as module
from panewise.kernels.texts import Texts

named = st.lists(st.text(max_size=5), min_size=1, max_size=6)


@given(named, st.lists(st.integers(0, 5), max_size=20), st.sampled_from([0, 20]))
def test_picked_texts_are_arrows(names: list[str], picks: list[int], few: int) -> None:
    numbers = np.array([pick % len(names) for pick in picks], np.int64)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "FEW", few)
        got = Texts(names).take(numbers)
    got.validate(full=True)
    assert got.equals(pa.array(names, pa.string()).take(pa.array(numbers)))


def test_texts_that_were_picked_stay_when_others_are() -> None:
    texts = Texts(["a", "bc", "def", ""])
    picks = [np.arange(at, at + 100) % 4 for at in range(20)]
    told = [texts.take(numbers) for numbers in picks]
    for numbers, got in zip(picks, told, strict=True):
        got.validate(full=True)
        assert got.to_pylist() == [["a", "bc", "def", ""][at] for at in numbers]

"""Sliding windows in buckets, which granules are compared with, tell what the oracle says."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.papers.granule_buckets import SlidingBuckets
from benchmarks.papers.multi_granular_cases import Scale, five_apart

rows = st.lists(st.tuples(st.integers(-40, 40), st.integers(0, 2), st.integers(-9, 9)), min_size=1)


@given(rows, st.integers(1, 4), st.integers(1, 6), st.integers(1, 7))
def test_buckets_are_sums_of_rows(
    given_rows: list[tuple[int, int, int]], slide: int, times: int, batch: int
) -> None:
    given_rows.sort(key=lambda row: row[0])
    ticks, key, values = (np.array(each) for each in zip(*given_rows, strict=True))
    size = slide * times
    buckets = SlidingBuckets(size, slide, keys=3)
    told = [
        buckets.push(ticks[at : at + batch], key[at : at + batch], values[at : at + batch])
        for at in range(0, len(ticks), batch)
    ]
    found = {}
    for part in [*told, buckets.flush()]:
        for k, start, end, *sums in zip(*part, strict=True):
            assert (k, start, end) not in found
            found[k, start, end] = sums
    wanted = {}
    for start in range((-40 - size) // slide * slide, 41, slide):
        for k in range(3):
            inside = (ticks >= start) & (ticks < start + size) & (key == k)
            if inside.any():
                wanted[k, start, start + size] = [values[inside].sum(), inside.sum()]
    assert found == wanted


@pytest.mark.parametrize("number", [0, 2])
def test_all_sides_of_the_comparison_are_equal(number: int) -> None:
    point = list(five_apart(Scale(rows=3_000, repeat=1)))[number]
    assert point.results == "equal"
    assert point.seconds.keys() == {
        "granules",
        "finest level alone",
        "separate windows",
        "separate operators",
    }

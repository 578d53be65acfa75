"""Tallies of ranges against `collections.Counter`."""

import math
from collections import Counter
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from panewise.kernels import tallies
from panewise.kernels.tallies import Ranked
from panewise.kernels.vocabulary import Vocabulary


def counted(
    values: pa.Array, weights: list[int], runs: list[int], ranges: list[tuple[int, int]]
) -> list[list[tuple]]:
    """The `(value, weight)` entries of each range, in the order of the tally."""
    vocabulary = Vocabulary(pa.schema([("x", values.type)]))
    numbers = vocabulary.encode(pa.table({"x": values}))
    ranks, by_rank = vocabulary.ranks(0)
    counts = np.array(weights, np.int64)
    ranked = Ranked(ranks[numbers], by_rank, counts, np.array(runs, np.int64))
    lo, hi = np.array(ranges, np.int64).reshape(-1, 2).T
    entries: list[list[tuple]] = []
    for piece, tally in ranked.tallies(lo, hi):
        assert piece.start == len(entries)
        pairs = list(zip(tally.values.to_pylist(), tally.weights.tolist(), strict=True))
        bounds = zip(tally.offsets[:-1], tally.offsets[1:], strict=True)
        entries += [pairs[a:b] for a, b in bounds]
    return entries


def expected(values: list, weights: list[int], ranges: list[tuple[int, int]]) -> list[list[tuple]]:
    result = []
    for lo, hi in ranges:
        counter: Counter = Counter()
        for value, weight in zip(values[lo:hi], weights[lo:hi], strict=True):
            if value is not None:
                counter[value] += weight
        result.append(sorted(counter.items()))
    return result


@st.composite
def keyed(draw: st.DrawFn) -> tuple[list, list[int], list[int], list[tuple[int, int]]]:
    """Values of up to three keys, and sliding ranges that stay within one key each."""
    values: list = []
    runs, ranges = [0], []
    for _ in range(draw(st.integers(1, 3))):
        base = len(values)
        values += draw(st.lists(st.one_of(st.integers(-3, 90), st.none()), max_size=90))
        size = len(values) - base
        runs.append(len(values))
        if size:
            width = draw(st.integers(1, size))
            starts = range(base, len(values), draw(st.integers(1, 5)))
            ranges += [(at, min(at + width, len(values))) for at in starts]
    weights = draw(st.lists(st.integers(1, 5), min_size=len(values), max_size=len(values)))
    return values, weights, runs, ranges


@pytest.mark.parametrize("few", [0, 1 << 12], ids=["own values", "all values"])
@pytest.mark.parametrize("piece", [1, 7, 1 << 22])
def test_tallies_count_as_counter_does(
    piece: int, few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tallies, "FEW", few)
    monkeypatch.setattr(tallies, "LARGEST_PIECE", piece)

    @given(keyed())
    def check(case: tuple[list, list[int], list[int], list[tuple[int, int]]]) -> None:
        values, weights, runs, ranges = case
        got = counted(pa.array(values, pa.int64()), weights, runs, ranges)
        assert got == expected(values, weights, ranges)

    check()


@pytest.mark.parametrize(
    "values",
    [
        ["b", "a", "", "b", "ä"],
        [True, False, True, True, False],
        [Decimal("1.50"), Decimal("-2.00"), Decimal("1.50"), Decimal("0.00"), Decimal("9.99")],
        [b"\x01", b"", b"\xff", b"\x01", b"\x00"],
    ],
)
def test_any_ordered_type_is_counted(values: list) -> None:
    ranges = [(0, 3), (1, 5), (2, 2), (0, 5)]
    got = counted(pa.array(values), [1] * 5, [0, 5], ranges)
    assert got == expected(values, [1] * 5, ranges)


def test_zeros_are_one_value_and_nan_is_above_all() -> None:
    values = pa.array([math.nan, 0.0, -0.0, math.inf, math.nan])
    ((zero, infinite, nan),) = counted(values, [1, 2, 3, 4, 5], [0, 5], [(0, 5)])
    assert zero == (0.0, 5)
    assert infinite == (math.inf, 4)
    assert math.isnan(nan[0]) and nan[1] == 6


@pytest.mark.parametrize("few", [0, 1 << 12], ids=["own values", "all values"])
def test_keys_do_not_see_each_other(few: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tallies, "FEW", few)
    # key 0: 5 5 6    key 1: (none)    key 2: 6 5
    values = pa.array([5, 5, 6, 6, 5])
    got = counted(values, [1] * 5, [0, 3, 3, 5], [(0, 3), (1, 3), (3, 5), (4, 5)])
    assert got == [[(5, 2), (6, 1)], [(5, 1), (6, 1)], [(5, 1), (6, 1)], [(5, 1)]]

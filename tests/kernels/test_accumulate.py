"""Slots: every way to add rows to them gives the plain fold."""

import math
from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from panewise.errors import ResultOverflow
from panewise.kernels.accumulate import Slots, bounds
from panewise.kernels.grid import Lead
from panewise.kernels.monoids import OPERATIONS, combine
from tests.kernels.building import numbers_of

SLOTS = 4
Batch = list[tuple[int, float | None]]  # slot, value
WAYS = ("rows", "stretches", "scattered")
quarters = st.integers(-20, 20).map(lambda n: n / 4)
floats = st.one_of(quarters, st.sampled_from([math.nan, math.inf]))
small = st.integers(-4, 4)


def batches(values: st.SearchStrategy) -> st.SearchStrategy[list[tuple[str, Batch]]]:
    """Batches, some with nulls and some without, each added in one of the ways."""
    slot = st.integers(0, SLOTS - 1)
    full = st.lists(st.tuples(slot, values), min_size=1, max_size=6)
    gappy = st.lists(st.tuples(slot, st.one_of(values, st.none())), min_size=1, max_size=6)
    return st.lists(st.tuples(st.sampled_from(WAYS), st.one_of(full, gappy)), max_size=4)


def added(
    name: str, given: Sequence[tuple[str, Batch]], kind: pa.DataType, *, checked: bool = False
) -> list[float | None]:
    """The value of every slot; those without a row are None."""
    slots = Slots.of(name, numbers_of([], kind))
    slots.values = np.zeros(SLOTS, slots.values.dtype)
    if slots.present is not None:
        slots.present = np.zeros(SLOTS, np.bool_)
    seen = np.zeros(SLOTS, np.bool_)
    for way, batch in given:
        _add(slots, way, batch, kind, seen, checked)
        seen[[slot for slot, _ in batch]] = True
    column = slots.column(np.flatnonzero(seen)).arrow().to_pylist()
    found = dict(zip(np.flatnonzero(seen).tolist(), column, strict=True))
    return [found.get(slot) for slot in range(SLOTS)]


def _add(
    slots: Slots, way: str, batch: Batch, kind: pa.DataType, seen: np.ndarray, checked: bool
) -> None:
    if way == "stretches":  # rows of one slot one after the other
        batch = sorted(batch, key=lambda row: row[0])
    at = np.array([slot for slot, _ in batch], np.int64)
    column = numbers_of([value for _, value in batch], kind)
    if way == "rows":
        slots.add(column, at, seen, checked)
    elif way == "scattered":  # every slot is a pane one tick wide
        lead = Lead.to(np.arange(SLOTS), int(at.min()), int(at.max()), len(at))
        none = np.empty(0, np.int64)
        if not slots.add_scattered(column, at, lead, slice(0, SLOTS), seen.copy(), none, none):
            slots.add(column, at, seen, checked)
    else:
        there, lo = np.unique(at, return_index=True)
        slots.add_stretches(column, there, lo, np.append(lo[1:], len(at)), seen, checked)


def defined(name: str, given: Sequence[tuple[str, Batch]]) -> list[float | None]:
    totals: list[float | None] = [None] * SLOTS
    for _, batch in given:
        for slot, value in batch:
            if value is not None:
                before = totals[slot]
                both = value if before is None else combine(before, value, OPERATIONS[name])
                totals[slot] = both
    return totals


@pytest.mark.parametrize(
    ("name", "kind", "values"),
    [
        *((name, pa.int64(), small) for name in OPERATIONS),
        *((name, pa.float64(), floats) for name in OPERATIONS if name != "or"),
    ],
    ids=str,
)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_slots_hold_the_plain_fold(name: str, kind: pa.DataType, values: st.SearchStrategy) -> None:
    @given(batches(values))
    def check(given: list[tuple[str, Batch]]) -> None:
        got, expected = added(name, given, kind), defined(name, given)
        if name == "product":  # which is rounded
            assert got == pytest.approx(expected, nan_ok=True)
        else:
            assert str(got) == str(expected)

    check()


large = st.sampled_from([0, 1, 2**61, 2**62])


@given(batches(large))
def test_a_sum_beyond_64_bits_is_an_error_when_checked(given: list[tuple[str, Batch]]) -> None:
    # values are not negative: no part leaves 64 bits where the whole does not
    expected = [None] * SLOTS if not given else defined("sum", _exact(given))
    if all(total is None or total < 2**63 for total in expected):
        assert added("sum", given, pa.int64(), checked=True) == expected
    else:
        with pytest.raises(ResultOverflow, match="BIGINT"):
            added("sum", given, pa.int64(), checked=True)


def _exact(given: list[tuple[str, Batch]]) -> list[tuple[str, Batch]]:
    """Each slot's values as one, summed by Python."""
    sums: dict[int, int] = {}
    for _, batch in given:
        for slot, value in batch:
            if value is not None:
                sums[slot] = sums.get(slot, 0) + int(value)
    return [("rows", list(sums.items()))]


@pytest.mark.parametrize("first", WAYS)
@pytest.mark.parametrize("then", WAYS)
def test_an_overflow_after_nulls_is_seen(first: str, then: str) -> None:
    given: list[tuple[str, Batch]] = [(first, [(0, 2**63 - 1), (0, None)]), (then, [(0, 1)])]
    with pytest.raises(ResultOverflow):
        added("sum", given, pa.int64(), checked=True)
    assert added("sum", given, pa.int64())[0] == -(2**63)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("name", "values"),
    [("sum", [1e308, 1e308]), ("product", [math.inf, 0.0])],
    ids=["sum", "product"],
)
@pytest.mark.filterwarnings("error")
def test_what_leaves_the_floating_numbers_does_so_silently(
    way: str, name: str, values: list[float]
) -> None:
    added(name, [(way, [(0, values[0])]), (way, [(0, value) for value in values])], pa.float64())


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_floating_sums_never_overflow(way: str) -> None:
    given: list[tuple[str, Batch]] = [(way, [(0, 1e308), (0, 1e308)])]
    assert added("sum", given, pa.float64(), checked=True)[0] == math.inf


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(-9, 9)), max_size=12))
def test_bounds_are_the_first_and_last_time(rows: list[tuple[int, int]]) -> None:
    slot, ticks = np.array(rows, np.int64).reshape(-1, 2).T
    first, last = np.full(SLOTS, 99), np.full(SLOTS, -99)
    bounds(ticks.copy(), slot.copy(), first, last)
    for at in range(SLOTS):
        own = [tick for s, tick in rows if s == at]
        assert (first[at], last[at]) == (min(own, default=99), max(own, default=-99))

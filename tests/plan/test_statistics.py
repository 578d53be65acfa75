"""What is known of the data: given, counted in a sample, and read between and beyond the counts."""

import math
from collections.abc import Callable
from datetime import timedelta
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import panewise as pw
from panewise.errors import PanewiseError, QueryError
from panewise.model import RowCount
from panewise.plan import Statistics
from panewise.plan.statistics import NOT_A_STRETCH, ROWS

HOUR = 3_600_000_000
Stream = tuple[np.ndarray, np.ndarray]


def mean_keys(stream: Stream, width: int) -> float:
    """The mean number of distinct keys in stretches of this width, by counting them."""
    ticks, keys = stream
    panes = (ticks - ticks.min()) // width
    whole = panes < panes.max()
    cells = set(zip(panes[whole].tolist(), keys[whole].tolist(), strict=True))
    return len(cells) / int(panes.max())


# --- given ---


def test_by_hand() -> None:
    known = Statistics.given(rows=7_200_000, span="2 hours", keys=50)
    assert known.rows == 7_200_000 and known.source == "given"
    assert known.rate == pytest.approx(1 / 1000)  # a row each millisecond
    assert known.span == pytest.approx(2 * HOUR)
    assert known.disorder is None
    assert known.keys_in(HOUR) == pytest.approx(50)


@pytest.mark.parametrize("span", ["3 hours", 3 * HOUR, timedelta(hours=3)])
def test_a_span_as_text_or_ticks(span: Any) -> None:
    assert Statistics.given(rows=1000, span=span).span == pytest.approx(3 * HOUR)


@given(st.integers(1, 10**9), st.integers(1, 10**9), st.integers(1, 10**7), st.floats(1e-9, 4))
def test_evenly_busy_keys(rows: int, span: int, keys: int, share: float) -> None:
    """The mean number of occupied keys where rows fall on them at random."""
    known = Statistics.given(rows=rows, span=span, keys=keys)
    width = span * share
    expected = keys * -math.expm1(-rows / span * width / keys)
    assert known.keys_in(width) == pytest.approx(expected, rel=0.005)


def test_one_key_is_one_row_in_a_pane_and_never_more_than_the_events() -> None:
    known = Statistics.given(rows=1_000_000, span=1_000_000)
    assert known.keys_in(1000) == pytest.approx(1)
    assert known.keys_in(10**9) == pytest.approx(1)
    assert known.keys_in(0.001) == pytest.approx(0.001, rel=0.01)


@pytest.mark.parametrize(
    "wrong",
    [
        {"rows": 0, "span": 10},
        {"rows": -5, "span": 10},
        {"rows": 10, "span": 0},
        {"rows": 10, "span": -10},
        {"rows": 10, "span": "0 seconds"},
        {"rows": 10, "span": 10, "keys": 0},
        {"rows": 10, "span": RowCount(10)},
    ],
)
def test_numbers_must_be_positive(wrong: Any) -> None:
    with pytest.raises(QueryError, match="statistics need positive numbers") as refused:
        Statistics.given(**wrong)
    assert "write Statistics.given(" in str(refused.value)


def test_an_unreadable_span() -> None:
    with pytest.raises(PanewiseError, match="cannot read"):
        Statistics.given(rows=10, span="three hours")


def test_nothing_known() -> None:
    unknown = Statistics()
    assert (unknown.rows, unknown.rate, unknown.span, unknown.keys) == (ROWS, None, None, ())
    assert unknown.source == "defaults"


# --- counted ---


def even(rng: np.random.Generator, keys: int, rows: int = 40_000) -> Stream:
    """Keys that are equally busy at all times."""
    return np.sort(rng.integers(0, 10**9, rows)), rng.integers(0, keys, rows)


def bursty(rng: np.random.Generator, keys: int, rows: int = 40_000) -> Stream:
    """A key is active for a short while, then not again for long."""
    starts = rng.integers(0, 10**9, rows // 20)
    ticks = (starts[:, None] + rng.integers(0, 2_000_000, (len(starts), 20))).ravel()
    owner = np.repeat(rng.integers(0, keys, len(starts)), 20)
    order = np.argsort(ticks, kind="stable")
    return ticks[order], owner[order]


def skewed(rng: np.random.Generator, keys: int, rows: int = 40_000) -> Stream:
    """A few keys have most of the rows."""
    return np.sort(rng.integers(0, 10**9, rows)), rng.zipf(1.3, rows) % keys


def regular(rng: np.random.Generator, keys: int, rows: int = 40_000) -> Stream:
    """Each key in turn, at equal distances."""
    return np.arange(rows) * (10**9 // rows), np.arange(rows) % keys


STREAMS: dict[str, Callable[..., Stream]] = {
    "even": even,
    "bursty": bursty,
    "skewed": skewed,
    "regular": regular,
}
streams = pytest.mark.parametrize("kind", STREAMS)
WIDTHS = [200_000, 700_000, 3_000_000, 10_000_000, 40_000_000, 160_000_000]


@streams
@pytest.mark.parametrize("keys", [1, 10, 1000, 100_000])
def test_counts_are_reproduced(kind: str, keys: int) -> None:
    stream = STREAMS[kind](np.random.default_rng(keys), keys)
    known = Statistics.counted(*stream)
    for width in WIDTHS:
        assert known.keys_in(width) == pytest.approx(mean_keys(stream, width), rel=0.06)


@pytest.mark.parametrize("kind", ["even", "bursty"])
@pytest.mark.parametrize("keys", [1, 10, 1000])
def test_narrow_panes_have_as_many_rows_as_events(kind: str, keys: int) -> None:
    """Panes narrower than the distance of rows: each row is a cell of its own."""
    stream = STREAMS[kind](np.random.default_rng(keys), keys)
    known = Statistics.counted(*stream)
    for width in (100, 1_000, 10_000):
        assert known.keys_in(width) == pytest.approx(mean_keys(stream, width), rel=0.15)


@pytest.mark.parametrize("keys", [1, 10, 1000, 5_000])
def test_wider_than_the_sample(keys: int) -> None:
    """Of equally busy keys the sample tells how many there are in all."""
    rng = np.random.default_rng(keys)
    stream = even(rng, keys)
    part = slice(0, 4_000)  # a tenth
    known = Statistics.counted(stream[0][part], stream[1][part])
    for width in (10**8, 5 * 10**8):
        expected = keys * -math.expm1(-40_000 * width / 10**9 / keys)
        assert known.keys_in(width) == pytest.approx(expected, rel=0.1)


@streams
@pytest.mark.parametrize("keys", [1, 30, 100_000])
def test_a_wider_stretch_has_no_fewer_keys_and_none_has_more_than_rows(
    kind: str, keys: int
) -> None:
    known = Statistics.counted(*STREAMS[kind](np.random.default_rng(keys), keys))
    assert known.rate is not None
    widths = np.geomspace(0.01, 1e12, 400)
    found = np.array([known.keys_in(width) for width in widths])
    assert (found <= known.rate * widths * (1 + 1e-9)).all()
    assert (found[1:] >= found[:-1] * (1 - 1e-3)).all()
    assert (found > 0).all()


@given(
    st.lists(st.tuples(st.integers(0, 300), st.integers(0, 5)), min_size=1, max_size=60),
    st.integers(-(10**15), 10**15),
)
def test_any_few_rows(rows: list[tuple[int, int]], start: int) -> None:
    ticks, keys = np.array(sorted(rows), np.int64).T
    known = Statistics.counted(ticks + start, keys)
    assert known.rows == len(rows)
    if known.rate is None:
        assert known.keys == () and "too" in known.source
        return
    widths = [width for width, _ in known.keys]
    assert widths == sorted(set(widths))
    counts = [known.keys_in(width) for width in np.geomspace(0.1, 10_000, 60)]
    assert all(count > 0 for count in counts)
    assert all(after >= before * 0.999 for before, after in pairwise(counts))


def test_how_many_rows_there_are_may_be_said() -> None:
    stream = even(np.random.default_rng(1), 10)
    known = Statistics.counted(*stream, rows=5e9)
    assert known.rows == 5e9
    assert known.rate == pytest.approx(40_000 / 10**9, rel=0.01)
    assert known.span == pytest.approx(5e9 / (40_000 / 10**9), rel=0.01)
    assert known.source == "a sample of 40,000 rows"


def test_keys_may_be_text() -> None:
    ticks, keys = even(np.random.default_rng(1), 10)
    named = np.array([f"device {key}" for key in keys])
    assert Statistics.counted(ticks, named) == Statistics.counted(ticks, keys)


# --- order ---


def test_disorder_is_how_far_a_row_was_behind() -> None:
    ticks = np.arange(0, 10_000, 10)
    late = ticks.copy()
    late[500] = 3_210  # 4990 was there already
    keys = np.zeros(1000, np.int64)
    assert Statistics.counted(ticks, keys).disorder == 0
    known = Statistics.counted(late, keys)
    assert known.disorder == 4_990 - 3_210
    assert known.rate is not None


def test_a_shuffled_neighbourhood_is_still_a_stretch() -> None:
    rng = np.random.default_rng(2)
    ticks, keys = even(rng, 10)
    order = np.argsort(ticks + rng.integers(0, 10**6, len(ticks)), kind="stable")
    known = Statistics.counted(ticks[order], keys[order])
    assert known.disorder is not None and 0 < known.disorder <= 10**6
    assert known.keys_in(10**7) == pytest.approx(10, rel=0.02)


def test_a_table_sorted_by_key_is_no_stretch() -> None:
    ticks, keys = even(np.random.default_rng(3), 10)
    order = np.argsort(keys, kind="stable")
    known = Statistics.counted(ticks[order], keys[order], rows=123_456)
    assert (known.rate, known.keys, known.rows) == (None, (), 123_456)
    assert known.source == "a sample too disordered to tell"
    assert known.disorder is not None and known.disorder > NOT_A_STRETCH * 9 * 10**8


def test_a_table_in_falling_order_is_no_stretch() -> None:
    ticks, keys = even(np.random.default_rng(3), 10)
    assert Statistics.counted(ticks[::-1], keys).rate is None


@pytest.mark.parametrize("ticks", [[], [5], [1, 2, 3], [7] * 100])
def test_too_small_to_tell(ticks: list[int]) -> None:
    known = Statistics.counted(np.array(ticks, np.int64), np.zeros(len(ticks), np.int64))
    assert (known.rate, known.keys, known.disorder) == (None, (), None)
    assert known.rows == len(ticks)
    assert known.source == "a sample too small to tell"


def test_a_plan_is_tuned_by_what_was_counted() -> None:
    plan = pw.plan(time="t", by=["k"], windows=[pw.tumbling(10)], aggregates=[pw.sum("x")])
    known = Statistics.counted(*even(np.random.default_rng(1), 10))
    assert plan.tune(known).statistics is known
    assert plan.statistics == Statistics()


@pytest.mark.parametrize("given", [{"rows": -1}, {"rows": math.nan}, {"rate": 0.0}, {"rate": -2.0}])
def test_numbers_that_nothing_has(given: dict[str, float]) -> None:
    with pytest.raises(QueryError, match="rows must not be negative, a rate positive") as error:
        Statistics(**given)  # type: ignore[arg-type]
    assert "leave out what is not known" in str(error.value)

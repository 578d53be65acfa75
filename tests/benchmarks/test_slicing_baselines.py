"""The baselines of the slicing benchmark give the windows of the definition."""

from functools import partial

import numpy as np
import pytest

baselines = pytest.importorskip("benchmarks.papers.slicing_baselines")
from benchmarks.papers.slicing_baselines import bare_fold, naive  # noqa: E402
from benchmarks.papers.slicing_baselines.baseline import join  # noqa: E402

SIZES = [1, 7, 10, 64, 1000]
MERGED = partial(baselines.TupleBuffer, merge=True)
TIME = {
    "tuple buffer": baselines.TupleBuffer,
    "tuple buffer, merged": MERGED,
    "aggregate tree": baselines.AggregateTree,
    "tuple buckets": baselines.TupleBuckets,
    "aggregate buckets": baselines.AggregateBuckets,
}
HOLISTIC = {name: TIME[name] for name in TIME if name.startswith("tuple")}
DTYPES = [np.int64, np.float64]


def _rows(seed, rows=3000, late=0.2, delay=50, dtype=np.int64):
    """Rows with ties, silences and negative times, some of them late."""
    rng = np.random.default_rng(seed)
    ticks = np.cumsum(rng.choice([0, 1, 2, 400], rows, p=[0.3, 0.4, 0.29, 0.01])) - 500
    arrival = ticks + np.where(rng.random(rows) < late, rng.integers(0, delay + 1, rows), 0)
    order = np.argsort(arrival, kind="stable")
    return ticks[order], rng.integers(-100, 100, rows)[order].astype(dtype)


def _run(baseline, ticks, values, seed):
    cuts = np.sort(np.random.default_rng(seed).integers(0, len(ticks), 12))
    parts = [
        baseline.push(part, of)
        for part, of in zip(np.split(ticks, cuts), np.split(values, cuts), strict=True)
    ]
    return join([*parts, baseline.flush()])


def _same(found, expected):
    for name, ours, theirs in zip(found._fields, found, expected, strict=True):
        np.testing.assert_array_equal(ours, theirs, err_msg=name)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("late", [0.0, 0.2, 1.0])
@pytest.mark.parametrize("technique", TIME)
def test_sums_of_time_windows(technique, late, dtype):
    for seed in range(5):
        ticks, values = _rows(seed, late=late, dtype=dtype)
        found = _run(TIME[technique](SIZES, delay=50), ticks, values, seed)
        assert found.value.dtype == dtype
        _same(found, naive.by_time(ticks, values, SIZES))


@pytest.mark.parametrize("technique", HOLISTIC)
def test_medians_of_time_windows(technique):
    for seed in range(5):
        ticks, values = _rows(seed)
        found = _run(HOLISTIC[technique](SIZES, 50, "median"), ticks, values, seed)
        _same(found, naive.by_time(ticks, values, SIZES, np.median))


@pytest.mark.parametrize("fold", ["sum", "median"])
@pytest.mark.parametrize("late", [0.0, 0.2])
@pytest.mark.parametrize("merge", [False, True])
def test_windows_of_rows(late, fold, merge):
    for seed in range(5):
        ticks, values = _rows(seed, late=late)
        baseline = baselines.RowTupleBuffer(SIZES, 50, fold, merge=merge)
        found = _run(baseline, ticks, values, seed)
        _same(found, naive.by_rows(ticks, values, SIZES, getattr(np, fold)))


@pytest.mark.parametrize("technique", TIME)
def test_windows_are_reported_when_the_watermark_passes_their_end(technique):
    """
    rows     0    5      12   | 20
    delay 5, so the watermark | goes from 7 to 15: [0, 10) ends, and nothing ended before
    """
    baseline = TIME[technique]([10], delay=5)
    assert len(baseline.push(np.array([0, 5, 12]), np.array([1, 2, 3])).start) == 0
    found = baseline.push(np.array([20]), np.array([4]))
    assert [column.tolist() for column in found] == [[0], [0], [0], [10], [3]]


@pytest.mark.parametrize("technique", TIME)
def test_rows_before_the_watermark_are_dropped_and_counted(technique):
    baseline = TIME[technique]([10], delay=5)
    first = baseline.push(np.array([0, 30]), np.array([1, 2]))
    second = baseline.push(np.array([24, 25]), np.array([4, 8]))
    found = join([first, second, baseline.flush()])
    assert baseline.late_rows == 1
    assert (found.start.tolist(), found.value.tolist()) == ([0, 20, 30], [1, 8, 2])


@pytest.mark.parametrize("technique", TIME)
def test_nothing_is_held_once_all_windows_are_reported(technique):
    baseline = TIME[technique](SIZES, delay=50)
    ticks, values = _rows(0)
    baseline.push(ticks, values)
    assert baseline.bytes > 0
    baseline.flush()
    assert baseline.bytes == 0


def test_sessions_join_at_the_distance_of_the_gap():
    found = naive.sessions(np.array([10, 0, 3]), np.array([4, 1, 2]), gap=3)
    assert (found.start.tolist(), found.end.tolist()) == ([0, 10], [6, 13])
    assert found.value.tolist() == [3, 4]


@pytest.mark.parametrize("dtype", DTYPES)
def test_the_bare_fold_adds_every_row_to_its_pane(dtype):
    ticks, values = _rows(0, dtype=dtype)
    panes, origin = bare_fold.panes([(ticks, values)], 10)
    bare_fold.fold(panes, origin, 10, ticks, values)
    expected = naive.by_time(ticks, values, [10])
    np.testing.assert_array_equal(panes[(expected.start - origin) // 10], expected.value)
    assert panes.sum() == values.sum()


def test_the_bare_fold_by_key():
    ticks, values = _rows(0)
    keys = np.arange(len(ticks)) % 3
    panes, origin = bare_fold.panes([(ticks, values)], 10, keys=3)
    bare_fold.fold_keys(panes, origin, 10, keys, ticks, values)
    assert panes.sum(axis=1).tolist() == [values[keys == key].sum() for key in range(3)]

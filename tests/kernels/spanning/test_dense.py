"""Slots and sorted cells give the same windows, and slots are left alone where they cannot."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

import panewise as pw
from panewise.errors import ResultOverflow
from panewise.kernels.spanning import dense
from panewise.kernels.spanning.places import Places, locate
from panewise.plan import Edges

WINDOWS = {
    "tumbling": [pw.tumbling(5)],
    "sliding": [pw.sliding(15, 5)],
    "odd": [pw.sliding(12, 5)],
    "gaps": [pw.sliding(3, 5, allow_gaps=True)],
    "cumulating": [pw.cumulating(2, 10)],
    "band": [pw.band(-4, 11)],
    "several": [pw.tumbling(7, origin=3), pw.sliding(18, 6), pw.sliding(20, 4, origin=1)],
}


def _calls(count: int, keys: int, nulls: bool) -> pa.Table:
    rng = np.random.default_rng(count)
    start = rng.integers(-1000, 1000, count)
    value = rng.integers(-50, 50, count)
    gone = rng.random(count) < 0.3 if nulls else np.zeros(count, np.bool_)
    return pa.table(
        {
            "l": start,
            "u": start + rng.geometric(0.03, count) - 1,
            "k": rng.integers(0, keys, count),
            "x": pa.array(value, mask=gone),
            "y": pa.array(value / 8, mask=gone),
        }
    )


def _rows(table: pa.Table) -> list[dict[str, object]]:
    return sorted(table.to_pylist(), key=str)


def _both(plan: pw.Plan, calls: pa.Table, monkeypatch: pytest.MonkeyPatch) -> pa.Table:
    found = plan.run(calls)
    with monkeypatch.context() as patch:
        patch.setattr(dense, "MOST", 0)  # no slots at all
        assert _rows(plan.run(calls)) == _rows(found)
    return found


@pytest.mark.parametrize("windows", WINDOWS.values(), ids=WINDOWS)
@pytest.mark.parametrize("nulls", [False, True])
@pytest.mark.parametrize("by", [[], ["k"]])
def test_slots_and_cells_agree(windows, nulls, by, monkeypatch):
    aggregates = [
        *(pw.count(), pw.count("x"), pw.sum("x"), pw.max("x"), pw.min("x")),
        *(pw.max("y"), pw.min("y"), pw.sum("y").alias("total")),
    ]
    plan = pw.plan(time=("l", "u"), by=by, windows=windows, aggregates=aggregates)
    assert _both(plan, _calls(500, 3, nulls), monkeypatch).num_rows


@pytest.mark.parametrize("windows", WINDOWS.values(), ids=WINDOWS)
@pytest.mark.parametrize("nulls", [False, True])
def test_short_events(windows, nulls, monkeypatch):
    """A level for every length, where no event is in many panes.

    Without nulls and counts, the extremes themselves tell which windows there are.
    """
    calls = _calls(500, 3, nulls)
    calls = calls.set_column(1, "u", pc.min_element_wise(calls["u"], pc.add(calls["l"], 6)))
    aggregates = [pw.max("x"), pw.min("y")]
    plan = pw.plan(time=("l", "u"), by=["k"], windows=windows, aggregates=aggregates)
    assert _both(plan, calls, monkeypatch).num_rows


def test_long_events_that_nobody_counts(monkeypatch):
    plan = pw.plan(time=("l", "u"), by=["k"], windows=[pw.sliding(15, 5)], aggregates=[pw.max("x")])
    assert _both(plan, _calls(60, 3, False), monkeypatch).num_rows


@pytest.mark.parametrize("odd", [np.nan, np.inf, -np.inf])
def test_values_that_stand_for_none(odd, monkeypatch):
    calls = pa.table({"l": [0, 3, 20], "u": [9, 4, 30], "y": [odd, 1.0, odd]})
    plan = pw.plan(time=("l", "u"), windows=[pw.tumbling(5)], aggregates=[pw.max("y"), pw.min("y")])
    found, again = plan.run(calls), None
    with monkeypatch.context() as patch:
        patch.setattr(dense, "MOST", 0)
        again = plan.run(calls)
    assert str(_rows(found)) == str(_rows(again))


def test_the_least_of_all_integers(monkeypatch):
    least = np.iinfo(np.int64).min
    calls = pa.table({"l": [0], "u": [9], "x": [least]})
    plan = pw.plan(time=("l", "u"), windows=[pw.tumbling(5)], aggregates=[pw.max("x")])
    assert _both(plan, calls, monkeypatch).column(2).to_pylist() == [least, least]


def test_sums_of_64_bits(monkeypatch):
    most = np.iinfo(np.int64).max
    calls = pa.table({"l": [0, 20, 21], "u": [9, 30, 30], "x": [most, most, -5]})
    plan = pw.plan(time=("l", "u"), windows=[pw.tumbling(10)], aggregates=[pw.sum("x")])
    found = _both(plan, calls, monkeypatch)
    assert sorted(found.column(2).to_pylist()) == [most - 5, most]
    more = pa.concat_tables([calls, pa.table({"l": [0], "u": [9], "x": [most]})])
    with pytest.raises(ResultOverflow):
        plan.run(more)


def test_few_events_of_long_ago_take_no_slots():
    calls = pa.table({"l": [0, 2**40], "u": [1, 2**40 + 7]})
    plan = pw.plan(time=("l", "u"), windows=[pw.tumbling(5)], aggregates=[pw.count()])
    assert plan.run(calls).num_rows == 3


def _at(places: Places, ticks: np.ndarray) -> np.ndarray:
    """The places of ticks, each of which is an event that takes no time."""
    first, final = np.empty(len(ticks), np.int64), np.empty(len(ticks), np.int64)
    locate(ticks, ticks, *places.numbers, first, final)
    assert first.tolist() == final.tolist()
    return first


@pytest.mark.parametrize(
    "edges",
    [Edges(((5, 0),)), Edges(((5, 0), (5, 2))), Edges(((6, 1), (4, 0))), Edges((), (3, 7, 13))],
)
def test_places_count_panes(edges):
    found = Places.between(edges, -23, 61)
    assert found is not None
    at = _at(found, np.arange(-23, 62))
    assert (at[0], at[-1]) == (0, found.count - 1)
    assert set(np.diff(at)) <= {0, 1}
    for tick in range(-22, 62):
        if edges.pane_of(tick) == tick:  # an edge begins a place
            assert at[tick + 23] == at[tick + 22] + 1


def test_a_pane_too_wide_for_exact_quotients():
    assert Places.between(Edges(((3**35, 0),)), 0, 5) is None


def test_quotients_near_edges_are_exact():
    found = Places.between(Edges(((7, 0),)), 0, 2**49)
    assert found is not None
    ticks = np.array([7 * k + d for k in (1, 10**6, 2**46) for d in (-1, 0, 1)])
    assert _at(found, ticks).tolist() == (ticks // 7).tolist()

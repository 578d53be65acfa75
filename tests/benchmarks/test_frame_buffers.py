"""The buffers of the frames experiment cut as the oracle does, whatever comes late."""

import numpy as np
import pytest

buffers = pytest.importorskip("benchmarks.papers.frame_buffers")
from benchmarks.papers.frame_buffers.single import heap_sort  # noqa: E402
from benchmarks.papers.frames_stream import SCHEMES, Stream  # noqa: E402
from panewise import aggregates as agg  # noqa: E402
from panewise.query import Query  # noqa: E402
from panewise.testing import oracle  # noqa: E402

RETAINED, ROWS = 100, 300


def fed(scheme, share=0.3):
    stream = Stream(scheme, 9, share, 40)
    columns = stream.columns(RETAINED + ROWS)
    return stream, columns, buffers.Fed.of(stream.frame, columns, RETAINED)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("side", [buffers.Lazy, buffers.Eager, buffers.Multi])
def test_frames_are_the_oracle_s(scheme, side):
    stream, columns, given = fed(scheme)
    rows = [{"ts": int(t), "x": int(x)} for t, x in zip(columns["ts"], columns["x"], strict=True)]
    query = Query("ts", (), (stream.frame,), (agg.count(),))
    every = sorted(r["window"] for r in oracle(query, rows))
    buffer = side(given)
    buffer.run()
    found = [tuple(map(int, frame)) for frame in buffer.frames().found[:2].T]
    assert 3 < len(found) < len(every), "some were forgotten"
    assert found == every[-len(found) :]


@pytest.mark.parametrize("scheme", SCHEMES)
def test_all_tell_the_same(scheme):
    _, _, given = fed(scheme)
    sides = [side(given) for side in (buffers.Lazy, buffers.Eager, buffers.Multi)]
    for side in sides:
        side.run()
    assert sides[0].frames().told > 0
    assert sides[0].frames() == sides[1].frames() == sides[2].frames()


def test_a_buffer_that_trusts_the_order_needs_it():
    _, _, late = fed("aggregate")
    _, _, in_order = fed("aggregate", share=0.0)
    for given, same in ((late, False), (in_order, True)):
        trusting, multi = buffers.InOrder(given), buffers.Multi(given)
        trusting.run()
        multi.run()
        assert (trusting.frames() == multi.frames()) is same


def test_phases_are_clocked_only_when_asked():
    _, _, given = fed("delta")
    assert set(buffers.Multi(given).run().phases.values()) == {0.0}
    clocked = buffers.Multi(given).run(clocked=True)
    assert min(clocked.phases.values()) > 0
    assert sum(clocked.phases.values()) <= clocked.seconds * 1e9


def test_a_heap_sort_sorts_a_part():
    rng = np.random.default_rng(1)
    times = rng.permutation(50)
    values, expected = times * 2, times.copy()
    expected[5:40].sort()
    heap_sort(times, values, 5, 40)
    assert np.array_equal(times, expected)
    assert np.array_equal(values, 2 * times)

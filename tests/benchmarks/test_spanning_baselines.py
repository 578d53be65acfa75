"""The source's techniques tell what the definition tells."""

import numpy as np
import pytest

baselines = pytest.importorskip("benchmarks.papers.spanning_baselines")


def _given(mean, size, slide, ties=False):
    rng = np.random.default_rng(mean)
    count = 300
    end = 2000 + (rng.integers(0, 100, count).cumsum() if ties else np.arange(count))
    length = np.maximum(1, rng.normal(mean, 10, count)).astype(np.int64)
    value = rng.integers(0, 1000, count)
    return baselines.Input(end - length, end, value, size, slide, int(length.max()))


@pytest.mark.parametrize("name", baselines.TECHNIQUES)
@pytest.mark.parametrize("aggregate", baselines.AGGREGATES.values(), ids=lambda each: each.name)
def test_a_technique_is_exact(name, aggregate):
    for mean in (1, 10, 300):
        for size, slide in ((10, 5), (15, 5), (12, 5), (100, 1), (7, 7)):
            for ties in (False, True):
                given = _given(mean, size, slide, ties)
                found = baselines.TECHNIQUES[name].run(given, aggregate)
                wanted = baselines.answer(given, aggregate)
                assert found.first == wanted.first
                np.testing.assert_array_equal(found.values, wanted.values)

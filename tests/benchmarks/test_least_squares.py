"""The fit of the calibration against what must hold at the best of all non-negative solutions."""

import numpy as np
import pytest

least_squares = pytest.importorskip("benchmarks.least_squares")


@pytest.mark.parametrize("seed", range(50))
def test_no_coefficient_can_be_improved(seed):
    rng = np.random.default_rng(seed)
    features, wanted = rng.normal(size=(20, 9)), rng.normal(size=20)
    found = least_squares.nonnegative(features, wanted)
    gradient = features.T @ (features @ found - wanted)
    assert (found >= 0).all()
    assert (gradient > -1e-8).all()  # more of a column does not help
    assert np.abs(gradient[found > 0]).max(initial=0) < 1e-8  # nor less of it


def test_known_constants_of_very_different_sizes_are_found_again():
    rng = np.random.default_rng(1)
    wanted = np.array([3e-8, 0.0, 4e-7, 0.1])
    features = rng.uniform(1, 2, size=(12, 4)) / [1e-7, 1e-7, 1e-6, 1]
    assert least_squares.nonnegative(features, features @ wanted) == pytest.approx(wanted)

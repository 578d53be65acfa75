"""Least squares with coefficients that are not negative (Lawson and Hanson, 1974, chapter 23)."""

from __future__ import annotations

import numpy as np

TOLERANCE = 1e-10


def nonnegative(features: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """The x >= 0 for which `features @ x` is nearest to `wanted`.

    Idea: columns enter one by one, the one that helps most first; those that a solution without
    the limit would make negative leave again.

    >>> nonnegative(np.array([[1.0, 1.0], [1.0, 2.0], [1.0, 3.0]]), np.array([2.0, 1.0, 0.0]))
    array([1., 0.])
    """
    scales = np.linalg.norm(features, axis=0)
    scales[scales == 0] = 1.0
    columns = features / scales
    found = np.zeros(columns.shape[1])
    inside = np.zeros(columns.shape[1], bool)
    for _ in range(10 * len(found)):
        gain = np.where(inside, -np.inf, columns.T @ (wanted - columns @ found))
        if gain.max() <= TOLERANCE:
            break
        inside[gain.argmax()] = True
        found = _moved(columns, wanted, found, inside)
    return found / scales


def _moved(
    columns: np.ndarray, wanted: np.ndarray, found: np.ndarray, inside: np.ndarray
) -> np.ndarray:
    """The solution over the columns inside; `inside` loses those that end at zero."""
    while True:
        goal = np.zeros_like(found)
        goal[inside] = np.linalg.lstsq(columns[:, inside], wanted, rcond=None)[0]
        below = inside & (goal <= TOLERANCE)
        if not below.any():
            return goal
        step = (found[below] / (found[below] - goal[below] + 1e-300)).min()
        found = found + min(step, 1.0) * (goal - found)
        inside &= found > TOLERANCE
        found[~inside] = 0.0

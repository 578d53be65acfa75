"""Of windows that changed after they were told: how much of them came late."""

from __future__ import annotations

import numpy as np

from panewise.kernels.revisions import Revisions


class LateShares(Revisions):
    """How many events each window had when it was told first."""

    def share(
        self, windows: tuple[np.ndarray, ...], before: np.ndarray, now: np.ndarray
    ) -> np.ndarray:
        """The share of events that came later; `before` is what they had until now."""
        known = len(self)
        places = self._placed(np.stack(windows, axis=1))
        fresh = places >= known
        self._counts[places[fresh]] = before[fresh]
        self._until[places] = windows[3]
        return np.maximum(1 - self._counts[places] / np.maximum(now, 1), 0)

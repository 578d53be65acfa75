"""The order in which rows arrive: most as they happen, a share of them late."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from panewise.errors import QueryError
from panewise.model import Duration


@dataclass(frozen=True)
class Disorder:
    """A share of rows comes late, each by up to a delay; the others come in order.

    >>> Disorder().order(np.array([3, 1, 2]), np.random.default_rng(7)).tolist()
    [1, 2, 0]
    """

    share: float = 0.0
    delay: str = "5 minutes"

    def __post_init__(self) -> None:
        if not 0 <= self.share <= 1:
            raise QueryError(
                f"the share of late rows is from 0 to 1: got {self.share}.",
                hint="0.02 makes one row in fifty late.",
            )

    def order(self, ticks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """The numbers of the rows as they arrive, given when each was sent."""
        late = rng.random(len(ticks)) < self.share
        waits = rng.uniform(0, positive("the delay of late rows", self.delay), len(ticks))
        return np.argsort(ticks + np.where(late, waits, 0.0), kind="stable")


def positive(what: str, duration: str) -> int:
    """The microseconds of a duration that must be longer than nothing."""
    ticks = Duration.parse(duration).ticks
    if ticks <= 0:
        raise QueryError(f'{what} is longer than nothing: got "{duration}".')
    return ticks


def at_least_one(what: str, number: int) -> int:
    """A number of things that cannot be none."""
    if number < 1:
        raise QueryError(f"{what} is at least 1: got {number}.")
    return number

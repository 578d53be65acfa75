"""What was measured for one window set, what follows from it, and the file that keeps it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.measure import today

FORCED = ("independent", "coverage", "factor", "edges")
SHARED = ("coverage", "factor", "edges", "auto")
"""What is compared with independent evaluation."""
NEAR = 0.95
"""The automatic choice is as good as the best if it has this share of its speed."""


@dataclass(frozen=True)
class Trial:
    """One window set: seconds of every side, and what the model expected of them."""

    setup: str
    number: int
    windows: list[list[int]]
    rows: int
    keys: int
    seconds: dict[str, list[float]]
    """Runs of each side: "spark", and the strategies."""
    costs: dict[str, float]
    """What the model expects of each strategy."""
    same: dict[str, str]
    """Strategies whose plan is another one's too: it ran once, and both have its times."""
    chosen: str
    """What the automatic choice took."""
    planning: float
    """Seconds of the automatic choice."""
    results: str
    others: float
    constants: str
    """Which constants of the model: costs of different ones cannot be compared."""
    statistics: str
    machine: str
    copy_of: int | None = None
    """The set of the same windows that was measured: SequentialGen has few different sets."""
    when: str = ""

    @property
    def sparse(self) -> bool:
        return self.setup.startswith("sparse")

    def best(self, side: str) -> float:
        return min(self.seconds[side])

    def boost(self, strategy: str) -> float:
        """The gain over independent evaluation as users write it: a group-by per `window()`."""
        return self.best("spark") / self.best(strategy)

    def predicted(self, strategy: str) -> float:
        """The speed-up that the model expects over our own independent plan."""
        return self.costs["independent"] / self.costs[strategy]

    def measured(self, strategy: str) -> float:
        """The speed-up over our own independent plan, which is the one that the model knows."""
        return self.best("independent") / self.best(strategy)

    @property
    def auto_share(self) -> float:
        """The speed of the automatic choice as a share of the fastest forced strategy's."""
        forced = [self.best(name) for name in FORCED if name in self.seconds]
        return min(forced) / self.best("auto")


Pairs = list[tuple[float, float]]


def pairs(trials: Iterable[Trial], *, distinct: bool = False) -> Pairs:
    """Predicted and measured speed-ups of every set and strategy.

    `distinct` leaves out plans that are another strategy's too, and so are compared with themselves
    or counted twice.
    """
    return [
        (trial.predicted(name), trial.measured(name))
        for trial in trials
        for name in SHARED
        if name in trial.seconds and not (distinct and name in trial.same)
    ]


def pearson(found: Sequence[tuple[float, float]]) -> float:
    """Pearson's correlation; not a number where nothing varies."""
    if len(found) < 2:
        return float("nan")
    x, y = np.array(found).T
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        return float("nan")
    return float(np.corrcoef(x, y)[0, 1])


def logarithms(found: Pairs) -> Pairs:
    return [(float(np.log(x)), float(np.log(y))) for x, y in found]


@dataclass
class Kept:
    """All results of a size of input, kept in one file."""

    path: Path
    trials: list[Trial] = field(default_factory=list)
    planning: dict[str, list[float]] = field(default_factory=dict)
    """Seconds of the automatic choice for many sets, by setup."""

    @classmethod
    def read(cls, path: Path) -> Kept:
        if not path.exists():
            return cls(path)
        stored: dict[str, Any] = json.loads(path.read_text())
        return cls(path, [Trial(**each) for each in stored["trials"]], stored["planning"])

    def write(self) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        stored = {"planning": self.planning, "trials": [asdict(t) for t in self.trials]}
        part = self.path.with_suffix(".part")  # an interrupted write must not lose the others
        part.write_text(json.dumps(stored, indent=1) + "\n")
        part.rename(self.path)

    def add(self, trial: Trial) -> None:
        place = (trial.setup, trial.number)
        self.trials = [t for t in self.trials if (t.setup, t.number) != place]
        self.trials.append(replace(trial, when=trial.when or today()))
        self.write()

    def find(self, setup: str, number: int) -> Trial | None:
        found = (t for t in self.trials if (t.setup, t.number) == (setup, number))
        return next(found, None)

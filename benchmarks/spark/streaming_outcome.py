"""What a run of a side and a case came to, and the file that keeps it."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from benchmarks.measure import today

RIVALS = ("spark", "defaults")
"""Spark's own queries in the session that ours runs in, and with Spark's own settings."""
SIDES = (*RIVALS, "ours")
BESIDE = "beside"
"""Ours of another case, in turn with this one: minutes apart, the JVM has compiled more."""


@dataclass(frozen=True)
class Run:
    """One run of one side: its batches that had rows, its state and its restart.

    Memory and entries are the mean over the batches after warm-up.
    """

    rows: list[int]
    seconds: list[float]
    """Of each batch, as Spark's progress has it: triggerExecution."""
    state_bytes: float
    """After the batch of the restart, as RocksDB's files; of the default store, which tells no
    size of files, its estimate of the newest version in memory."""
    memory_bytes: float
    state_rows: float
    recovery: float
    """Seconds from a new start until the first batch is done, from the checkpoint."""

    def rate(self, warm: int) -> float:
        """Rows per second after the first batches."""
        return sum(self.rows[warm:]) / sum(self.seconds[warm:])

    def percentile(self, share: float, warm: int) -> float:
        return percentile(self.seconds[warm:], share)


def added(runs: Sequence[Run], scale: float = 1.0) -> Run:
    """Queries of the same rows, one after another, as one run; `scale` times what they take."""
    return Run(
        rows=runs[0].rows,
        seconds=[scale * sum(batch) for batch in zip(*(r.seconds for r in runs), strict=True)],
        state_bytes=scale * sum(run.state_bytes for run in runs),
        memory_bytes=scale * sum(run.memory_bytes for run in runs),
        state_rows=scale * sum(run.state_rows for run in runs),
        recovery=scale * sum(run.recovery for run in runs),
    )


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest value that this share of the values does not exceed.

    >>> [percentile([4, 1, 3, 2], share) for share in (0.5, 0.95)]
    [2, 4]
    """
    ordered = sorted(values)
    return ordered[max(math.ceil(len(ordered) * share), 1) - 1]


@dataclass(frozen=True)
class Outcome:
    """All runs of a case."""

    name: str
    title: str
    keys: int
    windows: int
    rows: int
    warm: int
    runs: dict[str, list[Run]]
    """By side: `SIDES`, and `BESIDE` where the case has another one beside it."""
    queries: dict[str, int]
    """Queries of Spark's that ran, by side; the others are counted like their mean."""
    results: str
    others: float
    """Cores that other processes kept busy in the worst run."""
    machine: str
    when: str = ""

    def best(self, side: str) -> Run:
        return max(self.runs[side], key=lambda run: run.rate(self.warm))

    def rate(self, side: str) -> float:
        return self.best(side).rate(self.warm)

    def ratio(self, rival: str) -> float:
        return self.rate("ours") / self.rate(rival)

    def compared(self) -> float | None:
        """Rows per second of ours by those of the case beside it; None if there is none."""
        return self.rate("ours") / self.rate(BESIDE) if BESIDE in self.runs else None

    @classmethod
    def of(cls, stored: dict[str, Any]) -> Outcome:
        runs = {side: [Run(**run) for run in found] for side, found in stored["runs"].items()}
        return cls(**{**stored, "runs": runs})


@dataclass
class Kept:
    """All outcomes of a size of input, in one file."""

    path: Path
    outcomes: dict[str, Outcome] = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path) -> Kept:
        if not path.exists():
            return cls(path)
        every = json.loads(path.read_text())
        # what was measured before there were all these sides had another input, too
        found = [Outcome.of(stored) for stored in every if set(SIDES) <= set(stored["runs"])]
        return cls(path, {outcome.name: outcome for outcome in found})

    def add(self, outcome: Outcome) -> None:
        self.outcomes[outcome.name] = replace(outcome, when=today())
        self.path.parent.mkdir(parents=True, exist_ok=True)
        part = self.path.with_suffix(".part")  # an interrupted write must not lose the others
        part.write_text(json.dumps([asdict(o) for o in self.outcomes.values()], indent=1) + "\n")
        part.rename(self.path)

"""What was measured at one place of one figure, and the file that keeps it."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from benchmarks.measure import today


@dataclass(frozen=True)
class Point:
    """One place on the horizontal axis: the runs of every side."""

    case: str
    variant: str
    """Which line or panel of the case: the kind of values, the rate, the kind of windows."""
    x: float | str
    rows: int
    """Rows that a run takes; windows that it reports, where latency is measured."""
    seconds: dict[str, list[float]] = field(default_factory=dict)
    bytes: dict[str, int] = field(default_factory=dict)
    slices: int = 0
    """What our operator held when its bytes were read."""
    results: str = "not compared"
    others: float = 0.0
    machine: str = ""
    when: str = ""

    @property
    def place(self) -> tuple[str, str, float | str]:
        return self.case, self.variant, self.x

    def best(self, side: str) -> float:
        return min(self.seconds[side])

    def speed(self, side: str) -> float:
        """Rows a second."""
        return self.rows / self.best(side)

    def ratio(self, side: str, other: str) -> float:
        """How many times as fast a side is as another."""
        return self.best(other) / self.best(side)


@dataclass
class Kept:
    """All points of a size of experiment, kept in one file."""

    path: Path
    points: list[Point] = field(default_factory=list)

    @classmethod
    def read(cls, path: Path) -> Kept:
        if not path.exists():
            return cls(path)
        return cls(path, [Point(**each) for each in json.loads(path.read_text())])

    def add(self, point: Point) -> None:
        """Keep a point in place of an older one, and write at once."""
        others = [each for each in self.points if each.place != point.place]
        self.points = [*others, replace(point, when=today())]
        self.path.parent.mkdir(parents=True, exist_ok=True)
        part = self.path.with_suffix(".part")  # an interrupted write must not lose the others
        part.write_text(json.dumps([asdict(each) for each in self.points], indent=1) + "\n")
        part.rename(self.path)

    def of(self, case: str, variant: str | None = None) -> list[Point]:
        found = [each for each in self.points if each.case == case]
        return [each for each in found if variant in (None, each.variant)]

    def variants(self, case: str) -> list[str]:
        return list(dict.fromkeys(each.variant for each in self.of(case)))

"""What was measured at one place of one figure of the spanning-events experiment."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.papers import general_slicing_point


@dataclass(frozen=True)
class Point(general_slicing_point.Point):
    """With processor seconds, the technique that was chosen, and the shape of the windows."""

    cpu: dict[str, list[float]] = field(default_factory=dict)
    chosen: str = ""
    shape: dict[str, float] = field(default_factory=dict)
    told: dict[str, float] = field(default_factory=dict)
    """Other numbers by name: revisions, late rows, bytes of a shuffle."""

    @property
    def own(self) -> list[str]:
        """The source's own techniques that took part."""
        return [name for name in self.seconds if name.startswith("SE-")]

    def best_of(self, names: list[str]) -> str:
        return min(names, key=self.best)


class Kept(general_slicing_point.Kept):
    """All points of a size of experiment, kept in one file."""

    @classmethod
    def read(cls, path: Path) -> Kept:
        if not path.exists():
            return cls(path)
        return cls(path, [Point(**each) for each in json.loads(path.read_text())])

"""What was measured at one place of the frames experiment."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.papers import general_slicing_point


@dataclass(frozen=True)
class Point(general_slicing_point.Point):
    """With the phases of every side, and other numbers by name."""

    phases: dict[str, dict[str, float]] = field(default_factory=dict)
    """Nanoseconds of each phase for a row."""
    shape: dict[str, float] = field(default_factory=dict)
    """Share and delay of late rows, rows of a frame, retained rows."""
    told: dict[str, float] = field(default_factory=dict)


class Kept(general_slicing_point.Kept):
    """All points of a size of experiment, kept in one file."""

    @classmethod
    def read(cls, path: Path) -> Kept:
        if not path.exists():
            return cls(path)
        return cls(path, [Point(**each) for each in json.loads(path.read_text())])

"""What the experiments in process share: a case measured to its end."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable, Iterable
from typing import Any

from rich.console import Console

from benchmarks.papers.general_slicing_point import Kept, Point

console = Console(width=None if sys.stdout.isatty() else 190)


def measured(name: str, points: Callable[[], Iterable[Any]], kept: Kept) -> bool:
    """Whether a case could be measured to its end. Every point is kept when it is there."""
    try:
        for point in points():
            kept.add(point)
            console.print(_line(point))
    except Exception:
        traceback.print_exc()
        console.print(f"[bold red]{name} could not be measured")
        return False
    return True


def _line(point: Point) -> str:
    told = [f"{side} {point.speed(side) / 1e6:.3g} M/s" for side in point.seconds]
    told += [f"{side} {size:,} bytes" for side, size in point.bytes.items()]
    return f"{point.case} {point.x} ({point.variant}): {', '.join(told)}; {point.results}"

"""What the experiments in process share: a case measured to its end, and the report of all."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

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


def reported(
    kept: Kept, tables: Callable[[Any], list[Table]], write: Callable[[Any, Path], None]
) -> int:
    """Show what is kept, and write the page; not zero where results differ, or there are none."""
    if not kept.points:
        console.print(f"nothing was measured yet: {kept.path.name} is not there")
        return 2
    for table in tables(kept):
        console.print(table)
    page = kept.path.with_suffix(".md")
    write(kept, page)
    console.print(f"written: {page.name} and its pictures in benchmarks/out")
    return 1 if any("DIFFERENT" in point.results for point in kept.points) else 0


def _line(point: Point) -> str:
    told = [f"{side} {point.speed(side) / 1e6:.3g} M/s" for side in point.seconds]
    told += [f"{side} {size:,} bytes" for side, size in point.bytes.items()]
    return f"{point.case} {point.x} ({point.variant}): {', '.join(told)}; {point.results}"

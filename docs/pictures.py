"""The pictures of the concept pages, drawn from what the engines say: `make pictures`.

A test draws them again and compares, so a picture never shows what the library does not do.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import panewise as pw
from panewise.viz.timeline import draw

FOLDER = Path(__file__).parent / "images"
EVENTS = {"t": [0, 1, 2, 5, 6, 7, 11, 12], "x": [3, 1, 2, 5, 1, 4, 2, 6]}


def windows(*asked: Any, events: Mapping[str, Sequence[object]] = EVENTS, **given: Any) -> str:
    """Windows over the events of the page, by their sum."""
    plan = pw.plan(time="t", windows=asked, aggregates=[pw.sum("x")])
    return draw(plan, events, **given)


def panes() -> str:
    events = {"t": list(range(0, 24, 2)), "x": [1] * 12}
    return windows(pw.tumbling(4), pw.tumbling(6), pw.tumbling(8), events=events)


def by_time() -> str:
    return windows(pw.tumbling(5), pw.sliding(10, 5), pw.cumulating(5, 10), pw.session(2))


def by_rows() -> str:
    return windows(
        pw.tumbling(pw.rows(3)), pw.every(5, last=pw.rows(2)), pw.by_tuple(pw.rows(3), 4)
    )


def late() -> str:
    """The pushes of the page, row by row."""
    events = {"t": [1, 3, 14, 5, 30], "x": [1, 2, 4, 8, 16]}
    return windows(pw.tumbling(10), pw.session(3), events=events, delay=2, lateness=10)


def shared() -> str:
    plan = pw.plan(
        time="ts",
        by=["device"],
        windows=[pw.tumbling("20 min"), pw.tumbling("30 min"), pw.tumbling("40 min")],
        aggregates=[pw.min("temp")],
        statistics=pw.Statistics.given(rows=10_000_000, span="1 day", keys=100),
        strategy="factor",
    )
    return plan.explain("svg")


def spanning() -> str:
    plan = pw.plan(time=("began", "ended"), windows=[pw.tumbling(10)], aggregates=[pw.sum("cost")])
    calls = {"began": [0, 2, 14], "ended": [6, 25, 21], "cost": [3, 8, 5]}
    return draw(plan, calls)


def frames() -> str:
    events = {"t": list(range(1, 13)), "x": [1, 2, 1, 5, 4, 7, 2, 1, 9, 8, 4, 1]}
    return windows(
        pw.threshold_frame("x >= 4"),
        pw.boundary_frame("x", edges=[3, 6]),
        pw.delta_frame("x", 4),
        pw.aggregate_frame(pw.sum("x"), 10),
        events=events,
    )


def granules() -> str:
    events = {"t": list(range(16)), "x": [1, 2, 1, 3, 1, 1, 2, 1, 4, 1, 2, 1, 1, 3, 1, 2]}
    return windows(pw.granules((2, 1), (4, 2), (8, 4)), events=events)


def held() -> str:
    """Windows that are open when the last row has come."""
    events = {"t": [0, 1, 3, 4, 6, 7, 9, 10, 12], "x": [3, 1, 2, 5, 1, 4, 2, 6, 1]}
    return windows(pw.sliding(6, 2), pw.tumbling(4), events=events)


PICTURES: dict[str, Callable[[], str]] = {
    "panes": panes,
    "windows-by-time": by_time,
    "windows-by-rows": by_rows,
    "late-rows": late,
    "factor-windows": shared,
    "spanning-events": spanning,
    "frames": frames,
    "granules": granules,
    "held": held,
}


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for name, picture in PICTURES.items():
        (FOLDER / f"{name}.svg").write_text(picture() + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

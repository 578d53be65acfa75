"""Things side by side where they fit, and in rows of their own where they do not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def rows_of(extents: Sequence[tuple[float, float]], gap: float = 0.0) -> list[int]:
    """A row for each extent, the first in which nothing is in its way.

    >>> rows_of([(0, 10), (5, 15), (10, 20), (12, 13)])
    [0, 1, 0, 2]
    """
    ends: list[float] = []
    found = [0] * len(extents)
    for at in sorted(range(len(extents)), key=lambda i: extents[i]):
        left, right = extents[at]
        row = next((n for n, end in enumerate(ends) if end + gap <= left), len(ends))
        ends[row : row + 1] = [right]
        found[at] = row
    return found


def more(count: int, what: str) -> str:
    """How many are not shown.

    >>> more(1, "key"), more(1200, "window")
    ('1 more key', '1,200 more windows')
    """
    return f"{count:,} more {what}" + "s" * (count > 1)


def spelled(value: Any, most: int = 40) -> str:
    """A value of an event or a window in few characters.

    >>> [spelled(v) for v in (None, 3, 2.0, 1 / 3, True, "a", [1, 2], {"n": 3})]
    ['null', '3', '2', '0.333', 'true', 'a', '1, 2', 'n 3']
    """
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return f"{value:.3g}" if abs(value) < 1000 else f"{value:,.0f}"
    if isinstance(value, list | tuple):
        value = ", ".join(spelled(each, most) for each in value)
    if isinstance(value, dict):
        value = ", ".join(f"{name} {spelled(each, most)}" for name, each in value.items())
    text = str(value)
    return text if len(text) <= most else text[: most - 1] + "…"

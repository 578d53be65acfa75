"""When families end next, and how far back they look.

Idea: of a thousand families a push concerns a few.  Each has its next end at hand, and the start of
its earliest open window; only those that a bound has passed are computed anew.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from panewise.kernels.compiled import compiled
from panewise.kernels.ranges import ALWAYS, NEVER, Ranges, find_periodic
from panewise.windows import Family


class Horizon:
    """Families by number, as a stream passes them."""

    def __init__(self, families: Sequence[tuple[int, Family]]) -> None:
        self.families = family_table(families)
        # next end; start and end of the earliest window that is needed
        self._bounds = np.full((3, len(self.families)), NEVER, np.int64)
        self._room = np.empty((6, len(self.families) + 1), np.int64)  # mostly one each is due
        self.gaps = any(f.slide > f.size or f.once for _, f in families)
        """Whether some times are in no window of a family."""
        self.next_end = NEVER
        """No window that was not passed ends before this; `NEVER` before it is known."""
        self.earliest = NEVER
        """Every window that is needed starts here or later, but for families with gaps."""

    @property
    def ends(self) -> np.ndarray:
        """The next end of each family."""
        return self._bounds[0]

    @property
    def starts(self) -> np.ndarray:
        """For each family the start of its earliest window that is needed."""
        return self._bounds[1]

    def advance(self, watermark: int, keep: int) -> None:
        """Pass all windows that end by the watermark; those that end by `keep` need no cells."""
        self.next_end, self.earliest = _advance(self.families, watermark, keep, *self._bounds)

    def passed(self, pane: np.ndarray, previous: int, watermark: int, keep: int) -> Ranges | None:
        """The windows over panes of one key that end in `(previous, watermark]`, which are passed.

        None if they are too many to be found at once: then nothing is passed.
        """
        count, next_end, earliest = _pass(
            pane, self.families, self._bounds, previous, watermark, keep, self._room
        )
        if count > self._room.shape[1]:
            return None
        self.next_end, self.earliest = next_end, earliest
        return Ranges(*self._room[:, :count].copy())

    def needed(self, pane: np.ndarray, keep: int) -> np.ndarray:
        """Which cells a window that ends after `keep` still reads: a mask."""
        mask = pane >= self.earliest
        if self.gaps:
            _between_gaps(pane, self.families, keep, mask)
        return mask


def family_table(families: Sequence[tuple[int, Family]]) -> np.ndarray:
    """Families by number."""
    rows = [(number, f.size, f.slide, f.step, f.origin, f.once) for number, f in families]
    return np.array(rows, np.int64).reshape(-1, 6)


@compiled
def _pass(pane, families, bounds, previous, watermark, keep, room):  # type: ignore[no-untyped-def]
    """One call for what takes two: calls from Python cost more than a few windows do."""
    runs, one = np.array([0, len(pane)]), np.array([previous, watermark])
    count = find_periodic(
        pane, runs, families, bounds[0], one[:1], one[1:],
        room[0], room[1], room[2], room[3], room[4], room[5],
    )  # fmt: skip
    if count > room.shape[1]:
        return count, NEVER, NEVER
    next_end, earliest = _advance(families, watermark, keep, bounds[0], bounds[1], bounds[2])
    return count, next_end, earliest


@compiled
def _advance(families, watermark, keep, ends, starts, stay):  # type: ignore[no-untyped-def]
    """Compute anew what a bound has passed: the next end and the earliest start of all."""
    nearest = earliest = ALWAYS
    for f in range(len(families)):
        if ends[f] <= watermark:
            ends[f] = _next_end(families[f], watermark)
        if stay[f] <= keep:
            size, slide, origin = families[f, 1], families[f, 2], families[f, 4]
            if slide > size or families[f, 5]:  # cells in its windows are looked for one by one
                starts[f] = stay[f] = ALWAYS
            else:
                starts[f] = origin + ((keep - size - origin) // slide + 1) * slide
                stay[f] = starts[f] + size
        nearest = min(nearest, ends[f])
        earliest = min(earliest, starts[f])
    return nearest, earliest


@compiled
def _next_end(family, watermark):  # type: ignore[no-untyped-def]
    """The first end of a window of the family after the watermark."""
    size, slide, step, origin, once = family[1:6]
    if watermark == ALWAYS:
        return ALWAYS
    if once:
        if watermark >= origin + size:
            return ALWAYS
        return origin + step * max(1, (watermark - origin) // step + 1)
    if step < size:
        return watermark - (watermark - origin) % step + step
    return watermark - (watermark - origin - size) % slide + slide


@compiled
def _between_gaps(pane, families, keep, mask):  # type: ignore[no-untyped-def]
    for f in range(len(families)):
        size, slide, origin, once = families[f, 1], families[f, 2], families[f, 4], families[f, 5]
        if slide <= size and not once:
            continue
        for i in range(len(pane)):
            k = 0 if once else (pane[i] - origin) // slide
            start = origin + k * slide
            if start <= pane[i] < start + size and start + size > keep:
                mask[i] = True

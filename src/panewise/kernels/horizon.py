"""When families end next, and how far back they look.

Idea: of a thousand families a push concerns a few.  Each has its next end at hand, and the start of
its earliest open window; only those that a bound has passed are computed anew.
"""

from __future__ import annotations

import numpy as np

from panewise.kernels.compiled import compiled
from panewise.kernels.families import Families
from panewise.kernels.ranges import ALWAYS, NEVER, Ranges, find_periodic, gallop, gallop_back

FEW = 1 << 8
"""Windows that there is room for at first."""


class Horizon:
    """Families by number, as a stream passes them."""

    def __init__(self, families: Families) -> None:
        self.families = families.table
        # next end; start and end of the earliest window that is needed; where the next window
        # begins among all panes so far, if it still does
        self._bounds = np.full((4, len(self.families)), NEVER, np.int64)
        self._bounds[3] = 0
        self._most = FEW  # windows that were due at once
        self.gaps = families.gaps
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
        due = _reached(self._bounds[0], watermark)
        self.next_end, self.earliest = _advance(self.families, due, watermark, keep, self._bounds)

    def passed(
        self,
        pane: np.ndarray,
        previous: int,
        watermark: int,
        keep: int,
        gone: int = 0,
        most: int = 0,
    ) -> Ranges | None:
        """The windows over panes of one key that end in `(previous, watermark]`, which are passed.

        None if they are too many to be found at once, though there may be as many as `most`: then
        nothing is passed.  So many panes were before the first of these and are `gone`.
        """
        room = np.empty((6, self._most), np.int64)
        count, next_end, earliest = _pass(
            pane, gone, self.families, self._bounds, previous, watermark, keep, room
        )
        if count > self._most:
            if count > max(most, len(self.families) + 1):  # mostly one each is due
                return None
            self._most = 2 * count
            return self.passed(pane, previous, watermark, keep, gone)
        self.next_end, self.earliest = next_end, earliest
        return Ranges(*room[:, :count])

    def needed(self, pane: np.ndarray, keep: int) -> np.ndarray:
        """Which cells a window that ends after `keep` still reads: a mask."""
        mask = pane >= self.earliest
        if self.gaps:
            _between_gaps(pane, self.families, keep, mask)
        return mask


@compiled
def _pass(  # type: ignore[no-untyped-def]
    pane, gone, families, bounds, previous, watermark, keep, room
):
    """One call for what takes two: calls from Python cost more than a few windows do."""
    runs, one = np.array([0, len(pane)]), np.array([previous, watermark])
    due, count = _reached(bounds[0], watermark), 0
    for f in due:
        _, size, slide, step, _, once = families[f]
        if size == slide == step and not once and bounds[0, f] != NEVER:
            more = _pass_tumbling(
                pane, gone, families[f], bounds[0, f], bounds[3, f : f + 1], watermark, room, count
            )
        else:
            left = room[:, min(count, room.shape[1]) :]
            more = find_periodic(
                pane, runs, families[f : f + 1], bounds[0, :0], one[:1], one[1:],
                left[0], left[1], left[2], left[3], left[4], left[5],
            )  # fmt: skip
        count += more
    if count > room.shape[1]:
        return count, NEVER, NEVER
    next_end, earliest = _advance(families, due, watermark, keep, bounds)
    return count, next_end, earliest


@compiled
def _pass_tumbling(  # type: ignore[no-untyped-def]
    pane, gone, family, end, place, watermark, room, count
):
    """Windows that begin where the one before ended: that place is known, and the end is near."""
    window, size = family[0], family[1]
    stop, before = len(pane), count
    lo = place[0] - gone
    known = 0 <= lo < stop and pane[lo] >= end - size and (lo == 0 or pane[lo - 1] < end - size)
    if not known:
        lo = gallop(pane, 0, stop, end - size)
    while end <= watermark and lo < stop:
        if pane[lo] >= end:  # nothing here: on to the first that has a cell
            end += ((pane[lo] - end) // size + 1) * size
            continue
        hi = gallop_back(pane, lo, stop, end)
        if count < room.shape[1]:
            room[0, count], room[1, count], room[2, count] = window, 0, end - size
            room[3, count], room[4, count], room[5, count] = end, lo, hi
        count += 1
        lo = hi
        end += size
    place[0] = gone + lo
    return count - before


@compiled
def _advance(families, due, watermark, keep, bounds):  # type: ignore[no-untyped-def]
    """Compute anew what a bound has passed: the next end and the earliest start of all."""
    ends, starts, stay = bounds[0], bounds[1], bounds[2]
    for f in due:
        ends[f] = _next_end(families[f], ends[f], watermark)
    for f in _reached(stay, keep):
        size, slide, origin = families[f, 1], families[f, 2], families[f, 4]
        if slide > size or families[f, 5]:  # cells in its windows are looked for one by one
            starts[f] = stay[f] = ALWAYS
        else:
            if stay[f] != NEVER and keep - stay[f] < slide:  # one step on, without a division
                starts[f] += slide
            else:
                starts[f] = origin + ((keep - size - origin) // slide + 1) * slide
            stay[f] = starts[f] + size
    return _least(ends), _least(starts)


@compiled
def _reached(bounds, limit):  # type: ignore[no-untyped-def]
    """The families whose bounds are at or before a limit: found without a branch, as few are."""
    out, count = np.empty(len(bounds) + 1, np.int64), 0
    for f in range(len(bounds)):
        out[count] = f
        count += bounds[f] <= limit
    return out[:count]


@compiled
def _least(values):  # type: ignore[no-untyped-def]
    """The least of all, several compared at a time."""
    least = ALWAYS
    for value in values:
        least = min(least, value)
    return least


@compiled
def _next_end(family, end, watermark):  # type: ignore[no-untyped-def]
    """The first end of a window of the family after the watermark, which has reached this one."""
    size, slide, step, origin, once = family[1:6]
    if watermark == ALWAYS:
        return ALWAYS
    if once:
        if watermark >= origin + size:
            return ALWAYS
        return origin + step * max(1, (watermark - origin) // step + 1)
    period = step if step < size else slide
    if end != NEVER and watermark - end < period:  # mostly the next one: without a division
        return end + period
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

"""The source's spelling of granules: `[RANGES 1 HOUR, 1 MINUTE SLIDES 1 MINUTE, 1 SECOND]`.

Idea: two lists of sizes, of which those at one place are a level; the widest may come first, as in
the source, or last.  What cannot be read is underlined.
"""

from __future__ import annotations

import re

from panewise.errors import QueryError
from panewise.expressions.parse import underlined
from panewise.model import Size, parse_size, rows
from panewise.windows import sizes
from panewise.windows.granules import Granules, granules

_CLAUSE = re.compile(
    r"\s*(?P<open>\[?)\s*RANGES\b(?P<ranges>.*?)\bSLIDES\b(?P<slides>[^\]]*)(?P<close>\]?)\s*",
    re.IGNORECASE | re.DOTALL,
)
_COUNT = re.compile(r"(\d+)(?:\s+(ROWS?))?", re.IGNORECASE)
_HINT = "write [RANGES 1 HOUR, 10 MINUTES SLIDES 5 MINUTES, 1 MINUTE]."
Place = tuple[int, int]


def parse_ranges(text: str) -> Granules:
    """Granules from a clause; sizes are durations, plain numbers of the measure, or `n ROWS`.

    >>> parse_ranges("[RANGES 1 HOUR, 10 MINUTES SLIDES 5 MINUTES, 1 MINUTE]").window_id
    'granules(10m/1m, 1h/5m)'
    """
    if not isinstance(text, str):
        raise QueryError(f"a clause of ranges is text: got {text!r}.", hint=_HINT)
    clause = _CLAUSE.fullmatch(text)
    if clause is None or bool(clause["open"]) != bool(clause["close"]):
        raise _refused(text, (0, len(text)), "a clause is RANGES, sizes, SLIDES, sizes", _HINT)
    ranges, slides = (_sizes(text, clause.start(n), clause.end(n)) for n in ("ranges", "slides"))
    if len(ranges) != len(slides):
        place = clause.start("slides") + 1, clause.end("slides")
        counts = f"{len(ranges)} ranges and {len(slides)} slides"
        raise _refused(text, place, f"every range has a slide: got {counts}", _HINT)
    levels = list(zip(ranges, slides, strict=True))
    if len(levels) < 2:
        raise _refused(text, (0, len(text)), "granules have at least two levels", _HINT)
    if sizes.units(ranges[0]) > sizes.units(ranges[-1]):
        levels.reverse()
    try:
        return granules(*levels)
    except QueryError as problem:
        raise _refused(text, (0, len(text)), problem.message.rstrip("."), problem.hint) from None


def _sizes(text: str, start: int, end: int) -> list[Size]:
    """The sizes of one list, which stands at this place."""
    found = []
    for item in text[start:end].split(","):
        found.append(_size(text, start, item))
        start += len(item) + 1
    return found


def _size(text: str, start: int, item: str) -> Size:
    begins = start + len(item) - len(item.lstrip())
    place = begins, max(begins + len(item.strip()), begins + 1)
    count = _COUNT.fullmatch(item.strip())
    try:
        if count is None:
            return parse_size(item.strip())
        return rows(int(count[1])) if count[2] else parse_size(int(count[1]))
    except QueryError as problem:
        raise _refused(text, place, problem.message.rstrip("."), problem.hint) from None


def _refused(text: str, place: Place, rule: str, hint: str | None) -> QueryError:
    return QueryError(f"{rule}:\n{underlined(text, *place)}\n", hint=hint)

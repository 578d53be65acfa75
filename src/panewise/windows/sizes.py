"""Sizes of windows: read, refused by name, counted and written.

Invariant: all sizes of one window count the same thing: time, an integer measure, or rows.
"""

from __future__ import annotations

from panewise.errors import QueryError
from panewise.model import Duration, RowCount, Size, format_ticks, parse_size
from panewise.windows.context import Family, RowFamily


def units(size: Size) -> int:
    """The integer behind a size, whatever it counts."""
    if isinstance(size, RowCount):
        return size.count
    return size.ticks if isinstance(size, Duration) else size


def family(size: Size, slide: Size, origin: Size, step: Size = 0) -> Family | RowFamily:
    """A periodic family over what the sizes count.

    >>> from panewise.model import rows
    >>> family(rows(4), rows(2), rows(1))
    RowFamily(family=Family(size=4, slide=2, step=4, origin=1, once=False))
    """
    counted = Family(units(size), units(slide), step=units(step), origin=units(origin))
    return RowFamily(counted) if isinstance(size, RowCount) else counted


def positive(kind: str, **given: object) -> dict[str, Size]:
    """Read the sizes of one window, refusing what is not positive or mixes units."""
    sizes = {name: parse_size(value) for name, value in given.items()}
    for name, size in sizes.items():
        if units(size) <= 0:
            raise QueryError(
                f"{kind}: {name} must be positive: got {name}={show(size)}.",
                hint=f"give a {name} greater than zero.",
            )
    if len({type(size) for size in sizes.values()}) > 1:
        listed = ", ".join(f"{name}={show(size)}" for name, size in sizes.items())
        raise QueryError(
            f"{kind}: all sizes of one window count the same thing: got {listed}.",
            hint="use durations everywhere, plain integers everywhere, or rows everywhere.",
        )
    return sizes


def extent(kind: str, **given: object) -> dict[str, Size]:
    """As `positive`, for windows whose sizes cannot be counted in rows."""
    sizes = positive(kind, **given)
    for name, size in sizes.items():
        if isinstance(size, RowCount):
            raise QueryError(
                f"{kind}: sizes count time or an integer measure: got {name}={size}.",
                hint="give a duration such as '5m', or an integer for an integer time column.",
            )
    return sizes


def row_count(kind: str, name: str, given: object) -> RowCount:
    """A size that must be counted in rows."""
    if not isinstance(given, RowCount):
        raise QueryError(
            f"{kind}: {name} is counted in rows: got {name}={given!r}.",
            hint=f"write {name}=rows(1000).",
        )
    return given


def origin_like(kind: str, size: Size, origin: object) -> Size:
    """Read an origin, which may be zero or negative but must count what `size` counts."""
    offset = parse_size(origin)
    if offset == 0:
        return _nothing_like(size)
    if type(offset) is not type(size):
        raise QueryError(
            f"{kind}: origin counts what the size counts: got origin={show(offset)} beside "
            f"size={show(size)}.",
            hint="give the origin in the unit of the size.",
        )
    return offset


def _nothing_like(size: Size) -> Size:
    if isinstance(size, RowCount):
        return RowCount(0)
    return Duration(0) if isinstance(size, Duration) else 0


def show(size: Size) -> str:
    """A size as a user would write it."""
    return format_ticks(size.ticks) if isinstance(size, Duration) else str(size)


def spelled(kind: str, *parts: Size | str, origin: Size = 0) -> str:
    """`kind(size, ...)`, with the origin only where it matters."""
    listed = [part if isinstance(part, str) else show(part) for part in parts]
    if units(origin):
        listed.append(f"origin={show(origin)}")
    return f"{kind}({', '.join(listed)})"

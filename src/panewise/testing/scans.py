"""The laws of user-defined windows: rows given in pieces are rows given at once.

Idea: an engine may cut the rows of a key anywhere, call `scan` again without new rows, and store
the context as JSON between two calls.  None of it may change the windows.
"""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from panewise.errors import LawError, PanewiseError, QueryError
from panewise.windows import END, ScannedRows, UserWindow, checked

_SAMPLE = (0, 1, 2, -1, None)
_STEPS = (0, 0, 1, 1, 2, 5, 40)  # distances of neighbouring times: ties and gaps
Found = tuple[int, int, int, int]


@dataclass
class _Broken(Exception):
    law: str
    what: str


def check_window(
    window: UserWindow,
    *,
    columns: Mapping[str, Sequence[Any]] | None = None,
    cases: int = 200,
    most: int = 12,
    seed: int = 0,
) -> None:
    """Raise `LawError` naming the first law that a window breaks, with the rows that show it.

    `columns` gives values to choose from for the columns that the window reads. `cases` lists of up
    to `most` rows are tried, the same ones for the same `seed`.

    >>> from panewise.windows import Closed, Scanned
    >>> class Pairs(UserWindow):
    ...     kind = "pairs"
    ...     def scan(self, context, rows, watermark):
    ...         cut = len(rows) if watermark == END else len(rows) - len(rows) % 2
    ...         pairs = [(lo, min(lo + 2, cut)) for lo in range(0, cut, 2)]
    ...         ticks = rows.ticks
    ...         closed = [Closed(lo, hi, ticks[lo], ticks[hi - 1] + 1) for lo, hi in pairs]
    ...         return Scanned(closed, None, needed=cut)
    >>> check_window(Pairs())
    """
    if not isinstance(window, UserWindow):
        raise QueryError(
            f"check_window takes a UserWindow: got {window!r}.", hint="pass an instance of it."
        )
    chance = random.Random(seed)
    for _ in range(cases):
        rows = _rows(window, columns or {}, chance, most)
        watermarks = _watermarks(rows, chance)
        try:
            _check(window, rows, watermarks)
        except _Broken as broken:
            given = {name: column.to_pylist() for name, column in rows.columns.items()}
            raise LawError(
                f"{type(window).__name__} breaks {broken.law}: {broken.what}. Times: "
                f"{rows.ticks.tolist()}, columns: {given}, watermarks: {watermarks}.",
                hint=_LAWS[broken.law],
            ) from None


_LAWS = {
    "validity": "scan returns Scanned; see the message for what is wrong with it.",
    "purity": "scan changes neither its context nor anything else; build a new context.",
    "patience": "a window is reported when the watermark has reached its end, or at END.",
    "cutting": "rows given in pieces make the same windows; `needed` keeps what is still open.",
}


def _check(window: UserWindow, rows: ScannedRows, watermarks: Sequence[int]) -> None:
    whole = list(_played(window, rows, [END]))
    pieces = list(_played(window, rows, [*watermarks, END]))
    if sorted(whole) != sorted(pieces):
        raise _Broken("cutting", f"all at once {_shown(whole)}, in pieces {_shown(pieces)}")


def _played(window: UserWindow, rows: ScannedRows, watermarks: Sequence[int]) -> Iterator[Found]:
    """What an engine does: rows before each watermark, after those still needed."""
    context, base = None, 0
    for watermark in watermarks:
        upto = int(np.searchsorted(rows.ticks, watermark)) if watermark < END else len(rows)
        given = rows.slice(base, upto)
        scanned = _called(window, context, given, watermark)
        for closed in scanned.closed:
            if closed.end > watermark:
                raise _Broken("patience", f"{closed} was reported at watermark {watermark}")
            yield base + closed.lo, base + closed.hi, int(closed.start), int(closed.end)
        context, base = json.loads(json.dumps(scanned.context)), base + int(scanned.needed)


def _called(window: UserWindow, context: Any, rows: ScannedRows, watermark: int) -> Any:
    before = copy.deepcopy(context)
    try:
        first = copy.deepcopy(checked(window, window.scan(context, rows, watermark), rows))
        changed = repr(context) != repr(before)
        again = checked(window, window.scan(copy.deepcopy(before), rows, watermark), rows)
    except PanewiseError as error:
        raise _Broken("validity", error.message.rstrip(".")) from None
    except Exception as error:  # the user's code, so whatever it raises
        raise _Broken("validity", f"{type(error).__name__}: {error}") from None
    if changed:
        raise _Broken("purity", f"the context {before!r} became {context!r} during the call")
    if repr(first) != repr(again):
        raise _Broken("purity", f"the same call gave {first} and then {again}")
    return first


def _rows(
    window: UserWindow, columns: Mapping[str, Sequence[Any]], chance: random.Random, most: int
) -> ScannedRows:
    count = chance.randint(0, most)
    steps = [chance.choice(_STEPS) for _ in range(count)]
    ticks = chance.choice((-20, 0, 1_700_000_000_000_000)) + np.cumsum(steps, dtype=np.int64)
    drawn = {}
    for name in window.columns():
        values = list(columns.get(name, _SAMPLE))
        # The type comes from all values, so that no choice of them makes a column of another type.
        places = [chance.randrange(len(values)) for _ in range(count)]
        drawn[name] = pa.array(values).take(pa.array(places, pa.int64()))
    return ScannedRows(ticks, drawn)


def _watermarks(rows: ScannedRows, chance: random.Random) -> list[int]:
    """Some times, at, beside and beyond the rows, in order; one may come twice."""
    near = [int(t) + beside for t in rows.ticks for beside in (0, 1, 3)] or [0]
    return sorted(chance.choice([*near, near[-1] + 100]) for _ in range(chance.randint(1, 5)))


def _shown(found: Sequence[Found]) -> str:
    return ", ".join(f"rows [{lo}, {hi}) in [{a}, {b})" for lo, hi, a, b in sorted(found)) or "none"

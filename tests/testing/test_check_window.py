"""Broken windows are caught, by name and with the rows that show it."""

from typing import Any

import pytest

import panewise as pw
from panewise.errors import LawError, QueryError
from panewise.testing import check_window
from panewise.windows import ScannedRows
from tests.windows.orders import Order

STATUS = {"status": ["new", "paid", "sent", None]}


def whole(rows: ScannedRows, lo: int, hi: int) -> pw.Closed:
    return pw.Closed(lo, hi, rows.ticks[lo], rows.ticks[hi - 1] + 1)


class Quiet(pw.UserWindow):
    """Runs of rows less than five apart; the run is remembered by its first position."""

    kind = "quiet"

    def scan(self, context: Any, rows: ScannedRows, watermark: int) -> pw.Scanned:
        closed, lo = [], 0
        for at in range(1, len(rows) + 1):
            ended = watermark - 5 if at == len(rows) else rows.ticks[at] - 5
            if rows.ticks[at - 1] <= ended:
                closed.append(whole(rows, lo, at))
                lo = at
        return pw.Scanned(closed, None, lo)


class Forgetful(Order):
    """Drops the rows of an open order."""

    def scan(self, context: Any, rows: ScannedRows, watermark: int) -> pw.Scanned:
        return pw.Scanned(super().scan(context, rows, watermark).closed, None, len(rows))


class Hasty(Order):
    """Closes whatever it has."""

    def scan(self, context: Any, rows: ScannedRows, watermark: int) -> pw.Scanned:
        return super().scan(context, rows, pw.END)


class Early(Order):
    """Ends beyond what the watermark knows."""

    def scan(self, context: Any, rows: ScannedRows, watermark: int) -> pw.Scanned:
        scanned = super().scan(context, rows, watermark)
        late = [pw.Closed(c.lo, c.hi, c.start, c.end + 50) for c in scanned.closed]
        return pw.Scanned(late, None, scanned.needed)


class Twice(Order):
    """Asks again for rows whose window it has reported."""

    def scan(self, context: Any, rows: ScannedRows, watermark: int) -> pw.Scanned:
        return pw.Scanned(super().scan(context, rows, watermark).closed, None, 0)


class Mutating(Order):
    """Keeps its count in the context it was given."""

    def scan(self, context: Any, rows: ScannedRows, watermark: int) -> pw.Scanned:
        context = {"calls": 0} if context is None else context
        context["calls"] += 1
        scanned = super().scan(None, rows, watermark)
        return pw.Scanned(scanned.closed, context, scanned.needed)


class Remembering(Order):
    """Has a memory of its own."""

    calls = 0

    def scan(self, context: Any, rows: ScannedRows, watermark: int) -> pw.Scanned:
        type(self).calls += 1
        return pw.Scanned([], type(self).calls, len(rows))


class Foreign(Order):
    """A context that JSON does not know."""

    def scan(self, context: Any, rows: ScannedRows, watermark: int) -> pw.Scanned:
        return pw.Scanned([], {"at": (1, 2)}, len(rows))


class Crashing(Order):
    """Takes it for granted that there are rows."""

    def scan(self, context: Any, rows: ScannedRows, watermark: int) -> pw.Scanned:
        return pw.Scanned([], int(rows.ticks[0]), len(rows))


@pytest.mark.parametrize("window", [Order(), Quiet()], ids=str)
def test_sound_windows_pass(window: pw.UserWindow) -> None:
    check_window(window, columns=STATUS)
    check_window(window, columns=STATUS, cases=50, most=40, seed=7)


def test_columns_may_be_left_out() -> None:
    check_window(Order())


@pytest.mark.parametrize(
    ("window", "law"),
    [
        (Forgetful(), "cutting: all at once "),
        (Hasty(), "cutting: all at once "),
        (Early(), "patience: Closed("),
        (Twice(), "cutting: all at once "),
        (Mutating(), "purity: the context {'calls': 1} became {'calls': 2} during the call"),
        (Remembering(), "purity: the same call gave Scanned("),
        (Foreign(), "validity: Foreign.scan: `context` is made of None, bool"),
        (Crashing(), "validity: IndexError: "),
    ],
    ids=lambda value: type(value).__name__,
)
def test_broken_windows_are_caught(window: pw.UserWindow, law: str) -> None:
    with pytest.raises(LawError) as caught:
        check_window(window, columns=STATUS)
    assert str(caught.value).startswith(f"{type(window).__name__} breaks {law}")
    assert "Times: [" in str(caught.value) and "columns: {'status': [" in str(caught.value)
    assert "watermarks: [" in str(caught.value) and "Hint: " in str(caught.value)


def test_only_windows_that_scan() -> None:
    with pytest.raises(QueryError, match="check_window takes a UserWindow: got Tumbling"):
        check_window(pw.tumbling(5))  # type: ignore[arg-type]

"""User-defined windows: their names, what `scan` is given, and which answers are refused."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import panewise as pw
from panewise.errors import QueryError
from panewise.model import Duration
from panewise.windows import Context, Family, Scan, ScannedRows, checked
from tests.windows.orders import Order

ROWS = ScannedRows(np.array([1, 4, 4, 9]), {"status": pa.array(["new", "paid", None, "new"])})


@dataclass(frozen=True)
class Burst(pw.UserWindow):
    kind = "burst"
    rows: int
    mark: str = "x"
    overlaps = True


class Shift(pw.Window):
    kind, context = "shift", Context.FREE

    def sizes(self) -> dict[str, Any]:
        return {"size": Duration(8)}

    def demand(self) -> Family:
        return Family(size=8, slide=8, origin=6)


def test_what_a_user_window_says_of_itself() -> None:
    assert Order().window_id == "order()" and Order().named("mine").window_id == "mine"
    assert Burst(3).canonical == "burst(rows=3)"
    assert Burst(3, "y").canonical == "burst(rows=3, mark='y')"
    assert Order() == Order() and Burst(3) != Burst(4) and len({Burst(3), Burst(3)}) == 1
    assert Order().demand() == Scan(Order()) and Order().columns() == ("status",)
    assert Order().context is Context.FORWARD_FREE and not Order().numbered
    assert Order().sizes() == {} and Order.examples() == ()


def test_a_context_free_window_needs_a_family_only() -> None:
    query = pw.Query("ts", (), (Shift(), pw.tumbling("5m")), (pw.count(),))
    assert query.windows[0].window_id == "shift()" and query.counts_time and not query.ordered


def test_a_window_without_scan_says_so() -> None:
    with pytest.raises(NotImplementedError, match="Burst does not define scan"):
        Burst(3).scan(None, ROWS, 5)


def test_rows_by_column_and_by_slice() -> None:
    assert ROWS["status"].tolist() == ["new", "paid", None, "new"]
    assert ROWS.arrow("status").null_count == 1 and len(ROWS) == 4
    part = ROWS.slice(1, 3)
    assert part.ticks.tolist() == [4, 4] and part["status"].tolist() == ["paid", None]
    assert len(ROWS.slice(4, 4)) == 0
    nothing = ScannedRows(np.array([1]), {"z": pa.nulls(1)})
    assert (nothing["z"] == "paid").tolist() == [False]


def test_an_unread_column_is_named() -> None:
    with pytest.raises(QueryError) as refused:
        ROWS["state"]
    assert str(refused.value) == (
        'a window reads the columns it names in `reads`: got "state". Hint: did you mean "status"?'
    )


def closed(*windows: tuple[Any, ...]) -> pw.Scanned:
    return pw.Scanned([pw.Closed(*w) for w in windows], None, 0)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (None, "Order.scan: it must return Scanned: got None."),
        ([], "Order.scan: it must return Scanned: got []."),
        (pw.Scanned([(0, 1, 1, 2)], None, 0), "`closed` lists Closed: got (0, 1, 1, 2)."),
        (
            closed((0, 5, 1, 5)),
            "a window has at least one of the 4 rows given: got Closed(lo=0, hi=5",
        ),
        (closed((-1, 2, 1, 5)), "a window has at least one of the 4 rows given"),
        (closed((2, 2, 1, 5)), "a window has at least one of the 4 rows given"),
        (closed((0, 1.0, 1, 5)), "positions and times are integers: got Closed(lo=0, hi=1.0"),
        (closed((0, True, 1, 5)), "positions and times are integers"),
        (closed((0, 2, 5, 5)), "a window ends after it starts: got Closed("),
        (closed((2, 3, 4, 5), (0, 1, 1, 2)), "windows are listed in the order of their rows: got"),
        (closed((0, 2, 1, 5), (1, 3, 4, 5)), "windows share no row unless `overlaps` is True: got"),
        (pw.Scanned([], None, 5), "`needed` is a position in 0..4: got needed=5."),
        (pw.Scanned([], None, -1), "`needed` is a position in 0..4: got needed=-1."),
        (pw.Scanned([], None, None), "`needed` is a position in 0..4: got needed=None."),
        (pw.Scanned([], (1, 2), 0), "with text keys: got (1, 2) (tuple)."),
        (pw.Scanned([], {"a": [np.int64(3)]}, 0), "with text keys: got np.int64(3) (int64)."),
        (pw.Scanned([], {1: "a"}, 0), "with text keys: got 1 (int)."),
        (pw.Scanned([], {None: "a"}, 0), "with text keys: got None (NoneType)."),
        (pw.Scanned([], {1, 2}, 0), "with text keys: got {1, 2} (set)."),
    ],
)
def test_nonsense_is_refused_by_name(answer: Any, message: str) -> None:
    with pytest.raises(QueryError) as refused:
        checked(Order(), answer, ROWS)
    assert str(refused.value).startswith("Order.scan: ")
    assert message in str(refused.value) and "Hint: panewise.testing.check_window" in str(
        refused.value
    )


@pytest.mark.parametrize(
    "answer",
    [
        closed((0, 2, 1, 5), (2, 4, 4, 10)),
        pw.Scanned([], {"a": [1, 2.5, "x", None, True], "b": {}}, 4),
        pw.Scanned(
            (pw.Closed(np.int64(0), np.int64(1), np.int64(1), np.int64(2)),), [], np.int64(1)
        ),
    ],
)
def test_sense_passes(answer: pw.Scanned) -> None:
    assert checked(Order(), answer, ROWS) is answer


def test_overlaps_where_announced() -> None:
    assert checked(Burst(2), closed((0, 2, 1, 5), (0, 3, 1, 5), (1, 3, 4, 5)), ROWS)
    with pytest.raises(QueryError, match="listed in the order of their rows"):
        checked(Burst(2), closed((0, 3, 1, 5), (1, 2, 4, 5)), ROWS)


def test_orders_close_on_payment() -> None:
    #  1 new, 4 paid | 4 -, 9 new ...
    scanned = Order().scan(None, ROWS, 10)
    assert scanned.closed == [pw.Closed(0, 2, 1, 5)] and scanned.needed == 2
    ended = Order().scan(scanned.context, ROWS.slice(2, 4), pw.END)
    assert ended.closed == [pw.Closed(0, 2, 4, 10)] and ended.needed == 2

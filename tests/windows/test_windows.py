"""Window constructors: what they refuse and in which words, and what they are called."""

from datetime import date, datetime, timedelta
from typing import Any

import pytest

from panewise.errors import DurationError, PanewiseError, QueryError
from panewise.model import rows
from panewise.windows import (
    Context,
    Family,
    RowFamily,
    Scan,
    Window,
    band,
    by_tuple,
    cumulating,
    every,
    punctuation,
    registered,
    session,
    sliding,
    tumbling,
)

REFUSALS: list[tuple[Any, tuple[Any, ...], dict[str, Any], str]] = [
    (tumbling, (0,), {}, "tumbling: size must be positive: got size=0. Hint: give a size"),
    (tumbling, (-3,), {}, "tumbling: size must be positive: got size=-3."),
    (tumbling, ("-5m",), {}, "tumbling: size must be positive: got size=-5m."),
    (sliding, (10, 0), {}, "sliding: slide must be positive: got slide=0."),
    (sliding, (0, 1), {}, "sliding: size must be positive: got size=0."),
    (
        sliding,
        ("5m", "10m"),
        {},
        "slide must not exceed size: got size=5m, slide=10m, so events between windows would be "
        'lost. Hint: use tumbling("10m"), or pass allow_gaps=True.',
    ),
    (session, (0,), {}, "session: gap must be positive: got gap=0."),
    (session, ("-1s",), {}, "session: gap must be positive: got gap=-1s."),
    (cumulating, (0, 10), {}, "cumulating: step must be positive: got step=0."),
    (cumulating, (3, 10), {}, "cumulating: size must be a multiple of step: got step=3, size=10."),
    (band, (0, 0), {}, "band: size must be positive: got size=0."),
    (sliding, ("1h", 5), {}, "all sizes of one window count the same thing: got size=1h, slide=5."),
    (sliding, ("1h", rows(5)), {}, "all sizes of one window count the same thing"),
    (
        sliding,
        (rows(5), 2),
        {},
        "all sizes of one window count the same thing: got size=5 rows, sli",
    ),
    (cumulating, (rows(2), 10), {}, "all sizes of one window count the same thing"),
    (
        cumulating,
        (rows(2), rows(5)),
        {},
        "size must be a multiple of step: got step=2 rows, size=5 r",
    ),
    (sliding, (rows(2), rows(5)), {}, "Hint: use tumbling(rows(5)), or pass allow_gaps=True."),
    (sliding, (2, 5), {}, "Hint: use tumbling(5), or pass allow_gaps=True."),
    (tumbling, (rows(5),), {"origin": 3}, "got origin=3 beside size=5 rows. Hint: give the origin"),
    (tumbling, (5,), {"origin": rows(3)}, "got origin=3 rows beside size=5."),
    (band, (0, rows(5)), {}, "band: sizes count time or an integer measure: got size=5 rows"),
    (
        every,
        ("5m",),
        {"last": 3},
        "every: last is counted in rows: got last=3. Hint: write last=rows",
    ),
    (
        every,
        (rows(5),),
        {"last": rows(3)},
        "every: sizes count time or an integer measure: got slid",
    ),
    (every, (0,), {"last": rows(3)}, "every: slide must be positive: got slide=0."),
    (every, ("5m",), {"last": rows(3), "origin": 5}, "every: origin counts what the size counts"),
    (by_tuple, (3, "5m"), {}, "by_tuple: slide is counted in rows: got slide=3."),
    (
        by_tuple,
        (rows(3), rows(5)),
        {},
        "by_tuple: sizes count time or an integer measure: got size",
    ),
    (by_tuple, (rows(3), "-5m"), {}, "by_tuple: size must be positive: got size=-5m."),
    (
        by_tuple,
        (rows(3), 5),
        {"anchor": "mid"},
        'by_tuple: anchor is "start" or "end": got anchor=',
    ),
    (punctuation, ("foo(y) > 1",), {}, "no function foo is known here:"),
    (punctuation, (5,), {}, "an expression is SQL text: got 5."),
    (session, (rows(5),), {}, "session: sizes count time or an integer measure: got gap=5 rows"),
    (tumbling, ("1h",), {"origin": 5}, "origin counts what the size counts: got origin=5 beside"),
    (tumbling, (5,), {"origin": "1h"}, "origin counts what the size counts: got origin=1h beside"),
    (band, ("2024-01-01", 5), {}, "band: start and size count the same thing"),
    (band, (5, "1h"), {}, "band: start and size count the same thing"),
    (band, ("soon", "1h"), {}, 'band: cannot read start="soon" as a date and time.'),
    (band, (1.5, "1h"), {}, "band: start is a datetime, ISO text or an integer: got 1.5."),
    (tumbling, ("",), {}, 'cannot read "" as a duration.'),
    (tumbling, ("5",), {}, 'cannot read "5" as a duration.'),
    (tumbling, ("5 parsecs",), {}, 'cannot read "5 parsecs" as a duration.'),
    (
        tumbling,
        ("1 month",),
        {},
        'fixed length: got "1 month", and month varies',
    ),
    (tumbling, (2.5,), {}, "a duration is text or a timedelta: got 2.5 (float)."),
    (tumbling, (None,), {}, "a duration is text or a timedelta: got None"),
    (tumbling, (True,), {}, "a duration is text or a timedelta: got True"),
]


@pytest.mark.parametrize(("make", "args", "options", "message"), REFUSALS)
def test_refusals(make: Any, args: Any, options: Any, message: str) -> None:
    with pytest.raises(PanewiseError) as refused:
        make(*args, **options)
    assert message in str(refused.value)
    assert isinstance(refused.value, QueryError | DurationError)


@pytest.mark.parametrize(
    ("window", "window_id"),
    [
        (tumbling("20 minutes"), "tumbling(20m)"),
        (tumbling(timedelta(hours=36)), "tumbling(1d12h)"),
        (tumbling(7), "tumbling(7)"),
        (tumbling(5, origin=3), "tumbling(5, origin=3)"),
        (tumbling("1 hour", origin="15 min"), "tumbling(1h, origin=15m)"),
        (tumbling("1 hour", origin=0), "tumbling(1h)"),
        (sliding("60 minutes", "5 min"), "sliding(1h, 5m)"),
        (sliding(3, 7, allow_gaps=True), "sliding(3, 7)"),
        (session("600s"), "session(10m)"),
        (cumulating("1h", "1d"), "cumulating(1h, 1d)"),
        (band(10, 25), "band(10, 25)"),
        (band("2024-01-01 06:00", "2h"), "band(2024-01-01T06:00:00, 2h)"),
        (band(date(2024, 1, 1), "1d"), "band(2024-01-01T00:00:00, 1d)"),
        (band(datetime(1969, 12, 31), "1d"), "band(1969-12-31T00:00:00, 1d)"),
        (
            band(datetime.fromisoformat("2024-01-01T06:00+02:00"), "2h"),
            "band(2024-01-01T04:00:00, 2h)",
        ),
        (tumbling(rows(1000)), "tumbling(1000 rows)"),
        (tumbling(rows(4), origin=0), "tumbling(4 rows)"),
        (sliding(rows(4), rows(2), origin=rows(1)), "sliding(4 rows, 2 rows, origin=1 rows)"),
        (cumulating(rows(2), rows(6)), "cumulating(2 rows, 6 rows)"),
        (every("10 min", last=rows(3)), "every(10m, last=3 rows)"),
        (every(10, last=rows(3), origin=-2), "every(10, last=3 rows, origin=-2)"),
        (by_tuple(rows(3), "1h"), "by_tuple(3 rows, 1h)"),
        (by_tuple(rows(3), 7, anchor="end"), "by_tuple(3 rows, 7, anchor=end)"),
        (punctuation("y>0 or  `a b`"), "punctuation(y > 0 OR `a b`)"),
    ],
)
def test_canonical_ids(window: Window, window_id: str) -> None:
    assert window.window_id == window_id


def test_spellings_of_one_size_make_equal_windows() -> None:
    assert tumbling("1 hour") == tumbling("60m") == tumbling(timedelta(hours=1))


@pytest.mark.parametrize("kind", registered())
def test_named_copies(kind: str) -> None:
    for window in registered()[kind].examples():
        renamed = window.named("mine")
        assert (renamed.window_id, renamed.canonical) == ("mine", window.canonical)
        assert window.window_id == window.canonical


@pytest.mark.parametrize("name", ["", None, 5])
def test_names_are_text(name: Any) -> None:
    with pytest.raises(QueryError, match="a window name is non-empty text"):
        tumbling(5).named(name)


@pytest.mark.parametrize("kind", registered())
def test_examples_have_names_of_their_own(kind: str) -> None:
    ids = [window.window_id for window in registered()[kind].examples()]
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize(
    ("window", "family"),
    [
        (tumbling(rows(3)), Family(3, 3)),
        (sliding(rows(4), rows(2), origin=rows(1)), Family(4, 2, origin=1)),
        (cumulating(rows(2), rows(6)), Family(6, 6, step=2)),
    ],
)
def test_row_counts_make_families_of_rows(window: Window, family: Family) -> None:
    assert window.demand() == RowFamily(family)
    assert window.numbered


def test_windows_that_read_rows() -> None:
    start, end = by_tuple(rows(3), 7), by_tuple(rows(3), 7, anchor="end")
    assert start.context is Context.FORWARD_FREE and end.context is Context.FORWARD_AWARE
    marks = punctuation("y > 0 and `a b` > y")
    assert marks.columns() == ("y", "a b") and not marks.numbered
    for window in (start, end, marks, every(5, last=rows(2))):
        assert window.demand() == Scan(window)
    assert start.numbered and every(5, last=rows(2)).numbered and not tumbling(5).numbered

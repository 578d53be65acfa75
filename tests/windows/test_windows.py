"""Window constructors: what they refuse and in which words, and what they are called."""

from datetime import date, datetime, timedelta
from typing import Any

import pytest

from panewise.errors import DurationError, PanewiseError, QueryError
from panewise.model import rows
from panewise.windows import (
    Window,
    band,
    cumulating,
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
    (tumbling, (rows(5),), {}, "tumbling: sizes count time or an integer measure: got size=5 rows"),
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

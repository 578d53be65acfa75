"""The source's clause of ranges and slides: what it makes, and what is underlined."""

from typing import Any

import pytest

import panewise as pw
from panewise.errors import QueryError


@pytest.mark.parametrize(
    ("text", "levels"),
    [
        (
            "[RANGES 1 HOUR, 10 MINUTES, 1 MINUTE SLIDES 5 MINUTES, 1 MINUTE, 1 SECOND]",
            (("1m", "1s"), ("10m", "1m"), ("1h", "5m")),
        ),
        ("ranges 1 min, 1 hour 30 min slides 1 s, 30m", (("1m", "1s"), ("90m", "30m"))),
        (" [RANGES 16,8,4\nSLIDES 4,2,1] ", ((4, 1), (8, 2), (16, 4))),
        (
            "RANGES 10 ROWS, 4 rows SLIDES 2 ROWS, 1 ROW",
            ((pw.rows(4), pw.rows(1)), (pw.rows(10), pw.rows(2))),
        ),
    ],
)
def test_what_it_makes(text: str, levels: Any) -> None:
    assert pw.parse_ranges(text) == pw.granules(*levels)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "RANGES 1 HOUR, 3 parsecs SLIDES 5 MINUTES, 1 s",
            'cannot read "3 parsecs" as a duration:\n'
            "  RANGES 1 HOUR, 3 parsecs SLIDES 5 MINUTES, 1 s\n"
            "                 ^^^^^^^^^\n",
        ),
        (
            "RANGES 1 HOUR, SLIDES 5 MINUTES, 1 s",
            'cannot read "" as a duration:\n  RANGES 1 HOUR, SLIDES 5 MINUTES, 1 s\n'
            "                 ^\n",
        ),
        (
            "RANGES 1 HOUR, 1 min SLIDES 5 min",
            "every range has a slide: got 2 ranges and 1 slides:\n"
            "  RANGES 1 HOUR, 1 min SLIDES 5 min\n"
            "                              ^^^^^\n",
        ),
        ("RANGES 1 h, 1 m SLIDES 7 m, 1 s", "a range is a multiple of its slide: got 1h/7m at le"),
        ("RANGES 1 h SLIDES 5 m", "granules have at least two levels:\n  RANGES 1 h SLIDES 5 m\n"),
        ("RANGES 1 h, 0 s SLIDES 5 m, 1 s", "range of level 0 must be positive"),
        ("RANGES 1 month, 1 h SLIDES 5 m, 1 s", 'got "1 month", and month varies:\n  RANGES'),
        ("[RANGES 1 h, 1 m SLIDES 5 m, 1 s", "a clause is RANGES, sizes, SLIDES, sizes:\n  [RAN"),
        ("RANGES 1 h, 1 m", "a clause is RANGES, sizes, SLIDES, sizes"),
        ("RANGES 4, 8 SLIDES 1 s, 2 s", "all sizes of one window count the same thing"),
        ("", "a clause is RANGES, sizes, SLIDES, sizes"),
        (None, "a clause of ranges is text: got None."),
    ],
)
def test_what_cannot_be_read(text: Any, message: str) -> None:
    with pytest.raises(QueryError) as refused:
        pw.parse_ranges(text)
    assert message in str(refused.value)

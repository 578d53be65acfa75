"""Durations: exact, in many spellings, and refused where they are not fixed or not whole."""

from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from panewise.errors import DurationError
from panewise.model import Duration, format_ticks, parse_size, rows

SECOND = 1_000_000


@pytest.mark.parametrize(
    ("given_as", "ticks"),
    [
        ("20 minutes", 1200 * SECOND),
        ("20m", 1200 * SECOND),
        ("1 hour 30 minutes", 5400 * SECOND),
        ("1h30m", 5400 * SECOND),
        ("INTERVAL 2 DAYS", 172_800 * SECOND),
        ("interval 1 week", 604_800 * SECOND),
        ("1.5h", 5400 * SECOND),
        ("0.000001s", 1),
        ("250ms", 250_000),
        ("3 µs", 3),
        ("-5m", -300 * SECOND),
        ("1d -1h", 23 * 3600 * SECOND),
        (timedelta(days=-1, microseconds=1), -86_400 * SECOND + 1),
        (Duration(7), 7),
    ],
)
def test_spellings(given_as: object, ticks: int) -> None:
    assert Duration.parse(given_as) == Duration(ticks)


@pytest.mark.parametrize("unit", ["month", "months", "year", "years", "quarter", "y", "mo"])
def test_calendar_units_vary_in_length(unit: str) -> None:
    with pytest.raises(DurationError, match=f'fixed length: got "2 {unit}", and {unit} varies'):
        Duration.parse(f"2 {unit}")


@pytest.mark.parametrize("text", ["", "  ", "interval ", "m", "5", "5 m and more", "1e3 s", "5 x"])
def test_unreadable_text(text: str) -> None:
    with pytest.raises(DurationError, match="cannot read"):
        Duration.parse(text)


@pytest.mark.parametrize("value", [5, 2.5, None, True, b"5m"])
def test_other_types(value: Any) -> None:
    with pytest.raises(DurationError, match="a duration is text or a timedelta"):
        Duration.parse(value)


def test_parts_of_a_microsecond_are_refused() -> None:
    with pytest.raises(DurationError, match="a whole number of microseconds"):
        Duration.parse("1.5us")


def test_sizes_beyond_62_bits_are_refused() -> None:
    for value in (2**62, "99999999999 days"):
        with pytest.raises(DurationError, match="62 bits"):
            parse_size(value)
    assert parse_size(2**62 - 1) == 2**62 - 1


@pytest.mark.parametrize("count", [0, -1, 1.5, True, "5", None])
def test_row_counts_are_positive_integers(count: Any) -> None:
    with pytest.raises(DurationError, match="positive integer"):
        rows(count)


def test_a_size_remembers_what_it_counts() -> None:
    assert [type(parse_size(v)).__name__ for v in (5, "5m", rows(5))] == [
        "int",
        "Duration",
        "RowCount",
    ]


@given(st.integers(-(2**61), 2**61))
def test_spelling_and_reading_are_inverse(ticks: int) -> None:
    if ticks >= 0:  # a leading minus covers the whole text, which is not read back
        assert Duration.parse(format_ticks(ticks)) == Duration(ticks)
    assert Duration.parse(timedelta(microseconds=ticks % 10**15)) == Duration(ticks % 10**15)


def test_a_minus_is_of_the_whole() -> None:
    assert Duration.parse("-1m30s").ticks == -90_000_000
    assert Duration.parse(str(Duration(-90_000_000))).ticks == -90_000_000

"""What is wrong with a command is found without running it."""

from __future__ import annotations

import pytest

from tests.docs.shell import wrong_lines


@pytest.mark.parametrize(
    "line",
    [
        "make nothing",
        "python -m benchmarks.nothing",
        "python examples/nothing.py",
        "panewise nothing",
        "panewise run query.sql --nothing",
    ],
)
def test_a_command_that_is_not_there(line: str) -> None:
    assert wrong_lines(line) == [line]


@pytest.mark.parametrize(
    "line", ["make docs", "python -m benchmarks", "panewise run q.sql -i a.csv | head -2", "ls"]
)
def test_a_command_that_is_there(line: str) -> None:
    assert wrong_lines(line) == []

"""Malformed queries: what a person is told about each.

`malformed.txt` lists queries with the whole of their errors.
"""

import re
from pathlib import Path

import pytest

from panewise.errors import PanewiseError
from panewise.sql import parse
from panewise.sql.parse import DEEPEST, LONGEST

LISTED = re.findall(
    r"### query\n(.*?)\n### error\n(.*?)\n(?=###|\Z)",
    Path(__file__).with_name("malformed.txt").read_text(encoding="utf-8"),
    re.DOTALL,
)
QUERY = "SELECT SUM(x) FROM t TIMESTAMP BY ts {} GROUP BY k, TUMBLING('5m')"


def told(text: str) -> str:
    with pytest.raises(PanewiseError) as refused:
        parse(text)
    return "\n".join(line.rstrip() for line in str(refused.value).split("\n"))


def test_there_are_many() -> None:
    assert len(LISTED) >= 150


@pytest.mark.parametrize(("text", "error"), LISTED)
def test_a_malformed_query(text: str, error: str) -> None:
    found = told(text)
    assert found == error
    assert "Hint: " in found and "sqlglot" not in found.lower()
    rule, shown, marks, _ = found.split("\n")
    assert rule.endswith(":") and set(marks.strip()) == {"^"}
    line = shown.removeprefix("  ")
    assert re.sub(r"^line \d+: ", "", line) in text  # the very line, with the place below it


@pytest.mark.parametrize("text", ["", "  \n", ";", ";;", "-- nothing", "/* nothing */"])
def test_nothing_is_no_query(text: str) -> None:
    assert "one statement or more: got none" in told(text)


@pytest.mark.parametrize("text", [None, 5, b"SELECT 1", ["SELECT 1"]])
def test_a_query_is_text(text: object) -> None:
    assert "a query is SQL text: got" in told(text)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "text",
    [
        "x" * 1_000_000,
        "(" * 1_000_000,
        QUERY.format("WHERE x = '" + "a" * 1_000_000 + "'"),
        "SELECT " + ", ".join(f"SUM(x{n})" for n in range(100_000)),
    ],
)
def test_a_megabyte(text: str) -> None:
    assert f"at most {LONGEST:,} letters" in told(text)


@pytest.mark.parametrize(
    "text",
    [
        QUERY.format("WHERE " + "NOT " * 3000 + "x"),
        QUERY.format("WHERE " + "- " * 3000 + "x > 1"),
        QUERY.format("WHERE " + " AND ".join(["x > 1"] * 9000)),
        QUERY.format("WHERE " + "CASE WHEN x THEN " * 2000 + "1" + " END" * 2000),
    ],
    ids=["not", "minus", "and", "case"],
)
def test_deep_nesting(text: str) -> None:
    assert "nested too deeply" in told(text)


def test_deep_brackets() -> None:
    found = told("SELECT " + "(" * 60 + "SUM(x)" + ")" * 60 + " FROM t")
    assert f"at most {DEEPEST} deep" in found and "^" in found


def test_many_conditions_are_not_deep() -> None:
    (statement,) = parse(QUERY.format("WHERE " + " AND ".join(["x > 1"] * 300)))
    assert statement.where is not None


@pytest.mark.parametrize("text", ["\x00\x01", "🙂", "\u202e", "'", '"', "`", "/*", "\\", "$$"])
def test_strange_letters(text: str) -> None:
    assert "Hint: " in told(text)
    assert "Hint: " in told(QUERY.format(text))


def test_long_lines_are_cut() -> None:
    found = told(QUERY.format("WHERE " + "x > 1 AND " * 90 + "foo(x) > 1"))
    assert max(map(len, found.split("\n")[:3])) < 250 and "foo(x)" in found


def test_only_parsed_text_reaches_spark() -> None:
    """What is quoted stays quoted, whatever is in it."""
    (statement,) = parse(
        "SELECT SUM(`a``) FROM x; DROP TABLE t --`) AS v FROM `t``; DROP TABLE t` "
        "TIMESTAMP BY ts WHERE k = '\\'; DROP TABLE t --' GROUP BY TUMBLING(5)"
    )
    assert statement.query.aggregates[0].columns() == ("a`) FROM x; DROP TABLE t --",)
    assert statement.source == "`t``; DROP TABLE t`"
    assert statement.where is not None
    assert statement.where.sql({"k": "`k`"}) == "`k` = '\\'; DROP TABLE t --'"

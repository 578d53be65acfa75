"""docs/sql.md: every statement is run, and every row of its tables is true."""

import re
from pathlib import Path

import pytest

import panewise as pw
from panewise.sql import parse
from panewise.windows import Granules

PAGE = (Path(__file__).parents[2] / "docs" / "sql.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| `(.*)` \| `(pw\..*)` \|$", PAGE, re.MULTILINE)


@pytest.mark.parametrize("text", re.findall(r"```sql\n(.*?)```", PAGE, re.DOTALL))
def test_a_statement(text: str) -> None:
    names: dict[str, object] = {}
    exec(re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)[0], names)
    rows = pw.sql(text, events=names["calls" if "FROM calls" in text else "events"])
    assert rows.num_rows


@pytest.mark.parametrize(("written", "python"), ROWS)
def test_a_spelling(written: str, python: str) -> None:
    wanted = eval(python)
    if isinstance(wanted, pw.Aggregate):
        time = "(ts, u)" if written == "CONCURRENT()" else "ts"
        window = "TUMBLING(5)" if "RECURRING" not in written else "GRANULES((4, 1), (8, 2))"
        text = f"SELECT {written} FROM t TIMESTAMP BY {time} GROUP BY {window}"
        assert parse(text)[0].query.aggregates == (wanted,)
    else:
        text = f"SELECT COUNT(*) FROM t TIMESTAMP BY ts GROUP BY {written}"
        windows = wanted.windows() if isinstance(wanted, Granules) else (wanted,)
        assert parse(text)[0].query.windows == windows


def test_every_spelling_is_on_the_page() -> None:
    from panewise.sql import aggregates, windows

    written = {re.match(r"\w*", row)[0].upper() for row, _ in ROWS}  # type: ignore[index]
    assert {*aggregates.KNOWN, *windows.KNOWN} - written <= {"WEIGHTED_SUM"}


def test_the_error_on_the_page_is_the_real_one() -> None:
    text = (
        "SELECT device, AVG(temp)\nFROM events TIMESTAMP BY ts\n"
        "GROUP BY device, TUMBLNG('5 minutes')"
    )
    with pytest.raises(pw.PanewiseError) as refused:
        parse(text)
    assert f"```text\n{refused.value}\n```" in PAGE

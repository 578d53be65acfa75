"""What a terminal shows, and that nothing is shown where there is none."""

import io

import pyarrow as pa
import pytest

from panewise.cli import shown
from panewise.cli.progress import working


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_is_quiet_elsewhere() -> None:
    out = io.StringIO()
    with working("reading", out):
        pass
    assert out.getvalue() == ""


def test_progress_in_a_terminal() -> None:
    out = Terminal()
    with working("reading", out):
        pass
    assert "reading" in out.getvalue()


def test_a_table_of_many_rows(capsys: pytest.CaptureFixture[str]) -> None:
    names = [f"[red]{number}" for number in range(50)]
    shown.show(pa.table({"name": names, "value": pa.array([None, *range(49)], pa.float64())}))
    out = capsys.readouterr().out
    assert "[red]0" in out and "null" in out and "40 of 50 rows" in out
    assert "[red]39" in out and "[red]40" not in out

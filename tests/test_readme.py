"""The README's examples are run, and print what it says they print; those of the docs are run."""

import contextlib
import io
import re
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

README = Path(__file__).parents[1] / "README.md"
EXAMPLE = re.compile(r"```python\n(.*?)```\n\n```text\n(.*?)```", re.DOTALL)
EXAMPLES = EXAMPLE.findall(README.read_text(encoding="utf-8"))


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= 2


@pytest.mark.parametrize("code, printed", EXAMPLES)
def test_example_prints_what_the_readme_says(spark: SparkSession, code: str, printed: str) -> None:
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(code, "README.md", "exec"), {"__name__": "readme"})
    assert out.getvalue().strip() == printed.strip()


@pytest.mark.parametrize(
    ("name", "least"), [("spanning.md", 2), ("frames.md", 9), ("granules.md", 4), ("sql.md", 8)]
)
def test_the_examples_of_a_page(name: str, least: int) -> None:
    """One after the other; a line with a comment that is a value has that value."""
    page = README.parent / "docs" / name
    blocks = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    names: dict[str, object] = {}
    shown = []
    for code in blocks:
        exec(compile(code, page.name, "exec"), names)
        shown += [
            (eval(line, names), eval(value))
            for line, value in re.findall(r"^(\S.*?)  # (\[.*?\](?=:|$))", code, re.MULTILINE)
        ]
    assert len(shown) >= least and all(found == value for found, value in shown), shown


def test_the_error_it_shows_is_the_real_one() -> None:
    import panewise as pw

    with pytest.raises(pw.PanewiseError) as refusal:
        pw.sliding("5m", "10m")
    assert str(refusal.value) in README.read_text(encoding="utf-8")

"""The programs in `examples/` run as a user runs them, and print what their page says."""

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
PAGE = (EXAMPLES / "README.md").read_text(encoding="utf-8")
PRINTED = dict(re.findall(r"### `(\w+\.py)`\n.*?```text\n(.*?)```", PAGE, re.DOTALL))
READ_BY_OTHERS = {"flights.py"}


def test_every_program_is_on_the_page() -> None:
    programs = {path.name for path in EXAMPLES.glob("*.py")} - READ_BY_OTHERS
    assert programs == set(PRINTED)
    for name in READ_BY_OTHERS:
        assert f"`{name}`" in PAGE


@pytest.mark.parametrize("name", PRINTED)
def test_it_prints_what_the_page_says(name: str, tmp_path: Path) -> None:
    source = str(EXAMPLES.parent / "src")
    path = os.pathsep.join(filter(None, [source, os.environ.get("PYTHONPATH")]))
    ran = subprocess.run(
        [sys.executable, str(EXAMPLES / name)],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr[-2000:]
    told = doctest.OutputChecker().check_output(
        PRINTED[name].strip(), ran.stdout.strip(), doctest.ELLIPSIS
    )
    assert told, ran.stdout


@pytest.mark.parametrize("name", PRINTED)
def test_it_is_short(name: str) -> None:
    assert len((EXAMPLES / name).read_text(encoding="utf-8").splitlines()) <= 80

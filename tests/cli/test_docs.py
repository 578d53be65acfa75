"""What README and page say to type is run, and prints what they say it prints."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer.main

from panewise.cli.app import app

ROOT = Path(__file__).parents[2]
PAGES = {
    page: (ROOT / page).read_text(encoding="utf-8")
    for page in ("README.md", "docs/command-line.md")
}
TYPED = re.compile(r"```sh\n(panewise .*?)```(?:\n\n```text\n(.*?)```)?", re.DOTALL)
SHOWN = [
    line
    for block in re.findall(r"```bash\n(.*?)```", PAGES["docs/command-line.md"], re.DOTALL)
    for line in block.splitlines()
]


@pytest.mark.parametrize(("page", "least"), [("README.md", 1), ("docs/command-line.md", 5)])
def test_what_can_be_run_prints_what_the_page_says(page: str, least: int, tmp_path: Path) -> None:
    command = tmp_path / "bin" / "panewise"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m panewise "$@"\n')
    command.chmod(0o755)
    here = tmp_path / "here"
    here.mkdir()
    path = f"{command.parent}{os.pathsep}{os.environ['PATH']}"
    blocks = TYPED.findall(PAGES[page])
    assert len(blocks) >= least
    for code, printed in blocks:
        done = subprocess.run(
            ["sh", "-c", code],
            cwd=here,
            env={**os.environ, "PATH": path, "LC_ALL": "C"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        assert done.returncode == 0, done.stdout
        assert done.stdout.strip() == printed.strip()


@pytest.mark.parametrize("line", SHOWN)
def test_what_needs_a_cluster_is_at_least_a_command(line: str) -> None:
    name, command, *arguments = shlex.split(line)
    group: Any = typer.main.get_command(app)
    assert name == "panewise"
    with group.commands[command].make_context(command, arguments) as context:
        assert context.params["output"]

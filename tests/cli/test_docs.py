"""The page about the command line: what it says to type is run, and prints what it says."""

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

PAGE = Path(__file__).parents[2] / "docs" / "command-line.md"
TEXT = PAGE.read_text(encoding="utf-8")
RUN = re.findall(r"```sh\n(.*?)```(?:\n\n```text\n(.*?)```)?", TEXT, re.DOTALL)
SHOWN = [
    line
    for block in re.findall(r"```bash\n(.*?)```", TEXT, re.DOTALL)
    for line in block.splitlines()
]


def test_what_can_be_run_prints_what_the_page_says(tmp_path: Path) -> None:
    command = tmp_path / "bin" / "panewise"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m panewise "$@"\n')
    command.chmod(0o755)
    here = tmp_path / "here"
    here.mkdir()
    path = f"{command.parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "LC_ALL": "C"}
    assert len(RUN) >= 5
    for code, printed in RUN:
        done = subprocess.run(
            ["sh", "-c", code],
            cwd=here,
            env=environment,
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

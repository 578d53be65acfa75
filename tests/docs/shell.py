"""Commands that pages show."""

from __future__ import annotations

import importlib.util
import itertools
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer.main

from panewise.cli.app import app
from tests.docs.pages import ROOT, Block

REFUSED: Any = typer.BadParameter.__base__
"""What a command raises of arguments that it does not take."""
TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))


def commands(block: Block) -> bool:
    """Whether a block is run: it has commands of ours, and nothing says that it cannot be."""
    ours = any(re.match(r"(.*\| *)?panewise ", line) for line in _lines(block.text))
    return block.language == "sh" and block.runs and ours


def run(text: str) -> str:
    """What a script prints, errors too, with `panewise` as it is here."""
    with tempfile.TemporaryDirectory() as tools:
        command = Path(tools) / "panewise"
        command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m panewise "$@"\n')
        command.chmod(0o755)
        given = {
            "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}",
            # of this checkout, wherever the package may be installed from
            "PYTHONPATH": str(ROOT / "src"),
            "LC_ALL": "C",
        }
        made = subprocess.run(
            ["sh", "-e", "-c", text],
            env={**os.environ, **given},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
    assert made.returncode == 0, made.stdout
    return made.stdout


def wrong_lines(text: str) -> list[str]:
    """Lines whose target, module, file, command or option is not there."""
    return [line for line in _lines(text) if not _right(shlex.split(line, comments=True))]


def _lines(text: str) -> Iterator[str]:
    joined = text.replace("\\\n", " ")
    return (line for line in joined.splitlines() if line.strip() and not line.startswith("#"))


def _right(words: list[str]) -> bool:
    match words:
        case ["make", *given]:
            return all(word in TARGETS for word in given if "=" not in word)
        case ["python", "-m", module, *_]:
            return importlib.util.find_spec(module) is not None
        case ["python", path, *_]:
            return (ROOT / path).exists()
        case ["panewise", command, *arguments]:
            return _is_command(command, arguments)
    return True


def _is_command(name: str, arguments: list[str]) -> bool:
    """Whether there is such a command, and takes these arguments; up to a pipe or the like."""
    words = list(itertools.takewhile(lambda word: word not in ("|", "||", ">", "<"), arguments))
    group: Any = typer.main.get_command(app)
    if name not in group.commands:
        return False
    try:
        group.commands[name].make_context(name, words).close()
    except REFUSED:
        return False
    return True

"""Commands that pages show."""

from __future__ import annotations

import importlib.util
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path
from typing import Any

import typer
import typer.main

from panewise.cli.app import app
from tests.docs.pages import ROOT, Block

TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))


def commands(block: Block) -> bool:
    """Whether a block is run: it has commands of ours, and nothing says that it cannot be."""
    ours = any(re.match(r"(.*\| *)?panewise ", line) for line in _lines(block.text))
    return block.language == "sh" and block.runs and ours


def run(text: str) -> str:
    """What a script prints, with `panewise` as it is here."""
    tools = Path("tools")
    tools.mkdir(exist_ok=True)
    command = tools / "panewise"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m panewise "$@"\n')
    command.chmod(0o755)
    path = f"{tools.resolve()}{os.pathsep}{os.environ['PATH']}"
    # of this checkout, wherever the package may be installed from
    source = str(ROOT / "src")
    made = subprocess.run(
        ["sh", "-e", "-c", text],
        env={**os.environ, "PATH": path, "PYTHONPATH": source},
        capture_output=True,
        text=True,
        check=False,
    )
    assert made.returncode == 0, made.stderr
    return made.stdout


def wrong_lines(text: str) -> list[str]:
    """Lines whose target, module or file is not there."""
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
        case ["panewise", command, *given]:
            return _known(command, given)
    return True


def _known(command: str, given: list[str]) -> bool:
    """Whether there is such a command, and it has these options."""
    group: Any = typer.main.get_command(app)
    words = list(takewhile(lambda word: word not in ("|", "||", ">", "2>&1"), given))
    if command not in group.commands:
        return command in ("--help", "--version", "--install-completion")
    try:
        group.commands[command].make_context(command, words)
    except typer.Exit:  # it was asked for help
        return True
    except typer.TyperException:
        return False
    return True

"""Commands that pages show."""

from __future__ import annotations

import importlib.util
import re
import shlex
from collections.abc import Iterator

from tests.docs.pages import ROOT

TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))


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
    return True

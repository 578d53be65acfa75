"""The pages that people read, and the code that is in them.

A fence names its language.  The title after that is shown by the site: it says what cannot be
run, or names the file that the block is.

    ```python title="not run: needs a Kafka broker"
    ```sql title="query.sql"
"""

from __future__ import annotations

import importlib.util
import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("*/README.md"), *(ROOT / "docs").rglob("*.md")])
FENCE = re.compile(
    r"^(?P<indent> *)```(?P<info>[^\n`]*)\n(?P<text>.*?)^(?P=indent)```", re.MULTILINE | re.DOTALL
)
TITLE = re.compile(r'title="([^"]*)"')
NOT_RUN = "not run: "


@dataclass(frozen=True)
class Block:
    """A block of code of a page."""

    page: Path
    line: int
    language: str
    title: str
    text: str

    @property
    def runs(self) -> bool:
        return not self.title.startswith(NOT_RUN)

    @property
    def file(self) -> str | None:
        """The name of the file that this is."""
        return self.title if self.title and self.runs else None

    @property
    def place(self) -> str:
        return f"{name(self.page)}:{self.line}"


def loaded(program: str) -> Any:
    """A program of `docs/`, which is no package."""
    path = ROOT / "docs" / f"{program}.py"
    spec = importlib.util.spec_from_file_location(program, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def blocks(page: Path) -> list[Block]:
    return list(_blocks(page, page.read_text(encoding="utf-8")))


def _blocks(page: Path, text: str) -> Iterator[Block]:
    for found in FENCE.finditer(text):
        language, _, rest = found["info"].strip().partition(" ")
        title = TITLE.search(rest)
        line = text.count("\n", 0, found.start()) + 1
        code = textwrap.dedent(found["text"])
        yield Block(page, line, language, title[1] if title else "", code)


def prose(page: Path) -> str:
    """The page without its code: links are looked for in this."""
    return re.sub(r"`[^`\n]*`", "", FENCE.sub("", page.read_text(encoding="utf-8")))

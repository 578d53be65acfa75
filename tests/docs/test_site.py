"""The site is built without a warning, and its reference has every public name."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest

from tests.docs.pages import ROOT, loaded

REFERENCE = "\n".join(page.read_text() for page in (ROOT / "docs" / "reference").glob("*.md"))
LISTED = set(re.findall(r"^::: [\w.]+\.(\w+)$", REFERENCE, re.MULTILINE))


@pytest.mark.parametrize(
    "module", ["panewise", "panewise.spark", "panewise.testing", "panewise.viz"]
)
def test_every_public_name_is_in_the_reference(module: str) -> None:
    assert set(importlib.import_module(module).__all__) - LISTED == set()


def test_examples_of_docstrings_are_blocks_of_code() -> None:
    fenced = loaded("doctests").fenced
    text = "A sum.\n\n>>> 1 + 1\n2\n\n>>> f(\n...     2)\n4\n\nMore.\n"
    code = "```pycon\n>>> 1 + 1\n2\n\n>>> f(\n...     2)\n4\n```"
    assert fenced(text) == f"A sum.\n\n{code}\n\nMore."


def test_it_is_built_without_a_warning(tmp_path: Path) -> None:
    from mkdocs.commands.build import build
    from mkdocs.config import load_config

    config = load_config(str(ROOT / "mkdocs.yml"), site_dir=str(tmp_path), strict=True)
    build(config)  # a warning is an error where it is strict
    assert (tmp_path / "reference" / "windows.html").exists()

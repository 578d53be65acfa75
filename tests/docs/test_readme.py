"""What the README promises beyond its examples, which run as those of all pages."""

from __future__ import annotations

import pytest

import panewise as pw
from tests.docs.pages import ROOT, blocks

README = ROOT / "README.md"


def test_it_begins_with_an_example() -> None:
    first, second = blocks(README)[:2]
    assert (first.language, second.language) == ("python", "text")


def test_the_error_of_the_start_is_the_real_one() -> None:
    with pytest.raises(pw.PanewiseError) as refusal:
        pw.sliding("5m", "10m")
    assert str(refusal.value) in (ROOT / "docs" / "start.md").read_text(encoding="utf-8")


def test_its_figures_are_those_of_the_page() -> None:
    page = (ROOT / "docs" / "performance.md").read_text(encoding="utf-8")
    text = README.read_text(encoding="utf-8")
    quoted = text.partition("<!-- figures of docs/performance.md -->")[2]
    rows = [row for row in quoted.partition("<!-- end")[0].splitlines() if row.startswith("| ")]
    assert rows and all(row in page for row in rows)

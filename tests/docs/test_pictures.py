"""Pictures of the pages are what the library draws now, and each of them is shown."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.docs.pages import PAGES, ROOT, loaded

DRAWN: dict[str, Callable[[], str]] = loaded("pictures").PICTURES


@pytest.mark.parametrize("name", DRAWN)
def test_a_picture_is_what_is_drawn_now(name: str) -> None:
    kept = (ROOT / "docs" / "images" / f"{name}.svg").read_text(encoding="utf-8")
    assert kept == DRAWN[name]() + "\n", "draw it again: make pictures"


@pytest.mark.parametrize("name", DRAWN)
def test_a_picture_is_shown_somewhere(name: str) -> None:
    assert any(f"images/{name}.svg" in page.read_text(encoding="utf-8") for page in PAGES)

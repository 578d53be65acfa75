"""Every link of a page leads somewhere: to a file of the repository, and to a heading in it."""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path

import pytest

from tests.docs.pages import FENCE, PAGES, ROOT, name, prose

LINK = re.compile(r"\]\(([^)\s]+)\)")


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_lead_somewhere(page: Path) -> None:
    broken = [link for link in LINK.findall(prose(page)) if not _leads_somewhere(page, link)]
    assert not broken


def test_a_broken_link_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# One\n\n## Two, and `three`\n")
    assert _leads_somewhere(page, "#two-and-three") and _leads_somewhere(page, "page.md#one")
    assert not _leads_somewhere(page, "#four") and not _leads_somewhere(page, "other.md")


def test_every_page_is_in_the_navigation() -> None:
    listed = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    pages = [page.relative_to(ROOT / "docs").as_posix() for page in (ROOT / "docs").rglob("*.md")]
    assert [page for page in pages if page not in listed] == []


def _leads_somewhere(page: Path, link: str) -> bool:
    if "://" in link:
        return True  # nothing is fetched by tests
    target, _, anchor = link.partition("#")
    found = (page.parent / target).resolve() if target else page
    if not found.exists():
        return False
    return not anchor or anchor in _anchors(found)


def _anchors(page: Path) -> set[str]:
    """Headings as the site names them."""
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    return {_slug(found) for found in re.findall(r"^#+ (.*)$", text, re.MULTILINE)}


def _slug(heading: str) -> str:
    plain = unicodedata.normalize("NFKD", heading).encode("ascii", "ignore").decode()
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", plain).strip().lower())

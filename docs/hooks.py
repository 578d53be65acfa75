"""Hooks of the site: files of the repository that are pages too, and links between all of them.

Pages are read in two places, in the repository and on the site.  Their links are those of the
repository; here they become those of the site.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[1]
OUTSIDE = {
    "README.md": "readme.md",
    "ARCHITECTURE.md": "architecture.md",
    "PAPERS.md": "papers.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "benchmarks/README.md": "benchmarks.md",
    "examples/README.md": "examples/index.md",
}
"""Pages that live where a reader of the repository looks for them, and their places on the site."""
LINK = re.compile(r"(\]\()([^)\s#]+)(#[^)\s]*)?\)")


def on_config(config: Any) -> Any:
    """The example programs, as they are there, at the end of the navigation."""
    listed = [{Path(program).stem.replace("_", " "): place_of(program)} for program in programs()]
    config.nav = [*config.nav, {"Programs": [{"Overview": "examples/index.md"}, *listed]}]
    return config


def on_files(files: Files, config: Any) -> Files:
    """Add the pages that live outside `docs/`, and the example programs as pages."""
    for source, place in OUTSIDE.items():
        text = (ROOT / source).read_text(encoding="utf-8")
        files.append(File.generated(config, place, content=text))
    for program in programs():
        text = (ROOT / program).read_text(encoding="utf-8")
        page = f"# {program}\n\n```python\n{text}```\n"
        files.append(File.generated(config, place_of(program), content=page))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Links as they are on the site."""
    place = page.file.src_uri

    def moved(link: re.Match[str]) -> str:
        before, target, anchor = link[1], link[2], link[3] or ""
        if "://" in target:
            return link[0]
        found = posixpath.normpath(posixpath.join(posixpath.dirname(source_of(place)), target))
        there = posixpath.relpath(place_of(found), posixpath.dirname(place) or ".")
        return f"{before}{there}{anchor})"

    return LINK.sub(moved, markdown)


def programs() -> list[str]:
    """Programs that pages link to."""
    return sorted(f"examples/{path.name}" for path in (ROOT / "examples").glob("*.py"))


def source_of(place: str) -> str:
    """Where a page of the site is in the repository."""
    return next((s for s, p in OUTSIDE.items() if p == place), f"docs/{place}")


def place_of(source: str) -> str:
    """Where a file of the repository is on the site."""
    if source in OUTSIDE:
        return OUTSIDE[source]
    if source.startswith("examples/"):
        return source.removesuffix(".py") + ".md"
    return source.removeprefix("docs/")

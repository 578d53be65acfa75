"""Examples in docstrings, as code on the pages of the reference."""

from __future__ import annotations

import re
from typing import Any

from griffe import Extension, Object

EXAMPLE = re.compile(r"(?:^>>>.*\n?(?:(?!\n).*\S.*\n?)*\n*)+", re.MULTILINE)


class Doctests(Extension):
    """Puts a fence around every example, and keeps what is around it as prose."""

    def on_object(self, *, obj: Object, **_: Any) -> None:
        if obj.docstring is not None:
            obj.docstring.value = fenced(obj.docstring.value)


def fenced(text: str) -> str:
    """The docstring with its examples as blocks of code."""
    return EXAMPLE.sub(lambda found: f"```pycon\n{found[0].strip()}\n```\n\n", text).strip()

"""A query as HTML, for notebooks: tables in which all text is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from panewise.query.query import Query

MOST = 30
"""Rows of windows; of more the rest are counted."""


def html_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of text.

    >>> html_table(["a"], [["<b>"]])
    '<table><thead><tr><th>a</th></tr></thead><tbody><tr><td>&lt;b&gt;</td></tr></tbody></table>'
    """
    above = "".join(f"<th>{plain(name)}</th>" for name in head)
    below = "".join(
        "<tr>" + "".join(f"<td>{plain(cell)}</td>" for cell in row) + "</tr>" for row in rows
    )
    return f"<table><thead><tr>{above}</tr></thead><tbody>{below}</tbody></table>"


def plain(text: str) -> str:
    """Text that a page shows as it is, without characters that it would choke on."""
    return escape("".join(c if c.isprintable() or c == "\n" else " " for c in text))


def query_html(query: Query) -> str:
    """What is asked: the stream, the windows and the aggregates."""
    times = query.time if query.until is None else f"{query.time} to {query.until}"
    over = times + (f" by {', '.join(query.by)}" if query.by else "")
    windows = [
        [w.window_id + (f", level {w.level}" if w.level is not None else ""), w.context.value]
        for w in query.windows[:MOST]
    ]
    if len(query.windows) > MOST:
        windows.append([f"{len(query.windows) - MOST:,} more", ""])
    named = [
        a.name if a.name == a.canonical else f"{a.name} = {a.canonical}" for a in query.aggregates
    ]
    return (
        f"<div><p><b>Query over {plain(over)}</b></p>"
        + html_table(["window", "kind"], windows)
        + html_table(["aggregate"], [[name] for name in named])
        + "</div>"
    )

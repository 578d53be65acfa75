"""Reading a text of statements."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlglot.errors import SqlglotError, TokenError
from sqlglot.tokens import Token, TokenType

from panewise.errors import QueryError
from panewise.expressions.parse import error_place
from panewise.sql.binding import Binding
from panewise.sql.dialect import Panewise
from panewise.sql.hints import CLAUSES
from panewise.sql.places import refusal
from panewise.sql.statement import Statement

LONGEST = 250_000
"""Letters of a text: thousands of windows fit in."""
DEEPEST = 50
"""Brackets within brackets."""
_OPENING = {
    TokenType.L_PAREN: TokenType.R_PAREN,
    TokenType.L_BRACKET: TokenType.R_BRACKET,
    TokenType.L_BRACE: TokenType.R_BRACE,
}
_CLOSING = frozenset(_OPENING.values())


def parse(
    text: str,
    *,
    windows: Mapping[str, Any] | None = None,
    aggregates: Mapping[str, Any] | None = None,
) -> tuple[Statement, ...]:
    """The statements of a text, which are separated by `;`.

    `windows` and `aggregates` are users' own types by the names that the text calls them.

    >>> (statement,) = parse("SELECT device, SUM(x) FROM t GROUP BY device, window(ts, '5 min')")
    >>> statement.source, statement.query.by, statement.query.window_ids
    ('t', ('device',), ['tumbling(5m)'])
    """
    tokens = _tokens(text)
    _check_brackets(text, tokens)
    try:
        trees = [Panewise().parser().parse(chunk, text)[0] for chunk in _apart(tokens)]
        found = [Binding(text, t, windows or {}, aggregates or {}).statement() for t in trees if t]  # type: ignore[arg-type]
    except SqlglotError as error:
        raise _unreadable(text, error) from None
    except RecursionError:
        raise QueryError("a query is nested too deeply.", hint="leave out brackets.") from None
    if not found:
        raise QueryError("a query is one statement or more: got none.", hint=f"write {CLAUSES}.")
    return tuple(found)


def _tokens(text: str) -> list[Token]:
    if not isinstance(text, str):
        raise QueryError(f"a query is SQL text: got {text!r}.", hint=f"write {CLAUSES}.")
    if len(text) > LONGEST:
        raise QueryError(
            f"a query has at most {LONGEST:,} letters: got {len(text):,}.",
            hint="give the query, and the events as events=...",
        )
    try:
        return Panewise().tokenize(text)
    except TokenError:
        raise _unclosed(text) from None


def _unclosed(text: str) -> QueryError:
    """Text that begins and does not end; the last quote is where to look."""
    at = max(text.rfind(quote) for quote in "'\"`")
    at = at if at >= 0 else max(text.rfind("/*"), 0)
    rule = "a quote or a comment begins and does not end"
    return refusal(text, (at, at + 1), rule, "close it, and write a quote inside text as \\'.")


def _apart(tokens: list[Token]) -> list[list[Token]]:
    """The tokens of each statement."""
    chunks: list[list[Token]] = [[]]
    for token in tokens:
        if token.token_type == TokenType.SEMICOLON:
            chunks.append([])
        else:
            chunks[-1].append(token)
    return [chunk for chunk in chunks if chunk]


def _check_brackets(text: str, tokens: list[Token]) -> None:
    open_: list[Token] = []
    for token in tokens:
        if token.token_type in _OPENING:
            open_.append(token)
            if len(open_) > DEEPEST:
                rule = f"brackets are at most {DEEPEST} deep"
                raise refusal(text, (token.start, token.end + 1), rule, "leave some out.")
        elif token.token_type in _CLOSING:
            if not open_ or _OPENING[open_[-1].token_type] != token.token_type:
                rule = f"this {token.text} closes nothing"
                raise refusal(text, (token.start, token.end + 1), rule, "open it, or leave it out.")
            open_.pop()
    if open_:
        place = open_[-1].start, open_[-1].end + 1
        raise refusal(text, place, f"this {open_[-1].text} is never closed", "close it.")


def _unreadable(text: str, error: SqlglotError) -> QueryError:
    first = (getattr(error, "errors", None) or [{}])[0]
    if not first.get("highlight"):
        return QueryError("the text cannot be read as SQL.", hint=f"clauses are {CLAUSES}.")
    rule = "the text cannot be read from here on"
    return refusal(text, error_place(text, first), rule, f"clauses are {CLAUSES}.")

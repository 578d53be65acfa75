"""The dialect: Spark's words and expressions, with one kind of statement.

Idea: sqlglot reads words, expressions and calls.  The statement is read clause by clause here, so
that what no clause holds is refused where it stands, and nothing is skipped.  Calls are kept by
name, whatever other dialects mean by them; `binding.py` gives them their meaning.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, NoReturn

from sqlglot import exp
from sqlglot.dialects.spark import Spark
from sqlglot.parsers.spark import SparkParser
from sqlglot.tokens import TokenType

from panewise.expressions.dialect import readers
from panewise.query.query import ON_BAD_ROWS
from panewise.sql.hints import CLAUSES, unexpected
from panewise.sql.places import mark, refusal

_SETS = ("CUBE", "ROLLUP", "GROUPING SETS")
_TYPED = ("CAST", "TRY_CAST")


class Statement(exp.Expression):
    """One statement as it is written; `binding.py` says what it means."""

    arg_types: ClassVar[dict[str, bool]] = {
        "expressions": True,
        "source": True,
        "ranges": False,
        "time": False,
        "until": False,
        "then": False,
        "revise": False,
        "bad_rows": False,
        "where": False,
        "group": False,
        "having": False,
        "order": False,
        "limit": False,
    }


class Ranges(exp.Expression):
    """`[RANGES ... SLIDES ...]`, as text."""

    arg_types: ClassVar[dict[str, bool]] = {"this": True}


class Parser(SparkParser):
    """sqlglot's parser of Spark, with our statement."""

    FUNCTIONS: ClassVar[dict[str, Any]] = readers()
    FUNCTION_PARSERS: ClassVar[dict[str, Any]] = {
        name: SparkParser.FUNCTION_PARSERS[name] for name in _TYPED
    }
    NO_PAREN_FUNCTIONS: ClassVar[dict[Any, Any]] = {}
    FUNC_TOKENS = SparkParser.FUNC_TOKENS | {TokenType.ROWS, TokenType.SESSION}

    def _parse_statement(self) -> exp.Expr | None:
        first = self._curr
        if not self._match(TokenType.SELECT):
            self.refuse("a statement begins with SELECT", self._hint())
        if self._match(TokenType.DISTINCT):
            self.refuse("SELECT takes no DISTINCT: rows of windows differ", "leave it out.", -1)
        parts: dict[str, Any] = {"expressions": self._listed("SELECT", self._item)}
        if not self._match(TokenType.FROM):
            step = -1 if unexpected(self._prev.text) == 'did you mean "FROM"?' else 0
            self.refuse("FROM comes after the SELECT list", self._hint(step), step)
        parts["source"] = self._source()
        parts["ranges"] = self._ranges()
        parts |= self._times()
        parts["ranges"] = parts["ranges"] or self._ranges()
        if self._match(TokenType.WHERE):
            parts["where"] = self._some("WHERE", self._parse_disjunction)
        if self._match(TokenType.GROUP_BY):
            parts["group"] = self._listed("GROUP BY", self._group)
        if self._match(TokenType.HAVING):
            parts["having"] = self._some("HAVING", self._parse_disjunction)
        if self._match(TokenType.ORDER_BY):
            parts["order"] = self._listed("ORDER BY", self._parse_ordered)
        if self._match(TokenType.LIMIT):
            parts["limit"] = self._some("LIMIT", self._parse_primary)
        if self._curr:
            self.refuse(f"{self._curr.text} is not expected here", self._hint())
        statement = Statement(**{k: v for k, v in parts.items() if v is not None})
        mark(statement, first, self._prev)
        return statement

    def refuse(self, rule: str, hint: str, step: int = 0) -> NoReturn:
        """Say what is wrong at the word that is read next, or some words from there."""
        tokens = self._tokens
        token = tokens[max(min(self._index + step, len(tokens) - 1), 0)]
        if not self._curr and not step:
            rule += ", and the text ends"
        raise refusal(self.sql, (token.start, token.end + 1), rule, hint)

    def _hint(self, step: int = 0) -> str:
        """What to do about the word that is read next."""
        if not self._curr:
            return f"write {CLAUSES}."
        before = self._prev.text.upper() if self._curr.text == "(" and self._prev else ""
        if before in (*_SETS, "MATCH_RECOGNIZE"):
            return unexpected(before)
        return unexpected(self._prev.text if step else self._curr.text)

    def _listed(self, clause: str, method: Callable[[], exp.Expr | None]) -> list[exp.Expr]:
        items = [self._some(clause, method)]
        while self._match(TokenType.COMMA):
            items.append(self._some(clause, method))
        return items

    def _some(self, clause: str, method: Callable[[], exp.Expr | None]) -> exp.Expr:
        first = self._curr
        node = method() if first else None
        if node is None:
            hint = self._hint() if first and first.text.upper() in _SETS else f"write {CLAUSES}."
            self.refuse(f"{clause} lacks something here", hint)
        mark(node, first, self._prev)
        return node

    def _item(self) -> exp.Expr | None:
        """One of the SELECT list, with its name."""
        first = self._curr
        value = self._parse_disjunction()
        if value is None:
            return None
        mark(value, first, self._prev)
        if self._match(TokenType.ALIAS) or self._is_name():
            begins = self._curr and self._curr.token_type in _CLAUSE
            name = None if begins else self._parse_id_var(any_token=True)
            if name is None or not name.name:
                self.refuse("AS comes before a name", "write SUM(x) AS total.")
            return exp.Alias(this=value, alias=name)
        return value

    def _is_name(self) -> bool:
        """Whether the next word may be a name without AS."""
        kinds = (TokenType.VAR, TokenType.IDENTIFIER)
        return bool(self._curr) and self._curr.token_type in kinds

    def _group(self) -> exp.Expr | None:
        return self._ranges() or self._parse_disjunction()

    def _source(self) -> exp.Expr:
        """A table, or Flink's `TABLE(TUMBLE(TABLE events, ...))`."""
        first = self._curr
        if self._match_pair(TokenType.TABLE, TokenType.L_PAREN):
            source = self._parse_function_call()
            if source is None:
                self.refuse("TABLE( comes before TUMBLE, HOP, CUMULATE or SESSION", _FLINK)
            self._match_r_paren()
        else:
            source = self._parse_table_parts() if self._names_a_table() else None
            if source is None:
                self.refuse("FROM names a table", self._hint())
            if self._match(TokenType.ALIAS) or (self._is_name() and not self._is_times()):
                source.set("alias", self._parse_id_var(any_token=True))
        mark(source, first, self._prev)
        return source

    def _names_a_table(self) -> bool:
        kinds = (TokenType.VAR, TokenType.IDENTIFIER, *self.ID_VAR_TOKENS)
        return bool(self._curr) and self._curr.token_type in kinds

    def _is_times(self) -> bool:
        words = (self._curr.text.upper(), self._next.text.upper() if self._next else "")
        return words in (("TIMESTAMP", "BY"), ("THEN", "BY"), ("REVISE", "BY"))

    def _times(self) -> dict[str, Any]:
        """`TIMESTAMP BY ts`, or `(start, end)`; `THEN BY` breaks ties, `REVISE BY` corrects, and
        `ON BAD ROWS` says what is done with events that end before they begin."""
        found: dict[str, Any] = {}
        if self._match_text_seq("TIMESTAMP", "BY"):
            if self._match(TokenType.L_PAREN):
                found["time"] = self._name("TIMESTAMP BY")
                if self._match(TokenType.COMMA):
                    found["until"] = self._name("TIMESTAMP BY")
                if not self._match(TokenType.R_PAREN):
                    self.refuse("TIMESTAMP BY names a column, or a start and an end", _TIMES)
            else:
                found["time"] = self._name("TIMESTAMP BY")
        if self._match_text_seq("THEN", "BY"):
            found["then"] = self._name("THEN BY")
        if self._match_text_seq("REVISE", "BY"):
            found["revise"] = self._name("REVISE BY")
        if self._match_text_seq("ON", "BAD", "ROWS"):
            found["bad_rows"] = self._word("ON BAD ROWS", ON_BAD_ROWS)
        return found

    def _word(self, clause: str, known: Sequence[str]) -> exp.Expr:
        """One of a few words."""
        for word in known:
            if self._match_text_seq(word.upper()):
                return exp.var(word)
        words = " or ".join(word.upper() for word in known)
        self.refuse(f"{clause} takes {words}", f"write {clause} {known[0].upper()}.")

    def _name(self, clause: str) -> exp.Expr:
        if self._curr and self._curr.token_type == TokenType.STRING:
            self.refuse(f"{clause} names a column: got text", "write it in backticks: `my time`.")
        begins = self._curr and self._curr.token_type in _CLAUSE
        name = self._parse_id_var(any_token=True) if self._curr and not begins else None
        if name is None:
            self.refuse(f"{clause} names a column", _TIMES)
        return name

    def _ranges(self) -> exp.Expr | None:
        """`[RANGES ... SLIDES ...]`: its sizes have a grammar of their own."""
        first = self._curr
        here = bool(first) and first.token_type == TokenType.L_BRACKET
        if not here or not self._next or self._next.text.upper() != "RANGES":
            return None
        while self._curr and self._curr.token_type != TokenType.R_BRACKET:
            self._advance()
        if not self._match(TokenType.R_BRACKET):
            self.refuse("this clause of ranges is not closed", "end it with ].")
        node = Ranges(this=self._find_sql(first, self._prev))
        mark(node, first, self._prev)
        return node

    def _parse_function_call(self, *args: Any, **kwargs: Any) -> exp.Expr | None:
        first = self._curr
        node = super()._parse_function_call(*args, **kwargs)
        if node is not None:
            mark(node, first, self._prev)
        return node

    def _parse_lambda(self, alias: bool = False) -> exp.Expr | None:
        """An argument, which may have a name before it and be one of Flink's tables."""
        first = self._curr
        node: exp.Expr | None
        if first and self._next and self._next.token_type == TokenType.FARROW:
            self._advance(2)
            value = self._parse_lambda()
            if value is None:
                self.refuse(f"{first.text} => comes before a value", "write origin => '5 minutes'.")
            node = exp.Kwarg(this=exp.var(first.text), expression=value)
        elif first and first.token_type == TokenType.TABLE:
            node = self._table_argument()
        else:
            node = super()._parse_lambda(alias=False)
        if node is not None:
            mark(node, first, self._prev)
        return node

    def _table_argument(self) -> exp.Expr:
        """`TABLE events [PARTITION BY key]`."""
        self._advance()
        node = self._parse_table_parts() if self._names_a_table() else None
        if node is None:
            self.refuse("TABLE comes before the name of a table", _FLINK)
        if self._match(TokenType.PARTITION_BY):
            many = self._match(TokenType.L_PAREN)
            keys = [self._name("PARTITION BY")]
            while many and self._match(TokenType.COMMA):
                keys.append(self._name("PARTITION BY"))
            if many:
                self._match_r_paren()
            node.set("partition", exp.Tuple(expressions=keys))
        return node


class Panewise(Spark):
    """Spark's dialect, with statements about windows."""

    Parser = Parser


_CLAUSE = (
    *(TokenType.SELECT, TokenType.FROM, TokenType.WHERE, TokenType.GROUP_BY),
    *(TokenType.HAVING, TokenType.ORDER_BY, TokenType.LIMIT),
)
_FLINK = "write TABLE(TUMBLE(TABLE events, DESCRIPTOR(ts), INTERVAL '10' MINUTES))."
_TIMES = "write TIMESTAMP BY ts, or TIMESTAMP BY (start, end)."

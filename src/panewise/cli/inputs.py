"""Which input is which table of FROM, and what it takes to read it."""

from __future__ import annotations

import sys
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from panewise.errors import FileError, QueryError, nearest
from panewise.files.formats import IN_PROCESS, format_of

if TYPE_CHECKING:
    from panewise.query import Query
    from panewise.sql import Statement

STANDARD = "-"


@dataclass(frozen=True)
class Source:
    """One input: where it is, and how it is read."""

    where: str | None
    """None where Spark knows it by its name, or its format has no paths."""
    format: str | None
    options: Mapping[str, str]
    schema: str | None

    @property
    def is_remote(self) -> bool:
        """Whether it is elsewhere: on a file system that only Spark speaks with."""
        return self.where is not None and "://" in self.where

    @property
    def path(self) -> Path | None:
        """The file or folder, if it is one of this machine's."""
        if self.where is None or self.is_remote or self.where == STANDARD:
            return None
        return Path(self.where)

    @property
    def for_spark(self) -> str | None:
        """The same for Spark, whose relative paths may begin elsewhere than ours."""
        return self.where if self.path is None else local(self.path)

    @cached_property
    def kind(self) -> str:
        """The name of its format."""
        if self.where == STANDARD:
            return self.format or "csv"
        return format_of(Path(self.where or "."), self.format)

    @property
    def needs_spark(self) -> bool:
        """Whether it cannot be read in process."""
        if self.where is None or self.is_remote or self.options:
            return True
        return self.kind not in IN_PROCESS

    def check(self) -> None:
        """Refuse a path that is not there; Spark may be given a pattern of names."""
        is_pattern = bool(set("*?{[") & set(self.where or ""))
        if self.path is not None and not self.path.exists() and not is_pattern:
            raise FileError(f'no file or folder "{self.where}".', hint="check --input.")

    def read(self, times: Collection[str] = ()) -> Any:
        """The events, in process."""
        if self.needs_spark:
            raise FileError(
                f'"{self.where}" is read by Spark only.',
                hint=f"give a file or folder of {', '.join(IN_PROCESS)}.",
            )
        from panewise.files.reading import read
        from panewise.files.schema import arrow_schema

        schema = None if self.schema is None else arrow_schema(self.schema)
        where = self.path or sys.stdin.buffer
        return read(where, self.kind, schema=schema, times=times)


def sources(
    given: Sequence[str],
    statements: Sequence[Statement],
    format: str | None,
    options: Mapping[str, str],
    schema: str | None,
    *,
    by_name: bool = False,
) -> dict[str, Source]:
    """The input of every table that FROM names; `by_name`, Spark may know those without one."""
    tables = list(dict.fromkeys(statement.source for statement in statements))
    named: dict[str | None, str] = dict(_named(text, tables) for text in given)
    for table in named:
        if table is not None and table not in tables:
            raise QueryError(
                f'--input names the table "{table}", and FROM does not.',
                hint=nearest(table, tables),
            )
    found = {}
    for table in tables:
        where = named.get(table, named.get(None) if len(tables) == 1 else None)
        if where is None and not by_name:
            raise _missing(table, tables)
        found[table] = Source(where, format, options, schema)
        found[table].check()
    if len(named) != len(given) or len(named) > len(tables):
        raise QueryError(
            f"each table has one input: got {len(given)} for {', '.join(tables)}.",
            hint="give a folder of files as one --input.",
        )
    return found


def times(statements: Sequence[Statement], table: str) -> list[str]:
    """The columns of a table that are times."""
    queries = [query_of(statement) for statement in statements if statement.source == table]
    return [name for q in queries for name in (q.time, q.until) if name is not None]


def local(path: Path) -> str:
    """A path of this machine's file system, whatever file system Spark takes others for."""
    return f"file://{path.absolute()}"


def query_of(statement: Statement) -> Query:
    """The windows of a statement; granules may have more around them."""
    from panewise.query import RingQuery

    asked = statement.query
    return asked.outer if isinstance(asked, RingQuery) else asked


def _named(text: str, tables: Sequence[str]) -> tuple[str | None, str]:
    """`table=path`, or a path, which may have a = in it."""
    name, equals, path = text.partition("=")
    if equals and name.isidentifier() and (name in tables or not Path(text).exists()):
        return name, path
    return None, text


def _missing(table: str, tables: Sequence[str]) -> QueryError:
    if len(tables) == 1:
        return QueryError("there is no --input.", hint="write --input events.parquet.")
    return QueryError(
        f'there is no --input for the table "{table}".', hint=f"write --input {table}=path."
    )

"""Options that several commands have."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from panewise.errors import QueryError

QueryFile = Annotated[
    Path | None, typer.Argument(help="A file of SQL, or - for standard input.", metavar="QUERY.SQL")
]
Inline = Annotated[str | None, typer.Option("--query", "-e", help="SQL here, and not in a file.")]
Inputs = Annotated[
    list[str] | None,
    typer.Option(
        "--input",
        "-i",
        help="Events: a file, a folder, or -; table=path where FROM names several.",
    ),
]
Format = Annotated[
    str | None,
    typer.Option("--format", "-f", help="parquet, csv, json, or any format that Spark reads."),
]
Settings = Annotated[
    list[str] | None, typer.Option("--option", help="name=value, an option of Spark's reader.")
]
Schema = Annotated[
    str | None, typer.Option(help='Columns and types: "ts TIMESTAMP, device STRING".')
]
Strategy = Annotated[str, typer.Option(help="Force a kind of plan, to compare.")]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace what is there.")]
Master = Annotated[
    str | None,
    typer.Option(help="Run on Spark there: local[*], spark://host:7077, yarn, k8s://..."),
]


def pairs(given: Iterable[str] | None, option: str) -> dict[str, str]:
    """Names and values of an option that may be given several times.

    >>> pairs(["header=true", "sep=;"], "--option")
    {'header': 'true', 'sep': ';'}
    """
    found = {}
    for text in given or ():
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise QueryError(
                f'{option} takes name=value: got "{text}".', hint=f"write {option} header=true."
            )
        found[name.strip()] = value
    return found


def query_text(file: Path | None, inline: str | None) -> str:
    """The text of a query, from where it is given."""
    import sys

    from panewise.errors import FileError

    if (file is None) == (inline is None):
        raise QueryError(
            f"a query is a file or --query: got {'neither' if file is None else 'both'}.",
            hint="write panewise run query.sql, or panewise run --query 'SELECT ...'.",
        )
    if inline is not None:
        return inline
    assert file is not None
    try:
        return sys.stdin.read() if str(file) == "-" else file.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise FileError(f'"{file}" is not text.', hint="a query is SQL in UTF-8.") from None
    except OSError as problem:
        said = (problem.strerror or str(problem)).lower()
        raise FileError(f'the query "{file}" cannot be read: {said}.') from None

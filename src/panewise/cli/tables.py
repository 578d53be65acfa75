"""Tables to where an option says: a file, a folder, or standard output."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from panewise.errors import FileError
from panewise.files.formats import IN_PROCESS, by_ending
from panewise.files.output import placed
from panewise.files.writing import write, write_to

if TYPE_CHECKING:
    import pyarrow as pa

STANDARD = "-"


def put(
    table: pa.Table,
    output: str,
    format: str | None,
    *,
    overwrite: bool = False,
    inputs: Iterable[Path] = (),
) -> None:
    """A table as one file, or on standard output."""
    if output == STANDARD:
        write_to(table, sys.stdout.buffer, standard_format(format))
        return
    target = Path(output)
    kind = file_format(target, format)
    with placed(target, overwrite=overwrite, inputs=inputs) as part:
        write(table, part, kind)


def standard_format(given: str | None) -> str:
    """What goes to standard output: lines."""
    kind = given or "csv"
    if kind not in ("csv", "json"):
        raise FileError(
            f"standard output takes csv, or json lines: got {kind}.",
            hint="give --output a path, or another format.",
        )
    return kind


def file_format(target: Path, given: str | None) -> str:
    """The format of a file that is written here."""
    kind = given or by_ending(target.name)
    if kind is None:
        raise FileError(
            f'the format of "{target}" is not known by its name.',
            hint="end it with .parquet, .csv or .jsonl, or give a format.",
        )
    if kind not in IN_PROCESS:
        raise FileError(
            f"{kind} is not written here.", hint=f"formats are {', '.join(IN_PROCESS)}."
        )
    if target.name.lower().endswith(".gz"):
        raise FileError("results are not compressed here.", hint="leave .gz out.")
    return kind

"""Formats of files: by name, or by how the names of files end."""

from __future__ import annotations

from pathlib import Path

from panewise.errors import FileError

IN_PROCESS = ("parquet", "csv", "json")
"""What is read and written without Spark; "json" is one object a line."""

_ENDINGS = {
    ".parquet": "parquet",
    ".csv": "csv",
    ".csv.gz": "csv",
    ".json": "json",
    ".jsonl": "json",
    ".ndjson": "json",
    ".json.gz": "json",
    ".jsonl.gz": "json",
}


def by_ending(name: str) -> str | None:
    """The format that the name of a file tells.

    >>> [by_ending(name) for name in ("a.parquet", "b.CSV.gz", "c.jsonl", "d")]
    ['parquet', 'csv', 'json', None]
    """
    known = (kind for ending, kind in _ENDINGS.items() if name.lower().endswith(ending))
    return next(known, None)


def format_of(path: Path, given: str | None) -> str:
    """The format of a file or a folder of files."""
    if given is not None:
        return given.lower()
    if not path.is_dir():
        found = {by_ending(path.name)}
    else:
        found = {by_ending(file.name) for file in files_in(path)} - {None} or {None}
    if len(found) == 1 and (only := found.pop()) is not None:
        return only
    if len(found) > 1:
        kinds = " and ".join(sorted(kind for kind in found if kind is not None))
        raise FileError(
            f'"{path}" holds files of several formats: {kinds}.', hint="say which with --format."
        )
    raise FileError(
        f'the format of "{path}" is not known by its name.',
        hint="say it with --format parquet, csv, json, or any format of Spark's.",
    )


def files_in(folder: Path) -> list[Path]:
    """The files below a folder in order; hidden ones and Spark's marks are no data."""
    return sorted(
        path
        for path in folder.rglob("*")
        if path.is_file() and not any(part[0] in "._" for part in path.relative_to(folder).parts)
    )

"""Answers in process, to where --output says."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from panewise.cli.tables import STANDARD, file_format, put
from panewise.errors import FileError
from panewise.files.formats import IN_PROCESS, by_ending
from panewise.files.output import placed, refuse
from panewise.files.writing import write

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class Output:
    """Where answers go: standard output, one file, or a folder."""

    where: str
    format: str | None = None
    overwrite: bool = False
    inputs: tuple[Path, ...] = ()

    @property
    def is_standard(self) -> bool:
        return self.where == STANDARD

    @property
    def is_remote(self) -> bool:
        """Whether it is elsewhere: on a file system that only Spark speaks with."""
        return "://" in self.where

    @property
    def is_file(self) -> bool:
        """Whether the name is that of one file, and not of a folder."""
        named = by_ending(Path(self.where).name) is not None
        return named and not self.where.endswith("/")

    @property
    def kind(self) -> str:
        """The format of what is written into a folder."""
        return (self.format or by_ending(Path(self.where).name) or "parquet").lower()

    @property
    def needs_spark(self) -> bool:
        """Whether it cannot be written in process."""
        return self.is_remote or not (self.is_standard or self.kind in IN_PROCESS)

    def check(self, answers: int) -> None:
        """Refuse before any work is done."""
        if self.is_standard:
            if answers > 1:
                raise FileError(
                    f"standard output takes the answer of one statement: got {answers}.",
                    hint="give --output a folder.",
                )
            return
        if not self.is_remote:
            refuse(Path(self.where), overwrite=self.overwrite, inputs=self.inputs)

    def put(self, tables: Sequence[pa.Table]) -> None:
        """Write the answer of every statement."""
        if self.is_standard and self.format is None and sys.stdout.isatty():
            from panewise.cli.shown import show

            show(tables[0])
        elif self.is_standard or (self.is_file and len(tables) == 1):
            put(tables[0], self.where, self.format, overwrite=self.overwrite, inputs=self.inputs)
        else:
            self._folder(tables)

    def _folder(self, tables: Sequence[pa.Table]) -> None:
        kind = file_format(Path(f"part.{self.kind}"), self.format)
        target = Path(self.where)
        with placed(target, overwrite=self.overwrite, inputs=self.inputs) as part:
            for folder, table in zip(folders(part, len(tables)), tables, strict=True):
                folder.mkdir(parents=True)
                write(table, folder / f"part-0.{kind}", kind)


def folders(root: Path, count: int) -> Iterable[Path]:
    """The folder of each answer: of one, the output itself; of several, a number in it."""
    return [root] if count == 1 else [root / str(number) for number in range(1, count + 1)]

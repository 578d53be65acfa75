"""Outputs are there whole or not at all.

Idea: everything is written beside the target under a hidden name, and renamed when it is complete.
An output that is there is not touched without leave, and then replaced by renaming too.
"""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from panewise.errors import FileError
from panewise.files.formats import by_ending

PICTURE = ".png"
"""What is drawn of results lies beside them."""


@contextmanager
def placed(target: Path, *, overwrite: bool = False, inputs: Iterable[Path] = ()) -> Iterator[Path]:
    """Where to write, a file or a folder; it becomes the target when the block ends well."""
    refuse(target, overwrite=overwrite, inputs=inputs)
    made = _parents(target.parent)
    part = _beside(target, "part")
    try:
        yield part
        _move(part, target, overwrite)
    except BaseException:
        remove(part)
        for folder in made:
            with suppress(OSError):  # somebody else has put something there
                folder.rmdir()
        raise


def refuse(target: Path, *, overwrite: bool, inputs: Iterable[Path] = ()) -> None:
    """Say what is in the way, before any work is done."""
    here = target.resolve()
    for given in inputs:
        source = given.resolve()
        if here == source or source in here.parents:
            raise FileError(
                f'the output "{target}" lies in the input "{given}".',
                hint="the next run would read it; write somewhere else.",
            )
        if here in source.parents:
            raise FileError(
                f'the input "{given}" lies in the output "{target}".',
                hint="it would be replaced; write somewhere else.",
            )
    if target.is_symlink() or target.exists():
        if not overwrite:
            raise FileError(f'"{target}" is there already.', hint="give --overwrite to replace it.")
        if target.is_dir() and not target.is_symlink() and not _is_output(target):
            raise FileError(
                f'"{target}" holds more than results, and is not replaced.',
                hint="write to a folder of its own.",
            )


def remove(path: Path) -> None:
    """A file or a folder, if it is there."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def _is_output(folder: Path) -> bool:
    """Whether all that a folder holds looks like results, so that replacing it loses no more."""
    files = (path.relative_to(folder) for path in folder.rglob("*") if not path.is_dir())
    return folder.resolve() not in (Path.cwd(), *Path.cwd().parents) and all(
        by_ending(file.name) is not None
        or file.suffix == PICTURE
        or file.name.startswith(("part-", ".part-", "_", "._"))
        or any(part.startswith("_") for part in file.parts)
        for file in files
    )


def _parents(folder: Path) -> list[Path]:
    """Make the folders above an output; those that were made, the innermost first."""
    made = [path for path in (folder, *folder.parents) if not path.exists()]
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise FileError(f'no folder "{folder}" can be made: {problem.strerror}.') from None
    return made


def _beside(target: Path, kind: str) -> Path:
    return target.parent / f".{target.name}.{secrets.token_hex(4)}.{kind}"


def _move(part: Path, target: Path, overwrite: bool) -> None:
    if not target.exists() and not target.is_symlink():
        part.rename(target)
        return
    # it may have come while we were writing
    refuse(target, overwrite=overwrite)
    old = _beside(target, "old")
    target.rename(old)
    try:
        part.rename(target)
    except OSError:
        old.rename(target)
        raise
    remove(old)

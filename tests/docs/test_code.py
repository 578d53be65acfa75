"""The code of the pages does what they say.

The blocks of a page run one after the other, in a folder that is empty at first: Python in one
namespace, commands of `panewise` in a shell.  What a block prints is the `text` block that follows
it; a line `expression  # [value]` has that value.  A block that is titled by a file's name is put
there.  Blocks that are titled "not run: ..." are compiled, and their calls of Panewise are made or
bound.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import re
from pathlib import Path

import pytest

from panewise import sql
from tests.docs.calls import wrong_calls
from tests.docs.pages import NOT_RUN, PAGES, Block, blocks, name
from tests.docs.shell import commands, run, wrong_lines

LANGUAGES = {"python", "text", "sh", "sql", "json", "csv"}
VALUE = re.compile(r"^(\S.*?)  # (\[.*?\](?=:|$))", re.MULTILINE)
FILE = re.compile(r"[\w-]+\.\w+")
EVERY = [block for page in PAGES for block in blocks(page)]


def _has_code(page: Path) -> bool:
    return any(block.language == "python" or commands(block) for block in blocks(page))


@pytest.mark.parametrize("page", [page for page in PAGES if _has_code(page)], ids=name)
def test_code(
    page: Path,
    request: pytest.FixtureRequest,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = blocks(page)
    if any("session()" in block.text for block in found if block.runs):
        request.getfixturevalue("spark")  # `session()` finds this one, which all tests share
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "page"}
    for block, following in zip(found, [*found[1:], None], strict=True):
        printed = _done(block, names)
        if printed is not None and _is_output(block, following):
            assert following is not None and printed.strip() == following.text.strip()


def _done(block: Block, names: dict[str, object]) -> str | None:
    """What it printed; None where nothing ran."""
    if block.file is not None:
        Path(block.file).write_text(block.text, encoding="utf-8")
    elif commands(block):
        return run(block.text)
    elif block.language == "python" and block.runs:
        printed = _run(block, names)
        for line, value in VALUE.findall(block.text):
            assert eval(line, names) == eval(value), f"{block.place}: {line}"
        return printed
    return None


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_what_is_not_run(page: Path) -> None:
    wrong = [
        f"{block.place}: {what}"
        for block in blocks(page)
        if block.language == "python" and not block.runs
        for what in wrong_calls(block.text)
    ]
    assert not wrong


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_commands_that_are_not_run(page: Path) -> None:
    wrong = [
        f"{block.place}: {line}"
        for block in blocks(page)
        if block.language == "sh" and not commands(block)
        for line in wrong_lines(block.text)
    ]
    assert not wrong


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_sql_is_read(page: Path) -> None:
    for block in blocks(page):
        if block.language == "sql" and block.runs:
            assert sql.parse(block.text), block.place


def test_every_block_names_its_language() -> None:
    assert {block.place: block.language for block in EVERY if block.language not in LANGUAGES} == {}


def test_titles_say_what_is_missing_or_name_a_file() -> None:
    titled = [block for block in EVERY if block.title]
    assert all(block.title.startswith(NOT_RUN) or FILE.fullmatch(block.title) for block in titled)


def test_json() -> None:
    for block in EVERY:
        if block.language == "json":
            json.loads(block.text)


def _run(block: Block, names: dict[str, object]) -> str:
    out = io.StringIO()
    # lines keep their numbers, so that an error says where it is
    tree = ast.parse("\n" * block.line + block.text, name(block.page))
    with contextlib.redirect_stdout(out):
        exec(compile(tree, name(block.page), "exec"), names)
    return out.getvalue()


def _is_output(block: Block, following: Block | None) -> bool:
    """A text block right after the code, with nothing but an empty line between."""
    ends = block.line + block.text.count("\n") + 1
    return following is not None and following.language == "text" and following.line <= ends + 2

"""Outputs: whole or not there, and none is lost."""

from pathlib import Path

import pytest

from panewise.errors import FileError
from panewise.files.output import placed


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_an_output_appears_when_it_is_complete(tmp_path: Path) -> None:
    with placed(tmp_path / "a" / "out.csv") as part:
        part.write_text("x")
        assert not (tmp_path / "a" / "out.csv").exists()
    assert names(tmp_path / "a") == ["out.csv"]


@pytest.mark.parametrize("problem", [ValueError, KeyboardInterrupt, SystemExit])
def test_nothing_is_left_of_an_output_that_fails(
    tmp_path: Path, problem: type[BaseException]
) -> None:
    with pytest.raises(problem), placed(tmp_path / "a" / "b" / "out") as part:
        part.mkdir()
        (part / "part-0.parquet").write_text("half")
        raise problem
    assert names(tmp_path) == []


def test_an_output_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    with pytest.raises(FileError, match="is there already"), placed(tmp_path / "out"):
        pytest.fail("work was begun")


def test_an_output_that_comes_meanwhile_is_not_overwritten(tmp_path: Path) -> None:
    target = tmp_path / "out.csv"
    with pytest.raises(FileError, match="is there already"), placed(target) as part:
        part.write_text("ours")
        target.write_text("theirs")
    assert target.read_text() == "theirs" and names(tmp_path) == ["out.csv"]


def test_overwriting_replaces_all_of_it(tmp_path: Path) -> None:
    target = tmp_path / "out"
    target.mkdir()
    (target / "part-0.parquet").write_text("old")
    with placed(target, overwrite=True) as part:
        part.mkdir()
        (part / "part-1.parquet").write_text("new")
        assert names(target) == ["part-0.parquet"]
    assert names(target) == ["part-1.parquet"] and names(tmp_path) == ["out"]


def test_overwriting_that_fails_leaves_what_was_there(tmp_path: Path) -> None:
    target = tmp_path / "out.csv"
    target.write_text("old")
    with pytest.raises(ValueError), placed(target, overwrite=True) as part:
        part.write_text("new")
        raise ValueError
    assert target.read_text() == "old" and names(tmp_path) == ["out.csv"]


@pytest.mark.parametrize("held", ["thesis.tex", ".git/HEAD", "src/main.py"])
def test_a_folder_of_other_things_is_not_replaced(tmp_path: Path, held: str) -> None:
    target = tmp_path / "work"
    (target / held).parent.mkdir(parents=True)
    (target / held).write_text("dear")
    with pytest.raises(FileError, match="more than results"), placed(target, overwrite=True):
        pytest.fail("work was begun")
    assert (target / held).read_text() == "dear"


@pytest.mark.parametrize("held", ["part-0.orc", "_SUCCESS", "._SUCCESS.crc", "_delta_log/0.json"])
def test_a_folder_of_results_is_replaced(tmp_path: Path, held: str) -> None:
    target = tmp_path / "out"
    (target / held).parent.mkdir(parents=True)
    (target / held).write_text("old")
    with placed(target, overwrite=True) as part:
        part.mkdir()
    assert names(target) == []


def test_the_folder_one_stands_in_is_not_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for target in (Path("."), tmp_path, tmp_path.parent):
        with pytest.raises(FileError, match="more than results"), placed(target, overwrite=True):
            pytest.fail("work was begun")


@pytest.mark.parametrize(
    ("output", "said"), [("in/out", "lies in the input"), ("in", "lies in"), (".", "lies in")]
)
def test_output_and_input_are_apart(tmp_path: Path, output: str, said: str) -> None:
    (tmp_path / "in").mkdir()
    inputs = [tmp_path / "in"]
    with (
        pytest.raises(FileError, match=said),
        placed(tmp_path / output, overwrite=True, inputs=inputs),
    ):
        pytest.fail("work was begun")


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(FileError, match="can be made"), placed(tmp_path / "file" / "out"):
        pytest.fail("work was begun")

"""Commands begin at once: what takes long to import is imported by the commands that need it."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.calling import panewise

HEAVY = {"numba", "pyspark", "py4j", "pandas", "matplotlib", "rich", "pyarrow.dataset"}
HEAVIER = HEAVY | {"numpy", "pyarrow", "sqlglot"}


def imported(*args: str) -> set[str]:
    """The modules that a command has imported when it ends."""
    code = (
        "import sys\n"
        "from panewise.cli.app import app\n"
        "try: app(sys.argv[1:], prog_name='panewise')\n"
        "except SystemExit as end: print('exit', end.code)\n"
        "print(*sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code, *args], capture_output=True, text=True)
    *_, code_line, modules = run.stdout.splitlines()
    assert code_line == "exit 0", run.stderr
    return set(modules.split())


@pytest.mark.parametrize(
    "args", [["--help"], ["run", "--help"], ["bench", "--help"], ["--version"]]
)
def test_help_imports_no_engine(args: list[str]) -> None:
    assert not imported(*args) & HEAVIER


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    "args",
    [
        [],
        ["--schema", "ts TIMESTAMP, device STRING, temp DOUBLE"],
        ["--input", "readings.parquet"],
        ["--input", "readings.csv"],
    ],
)
def test_check_imports_neither_spark_nor_compiled_loops(args: list[str]) -> None:
    assert not imported("check", "query.sql", *args) & HEAVY


@pytest.mark.usefixtures("here")
def test_explain_imports_neither_spark_nor_compiled_loops() -> None:
    assert not imported("explain", "query.sql") & HEAVY


@pytest.mark.usefixtures("here")
def test_files_are_run_without_spark() -> None:
    done = imported("run", "query.sql", "-i", "readings.csv", "-o", "out")
    assert not done & {"pyspark", "py4j", "matplotlib"}


@pytest.mark.parametrize(
    "command", ["run", "check", "explain", "generate", "plot", "bench", "demo"]
)
def test_help_has_examples(command: str) -> None:
    help = panewise(command, "--help")
    assert help.exit_code == 0 and f"  panewise {command}" in help.stdout


def test_version() -> None:
    assert panewise("--version").stdout.startswith("panewise ")


def test_without_a_command_there_is_help() -> None:
    assert "Commands:" in panewise().output


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion(shell: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION", "1")
    shown = panewise("--show-completion", shell)
    assert shown.exit_code == 0 and "PANEWISE_COMPLETE" in shown.stdout

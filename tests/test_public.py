"""The public names: all there, imported when asked for, and never hidden by a folder."""

import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest
from pyspark import cloudpickle

import panewise as pw

ROOT = Path(pw.__file__).parent


def printed(code: str) -> str:
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return run.stdout.strip()


@pytest.mark.parametrize("name", import_module("panewise.public").__all__)
def test_a_public_name_is_there(name: str) -> None:
    assert getattr(pw, name) is not None
    assert name in dir(pw)


def test_an_unknown_name_is_refused_as_modules_do() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'tumblin'"):
        pw.tumblin  # noqa: B018


@pytest.mark.parametrize("name", sorted(set(pw.__all__) & {p.stem for p in ROOT.iterdir()}))
def test_a_folder_does_not_hide_the_function_of_its_name(name: str) -> None:
    code = f"import panewise.{name}, panewise; print(callable(panewise.{name}))"
    assert printed(code) == "True"


@pytest.mark.parametrize("module", [pw, import_module("panewise.sql")])
def test_functions_that_name_a_module_travel(module: ModuleType) -> None:
    def user() -> object:
        return module

    assert cloudpickle.loads(cloudpickle.dumps(user))() is module
    assert cloudpickle.loads(cloudpickle.dumps(module)) is module


def test_importing_the_package_imports_nothing_heavy() -> None:
    code = "import sys, panewise; print({'numpy', 'pyarrow', 'sqlglot'} & {*sys.modules})"
    assert printed(code) == "set()"

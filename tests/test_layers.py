"""Imports point one way: a package may use itself and the packages before it."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1] / "src" / "panewise"

LAYERS = (
    "errors",
    "model",
    "expressions",
    "aggregates",
    "windows",
    "query",
    "plan",
    "optimizer",
    "api",
    "kernels",
    "operator",
    "spark",
    "sql",
    "viz",
    "samples",
    "showcase",
    "files",
    "cli",
)

# What users import and run: above the layers, and used by none of them.
TOP = ("__init__", "public", "__main__")

# A library has a home, so that the rest works, imports and is tested without it.
HOMES = {"pyspark": ("spark",), "sqlglot": ("expressions", "sql"), "numba": ("kernels",)}

# plan.run chooses an engine when it is called, and a query is written by what reads queries;
# nothing else looks ahead.
AHEAD = {"query": ("sql",)}

# The oracle is the judge of the engines: it shares the definitions with them, and no code.
ORACLE_MAY_USE = {"errors", "model", "expressions", "aggregates", "windows", "query"}


@dataclass(frozen=True)
class Import:
    module: str
    line: int
    lazy: bool  # inside a function, so resolved when called and not when imported


def imports(tree: ast.AST, package: str, lazy: bool = False) -> Iterator[Import]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import):
            yield from (Import(name.name, node.lineno, lazy) for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (
                Import(f"{source(node, package)}.{name.name}".strip("."), node.lineno, lazy)
                for name in node.names
            )
        elif isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            for other in node.orelse:
                yield from imports(other, package, lazy)
        else:
            inside = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
            yield from imports(node, package, lazy or inside)


def source(node: ast.ImportFrom, package: str) -> str:
    """The absolute name behind `from ... import`, given the package of the file."""
    if not node.level:
        return node.module or ""
    kept = package.split(".")[: len(package.split(".")) - node.level + 1]
    return ".".join([*kept, *filter(None, [node.module])])


def violation(file: Path, imported: Import) -> str | None:
    """The rule that an import breaks, or None."""
    here = file.parts[0].removesuffix(".py")
    top, _, rest = imported.module.partition(".")
    if top in HOMES:
        testing_spark = here == "testing" and file.parts[-1].startswith("spark")
        if here in HOMES[top] or (top == "pyspark" and testing_spark):
            return None
        return f"{top} belongs under {' or '.join(HOMES[top])}/"
    if top != "panewise":
        return None
    there = rest.split(".")[0]
    if here == "testing":
        within = imported.module.startswith("panewise.testing.oracle")
        if file.parts[1] == "oracle" and there not in ORACLE_MAY_USE and not within:
            return f"the oracle may not use panewise.{there}"
        return None
    if here in TOP or here == there:
        return None
    if there not in LAYERS:
        return f"panewise.{there} is above the layers"
    if LAYERS.index(there) < LAYERS.index(here):
        return None
    if imported.lazy and (here == "plan" or there in AHEAD.get(here, ())):
        return None
    return f"{here} comes before {there}"


def violations(file: Path, text: str) -> list[str]:
    package = ".".join(["panewise", *file.parts[:-1]])
    found = ((i, violation(file, i)) for i in imports(ast.parse(text), package))
    return [f"{file}:{i.line}: imports {i.module}: {why}" for i, why in found if why]


FILES = sorted(path.relative_to(ROOT) for path in ROOT.rglob("*.py"))


@pytest.mark.parametrize("file", FILES, ids=str)
def test_imports_point_one_way(file: Path) -> None:
    assert file.parts[0].removesuffix(".py") in {*LAYERS, *TOP, "testing"}
    assert not violations(file, (ROOT / file).read_text())


@pytest.mark.parametrize(
    ("file", "text", "allowed"),
    [
        ("query/query.py", "from panewise.windows import tumbling", True),
        ("query/query.py", "from panewise.plan import Plan", False),
        ("query/query.py", "from panewise import plan", False),
        ("query/query.py", "import panewise", False),
        ("query/query.py", "from ..plan import Plan", False),
        ("query/query.py", "from .bounds import Bounds", True),
        ("query/query.py", "import panewise.plan.nodes", False),
        ("query/query.py", "if TYPE_CHECKING:\n    from panewise.plan import Plan", True),
        ("query/query.py", "def f():\n    from panewise.plan import Plan", False),
        ("query/query.py", "def f():\n    from panewise.sql.render import render", True),
        ("query/query.py", "from panewise.sql.render import render", False),
        ("windows/band.py", "def f():\n    from panewise.sql.render import render", False),
        ("plan/run.py", "def f():\n    from panewise.spark.batch import run", True),
        ("plan/run.py", "from panewise.spark.batch import run", False),
        ("plan/run.py", "def f():\n    import pyspark", False),
        ("plan/run.py", "import numba", False),
        ("kernels/fold.py", "from numba import njit", True),
        ("sql/parse.py", "import sqlglot.expressions", True),
        ("expressions/parse.py", "from sqlglot import exp", True),
        ("windows/punctuation.py", "from sqlglot import exp", False),
        ("windows/punctuation.py", "from panewise.expressions import Expression", True),
        ("expressions/parse.py", "from panewise.windows import Window", False),
        ("errors.py", "from panewise.model import ticks", False),
        ("__init__.py", "from panewise.spark import session", True),
        ("public.py", "from panewise.api import plan", True),
        ("cli/run.py", "from panewise.public import plan", False),
        ("cli/run.py", "import pyspark", False),
        ("testing/laws.py", "from panewise.operator import Operator", True),
        ("testing/oracle/table.py", "from panewise.operator import Operator", False),
        ("testing/oracle/table.py", "from panewise.testing.cells import Cells", False),
        ("testing/oracle/table.py", "from panewise.testing.oracle.windows import instances", True),
        ("testing/oracle/table.py", "from panewise.query import Query", True),
        ("testing/spark_frames.py", "from pyspark.sql import DataFrame", True),
        ("testing/laws.py", "from pyspark.sql import DataFrame", False),
    ],
)
def test_the_check_itself(file: str, text: str, allowed: bool) -> None:
    assert (not violations(Path(file), text)) == allowed

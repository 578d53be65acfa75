"""Every public name says what it is, with an example that the tests run.

`pytest --doctest-modules` runs them; here it is only seen that they are there.
"""

import inspect
import re
from collections.abc import Iterator
from typing import Any

import pytest

import panewise as pw

CLASSES = (pw.Plan, pw.SharedPlan, pw.Operator, pw.Query, pw.Statistics)


def methods(owner: type) -> Iterator[tuple[str, Any]]:
    for name, member in vars(owner).items():
        plain = member.__func__ if isinstance(member, classmethod | staticmethod) else member
        if not name.startswith("_") and inspect.isfunction(plain):
            yield f"{owner.__name__}.{name}", plain


NAMES = {name: getattr(pw, name) for name in pw.__all__ if name != "END"}  # a number
NAMES |= dict(pair for owner in CLASSES for pair in methods(owner))


@pytest.mark.parametrize("name", NAMES)
def test_it_has_an_example(name: str) -> None:
    text = vars(NAMES[name]).get("__doc__") or NAMES[name].__doc__ or ""
    lines = inspect.cleandoc(text).splitlines()
    assert lines and re.match(r"\S.*\S", lines[0]), f"{name} does not say what it is"
    code = "\n".join(line for line in lines if line.startswith((">>> ", "... ")))
    assert code.startswith(">>> "), f"{name} has no example"
    if not inspect.isclass(NAMES[name]):  # a plan is made by pw.plan()
        assert name.rpartition(".")[2] in code, f"the example of {name} does not use it"

"""Calls of Panewise in code that is not run."""

from __future__ import annotations

import ast
import importlib
import inspect
from collections.abc import Iterator
from typing import Any

import panewise as pw


def wrong_calls(code: str) -> list[str]:
    """What is wrong with the calls of the library in a program that is not run as a whole.

    Imports of the library are made.  Calls are made where nothing but the library is in them, so
    that what they refuse is found; others are bound to their signatures.

    >>> wrong_calls('import panewise as pw; pw.tumbling("5 m"); pw.tumbled(1)')
    ['pw.tumbled: no such name']
    >>> wrong_calls("import panewise as pw; pw.session(a, b=1)")
    ["pw.session(a, b=1): got an unexpected keyword argument 'b'"]
    """
    tree = ast.parse(code)
    names: dict[str, Any] = {"pw": pw}
    wrong = list(_imports(tree, names))
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            wrong += _call(node, names)
    return wrong


def _imports(tree: ast.AST, names: dict[str, Any]) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("panewise"):
            module = importlib.import_module(node.module or "")
            for each in node.names:
                if hasattr(module, each.name):
                    names[each.asname or each.name] = getattr(module, each.name)
                else:
                    yield f"{node.module} has no {each.name}"


def _call(node: ast.Call, names: dict[str, Any]) -> Iterator[str]:
    text = ast.unparse(node.func)
    if text.split(".")[0] not in names:
        return
    try:
        called = eval(text, dict(names))
    except AttributeError:
        yield f"{text}: no such name"
        return
    except Exception:
        return  # a method of something that this code would have made
    try:
        inspect.signature(called).bind(
            *(None for each in node.args if not isinstance(each, ast.Starred)),
            **{each.arg: None for each in node.keywords if each.arg},
        )
    except TypeError as refused:
        yield f"{ast.unparse(node)}: {refused}"
        return
    if _is_of_the_library(node, names):
        try:
            eval(ast.unparse(node), dict(names))
        except pw.PanewiseError as refused:
            yield f"{ast.unparse(node)}: {refused}"


def _is_of_the_library(node: ast.Call, names: dict[str, Any]) -> bool:
    """Whether it makes a plan, a window or an aggregate from what is written here."""
    read = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
    return ast.unparse(node.func).startswith("pw.") and read <= {"pw"}

"""Calls: the arguments of a written call, fitted to the parameters of a Python function.

Idea: a window or an aggregate in SQL takes what its function takes, by place or by `name => value`.
So a new parameter, or a user's own type, needs no new grammar.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from inspect import Parameter
from typing import Any

from sqlglot import exp

from panewise.errors import QueryError, nearest
from panewise.sql.places import refusal, relayed
from panewise.sql.values import called

Read = Callable[[str, exp.Expr], Any]
"""What makes a value of an argument, given the name of its parameter."""


@dataclass(frozen=True)
class Call:
    """A function's name as it is written, its arguments, and the whole node for errors."""

    text: str
    node: exp.Expr
    name: str
    arguments: tuple[exp.Expr, ...]

    @classmethod
    def of(cls, text: str, node: exp.Expr) -> Call:
        """A call as it stands."""
        return cls(text, node, called(node) or node.key, tuple(node.expressions))

    def make(self, function: Callable[..., Any], read: Read) -> Any:
        """What the function makes of the arguments; its refusals are underlined."""
        listed, named = self.fitted(function, read)
        try:
            return function(*listed, **named)
        except QueryError as problem:
            raise relayed(self.text, self.node, problem) from None

    def fitted(self, function: Callable[..., Any], read: Read) -> tuple[list[Any], dict[str, Any]]:
        """Values by place and by name, each of which has a parameter."""
        parameters = parameters_of(function)
        places = [p for p in parameters.values() if p.kind is not Parameter.KEYWORD_ONLY]
        many = any(p.kind is Parameter.VAR_POSITIONAL for p in places)
        listed: list[Any] = []
        named: dict[str, Any] = {}
        for argument in self.arguments:
            if isinstance(argument, exp.Kwarg):
                name = self._known(argument, parameters)
                if name in named or (not many and name in [p.name for p in places[: len(listed)]]):
                    raise self.refused(argument, f"{self.name} takes {name} once", "leave one out.")
                named[name] = read(name, argument.expression)
            elif named:
                hint = f"write {self._form(parameters)}."
                raise self.refused(argument, "arguments without a name come first", hint)
            elif not many and len(listed) == len(places):
                rule = f"{self.name} takes fewer arguments"
                raise self.refused(argument, rule, f"write {self._form(parameters)}.")
            else:
                listed.append(read(places[min(len(listed), len(places) - 1)].name, argument))
        self._complete(parameters, [p.name for p in places[: len(listed)]], named)
        return listed, named

    def refused(self, at: exp.Expr, rule: str, hint: str | None) -> QueryError:
        """An error about a part of the call."""
        return refusal(self.text, at, rule, hint)

    def _known(self, argument: exp.Kwarg, parameters: dict[str, Parameter]) -> str:
        written = argument.this.name.lower()
        if written in parameters and parameters[written].kind is not Parameter.VAR_POSITIONAL:
            return written
        rule = f"{self.name} has no argument {argument.this.name}"
        raise self.refused(argument, rule, nearest(written, parameters))

    def _complete(
        self, parameters: dict[str, Parameter], listed: Iterable[str], named: Iterable[str]
    ) -> None:
        given = {*listed, *named}
        for name, parameter in parameters.items():
            needed = parameter.default is Parameter.empty
            if needed and name not in given and parameter.kind is not Parameter.VAR_POSITIONAL:
                raise self.refused(
                    self.node, f"{self.name} lacks {name}", f"write {self._form(parameters)}."
                )

    def _form(self, parameters: dict[str, Parameter]) -> str:
        """The call as it may be written, what may be left out in brackets."""
        parts = []
        for name, parameter in parameters.items():
            if parameter.kind is Parameter.VAR_POSITIONAL:
                parts.append(f"{name}...")
            elif parameter.default is Parameter.empty:
                keyword = parameter.kind is Parameter.KEYWORD_ONLY
                parts.append(f"{name} => ..." if keyword else name)
            else:
                parts.append(f"[{name} => ...]")
        return f"{self.name}({', '.join(parts)})"


@lru_cache(maxsize=256)
def parameters_of(function: Callable[..., Any]) -> dict[str, Parameter]:
    """The parameters of a function, or of a class without the names it is given otherwise."""
    found = dict(inspect.signature(function).parameters)
    if inspect.isclass(function):
        return {n: p for n, p in found.items() if n not in ("name", "output")}
    return found

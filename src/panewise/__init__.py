"""Panewise: many windowed aggregates over one event stream, for little more than one."""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from panewise.public import *  # noqa: F403

__version__ = "0.1.0"

_FUNCTIONS = {"plan"}
"""Public functions that have a folder of the same name. (`panewise.sql` is both at once.)"""


def __getattr__(name: str) -> object:
    """Public names are imported when the first of them is asked for, `__all__` among them."""
    if name.startswith("_") and name != "__all__":
        raise AttributeError(f"module 'panewise' has no attribute {name!r}")
    found = getattr(import_module("panewise.public"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *import_module("panewise.public").__all__})


class _Package(ModuleType):
    """`panewise.plan` is the function, also after the folder of this name was imported."""

    def __setattr__(self, name: str, value: object) -> None:
        if name not in _FUNCTIONS or not isinstance(value, ModuleType):
            super().__setattr__(name, value)

    def __reduce__(self) -> tuple[object, ...]:
        """By its name, as modules are: users' functions travel to workers with what they name."""
        return import_module, (self.__name__,)


sys.modules[__name__].__class__ = _Package

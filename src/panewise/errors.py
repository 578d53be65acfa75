"""Errors: what was given, which rule it breaks, and a hint.

Every refusal of the library is a `PanewiseError`, so one `except` catches them all; each kind is
also the built-in exception that a Python reader would expect.
"""

from __future__ import annotations

import difflib
import sys
import warnings
from collections.abc import Iterable

_SHOWN = 40
"""Letters of a value that a message holds."""


class PanewiseError(Exception):
    """Base of every error the library raises on purpose.

    >>> import panewise as pw
    >>> try:
    ...     pw.tumbling("0 minutes")
    ... except pw.PanewiseError as error:
    ...     print(error.message)
    tumbling: size must be positive: got size=0s.
    """

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        self.message = message
        self.hint = hint
        super().__init__(message if hint is None else f"{message} Hint: {hint}")


class QueryError(PanewiseError, ValueError):
    """A query that breaks a rule, found before any data is read."""


class DurationError(QueryError):
    """A duration that cannot be read, or that the measure cannot carry."""


class SchemaError(PanewiseError, TypeError):
    """A query that does not fit the columns of the data it is run on."""


class FileError(PanewiseError, OSError):
    """A file or folder that cannot be read, or may not be written."""


class BadRowsError(PanewiseError, ValueError):
    """Rows that break a rule, when the query asked to fail on them."""


class ResultOverflow(PanewiseError, OverflowError):
    """A result that its type cannot hold."""


class OperatorError(PanewiseError, RuntimeError):
    """A call that the operator's state does not allow."""


class SnapshotError(PanewiseError, ValueError):
    """Bytes that are no snapshot of this plan's operator."""


class StateError(PanewiseError, RuntimeError):
    """A checkpoint that is not of this query."""


class LawError(PanewiseError, AssertionError):
    """A user-defined aggregate that does not have a property it claims."""


class ResultSizeWarning(UserWarning):
    """A query that may produce more rows than anyone wants to read."""


class JavaNotFound(PanewiseError, RuntimeError):
    """No Java runtime that Spark can use."""


def shown(given: object) -> str:
    """What was given, as a message can hold it.

    >>> shown(10**400)
    '1000000000000000000000000000000000000000...'
    """
    try:
        written = repr(given)
    except ValueError:  # Python writes no integer of more than some thousand digits
        return f"{type(given).__name__} of very many digits"
    return written if len(written) <= _SHOWN else f"{written[:_SHOWN]}..."


def nearest(name: str, known: Iterable[str]) -> str:
    """A hint that names the closest known spelling, or lists what there is.

    >>> nearest("tmp", ["temp", "device"])
    'did you mean "temp"?'
    """
    known = list(known)
    close = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
    if close:
        return f'did you mean "{close[0]}"?'
    return "available: " + ", ".join(f'"{k}"' for k in known)


def warn_caller(message: str, category: type[Warning]) -> None:
    """Warn at the line of the user's that led here, however deep in the library this is."""
    depth, frame = 1, sys._getframe(1)
    while frame.f_back is not None and _is_ours(frame.f_globals.get("__name__", "")):
        depth, frame = depth + 1, frame.f_back
    warnings.warn(message, category, stacklevel=depth + 1)


def _is_ours(module: str) -> bool:
    return module.split(".")[0] == "panewise"

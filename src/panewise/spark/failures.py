"""What Spark says of a failure, as a person reads it: without the stack of two languages."""

from __future__ import annotations

import re
from dataclasses import dataclass

from py4j.protocol import Py4JError, Py4JJavaError
from pyspark.errors import (
    AnalysisException,
    IllegalArgumentException,
    ParseException,
    PySparkException,
)

_ASKED_WRONG = (AnalysisException, IllegalArgumentException, ParseException)
_OURS = re.compile(r"panewise\.errors\.(\w+): (.*?)(?: Hint: (.*))?$", re.MULTILINE)
_CAUSE = re.compile(r"^(?:Caused by: )?([\w.$]+(?:Exception|Error)): (.+)$", re.MULTILINE)
_UNREADABLE = re.compile(r"\[(?:DATA_SOURCE_NOT_FOUND|PATH_NOT_FOUND|FAILED_READ_FILE)[.\w]*\].*")
_STATE = re.compile(r"\s*SQLSTATE: \w+")


@dataclass(frozen=True)
class Failure:
    """What happened, what may help, and whether it lies in what was asked."""

    message: str
    hint: str | None = None
    asked_wrong: bool = False


def told(problem: BaseException) -> Failure:
    """One of our errors, raised in a worker; Spark's own words; or the innermost cause."""
    text = str(problem)
    ours = _OURS.search(text)
    if ours:
        return Failure(ours[2], ours[3], asked_wrong=ours[1] != "ResultOverflow")
    unreadable = _UNREADABLE.search(text)
    if unreadable:
        return Failure(_first_line(unreadable[0]), asked_wrong=True)
    if isinstance(problem, _ASKED_WRONG):
        return Failure(_first_line(text), asked_wrong=True)
    if isinstance(problem, PySparkException):
        return Failure(f"Spark failed: {_cause(text)}")
    if isinstance(problem, Py4JJavaError):
        return Failure(f"Spark failed: {_cause(str(problem.java_exception))}")
    if isinstance(problem, Py4JError):
        return Failure("the connection with Spark was lost.", "look at what Spark logged.")
    return Failure(_first_line(text))


def _cause(text: str) -> str:
    causes = _CAUSE.findall(text)
    return _first_line(causes[-1][1] if causes else text)


def _first_line(text: str) -> str:
    """The first line, without the number that Spark puts behind it."""
    lines = [line.strip() for line in text.strip().splitlines() if line.strip()]
    return _STATE.sub("", lines[0]) if lines else "it said nothing."

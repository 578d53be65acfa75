"""How a command ends: a number for the shell, and for people a line that they can act on."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

import typer

from panewise.errors import JavaNotFound, OperatorError, PanewiseError, ResultOverflow

FAILED = 1
"""The work failed: a full disk, a lost cluster, a result that its type cannot hold."""
BAD_INPUT = 2
"""Something given cannot be used: an option, a query, a file, a column, an output in the way."""
INTERRUPTED = 130
BROKEN_PIPE = 141
TERMINATED = 143
"""128 and the number of the signal, as shells have it."""

TRACE = "PANEWISE_TRACE"
"""Set in the environment, it shows where in the code an error arose, and all that Spark logs."""
_NOT_THE_INPUT = (JavaNotFound, OperatorError, ResultOverflow)


@contextmanager
def reported() -> Iterator[None]:
    """Errors of the block as lines on standard error, and the exit code they stand for."""
    try:
        yield
        sys.stdout.flush()
    except PanewiseError as problem:
        code = FAILED if isinstance(problem, _NOT_THE_INPUT) else BAD_INPUT
        _end(problem, problem.message, problem.hint, code)
    except KeyboardInterrupt:
        typer.echo("interrupted.", err=True)
        raise typer.Exit(INTERRUPTED) from None
    except BrokenPipeError:
        # Whoever read has read enough; the interpreter must not try to flush again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(BROKEN_PIPE) from None
    except MemoryError as problem:
        _end(problem, "there is not enough memory.", "run it on Spark, with --spark.", FAILED)
    except OSError as problem:
        told = problem.strerror or str(problem)
        name = f' "{problem.filename}"' if problem.filename else ""
        _end(problem, f"{told.lower()}{name}.", None, FAILED)
    except Exception as problem:
        if type(problem).__module__.split(".")[0] in ("typer", "click"):
            raise
        _end(problem, *_elsewhere(problem))


def _elsewhere(problem: Exception) -> tuple[str, str | None, int]:
    """What Spark says, and what nobody foresaw."""
    if type(problem).__module__.split(".")[0] in ("pyspark", "py4j"):
        from panewise.spark.failures import told

        failure = told(problem)
        if failure.asked_wrong:
            return failure.message, failure.hint, BAD_INPUT
        return failure.message, failure.hint or f"set {TRACE}=1 to see all that Spark says.", FAILED
    first = (str(problem) or type(problem).__name__).splitlines()[0]
    return f"{type(problem).__name__}: {first}", f"set {TRACE}=1 to see where.", FAILED


def _end(problem: BaseException, message: str, hint: str | None, code: int) -> NoReturn:
    if os.environ.get(TRACE):
        traceback.print_exception(problem)
    typer.secho("error: ", fg="red", bold=True, nl=False, err=True)
    typer.echo(message, err=True)
    if hint:
        typer.secho(" hint: ", fg="cyan", bold=True, nl=False, err=True)
        typer.echo(hint, err=True)
    raise typer.Exit(code) from None

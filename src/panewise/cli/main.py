"""The command `panewise`."""

from __future__ import annotations

import signal
import sys
from typing import Any, NoReturn

from panewise.cli.app import app
from panewise.cli.exits import TERMINATED


def main() -> None:
    """Run the command that `sys.argv` names, and exit with its code."""
    signal.signal(signal.SIGTERM, _terminated)
    app(prog_name="panewise")


def _terminated(number: int, frame: Any) -> NoReturn:
    """Leave by an exception, so that what is half written is removed."""
    sys.exit(TERMINATED)

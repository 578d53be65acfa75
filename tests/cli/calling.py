"""Calling the command as users do."""

import subprocess
import sys
from pathlib import Path
from typing import Any

from typer.testing import CliRunner, Result

from panewise.cli.app import app

QUERY = """
SELECT device, window_id, window_start, window_end, COUNT(*) AS n, MAX(temp) AS highest
FROM readings TIMESTAMP BY ts
GROUP BY device, WINDOWS(TUMBLING(minute, 20), HOPPING(minute, 60, 30))
"""
CSV = """ts,device,temp
2024-05-01 08:00:10,a,20.5
2024-05-01 08:07:00,a,21.5
2024-05-01 08:21:00,a,19.0
2024-05-01 08:02:00,b,30.0
"""
ANSWER = [
    ("tumbling(20m)", "a", 8, 0, 2, 21.5),
    ("tumbling(20m)", "a", 8, 20, 1, 19.0),
    ("tumbling(20m)", "b", 8, 0, 1, 30.0),
    ("sliding(1h, 30m)", "a", 7, 30, 3, 21.5),
    ("sliding(1h, 30m)", "a", 8, 0, 3, 21.5),
    ("sliding(1h, 30m)", "b", 7, 30, 1, 30.0),
    ("sliding(1h, 30m)", "b", 8, 0, 1, 30.0),
]
"""window_id, device, hour and minute of the start, n, highest."""


def panewise(*args: object, given: str | bytes | None = None) -> Result:
    """The command in this process."""
    return CliRunner().invoke(app, [str(arg) for arg in args], input=given)


def process(*args: object, **options: Any) -> subprocess.Popen[bytes]:
    """The command as a process of its own."""
    command = [sys.executable, "-m", "panewise", *map(str, args)]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, **options)


def told(rows: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    """Rows of the query above, as `ANSWER` has them."""
    found = [
        (r["window_id"], r["device"], *_clock(r["window_start"]), int(r["n"]), float(r["highest"]))
        for r in rows
    ]
    return sorted(found, key=lambda row: [row[0] != "tumbling(20m)", *row[1:]])


def _clock(moment: Any) -> tuple[int, int]:
    if hasattr(moment, "hour"):
        return moment.hour, moment.minute
    hour, minute = moment.replace("T", " ").split(" ")[1].split(":")[:2]
    return int(hour), int(minute)


def nothing_left(folder: Path) -> bool:
    """Whether no hidden, half written output is in a folder."""
    return not [path for path in folder.iterdir() if path.name.startswith(".")]

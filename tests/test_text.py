"""Tracked text names no machine's own paths and no package registry."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

# Written so that it does not match itself.
PRIVATE = re.compile(
    r"(?<![\w.])/(?:root|work|tmp|home|Users)/\w|python[h]osted|pypi\.org|index[-]url"
)


def tracked() -> list[Path]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode:
        pytest.skip("not a git checkout")
    return [ROOT / name for name in listed.stdout.split("\0") if name]


def test_no_private_paths_or_hosts() -> None:
    found = []
    for path in tracked():
        try:
            lines = path.read_text().splitlines()
        except (UnicodeDecodeError, FileNotFoundError):  # a picture, or deleted and not yet staged
            continue
        found += [
            f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
            for number, line in enumerate(lines, 1)
            if PRIVATE.search(line)
        ]
    assert not found, "\n".join(found)

"""The command among others: pipes that break, and signals."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.calling import nothing_left, process

pytestmark = pytest.mark.usefixtures("here")


def test_a_broken_pipe_is_no_error_to_read() -> None:
    running = process("generate", "--rows", 300_000)
    assert running.stdout is not None and running.stderr is not None
    running.stdout.readline()
    running.stdout.close()
    assert running.wait() == 141 and running.stderr.read() == b""


@pytest.mark.parametrize(
    ("sent", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)], ids=["Ctrl-C", "kill"]
)
def test_a_signal_leaves_no_half_output(sent: signal.Signals, code: int) -> None:
    slow = (
        "import time, panewise.cli.results as r\n"
        "def write(table, where, kind):\n"
        "    where.write_text('half'); print('writing', flush=True); time.sleep(60)\n"
        "r.write = write\n"
    )
    Path("slow.py").write_text(slow + "from panewise.cli.main import main\nmain()\n")
    command = [sys.executable, "slow.py", "run", "query.sql", "-i", "readings.csv", "-o", "out/"]
    running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert running.stdout is not None and running.stderr is not None
    assert running.stdout.readline() == b"writing\n"
    assert not Path("out").exists() and not nothing_left(Path())
    running.send_signal(sent)
    assert running.wait() == code
    assert b"Traceback" not in running.stderr.read()
    assert not Path("out").exists() and nothing_left(Path())


def test_the_package_is_a_command() -> None:
    running = process("run", "query.sql", "-i", "-", "-t", "json")
    out, errors = running.communicate(Path("readings.csv").read_bytes())
    assert running.returncode == 0, errors
    assert out.count(b"\n") == 7 and errors == b""

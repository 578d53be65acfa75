"""A folder with a query and events, in which commands are run."""

from pathlib import Path

import pyarrow.csv
import pyarrow.parquet as pq
import pytest

from tests.cli.calling import CSV, QUERY


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("query.sql").write_text(QUERY)
    Path("readings.csv").write_text(CSV)
    pq.write_table(pyarrow.csv.read_csv("readings.csv"), "readings.parquet")
    lines = [
        f'{{"ts": "{t}", "device": "{d}", "temp": {x}}}'
        for t, d, x in (line.split(",") for line in CSV.splitlines()[1:])
    ]
    Path("readings.jsonl").write_text("\n".join(lines) + "\n")
    return tmp_path

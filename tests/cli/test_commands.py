"""generate, check, explain, plot, bench and demo."""

import json
from pathlib import Path

import pyarrow.csv
import pyarrow.parquet as pq
import pytest

from tests.cli.calling import panewise

pytestmark = pytest.mark.usefixtures("here")

TWO = """
SELECT MAX(temp) AS m FROM readings TIMESTAMP BY ts GROUP BY TUMBLING(hour, 1);
SELECT COUNT(*) AS n FROM readings TIMESTAMP BY ts GROUP BY TUMBLING(hour, 2)
"""


@pytest.mark.parametrize("name", ["made.parquet", "made.csv", "made.jsonl"])
def test_generated_readings_can_be_run(name: str) -> None:
    assert (
        panewise("generate", "--rows", 500, "--keys", 3, "--late", 0.1, "-o", name).exit_code == 0
    )
    done = panewise("run", "query.sql", "-i", name, "-o", "out.parquet")
    assert done.exit_code == 0, done.stderr
    rows = pq.read_table("out.parquet").to_pylist()
    assert sum(r["n"] for r in rows if r["window_id"] == "tumbling(20m)") == 500


def test_generated_calls_can_be_run() -> None:
    assert panewise("generate", "calls", "--rows", 200, "-o", "calls.parquet").exit_code == 0
    query = """SELECT window_start, CONCURRENT() AS c FROM calls TIMESTAMP BY (began, ended)
        GROUP BY TUMBLING(minute, 5)"""
    done = panewise("run", "-e", query, "-i", "calls.parquet", "-t", "csv")
    assert done.exit_code == 0, done.stderr
    assert done.stdout.splitlines()[0] == '"window_start","c_highest","c_mean"'


def test_a_seed_makes_the_same_events() -> None:
    first, second = (panewise("generate", "--rows", 20, "--seed", 5).stdout for _ in "12")
    assert first == second != panewise("generate", "--rows", 20, "--seed", 6).stdout


def test_check_says_what_it_understood() -> None:
    done = panewise("check", "query.sql")
    assert done.stdout == "ok: tumbling(20m), sliding(1h, 30m) over readings by device\n"


def test_explain_as_text_and_json() -> None:
    assert panewise("explain", "query.sql").stdout.startswith("Plan over ts by device")
    assert json.loads(panewise("explain", "query.sql", "--json").stdout)["trees"]


def test_statements_that_share_are_explained_as_one() -> None:
    assert panewise("explain", "-e", TWO).stdout.count("Plan over") == 1
    apart = panewise(
        "explain", "-e", TWO.replace("COUNT(*) AS n FROM r", "COUNT(*) AS n FROM other_r")
    )
    assert "-- statement 1\n" in apart.stdout and "-- statement 2\n" in apart.stdout
    assert panewise("check", "-e", TWO).stdout.count("ok: ") == 2


def test_explain_draws() -> None:
    assert panewise("explain", "query.sql", "--svg", "plan.svg").exit_code == 0
    assert Path("plan.svg").read_text().startswith("<svg")
    assert panewise("explain", "query.sql", "--svg", "plan.svg").exit_code == 2


@pytest.mark.parametrize("name", ["picture.png", "picture.svg"])
@pytest.mark.parametrize("results", ["out/", "out.csv"])
def test_plot(name: str, results: str) -> None:
    assert panewise("run", "query.sql", "-i", "readings.csv", "-o", results).exit_code == 0
    done = panewise("plot", results, "-c", "highest", "-w", "device=a", "-o", name)
    assert done.exit_code == 0, done.stderr
    begins = {"picture.png": b"\x89PNG", "picture.svg": b"<?xml"}[name]
    assert Path(name).read_bytes().startswith(begins)


def test_bench_of_made_readings() -> None:
    done = panewise("bench", "--rows", 2000, "--keys", 3, "--repeat", 1, "--json")
    assert done.exit_code == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["windows"] == 20 and len(found["seconds"]) == 2 and found["ratio"] > 0


def test_bench_of_a_query() -> None:
    done = panewise("bench", "query.sql", "-i", "readings.csv", "--repeat", 1)
    assert "2 windows, best of 1 runs, equal rows on both sides" in done.stdout


def test_demo() -> None:
    done = panewise("demo", "--rows", 5000, "--output", "demo")
    assert done.exit_code == 0, done.stderr
    assert "5,000 readings in" in done.stdout and "times as fast" in done.stdout
    names = sorted(path.name for path in Path("demo").iterdir())
    assert names == ["device.png", "readings.parquet", "windows.parquet"]
    assert panewise("demo", "--rows", 5000, "--output", "demo").exit_code == 2
    assert panewise("demo", "--rows", 5000, "--output", "demo", "--overwrite").exit_code == 0


def test_csv_that_is_written_is_read() -> None:
    assert panewise("run", "query.sql", "-i", "readings.csv", "-o", "out.csv").exit_code == 0
    names = pyarrow.csv.read_csv("out.csv").column_names
    assert names == ["device", "window_id", "window_start", "window_end", "n", "highest"]

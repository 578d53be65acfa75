"""`panewise run` in process: any input to any output gives the same rows."""

import csv
import json
from pathlib import Path

import pyarrow.dataset as ds
import pytest

from tests.cli.calling import ANSWER, CSV, nothing_left, panewise, told

pytestmark = pytest.mark.usefixtures("here")


@pytest.mark.parametrize("input", ["readings.csv", "readings.parquet", "readings.jsonl"])
def test_a_file_of_any_format(input: str) -> None:
    done = panewise("run", "query.sql", "--input", input, "--to", "json")
    assert done.exit_code == 0, done.stderr
    assert told([json.loads(line) for line in done.stdout.splitlines()]) == ANSWER


@pytest.mark.parametrize("format", ["csv", "json", "parquet"])
def test_a_folder_of_any_format(format: str) -> None:
    done = panewise("run", "query.sql", "-i", "readings.csv", "-o", "out/", "-t", format)
    assert done.exit_code == 0, done.stderr
    rows = ds.dataset("out", format=format).to_table().to_pylist()
    assert told(rows) == ANSWER and nothing_left(Path())


@pytest.mark.parametrize("name", ["out.csv", "out.parquet", "out.jsonl"])
def test_a_name_with_an_ending_is_one_file(name: str) -> None:
    assert panewise("run", "query.sql", "-i", "readings.csv", "-o", name).exit_code == 0
    format = {".jsonl": "json"}.get(Path(name).suffix, Path(name).suffix[1:])
    assert told(ds.dataset(name, format=format).to_table().to_pylist()) == ANSWER


def test_standard_input_and_output_are_csv() -> None:
    done = panewise("run", "query.sql", "-i", "-", given=CSV)
    assert done.exit_code == 0, done.stderr
    assert told(list(csv.DictReader(done.stdout.splitlines()))) == ANSWER


def test_standard_input_as_json_lines() -> None:
    lines = Path("readings.jsonl").read_text()
    done = panewise("run", "query.sql", "-i", "-", "-f", "json", given=lines)
    assert told(list(csv.DictReader(done.stdout.splitlines()))) == ANSWER


def test_the_query_may_be_an_option_or_standard_input() -> None:
    text = Path("query.sql").read_text()
    option = panewise("run", "--query", text, "-i", "readings.csv")
    given = panewise("run", "-", "-i", "readings.csv", given=text)
    assert option.exit_code == given.exit_code == 0 and option.stdout == given.stdout


def test_a_folder_of_files_is_one_input() -> None:
    header, *rows = CSV.splitlines()
    Path("in/old").mkdir(parents=True)
    Path("in/a.csv").write_text("\n".join([header, *rows[:2]]))
    Path("in/old/b.csv").write_text("\n".join([header, *rows[2:]]))
    Path("in/_SUCCESS").write_text("")
    done = panewise("run", "query.sql", "-i", "in", "-t", "json")
    assert told([json.loads(line) for line in done.stdout.splitlines()]) == ANSWER


def test_several_statements_have_a_folder_each() -> None:
    one = "SELECT MAX(temp) AS m FROM readings TIMESTAMP BY ts GROUP BY TUMBLING(hour, 1)"
    two = "SELECT COUNT(*) AS n FROM readings TIMESTAMP BY ts GROUP BY TUMBLING(hour, 2)"
    done = panewise("run", "-e", f"{one}; {two}", "-i", "readings.csv", "-o", "out")
    assert done.exit_code == 0, done.stderr
    assert ds.dataset("out/1").to_table().to_pylist() == [{"m": 30.0}]
    assert ds.dataset("out/2").to_table().to_pylist() == [{"n": 4}]


def test_tables_are_named_where_there_are_several() -> None:
    Path("calls.csv").write_text("began,ended\n1,5\n3,9\n")
    calls = "SELECT COUNT(*) AS n FROM calls TIMESTAMP BY (began, ended) GROUP BY TUMBLING(10)"
    readings = "SELECT COUNT(*) AS n FROM readings TIMESTAMP BY ts GROUP BY TUMBLING(hour, 1)"
    given = ["-i", "calls=calls.csv", "-i", "readings=readings.parquet"]
    done = panewise("run", "-e", f"{calls}; {readings}", *given, "-o", "out")
    assert done.exit_code == 0, done.stderr
    assert ds.dataset("out/1").to_table().to_pylist() == [{"n": 2}]
    assert ds.dataset("out/2").to_table().to_pylist() == [{"n": 4}]


def test_a_schema_says_the_types() -> None:
    query = "SELECT SUM(temp) AS s FROM readings TIMESTAMP BY ts GROUP BY TUMBLING(day, 1)"
    schema = "ts TIMESTAMP_NTZ, device STRING, temp DECIMAL(6, 2)"
    for input in ("readings.csv", "readings.jsonl"):
        done = panewise("run", "-e", query, "-i", input, "--schema", schema, "-t", "json")
        assert done.exit_code == 0, done.stderr
        assert json.loads(done.stdout) == {"s": "91.00"}


def test_csv_holds_what_is_nested_as_text() -> None:
    query = """SELECT window, COLLECT(temp) AS all_of_them FROM readings TIMESTAMP BY ts
        WHERE device = 'a' GROUP BY TUMBLING(hour, 1)"""
    done = panewise("run", "-e", query, "-i", "readings.csv", "-t", "csv")
    (row,) = csv.DictReader(done.stdout.splitlines())
    assert row["window_start"].startswith("2024-05-01 08:00:00")
    assert json.loads(row["all_of_them"]) == [20.5, 21.5, 19.0]


def test_an_output_is_kept_unless_it_may_be_replaced() -> None:
    command = ["run", "query.sql", "-i", "readings.csv", "-o", "out"]
    assert panewise(*command).exit_code == 0
    again = panewise(*command)
    assert again.exit_code == 2 and "--overwrite" in again.stderr
    assert panewise(*command, "--overwrite").exit_code == 0
    assert nothing_left(Path())

"""What is wrong is said in a line that a person can act on; nothing is written, nothing is lost."""

from pathlib import Path

import pytest

from tests.cli.calling import nothing_left, panewise

pytestmark = pytest.mark.usefixtures("here")

RUN = ["run", "query.sql", "-o", "out"]
GIVEN = ["-i", "readings.csv"]
TWO = "SELECT COUNT(*) AS n FROM a TIMESTAMP BY t GROUP BY TUMBLING(5)"


def broken(name: str, text: str | bytes) -> list[str]:
    Path(name).write_bytes(text.encode() if isinstance(text, str) else text)
    return ["-i", name]


CASES = {
    "no input": (lambda: RUN, "there is no --input"),
    "no file": (lambda: [*RUN, "-i", "nothere.csv"], 'no file or folder "nothere.csv"'),
    "no query": (lambda: ["run", *GIVEN], "a query is a file or --query: got neither"),
    "two queries": (lambda: ["run", "query.sql", "-e", "x", *GIVEN], "got both"),
    "no query file": (lambda: ["run", "no.sql", *GIVEN], 'the query "no.sql" cannot be read'),
    "query of bytes": (lambda: ["run", *broken("q.bin", b"\xff\xfe\x00")[1:], *GIVEN], "not text"),
    "query is a folder": (lambda: ["run", ".", *GIVEN], "cannot be read"),
    "empty query": (lambda: ["run", "-e", " ", *GIVEN], "got none"),
    "broken query": (lambda: ["run", "-e", "SELECT (", *GIVEN], "^"),
    "wrong column": (
        lambda: ["run", "-e", TWO.replace("COUNT(*)", "MAX(tmp)").replace("BY t", "BY ts"), *GIVEN],
        'did you mean "temp"?',
    ),
    "wrong time": (lambda: ["run", "-e", TWO.replace("BY t", "BY device"), *GIVEN], "device"),
    "not parquet": (lambda: [*RUN, *broken("x.parquet", "no")], "is not parquet"),
    "cut parquet": (
        lambda: [*RUN, *broken("x.parquet", Path("readings.parquet").read_bytes()[:-40])],
        "x.parquet",
    ),
    "damaged parquet": (
        lambda: [
            *RUN,
            *broken("x.parquet", b"PAR1" + b"\0" * 90 + Path("readings.parquet").read_bytes()[94:]),
        ],
        "error:",
    ),
    "empty parquet": (lambda: [*RUN, *broken("x.parquet", "")], "is not parquet"),
    "empty csv": (lambda: [*RUN, *broken("x.csv", "")], "cannot be read as csv"),
    "empty json": (lambda: [*RUN, *broken("x.jsonl", "")], "cannot be read as json"),
    "torn csv": (lambda: [*RUN, *broken("x.csv", "ts,temp\n1,2\n3\n")], "Expected 2 columns"),
    "torn json": (lambda: [*RUN, *broken("x.jsonl", '{"ts": 1}\n{"ts": ')], "cannot be read"),
    "json in a list": (lambda: [*RUN, *broken("x.json", '[{"ts": 1}]')], "one object a line"),
    "bytes as csv": (lambda: [*RUN, *broken("x.csv", b"ts,temp\n\xff\xfe,1\n")], "error:"),
    "times that are none": (
        lambda: [*RUN, *broken("x.csv", "ts,device,temp\nnow,a,1\n")],
        "not all of it are moments",
    ),
    "empty folder": (lambda: [*RUN, "-i", str(folder("e"))], "is not known by its name"),
    "mixed folder": (lambda: [*RUN[:2], "-i", "."], "several formats"),
    "folder of another format": (
        lambda: [*RUN, "-i", str(folder("e")), "-f", "csv"],
        "holds no csv files",
    ),
    "unknown ending": (lambda: [*RUN, *broken("x.dat", "1")], "say it with --format"),
    "unknown schema": (lambda: [*RUN, *GIVEN, "--schema", "ts WHEN"], "no Arrow type"),
    "unreadable schema": (lambda: [*RUN, *GIVEN, "--schema", "ts"], "lists columns"),
    "a column that the file lacks": (
        lambda: [*RUN, *GIVEN, "--schema", "ts TIMESTAMP, x INT"],
        "x",
    ),
    "parquet on standard output": (
        lambda: ["run", "query.sql", *GIVEN, "-t", "parquet"],
        "csv, or json lines",
    ),
    "compressed output": (lambda: ["run", "query.sql", *GIVEN, "-o", "x.csv.gz"], "leave .gz"),
    "two answers on standard output": (
        lambda: ["run", "-e", f"{TWO}; {TWO}", "-i", "a=readings.csv"],
        "one statement",
    ),
    "an input for no table": (lambda: [*RUN, "-i", "reading=readings.csv"], "did you mean"),
    "two inputs": (lambda: [*RUN, *GIVEN, *GIVEN], "each table has one input"),
    "output in the input": (
        lambda: ["run", "query.sql", "-i", str(folder("e", "a.csv")), "-o", "e/out"],
        "lies in the input",
    ),
    "output is the input": (
        lambda: ["run", "query.sql", *GIVEN, "-o", "readings.csv", "--overwrite"],
        "lies in the input",
    ),
    "input in the output": (
        lambda: ["run", "query.sql", "-i", "../" + Path.cwd().name + "/readings.csv", "-o", "."],
        "lies in the output",
    ),
    "output is there": (lambda: [*RUN[:-1], str(folder("e")), *GIVEN], "is there already"),
    "output below a file": (lambda: [*RUN[:-1], "query.sql/x", *GIVEN], "can be made"),
    "checkpoint without a stream": (lambda: [*RUN, *GIVEN, "--checkpoint", "c"], "give --stream"),
    "a stream without a delay": (lambda: [*RUN, *GIVEN, "--stream"], "needs --delay"),
    "a stream without a checkpoint": (
        lambda: [*RUN, *GIVEN, "--stream", "--delay", "1 s"],
        "needs --checkpoint",
    ),
    "a trigger that is none": (
        lambda: [*RUN, *GIVEN, "--stream", "--checkpoint", "c", "--trigger", "often"],
        "often",
    ),
    "an option without a value": (lambda: [*RUN, *GIVEN, "--option", "header"], "name=value"),
    "unknown strategy": (lambda: [*RUN, *GIVEN, "--strategy", "best"], "best"),
    "unknown option": (lambda: [*RUN, *GIVEN, "--ouput", "x"], "--ouput"),
    "unknown command": (lambda: ["rnu"], "rnu"),
    "picture of another kind": (lambda: ["plot", "readings.csv", "-o", "x.gif"], ".png"),
    "picture of no results": (lambda: ["plot", "readings.csv"], "error:"),
    "picture of nothing": (lambda: ["plot", "nothere"], "no file or folder"),
    "rows of no column": (lambda: ["plot", "readings.csv", "-w", "devise=a"], '"device"'),
    "a share above one": (lambda: ["generate", "--late", "2"], "from 0 to 1"),
    "no rows": (lambda: ["generate", "--rows", "0"], "at least 1"),
    "unknown shape": (lambda: ["generate", "clicks"], "clicks"),
    "generated over a file": (lambda: ["generate", "-o", "readings.csv"], "is there already"),
    "generated without a format": (lambda: ["generate", "-o", "x"], "not known by its name"),
    "bench of two statements": (
        lambda: ["bench", "-e", f"{TWO}; {TWO}", *GIVEN],
        "one statement",
    ),
}


def folder(name: str, file: str | None = None) -> Path:
    Path(name).mkdir()
    if file:
        Path(name, file).write_bytes(Path("readings.csv").read_bytes())
    return Path(name)


@pytest.mark.parametrize("case", CASES)
def test_it_says_what_is_wrong(case: str) -> None:
    command, said = CASES[case]
    arguments = command()
    before = sorted(path.name for path in Path().rglob("*"))
    done = panewise(*arguments)
    assert done.exit_code == 2, (done.exit_code, done.stderr, done.exception)
    assert said in done.stderr, done.stderr
    assert "Traceback" not in done.stderr and not done.stdout
    assert sorted(path.name for path in Path().rglob("*")) == before and nothing_left(Path())


@pytest.mark.parametrize("command", ["check", "explain"])
@pytest.mark.parametrize("text", ["SELECT", "SELECT x FROM t", "SELECT 1; DROP TABLE t", "((("])
def test_queries_are_refused_alike(command: str, text: str) -> None:
    done = panewise(command, "-e", text)
    assert done.exit_code == 2 and done.stderr.startswith("error: ")


def test_check_looks_for_columns() -> None:
    for known in (["-i", "readings.csv"], ["-i", "readings.parquet"], ["-i", "readings.jsonl"]):
        assert panewise("check", "query.sql", *known).exit_code == 0
    assert panewise("check", "query.sql", "--schema", "ts TIMESTAMP").exit_code == 2


def test_an_error_that_nobody_foresaw_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError("deep inside")

    monkeypatch.setattr("panewise.samples.readings", fail)
    done = panewise("generate")
    assert done.exit_code == 1
    assert "ZeroDivisionError: deep inside" in done.stderr and "Traceback" not in done.stderr
    assert "PANEWISE_TRACE=1" in done.stderr
    monkeypatch.setenv("PANEWISE_TRACE", "1")
    assert "Traceback" in panewise("generate").stderr


@pytest.mark.parametrize(
    ("problem", "said"),
    [(OSError(28, "No space left on device"), "no space left"), (MemoryError(), "memory")],
)
def test_a_failing_machine(
    monkeypatch: pytest.MonkeyPatch, problem: BaseException, said: str
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise problem

    monkeypatch.setattr("panewise.cli.tables.write", fail)
    done = panewise("run", "query.sql", *GIVEN, "-o", "out.csv")
    assert done.exit_code == 1 and said in done.stderr
    assert not Path("out.csv").exists() and nothing_left(Path())

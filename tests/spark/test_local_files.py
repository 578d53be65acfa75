"""Files of a local session: the same as Hadoop writes them, without a program for each."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from panewise.spark.local_files import NAME

MODES = (0o644, 0o600, 0o755, 0o777, 0o1777, 0o000)


@pytest.fixture
def ours(spark: SparkSession) -> Any:
    return _systems(spark).get(*_root(spark))


@pytest.fixture
def hadoops(spark: SparkSession) -> Any:
    """What would be there otherwise."""
    return _systems(spark).newInstance(*_root(spark))


def _systems(spark: SparkSession) -> Any:
    return spark.sparkContext._jvm.org.apache.hadoop.fs.FileSystem  # type: ignore[union-attr]


def _root(spark: SparkSession) -> tuple[Any, Any]:
    jvm: Any = spark.sparkContext._jvm
    return jvm.java.net.URI("file:///"), spark.sparkContext._jsc.hadoopConfiguration()


def test_it_is_the_one_that_everyone_gets(ours: Any, hadoops: Any) -> None:
    assert ours.getClass().getName() == NAME
    assert ours.getClass().getSuperclass().equals(hadoops.getClass())


def test_files_have_the_modes_of_hadoops(
    spark: SparkSession, ours: Any, hadoops: Any, tmp_path: Path
) -> None:
    jvm: Any = spark.sparkContext._jvm
    hadoop = jvm.org.apache.hadoop.fs
    for name, files in (("ours", ours), ("hadoops", hadoops)):
        root = f"file://{tmp_path}/{name}"
        files.create(hadoop.Path(f"{root}/new folder/new")).close()
        for mode in MODES:
            given = hadoop.permission.FsPermission(mode)
            files.create(hadoop.Path(f"{root}/files/{mode:o}")).close()
            files.setPermission(hadoop.Path(f"{root}/files/{mode:o}"), given)
            files.mkdirs(hadoop.Path(f"{root}/folders/{mode:o}"), given)
    assert _modes(tmp_path / "ours") == _modes(tmp_path / "hadoops")
    assert len(_modes(tmp_path / "ours")) == 5 + 3 * len(MODES)


def _modes(folder: Path) -> dict[str, int]:
    return {str(p.relative_to(folder)): p.lstat().st_mode for p in folder.rglob("*")}


@pytest.mark.skipif(sys.platform != "linux", reason="asks /proc")
def test_no_program_is_started(
    spark: SparkSession, ours: Any, hadoops: Any, tmp_path: Path
) -> None:
    jvm: Any = spark.sparkContext._jvm

    def started(files: Any, name: str) -> bool:
        """Whether children of the JVM had pages of their own meanwhile."""
        before = _pages_of_children(jvm.java.lang.ProcessHandle.current().pid())
        files.create(jvm.org.apache.hadoop.fs.Path(f"file://{tmp_path}/{name}")).close()
        return _pages_of_children(jvm.java.lang.ProcessHandle.current().pid()) > before

    assert started(hadoops, "with")
    assert not started(ours, "without")


def _pages_of_children(pid: int) -> int:
    stat = Path(f"/proc/{pid}/stat").read_text()
    return int(stat.rpartition(")")[2].split()[8])


def test_a_name_that_is_taken_stays_whose_it_was(
    spark: SparkSession, ours: Any, hadoops: Any, tmp_path: Path
) -> None:
    jvm: Any = spark.sparkContext._jvm

    def renamed(files: Any, folder: Path) -> tuple[bool, dict[str, str]]:
        folder.mkdir()
        for name in ("one", "other"):
            (folder / name).write_text(name)
        paths = (jvm.org.apache.hadoop.fs.Path(f"file://{folder}/{p}") for p in ("one", "other"))
        said = files.rename(*paths)
        return said, {path.name: path.read_text() for path in folder.iterdir()}

    assert renamed(ours, tmp_path / "ours") == renamed(hadoops, tmp_path / "hadoops")


CHOSEN = """
import json
from panewise.spark import local_files
from panewise.spark.session import session

java = local_files._JAVA
local_files._JAVA = "no Java at all"
spark = session("local[1]", spark_driver_memory="1g")
jvm = spark.sparkContext._jvm
settings = spark.sparkContext._jsc.hadoopConfiguration()


def now():
    files = jvm.org.apache.hadoop.fs.FileSystem.get(jvm.java.net.URI("file:///"), settings)
    return files.getClass().getName()


found = [now()]
local_files._JAVA = java
settings.set("fs.file.impl", "org.apache.hadoop.fs.LocalFileSystem")
local_files.write_without_programs(spark)
found.append(now())
settings.unset("fs.file.impl")
local_files.write_without_programs(spark)
found.append(now())
local_files.write_without_programs(spark)
found.append(now())
print(json.dumps(found))
"""


def test_only_where_it_can_be_done_and_nobody_chose() -> None:
    done = subprocess.run(
        [sys.executable, "-c", CHOSEN], capture_output=True, text=True, check=True
    )
    broken, chosen, ours, again = json.loads(done.stdout.splitlines()[-1])
    assert broken == chosen != NAME
    assert ours == again == NAME

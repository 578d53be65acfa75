"""Files of the machine that a local session runs on, written without starting programs.

Idea: where Hadoop's native library is missing, as it is beside a Spark from the package index,
Hadoop starts `chmod` for every file that it writes, and another for the checksums beside it.  A
micro-batch writes five files, and those ten programs take longer than computing many windows.
Java has the same call for the mode of a file.  Spark brings a compiler, which builds a file system
that uses it; it is put where Hadoop keeps the one that it gives to everyone who asks.
Invariant: in all else files are those of the file system that would have been there, which ours
extends; one that the user chose is left alone, and so are machines where it cannot be done.
"""

from __future__ import annotations

from typing import Any

from py4j.protocol import Py4JError
from pyspark.sql import SparkSession

NAME = "panewise.LocalFiles"
CHOSEN = "fs.file.impl"
"""Hadoop's setting for the class of local files."""
_RAW = "org.apache.hadoop.fs.RawLocalFileSystem"
_JAVA = """
package panewise;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.permission.FsPermission;

public class LocalFiles extends {extended} {{
    public LocalFiles() {{
        fs = new Raw();
    }}

    public static class Raw extends RawLocalFileSystem {{
        public void setPermission(Path path, FsPermission mode) throws IOException {{
            if (mode.getStickyBit()) {{
                super.setPermission(path, mode);  // Java has no word for it
            }} else {{
                Files.setPosixFilePermissions(
                    pathToFile(path).toPath(), PosixFilePermissions.fromString(mode.toString()));
            }}
        }}
    }}
}}
"""


def write_without_programs(spark: SparkSession) -> None:
    """Have this JVM's local files get their modes by a call."""
    jvm: Any = spark.sparkContext._jvm
    given = spark.sparkContext._jsc.hadoopConfiguration()
    settings = jvm.org.apache.hadoop.conf.Configuration(given)
    if settings.get(CHOSEN) is not None or not _starts_programs(jvm):
        return
    systems, root = jvm.org.apache.hadoop.fs.FileSystem, jvm.java.net.URI("file:///")
    before = systems.get(root, settings)
    try:
        if before.getRaw().getClass().getName() != _RAW:  # ours already, or someone else's
            return
        compiler = jvm.org.codehaus.janino.SimpleCompiler()
        compiler.cook(_JAVA.format(extended=before.getClass().getName()))
        settings.setClassLoader(compiler.getClassLoader())
        settings.set(CHOSEN, NAME)
        systems.newInstance(root, settings).close()  # it works
    except Py4JError:
        return
    before.close()  # which takes it out of Hadoop's cache
    systems.get(root, settings)


def _starts_programs(jvm: Any) -> bool:
    """Whether Hadoop cannot change modes itself, and Java can."""
    views = jvm.java.nio.file.FileSystems.getDefault().supportedFileAttributeViews()
    return not jvm.org.apache.hadoop.io.nativeio.NativeIO.isAvailable() and views.contains("posix")

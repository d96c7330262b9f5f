"""The Iceberg runtime jar: an existing one, or one downloaded once with the Ivy that pyspark ships.

Search order: the file named by SPARK_ICEBERG_SQL_JAR; `jars/` of a source checkout; the cache, which is
SPARK_ICEBERG_SQL_CACHE, or `spark-iceberg-sql` in XDG_CACHE_HOME or ~/.cache.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from contextlib import AbstractContextManager, nullcontext
from importlib.util import find_spec
from pathlib import Path

from spark_iceberg_sql.errors import JarError, JavaError
from spark_iceberg_sql.files.user_cache import CACHE_VARIABLE, cache_directory
from spark_iceberg_sql.spark.versions import JAVA, Runtime, checkout_jars

JAR_VARIABLE = "SPARK_ICEBERG_SQL_JAR"
_FETCH_SECONDS = 600


def java(supported: tuple[int, ...] = JAVA) -> str:
    """The `java` that Spark will start: that of JAVA_HOME, or else the first on PATH.

    supported: the versions that Spark and Iceberg's runtime run on. Raises JavaError if there is none of these.
    """
    version_names = " or ".join(map(str, supported))
    home = os.environ.get("JAVA_HOME")
    executable = shutil.which("java", path=os.path.join(home, "bin") if home else None)
    if executable is None:
        where = f"in JAVA_HOME={home}" if home else "on PATH"
        raise JavaError(f"no Java {where}: install a Java runtime {version_names} and set JAVA_HOME to it")
    version = java_version(executable)
    if version is None or int(re.split(r"\D", version)[0]) not in supported:
        version_fact = "of an unreadable version" if version is None else f"version {version}"
        raise JavaError(
            f"{executable} is {version_fact}: Spark with Iceberg needs Java {version_names}; set JAVA_HOME to one"
        )
    return executable


def java_version(executable: str) -> str | None:
    """The version that a `java` states, such as `17.0.12`; None if it states none that begins with a number."""
    output = subprocess.run([executable, "-version"], capture_output=True, text=True, check=False).stderr
    match = re.search(r'version "(\d[^"]*)"', output)
    return match[1] if match else None


def runtime_jar(runtime: Runtime, ivy_settings: str | None = None) -> Path:
    """The runtime jar on this machine; downloaded first if it is missing.

    Any number of processes may call this at the same time. ivy_settings: an Ivy settings file, for a mirror.

    Raises JarError if it cannot be downloaded, JavaError if Java is missing.
    """
    if (jar := users_jar()) is not None:
        return jar
    cached = cache_directory() / runtime.filename
    for jar in (checkout_jars() / runtime.filename, cached):
        if _is_pinned(jar, runtime):
            return jar
    try:
        cached.parent.mkdir(parents=True, exist_ok=True)
        with _lock(cached):
            # Another process may have fetched it in the meantime.
            if not _is_pinned(cached, runtime):
                _fetch(runtime, cached, ivy_settings)
    except OSError as error:
        raise JarError(
            f"cannot keep the Iceberg runtime in {cached.parent} ({error.strerror}): "
            f"set {CACHE_VARIABLE} to a writable folder, or {JAR_VARIABLE} to the jar"
        ) from None
    return cached


def _lock(file: Path) -> AbstractContextManager[object]:
    """Keeps other processes from fetching the same jar at the same time; without filelock they do, and the jar is
    complete all the same.
    """
    try:
        from filelock import FileLock
    except ModuleNotFoundError:
        return nullcontext()
    return FileLock(f"{file}.lock")


def users_jar() -> Path | None:
    """The jar that SPARK_ICEBERG_SQL_JAR names. Raises JarError if it is not a file."""
    path = os.environ.get(JAR_VARIABLE)
    if not path:
        return None
    if not Path(path).is_file():
        raise JarError(f"{JAR_VARIABLE} names {path}, which is not a file: correct it or unset it")
    return Path(path).resolve()


def _is_pinned(jar: Path, runtime: Runtime) -> bool:
    return jar.is_file() and _sha256(jar) == runtime.sha256


def _sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(1 << 20):
            digest.update(chunk)
    return digest.hexdigest()


# spark.jars.packages is not used: it prints 29 lines, fails when processes share a cold cache, and copies a corrupted
# cached jar unchecked. The Ivy that pyspark ships, a lock and the pinned sha256 have none of these faults.
def _fetch(runtime: Runtime, target: Path, ivy_settings: str | None) -> None:
    """Fetch with a private Ivy cache (a shared one is not safe among processes), check, move."""
    with tempfile.TemporaryDirectory(dir=target.parent, prefix="fetching-") as folder:
        settings = ["-settings", ivy_settings] if ivy_settings else []
        command = [
            java(), "-Xmx256m", "-jar", str(_ivy()), "-error", "-cache", f"{folder}/cache", *settings,
            "-dependency", runtime.group, runtime.artifact, runtime.version,
            "-confs", "default", "-notransitive", "-retrieve", f"{folder}/[artifact]-[revision].[ext]",
        ]  # fmt: skip
        hint = f"connect to a Maven repository once, or set {JAR_VARIABLE} to a copy of {runtime.filename}"
        try:
            subprocess.run(command, capture_output=True, timeout=_FETCH_SECONDS, check=False)
        except subprocess.TimeoutExpired:
            raise JarError(f"the download of {runtime.coordinate} timed out after {_FETCH_SECONDS} s: {hint}") from None
        fetched = Path(folder) / runtime.filename
        if not fetched.is_file():
            raise JarError(f"cannot fetch {runtime.coordinate}: {hint}")
        if not _is_pinned(fetched, runtime):
            raise JarError(
                f"{runtime.coordinate} has sha256 {_sha256(fetched)}, but {runtime.sha256} is pinned: {hint}"
            )
        os.replace(fetched, target)


def _ivy() -> Path:
    return max(_pyspark().glob("jars/ivy-*.jar"))


def _pyspark() -> Path:
    """The folder of pyspark, found without importing it."""
    spec = find_spec("pyspark")
    if spec is None or spec.origin is None:
        raise JarError("pyspark is not installed: pip install 'spark-iceberg-sql[spark]'")
    return Path(spec.origin).parent


def scala() -> str | None:
    """The Scala version of the Spark that this process will start, such as `2.13`; None if unknown."""
    home = os.environ.get("SPARK_HOME")
    jars = (Path(home) if home else _pyspark()).glob("jars/spark-core_*.jar")
    return next((jar.name.removeprefix("spark-core_").partition("-")[0] for jar in jars), None)

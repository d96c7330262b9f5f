"""The runtime jar: fetched once, even by concurrent processes, verified, and used if already present.

No session is needed here, but the network once: otherwise the shared session's jar is copied.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pyspark
import pytest

from spark_iceberg_sql.errors import JarError, JavaError
from spark_iceberg_sql.files.user_cache import cache_directory
from spark_iceberg_sql.spark import runtime_jar as jar_module
from spark_iceberg_sql.spark.runtime_jar import java, runtime_jar
from spark_iceberg_sql.spark.versions import Runtime, runtime

PINNED = runtime(pyspark.__version__, jar_module.scala())


@pytest.fixture(scope="module")
def jar() -> Path:
    return runtime_jar(PINNED)


@pytest.fixture
def nothing_there(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A machine without a jar: empty cache, no variable, no jar in the checkout. Returns the cache."""
    monkeypatch.delenv("SPARK_ICEBERG_SQL_JAR", raising=False)
    monkeypatch.setenv("SPARK_ICEBERG_SQL_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(jar_module, "checkout_jars", lambda: tmp_path / "jars")
    return tmp_path / "cache"


def _unreachable(tmp_path: Path) -> str:
    settings = tmp_path / "ivysettings.xml"
    settings.write_text(
        '<ivysettings><settings defaultResolver="none"/><resolvers>'
        '<ibiblio name="none" m2compatible="true" root="http://127.0.0.1:9/"/>'
        "</resolvers></ivysettings>"
    )
    return str(settings)


def test_four_processes_starting_cold_all_succeed(nothing_there: Path) -> None:
    script = (
        "import pyspark, sys; from pathlib import Path; from spark_iceberg_sql.spark import runtime_jar as jar\n"
        "from spark_iceberg_sql.spark.versions import runtime\n"
        "jar.checkout_jars = lambda: Path('/nonexistent')\n"
        "print(jar.runtime_jar(runtime(pyspark.__version__)))"
    )
    command = [sys.executable, "-c", script]
    started = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(4)]
    outputs = {process.communicate(timeout=300)[0].strip() for process in started}
    assert [process.returncode for process in started] == [0] * 4
    assert outputs == {str(nothing_there / PINNED.filename)}
    left = {path.name for path in nothing_there.iterdir()}
    assert left <= {PINNED.filename, f"{PINNED.filename}.lock"}


def test_a_corrupted_jar_is_fetched_again(jar: Path, nothing_there: Path) -> None:
    nothing_there.mkdir()
    broken = nothing_there / PINNED.filename
    broken.write_bytes(jar.read_bytes()[:1000])
    assert runtime_jar(PINNED) == broken
    assert broken.stat().st_size == jar.stat().st_size


def test_a_jar_that_is_there_is_honoured(
    jar: Path, nothing_there: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    settings = _unreachable(tmp_path)
    nothing_there.mkdir()
    shutil.copy(jar, nothing_there / PINNED.filename)
    assert runtime_jar(PINNED, settings) == nothing_there / PINNED.filename
    in_checkout = tmp_path / "jars" / PINNED.filename
    in_checkout.parent.mkdir()
    shutil.move(nothing_there / PINNED.filename, in_checkout)
    assert runtime_jar(PINNED, settings) == in_checkout
    built_jar = tmp_path / "our-own-build.jar"
    built_jar.write_bytes(b"ours")
    monkeypatch.setenv("SPARK_ICEBERG_SQL_JAR", str(built_jar))
    assert runtime_jar(PINNED, settings) == built_jar


def test_no_network_is_one_line_that_says_what_to_do(nothing_there: Path, tmp_path: Path) -> None:
    with pytest.raises(JarError) as caught:
        runtime_jar(PINNED, _unreachable(tmp_path))
    (line,) = str(caught.value).splitlines()
    assert line.startswith(f"cannot fetch {PINNED.coordinate}: ")
    assert "SPARK_ICEBERG_SQL_JAR" in line


def test_another_jar_than_the_pinned_one_is_refused(nothing_there: Path) -> None:
    other = Runtime("org.slf4j", "slf4j-api", "2.0.17", "0" * 64)
    with pytest.raises(JarError, match="but 0000") as caught:
        runtime_jar(other)
    assert len(str(caught.value).splitlines()) == 1
    assert not (nothing_there / other.filename).exists()


def test_a_variable_that_names_nothing_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPARK_ICEBERG_SQL_JAR", "/nonexistent.jar")
    with pytest.raises(JarError, match="not a file: correct it or unset it"):
        runtime_jar(PINNED)


def test_a_cache_that_cannot_be_written(nothing_there: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("SPARK_ICEBERG_SQL_CACHE", str(tmp_path / "file"))
    with pytest.raises(JarError, match="cannot keep the Iceberg runtime"):
        runtime_jar(PINNED)


def test_where_the_cache_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("SPARK_ICEBERG_SQL_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_directory() == tmp_path / "spark-iceberg-sql"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache_directory() == Path.home() / ".cache" / "spark-iceberg-sql"
    monkeypatch.setenv("SPARK_ICEBERG_SQL_CACHE", "~/here")
    assert cache_directory() == Path.home() / "here"


def _fake_java(folder: Path, version: str) -> None:
    folder.mkdir(parents=True)
    script = folder / "java"
    script.write_text(f"#!/bin/sh\necho '{version}' >&2\n")
    script.chmod(0o755)


@pytest.mark.parametrize(
    ("says", "message"),
    [
        ('openjdk version "25.0.1" 2025-10-21', "is version 25.0.1: Spark with Iceberg needs Java 17 or 21"),
        ('java version "1.8.0_452"', "is version 1.8.0_452: Spark with Iceberg needs Java 17 or 21"),
        ("what?", "is of an unreadable version: Spark"),
    ],
)
def test_a_wrong_java_is_one_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, says: str, message: str) -> None:
    _fake_java(tmp_path / "bin", says)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(JavaError, match=message) as caught:
        java()
    assert len(str(caught.value).splitlines()) == 1


def test_no_java_is_one_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(JavaError, match="no Java on PATH: install a Java runtime 17 or 21"):
        java()


@pytest.mark.parametrize("version", ["17.0.15", "21.0.7"])
def test_a_right_java(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, version: str) -> None:
    _fake_java(tmp_path / "bin", f'openjdk version "{version}" 2025-04-15')
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    assert java() == str(tmp_path / "bin" / "java")


def test_a_java_that_ends_at_once_is_two_lines(tmp_path: Path) -> None:
    """Such as one whose heap does not fit, in its own process: a JVM that runs would be used."""
    program = (
        "import spark_iceberg_sql as sis\n"
        "try:\n    sis.session('w', config={'spark.driver.memory': '900000g'})\n"
        "except sis.JavaError as error:\n    print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])},
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    assert "java ended before Spark had started; its own message is above\nhelp: " in done.stdout
    assert "heap" in done.stdout + done.stderr

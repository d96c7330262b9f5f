"""Compiled classes are kept between sessions, and what is wrong with those kept costs time only."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import process
import pyspark
import pytest
from pyspark.sql import SparkSession

from spark_iceberg_sql.spark import runtime_jar, versions
from spark_iceberg_sql.spark.bridge.jvm import class_cache, compiler, gateway, java_rows
from spark_iceberg_sql.spark.optimizer import injection


@pytest.fixture
def folder(spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The cache, empty; the name without links."""
    cache_folder = tmp_path.resolve() / "cache" / "classes" / "version"
    monkeypatch.setattr(class_cache, "_folder", lambda _: cache_folder)
    return cache_folder


def text(name: str) -> str:
    return (
        f"package sparkicebergsql.tests; public final class {name} {{\n"
        '  static final class Inner { public String toString() { return "inner"; } }\n'
        f'  public String toString() {{ return new Inner() + " {uuid4().hex}"; }}\n}}\n'
    )


def _jar() -> str:
    return str(runtime_jar.runtime_jar(versions.runtime(pyspark.__version__, runtime_jar.scala())))


def made(source: str) -> tuple[str, bool]:
    """What an object of a class says, and whether the class had been kept."""
    name = source.split("class ")[1].split()[0]
    kept = class_cache.find(source) is not None
    loader = compiler.compile_java(source, f"{name}.java", compiler.context_loader())
    # py4j would call the method of the first class of that name.
    text_of = gateway.java_class("java.lang.String").valueOf
    output = str(text_of(compiler.instance(loader, f"sparkicebergsql.tests.{name}")))
    return output, kept


def test_a_class_is_compiled_once(folder: Path) -> None:
    source = text("Once")
    output, kept = made(source)
    assert not kept
    assert made(source) == (output, True)
    assert len(list(folder.iterdir())) == 1
    other = text("Once")  # another text of that name
    assert made(other)[0] != output
    class_cache.keep(other, class_cache.find(source) or {})
    assert made(other) == (output, True)  # the classes kept are those that run
    _, class_files = compiler.loaded_classes([("Once", source)])
    assert sorted(class_files) == ["sparkicebergsql.tests.Once", "sparkicebergsql.tests.Once$Inner"]


DAMAGES = {
    "cut": lambda c: c[:-40],
    "empty": lambda _: b"",
    "another byte": lambda c: c[:60] + b"x" + c[61:],
    "no map": lambda _: hashlib.sha256(b"").digest(),
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_file_is_replaced(folder: Path, damage: object) -> None:
    source = text("Damaged")
    output, _ = made(source)
    (file,) = folder.iterdir()
    file.write_bytes(damage(file.read_bytes()))
    assert made(source) == (output, False)
    assert made(source) == (output, True)


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="no permissions to set")
@pytest.mark.parametrize("folder_name", ["version", "classes"])
def test_classes_that_others_may_have_put_there_are_not_run(folder: Path, folder_name: str) -> None:
    source = text("Others")
    made(source)
    next(path for path in (folder, *folder.parents) if path.name == folder_name).chmod(0o777)
    assert not made(source)[1]
    made(text("Another"))
    assert len(list(folder.iterdir())) == 1


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="no permissions to set")
def test_a_file_that_others_may_write_is_not_run(folder: Path) -> None:
    source = text("Writable")
    made(source)
    (file,) = folder.iterdir()
    file.chmod(0o666)
    assert not made(source)[1]
    assert made(source)[1]  # it has been replaced
    if os.getuid() == 0:
        os.chown(file, 65534, 65534)
        assert not made(source)[1]


def test_a_folder_that_cannot_be_made(folder: Path) -> None:
    folder.parent.parent.write_text("a file")
    source = text("Nowhere")
    assert made(source) == (made(source)[0], False)


def test_a_user_without_a_home(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def nowhere(_: object) -> Path:
        raise RuntimeError("Could not determine home directory.")  # as Path.home() does

    monkeypatch.setattr(class_cache, "_folder", nowhere)
    source = text("Homeless")
    assert made(source) == (made(source)[0], False)


def test_old_classes_of_other_versions_are_deleted(folder: Path) -> None:
    for name, age in (("old", 40 * 86400), ("young", 86400)):
        other = folder.parent / name
        other.mkdir(parents=True)
        (other / "some.zip").write_text("")
        when = folder.parent.stat().st_mtime - age
        os.utime(other, (when, when))
    folder.parent.chmod(0o700)
    made(text("Version"))
    assert {path.name for path in folder.parent.iterdir()} == {"young", "version"}


def test_the_key_has_every_java_file_and_version(spark: SparkSession) -> None:
    cache_folder = class_cache._folder(compiler.gateway())
    class_cache._folder.cache_clear()
    before = class_cache._hash_java_files
    try:
        class_cache._hash_java_files = lambda digest, folder: (before(digest, folder), digest.update(b"x"))
        assert class_cache._folder(compiler.gateway()) != cache_folder
    finally:
        class_cache._hash_java_files = before
        class_cache._folder.cache_clear()
    assert class_cache._folder(compiler.gateway()) == cache_folder


def test_the_key_has_every_record(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    current = class_cache._folder(compiler.gateway())
    monkeypatch.setattr(java_rows, "EXCHANGED", java_rows.EXCHANGED[1:])
    class_cache._folder.cache_clear()
    try:
        assert class_cache._folder(compiler.gateway()) != current
    finally:
        class_cache._folder.cache_clear()


def test_that_the_self_tests_passed_is_kept(spark: SparkSession) -> None:
    """Whichever part of the package added the rules to the first session: functions do before `install`."""
    spark.sql("SELECT * FROM iceberg_rules()").collect()  # the first query waits for them, not for what is kept

    def is_kept() -> bool:
        with class_cache.together():
            return class_cache.find(injection._self_tests(spark)) is not None

    deadline = time.monotonic() + 60
    while not is_kept() and time.monotonic() < deadline:
        time.sleep(0.2)
    assert is_kept()


def test_classes_that_are_compiled_together_are_one_file(folder: Path) -> None:
    sources = [text(name) for name in ("First", "Second")]
    with compiler.together():
        outputs = [made(source)[0] for source in sources]
        with compiler.together():  # what is called within has no file
            assert made(sources[0]) == (outputs[0], True)
    assert len(list(folder.iterdir())) == 1
    assert class_cache.find(sources[0]) is None
    with compiler.together():
        assert [made(source) for source in sources] == [(output, True) for output in outputs]
    with compiler.together():
        third = made(text("Third"))[0]
    with compiler.together():
        assert made(sources[1]) == (outputs[1], True)
    assert len(list(folder.iterdir())) == 1
    assert third.startswith("inner")


def test_classes_that_are_compiled_together_use_one_another(folder: Path) -> None:
    """As those that are compiled alone do: one that does not compile leaves nothing to those after it."""
    head, name = "package sparkicebergsql.tests; public class", f"Base{uuid4().hex}"
    wrong = f"{head} {name} {{ public int other() {{ return gone(); }} }}"
    right = (
        f'{head} {name} {{ public static final String SET = System.getProperty("sis.{name}");'
        " public static class Nested { public String of() { return SET; } } }"
    )
    user = f"{head} Of{name} extends {name} {{ public String toString() {{ return new Nested().of() + SET; }} }}"
    properties = gateway.java_class("java.lang.System")
    properties.setProperty(f"sis.{name}", "a")
    with compiler.together():
        loader = compiler.context_loader()
        with pytest.raises(ValueError, match="gone"):
            compiler.compile_java(wrong, f"{name}.java", loader)
        with pytest.raises(ValueError, match=name):
            compiler.compile_java(user, f"Of{name}.java", loader)
        below = compiler.compile_java(right, f"{name}.java", loader)
        with pytest.raises(ValueError, match=name):  # its loader does not see the other
            compiler.compile_java(user, f"Of{name}.java", loader)
        below = compiler.compile_java(user, f"Of{name}.java", below)
    text_of = gateway.java_class("java.lang.String").valueOf
    assert str(text_of(compiler.instance(below, f"sparkicebergsql.tests.Of{name}"))) == "aa"


def test_what_a_class_computes_is_not_compiled_into_others(spark: SparkSession) -> None:
    """Some ask this Iceberg what it can: the answer belongs to the process, not to the classes that are kept."""
    head, name = "package sparkicebergsql.tests; public class", f"Asked{uuid4().hex}"
    source = f'{head} {name} {{ public static final boolean SET = Boolean.getBoolean("sis.{name}"); }}'
    user = f"{head} Of{name} {{ public boolean of() {{ return {name}.SET; }} }}"
    with compiler.together():
        class_files = compiler.classes([(name, source), (f"Of{name}", user)])
    assert b"SET" in class_files[f"sparkicebergsql.tests.Of{name}"]


FIRST = """
import json
import threading
from spark_iceberg_sql.spark.bridge.jvm import class_cache, compiler
from spark_iceberg_sql.spark.optimizer import rule_classes
spark = theirs()
alone, java_class = [], compiler.java_class
def counted(name):
    if name.endswith("SimpleCompiler"):
        alone.append(name)
    return java_class(name)
compiler.java_class = counted
sis.install(spark)
faults = spark.sql("SELECT name FROM iceberg_rules() WHERE fault IS NOT NULL").collect()
for thread in threading.enumerate():  # the query waits for the rules, not for what is kept of them
    if thread.name == "spark_iceberg_sql rules":
        thread.join(60)
with compiler.together():
    kept = [class_cache.find(compiler._java_text(text)) is not None for _, text in rule_classes.sources()]
files = len(list(class_cache._folder(compiler.gateway()).iterdir()))
print(json.dumps([len(alone), all(kept), len(kept), files, len(faults)]))
"""


def test_a_first_installation_compiles_all_classes_together(spark: SparkSession, tmp_path: Path) -> None:
    """One compiler alone, that of the compiler that all others share, and one file; then none."""
    cache = {"SPARK_ICEBERG_SQL_CACHE": str(tmp_path / "cache"), runtime_jar.JAR_VARIABLE: _jar()}
    for alone in (1, 0):
        output, _ = process.run(tmp_path, FIRST, **cache)
        compilers, all_kept, classes, files, faults = json.loads(output.splitlines()[-1])
        assert (compilers, all_kept, files, faults) == (alone, True, 1, 0)
        assert classes > 100

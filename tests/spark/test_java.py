"""The Java files: javac's diagnostics, and the Java that Janino accepts (docs/java.md)."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from dataclasses import make_dataclass
from pathlib import Path
from typing import get_type_hints

import pyspark
import pytest
from pyspark.sql import SparkSession

from spark_iceberg_sql.spark import runtime_jar, versions
from spark_iceberg_sql.spark.bridge.jvm import compiler, java_rows, shims
from spark_iceberg_sql.spark.bridge.jvm.iceberg_version import UnfitError
from spark_iceberg_sql.spark.bridge.jvm.java_records import constants_source, exchange_source, java_name
from spark_iceberg_sql.spark.extension import jar

ROOT = Path(__file__).parents[2]
# javac warnings that cannot be fixed, with the reason.
OFF = {
    "cast": "Janino knows no types between < and >: the cast in `(String) list.get(0)`, to javac redundant, is needed",
    "classfile": "log4j's classes have annotations of jars that are not there",
    "path": "the manifests of Spark's jars name jars that are not there",
}
# For a final method such as `withNewChildrenInternal`, Scala emits no generic signature in the
# superclasses of these classes, so javac reports for every Java subclass that it "cannot
# override" TreeNode's method. Janino does not check that. All other javac messages about them
# count.
BELOW_SCALA = {"ImpliedLiteral", "IndexedColumn", "KeyColumn", "VirtualColumns", "WithoutFile"}
_MESSAGE = re.compile(r"^(?=\S+\.java:\d+: |error: |warning: |Note: |\d+ (?:error|warning)s?$)", re.MULTILINE)
_BELOW_SCALA = re.compile(r".*/(\w+)\.java:\d+: error: withNewChildrenInternal\(IndexedSeq\) in \w+ cannot override ")


def _packages() -> list[str]:
    """The packages with a folder of Java files."""
    folders = (ROOT / "spark_iceberg_sql").rglob("java")
    return sorted(".".join(folder.parent.relative_to(ROOT).parts) for folder in folders)


def _ours(folder: Path) -> Iterator[Path]:
    """The Java files, for the installed line of Spark."""
    scala_2_12 = runtime_jar.scala() == "2.12"
    for package in _packages():
        names = {path.stem for path in (ROOT / package.replace(".", "/") / "java").rglob("*.java")}
        for name in sorted(names):
            written = folder / f"{name}.java"
            written.write_text(shims.java_text(compiler.source(package, name), scala_2_12), "utf-8")
            yield written
    for path in ROOT.glob("tests/spark/*.java"):
        written = folder / path.name
        written.write_text(shims.java_text(path.read_text("utf-8"), scala_2_12), "utf-8")
        yield written


def generated() -> dict[str, str]:
    """The source of each record that Python and Java exchange, by class."""
    constants = {record.__name__ for record in java_rows.CONSTANTS}
    sources = {name: text for name, text in jar.sources() if name in constants}
    return sources | {record.__name__: exchange_source(record) for record in java_rows.EXCHANGED}


def _written(folder: Path, sources: dict[str, str]) -> Iterator[Path]:
    for name, text in sources.items():
        file = folder / f"{name}.java"
        file.write_text(text, "utf-8")
        yield file


def javac(folder: Path, records: dict[str, str]) -> list[str]:
    """javac's messages on all the Java files, without the final count. records: the source of each by class."""
    files = [*_written(folder, records), *_ours(folder)]
    jars = Path(pyspark.__file__).parent / "jars" / "*"
    # For a Spark for which Iceberg has no runtime yet, that of the newest.
    line = versions.tested_line(pyspark.__version__) or versions.SPARK_MINORS[0]
    iceberg = runtime_jar.runtime_jar(versions.runtime(f"{line.spark}.0"))
    command = [
        str(Path(runtime_jar.java()).resolve().with_name("javac")),
        *("-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC", "-J-Duser.language=en"),
        *("-proc:none", "-Werror", "-Xlint:all", *(f"-Xlint:-{name}" for name in OFF)),
        # All classes are analysed completely, even if one has an error.
        *("--should-stop=ifError=FLOW", "-Xmaxerrs", "1000", "-Xmaxwarns", "1000"),
        *("-d", str(folder), "-cp", f"{jars}{os.pathsep}{iceberg}", *map(str, files)),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    messages = _MESSAGE.split(done.stdout + done.stderr)
    return [text for text in messages if text.strip() and not re.match(r"\d+ |Picked up ", text)]


def test_javac_has_nothing_to_say(tmp_path: Path) -> None:
    messages = javac(tmp_path, generated())
    below = {match[1] for text in messages if (match := _BELOW_SCALA.match(text))}
    other_messages = [text for text in messages if not _BELOW_SCALA.match(text)]
    assert not other_messages, "".join(other_messages)
    assert below == BELOW_SCALA


# Records that only Spark 4.1 has values for.
UNUSED = {"BoundText", "ReplacedMarker"}
_NO_SYMBOL = re.compile(r"symbol: +variable (\w+)\n +location: variable \w+ of type (\w+)")


def test_a_renamed_field_of_a_record_does_not_compile(tmp_path: Path) -> None:
    declared, renamed = set(), {}
    for record in (*java_rows.CONSTANTS, *java_rows.EXCHANGED):
        name, hints = record.__name__, get_type_hints(record)
        declared |= {(name, java_name(field)) for field in hints}
        other = make_dataclass(name, [(f"{field}_renamed", hint) for field, hint in hints.items()])
        is_constant = record in java_rows.CONSTANTS
        renamed[name] = constants_source(other, ()) if is_constant else exchange_source(other)
    messages = javac(tmp_path, renamed)
    refused = {match.groups()[::-1] for text in messages for match in _NO_SYMBOL.finditer(text)}
    unused = {pair for pair in declared if pair[0] in UNUSED and shims.SPARK_VERSION < (4, 1)}
    assert refused == declared - unused


ROWS = re.findall(r"^\| `(.+)` \| (yes|no) \|", (ROOT / "docs/java.md").read_text("utf-8"), re.MULTILINE)
MEMBER = re.compile(r"(enum|class|interface|static|record|sealed|@\w+) ?")


def compiled(code: str) -> object:
    """The class loader of a class with these statements in its method `run`, or with this member."""
    code = code.replace(r"\|", "|").replace(r"\n", "\n")
    if not MEMBER.match(code):
        code = f"static Object run() throws Exception {{ {code} }}"
    imports = "import java.io.*; import java.util.*; import java.util.function.*;"
    text = f"{imports} public class Snippet {{ {code} }}"
    return compiler.compile_java(text, "Snippet.java", compiler.context_loader())


@pytest.mark.parametrize(("code", "verdict"), ROWS, ids=[code for code, _ in ROWS])
def test_janino_takes_what_the_page_says(spark: SparkSession, code: str, verdict: str) -> None:
    if verdict == "yes":
        compiled(code)
        return
    with pytest.raises(ValueError):
        compiled(code)


@pytest.mark.parametrize(
    ("code", "missing"),
    [
        ("return ((org.apache.iceberg.Table) null).gone();", "method `gone`"),
        ("return org.apache.iceberg.Snapshot.gone();", "method `gone`"),
        ("return org.apache.iceberg.FileFormat.GONE;", "name `GONE`"),
        ("switch (org.apache.iceberg.FileFormat.ORC) { case GONE: return 1; default: return 2; }", "name `GONE`"),
        ("return org.apache.iceberg.Schemas.of(1);", "name `org.apache.iceberg.Schemas`"),
        (
            'return org.apache.iceberg.FileFormat.fromString(1, "a");',
            "such call of `org.apache.iceberg.FileFormat.fromString`",
        ),
    ],
)
def test_what_a_class_path_lacks_is_named(spark: SparkSession, code: str, missing: str) -> None:
    with pytest.raises(UnfitError) as caught:
        compiled(code)
    assert f"{missing}, which Snippet.java uses" in str(caught.value)


def test_a_class_for_a_later_iceberg_names_both_versions(spark: SparkSession) -> None:
    text = "/** @since Iceberg 99.1 */ public class Snippet { org.apache.iceberg.Gone gone; }"
    with pytest.raises(UnfitError, match=r"^needs Iceberg 99\.1; this session has \d+\.\d+\.\d+$"):
        compiler.compile_java(text, "Snippet.java", compiler.context_loader())


def test_the_page_has_rows_of_both_kinds() -> None:
    assert [sum(verdict == answer for _, verdict in ROWS) > 10 for answer in ("yes", "no")] == [True, True]

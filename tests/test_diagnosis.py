"""The screen of `iceberg-sql doctor`, as far as it needs no session: texts, and what must not be in them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import spark_iceberg_sql as sis
from spark_iceberg_sql.insight.diagnosis.model import (
    DiagnosedCatalog,
    DiagnosedFault,
    DiagnosedJar,
    DiagnosedRule,
    Diagnosis,
    address,
)

ROOT = Path(__file__).parents[1]
CONFIGURED = Diagnosis(
    "1.0",
    "Python 3.12.1 on Linux x86_64",
    "17.0.1",
    "3.5.9 with Scala 2.12, local[2], UTC",
    "1.7.1, tested with this Spark",
    ("pandas 2.2",),
    (DiagnosedJar("/a/first.jar", "1.7.1", "Spark 3.5, Scala 2.12", True), DiagnosedJar("/a/b.jar", "", None, False)),
    (DiagnosedCatalog("local", "hadoop (SparkCatalog)", "s3://bucket/path"),),
    "functions",
    (
        DiagnosedRule("bounds", True, None),
        DiagnosedRule("joins", False, "no class"),
        DiagnosedRule("fast", False, None),
    ),
    (
        DiagnosedFault("a/b#1", "present", "bounds", "they are read in full", True),
        DiagnosedFault("a/b#22", "not tried", "joins", "none", False),
        DiagnosedFault("a/b#4", "present", "", "use Parquet", False),
        DiagnosedFault("a/b#3", "absent", "bounds", "none", True),
    ),
    ("something is wrong",),
)


def test_one_screen() -> None:
    assert str(CONFIGURED).splitlines() == [
        "spark-iceberg-sql 1.0, Python 3.12.1 on Linux x86_64",
        "packages  pandas 2.2",
        "Java      17.0.1",
        "Spark     3.5.9 with Scala 2.12, local[2], UTC",
        "Iceberg   1.7.1, tested with this Spark",
        "          /a/first.jar (1.7.1, for Spark 3.5, Scala 2.12)",
        "          /a/b.jar (unknown version, NOT USED)",
        "catalogs  local: hadoop (SparkCatalog), s3://bucket/path",
        "installed functions",
        "rules     1 of 3 on: bounds",
        "          off: joins: no class",
        "          off: fast: by its setting, or it has nothing to do",
        "faults    3 known faults of this Iceberg that cost rows, with what is done; it does not have a/b#3",
        "  a/b#1   bounds: they are read in full",
        "  a/b#22  joins: NOT CORRECTED: it is off (not tried)",
        "  a/b#4   NOT CORRECTED by any rule: use Parquet",
        "problems  something is wrong",
    ]
    assert not CONFIGURED.ok
    assert json.loads(CONFIGURED.to_json())["jars"][0]["version"] == "1.7.1"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("https://user:pass@host/path?sig=abc#x", "https://***@host/path"),
        ("https://token@host/path", "https://***@host/path"),
        ("jdbc:postgresql://host/db?user=u&password=p", "jdbc:postgresql://host/db"),
        ("jdbc:sqlserver://host;user=u;password=p", "jdbc:sqlserver://host"),
        ("abfss://container@account.dfs.core.windows.net/w", "abfss://container@account.dfs.core.windows.net/w"),
        ("s3a://key:secret@bucket/w", "s3a://***@bucket/w"),
        ("/home/me/warehouse", "/home/me/warehouse"),
    ],
)
def test_addresses_have_no_credentials(text: str, expected: str) -> None:
    assert address(text) == expected


def test_without_pyspark(tmp_path: Path) -> None:
    """The command and the function say what is missing, and end with 2."""
    script = "import sys; from spark_iceberg_sql.cli import main; sys.exit(main(['doctor']))"
    environment = {"PYTHONPATH": str(ROOT), "PATH": os.environ["PATH"], "HOME": str(tmp_path)}
    command = [sys.executable, "-S", "-c", script]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 2, done.stderr
    assert "Spark     none\nIceberg   none\n" in done.stdout
    assert "pyspark cannot be imported, so only the checker works" in done.stdout
    assert done.stderr == ""


def test_pyspark_in_a_zip(tmp_path: Path) -> None:
    """As spark-submit has it on the path."""
    with zipfile.ZipFile(tmp_path / "pyspark.zip", "w") as archive:
        for name, text in (("pyspark/__init__.py", ""), ("pyspark/version.py", '__version__: str = "3.5.7"\n')):
            archive.writestr(name, text)
        archive.writestr("py4j/__init__.py", "")
    script = "import spark_iceberg_sql as sis; print(sis.doctor())"
    environment = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": os.pathsep.join((str(tmp_path / "pyspark.zip"), str(ROOT))),
    }
    command = [sys.executable, "-S", "-c", script]
    done = subprocess.run(
        command, env={**environment, "HOME": str(tmp_path)}, capture_output=True, text=True, check=False
    )
    assert "Spark     pyspark 3.5.7, no session" in done.stdout, done.stderr


def test_without_a_session() -> None:
    text = str(sis.doctor())
    assert "no session" in text
    assert sys.executable in text


def test_java_that_spark_does_not_support(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.write_text("#!/bin/sh\necho 'openjdk version \"11.0.2\"' >&2\n")
    java.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    assert f"problems  {java} is version 11.0.2: Spark with Iceberg needs Java 17 or 21" in str(sis.doctor())

"""The Sparks that are published and have no Iceberg yet: their grammar against the checker's, and the Java files on
their jars. Without a session.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest
import spark_line
from spark_grammars import class_path

import spark_iceberg_sql as sis
from spark_iceberg_sql.cli import main
from spark_iceberg_sql.model.runtime import minor_version, spark_versions
from spark_iceberg_sql.model.runtime.minor_version import Version
from spark_iceberg_sql.spark import runtime_jar, versions

HERE = Path(__file__).parent
VERSIONS = (spark_versions.NEWEST, *spark_versions.LATER)
# A statement, and the first Spark whose grammar has it.
STATEMENTS: tuple[tuple[str, Version], ...] = (
    ("CREATE VIEW m WITH METRICS LANGUAGE YAML AS $$ version: 1; source: 't $$", (4, 2)),
    ("CREATE OR REPLACE VIEW m (a COMMENT 'x') WITH METRICS LANGUAGE YAML AS $$ a $$", (4, 2)),
    ("CREATE TABLE a LIKE prod.db.b USING iceberg", (4, 2)),
    ("CREATE TABLE t (id INT, ts TIMESTAMP WITH LOCAL TIME ZONE) USING iceberg PARTITIONED BY (days(ts))", (4, 2)),
    ("CREATE TABLE t (id INT, ts TIMESTAMP WITHOUT TIME ZONE) USING iceberg PARTITIONED BY (days(ts))", (4, 1)),
    ("INSERT INTO s REPLACE USING (id) SELECT * FROM t2", (4, 2)),
    ("INSERT INTO s AS x REPLACE ON x.id = y.id (SELECT * FROM t2 AS y)", (4, 2)),
    ("INSERT WITH SCHEMA EVOLUTION INTO s SELECT * FROM t2", (4, 2)),
    ("INSERT INTO s (id) REPLACE WHERE id = 3 SELECT * FROM t2", (4, 3)),
    ("SHOW COLLATIONS LIKE 'U*'", (4, 2)),
    ("BEGIN DECLARE c CURSOR FOR SELECT 1; OPEN c; FETCH c INTO x; CLOSE c; END", (4, 2)),
    ("SELECT id FROM s QUALIFY row_number() OVER (PARTITION BY id ORDER BY ts) = 1", (4, 2)),
    ("SELECT * FROM s CHANGES FROM VERSION 1 TO VERSION 2", (4, 2)),
    ("SELECT * FROM s TABLESAMPLE BERNOULLI (10 PERCENT)", (4, 2)),
    ("SELECT * FROM s JOIN t2 APPROX NEAREST 3 BY DISTANCE abs(s.id - t2.id)", (4, 2)),
    ("COMMENT ON COLUMN s.id IS 'x'", (4, 3)),
    ("SELECT * FROM s@v1", (4, 3)),
    ("SELECT * FROM s ASOF JOIN t2 MATCH_CONDITION (s.ts >= t2.ts) ON s.id = t2.id", (4, 3)),
    ("SELECT * FROM JSON_TABLE('[]', '$[*]' COLUMNS (a INT PATH '$.a', n FOR ORDINALITY)) AS j", (4, 3)),
    ("SELECT * FROM UNNEST(array(1, 2)) WITH ORDINALITY AS u(a, n)", (4, 3)),
    ("DELETE FROM s WITH ('a' = 'b') WHERE id = 3", (4, 3)),
    ("UPDATE s WITH ('a' = 'b') SET id = 3", (4, 3)),
    ("MERGE INTO s WITH ('a' = 'b') USING t2 ON s.id = t2.id WHEN MATCHED THEN DELETE", (4, 3)),
    ("SHOW TABLES AS JSON", (4, 3)),
    ("CREATE FLOW f AS AUTO CDC INTO s FROM t2 KEYS (id) SEQUENCE BY ts", (4, 3)),
    # Their new keywords are names as before.
    ("CREATE TABLE qualify (path INT, measure INT, next INT) USING iceberg PARTITIONED BY (path, measure)", (4, 1)),
    ("CREATE TABLE t (unnest INT, bin INT, width INT) USING iceberg PARTITIONED BY (unnest, truncate(4, bin))", (4, 1)),
    ("ALTER TABLE s ADD COLUMN unnest INT", (4, 1)),
    ("ALTER TABLE s RENAME TO nearest", (4, 1)),
    ("DROP TABLE IF EXISTS open", (4, 1)),
)
# Of what comes too early, queries and changes of rows are errors, and these. Other verbs may be another extension's,
# and `@` a variable of SQLMesh.
REPORTED = ("CREATE TABLE a LIKE", "WITH LOCAL TIME ZONE")
VERBS = ("SELECT", "INSERT", "DELETE", "UPDATE", "MERGE")


def jars(version: Version) -> Path:
    """The folder with the jars of a pyspark. Skips the test if it cannot be had."""
    try:
        return spark_line.provided(minor_version.text(version)) / "pyspark" / "jars"
    except spark_line.UnavailableError as error:
        pytest.skip(str(error))


def accepted(version: Version, texts: Iterable[str]) -> list[bool]:
    """Which statements a Spark's own parser accepts."""
    path = class_path(jars(version))
    done = subprocess.run(
        [runtime_jar.java(), "-XX:TieredStopAtLevel=1", "-cp", path, str(HERE / "GrammarReader.java")],
        input="\x01".join(texts),
        capture_output=True,
        text=True,
        timeout=240,
        check=True,
    )
    return [line == "yes" for line in done.stdout.split()]


def errors(text: str, version: Version) -> list[str]:
    tables = sis.Tables(catalog="local", namespace=("db",))
    tables.spark = version
    script = f"CREATE TABLE s (id INT, ts TIMESTAMP) USING iceberg;\n{text}"
    return [d.message for d in sis.check(script, tables) if d.severity.value == "error"]


@pytest.mark.parametrize("version", VERSIONS, ids=minor_version.text)
def test_the_checker_agrees_with_the_grammar(version: Version) -> None:
    assert accepted(version, [text for text, _ in STATEMENTS]) == [since <= version for _, since in STATEMENTS]
    for text, since in STATEMENTS:
        is_judged = (text.startswith(VERBS) and "@" not in text) or any(part in text for part in REPORTED)
        is_reported = since > version and is_judged
        assert bool(errors(text, version)) == is_reported, text


@pytest.mark.parametrize("version", spark_versions.LATER, ids=minor_version.text)
def test_the_java_files_compile_on_the_jars(version: Version) -> None:
    jars(version)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"{HERE}/test_java.py::{JAVA}"],
        env={**os.environ, spark_line.NAME: minor_version.text(version)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-4000:]


JAVA = "test_javac_has_nothing_to_say"


def test_a_code_literal_is_one_token() -> None:
    """What is in it begins no statement, as its semicolon does elsewhere."""
    view = "CREATE VIEW m WITH METRICS LANGUAGE YAML AS\n$$ a; ALTER TABLE s ADD PARTITION FIELD nope $$"
    assert errors(f"{view};\nSELECT 1", (4, 2)) == []
    assert errors(f"SELECT 'as $$';\n{view.rpartition('; ')[2].removesuffix(' $$')}; SELECT '$$'", (4, 2)) != []


def test_the_setting(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.sql").write_text("CREATE TABLE a LIKE prod.db.b USING iceberg;\n")
    for value, code in (('"4.1"', 1), ('"4.2"', 0), ('"4.3.0"', 0), ('"3.4"', 2), ("4.3", 2)):
        (tmp_path / ".iceberg-sql.toml").write_text(f"spark = {value}\n")
        assert main(["check", "a.sql"]) == code, (value, capsys.readouterr())


def test_the_newest_with_a_runtime_is_that_of_the_table() -> None:
    assert tuple(minor.number for minor in reversed(versions.SPARK_MINORS)) == spark_versions.WITH_RUNTIME
    assert versions.SPARK_MINORS[0].number == spark_versions.NEWEST
    assert versions.SPARK_MINORS[-1].number == spark_versions.OLDEST

"""Which manifests have been checked is kept in the user's cache: what is wrong with that costs time, and no rows."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from pathlib import Path

import process
import pyspark
import pytest
from foreign import rewrite
from pyspark.sql import SparkSession

from spark_iceberg_sql.spark import runtime_jar, versions
from spark_iceberg_sql.spark.bridge.jvm import class_cache, compiler
from spark_iceberg_sql.spark.optimizer import planning_facts
from spark_iceberg_sql.spark.session_settings import KEEP_MANIFEST_CHECKS
from tests.benchmarks import scale

# 160 files with bounds of 64 random letters in eight columns: a manifest of more than KeptChecks.MINIMUM_BYTES.
TEXTS = ", ".join(f"sha2(string(id * 8 + {i}), 256) AS s{i}" for i in range(8))
CREATE = f"""
CREATE TABLE {{t}} USING iceberg PARTITIONED BY (p) TBLPROPERTIES ('write.metadata.metrics.default' = 'full',
'commit.manifest-merge.enabled' = 'false', 'write.spark.fanout.enabled' = 'true')
AS SELECT id, id % 160 AS p, {TEXTS} FROM range(0, 480, 1, 1)
"""
QUERY = "SELECT id, s1 FROM {t} WHERE s3 > 'a' AND id < 400"


@pytest.fixture
def folder(spark: SparkSession, tmp_path: Path) -> Iterator[Path]:
    """Where the checks are kept: empty."""
    folder = tmp_path / "manifests"
    folder.mkdir(mode=0o700)
    compiler.rule_registry().setChecksFolder(str(folder))
    yield folder
    compiler.rule_registry().setChecksFolder(str(class_cache.private_folder("manifests")))


@pytest.fixture(scope="module")
def table(spark: SparkSession) -> str:
    spark.sql(CREATE.format(t="local.db.kept_checks"))
    return "local.db.kept_checks"


@pytest.fixture
def table_of_test(spark: SparkSession) -> Iterator[str]:
    spark.sql(CREATE.format(t="local.db.kept_checks_of_one"))
    yield "local.db.kept_checks_of_one"
    spark.sql("DROP TABLE local.db.kept_checks_of_one")


def manifests_read(spark: SparkSession, table: str) -> int:
    """How many manifests a query reads for their check where the JVM knows none; the rows are as of plain Spark."""
    scale.forget(spark)
    spark.catalog.refreshTable(table)
    before = planning_facts.metadata_read()[0]
    rows = spark.sql(QUERY.format(t=table)).collect()
    after = planning_facts.metadata_read()[0]
    plain = spark.sql(f"SELECT id, s1 FROM (SELECT id, {TEXTS} FROM range(480)) WHERE s3 > 'a' AND id < 400")
    assert sorted(rows) == sorted(plain.collect())
    return after - before


def metadata(spark: SparkSession, table: str) -> Path:
    path = spark.sql(f"SELECT path FROM {table}.manifests").head()
    assert path is not None
    return Path(str(path[0]).removeprefix("file:")).parent


def test_a_manifest_is_checked_once(spark: SparkSession, folder: Path, table: str) -> None:
    assert manifests_read(spark, table) == 1
    (file,) = folder.iterdir()
    assert manifests_read(spark, table) == 0
    text = file.read_bytes()
    assert b"kept_checks" not in text
    assert b"avro" not in text


def test_only_new_manifests_are_read(spark: SparkSession, folder: Path, table_of_test: str) -> None:
    assert manifests_read(spark, table_of_test) == 1
    spark.sql(f"INSERT INTO {table_of_test} SELECT id + 1000, p, s0, s1, s2, s3, s4, s5, s6, s7 FROM {table_of_test}")
    assert manifests_read(spark, table_of_test) == 1
    assert manifests_read(spark, table_of_test) == 0
    spark.sql(f"ALTER TABLE {table_of_test} ADD COLUMN more INT")  # the check knows the columns
    assert manifests_read(spark, table_of_test) == 2
    assert manifests_read(spark, table_of_test) == 0
    mapping = '[{"field-id": 1, "names": ["id"]}]'  # files of other programs can be read with one, by their footers
    spark.sql(f"ALTER TABLE {table_of_test} SET TBLPROPERTIES ('schema.name-mapping.default' = '{mapping}')")
    assert manifests_read(spark, table_of_test) == 2
    assert manifests_read(spark, table_of_test) == 0
    assert len(list(folder.iterdir())) == 1


DAMAGES = {
    "cut": lambda c: c[:-40],
    "empty": lambda _: b"",
    "another byte": lambda c: c[:60] + b"x" + c[61:],
    "too large": lambda c: c + bytes(1 << 20),
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_file_is_replaced(spark: SparkSession, folder: Path, table: str, damage: object) -> None:
    manifests_read(spark, table)
    (file,) = folder.iterdir()
    file.write_bytes(damage(file.read_bytes()))
    assert manifests_read(spark, table) == 1
    assert manifests_read(spark, table) == 0


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="no permissions to set")
def test_a_file_that_others_may_write_is_not_used(spark: SparkSession, folder: Path, table: str) -> None:
    manifests_read(spark, table)
    (file,) = folder.iterdir()
    file.chmod(0o620)
    assert manifests_read(spark, table) == 1
    assert manifests_read(spark, table) == 0  # it has been replaced
    if os.getuid() == 0:
        os.chown(file, 65534, 65534)
        assert manifests_read(spark, table) == 1


def test_a_folder_that_is_gone_costs_time_only(spark: SparkSession, folder: Path, table: str) -> None:
    folder.rmdir()
    assert manifests_read(spark, table) == 1
    assert manifests_read(spark, table) == 1


def test_what_is_old_or_too_much_is_deleted(spark: SparkSession, folder: Path, table: str) -> None:
    now = time.time()
    for name, size, days in (("young", 1, 2), ("large", 64 << 20, 3), ("old", 1, 31)):
        with (folder / name).open("wb") as stream:
            stream.truncate(size)
        os.utime(folder / name, (now, now - days * 86_400))
    assert manifests_read(spark, table) == 1
    names = {file.name for file in folder.iterdir()}
    assert len(names) == 2
    assert "young" in names


def test_the_setting(spark: SparkSession, folder: Path, table: str) -> None:
    spark.conf.set(KEEP_MANIFEST_CHECKS.key, "false")
    try:
        assert manifests_read(spark, table) == 1
        assert list(folder.iterdir()) == []
        spark.conf.unset(KEEP_MANIFEST_CHECKS.key)
        assert manifests_read(spark, table) == 1
        spark.conf.set(KEEP_MANIFEST_CHECKS.key, "false")
        assert manifests_read(spark, table) == 1
    finally:
        spark.conf.unset(KEEP_MANIFEST_CHECKS.key)


@pytest.mark.parametrize("field", ["sequence_number", "added_snapshot_id", "added_files_count", "existing_rows_count"])
def test_another_manifest_of_the_same_name(spark: SparkSession, folder: Path, table_of_test: str, field: str) -> None:
    manifests_read(spark, table_of_test)

    def change(entry: dict[str, int]) -> None:
        entry[field] -= 1

    (manifests,) = metadata(spark, table_of_test).glob("snap-*.avro")
    rewrite(manifests, change)
    assert manifests_read(spark, table_of_test) == 1


def test_a_manifest_with_faults_is_checked_again(spark: SparkSession, folder: Path, table_of_test: str) -> None:
    """A file whose bounds were altered, under the name and the entry of a good one, but for its length."""
    manifests_read(spark, table_of_test)

    def change(entry: dict[str, dict[str, list[dict[str, bytes]]]]) -> None:
        file = entry["data_file"]
        for bounds in ("lower_bounds", "upper_bounds"):
            for bound in file[bounds]:
                if len(bound["value"]) == 64:
                    bound["value"] = b"0" if bounds == "upper_bounds" else b"f"

    folder_of_table = metadata(spark, table_of_test)
    (manifest,) = folder_of_table.glob("*-m*.avro")
    rewrite(manifest, change)

    def relist(entry: dict[str, int]) -> None:
        entry["manifest_length"] = manifest.stat().st_size

    (manifests,) = folder_of_table.glob("snap-*.avro")
    rewrite(manifests, relist)
    for _ in range(2):  # its faults are not kept
        scale.forget(spark)
        spark.catalog.refreshTable(table_of_test)
        rows = spark.sql(QUERY.format(t=table_of_test)).collect()
        assert len(rows) == spark.sql(f"SELECT * FROM (SELECT id, {TEXTS} FROM range(400)) WHERE s3 > 'a'").count()


def test_a_manifest_that_was_cut_off_since(spark: SparkSession, folder: Path, table_of_test: str) -> None:
    manifests_read(spark, table_of_test)
    (manifest,) = metadata(spark, table_of_test).glob("*-m*.avro")
    manifest.write_bytes(manifest.read_bytes()[:-100])
    (manifest.parent / f".{manifest.name}.crc").unlink(missing_ok=True)
    scale.forget(spark)
    with pytest.raises(Exception, match="cut off"):
        spark.sql(QUERY.format(t=table_of_test)).collect()


TWICE = """
import json
from pathlib import Path
from spark_iceberg_sql.spark.optimizer import planning_facts
spark = sis.session("warehouse", config=SMALL)
if not Path("rows").exists():
    spark.sql(CREATE.format(t="local.db.t"))
    spark.table("local.db.t").write.parquet("rows")
spark.sql("SELECT * FROM iceberg_rules()").collect()  # the rules' own tests and probes read manifests, too
before = planning_facts.metadata_read()[0]
rows = spark.sql(QUERY.format(t="local.db.t")).collect()
read = planning_facts.metadata_read()[0] - before
plain = spark.sql(QUERY.format(t="parquet.rows".replace("rows", "`" + str(Path("rows").resolve()) + "`"))).collect()
print(json.dumps([read, sorted(rows) == sorted(plain), len(rows)]))
"""


def test_the_next_process_reads_no_manifest_for_the_check(spark: SparkSession, tmp_path: Path) -> None:
    jar = str(runtime_jar.runtime_jar(versions.runtime(pyspark.__version__, runtime_jar.scala())))
    environment = {"SPARK_ICEBERG_SQL_CACHE": str(tmp_path / "cache"), runtime_jar.JAR_VARIABLE: jar}
    script = f"CREATE = {CREATE!r}\nQUERY = {QUERY!r}\n{TWICE}"
    for manifests in (1, 0):
        output, _ = process.run(tmp_path, script, **environment)
        read, are_equal, rows = json.loads(output.splitlines()[-1])
        assert (read, are_equal) == (manifests, True)
        assert rows > 50
    assert len(list((tmp_path / "cache" / "manifests").glob("*/*"))) == 1

"""Writing to a table at a path, compaction, and ClickHouse's syntax through the gate."""

from __future__ import annotations

import gzip
import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from py4j.protocol import Py4JJavaError
from pyspark.errors import AnalysisException, ParseException
from pyspark.sql import SparkSession

from spark_iceberg_sql.errors import IcebergSqlError, IcebergSqlWarning
from spark_iceberg_sql.spark.attach import attach
from spark_iceberg_sql.spark.gate import intercept
from spark_iceberg_sql.spark.tables.catalog_settings import catalog
from spark_iceberg_sql.spark.tables.compaction import optimize


@pytest.fixture
def path(spark: SparkSession, tmp_path: Path) -> Iterator[Path]:
    """A Hadoop-layout table of ids 1, 2, 3 that has no name in this session."""
    catalog(spark, f"maker_{tmp_path.name}", "hadoop", warehouse=str(tmp_path))
    name = f"maker_{tmp_path.name}.db.t"
    spark.sql(f"CREATE TABLE {name} (id INT, name STRING) USING iceberg")
    spark.sql(f"INSERT INTO {name} VALUES (1, 'a'), (2, 'b'), (3, 'c')")
    yield tmp_path / "db" / "t"
    spark.sql(f"DROP TABLE {name} PURGE")


def ids(spark: SparkSession, path: Path) -> list[int]:
    rows = spark.sql(f"SELECT id FROM icebergLocal('{path}') ORDER BY id").collect()
    return [row[0] for row in rows]


def test_every_write(spark: SparkSession, path: Path) -> None:
    name = attach(spark, str(path), f"writes_{path.parts[-3]}.db.t")
    spark.sql(f"INSERT INTO {name} VALUES (4, 'd')")
    spark.sql(f"DELETE FROM {name} WHERE id = 1")
    spark.sql(f"UPDATE {name} SET name = 'new' WHERE id = 2")
    spark.sql(
        f"MERGE INTO {name} t USING (SELECT 9 AS id) s ON t.id = s.id WHEN NOT MATCHED THEN INSERT (id) VALUES (s.id)"
    )
    spark.sql(f"ALTER TABLE {name} ADD PARTITION FIELD bucket(4, id)")
    spark.sql(f"CALL {name.split('.')[0]}.system.rewrite_manifests(table => 'db.t')")
    assert ids(spark, path) == [2, 3, 4, 9]
    assert attach(spark, str(path), f"writes_{path.parts[-3]}.db.t") == name
    specs = spark.sql(f"SELECT max(spec_id) FROM iceberg_partition_specs('{path}')").collect()
    assert specs[0][0] == 1


def test_a_catalog_written_table_wants_its_catalog(spark: SparkSession, path: Path, tmp_path: Path) -> None:
    """With such a catalog: see tests/spark/stores, because JDBC needs a jar."""
    newest = path / "metadata" / "v2.metadata.json"
    name = "00009-0c9b9d3e-7a43-4c4d-a5ef-6ad6d3a0ffab.metadata.json"
    shutil.copy(newest, newest.with_name(name))
    owner = f"owner_{tmp_path.name}"
    with pytest.raises(IcebergSqlError, match=f"no catalog `{owner}`\nhelp: .*'jdbc'"):
        attach(spark, str(path), f"{owner}.db.mine")
    # A Hadoop catalog would write a v1.metadata.json of its own, and not see the owner's commits.
    other = f"other_{tmp_path.name}"
    catalog(spark, other, "hadoop", warehouse=str(tmp_path / "other"))
    for table in (f"{other}.db.t", f"{other}.x.any"):
        with pytest.raises(IcebergSqlError, match=rf"Hadoop catalog: .*\nhelp: .*iceberg\('{path}'\)"):
            attach(spark, str(path), table)
    assert not (tmp_path / "other").exists()
    with pytest.raises(IcebergSqlError, match="written through a catalog, and only") as caught:
        spark.sql(f"INSERT INTO FUNCTION icebergLocal('{path}') VALUES (3, 'c')")
    assert "path_" not in str(caught.value)  # a name that its user has never seen
    assert ids(spark, path) == [1, 2, 3]


def test_the_session_s_own_catalog_is_not_replaced(spark: SparkSession, path: Path) -> None:
    for name in ("spark_catalog", "Spark_Catalog"):
        with pytest.raises(IcebergSqlError, match=r"own catalog.*\nhelp: attach it as `lake\.db\.t`"):
            attach(spark, str(path), f"{name}.db.t")
    with pytest.raises(IcebergSqlError, match="own catalog"):
        catalog(spark, "spark_catalog", "hadoop", warehouse=str(path.parents[1]))
    for setting in ("", ".type", ".warehouse"):
        assert spark.conf.get(f"spark.sql.catalog.spark_catalog{setting}", None) is None


def test_names_that_do_not_fit(spark: SparkSession, path: Path) -> None:
    with pytest.raises(IcebergSqlError, match=r"does not name a catalog\nhelp: attach it as `mine\.t`"):
        attach(spark, str(path), "mine")
    catalog_name = f"maker_{path.parts[-3]}"
    with pytest.raises(IcebergSqlError, match=rf"help: attach it as `{catalog_name}`\.`db`\.`t`, or under"):
        attach(spark, str(path), f"{catalog_name}.db.other")
    with pytest.raises(IcebergSqlError, match="already exists, with the warehouse"):
        attach(spark, str(path), "local.db.t")
    with pytest.raises(AnalysisException, match=r"`url`.* contains `#`, and Iceberg's S3 client cuts keys"):
        spark.sql("SELECT * FROM iceberg('s3://lake/a#b/t')")
    with pytest.raises(AnalysisException, match="is not a table; the tables in it"):
        attach(spark, str(path.parent), "lake.db")
    for name in ("", "lake..t"):
        with pytest.raises(IcebergSqlError, match=r"is empty\nhelp: attach it as `lake\.t`"):
            attach(spark, str(path), name)
    older = path / "metadata" / "v1.metadata.json"
    with pytest.raises(IcebergSqlError, match=f"help: pass the table's folder, `{path}`"):
        attach(spark, str(older), "lake.db.t")
    with pytest.raises(AnalysisException, match="`ref` in `iceberg` is invalid: it only applies to reading"):
        attach(spark, str(path), "lake.db.t", ref="audit")
    with pytest.raises(AnalysisException, match="`x` is not one of iceberg, icebergS3"):
        attach(spark, str(path), "lake.db.t", store="x")
    with pytest.raises(AnalysisException, match="it only applies to S3"):
        attach(spark, str(path), "lake.db.t", access_key_id="sentinel", secret_access_key="sentinel")


def test_two_writers_lose_nothing(spark: SparkSession, path: Path) -> None:
    """Under two names in this session, which share no lock, at once; and of commits that race, one is told so."""
    names = [attach(spark, str(path), f"{n}_{path.parts[-3]}.db.`a.{n}`") for n in ("one", "two")]
    spark.sql(f"ALTER TABLE {names[0]} SET TBLPROPERTIES ('commit.retry.num-retries' = '50')")

    def write(number: int) -> None:
        spark.sql(f"INSERT INTO {names[number % 2]} VALUES ({100 + number}, 'w')")

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, range(12)))
    assert ids(spark, path) == [1, 2, 3, *range(100, 112)]
    assert all(spark.table(name).count() == 15 for name in names)
    versions = sorted(int(f.name[1:].split(".")[0]) for f in path.glob("metadata/v*.metadata.json"))
    assert versions == list(range(1, versions[-1] + 1))
    assert not list(path.glob("metadata/.*.tmp"))
    # Iceberg's own operations on what the other has changed.
    jvm: Any = spark._jvm
    tables = [jvm.org.apache.iceberg.spark.Spark3Util.loadIcebergTable(spark._jsparkSession, n) for n in names]
    first, second = [table.operations() for table in tables]
    base = second.current()
    tables[0].updateProperties().set("a", "1").commit()
    changed = jvm.org.apache.iceberg.TableMetadata.buildFrom(base).setProperties({"b": "2"}).build()
    with pytest.raises(Py4JJavaError, match="CommitFailedException: another writer has changed"):
        second.commit(base, changed)
    assert "b" not in first.refresh().properties()
    # Another version of the same number under another name, as a writer that compresses makes it.
    newest = path / "metadata" / f"v{versions[-1] + 1}.metadata.json"
    newest.with_name(f"v{versions[-1] + 2}.gz.metadata.json").write_bytes(gzip.compress(newest.read_bytes()))
    base = first.current()
    changed = jvm.org.apache.iceberg.TableMetadata.buildFrom(base).setProperties({"b": "2"}).build()
    with pytest.raises(Py4JJavaError, match="CommitFailedException"):
        first.commit(base, changed)
    with pytest.raises(IcebergSqlError, match=r"cannot have the property `write.metadata.compression-codec`"):
        spark.sql(f"ALTER TABLE {names[0]} SET TBLPROPERTIES ('write.metadata.compression-codec' = 'gzip')")
    # As text without a Java stack, in INSERT too.
    with pytest.raises(IcebergSqlError, match=r"all its files in .*`write.data.path`"):
        spark.sql(f"ALTER TABLE {names[0]} SET TBLPROPERTIES ('write.data.path' = '/outside')")
    inside = f"('write.data.path' = '{path}/here')"
    spark.sql(f"ALTER TABLE {names[0]} SET TBLPROPERTIES {inside}")
    spark.sql(f"DROP TABLE {names[0]}")
    assert ids(spark, path)[-1] == 111  # only the name is gone


def test_a_table_that_is_dropped_or_made_anew(spark: SparkSession, tmp_path: Path) -> None:
    owner, name = f"drops_{tmp_path.name}", f"dropped_{tmp_path.name}.db.z"
    catalog(spark, owner, "hadoop", warehouse=str(tmp_path))
    create = f"CREATE TABLE {owner}.db.z (id INT) USING iceberg"
    spark.sql(create)
    spark.sql(f"CREATE TABLE {owner}.db.other (id INT) USING iceberg")
    attach(spark, str(tmp_path / "db" / "z"), name)
    spark.sql(f"DROP TABLE {owner}.db.z PURGE")
    for text in ("SELECT * FROM {}", "DROP TABLE {}", "INSERT INTO {} VALUES (1)"):
        with pytest.raises(AnalysisException, match="TABLE_OR_VIEW_NOT_FOUND"):
            spark.sql(text.format(name))
    spark.sql(f"DROP TABLE IF EXISTS {name}")
    assert not spark.catalog.tableExists(name)
    assert spark.sql(f"SHOW TABLES IN {name.removesuffix('.z')}").count() == 0
    # CREATE TABLE by the name must not begin again at version 1: the folder may have a newer one.
    with pytest.raises(IcebergSqlError, match=r"^the table in .* was dropped, or created again; attach"):
        spark.sql(f"CREATE TABLE {name} (id INT) USING iceberg")
    spark.sql(create)
    for text in ("SELECT * FROM {}", "INSERT INTO {} VALUES (1)"):
        with pytest.raises(IcebergSqlError, match=r"not the one that was attached; attach it again"):
            spark.sql(text.format(name))
    attach(spark, str(tmp_path / "db" / "z"), name)
    spark.sql(f"INSERT INTO {name} VALUES (1)")
    spark.sql(f"DROP TABLE {owner}.db.z PURGE")
    attach(spark, str(tmp_path / "db" / "other"), name)  # the name is free
    gzip_ = "('write.metadata.compression-codec' = 'gzip')"
    spark.sql(f"ALTER TABLE {owner}.db.other SET TBLPROPERTIES {gzip_}")
    for say in (
        lambda: attach(spark, str(tmp_path / "db" / "other"), f"{name}2"),
        lambda: spark.sql(f"INSERT INTO {name} VALUES (1)"),
    ):
        with pytest.raises(IcebergSqlError, match="compression-codec") as caught:
            say()
        assert "\tat " not in str(caught.value)


def test_a_table_with_an_engine(spark: SparkSession, tmp_path: Path) -> None:
    """ClickHouse's statements, from creation to compaction; the rows are there by path, too."""
    name, folder = f"engine_{tmp_path.name}.db.t", tmp_path / "made" / "t"
    engine = f"ENGINE = IcebergLocal('{folder}')"
    create = f"CREATE TABLE {name} (id Int64, at Nullable(DateTime64(6)), tags Array(String)) {engine}"
    with pytest.raises(IcebergSqlError, match=r"there is no table at .*\nhelp: write the columns"):
        spark.sql(f"CREATE TABLE {name} {engine}")
    with pytest.warns(IcebergSqlWarning, match="SETTINGS iceberg_format_version is ignored"):
        spark.sql(f"{create} PARTITION BY (icebergMonth(at), icebergBucket(4, id)) SETTINGS iceberg_format_version = 2")
    spark.sql(f"INSERT INTO {name} VALUES (1, TIMESTAMP_NTZ'2024-01-02 03:04:05', array('a'))")
    spark.sql(f"INSERT INTO FUNCTION iceberg('{folder}') VALUES (2, NULL, array())")
    spark.sql(f"ALTER TABLE {name} ADD COLUMN n Nullable(Int32), ADD COLUMN u Nullable(String) FIRST")
    spark.sql(f"ALTER TABLE {name} MODIFY COLUMN n Nullable(Int64)")
    with pytest.raises(IcebergSqlError, match=r"`id` is NOT NULL\nhelp: first run .* DROP NOT NULL"):
        spark.sql(f"ALTER TABLE {name} MODIFY COLUMN id Nullable(Int64)")
    with pytest.raises(IcebergSqlError, match="`n` is nullable"):
        spark.sql(f"ALTER TABLE {name} MODIFY COLUMN n Int64")
    spark.sql(f"ALTER TABLE {name} UPDATE n = 7 WHERE id = 2")
    spark.sql(f"ALTER TABLE {name} RENAME COLUMN n TO m")
    spark.sql(f"OPTIMIZE TABLE {name} FINAL")
    spark.sql(f"OPTIMIZE TABLE {name} MANIFEST")
    expired = spark.sql(f"ALTER TABLE {name} EXECUTE expire_snapshots('2100-01-01 00:00:00')").first()
    assert expired is not None
    assert expired.deleted_data_files_count > 0
    short = name.partition(".")[0]
    spark.sql(f"CREATE TABLE {short}.two {engine}")
    spark.sql(f"OPTIMIZE TABLE {short}.two")  # a catalog and a table
    with pytest.warns(IcebergSqlWarning, match="SETTINGS max_threads is ignored"):
        rows = spark.sql(f"SELECT id, m, u FROM {name} ORDER BY id SETTINGS max_threads = 4").collect()
    assert [tuple(row) for row in rows] == [(1, None, None), (2, 7, None)]
    assert ids(spark, folder) == [1, 2]
    columns = dict(spark.sql(f"SELECT * FROM icebergLocal('{folder}')").dtypes)
    assert columns == {"u": "string", "id": "bigint", "at": "timestamp_ntz", "tags": "array<string>", "m": "bigint"}
    terms = spark.sql(f"SELECT transform FROM iceberg_partition_specs('{folder}')").collect()
    assert [row[0] for row in terms] == ["month", "bucket[4]"]
    spark.sql(create.replace("TABLE", "TABLE IF NOT EXISTS"))
    with pytest.raises(IcebergSqlError, match=rf"(?s)already a table at `{folder}`; .* IF NOT EXISTS"):
        spark.sql(create)
    with pytest.raises(AnalysisException, match=rf"`{folder}`") as caught:
        spark.sql(f"INSERT INTO FUNCTION icebergLocal('{folder}') VALUES (1)")
    assert "path_" not in str(caught.value)
    other = name.replace(".t", ".`by.name`")
    spark.sql(f"CREATE TABLE {other} {engine}")
    assert spark.table(other).count() == 2
    with pytest.raises(IcebergSqlError, match="`local` is another catalog"):
        spark.sql(create.replace(name, "local.db.t").replace("made", "none"))
    with pytest.raises(IcebergSqlError, match="already exists, for the table at"):
        spark.sql(create.replace("made", "none"))
    spark.sql(
        create.replace(name, f"{name}t").replace("/t'", "/tt'")
    )  # its folder's name is similar to that of a table
    plain = tmp_path / "plain"
    spark.range(1).write.parquet(str(plain))
    with pytest.raises(AnalysisException, match="has Parquet files, but no Iceberg metadata"):
        spark.sql(create.replace(name, f"{name}u").replace(str(folder), str(plain)))
    with pytest.raises(IcebergSqlError, match="already exists, for the table at"):
        spark.sql(f"CREATE TABLE {name} ENGINE = IcebergLocal('{table_at(spark, tmp_path)}')")


def table_at(spark: SparkSession, tmp_path: Path) -> Path:
    catalog(spark, f"other_{tmp_path.name}", "hadoop", warehouse=str(tmp_path))
    spark.sql(f"CREATE TABLE other_{tmp_path.name}.db.u (id INT) USING iceberg")
    return tmp_path / "db" / "u"


def test_catalog_helper(spark: SparkSession) -> None:
    with pytest.raises(IcebergSqlError, match="one of hadoop, jdbc, rest"):
        catalog(spark, "x", "oracle")
    with pytest.raises(IcebergSqlError, match="needs `warehouse`"):
        catalog(spark, "x", "jdbc", uri="jdbc:sqlite::memory:")
    with pytest.raises(IcebergSqlError, match="`local` is already configured"):
        catalog(spark, "local", "hadoop", warehouse="/elsewhere")
    catalog(spark, "far", "rest", uri="http://127.0.0.1:9", s3_path_style_access="true")
    assert spark.conf.get("spark.sql.catalog.far.s3.path-style-access") == "true"


def test_optimize_keeps_old_snapshots(spark: SparkSession, path: Path) -> None:
    name = attach(spark, str(path), f"optimized_{path.parts[-3]}.db.t")
    spark.sql(f"ALTER TABLE {name} SET TBLPROPERTIES ('write.delete.mode' = 'merge-on-read')")
    for n in (4, 5, 6):
        spark.sql(f"INSERT INTO {name} SELECT /*+ COALESCE(1) */ * FROM VALUES ({n}, 'x'), ({n}0, 'x')")
    spark.sql(f"DELETE FROM {name} WHERE id IN (4, 50)")
    before = spark.sql(f"SELECT snapshot_id, committed_at FROM iceberg_snapshots('{path}')").collect()
    old = {
        snapshot: spark.sql(f"SELECT * FROM icebergLocal('{path}', snapshot_id => {snapshot}) ORDER BY id").collect()
        for snapshot, _ in before
    }
    rows = ids(spark, path)
    deletes = spark.sql(f"SELECT * FROM iceberg_delete_files('{path}')").count()
    report = optimize(spark, name)
    assert deletes == report["removed_delete_files"] > 0  # by the first of two commits
    assert report["rewritten_data_files"] >= 4
    assert report["added_data_files"] == 1
    assert ids(spark, path) == rows
    files = spark.sql(f"SELECT content FROM iceberg_files('{path}')").collect()
    assert [row[0] for row in files] == [0]
    for snapshot, expected in old.items():
        call = f"icebergLocal('{path}', snapshot_id => {snapshot})"
        assert spark.sql(f"SELECT * FROM {call} ORDER BY id").collect() == expected


def test_optimize_counts_delete_files_of_either_commit(spark: SparkSession, path: Path) -> None:
    name = attach(spark, str(path), f"counted_{path.parts[-3]}.db.t")
    spark.sql(f"ALTER TABLE {name} SET TBLPROPERTIES ('write.delete.mode' = 'merge-on-read')")
    spark.sql(f"INSERT INTO {name} SELECT /*+ COALESCE(1) */ id, 'x' FROM range(10, 90)")
    spark.sql(f"DELETE FROM {name} WHERE id IN (10, 11)")
    for left in (1, 0):
        deletes = spark.sql(f"SELECT * FROM iceberg_delete_files('{path}')").count()
        assert (deletes > 0) == bool(left)
        assert optimize(spark, name)["removed_delete_files"] == deletes
    with pytest.raises(AnalysisException, match="TABLE_OR_VIEW_NOT_FOUND"):
        optimize(spark, f"{name}_absent".replace("`_absent", "_absent`"))
    with pytest.raises(IcebergSqlError, match="nothing to compact"):
        optimize(spark, f"{name}.files")


@pytest.mark.tier("quick", of="attach")
def test_spellings_through_the_gate(spark: SparkSession, path: Path) -> None:
    first = spark.sql(f"SELECT min(snapshot_id) FROM iceberg_snapshots('{path}')").collect()[0][0]
    for text in (
        f"SELECT * FROM icebergLocal('{path}', iceberg_snapshot_id = {first})",
        f"SELECT * FROM icebergLocal('{path}', SETTINGS iceberg_snapshot_id = {first})",
        f"SELECT * FROM icebergLocal('{path}') SETTINGS iceberg_snapshot_id = {first}",
    ):
        assert spark.sql(text).count() == 3
        with pytest.raises((AnalysisException, ParseException)):
            intercept.unchecked_sql(spark)(text)
    described = spark.sql(f"DESCRIBE icebergLocal('{path}')").collect()
    assert [row.col_name for row in described] == ["id", "name"]
    spark.conf.set("spark.iceberg_sql.collection.mine.path", str(path.parent))
    assert spark.sql("SELECT * FROM icebergLocal(mine, filename = 't')").count() == 3
    spark.conf.unset("spark.iceberg_sql.collection.mine.path")


def test_writing_spellings_through_the_gate(spark: SparkSession, path: Path) -> None:
    # A catalog of the session that has the folder is the one that writes, since it has the table in its cache.
    table_name = f"maker_{path.parts[-3]}.db.t"
    assert spark.table(table_name).count() == 3
    spark.sql(f"INSERT INTO FUNCTION icebergLocal('{path}') VALUES (7, 'g')")
    spark.sql(f"INSERT INTO FUNCTION icebergHDFS('file://{path}/') VALUES (8, 'h')")
    # A link's own name would get into the manifests, where maintenance takes the files for orphans.
    link = path.parents[1] / "cur"
    link.symlink_to(path)
    with pytest.raises(IcebergSqlError, match=rf"help: attach it as `{table_name.split('.')[0]}`.`db`.`t`"):
        attach(spark, str(link), f"{table_name.split('.')[0]}.cur")
    for at, spelled in enumerate((link, path.parent / "." / ".." / "db" / "t", f"FILE:{path}")):
        spark.sql(f"INSERT INTO FUNCTION icebergLocal('{spelled}') VALUES ({9 + at}, 'h')")
    kept = spark.sql(f"SELECT DISTINCT regexp_replace(path, '/[^/]*$', '') FROM {table_name}.manifests")
    assert [row[0] for row in kept.collect()] == [f"{path}/metadata"]
    assert spark.table(table_name).count() == 8
    link.unlink()
    # At once, by name and by path: the newest version is looked for while the other commits the next.
    spark.sql(f"ALTER TABLE {table_name} SET TBLPROPERTIES ('commit.retry.num-retries' = '50')")
    into = (table_name, f"FUNCTION icebergLocal('{path}')")
    with ThreadPoolExecutor(4) as pool:
        writes = (f"INSERT INTO {into[n % 2]} VALUES ({20 + n}, 'w')" for n in range(8))
        list(pool.map(spark.sql, writes))
    assert ids(spark, path)[-8:] == list(range(20, 28))
    spark.sql(f"DELETE FROM {table_name} WHERE id > 8")
    assert ids(spark, path) == [1, 2, 3, 7, 8]
    assert spark.table(table_name).count() == 5
    name = attach(spark, str(path), f"spelled_{path.parts[-3]}.db.t")
    spark.sql(f"DELETE FROM {name} WHERE id = 8")
    plan = spark.sql(f"EXPLAIN ALTER TABLE {name} DELETE WHERE id = 2").collect()[0][0]
    assert "Delete" in plan or "ReplaceData" in plan
    assert ids(spark, path) == [1, 2, 3, 7]
    spark.sql(f"ALTER TABLE {name} DELETE WHERE id = 2")
    spark.sql(f"OPTIMIZE TABLE {name}")
    assert ids(spark, path) == [1, 3, 7]
    assert spark.sql(f"SELECT * FROM {name}.files").count() == 1
    with pytest.raises(ParseException):
        intercept.unchecked_sql(spark)(f"OPTIMIZE TABLE {name}")

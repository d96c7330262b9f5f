"""A copied table's metadata refers to the original's files: writes are refused, and attempts to bypass that."""

from __future__ import annotations

import json
import os
import re
import shutil
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from adversary.implied import optimizer_rule
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession, functions

from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.spark import versions
from spark_iceberg_sql.spark.attach import attach
from spark_iceberg_sql.spark.bridge.jvm import sessions, shims
from spark_iceberg_sql.spark.gate import intercept
from spark_iceberg_sql.spark.tables.catalog_settings import catalog
from spark_iceberg_sql.spark.tables.compaction import optimize
from spark_iceberg_sql.spark.tables.locations import same_location

COPY = "is a copy, or was moved"
# The functions' own refusal, before Spark receives the statement; the rule's, after it.
REFUSED = (IcebergSqlError, PySparkException)


@pytest.fixture
def lake(spark: SparkSession, tmp_path: Path) -> Iterator[Path]:
    """A folder with the Hadoop table db/t of ids 1, 2, 3 in three files, by d."""
    owner = f"owner_{tmp_path.name}"
    catalog(spark, owner, "hadoop", warehouse=str(tmp_path))
    spark.sql(f"CREATE TABLE {owner}.db.t (id INT, d STRING) USING iceberg PARTITIONED BY (d)")
    spark.sql(f"INSERT INTO {owner}.db.t VALUES (1, 'a'), (2, 'b'), (3, 'c')")
    yield tmp_path
    spark.sql(f"DROP TABLE {owner}.db.t")


def files(folder: Path) -> set[str]:
    return {str(f.relative_to(folder)) for f in folder.rglob("*") if f.is_file()}


def say_location(table: Path, location: str, **properties: str) -> None:
    """Every metadata file states another location, and has additional properties."""
    for file in (table / "metadata").glob("*.metadata.json"):
        content = json.loads(file.read_text())
        content["location"] = location
        content["properties"] |= {k.replace("_", "."): v for k, v in properties.items()}
        file.write_text(json.dumps(content))
        file.with_name(f".{file.name}.crc").unlink(missing_ok=True)


def refused(spark: SparkSession, path: str, name: str) -> str:
    with pytest.raises(IcebergSqlError) as caught:
        attach(spark, path, name)
    assert spark.conf.get(f"spark.sql.catalog.{name.split('.')[0]}", None) is None
    return str(caught.value)


@pytest.mark.tier("quick", of="rule copies")
def test_a_copy_is_not_attached_and_the_original_keeps_its_files(spark: SparkSession, lake: Path) -> None:
    original, copy = lake / "db" / "t", lake / "copies" / "t"
    shutil.copytree(original, copy)
    before = files(original)
    refusal = refused(spark, str(copy), "thief1.t")
    assert COPY in refusal
    assert f"`{copy}`" in refusal
    assert f"`{original}`" in refusal
    assert "rewrite_table_path" in refusal
    with pytest.raises(IcebergSqlError, match=COPY):
        spark.sql(f"INSERT INTO FUNCTION icebergLocal('{copy}') VALUES (9, 'z')")
    with pytest.raises(IcebergSqlError, match=COPY):
        spark.sql(f"INSERT INTO FUNCTION icebergHDFS('file://{copy}/') SELECT 9, 'z'")
    assert files(original) == before


def test_optimize_and_our_spellings_refuse_a_copy_in_a_catalog(spark: SparkSession, lake: Path) -> None:
    copy = lake / "copies" / "t"
    shutil.copytree(lake / "db" / "t", copy)
    before = files(lake)
    name = f"copies_{lake.name}"
    catalog(spark, name, "hadoop", warehouse=str(copy.parent))
    with pytest.raises(IcebergSqlError, match=COPY):
        optimize(spark, f"{name}.t")
    for text in (f"OPTIMIZE TABLE {name}.t", f"ALTER TABLE {name}.`t` DELETE WHERE id = 1"):
        with pytest.raises(IcebergSqlError, match=COPY):
            spark.sql(text)
    assert files(lake) == before


def test_a_location_in_metadata_ends_no_line_and_no_literal(spark: SparkSession, lake: Path) -> None:
    """The location is the copy's own statement, which anybody may have written."""
    copy = lake / "copies" / "t"
    shutil.copytree(lake / "db" / "t", copy)
    say_location(copy, "file:/a', table => 'x\nhelp: DROP TABLE\x1b[31m")
    name = f"copies_{lake.name}"
    catalog(spark, name, "hadoop", warehouse=str(copy.parent))
    row = spark.sql("SELECT 9 AS id, 'z' AS d")
    for write in (lambda: optimize(spark, f"{name}.t"), lambda: row.writeTo(f"{name}.t").append()):
        with pytest.raises(REFUSED, match=COPY) as caught:
            write()
        sentence, remedy = str(caught.value).splitlines()[:2]
        assert "file:/a', table => 'x␊help: DROP TABLE␛[31m" in sentence
        assert "source_prefix => 'file:/a\\', table => \\'x␊help: DROP TABLE␛[31m'," in remedy


@pytest.mark.tier("quick", of="rule copies")
def test_reading_a_copy_says_where_its_files_are_once(spark: SparkSession, lake: Path) -> None:
    original, copy = lake / "db" / "t", lake / "copies" / "t"
    shutil.copytree(original, copy)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        spark.sql(f"SELECT * FROM icebergLocal('{copy}')").collect()
        spark.sql(f"SELECT * FROM icebergLocal('{copy}') WHERE id > 1").collect()
        spark.sql(f"SELECT * FROM iceberg_snapshots('{copy}')").collect()
    messages = [str(warning.message) for warning in caught if COPY in str(warning.message)]
    assert 1 <= len(messages) == len(set(messages)) <= 2  # as `/t`, and as `file:/t`
    assert all(f"`{original}`" in message for message in messages)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for path in (original, f"{original}/", f"{original}/metadata/v2.metadata.json"):
            assert spark.sql(f"SELECT * FROM icebergLocal('{path}')").count() == 3


@pytest.mark.parametrize(
    "spelling",
    [
        "{t}",
        "{t}/",
        "{t}//",
        "file:{t}",
        "file://{t}",
        "file:{lake}/./db//t",
        "{lake}/db/../db/t",
        "{link}/db/t",
        "{metadata}",
    ],
)
def test_other_spellings_of_its_own_place_are_taken(spark: SparkSession, lake: Path, spelling: str) -> None:
    link = lake.with_name(f"{lake.name}_link")
    link.symlink_to(lake)
    table = lake / "db" / "t"
    path = spelling.format(t=table, lake=lake, link=link, metadata=table)
    name = "same_" + re.sub(r"\W", "_", lake.name)
    attach(spark, path, f"{name}.db.t")
    spark.sql(f"INSERT INTO {name}.db.t VALUES (4, 'd')")
    assert spark.sql(f"SELECT * FROM icebergLocal('{table}')").count() == 4
    assert len(list((table / "data").rglob("*.parquet"))) == 4


@pytest.mark.parametrize(
    "location", ["{t}", "file:{t}", "file://{t}/", "FILE:{t}", "{lake}/db/./x/../t", "{link}/db/t"]
)
def test_other_spellings_of_the_original_do_not_make_a_copy_its_own(
    spark: SparkSession, lake: Path, location: str
) -> None:
    link = lake.with_name(f"{lake.name}_link")
    link.symlink_to(lake)
    original, copy = lake / "db" / "t", lake / "copies" / "t"
    shutil.copytree(original, copy)
    say_location(copy, location.format(t=original, lake=lake, link=link))
    assert COPY in refused(spark, str(copy), "thief2.t")


@pytest.mark.parametrize(
    ("folder", "location"),
    [
        ("a%20b", "a b"),
        ("a b", "a%20b"),
        ("T", "t"),
        ("t2", "t"),
        ("t", "t2"),
        ("t/t", "t"),
        ("é", "e\u0301"),
        ("t.", "t"),
        ("t ", "t"),
    ],
)
def test_places_that_look_alike_are_two(spark: SparkSession, lake: Path, folder: str, location: str) -> None:
    copy = lake / "alike" / folder
    shutil.copytree(lake / "db" / "t", copy)
    (lake / "alike" / location).mkdir(exist_ok=True, parents=True)
    if os.path.samefile(copy, lake / "alike" / location):
        pytest.skip("this disk does not tell them apart")
    say_location(copy, str(lake / "alike" / location))
    assert COPY in refused(spark, str(copy), "thief3.t")


@pytest.mark.parametrize("name", ["write.data.path", "write.metadata.path", "write.object-storage.path"])
def test_a_table_that_writes_outside_its_folder(spark: SparkSession, lake: Path, name: str) -> None:
    copy = lake / "copies" / "t"
    shutil.copytree(lake / "db" / "t", copy)
    say_location(copy, str(copy), **{name: str(lake / "db" / "t" / "data")})
    refusal = refused(spark, str(copy), "thief4.t")
    assert name in refusal
    assert str(lake / "db" / "t" / "data") in refusal
    say_location(copy, str(copy), **{name: f"{copy}/../t2"})
    assert name in refused(spark, str(copy), "thief4.t")


def test_a_copy_whose_metadata_was_edited_by_hand(spark: SparkSession, lake: Path) -> None:
    """The location is its own, but the manifests are the original's: text tools cannot edit Avro."""
    original, copy = lake / "db" / "t", lake / "copies" / "t"
    shutil.copytree(original, copy)
    for file in (copy / "metadata").glob("*.metadata.json"):
        file.write_text(file.read_text().replace(str(original), str(copy)))
        file.with_name(f".{file.name}.crc").unlink(missing_ok=True)
    before = files(original)
    refusal = refused(spark, str(copy), "thief5.t")
    assert "has files outside its folder" in refusal
    assert str(original) in refusal
    assert files(original) == before


def test_files_that_were_added_from_elsewhere(spark: SparkSession, lake: Path) -> None:
    """`add_files` adds another table's files, which stay where they are and would be deleted there."""
    owner = f"owner_{lake.name}"
    spark.range(3).selectExpr("CAST(id AS INT) id").write.parquet(str(lake / "theirs"))
    spark.sql(f"CREATE TABLE {owner}.db.added (id INT) USING iceberg")
    spark.sql(f"CALL {owner}.system.add_files(table => 'db.added', source_table => '`parquet`.`{lake}/theirs`')")
    refusal = refused(spark, str(lake / "db" / "added"), "thief6.db.added")
    assert f"has files outside its folder, in `file:{lake}/theirs`" in refusal.replace("file://", "file:")
    # A file removed from the table since would still be deleted by expire_snapshots.
    spark.sql(f"DELETE FROM {owner}.db.added")
    assert "has files outside" in refused(spark, str(lake / "db" / "added"), "thief6.db.added")
    spark.sql(f"DROP TABLE {owner}.db.added")


def test_a_name_that_stands_for_another_table(spark: SparkSession, lake: Path) -> None:
    owner = f"owner_{lake.name}"
    other = lake / "other" / "db" / "t"
    catalog(spark, f"other_{lake.name}", "hadoop", warehouse=str(lake / "other"))
    spark.sql(f"CREATE TABLE other_{lake.name}.db.t (id INT) USING iceberg")
    with pytest.raises(IcebergSqlError, match="has the name of its folder"):
        attach(spark, str(other), f"{owner}.db.t")


def test_a_hadoop_catalog_that_would_write_on_an_older_version(spark: SparkSession, lake: Path) -> None:
    metadata = lake / "db" / "t" / "metadata"
    (metadata / "v2.metadata.json").rename(metadata / "v5.metadata.json")
    (metadata / ".v2.metadata.json.crc").unlink(missing_ok=True)
    (metadata / "version-hint.text").write_text("1")
    (metadata / ".version-hint.text.crc").unlink(missing_ok=True)
    assert spark.sql(f"SELECT * FROM icebergLocal('{lake}/db/t')").count() == 3
    # A catalog for tables by their path begins at the version that was found.
    attach(spark, str(lake / "db" / "t"), f"path_gap_{lake.name}.db.t")
    assert spark.table(f"path_gap_{lake.name}.db.t").count() == 3
    catalog(spark, f"gap_{lake.name}", "hadoop", warehouse=str(lake))
    with pytest.raises(IcebergSqlError, match=r"v1\.metadata\.json.*v5\.metadata\.json"):
        attach(spark, str(lake / "db" / "t"), f"gap_{lake.name}.db.t")
    (metadata / "version-hint.text").write_text("5")
    attach(spark, str(lake / "db" / "t"), f"gap_{lake.name}.db.t")
    spark.sql(f"INSERT INTO gap_{lake.name}.db.t VALUES (4, 'd')")
    assert spark.sql(f"SELECT * FROM icebergLocal('{lake}/db/t')").count() == 4
    (metadata / "v1.metadata.json").unlink()


def test_the_way_out_that_the_refusal_names(spark: SparkSession, lake: Path) -> None:
    original, copy = lake / "db" / "t", lake / "copies" / "t"
    shutil.copytree(original, copy)
    refusal = refused(spark, str(copy), "thief7.t")
    prefixes = re.search(r"source_prefix => '[^']*', target_prefix => '[^']*'", refusal)
    assert prefixes is not None
    shutil.rmtree(copy)
    owner = f"owner_{lake.name}"
    listed = spark.sql(f"CALL {owner}.system.rewrite_table_path(table => 'db.t', {prefixes[0]})").collect()[0]
    for source, target in spark.read.csv(listed.file_list_location).collect():
        Path(target).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, target)
    before = files(original)
    name = f"way_{lake.name}"
    attach(spark, str(copy), f"{name}.t")
    spark.sql(f"DELETE FROM {name}.t WHERE id < 99")
    spark.sql(
        f"CALL {name}.system.expire_snapshots(table => 't', older_than => TIMESTAMP '2999-01-01', retain_last => 1)"
    )
    assert files(original) == before
    assert spark.sql(f"SELECT * FROM icebergLocal('{original}')").count() == 3


def test_a_copy_beside_a_table(spark: SparkSession, lake: Path) -> None:
    """A Hadoop catalog also names every sibling folder."""
    shutil.copytree(lake / "db" / "t", lake / "db" / "copy")
    name = f"beside_{lake.name}"
    catalog(spark, name, "hadoop", warehouse=str(lake / "db"))
    before = files(lake / "db")
    spark.sql(f"USE {name}")
    try:
        for text in (
            f"INSERT INTO {name}.copy VALUES (4, 'd')",
            f"insert overwrite table {name}.`copy` VALUES (4, 'd')",
            f"WITH a AS (SELECT * FROM {name}.t) INSERT INTO {name}.copy SELECT * FROM a",
            f"FROM {name}.t INSERT INTO {name}.copy SELECT *",
            f"/* x */ DELETE FROM {name}.copy WHERE id = 1",
            "DELETE FROM copy",
            f"UPDATE {name}.copy SET d = 'x'",
            f"MERGE INTO {name}.copy c USING {name}.t ON c.id = t.id WHEN MATCHED THEN DELETE",
            f"TRUNCATE TABLE {name}.copy",
            f"DROP TABLE IF EXISTS {name}.copy PURGE",
            f"CALL {name}.system.expire_snapshots(table => 'copy', retain_last => 1)",
            f"CALL {name}.system.expire_snapshots('{name}.copy')",
            "CALL system.remove_orphan_files(table => 'copy', dry_run => false)",
            f"INSERT INTO IDENTIFIER('{name}.copy') VALUES (4, 'd')",
        ):
            with pytest.raises(REFUSED, match=COPY):
                spark.sql(text)
        with pytest.raises(REFUSED, match=COPY):
            spark.sql("DELETE FROM IDENTIFIER(:t)", args={"t": f"{name}.copy"})
        assert files(lake / "db") == before
        assert spark.sql(f"SELECT * FROM {name}.copy").count() == 3
        spark.sql(f"INSERT INTO {name}.t SELECT * FROM {name}.copy")
        spark.sql(f"DELETE FROM {name}.t WHERE id IN (SELECT id FROM {name}.copy)")
        spark.sql(f"DROP TABLE {name}.copy")
    finally:
        spark.sql("USE spark_catalog")


@pytest.mark.needs("parameters in CALL")
def test_a_copy_that_a_parameter_of_call_names(spark: SparkSession, lake: Path) -> None:
    shutil.copytree(lake / "db" / "t", lake / "db" / "copy")
    name = f"beside_{lake.name}"
    catalog(spark, name, "hadoop", warehouse=str(lake / "db"))
    before = files(lake / "db")
    with pytest.raises(REFUSED, match=COPY):
        spark.sql(f"CALL {name}.system.expire_snapshots(table => :t)", args={"t": f"{name}.copy"})
    assert files(lake / "db") == before


def test_a_folder_that_was_exchanged_after_it_was_attached(spark: SparkSession, lake: Path) -> None:
    name = f"later_{lake.name}"
    catalog(spark, f"mine_{lake.name}", "hadoop", warehouse=str(lake / "mine"))
    spark.sql(f"CREATE TABLE mine_{lake.name}.t (id INT, d STRING) USING iceberg")
    attach(spark, str(lake / "mine" / "t"), f"{name}.t")
    shutil.rmtree(lake / "mine" / "t")
    shutil.copytree(lake / "db" / "t", lake / "mine" / "t")
    before = files(lake / "db")
    for text in (f"DELETE FROM {name}.t", f"INSERT INTO {name}.t VALUES (4, 'd')"):
        with pytest.raises((*REFUSED, Py4JJavaError), match=r"the table in .* is not the one that was attached"):
            spark.sql(text)
    with pytest.raises(REFUSED, match=COPY):
        attach(spark, str(lake / "mine" / "t"), f"{name}.t")
    assert files(lake / "db") == before


def computed(name: str) -> list[str]:
    """Forms of a write target other than a plain name."""
    catalog, _, table = name.partition(".")
    expire = f"CALL {catalog}.system.expire_snapshots(table => {{}}, older_than => TIMESTAMP '2100-01-01')"
    inner, half = expire.format(f"'{table}'"), f"'{table[:3]}'"
    immediate = "EXECUTE IMMEDIATE '{}'"
    with_old = "TBLPROPERTIES ('write.metadata.delete-after-commit.enabled' = 'true')"
    return [
        expire.format(f'"{table}"'),
        expire.format(f"'{table[:2]}' || '{table[2:]}'"),
        expire.format(f"concat('{table[:2]}', '{table[2:]}')"),
        expire.format(f"'{table[:2]}' '{table[2:]}'"),
        expire.format(f"r'{table}'"),
        expire.format(f"'\\u{ord(table[0]):04x}{table[1:]}'"),
        expire.format("the_copy"),
        f"CALL {catalog}.system.remove_orphan_files(\"{table}\", TIMESTAMP '2026-11-15')",
        f"CALL IDENTIFIER('{catalog}.system.expire_snapshots')('{table}', now(), 1)",
        f"CALL IDENTIFIER('{catalog}.system.' || 'expire_snapshots')(table => '{table}')",
        f"CALL identifier ( '{catalog}' ).system.expire_snapshots('{table}', now(), 1)",
        f"CALL {catalog}.IDENTIFIER('system').expire_snapshots('{table}', now(), 1)",
        f"EXECUTE IMMEDIATE \"CALL IDENTIFIER('{catalog}.system.expire_snapshots')('{table}')\"",
        f"BEGIN DECLARE p STRING DEFAULT '{catalog}.system.expire_snapshots'; CALL IDENTIFIER(p)('{table}'); END",
        immediate.format(inner.replace("'", "''")),
        f'EXECUTE IMMEDIATE "{inner}"',
        immediate.format(f"DELETE FROM {name}"),
        immediate.format(f"TRUNCATE TABLE {name}"),
        immediate.format(f"DROP TABLE {name} PURGE"),
        immediate.format(f"CREATE OR REPLACE TABLE {name} USING iceberg AS SELECT 1 AS id"),
        immediate.format(immediate.format(inner.replace("'", "''")).replace("'", "''")),
        "EXECUTE IMMEDIATE the_statement",
        f"EXECUTE IMMEDIATE 'CALL {catalog}.system.expire_snapshots(table => ?)' USING '{table}'",
        f"BEGIN {inner}; END",
        f"BEGIN IF 1 = 1 THEN {inner}; END IF; END",
        f"BEGIN IF (SELECT count(*) FROM {name}) > 0 THEN {inner}; END IF; END",
        f"BEGIN FOR r AS SELECT id FROM {name} DO {inner}; END FOR; END",
        f"BEGIN DECLARE x STRING DEFAULT '{table}'; {expire.format('x')}; END",
        f"BEGIN {immediate.format(inner.replace(chr(39), chr(39) * 2))}; END",
        f"BEGIN CREATE OR REPLACE TABLE {name} USING iceberg AS SELECT 1 AS id; END",
        # Values that only Spark's optimizer can compute, in the name or elsewhere.
        expire.format(f"coalesce('{table}', uuid())"),
        expire.format(f"if(rand() < 2, '{table}', 'x')"),
        expire.format(f"map('k', '{table}', 'z', uuid())['k']"),
        inner.replace("TIMESTAMP '2100-01-01'", "if(rand() < 2, now(), now())"),
        inner.replace(")", ", stream_results => coalesce(true, rand() < 1))"),
        f"BEGIN USE {catalog}.db; CALL {catalog}.system.expire_snapshots(current_schema() || '.copy', now(), 1); END",
        # Several tables in one statement.
        f"FROM (SELECT 9 AS id, 'z' AS d) INSERT INTO {name} SELECT * INSERT INTO {catalog}.db.own SELECT *",
        f"FROM (SELECT 9 AS id, 'z' AS d) INSERT INTO {catalog}.db.own SELECT * INSERT OVERWRITE {name} SELECT *",
        f"WITH r AS (SELECT 9 AS id, 'z' AS d) FROM r INSERT INTO {name} SELECT * INSERT INTO {name} SELECT *",
        # Iceberg writes the rows before it refuses them.
        f"INSERT INTO {name}.snapshots SELECT * FROM {name}.snapshots",
        f"INSERT INTO {name}.files SELECT * FROM {name}.files",
        f"BEGIN DROP TABLE {name} PURGE; END",
        f"BEGIN DECLARE s STRING; SET s = concat('{table[:4]}', '{table[4:]}'); {expire.format('s')}; END",
        f"BEGIN FOR r AS SELECT '{table}' AS n DO {expire.format('r.n')}; END FOR; END",
        f"BEGIN FOR r AS SELECT '{table[3:]}' AS n DO {expire.format(half + ' || r.n')}; END FOR; END",
        f"BEGIN DECLARE s STRING; EXECUTE IMMEDIATE \"SELECT '{table}'\" INTO s; {expire.format('s')}; END",
        f"BEGIN USE {catalog}; CALL system.expire_snapshots(reverse('{table[::-1]}'), now(), 1); END",
        f"BEGIN DECLARE s STRING; SET s = concat('DELETE ', 'FROM {name}'); EXECUTE IMMEDIATE s; END",
        f"BEGIN DECLARE s STRING; SET s = '{name[:-2]}'; EXECUTE IMMEDIATE 'DELETE FROM ' || s || '{name[-2:]}'; END",
        f"BEGIN DECLARE s STRING; SET s = 'DELETE FROM {name}'; EXECUTE IMMEDIATE s; END",
        "DELETE FROM IDENTIFIER(the_name)",
        f"CREATE OR REPLACE TABLE {name} USING iceberg AS SELECT 1 AS id",
        f"REPLACE TABLE {name} USING iceberg AS SELECT 1 AS id",
        f"CREATE OR REPLACE TABLE {name} (id INT) USING iceberg {with_old}",
        f"ALTER TABLE {name} SET {with_old}",
        f"ALTER TABLE {name} ADD COLUMN more INT",
        f"ALTER TABLE {name} ADD PARTITION FIELD bucket(4, id)",
    ]


# Statements among these that older versions of Spark refuse, by what they lack.
PARTLY = {
    "parts by IDENTIFIER": re.compile(r"^CALL (identifier \(|\S+\.IDENTIFIER\()"),
    "doubled quotes": re.compile("''"),
    "parameters in CALL": re.compile(r"CALL .*\?"),
    "computed statements": re.compile(r"EXECUTE IMMEDIATE '[^']*' \|\|"),
}


@pytest.mark.filterwarnings("ignore::spark_iceberg_sql.errors.IcebergSqlWarning")
@pytest.mark.needs("variables")
def test_what_is_written_may_be_computed(spark: SparkSession, lake: Path) -> None:
    shutil.copytree(lake / "db" / "t", lake / "db" / "copy")
    name = f"computed_{lake.name}"
    catalog(spark, name, "hadoop", warehouse=str(lake))
    spark.sql(f"INSERT INTO owner_{lake.name}.db.t VALUES (4, 'd')")
    spark.sql(f"CREATE TABLE {name}.db.own (id INT, d STRING) USING iceberg")
    before = files(lake / "db")
    spark.sql("DECLARE OR REPLACE VARIABLE the_copy STRING DEFAULT 'db.copy'")
    spark.sql(f"DECLARE OR REPLACE VARIABLE the_name STRING DEFAULT '{name}.db.copy'")
    spark.sql("DECLARE OR REPLACE VARIABLE the_statement STRING")
    spark.sql(f"SET VAR the_statement = 'DELETE FROM {name}.db.copy'")
    lacks = versions.spark_minor(spark.version).limitations
    assert PARTLY.keys() <= versions.SPARK_MINORS[-1].limitations.keys()
    for text in computed(f"{name}.db.copy"):
        if any(pattern.search(text) for needed, pattern in PARTLY.items() if needed in lacks):
            continue
        with pytest.raises(REFUSED, match=COPY):
            spark.sql(text)
        assert files(lake / "db") == before, text
    spark.sql("USE spark_catalog")
    with pytest.raises(IcebergSqlError, match=re.escape("`db.copy.history` is a metadata table")):
        spark.sql(f"CALL {name}.system.expire_snapshots(table => 'db.copy.history')")
    # Reading a copy, or writing another table in these ways, still works.
    spark.sql(f"EXECUTE IMMEDIATE 'INSERT INTO owner_{lake.name}.db.t SELECT * FROM {name}.db.copy'")
    spark.sql(f'CALL owner_{lake.name}.system.rewrite_manifests("db.t")')
    spark.sql(f"BEGIN DELETE FROM owner_{lake.name}.db.t WHERE id = 1; END")
    spark.sql(f"SELECT replace(d, 'a', 'b') FROM {name}.db.copy").collect()


def writers(spark: SparkSession, name: str, path: str, folder: Path) -> dict[str, Callable[[], object]]:
    """Ways to write without a `spark.sql` statement; each would leave the rows (9, 'a') or none."""
    rows = spark.createDataFrame([(9, "a")], "id INT, d STRING")
    sql = intercept.unchecked_sql(spark)

    def stream() -> None:
        rows.write.parquet(str(folder / "rows"))
        source = spark.readStream.schema(rows.schema).parquet(str(folder / "rows"))
        query = source.writeStream.option("checkpointLocation", str(folder / "checkpoint"))
        query.trigger(availableNow=True).toTable(name).awaitTermination()

    def stream_to(target: str, at: str) -> None:
        rows.write.mode("overwrite").parquet(str(folder / "rows"))
        source = spark.readStream.schema(rows.schema).parquet(str(folder / "rows"))
        query = source.writeStream.format("iceberg").option("checkpointLocation", str(folder / at))
        query.trigger(availableNow=True).start(target).awaitTermination()

    ways: dict[str, Callable[[], object]] = {
        "append": lambda: rows.writeTo(name).append(),
        "overwrite": lambda: rows.writeTo(name).overwrite(functions.lit(True)),
        "overwritePartitions": lambda: rows.writeTo(name).overwritePartitions(),
        "insertInto": lambda: rows.write.insertInto(name),
        "saveAsTable": lambda: rows.write.mode("append").format("iceberg").saveAsTable(name),
        "save": lambda: rows.write.mode("append").format("iceberg").save(name),
        "mergeInto": lambda: rows.mergeInto(name, functions.expr("false")).whenNotMatched().insertAll().merge(),
        "EXECUTE IMMEDIATE": lambda: sql(f"EXECUTE IMMEDIATE 'DELETE FROM {name} WHERE id = 1'"),
        "EXECUTE IMMEDIATE of all rows": lambda: sql(f"EXECUTE IMMEDIATE 'DELETE FROM {name}'"),
        "createOrReplace": lambda: rows.writeTo(name).using("iceberg").createOrReplace(),
        "replace": lambda: rows.writeTo(name).using("iceberg").replace(),
        "saveAsTable, overwrite": lambda: rows.write.mode("overwrite").format("iceberg").saveAsTable(name),
        "TRUNCATE": lambda: sql(f"TRUNCATE TABLE {name}"),
        "DELETE of a partition": lambda: sql(f"DELETE FROM {name} WHERE d = 'a'"),
        "merge-on-read": lambda: sql(f"UPDATE {name} SET id = 8 WHERE id = 1"),
        "stream": stream,
        "stream to a name": lambda: stream_to(name, "checkpoint2"),
        "stream to a path": lambda: stream_to(path, "checkpoint3"),
    }
    if shims.SPARK_VERSION < (4, 0):
        ways = {way: write for way, write in ways.items() if not way.startswith(("mergeInto", "EXECUTE IMMEDIATE"))}
    return ways


def test_writers_that_no_statement_names(spark: SparkSession, lake: Path) -> None:
    shutil.copytree(lake / "db" / "t", lake / "db" / "copy")
    name = f"written_{lake.name}"
    catalog(spark, name, "hadoop", warehouse=str(lake / "db"))
    before = files(lake / "db" / "t") | files(lake / "db" / "copy")
    for way, write in writers(spark, f"{name}.copy", str(lake / "db" / "copy"), lake / "no").items():
        with pytest.raises(PySparkException) as caught:
            write()
        assert COPY in str(caught.value), way
    assert files(lake / "db" / "t") | files(lake / "db" / "copy") == before
    owner = f"owner_{lake.name}.db.t"  # and each can write a table that is at the location in its metadata
    for way, write in writers(spark, owner, str(lake / "db" / "t"), lake / "yes").items():
        snapshots = spark.table(f"{owner}.snapshots").count()
        write()
        spark.sql(f"REFRESH TABLE {owner}")  # a write by path bypasses the catalog
        assert spark.table(f"{owner}.snapshots").count() == snapshots + 1, way


@pytest.mark.needs("expressions in CALL")
def test_a_folder_replaced_by_a_copy_is_one_although_its_table_is_cached(spark: SparkSession, lake: Path) -> None:
    name = f"cached_{lake.name}"
    catalog(spark, name, "hadoop", warehouse=str(lake / "other"))
    shutil.copytree(lake / "db" / "t", lake / "other" / "db" / "t")
    say_location(lake / "other" / "db" / "t", f"file:{lake}/other/db/t")
    spark.sql(f"INSERT INTO owner_{lake.name}.db.t VALUES (4, 'd')")
    spark.sql(f"SELECT * FROM {name}.db.t").collect()
    shutil.rmtree(lake / "other" / "db" / "t")
    shutil.copytree(lake / "db" / "t", lake / "other" / "db" / "t")
    before = files(lake)
    for text in (f"CALL {name}.system.expire_snapshots('db.t', now(), 1)", f"INSERT INTO {name}.db.t VALUES (5, 'e')"):
        with pytest.raises(REFUSED, match=COPY):
            spark.sql(text)
        assert files(lake) == before, text


def test_a_copy_around_its_original_is_not_dropped(spark: SparkSession, lake: Path) -> None:
    """A Hadoop catalog deletes the whole folder, PURGE or not."""
    name = f"around_{lake.name}"
    catalog(spark, name, "hadoop", warehouse=str(lake))
    for part in ("metadata", "data"):
        shutil.copytree(lake / "db" / "t" / part, lake / "db" / part)
    before = files(lake / "db" / "t")
    with pytest.raises(PySparkException, match=COPY):
        spark.sql(f"DROP TABLE {name}.db")
    assert files(lake / "db" / "t") == before
    shutil.copytree(lake / "db" / "t", lake / "beside" / "t")
    spark.sql(f"DROP TABLE {name}.beside.t")  # a copy elsewhere deletes only its own folder
    assert files(lake / "db" / "t") == before
    assert not (lake / "beside" / "t").exists()


@pytest.mark.needs("expressions in CALL")
def test_a_copied_metadata_file_is_not_registered(spark: SparkSession, lake: Path) -> None:
    name = f"registered_{lake.name}"
    spark.conf.set(f"spark.sql.catalog.{name}", "org.apache.iceberg.spark.SparkCatalog")
    for key, value in (
        ("catalog-impl", "org.apache.iceberg.inmemory.InMemoryCatalog"),
        ("io-impl", "org.apache.iceberg.hadoop.HadoopFileIO"),
        ("warehouse", str(lake / "jdbc")),
    ):
        spark.conf.set(f"spark.sql.catalog.{name}.{key}", value)
    shutil.copytree(lake / "db" / "t", lake / "db" / "copy")
    spark.sql(f"CREATE NAMESPACE {name}.db")
    newest = max((lake / "db" / "t" / "metadata").glob("*.metadata.json"))
    copied = lake / "db" / "copy" / "metadata" / newest.name
    for text in (
        f"CALL {name}.system.register_table('db.r', '{copied}')",
        f"CALL {name}.system.register_table(table => 'db.r', metadata_file => 'file:' || '{copied}')",
        f"BEGIN DECLARE f STRING; SET f = '{copied}'; CALL {name}.system.register_table('db.r', f); END",
        f"CALL {name}.system.register_table('db.r', coalesce('{copied}', uuid()))",
    ):
        with pytest.raises(REFUSED, match=COPY):
            spark.sql(text)
    with pytest.raises(Py4JJavaError, match="No in-memory file found"):  # it reaches the catalog
        spark.sql(f"CALL {name}.system.register_table('db.r', '{newest}')")


@pytest.mark.needs("expressions in CALL")
def test_a_procedure_that_only_reads_takes_a_copy(spark: SparkSession, lake: Path) -> None:
    name = f"reads_{lake.name}"
    catalog(spark, name, "hadoop", warehouse=str(lake))
    shutil.copytree(lake / "db" / "t", lake / "db" / "copy")
    assert spark.sql(f"CALL {name}.system.ancestors_of('db.copy')").count() == 1
    spark.sql(f"EXPLAIN CALL {name}.system.expire_snapshots('db.copy')").collect()


def test_sessions_made_before_and_after_the_rules(spark: SparkSession, lake: Path) -> None:
    """The rules are in every session of the family."""
    name = f"sessions_{lake.name}"
    shutil.copytree(lake / "db" / "t", lake / "db" / "copy")
    before = files(lake / "db")
    for session in (spark, spark.newSession(), spark.newSession().newSession()):
        catalog(session, name, "hadoop", warehouse=str(lake))
        with pytest.raises(PySparkException, match=COPY):
            intercept.unchecked_sql(session)(
                f"CALL {name}.system.expire_snapshots('db.copy', TIMESTAMP'2100-01-01', 1)"
            )
    assert files(lake / "db") == before


@pytest.mark.parametrize(
    ("location", "other", "same"),
    [
        ("s3://b/db/t/metadata", "s3a://b/db/t/metadata", True),
        ("s3n://b/db/t", "S3://b/db/t", True),
        ("s3://b/db/t", "s3://c/db/t", False),
        ("s3://b/db/t", "s3://b/db/T", False),
        ("abfss://c@a.dfs.core.windows.net/t", "wasbs://c@a.blob.core.windows.net/t", True),
        ("abfs://c@a.dfs.core.windows.net/t", "abfss://c@A.dfs.core.windows.net/t", True),
        ("abfss://c@a.dfs.core.windows.net/t", "abfss://d@a.dfs.core.windows.net/t", False),
        ("file:/tmp/t", "/tmp/./u/../t", True),
        ("/tmp/t", "/tmp/u", False),
    ],
)
def test_the_rule_and_the_gate_take_the_same_places_for_one(
    spark: SparkSession, location: str, other: str, same: bool
) -> None:
    rule = optimizer_rule(spark, "Copies")
    assert rule.isSame(location, other) is same
    with sessions.working_in(spark):
        assert same_location.is_same(location, other) is same

"""ClickHouse's spellings in Spark's words; what Spark takes is left alone."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.syntax.clickhouse.translation import translate

OPTIONS = "map('delete-file-threshold', '1', 'min-input-files', '2')"

TRANSLATED = [
    ("SELECT * FROM iceberg('p', snapshot_id = 1)", "SELECT * FROM iceberg('p', snapshot_id => 1)"),
    (
        "SELECT * FROM iceberg('p', SETTINGS iceberg_metadata_table_uuid = 'a', ref = 'b')",
        "SELECT * FROM iceberg('p', iceberg_metadata_table_uuid => 'a', ref => 'b')",
    ),
    ("SELECT * FROM iceberg('p' settings snapshot_id = 1)", "SELECT * FROM iceberg('p' , snapshot_id => 1)"),
    (
        "select * from icebergS3(conf, filename = 't') t where a = 1",
        "select * from icebergS3('conf', filename => 't') t where a = 1",
    ),
    ("SELECT * FROM icebergS3('u', NOSIGN)", "SELECT * FROM icebergS3('u', 'NOSIGN')"),
    (
        "SELECT * FROM iceberg('p') a JOIN icebergLocal('q', ref = 'b') USING (id)",
        "SELECT * FROM iceberg('p') a JOIN icebergLocal('q', ref => 'b') USING (id)",
    ),
    (
        "EXPLAIN SELECT * FROM iceberg('p', /* now */ timestamp_ms = 5 + 1)",
        "EXPLAIN SELECT * FROM iceberg('p', /* now */ timestamp_ms => 5 + 1)",
    ),
    (
        "SELECT * FROM db.t ORDER BY 1\nSETTINGS iceberg_timestamp_ms = 1714636800000",
        "SELECT * FROM db.t TIMESTAMP AS OF timestamp_millis(1714636800000) ORDER BY 1",
    ),
    (
        "SELECT * FROM t ORDER BY 1 SETTINGS iceberg_snapshot_id = 3547395809148285433;",
        "SELECT * FROM t VERSION AS OF 3547395809148285433 ORDER BY 1;",
    ),
    (
        "SELECT * FROM iceberg('p') WHERE a = 1 SETTINGS use_iceberg_partition_pruning = 1",
        "SELECT * FROM iceberg('p', use_iceberg_partition_pruning => 1) WHERE a = 1",
    ),
    ("DESCRIBE icebergS3(conf, filename = 't')", "DESCRIBE QUERY SELECT * FROM icebergS3('conf', filename => 't')"),
    ("DESC TABLE iceberg('p')", "DESC QUERY SELECT * FROM iceberg('p')"),
    ("SHOW CREATE TABLE iceberg('p', uuid = 'u');", "SELECT createtab_stmt FROM iceberg_ddl('p', uuid => 'u');"),
    ("show columns from icebergS3(conf)", "SELECT col_name FROM iceberg_columns('conf', store => 'icebergS3')"),
    ("SHOW COLUMNS IN iceberg_scan('p')", "SELECT col_name FROM iceberg_columns('p')"),
    ("SHOW PARTITIONS iceberg('p')", "SELECT * FROM iceberg_partitions('p')"),
    ("SHOW TBLPROPERTIES iceberg('p')", "SELECT * FROM iceberg_properties('p')"),
    ("SHOW TBLPROPERTIES iceberg('p')('a.b')", "SELECT * FROM iceberg_properties('p') WHERE key = 'a.b'"),
    (
        "DESC TABLE EXTENDED icebergAzure('a', 'b', 'c')",
        "SELECT * FROM iceberg_describe('a', 'b', 'c', store => 'icebergAzure')",
    ),
    ("DESC iceberg('p') w", "DESC QUERY SELECT w FROM iceberg('p')"),
    (
        "DESCRIBE TABLE EXTENDED icebergLocal('p', ref = 'r') `a b`",
        "DESCRIBE QUERY SELECT `a b` FROM icebergLocal('p', ref => 'r')",
    ),
    ("DESCRIBE FORMATTED iceberg('p')", "SELECT * FROM iceberg_describe('p')"),
    ("SELECT * FROM iceberg('p') VERSION AS OF 12 t WHERE x", "SELECT * FROM iceberg('p', version => 12) t WHERE x"),
    ("SELECT * FROM iceberg('p') FOR SYSTEM_VERSION AS OF 'audit'", "SELECT * FROM iceberg('p', version => 'audit')"),
    (
        "SELECT * FROM iceberg('p') FOR TIMESTAMP AS OF now() - INTERVAL '1' DAY AS t",
        "SELECT * FROM iceberg('p', timestamp => now() - INTERVAL '1' DAY) AS t",
    ),
    (
        "SELECT * FROM iceberg('p') TIMESTAMP AS OF date_sub(now(), 1)::timestamp JOIN u",
        "SELECT * FROM iceberg('p', timestamp => date_sub(now(), 1)::timestamp) JOIN u",
    ),
    (
        "SELECT * FROM iceberg('p') TIMESTAMP AS OF INTERVAL 1 DAY 2 HOURS + :when t",
        "SELECT * FROM iceberg('p', timestamp => INTERVAL 1 DAY 2 HOURS + :when) t",
    ),
    (
        "SELECT * FROM iceberg('p') TIMESTAMP AS OF (SELECT max(a) FROM b), c",
        "SELECT * FROM iceberg('p', timestamp => (SELECT max(a) FROM b)), c",
    ),
    (
        "SELECT * FROM iceberg('p') TABLESAMPLE (10 PERCENT) REPEATABLE (1) t",
        "SELECT * FROM (iceberg('p')) TABLESAMPLE (10 PERCENT) REPEATABLE (1) t",
    ),
    (
        "SELECT * FROM iceberg('p', k = 1) VERSION AS OF 'a' TABLESAMPLE (5 ROWS)",
        "SELECT * FROM (iceberg('p', k => 1, version => 'a')) TABLESAMPLE (5 ROWS)",
    ),
    ("OPTIMIZE TABLE cat.db.t", f"CALL cat.system.rewrite_data_files(table => 'cat.db.t', options => {OPTIONS})"),
    ("OPTIMIZE TABLE `my t`;", f"CALL system.rewrite_data_files(table => '`my t`', options => {OPTIONS});"),
    ("OPTIMIZE TABLE t FINAL", "CALL system.rewrite_data_files(table => 't', options => map('rewrite-all', 'true'))"),
    ("DROP TABLE cat.db.t SYNC", "DROP TABLE cat.db.t"),
    ("drop table if exists `my t` sync;", "drop table if exists `my t`;"),
    ("DROP TABLE cat.db.t SYNC SETTINGS iceberg_delete_data_on_drop = 0", "DROP TABLE cat.db.t"),
    ("OPTIMIZE TABLE cat.db.t MANIFEST", "CALL cat.system.rewrite_manifests(table => 'cat.db.t')"),
    (
        "ALTER TABLE cat.db.t EXECUTE expire_snapshots('2026-01-31 12:00:00');",
        "CALL cat.system.expire_snapshots(table => 'cat.db.t', older_than => TIMESTAMP '2026-01-31 12:00:00');",
    ),
    (
        "ALTER TABLE t EXECUTE expire_snapshots(retain_last = 3, snapshot_ids = [1, 2], dry_run = 0)",
        "CALL system.expire_snapshots(table => 't', retain_last => 3, snapshot_ids => array(1, 2))",
    ),
    (
        "ALTER TABLE t EXECUTE remove_orphan_files(older_than = '2026-01-31', dry_run = 1)",
        "CALL system.remove_orphan_files(table => 't', older_than => TIMESTAMP '2026-01-31', dry_run => true)",
    ),
    ("ALTER TABLE t EXECUTE rewrite_manifests", "CALL system.rewrite_manifests(table => 't')"),
    ("ALTER TABLE t EXECUTE compact()", "CALL system.rewrite_data_files(table => 't')"),
    (
        "SELECT * FROM icebergS3Cluster(default, conf, filename = 't', SETTINGS iceberg_use_version_hint = 1)",
        "SELECT * FROM icebergS3Cluster('default', 'conf', filename => 't', iceberg_use_version_hint => 1)",
    ),
    (
        "SELECT * FROM iceberg('p') SETTINGS max_threads = 4, iceberg_snapshot_id = 1",
        "SELECT * FROM iceberg('p', iceberg_snapshot_id => 1)",
    ),
    ("SELECT * FROM db.t SETTINGS max_threads = 4", "SELECT * FROM db.t"),
    ("INSERT INTO c.t SETTINGS allow_insert_into_iceberg = 1 VALUES (1)", "INSERT INTO c.t VALUES (1)"),
    ("ALTER TABLE c.t ADD COLUMN a Nullable(Int64) AFTER uuid", "ALTER TABLE c.t ADD COLUMNS (a BIGINT AFTER uuid)"),
    (
        "ALTER TABLE t ADD COLUMN `a b` LowCardinality(Nullable(String)), ADD COLUMN c Array(Float64) FIRST",
        "ALTER TABLE t ADD COLUMNS (`a b` STRING, c ARRAY<DOUBLE> FIRST)",
    ),
    (
        "ALTER TABLE t MODIFY COLUMN s.a Nullable(Decimal(20, 2));",
        "ALTER TABLE t ALTER COLUMN s.a TYPE DECIMAL(20, 2);",
    ),
    ("ALTER TABLE t UPDATE a = 1, b = 2 WHERE c", "UPDATE t SET a = 1, b = 2 WHERE c"),
    ("ALTER TABLE db.t DELETE WHERE x != 'I'", "DELETE FROM db.t WHERE x != 'I'"),
    ("ALTER TABLE t DELETE WHERE 1", "DELETE FROM t WHERE true"),
    ("ALTER TABLE t UPDATE a = 1 WHERE 1", "UPDATE t SET a = 1 WHERE true"),
    ("ALTER TABLE t ALTER COLUMN c TYPE Int64", "ALTER TABLE t ALTER COLUMN c TYPE BIGINT"),
    ("ALTER TABLE t MODIFY COLUMN v FIRST", "ALTER TABLE t ALTER COLUMN v FIRST"),
    ("ALTER TABLE t MODIFY COLUMN v AFTER w", "ALTER TABLE t ALTER COLUMN v AFTER w"),
    ("EXPLAIN ALTER TABLE t DELETE WHERE x > 1", "EXPLAIN DELETE FROM t WHERE x > 1"),
]


@pytest.mark.parametrize(("source", "expected"), TRANSLATED, ids=[t[0] for t in TRANSLATED])
def test_translated(source: str, expected: str) -> None:
    translation = translate(source, {"conf"})
    assert translation is not None
    assert translation.text == expected
    assert translate(expected, {"conf"}) is None


def test_an_insert_into_a_path() -> None:
    translation = translate("INSERT INTO FUNCTION icebergLocal('/lake/db/t/') VALUES ('/x', 1)")
    again = translate("INSERT INTO TABLE FUNCTION icebergLocal('/lake/db/t/') VALUES ('/x', 1)")
    assert translation is not None
    assert again is not None
    assert translation.text == again.text
    (attachment,) = translation.attach
    assert (attachment.call.first, attachment.name[1:]) == ("/lake/db/t/", ("t",))
    assert translation.text == f"INSERT INTO `{attachment.name[0]}`.`t` VALUES ('/x', 1)"
    resolved = translate(
        "INSERT INTO FUNCTION icebergS3(conf, 'K', 'SECRET', filename = 'u', SETTINGS region = 'x') SELECT 1",
        {"conf"},
        lambda _: ("lake", "db", "u"),
    )
    assert resolved is not None
    assert resolved.text == "INSERT INTO `lake`.`db`.`u` SELECT 1"
    (attachment,) = resolved.attach
    assert attachment.call.positional == ((None, "conf"), (None, "K"), (None, "SECRET"))
    assert attachment.call.keywords == (("filename", "u"), ("region", "x"))
    assert "SECRET" not in repr(resolved)


ENGINE = "ENGINE = IcebergLocal('/p')"
CREATED = [
    (
        "CREATE TABLE c.d.t (id Int64, s Nullable(String) COMMENT 'x', d Date) {engine} PARTITION BY toYear(d)",
        "CREATE TABLE c.d.t (id BIGINT NOT NULL, s STRING COMMENT 'x', d DATE NOT NULL) {by} (years(d))",
    ),
    (
        "CREATE TABLE c.t (a DateTime64(6), b DateTime64(6, 'Z')) {engine} PARTITION BY (toStartOfHour(a), toDate(b))",
        "CREATE TABLE c.t (a TIMESTAMP_NTZ NOT NULL, b TIMESTAMP NOT NULL) {by} (hours(a), days(b))",
    ),
    (
        "CREATE TABLE c.t (`a b` Map(LowCardinality(String), Nullable(Int32)), t Tuple(x Bool)) {engine}",
        "CREATE TABLE c.t (`a b` MAP<STRING, INT> NOT NULL, t STRUCT<x: BOOLEAN NOT NULL> NOT NULL) USING iceberg",
    ),
    (
        "CREATE TABLE IF NOT EXISTS c.t (b Bool) ENGINE = IcebergS3(conf, filename = 't') ORDER BY tuple() COMMENT 'a'",
        "CREATE TABLE IF NOT EXISTS c.t (b BOOLEAN NOT NULL) USING iceberg COMMENT 'a'",
    ),
    ("CREATE TABLE c.t (d Decimal64(3)) {engine}", "CREATE TABLE c.t (d DECIMAL(18, 3) NOT NULL) USING iceberg"),
    ("CREATE TABLE c.t {engine}", "REFRESH TABLE c.t"),
    (
        (
            "CREATE TABLE c.t (i Int64, `s t` String, b DateTime64(6, 'Europe/Berlin')) {engine} "
            "PARTITION BY (icebergBucketTransform(4, i), icebergTruncate(2, `s t`), identity(i), icebergDay(b))"
        ),
        (
            "CREATE TABLE c.t (i BIGINT NOT NULL, `s t` STRING NOT NULL, b TIMESTAMP NOT NULL) {by} "
            "(bucket(4, i), truncate(2, `s t`), i, days(b))"
        ),
    ),
]


@pytest.mark.parametrize(("source", "expected"), CREATED, ids=[c[0] for c in CREATED])
def test_a_table_with_an_engine(source: str, expected: str) -> None:
    translation = translate(source.format(engine=ENGINE), {"conf"})
    assert translation is not None
    assert translation.text == expected.format(by="USING iceberg PARTITIONED BY")
    assert translation.attach[0].is_new == expected.startswith("CREATE")
    assert translation.ignored == ()


# What is written instead holds every value; there is none where no type does.
INSTEAD = [
    ("DateTime", "DateTime64(6)"),
    ("DateTime('UTC')", "DateTime64(6, 'UTC')"),
    ("DateTime64(3, 'Europe/Berlin')", "DateTime64(6, 'Europe/Berlin')"),
    ("Nullable(DateTime('UTC'))", "Nullable(DateTime64(6, 'UTC'))"),
    ("DateTime64(9)", None),
    ("DateTime64(6, 'Nope/Zone')", None),
    ("Decimal256(4)", None),
    ("Decimal(0, 0)", None),
    ("Int128", None),
    ("UInt256", None),
    ("Int32 NULL", "Nullable(Int32)"),
    ("BIGINT UNSIGNED", "Decimal(20, 0)"),
    ("INT UNSIGNED", "Int64"),
    ("Nullable(UInt64)", "Nullable(Decimal(20, 0))"),
    ("Array(Nullable(UInt64))", "Array(Nullable(Decimal(20, 0)))"),
    ("Map(String, UInt64)", "Map(String, Decimal(20, 0))"),
    ("LowCardinality(UUID)", "LowCardinality(String)"),
    ("Map(UUID, Int128)", None),
]


@pytest.mark.parametrize(("kind", "instead"), INSTEAD)
def test_the_type_to_write_instead(kind: str, instead: str | None) -> None:
    with pytest.raises(IcebergSqlError, match="the column `v`") as caught:
        translate(f"CREATE TABLE c.t (v {kind}) {ENGINE}")
    written = re.search("help: write `v (.*)`", str(caught.value))
    assert (written and written[1]) == instead
    if instead is not None:
        assert translate(f"CREATE TABLE c.t (v {instead}) {ENGINE}") is not None


REFUSED = [
    (f"CREATE TABLE t (id Int64) {ENGINE}", "write CREATE TABLE lake.t"),
    (f"CREATE TABLE c.t (id UInt64) {ENGINE}", r"`id` .*`UInt64`.*\n.*`id Decimal\(20, 0\)`"),
    (f"CREATE TABLE c.t (a Array(UUID)) {ENGINE}", r"column `a` .*\n.*`a Array\(String\)`"),
    (f"CREATE TABLE c.t (t Tuple(x Int8)) {ENGINE}", r"column `t.x` .*`Int8`"),
    (f"CREATE TABLE c.t (t Tuple(Int32, String)) {ENGINE}", "without field names"),
    (f"CREATE TABLE c.t (ts DateTime) {ENGINE}", r"`ts DateTime64\(6\)`"),
    (f"CREATE TABLE c.t (ts DateTime64(9)) {ENGINE}", r"`DateTime64\(9\)`"),
    (f"CREATE TABLE c.t (d Decimal(40, 1)) {ENGINE}", "column `d`"),
    (f"CREATE TABLE c.t (a Int32 DEFAULT 1) {ENGINE}", "`DEFAULT` of the column `a`"),
    (f"CREATE TABLE c.t (a Int32, INDEX i a TYPE minmax) {ENGINE}", "`INDEX i` is neither a column"),
    # Its days are Berlin's, Iceberg's are UTC's.
    (f"CREATE TABLE c.t (b DateTime64(6, 'Europe/Berlin')) {ENGINE} PARTITION BY toDate(b)", "those of UTC"),
    (f"CREATE TABLE c.t (i Int64) {ENGINE} PARTITION BY toDate(i)", "no Iceberg transform"),
    (f"CREATE TABLE c.t (i Int64) {ENGINE} PARTITION BY i % 16", "no Iceberg transform"),
    (f"CREATE TABLE c.t (i Int64) {ENGINE} AS SELECT 1", "`AS SELECT` is not supported"),
    ("CREATE TABLE c.t (i Int64) ENGINE = IcebergLocal(concat('/', 'p'))", "must be literals"),
    ("ALTER TABLE t ADD COLUMN a Int64", r"write ADD COLUMN a Nullable\(Int64\)"),
    ("ALTER TABLE t MODIFY COLUMN a UUID", "column `a`"),
    ("DROP TABLE IF EXISTS t SETTINGS iceberg_delete_data_on_drop = 1", "write DROP TABLE IF EXISTS t to keep"),
    ("ALTER TABLE t DELETE", "has no WHERE"),
    ("ALTER TABLE t UPDATE a = 5", "has no WHERE"),
    ("ALTER TABLE t DROP PARTITION '2024-01-01'", "write DELETE FROM t WHERE"),
    ("ALTER TABLE t DROP PARTITION 1", "write DELETE FROM t WHERE ..., with"),
    ("ALTER TABLE t DROP PARTITION (1, 19723)", "write DELETE FROM t WHERE ..., with"),
    ("ALTER TABLE t DROP PARTITION tuple(1, 'a')", "write DELETE FROM t WHERE ..., with"),
    ("ALTER TABLE t DROP PARTITION ID '202401'", "write DELETE FROM t WHERE ..., with"),
    ("ALTER TABLE t DROP PARTITION ALL", "write DELETE FROM t WHERE true$"),
    (
        "ALTER TABLE t EXECUTE expire_snapshots(retention_period = '3d')",
        r"`retention_period = '3d'` .*\n.*write CALL system.expire_snapshots\(table => 't', older_than => TIMESTAMP",
    ),
    ("ALTER TABLE t EXECUTE expire_snapshots(dry_run = 1)", "`dry_run = 1` is no argument"),
    ("ALTER TABLE t EXECUTE remove_orphan_files(location = 'data')", r"remove_orphan_files\(.* dry_run => true\)"),
    (f"CREATE OR REPLACE TABLE c.t (a Int32) {ENGINE}", "write CREATE TABLE IF NOT EXISTS"),
    (f"CREATE TABLE c.t (n Int64) {ENGINE} PARTITION BY icebergBucket(n, 4)", r"write a column, icebergBucket\(16,"),
    ("ALTER TABLE t MODIFY COLUMN IF EXISTS a Int64", "no IF EXISTS"),
    ("ALTER TABLE t MODIFY COLUMN a REMOVE COMMENT", "no `REMOVE COMMENT`"),
    (f"CREATE TABLE c.t (n Int64) {ENGINE} PARTITION BY N", "`N`, which .*\nhelp: write n"),
    (f"CREATE TABLE c.t (n Int64) {ENGINE} PARTITION BY nope", "`nope`, which the table"),
    (f"CREATE TABLE c.t (n Int64) {ENGINE} PARTITION BY icebergBucket(-1, n)", "no Iceberg transform"),
    ("ALTER TABLE t MODIFY COLUMN a Int64 TTL d", "`TTL` is not supported"),
    ("ALTER TABLE t MODIFY COLUMN a Int64, MODIFY COLUMN b Int64", "one ALTER TABLE for each"),
]


@pytest.mark.parametrize(("text", "message"), REFUSED, ids=[r[0] for r in REFUSED])
def test_what_has_no_equal(text: str, message: str) -> None:
    with pytest.raises(IcebergSqlError, match=message):
        translate(text, {"conf"})


def test_what_has_no_effect_is_named() -> None:
    translation = translate(f"CREATE TABLE c.t (a Int32) {ENGINE} ORDER BY (a) SETTINGS iceberg_format_version = 2")
    assert translation is not None
    assert translation.ignored == (
        "ORDER BY (a) is ignored; to sort what is written, run ALTER TABLE c.t WRITE ORDERED BY a NULLS LAST",
        "SETTINGS iceberg_format_version is ignored",
    )
    created = f"CREATE TABLE c.t (a Int32, at DateTime64(6)) {ENGINE} ORDER BY "
    for order, expected in (
        ("(toYYYYMM(at) DESC, a)", "WRITE ORDERED BY months(at) DESC NULLS LAST, a NULLS LAST"),
        ("(a % 7)", "(a % 7) is ignored"),
    ):
        translation = translate(created + order)
        assert translation is not None
        assert translation.ignored[0].endswith(expected)
    orc = translate("CREATE TABLE c.t (a Int32) ENGINE = IcebergLocal('/p', format = 'ORC')")
    assert orc is not None
    assert "'write.format.default' = 'orc'" in orc.ignored[0]
    misspelt = translate("SELECT * FROM iceberg('p') SETTINGS iceberg_snapshotid = 4")
    assert misspelt is not None
    assert (misspelt.ignored, "iceberg_snapshotid => 4" in misspelt.text) == ((), True)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SELECT * FROM iceberg('p') SETTINGS {}", "SELECT * FROM iceberg('p')"),
        ("INSERT INTO c.t SETTINGS {} VALUES (1)", "INSERT INTO c.t VALUES (1)"),
        ("OPTIMIZE TABLE c.t MANIFEST SETTINGS {}", "CALL c.system.rewrite_manifests(table => 'c.t')"),
        ("ALTER TABLE c.t DELETE WHERE a = 1 SETTINGS {}", "DELETE FROM c.t WHERE a = 1"),
        ("ALTER TABLE c.t ADD COLUMN x Nullable(Int32) SETTINGS {}", "ALTER TABLE c.t ADD COLUMNS (x INT)"),
        (
            "ALTER TABLE c.t EXECUTE remove_orphan_files(dry_run = 1) SETTINGS {}",
            "CALL c.system.remove_orphan_files(table => 'c.t', dry_run => true)",
        ),
    ],
)
def test_settings_of_the_engine_are_left_out(text: str, expected: str) -> None:
    names = ("iceberg_insert_max_rows_in_data_file", "session_timezone", "allow_insert_into_iceberg")
    translation = translate(text.format(", ".join(f"{name} = 1" for name in names)), catalogs={"c"})
    assert translation is not None
    assert (translation.text, translation.ignored) == (expected, tuple(f"SETTINGS {name} is ignored" for name in names))


LEFT_ALONE = [
    "SELECT * FROM iceberg('p', snapshot_id => 1)",
    "SELECT * FROM iceberg(variable)",
    "SELECT * FROM iceberg((SELECT max(p) FROM t WHERE a = 1))",
    "SELECT * FROM iceberg('p', use_partition_pruning => a = 1)",
    "SELECT iceberg_bucket(8, id) = 3 FROM t WHERE iceberg_days(ts) = 1",
    "SELECT settings = 1 FROM t WHERE settings = 2",
    "SELECT 'iceberg(p, a = 1)', `iceberg` FROM t -- iceberg(p, a = 1)",
    "SELECT db.iceberg(a = 1) FROM t",
    "DESCRIBE TABLE iceberg",
    "SHOW CREATE TABLE iceberg.db.t",
    "SHOW COLUMNS IN iceberg('p') LIKE 'a*'",
    "SHOW TABLES IN iceberg('p')",
    "SELECT * FROM iceberg('p') TIMESTAMP AS OF CASE WHEN a THEN b END",
    "SELECT * FROM iceberg('p') version",
    "SELECT * FROM iceberg('p') VERSION AS OF",
    "SELECT * FROM iceberg('p') FOR",
    "DESCRIBE FUNCTION iceberg",
    "ALTER TABLE t ADD PARTITION FIELD bucket(8, id)",
    "ALTER TABLE t DROP PARTITION FIELD days(ts)",
    "ALTER TABLE t DROP PARTITION days(ts)",
    "ALTER TABLE t DROP PARTITION (day = '2024-01-01')",
    "ALTER TABLE t EXECUTE rollback(1)",
    "ALTER TABLE t EXECUTE expire_snapshots BETWEEN '2024-01-01' AND '2024-01-02'",
    "OPTIMIZE TABLE t FINAL MANIFEST",
    "DROP TABLE cat.sync",
    "DROP TABLE sync PURGE",
    "CREATE OR REPLACE TABLE c.t (a INT) USING iceberg",
    "ALTER TABLE t ADD COLUMN c INT AFTER uuid",
    "ALTER TABLE t ADD COLUMN c MAP<STRING, INT>",
    "ALTER TABLE t ADD COLUMN v VARIANT",
    "ALTER TABLE t ADD COLUMNS (a INT, b STRING)",
    "ALTER TABLE t RENAME COLUMN a TO b",
    "CREATE TABLE c.t (a INT) USING iceberg",
    "CREATE TABLE c.t (a Int32) ENGINE = MergeTree()",
    "OPTIMIZE TABLE t FINAL DEDUPLICATE",
    "INSERT INTO iceberg SELECT 1",
    "INSERT INTO FUNCTION icebergS3(concat('s3://b', '/t')) SELECT 1",
    "INSERT INTO FUNCTION iceberg_files('/p') SELECT 1",
    "SELECT 1 FROM iceberg('p', a = 1); SELECT 2",
    "SELECT * FROM iceberg('p', a = ",
]


@pytest.mark.parametrize("text", LEFT_ALONE)
def test_left_alone(text: str) -> None:
    assert translate(text, {"conf"}) is None


_PIECES = st.sampled_from(
    [
        "iceberg",
        "(",
        ")",
        ",",
        "'p'",
        "k",
        "=",
        "=>",
        "SETTINGS",
        "DESCRIBE",
        "SHOW",
        "VERSION AS OF",
        "TIMESTAMP AS OF",
        "INTERVAL",
        "TABLESAMPLE",
        "TABLE",
        "OPTIMIZE",
        "ALTER",
        "DELETE",
        "WHERE",
        "INSERT",
        "INTO",
        "FUNCTION",
        "icebergLocal",
        ".",
        ";",
        "FROM",
    ]
)


@example("SETTINGS iceberg = iceberg")
@given(st.lists(_PIECES, max_size=14).map(" ".join))
def test_any_text_is_translated_once_or_not_at_all(text: str) -> None:
    translation = translate(text)
    assert translation is None or translation.text != text

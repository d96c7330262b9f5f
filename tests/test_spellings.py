"""ClickHouse's spellings in Spark's words; what Spark takes is left alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_iceberg_sql.syntax.clickhouse import Attachment, translate

OPTIONS = "map('delete-file-threshold', '1', 'min-input-files', '2')"

TRANSLATED = [
    ("SELECT * FROM iceberg('p', snapshot_id = 1)", "SELECT * FROM iceberg('p', snapshot_id => 1)"),
    (
        "SELECT * FROM iceberg('p', SETTINGS iceberg_metadata_table_uuid = 'a', ref = 'b')",
        "SELECT * FROM iceberg('p', iceberg_metadata_table_uuid => 'a', ref => 'b')",
    ),
    (
        "SELECT * FROM iceberg('p' settings snapshot_id = 1)",
        "SELECT * FROM iceberg('p' , snapshot_id => 1)",
    ),
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
    (
        "DESCRIBE icebergS3(conf, filename = 't')",
        "DESCRIBE QUERY SELECT * FROM icebergS3('conf', filename => 't')",
    ),
    ("DESC TABLE iceberg('p')", "DESC QUERY SELECT * FROM iceberg('p')"),
    (
        "SHOW CREATE TABLE iceberg('p', uuid = 'u');",
        "SELECT createtab_stmt FROM iceberg_ddl('p', uuid => 'u');",
    ),
    (
        "show columns from icebergS3(conf)",
        "SELECT col_name FROM iceberg_columns('conf', store => 'icebergS3')",
    ),
    ("SHOW COLUMNS IN iceberg_scan('p')", "SELECT col_name FROM iceberg_columns('p')"),
    ("SHOW PARTITIONS iceberg('p')", "SELECT * FROM iceberg_partitions('p')"),
    ("SHOW TBLPROPERTIES iceberg('p')", "SELECT * FROM iceberg_properties('p')"),
    (
        "SHOW TBLPROPERTIES iceberg('p')('a.b')",
        "SELECT * FROM iceberg_properties('p') WHERE key = 'a.b'",
    ),
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
    (
        "SELECT * FROM iceberg('p') VERSION AS OF 12 t WHERE x",
        "SELECT * FROM iceberg('p', version => 12) t WHERE x",
    ),
    (
        "SELECT * FROM iceberg('p') FOR SYSTEM_VERSION AS OF 'audit'",
        "SELECT * FROM iceberg('p', version => 'audit')",
    ),
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
    (
        "OPTIMIZE TABLE cat.db.t",
        f"CALL cat.system.rewrite_data_files(table => 'cat.db.t', options => {OPTIONS})",
    ),
    (
        "OPTIMIZE TABLE `my t`;",
        f"CALL system.rewrite_data_files(table => '`my t`', options => {OPTIONS});",
    ),
    ("ALTER TABLE db.t DELETE WHERE x != 'I'", "DELETE FROM db.t WHERE x != 'I'"),
    ("EXPLAIN ALTER TABLE t DELETE WHERE x > 1", "EXPLAIN DELETE FROM t WHERE x > 1"),
]


@pytest.mark.parametrize(("given", "wanted"), TRANSLATED, ids=[t[0] for t in TRANSLATED])
def test_translated(given: str, wanted: str) -> None:
    found = translate(given, {"conf"})
    assert found is not None
    assert found.text == wanted
    assert translate(wanted, {"conf"}) is None


def test_an_insert_into_a_path() -> None:
    found = translate("INSERT INTO FUNCTION icebergLocal('/lake/db/t/') VALUES ('/x', 1)")
    assert found == translate(
        "INSERT INTO TABLE FUNCTION icebergLocal('/lake/db/t/') VALUES ('/x', 1)"
    )
    assert found is not None
    (attachment,) = found.attach
    assert attachment == Attachment("/lake/db/t", (attachment.name[0], "t"))
    assert found.text == f"INSERT INTO `{attachment.name[0]}`.`t` VALUES ('/x', 1)"
    again = translate("INSERT INTO FUNCTION iceberg_local('/lake/db/u') SELECT 1")
    assert again is not None
    assert again.attach[0].name == (attachment.name[0], "u")
    named = translate(
        "INSERT INTO FUNCTION iceberg_local('/lake/db/u') SELECT 1",
        (),
        lambda _: ("lake", "db", "u"),
    )
    assert named is not None
    assert named.text == "INSERT INTO `lake`.`db`.`u` SELECT 1"


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
    "OPTIMIZE TABLE t FINAL",
    "INSERT INTO iceberg SELECT 1",
    "INSERT INTO FUNCTION icebergS3('s3://b/t') SELECT 1",
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


@given(st.lists(_PIECES, max_size=14).map(" ".join))
def test_any_text_is_translated_once_or_not_at_all(text: str) -> None:
    found = translate(text)
    assert found is None or found.text != text

"""The setting `iceberg`: statements for a version of Iceberg that does not have everything yet."""

from __future__ import annotations

from pathlib import Path

import pytest

import spark_iceberg_sql as sis
from spark_iceberg_sql.cli import main

V3 = "CREATE TABLE db.t (id BIGINT) USING iceberg TBLPROPERTIES ('format-version' = '3')"
TABLE_STATS = "CREATE TABLE db.t (id BIGINT) USING iceberg;\nCALL local.system.compute_table_stats('db.t')"
PARTITION_STATS = TABLE_STATS.replace("table_stats", "partition_stats")
ROW_GROUP = "'write.parquet.row-group-size-bytes' = '3221225472'"
LONG = f"CREATE TABLE db.t (id BIGINT) USING iceberg TBLPROPERTIES ({ROW_GROUP})"
KEY = "CREATE TABLE db.t (id BIGINT) USING iceberg TBLPROPERTIES ('encryption.key-id' = 'k')"


def refused(text: str, iceberg: tuple[int, int] | None) -> list[tuple[str, str]]:
    tables = sis.Tables(catalog="local", namespace=("db",))
    tables.iceberg = iceberg
    return [(diagnostic.code, diagnostic.message) for diagnostic in sis.check(text, tables)]


@pytest.mark.parametrize(
    ("text", "iceberg", "code", "message"),
    [
        (V3, (1, 6), "SIS410", "format version 3 needs Iceberg 1.7; this is Iceberg 1.6"),
        (V3, (1, 7), None, ""),
        (V3, None, None, ""),
        (TABLE_STATS, (1, 7), "SIS605", "the procedure `compute_table_stats` needs Iceberg 1.8; this is Iceberg 1.7"),
        (TABLE_STATS, (1, 8), None, ""),
        (PARTITION_STATS, (1, 9), "SIS605", "the procedure `compute_partition_stats` needs Iceberg 1.10; this is"),
        (PARTITION_STATS, (1, 10), None, ""),
        (PARTITION_STATS, None, None, ""),
        (KEY, (1, 10), None, ""),
        (LONG, (1, 11), "SIS411", "`write.parquet.row-group-size-bytes` of 2147483648 or more needs Iceberg 1.12"),
        (LONG.replace("3221225472", "2147483647"), (1, 11), None, ""),
        (LONG, (1, 12), None, ""),
        (LONG, None, None, ""),
        (KEY, (1, 11), "SIS411", "`encryption.key-id` needs format version 3 since Iceberg 1.11"),
    ],
)
def test_what_a_version_does_not_have(
    text: str, iceberg: tuple[int, int] | None, code: str | None, message: str
) -> None:
    findings = refused(text, iceberg)
    assert [c for c, _ in findings] == ([] if code is None else [code])
    assert all(m.startswith(message) for _, m in findings)


def checked(folder: Path, value: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    (folder / ".iceberg-sql.toml").write_text(f"iceberg = {value}\n")
    (folder / "a.sql").write_text(V3 + ";\n")
    code = main(["check", str(folder / "a.sql")])
    captured = capsys.readouterr()
    return code, captured.out + captured.err


def test_the_setting_of_a_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    code, output = checked(tmp_path, '"1.6.1-amzn-2"', capsys)
    assert (code, "needs Iceberg 1.7; this is Iceberg 1.6" in output) == (1, True), output
    assert checked(tmp_path, '"1.12"', capsys)[0] == 0
    for value in ('"1.4"', '"new"', "1.7"):
        code, output = checked(tmp_path, value, capsys)
        assert (code, 'a version of Iceberg in quotes, "1.5" or later' in output) == (2, True), output

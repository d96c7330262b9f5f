"""Plans without a session: what statements would do, each after the last."""

from __future__ import annotations

import pytest

import spark_iceberg_sql as sis
from spark_iceberg_sql.checker.plan import FilesUnderSpec
from spark_iceberg_sql.checker.planner import plans
from spark_iceberg_sql.cli import main
from spark_iceberg_sql.model.tables import Tables

SCRIPT = """
CREATE TABLE c.db.t (id BIGINT, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts));
ALTER TABLE c.db.t ADD PARTITION FIELD bucket(4, id);
ALTER TABLE c.db.t DROP PARTITION FIELD ts_day;
ALTER TABLE c.db.t ADD PARTITION FIELD days(ts);
SELECT 1;
ALTER TABLE c.db.t ADD PARTITION FIELD hours(id);
"""


@pytest.fixture
def script_plans():
    return plans(Tables(catalog="c"), SCRIPT)


def changes(plan):
    return [(c.change, c.field.field_id, c.field.name) for c in plan.changes]


def test_each_statement_is_planned_on_what_the_ones_before_it_made(script_plans):
    assert [changes(plan) for plan in script_plans] == [
        [("added", 1000, "ts_day")],
        [("kept", 1000, "ts_day"), ("added", 1001, "id_bucket_4")],
        [("kept", 1001, "id_bucket_4"), ("dropped", 1000, "ts_day")],
        [("kept", 1001, "id_bucket_4"), ("added again", 1000, "ts_day")],
        [],
    ]


def test_a_refused_statement_changes_nothing(script_plans):
    assert script_plans[-1].after is None
    assert [d.code for d in script_plans[-1].report] == ["SIS202"]
    assert "nothing would change" in str(script_plans[-1])


def test_a_new_table_has_no_before(script_plans):
    assert script_plans[0].before is None
    assert "before: no table" in str(script_plans[0])


def test_names_that_need_backticks_are_quoted_in_the_call():
    tables = Tables(catalog="c")
    text = "CREATE TABLE c.db.`my t` (id BIGINT) USING iceberg;"
    text += "ALTER TABLE c.db.`my t` ADD PARTITION FIELD bucket(4, id)"
    plan = plans(tables, text)[1]
    counted = type(plan)(
        plan.statement, plan.table, plan.before, plan.after, plan.report,
        (FilesUnderSpec(0, 3, 1234),),
    )  # fmt: skip
    assert counted.rewrite == (
        "CALL c.system.rewrite_data_files(table => 'db.`my t`', options => map('rewrite-all', 'true'))"
    )
    assert "files: 3 (1.2 kB) stay under spec 0" in str(counted)


def test_the_known_tables_are_not_changed_by_asking():
    tables = Tables(catalog="c")
    plans(tables, SCRIPT)
    assert tables.get(("db", "t")) is None


def test_one_statement_only(script_plans):
    with pytest.raises(sis.IcebergSqlError, match="not 5"):
        sis.plan(Tables(catalog="c"), SCRIPT)


def test_the_command(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "m.sql").write_text(SCRIPT)
    assert main(["plan", "m.sql", "--isolated"]) == 1
    assert "+ 1001  id_bucket_4  bucket(4, id)" in capsys.readouterr().out
    statement = "CREATE TABLE t (id INT) USING iceberg PARTITIONED BY (bucket(4, id))"
    assert main(["plan", statement, "--isolated"]) == 0
    assert main(["plan", "SELECT 1", "--isolated"]) == 2


@pytest.mark.parametrize(
    ("statement", "why"),
    [
        ("ALTER TABLE db.x ADD PARTITION FIELD days(ts)", "no earlier statement creates it"),
        ("ALTER TABLE db.x SET TBLPROPERTIES ('format-version' = '2')", "no earlier statement creates"),
        ("CREATE OR REPLACE TABLE c.db.x (id INT) USING iceberg", "no earlier statement creates it"),
        ("CREATE TABLE c.db.x USING iceberg AS SELECT * FROM c.db.y", "query"),
        ("CREATE TABLE spark_catalog.db.x (id INT) USING parquet", "is not an Iceberg table"),
    ],
)
def test_what_nobody_knows_is_no_refusal(statement, why, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (plan,) = plans(Tables(catalog="c"), statement)
    assert plan.report.ok
    assert why in str(plan)
    assert "refused" not in str(plan)
    assert [row.detail for row in plan.rows() if row.part == "not planned"] == [plan.unplanned]
    assert main(["plan", "--isolated", statement]) == 2
    assert "refused" not in capsys.readouterr().out


def test_an_error_has_the_last_word_on_the_exit_code(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    script = "CREATE TABLE c.db.t (id INT) USING iceberg; ALTER TABLE c.db.t ADD PARTITION FIELD {}"
    unknown = "; ALTER TABLE c.db.nope ADD PARTITION FIELD id"
    assert main(["plan", "--isolated", script.format("days(id)") + unknown]) == 1
    assert main(["plan", "--isolated", script.format("id") + unknown]) == 2
    assert main(["plan", "--isolated", script.format("id")]) == 0

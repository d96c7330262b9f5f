"""check(): the script's memory, what is listed as not checked, ignores, and any text at all."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spark_iceberg_sql.checker.engine import TextOrigin, check, check_and_apply
from spark_iceberg_sql.diagnostics import Diagnostic, Severity, apply_edits
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.model.evolution import create_specs
from spark_iceberg_sql.model.schema import Schema
from spark_iceberg_sql.model.table import RelationKind, Table
from spark_iceberg_sql.model.tables import Tables
from spark_iceberg_sql.model.types import Field, Primitive
from spark_iceberg_sql.rules.message_format import without_nested_backticks
from spark_iceberg_sql.rules.registry import ALL
from spark_iceberg_sql.rules.sis002_not_checked import SkippedRule
from spark_iceberg_sql.rules.sis002_not_checked import skipped_note as skipped_note
from spark_iceberg_sql.rules.transform_inference import infer_transform
from spark_iceberg_sql.syntax.parser import parse
from spark_iceberg_sql.syntax.script import statements


def empty() -> Tables:
    return Tables(catalog="local", namespace=("db",), complete=True)


def codes(text: str, tables: Tables | None = None) -> list[str]:
    return [d.code for d in check(text, tables if tables is not None else empty())]


def only(text: str, tables: Tables | None = None) -> Diagnostic:
    (diagnostic,) = check(text, tables if tables is not None else empty())
    return diagnostic


CREATE = "CREATE TABLE t (id BIGINT, ts TIMESTAMP, s STRING) USING iceberg PARTITIONED BY (days(ts));\n"


# --- the script's memory ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        (CREATE + "ALTER TABLE t DROP PARTITION FIELD ts_day", []),
        (CREATE + "ALTER TABLE local.db.T DROP PARTITION FIELD ts_day", []),
        (CREATE + "ALTER TABLE t DROP PARTITION FIELD days(ts);ALTER TABLE t DROP PARTITION FIELD ts_day", ["SIS401"]),
        (CREATE + "DROP TABLE t; ALTER TABLE t ADD PARTITION FIELD id", ["SIS412"]),
        (CREATE + "DROP TABLE t;" + CREATE, []),
        (CREATE + CREATE, ["SIS412"]),
        (CREATE + "ALTER TABLE t RENAME TO u; ALTER TABLE u ADD PARTITION FIELD id", []),
        (CREATE + "ALTER TABLE t RENAME TO u; ALTER TABLE t DROP PARTITION FIELD ts_day", ["SIS412"]),
        (CREATE + "ALTER TABLE local.db.t RENAME TO u; ALTER TABLE db.u DROP PARTITION FIELD ts_day", []),
        (CREATE + "ALTER TABLE t ADD COLUMN n INT; ALTER TABLE t ADD PARTITION FIELD bucket(4, n)", []),
        (CREATE + "ALTER TABLE t DROP COLUMN s; ALTER TABLE t ADD PARTITION FIELD truncate(2, s)", ["SIS201"]),
        (CREATE + "ALTER TABLE t RENAME COLUMN s TO n; ALTER TABLE t ADD PARTITION FIELD truncate(2, n)", []),
        (CREATE + "ALTER TABLE t RENAME COLUMN ts TO at; ALTER TABLE t DROP PARTITION FIELD days(at)", []),
        (
            CREATE + "ALTER TABLE t ADD COLUMN p STRUCT<a: INT>; ALTER TABLE t ADD COLUMN p.b INT;"
            "ALTER TABLE t ADD PARTITION FIELD bucket(4, p.b)",
            [],
        ),
        (CREATE + "ALTER TABLE t REPLACE COLUMNS (n INT)", ["SIS407"]),
        (CREATE + "CREATE OR REPLACE TABLE t (n INT) USING iceberg; ALTER TABLE t ADD PARTITION FIELD n", ["SIS407"]),
        (CREATE + "USE other; ALTER TABLE t DROP PARTITION FIELD ts_day", ["SIS412"]),
        (CREATE + "USE other; USE local.db; ALTER TABLE t DROP PARTITION FIELD ts_day", []),
        (CREATE + "USE other; ALTER TABLE db.t DROP PARTITION FIELD ts_day", []),
        (CREATE + "CREATE VIEW v AS SELECT * FROM t; ALTER TABLE v ADD PARTITION FIELD id", ["SIS412"]),
        ("CREATE TEMP VIEW v AS SELECT 1; ALTER TABLE v ADD PARTITION FIELD id", ["SIS412"]),
        (
            (
                "CREATE TABLE other.t (id INT) USING iceberg; ALTER TABLE other.t RENAME TO u;"
                "ALTER TABLE other.u DROP PARTITION FIELD nope"
            ),
            ["SIS401"],
        ),
        (
            (
                "CREATE TABLE other.t (id INT) USING iceberg; ALTER TABLE other.t RENAME TO db.u;"
                "ALTER TABLE u DROP PARTITION FIELD nope"
            ),
            ["SIS401"],
        ),
        (CREATE + "ALTER TABLE t RENAME TO other.u; ALTER TABLE other.u DROP PARTITION FIELD ts_day", []),
        (CREATE + "USE CATALOG other; USE CATALOG local; ALTER TABLE db.t DROP PARTITION FIELD ts_day", ["SIS612"] * 2),
        (CREATE + "USE CATALOG other; ALTER TABLE db.t DROP PARTITION FIELD ts_day", ["SIS612", "SIS412"]),
        (
            (
                "USE DATABASE local; CREATE TABLE x (id INT) USING iceberg PARTITIONED BY (id);"
                "ALTER TABLE local.local.x DROP PARTITION FIELD id"
            ),
            [],
        ),
        (CREATE + "EXPLAIN ALTER TABLE t ADD COLUMN n INT; ALTER TABLE t DROP PARTITION FIELD nope", ["SIS401"]),
        (
            CREATE
            + "-- iceberg-sql: ignore\nALTER TABLE t ADD PARTITION FIELD bucket(0, id);"
            + "ALTER TABLE t DROP PARTITION FIELD nope",
            ["SIS002"],
        ),
        ("CREATE VIEW v AS SELECT 1; BEGIN DROP VIEW v; END; ALTER TABLE v ADD PARTITION FIELD id", ["SIS002"]),
        ("CREATE VIEW v AS SELECT 1;" + CREATE.replace("TABLE t", "TABLE v"), ["SIS412"]),
        ("CREATE TEMP VIEW v AS SELECT 1;" + CREATE.replace("TABLE t", "TABLE v"), []),
        ("CREATE VIEW v AS SELECT 1; DROP VIEW v;" + CREATE.replace("TABLE t", "TABLE v"), []),
    ],
)
def test_each_statement_is_judged_on_what_the_ones_before_it_left(script: str, expected: list[str]) -> None:
    actual = [d.code for d in check(script, empty()) if d.code[3] != "5"]
    assert actual == expected


@pytest.mark.parametrize(
    ("script", "why"),
    [
        (CREATE + "DROP TABLE t; ", "an earlier statement dropped it"),
        ("CREATE VIEW t AS SELECT 1; DROP VIEW t; ", "an earlier statement dropped it"),
        (CREATE + "ALTER TABLE t RENAME TO u; ", "an earlier statement renamed it"),
        ("", "no earlier statement creates it"),
    ],
)
def test_why_there_is_no_table(script: str, why: str) -> None:
    diagnostic = only(script + "ALTER TABLE t ADD PARTITION FIELD id")
    assert diagnostic.message == f"there is no table `t`: {why}"


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        (
            (
                "CREATE TABLE a.u (id INT) USING iceberg; ALTER TABLE a.t RENAME TO u;"
                "ALTER TABLE a.u DROP PARTITION FIELD nope"
            ),
            ["SIS002"],
        ),
        ("USE a; CREATE TABLE t (id INT) USING iceberg; ALTER TABLE a.t DROP PARTITION FIELD nope", ["SIS401"]),
        (
            (
                "USE spark_catalog.db; CREATE TABLE t (id INT) USING iceberg;"
                "ALTER TABLE spark_catalog.db.t DROP PARTITION FIELD nope"
            ),
            ["SIS401"],
        ),
        (
            (
                "CREATE OR REPLACE TABLE a.t (id INT) USING iceberg; ALTER TABLE a.t ADD COLUMN n INT;"
                "ALTER TABLE a.t ADD PARTITION FIELD bucket(4, n)"
            ),
            ["SIS002", "SIS002"],
        ),
    ],
)
def test_where_no_catalog_is_known(script: str, expected: list[str]) -> None:
    assert codes(script, Tables()) == expected


@pytest.mark.parametrize("why", [None, "nobody looked"])
def test_what_is_half_known_is_less_known_after_a_change(why: str | None) -> None:
    table = Table(("local", "db", "t"), specs=create_specs([]), why_unknown=why)
    script = "ALTER TABLE t ADD PARTITION FIELD bucket(4, id); ALTER TABLE t DROP PARTITION FIELD nope"
    *_, last = check(script, Tables([table], catalog="local", namespace=("db",)))
    reason = why or "an earlier statement changed it"
    assert last.message == f"partly checked: its partition specs are unknown ({reason})"
    assert last.skipped == ("SIS401",)


def test_a_column_statement_leaves_another_format_as_it_is() -> None:
    tables = empty()
    tables.put(Table(("local", "db", "t"), kind=RelationKind.OTHER, provider="parquet"))
    assert codes("ALTER TABLE t ADD COLUMN n INT; ALTER TABLE t ADD PARTITION FIELD n", tables) == ["SIS412"]


def test_a_table_made_like_another_is_not_followed() -> None:
    script = CREATE + "CREATE TABLE x LIKE t USING iceberg; ALTER TABLE x ADD PARTITION FIELD id"
    assert only(script, Tables()).message.endswith("(its CREATE TABLE could not be followed)")


def test_a_statement_with_an_error_has_not_run() -> None:
    script = (
        CREATE + "ALTER TABLE t ADD PARTITION FIELD bucket(0, id) AS shard; ALTER TABLE t DROP PARTITION FIELD shard"
    )
    assert codes(script) == ["SIS103", "SIS401"]


def test_a_statement_with_a_warning_has_run() -> None:
    script = CREATE + "ALTER TABLE t ADD PARTITION FIELD hours(ts); ALTER TABLE t DROP PARTITION FIELD ts_hour"
    assert codes(script) == ["SIS303"]


def test_case_sensitivity_is_followed() -> None:
    script = "CREATE TABLE t (id BIGINT, ID INT) USING iceberg PARTITIONED BY (id)"
    assert codes(script) != []
    assert codes("SET spark.sql.caseSensitive = true;" + script) == []
    minds = Tables(catalog="local", namespace=("db",), complete=True, case_sensitive=True)
    assert codes(script, minds) == []


def test_follow_leaves_its_mark_and_check_none() -> None:
    tables = empty()
    check(CREATE, tables)
    assert not isinstance(tables.get(("t",)), Table)
    check_and_apply(CREATE, tables)
    assert isinstance(tables.get(("t",)), Table)


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ("id, id", ["SIS412", "SIS301"]),
        ("id, identity(id)", ["SIS412", "SIS301"]),
        ("days(ts), days(ts)", ["SIS412", "SIS301"]),
        ("days(ts), day(ts)", ["SIS412"]),
    ],
)
def test_what_if_not_exists_hides_of_a_field_twice(fields: str, expected: list[str]) -> None:
    again = f"CREATE TABLE IF NOT EXISTS t (id INT, ts TIMESTAMP) USING iceberg PARTITIONED BY ({fields})"
    assert codes(CREATE + again) == expected


AGAIN = "ALTER TABLE t REPLACE PARTITION FIELD ts_day WITH {}(ts) AS {};"


def test_damage_is_said_once() -> None:
    ignored = CREATE + "-- iceberg-sql: ignore\n" + AGAIN.format("hours", "ts_day")
    assert codes(ignored + "ALTER TABLE t ADD PARTITION FIELD bucket(4, id)") == []
    assert codes(ignored + AGAIN.format("months", "ts_day")) == ["SIS404"]


def test_damage_by_letter_case() -> None:
    script = CREATE + AGAIN.format("hours", "TS_DAY")
    assert codes(script) == ["SIS404"]
    assert codes("SET spark.sql.caseSensitive = true;" + script) == []


@pytest.mark.parametrize("name", ["branch_b", "tag_x", "TAG_x"])
def test_branches_and_tags(name: str) -> None:
    """In small letters alone, measured: TABLE_OR_VIEW_NOT_FOUND for `t.BRANCH_b`."""
    diagnostic = only(CREATE + f"ALTER TABLE t.{name} ADD PARTITION FIELD id")
    assert diagnostic.code == "SIS412"
    assert ("there is no table" in diagnostic.message) == (name == "TAG_x")


def test_a_name_of_the_past_in_other_letters() -> None:
    script = CREATE.replace("days(ts)", "s") + (
        "ALTER TABLE t ADD PARTITION FIELD bucket(4, id) AS ID_bucket;"
        "ALTER TABLE t DROP PARTITION FIELD ID_bucket;"
        "CREATE OR REPLACE TABLE t (id BIGINT, s STRING) USING iceberg PARTITIONED BY (bucket(8, id))"
    )
    assert codes(script) == ["SIS404"]


def test_what_a_template_or_a_block_may_have_changed_is_forgotten() -> None:
    for change in (
        "ALTER TABLE t ADD PARTITION FIELD bucket({{ n }}, id);\n",
        "BEGIN ALTER TABLE t ADD COLUMN n INT; END;\n",
    ):
        report = check(CREATE + change + "ALTER TABLE t DROP PARTITION FIELD nope", empty())
        assert report.ok
        assert report.not_checked[-1].span.row == 3


def test_create_if_not_exists_keeps_what_is_there() -> None:
    script = CREATE + "CREATE TABLE IF NOT EXISTS t (n INT) USING iceberg; ALTER TABLE t DROP PARTITION FIELD ts_day"
    assert codes(script) == []


class Session(Tables):
    def columns_of(self, query: str) -> Schema | None:
        assert query.strip() == "SELECT 1L AS id, 'a' AS s"
        return Schema((Field("id", Primitive("long")), Field("s", Primitive("string"))))


def left_by(script: str, tables: Tables | None = None) -> Table:
    tables = tables if tables is not None else empty()
    report = check_and_apply(script, tables)
    assert report.ok, report.errors
    table = tables.get(("t",))
    assert isinstance(table, Table)
    return table


def columns(table: Table) -> list[str]:
    assert table.schema is not None
    return [
        f"{c.name} {c.field.type}{' required' if c.field.required else ''} {c.field.field_id}"
        for c in table.schema.columns
    ]


TWO = "CREATE TABLE t (id INT NOT NULL, p STRUCT<a: INT>, s STRING) USING iceberg;\n"


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ("", ["id int required 1", "p struct<a: int> 2", "p.a int 4", "s string 3"]),
        (
            "ALTER TABLE t ALTER COLUMN id TYPE BIGINT, p.a TYPE BIGINT",
            ["id bigint required 1", "p struct<a: bigint> 2", "p.a bigint 4", "s string 3"],
        ),
        (
            "ALTER TABLE t ALTER COLUMN nope TYPE BIGINT, ID DROP NOT NULL",
            ["id int 1", "p struct<a: int> 2", "p.a int 4", "s string 3"],
        ),
        (
            "ALTER TABLE t ALTER COLUMN id COMMENT 'key'",
            ["id int required 1", "p struct<a: int> 2", "p.a int 4", "s string 3"],
        ),
        ("ALTER TABLE t DROP COLUMNS (p, s)", ["id int required 1"]),
        ("ALTER TABLE t RENAME COLUMN p TO q", ["id int required 1", "q struct<a: int> 2", "q.a int 4", "s string 3"]),
        ("ALTER TABLE t REPLACE COLUMNS (s STRING, n INT)", ["s string 5", "n int 6"]),
        (
            "ALTER TABLE t ADD COLUMNS (n INT, q STRUCT<x: INT>)",
            [
                *("id int required 1", "p struct<a: int> 2", "p.a int 4", "s string 3"),
                *("n int 5", "q struct<x: int> 6", "q.x int 7"),
            ],
        ),
        (
            "ALTER TABLE t ADD COLUMN n INT; ALTER TABLE t ADD COLUMN p.b INT",
            ["id int required 1", "p struct<a: int, b: int> 2", "p.a int 4", "p.b int 6", "s string 3", "n int 5"],
        ),
        ("CREATE OR REPLACE TABLE t (s STRING, z INT) USING iceberg", ["s string 3", "z int 5"]),
    ],
)
def test_columns_after(change: str, expected: list[str]) -> None:
    # What Spark refuses for other reasons than partitioning is followed as far as it goes.
    tables = empty()
    check_and_apply(TWO, tables)
    check_and_apply(change, tables)
    table = tables.get(("t",))
    assert isinstance(table, Table)
    if "nope" not in change:
        assert columns(table) == expected


def test_which_of_two_names_comes_back_is_left_open() -> None:
    script = TWO + (
        "ALTER TABLE t ADD PARTITION FIELD bucket(4, id) AS a; ALTER TABLE t DROP PARTITION FIELD a;"
        "ALTER TABLE t ADD PARTITION FIELD bucket(4, id) AS b; ALTER TABLE t DROP PARTITION FIELD b;"
    )
    table = left_by(script + "ALTER TABLE t ADD PARTITION FIELD bucket(4, id)")
    assert table.specs is None
    assert columns(table)[0] == "id int required 1"
    left_open = check(
        script + "ALTER TABLE t ADD PARTITION FIELD bucket(4, id); ALTER TABLE t DROP PARTITION FIELD a", empty()
    )
    assert "the partition field's name is unknown (it has had several names)" in left_open.diagnostics[0].message
    assert "`a` and `b`, and Iceberg may choose either" in left_open.diagnostics[-1].message


def test_a_renamed_column_is_renamed_in_every_spec() -> None:
    script = TWO + (
        "ALTER TABLE t ADD PARTITION FIELD s; ALTER TABLE t DROP PARTITION FIELD s; ALTER TABLE t DROP COLUMN s;"
        "ALTER TABLE t ADD PARTITION FIELD bucket(4, id); ALTER TABLE t RENAME COLUMN id TO key"
    )
    specs = left_by(script).specs
    assert specs is not None
    assert [f.source for f in specs.all_fields] == ["s", "key"]


def test_properties_after() -> None:
    script = TWO + "ALTER TABLE t SET TBLPROPERTIES ('a' = '1', 'b' = '2', 'format-version' = '3');"
    table = left_by(script + "ALTER TABLE t UNSET TBLPROPERTIES ('a', 'c')")
    assert dict(table.properties) == {"b": "2", "format-version": "3"}
    assert table.format_version == 3


def test_rows_after() -> None:
    assert not left_by(TWO).has_rows
    tables = Session(catalog="local", namespace=("db",), complete=True)
    assert left_by("CREATE TABLE t USING iceberg AS SELECT 1L AS id, 'a' AS s", tables).has_rows


def test_create_or_replace_over_unknown_specs() -> None:
    tables = empty()
    old = Table(
        ("local", "db", "t"),
        schema=Schema((Field("id", Primitive("int"), False, 1),)),
        last_column_id=7,
        properties={"a": "1"},
        why_unknown="nobody looked",
    )
    tables.put(old)
    table = left_by("CREATE OR REPLACE TABLE t (id INT, s STRING) USING iceberg", tables)
    assert (table.specs, table.why_unknown) == (None, "nobody looked")
    assert columns(table) == ["id int 1", "s string 8"]


def test_properties_stay_over_create_or_replace() -> None:
    script = TWO + "ALTER TABLE t SET TBLPROPERTIES ('a' = '1');"
    table = left_by(script + "CREATE OR REPLACE TABLE t (id INT) USING iceberg TBLPROPERTIES ('b' = '2')")
    assert dict(table.properties) == {"a": "1", "b": "2"}
    assert table.last_column_id == 4


def test_other_formats_after() -> None:
    script = "CREATE TABLE spark_catalog.db.u (id INT);"
    tables = empty()
    check_and_apply(script, tables)
    table = tables.get(("spark_catalog", "db", "u"))
    assert isinstance(table, Table)
    assert (table.name, table.kind, table.provider) == (("spark_catalog", "db", "u"), RelationKind.OTHER, "parquet")


# --- what is known from outside --------------------------------------------------------------


def test_errors_about_absence_only_where_absence_is_known() -> None:
    statement = "ALTER TABLE t ADD PARTITION FIELD bucket(4, id)"
    assert only(statement).code == "SIS412"
    note = only(statement, Tables())
    assert (note.code, note.severity) == ("SIS002", Severity.NOTE)
    assert "SIS201" in note.skipped
    assert note.help is not None
    assert "--metadata" in note.help


def test_text_alone_is_judged_whatever_is_known() -> None:
    actual = codes("ALTER TABLE t ADD PARTITION FIELD weeks(ts)", Tables())
    assert actual == ["SIS002", "SIS101"]


def test_nothing_is_noted_of_statements_without_partition_ddl() -> None:
    script = "SELECT 1; INSERT INTO t VALUES (1); CREATE TABLE u AS SELECT 1; DROP TABLE x; CREATE VIEW v AS SELECT 1"
    assert codes(script, Tables()) == []


@pytest.mark.parametrize(
    ("change", "rules"),
    [
        ("ADD COLUMN n INT DEFAULT 1", "SIS408"),
        ("DROP COLUMN n", "SIS405, SIS407"),
        ("RENAME COLUMN n TO m", "SIS408"),
        ("ALTER COLUMN n TYPE BIGINT", "SIS409"),
    ],
)
def test_column_statements_on_unknown_tables(change: str, rules: str) -> None:
    note = only(f"ALTER TABLE t {change}", Tables())
    assert note.message == "only the text was checked: table `t` is unknown"
    assert ", ".join(note.skipped) == rules


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ("CHANGE COLUMN p.a a BIGINT", []),
        ("ALTER COLUMN p TYPE STRUCT<a: BIGINT>", ["SIS210"]),
        ("REPLACE COLUMNS (id INT DEFAULT 1)", ["SIS001"]),
    ],
)
def test_columns_changed(change: str, expected: list[str]) -> None:
    assert codes(TWO + f"ALTER TABLE t {change}") == expected


def test_defaults_of_a_table_that_is_made_are_judged_whatever_is_known() -> None:
    assert codes("CREATE TABLE a.t (id INT DEFAULT 1) USING iceberg", Tables()) == ["SIS208"]


def test_columns_of_other_formats_are_let_be() -> None:
    columns = "(a INT PRIMARY KEY, a INT)"
    assert codes(f"CREATE TABLE spark_catalog.db.u {columns} USING parquet") == []


def test_words_of_constraints_in_a_query() -> None:
    assert codes("CREATE TABLE t USING iceberg AS SELECT 1 AS check") == []


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        *(("variant", "SIS203"), ("geometry", "SIS203"), ("geography", "SIS203")),
        *(("fixed", "SIS502"), ("uuid", "SIS502")),
    ],
)
def test_types_that_no_statement_makes(kind: str, expected: str) -> None:
    columns = Schema((Field("event_guid", Primitive(kind), False, 1),))
    tables = empty()
    tables.put(Table(("local", "db", "t"), schema=columns, specs=create_specs([])))
    assert codes("ALTER TABLE t ADD PARTITION FIELD event_guid", tables) == [expected]


@pytest.mark.parametrize(
    ("name", "provider", "expected"),
    [
        ("t", "iceberg", "SIS101"),
        ("c.db.t", "parquet", "SIS101"),
        ("c.db.t", "orc", "SIS101"),
        ("c.db.t", "avro", "SIS101"),
        ("c.db.t", "csv", "SIS413"),
        ("db.t", "parquet", "SIS413"),
        ("t", "parquet", "SIS413"),
        ("spark_catalog.db.t", "parquet", "SIS413"),
    ],
)
def test_whose_format_it_is(name: str, provider: str, expected: str) -> None:
    table = f"CREATE TABLE {name} (ts TIMESTAMP) "
    clause = "PARTITIONED BY (weeks(ts))"
    assert codes(f"{table} USING {provider} {clause}", Tables()) == [expected]
    assert codes(f"{table} {clause}", Tables()) == (["SIS413"] if name.startswith("spark_catalog") else ["SIS101"])


def test_whose_format_it_is_in_a_known_catalog() -> None:
    statement = "CREATE TABLE t (ts TIMESTAMP) USING parquet PARTITIONED BY (weeks(ts))"
    assert codes(statement, Tables(catalog="local")) == ["SIS101"]
    assert codes(statement, Tables(catalog="spark_catalog")) == ["SIS413"]


@pytest.mark.parametrize(
    ("statement", "says"),
    [
        ("ALTER TABLE t ADD PARTITION FIELD id", "its columns are unknown (nothing defines them)"),
        ("ALTER TABLE t DROP COLUMN id", "its partition specs are unknown (nothing defines them)"),
        ("ALTER TABLE t DROP PARTITION FIELD id", "its partition specs are unknown (nothing defines them)"),
        ("ALTER TABLE t ADD COLUMN v VARIANT", "its format version is unknown (nothing defines it)"),
        ("CREATE OR REPLACE TABLE a.t (id INT) USING iceberg PARTITIONED BY (id)", "table `a.t` is unknown"),
        (
            "CREATE TABLE u USING iceberg PARTITIONED BY (id) AS SELECT * FROM f(1)",
            "its columns are unknown (they come from a query)",
        ),
    ],
)
def test_what_is_not_known_is_named(statement: str, says: str) -> None:
    tables = Tables(catalog="local", namespace=("db",))
    tables.put(Table(("local", "db", "t")))
    note = only(statement, tables)
    assert note.message.endswith(f": {says}")


def test_why_columns_are_not_known_is_said() -> None:
    tables = Tables([Table(("local", "db", "t"), why_unknown="nobody looked")], catalog="local")
    note = only("ALTER TABLE db.t ADD PARTITION FIELD id", tables)
    assert note.message.endswith(": its columns are unknown (nobody looked)")
    note = only("ALTER TABLE db.t ADD COLUMN v VARIANT", tables)
    assert note.message.endswith(": its format version is unknown (nobody looked)")


def test_only_create_like_is_of_sparks_own_catalog() -> None:
    """Nodes of unreadable statements have a `like`, too, which is the name of a mistake."""
    tables = Tables(catalog="local", namespace=("db",))
    names = {
        "ALTER TABLE t ADD PARTITION FIELD bucket(8 id)": ("t",),
        "CREATE TABLE t LIKE u": ("spark_catalog", "default", "t"),
        "CREATE TABLE t (id INT)": ("t",),
    }
    for text, name in names.items():
        (statement,) = statements(text)
        assert Context(text, parse(statement), tables, statement).target_name == name


@pytest.mark.parametrize(
    ("pattern", "name"),
    [
        ("yyyy-MM-dd", "day"),
        ("yyyyMMdd", "day"),
        ("YYYYMMDD", "day"),
        ("yyyyMM", "month"),
        ("yyyyMMddHHmmss", "hour"),
        ("%Y%m%d", "day"),
        ("holiday", None),
        ("yyyyMMfoo", None),
    ],
)
def test_the_transform_that_a_format_means(pattern: str, name: str | None) -> None:
    meaning = infer_transform("date_format", ["ts", f"'{pattern}'"])
    assert (meaning.transform.name if meaning is not None else None) == name


def test_two_things_that_are_not_known() -> None:
    skipped = [SkippedRule(rule, f"what{i}", f"why{i % 2}") for i, rule in enumerate(ALL[3:5])]
    (statement,) = statements("DROP TABLE t")
    note = skipped_note(Context("DROP TABLE t", parse(statement), empty(), statement), skipped)
    assert note.message == "partly checked: what0 is unknown (why0); what1 is unknown (why1)"


def test_a_template_names_its_words() -> None:
    diagnostic = only("ALTER TABLE t ADD PARTITION FIELD bucket({{ n }}, id)")
    assert diagnostic.message == "not checked: the value of `{{ n }}` is unknown"
    assert diagnostic.help == "check the statement with the values filled in, as `iceberg-sql run --var` does"


METADATA_TABLES = """
    entries files data_files delete_files history metadata_log_entries snapshots refs manifests partitions
    position_deletes changes all_entries all_files all_data_files all_delete_files all_manifests
"""


@pytest.mark.parametrize("name", METADATA_TABLES.split())
def test_metadata_tables(name: str) -> None:
    change = f"ALTER TABLE t.{name} ADD PARTITION FIELD id"
    assert "is a metadata table" in only(CREATE + change).message
    table = f"CREATE TABLE t.{name} (id INT) USING iceberg;"
    assert codes(CREATE + table + change) == []
    for other in ("", "CREATE VIEW t AS SELECT 1;"):
        assert only(other + change).message.startswith(f"there is no table `t.{name}`")


def test_a_table_of_another_format_is_replaced_by_a_new_one() -> None:
    tables = empty()
    tables.put(Table(("local", "db", "t"), kind=RelationKind.OTHER, provider="parquet"))
    assert codes("CREATE OR REPLACE TABLE t (id INT) USING iceberg PARTITIONED BY (id)", tables) == []


def test_a_table_without_columns() -> None:
    tables = empty()
    tables.put(Table(("local", "db", "t"), schema=Schema(()), specs=create_specs([])))
    assert only("ALTER TABLE t DROP COLUMN n", tables).help == "add the column first"


def test_a_hidden_column_in_a_query() -> None:
    statement = "CREATE TABLE t USING iceberg AS SELECT 1L AS id, 'a' AS s"
    assert codes(statement) == []
    note = only(statement.replace("'a'", "_pos"))
    assert note.message == ("partly checked: its columns are unknown (they come from a query)")
    assert note.help == (
        "add the CREATE TABLE of the query's tables earlier, cast computed columns, or check in a Spark session"
    )


def test_letter_case_of_a_column_added() -> None:
    script = "CREATE TABLE t (id INT) USING iceberg; ALTER TABLE t ADD COLUMN ID STRING"
    assert codes(script) == ["SIS207"]
    assert codes("SET spark.sql.caseSensitive = true;" + script) == []


def test_columns_of_a_query_by_the_session() -> None:
    statement = "CREATE TABLE t USING iceberg PARTITIONED BY (days(s)) AS SELECT 1L AS id, 'a' AS s"
    assert codes(statement) == ["SIS202"]
    assert codes(statement.replace("'a'", "f('a')")) == ["SIS002"]
    assert codes(statement, Session(catalog="local", namespace=("db",), complete=True)) == ["SIS202"]


def test_other_formats_and_views_are_no_tables_to_alter() -> None:
    tables = empty()
    for kind in (RelationKind.OTHER, RelationKind.VIEW):
        tables.put(Table(("local", "db", "t"), kind=kind, provider="parquet"))
        assert codes("ALTER TABLE t ADD PARTITION FIELD id", tables) == ["SIS412"]


def test_a_table_of_an_unnamed_format() -> None:
    tables = empty()
    tables.put(Table(("local", "db", "t"), kind=RelationKind.OTHER))
    assert "not an Iceberg table" in only("ALTER TABLE t ADD PARTITION FIELD id", tables).message


def test_hive_statements_on_unknown_tables() -> None:
    note = only("ALTER TABLE t ADD PARTITION (s = 'x')", Tables())
    assert note.code == "SIS002"
    assert "table `t` is unknown" in note.message


def test_a_field_named_like_a_column_is_dropped_by_its_clause() -> None:
    """No statement makes such a field without an error; a table may have one all the same."""
    tables = empty()
    check_and_apply("-- iceberg-sql: ignore\n" + CREATE.replace("days(ts)", "s"), tables)
    check_and_apply("-- iceberg-sql: ignore\nALTER TABLE t ADD PARTITION FIELD bucket(4, id) AS id", tables)
    diagnostic = only("ALTER TABLE t DROP PARTITION FIELD id", tables)
    assert (diagnostic.code, diagnostic.fix is not None) == ("SIS401", True)
    assert "DROP PARTITION FIELD bucket(4, id)" in (diagnostic.help or "")


def test_a_table_of_unknown_specs_keeps_its_columns() -> None:
    script = "CREATE OR REPLACE TABLE a.t (id BIGINT) USING iceberg; ALTER TABLE a.t ADD PARTITION FIELD nope"
    assert "SIS201" in codes(script, Tables())


def test_a_fault_of_a_rule_stops_no_statement() -> None:
    class Broken(Tables):
        def look_up(self, name: tuple[str, ...]) -> None:
            raise RuntimeError("no such thing")

    report = check(CREATE, Broken())
    assert not report.refuses
    (diagnostic,) = report.failed
    assert "RuntimeError: no such thing" in diagnostic.message


# --- one fault does not blind -----------------------------------------------------------------


@pytest.mark.parametrize("tables_type", [empty, Tables])
@pytest.mark.parametrize(
    ("create", "then", "expected"),
    [
        # What the later statement is at fault in is found, and no more.
        ("PARTITIONED BY (days(id))", "ADD PARTITION FIELD hours(nope)", ["SIS202", "SIS201"]),
        ("PARTITIONED BY (weeks(ts))", "ADD PARTITION FIELD days(s)", ["SIS101", "SIS202"]),
        ("PARTITION BY (days(ts))", "ADD PARTITION FIELD hours(nope)", ["SIS001", "SIS201"]),
        ("PARTITIONED BY (bucket(id, 16))", "ADD PARTITION FIELD bucket(16, id)", ["SIS104", "SIS402"]),
        ("PARTITIONED BY (days(ts), days(s))", "ADD PARTITION FIELD days(ts)", ["SIS202", "SIS402"]),
        ("PARTITIONED BY (days(ts)) PARTITIONED BY (id)", "DROP COLUMN nope", ["SIS001", "SIS201"]),
        ("TBLPROPERTIES ('format-version' = '7')", "DROP PARTITION FIELD s", ["SIS410", "SIS401"]),
        # What hangs on the words that cannot be read is no fault.
        ("PARTITIONED BY (days(id))", "DROP PARTITION FIELD id_day", ["SIS202"]),
        ("PARTITIONED BY (dayz(ts))", "DROP PARTITION FIELD ts_day", ["SIS101"]),
        ("PARTITION BY (days(ts))", "DROP PARTITION FIELD ts_day", ["SIS001"]),
        ("PARTITION BY (days(ts))", "REPLACE PARTITION FIELD ts_day WITH id", ["SIS001"]),
        ("PARTITIONED BY (weeks(ts))", "ADD COLUMN note STRING", ["SIS101"]),
        ("PARTITIONED BY (weeks(ts))", "RENAME TO u", ["SIS101"]),
        ("PARTITIONED BY (weeks(ts))", "ADD PARTITION FIELD id", ["SIS101"]),
    ],
)
def test_a_faulty_create_leaves_its_columns(
    tables_type: type[Tables], create: str, then: str, expected: list[str]
) -> None:
    script = f"CREATE TABLE t (id BIGINT, ts TIMESTAMP, s STRING) USING iceberg {create};"
    assert codes(f"{script} ALTER TABLE t {then}", tables_type()) == expected


@pytest.mark.parametrize(
    "again",
    [
        "CREATE TABLE t (n INT) USING iceberg; ALTER TABLE t ADD PARTITION FIELD n",
        "CREATE TABLE IF NOT EXISTS t (n INT) USING iceberg PARTITIONED BY (n)",
        "CREATE OR REPLACE TABLE t (n INT) USING iceberg; ALTER TABLE t ADD PARTITION FIELD n",
        "DROP TABLE t; CREATE TABLE t (n INT) USING iceberg",
    ],
)
def test_a_faulty_create_may_be_written_again(again: str) -> None:
    bad = "CREATE TABLE t (id BIGINT) USING iceberg PARTITIONED BY (weeks(id));"
    assert codes(bad + again) == ["SIS101"]


def test_a_faulty_create_does_not_undo_a_table_that_is_there() -> None:
    bad = "CREATE OR REPLACE TABLE t (n INT) USING iceberg PARTITIONED BY (weeks(n));"
    assert codes(CREATE + bad + "ALTER TABLE t DROP PARTITION FIELD ts_day") == ["SIS101"]


def test_no_message_denies_a_create_that_is_there() -> None:
    """Nothing can be read behind the name: the table is there all the same."""
    for bad in ("CREATE TABLE t (id BIGINT", "CREATE TABLE t PARTITIONED BY weeks(ts)"):
        report = check(f"{bad}; ALTER TABLE t ADD PARTITION FIELD id", Tables())
        assert [d.code for d in report] == ["SIS001", "SIS002"]
        assert report.diagnostics[1].message == (
            "partly checked: its columns are unknown (its CREATE TABLE has an error)"
        )


def test_a_table_that_is_unknown_is_said_once() -> None:
    alters = [f"ALTER TABLE {t} ADD PARTITION FIELD f{i}" for i in range(3) for t in ("a.t", "a.u")]
    report = check("; ".join([*alters, "ALTER TABLE a.t DROP COLUMN f1"]), Tables())
    assert [(d.message, d.statements) for d in report] == [
        ("only the text was checked: table `a.t` is unknown", 4),
        ("only the text was checked: table `a.u` is unknown", 3),
    ]
    assert "SIS201" in report.diagnostics[0].skipped
    assert "SIS" not in report.diagnostics[0].message


def test_a_note_that_is_silenced_is_not_the_one_that_counts() -> None:
    statement = "ALTER TABLE a.t ADD PARTITION FIELD id"
    (note,) = check(f"{statement}; -- noqa: SIS002\n{statement};\n{statement}; -- noqa: SIS002\n{statement}", Tables())
    assert (note.code, note.span.row, note.statements) == ("SIS002", 2, 2)


# --- ignores ---------------------------------------------------------------------------------

BAD = "CREATE TABLE t (id BIGINT, ts TIMESTAMP) USING iceberg\nPARTITIONED BY (weeks(ts), quarters(ts))"


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        (BAD, ["SIS101", "SIS101"]),
        (BAD + " -- noqa", []),
        (BAD + "; -- noqa: SIS101", []),
        (BAD + "; -- noqa:SIS101,SIS202", ["SIS003"]),
        (BAD + "; -- noqa: SIS202", ["SIS101", "SIS101", "SIS003"]),
        (BAD.replace("\n", " -- noqa: SIS101\n"), ["SIS003", "SIS101", "SIS101"]),
        ("-- iceberg-sql: ignore[SIS101] we run our own build\n" + BAD, []),
        ("/* iceberg-sql: ignore[SIS101, SIS202] */" + BAD, ["SIS003"]),
        ("-- iceberg-sql: ignore\n" + BAD, []),
        ("-- iceberg-sql: ignore[SIS101]\nSELECT 1;\n" + BAD, ["SIS003", "SIS101", "SIS101"]),
        (BAD + ";\n-- iceberg-sql: ignore[SIS101]\n", ["SIS101", "SIS101", "SIS003"]),
        (BAD + ";\n-- iceberg-sql: skip-file", []),
        ("SELECT '-- noqa: SIS101'", []),
        ("SELECT 1 -- see the noqa: list\n", []),
    ],
)
def test_ignores(script: str, expected: list[str]) -> None:
    assert codes(script) == expected


def test_an_ignored_error_is_taken_to_have_run() -> None:
    script = "-- iceberg-sql: ignore[SIS303] v1\n" + CREATE.replace("days(ts)", "days(ts), years(ts)")
    assert codes(script + "ALTER TABLE t DROP PARTITION FIELD ts_year") == []


@pytest.mark.parametrize(
    ("comment", "message", "help_"),
    [
        ("iceberg-sql: ignore", "nothing to ignore", "remove the comment"),
        ("iceberg-sql: ignore[LT05]", "nothing to ignore for LT05", "remove the comment"),
        ("noqa: LT05, SIS101", "nothing to ignore for SIS101", "remove SIS101 from the comment"),
        ("noqa: SIS101, SIS102", "nothing to ignore for SIS101, SIS102", "remove the comment"),
        ("noqa: SIS101, SIS207", "nothing to ignore for SIS101", "remove SIS101 from the comment"),
    ],
)
def test_what_an_unused_ignore_says(comment: str, message: str, help_: str) -> None:
    columns = "id INT, id INT" if "SIS207" in comment else "id INT"
    diagnostic = only(f"CREATE TABLE t ({columns}) USING iceberg -- {comment}\n")
    assert (diagnostic.code, diagnostic.message, diagnostic.help) == ("SIS003", message, help_)


@pytest.mark.parametrize(
    "comment", ["noqa", "noqa: LT05", "noqa: disable=all", "noqa: enable=all", "noqa:PRS,CP01", "noqa: LT05 long line"]
)
@pytest.mark.parametrize("pattern", ["-- {}\n", "/* {} */ "])
def test_the_comments_of_other_linters_are_none_of_ours(comment: str, pattern: str) -> None:
    text = "SELECT 1; " + pattern.format(comment) + "SELECT 2;"
    assert check(text, empty()).diagnostics == ()


@pytest.mark.parametrize(
    ("text", "without"),
    [
        ("SELECT 1; -- noqa: SIS501; DROP TABLE db.users;", "SELECT 1; "),
        ("SELECT 1; -- noqa: SIS501 DROP TABLE db.users\r\nSELECT 2;", "SELECT 1; \r\nSELECT 2;"),
        ("/* noqa: SIS501 */ SELECT 2;", " SELECT 2;"),
        ("SELECT/* noqa: SIS501 */2;", "SELECT 2;"),
        ("-- iceberg-sql: ignore[SIS501] drop table is wanted\nSELECT 2;", "\nSELECT 2;"),
        ("/* iceberg-sql: ignore */SELECT 2;", "SELECT 2;"),
        ("-- noqa: SIS501 -- noqa: LT05\nSELECT 2;", None),
        ("-- noqa: SIS501, LT05\nSELECT 2;", None),
        ("/* noqa: SIS501\n DROP TABLE db.users; */ SELECT 2;", None),
        ("-- noqa: SIS501 \\\n DROP TABLE db.users;\nSELECT 2;", None),
    ],
)
def test_an_unused_ignore_goes_as_a_whole_or_stays(text: str, without: str | None) -> None:
    diagnostic = only(text)
    assert diagnostic.code == "SIS003"
    if without is None:
        assert diagnostic.fix is None
    else:
        assert diagnostic.fix is not None
        assert not diagnostic.fix.safe
        assert apply_edits(text, diagnostic.fix.edits) == without


def test_an_unused_ignore_is_taken_out_by_its_fix() -> None:
    text = CREATE.rstrip() + " -- noqa: SIS101\n"
    fix = only(text).fix
    assert fix is not None
    (edit,) = fix.edits
    assert check(text[: edit.start] + edit.text + text[edit.end :], empty()).diagnostics == ()


def test_verdict_changes_and_hides() -> None:
    def lenient(code: str, severity: Severity) -> Severity | None:
        return None if code == "SIS202" else Severity.WARNING

    text = CREATE.replace("days(ts)", "weeks(ts), days(s)")
    assert [d.severity for d in check(text, empty(), severity_policy=lenient)] == [Severity.WARNING]


def test_comments_that_the_gate_takes_off_are_no_fault_for_it() -> None:
    text = CREATE + "ALTER TABLE t ADD /* daily */ PARTITION FIELD bucket(4, id)"
    assert codes(text) == ["SIS004"]
    assert check(text, empty(), is_routed=True).diagnostics == ()


@pytest.mark.parametrize(
    ("text", "taken_out"),
    [
        ("\ufeffALTER TABLE t ADD /* c */ PARTITION FIELD id", {"/* c */": " "}),
        ("/* a */ ALTER /* c */ TABLE t /* d */ ADD PARTITION FIELD id", {"/* c */": " "}),
        ("ALTER /* c */ TABLE t ADD /* d */ PARTITION FIELD id/* e */", {"/* c */": " ", "/* d */": " "}),
    ],
)
def test_comments_that_hide_a_statement(text: str, taken_out: dict[str, str]) -> None:
    tables = empty()
    check_and_apply(CREATE, tables)
    diagnostic = only(text, tables)
    assert diagnostic.code == "SIS004"
    assert text[diagnostic.span.start : diagnostic.span.end] == next(iter(taken_out))
    assert (diagnostic.help or "").startswith("write `ALTER TABLE t ADD PARTITION FIELD id`, with")
    assert diagnostic.fix is not None
    assert {text[e.start : e.end]: e.text for e in diagnostic.fix.edits} == taken_out


@pytest.mark.parametrize(
    "text",
    [
        "-- by id\r\nALTER TABLE t ADD PARTITION FIELD id",
        "ALTER TABLE t ADD -- c\r\n PARTITION FIELD id",
        "ALTER TABLE t ADD-- c\r\nPARTITION FIELD id",
    ],
)
def test_a_comment_that_ends_with_crlf(text: str) -> None:
    tables = empty()
    check_and_apply(CREATE, tables)
    diagnostic = only(text, tables)
    assert (diagnostic.code, diagnostic.help) == ("SIS004", "end the comment's line with LF alone")
    assert diagnostic.fix is not None
    cured = apply_edits(text, diagnostic.fix.edits)
    assert cured == text.replace("\r", "")
    assert check(cured, tables).diagnostics == ()


def test_a_comment_that_leads_astray() -> None:
    text = CREATE + "ALTER TABLE t -- drop tag\r\n RENAME TO u"
    diagnostic = only(text)
    assert diagnostic.code == "SIS004"
    assert text[diagnostic.span.start :].startswith("ALTER TABLE t --")
    assert diagnostic.message.startswith("the words `drop tag` send the statement to Iceberg's parser")
    assert diagnostic.help == "write them differently"


def test_a_blank_that_iceberg_does_not_know() -> None:
    text = CREATE + "ALTER TABLE t ADD PARTITION FIELD\u00a0id"
    diagnostic = only(text)
    assert diagnostic.code == "SIS004"
    assert diagnostic.message == "Iceberg's grammar does not accept U+00A0 as white space"
    assert (text[diagnostic.span.start : diagnostic.span.end], diagnostic.help) == ("\u00a0", "write a plain space")
    assert diagnostic.fix is not None
    assert diagnostic.fix.title == "write a plain space"
    (edit,) = diagnostic.fix.edits
    assert (edit.start, edit.end, edit.text) == (diagnostic.span.start, diagnostic.span.end, " ")
    # The gate repairs comments, and never the white space inside a statement: its tokens are not checked.
    assert list(check(text, empty(), is_routed=True)) == [diagnostic]


# --- any text --------------------------------------------------------------------------------

_WORDS = """
    CREATE OR REPLACE TABLE ALTER ADD DROP PARTITION FIELD PARTITIONED BY WITH AS USING iceberg IF NOT EXISTS
    TBLPROPERTIES ( ) , ; . bucket truncate days hours weeks identity t u db id ts s 16 0 -1 é COLUMN COLUMNS
    RENAME TO TYPE BIGINT INT STRING STRUCT < > : USE VIEW SET UNSET EXPLAIN BEGIN END 'format-version' = '1'
    '2' " ` `a.b` /* */ -- \\ ${x} {{y}} INSERT OVERWRITE SELECT 1
"""
WORDS = st.sampled_from(
    [
        *_WORDS.split(),
        "\n",
        "\r\n",
        "-- noqa",
        "-- iceberg-sql: ignore[SIS1]\n",
        "CREATE TABLE t (id BIGINT, ts TIMESTAMP, s STRING) USING iceberg PARTITIONED BY",
        "ALTER TABLE t ADD PARTITION FIELD",
        "ALTER TABLE t REPLACE PARTITION FIELD ts_day WITH",
    ]
)


def sound(text: str) -> None:
    for tables in (Tables(), empty()):
        report = check(text, tables)
        rows = text.count("\n") + text.count("\r") + 1
        spans = [d.span for d in report]
        assert spans == sorted(spans, key=lambda span: span.start)
        for d in report:
            assert "checker's own" not in d.message, d
            assert 0 <= d.span.start <= d.span.end <= len(text)
            assert 1 <= d.span.row <= d.span.end_row <= rows
            for edit in d.fix.edits if d.fix is not None else ():
                assert 0 <= edit.start <= edit.end <= len(text)


@pytest.mark.tier("quick")
@given(st.text(max_size=200))
@settings(max_examples=150)
def test_never_raises_on_characters(text: str) -> None:
    sound(text)


@pytest.mark.tier("quick")
@given(st.lists(WORDS, max_size=40).map(" ".join))
@settings(max_examples=300)
def test_never_raises_on_words(text: str) -> None:
    sound(text)


@pytest.mark.parametrize("change", ["COMMENT 'x'", "FIRST", "AFTER b", "DROP NOT NULL"])
def test_what_changes_no_type_needs_no_columns(change: str) -> None:
    assert not check(f"ALTER TABLE db.t ALTER COLUMN a {change}").diagnostics


@pytest.mark.parametrize(
    "change", ["ADD COLUMN x {{ kind }}", "ALTER COLUMN id TYPE {{ kind }}", "ADD {{ column }} INT"]
)
def test_a_template_in_a_column_is_no_fault(change: str) -> None:
    text = f"CREATE TABLE t (id INT) USING iceberg;\nALTER TABLE t {change}"
    report = check(text, empty())
    assert report.ok
    assert {d.code for d in report} <= {"SIS002"}


@pytest.mark.parametrize("table", ["t", "db.`a b`", "{{ ref('t') }}", "{{ schema }}.t"])
@pytest.mark.parametrize("change", ["{{ change }}", "${CHANGE}", "{% if x %} ADD COLUMN y INT {% endif %}"])
def test_a_change_that_a_template_hides_is_not_called_fine(table: str, change: str) -> None:
    assert codes(f"ALTER TABLE {table} {change}", Tables()) == ["SIS002"]


@pytest.mark.parametrize("new", ["u", "db2.u"])
def test_a_renamed_table_stays_in_its_namespace_or_goes_where_it_is_said(new: str) -> None:
    script = f"CREATE TABLE db2.t (id INT) USING iceberg; ALTER TABLE db2.t RENAME TO {new};"
    assert codes(f"{script} ALTER TABLE db2.u ADD PARTITION FIELD nope") == ["SIS201"]
    elsewhere = script.replace("RENAME TO db2.u", "RENAME TO db3.u").replace("RENAME TO u", "RENAME TO db3.u")
    assert codes(f"{elsewhere} ALTER TABLE db3.u ADD PARTITION FIELD nope") == ["SIS201"]


# --- names in messages -----------------------------------------------------------------------


def test_a_table_has_one_note_however_its_name_is_written() -> None:
    script = ";".join(f"ALTER TABLE {name} ADD PARTITION FIELD days(ts)" for name in ("`t`", "t", "T", "db.`t`"))
    diagnostic = only(script, Tables(catalog="local", namespace=("db",)))
    assert diagnostic.message == "only the text was checked: table `t` is unknown"
    assert diagnostic.statements == 4


@pytest.mark.parametrize(
    ("message", "expected", "to_write"),
    [
        ("table ``t`` is", "table `t` is", "table `t` is"),
        ("``a`.`b``, `c`", "`a.b`, `c`", "`a.b`, `c`"),
        ("``a-b`.t` has `x`", "`a-b.t` has `x`", "``a-b`.t` has `x`"),
        ("`t.`a b`` and ``c``", "`t.a b` and `c`", "`t.`a b`` and `c`"),
        ("``a.b`` is not `a.b`", *["``a.b`` is not `a.b`"] * 2),
        ("`t.`a.b`` is", *["`t.`a.b`` is"] * 2),
        ("``İ`` is", "`İ` is", "``İ`` is"),
        ("the name `` is empty: write `x`", *["the name `` is empty: write `x`"] * 2),
        ("write `bucket(16, `id`)`", *["write `bucket(16, `id`)`"] * 2),
        ("```a``b``", *["```a``b``"] * 2),
    ],
)
def test_names_have_one_pair_of_backticks(message: str, expected: str, to_write: str) -> None:
    assert without_nested_backticks(message) == expected
    assert without_nested_backticks(message, to_write=True) == to_write


# --- the current snapshot ---------------------------------------------------------------------


REPLACED = "CREATE OR REPLACE TABLE db.t (id BIGINT) USING iceberg;"
MADE = "CREATE TABLE db.t (id BIGINT) USING iceberg"
MAYBE = MADE.replace("TABLE", "TABLE IF NOT EXISTS")
TAG = "ALTER TABLE db.t CREATE TAG b"


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        # Whatever the table was before: it has no current snapshot, but may have others.
        (f"{REPLACED} {TAG}", ["SIS415"]),
        (f"{REPLACED} ALTER TABLE db.t REPLACE BRANCH b", ["SIS415"]),
        (f"{REPLACED} {TAG} AS OF VERSION 12", []),
        (f"{REPLACED} ALTER TABLE db.t CREATE BRANCH b AS OF VERSION 12", []),
        (f"{REPLACED} ALTER TABLE db.t CREATE OR REPLACE BRANCH b", []),
        (f"{REPLACED} ALTER TABLE db.t DROP TAG b", []),
        (f"{REPLACED} ALTER TABLE db.t DROP BRANCH b", []),
        (f"{REPLACED} MERGE INTO db.t USING s ON false WHEN NOT MATCHED THEN INSERT *; {TAG}", []),
        (f"{REPLACED} CALL lake.system.rollback_to_snapshot('db.t', 12); {TAG}", []),
        (f"{REPLACED} ALTER TABLE db.t REPLACE BRANCH main AS OF VERSION 12; {TAG}", ["SIS415"] * 2),
        (f"{REPLACED} ALTER TABLE db.t CREATE OR REPLACE BRANCH main AS OF VERSION 12; {TAG}", []),
        (f"{REPLACED} ALTER TABLE db.t SET TBLPROPERTIES ('current-snapshot-id' = '12'); {TAG}", []),
        (f"{REPLACED} ALTER TABLE db.t CREATE BRANCH c; {TAG}", ["SIS415"]),
        (f"CREATE OR REPLACE TABLE db.t USING iceberg AS SELECT 1 AS id; {TAG}", []),
        # It may have been there before, with snapshots, branches and tags.
        (f"{MAYBE}; {TAG}", []),
        (f"{MAYBE}; ALTER TABLE db.t DROP TAG b", []),
        (f"DROP TABLE IF EXISTS db.t; {MAYBE}; {TAG}", ["SIS415"]),
        (f"{MADE}; ALTER TABLE db.t CREATE BRANCH c; {TAG}", ["SIS415"]),
        (f"{MADE}; ALTER TABLE db.t CREATE BRANCH main; {TAG}", []),
    ],
)  # fmt: skip
def test_the_current_snapshot(script: str, expected: list[str]) -> None:
    report = check(script, Tables(catalog="lake"))
    assert [d.code for d in report if d.severity is Severity.ERROR] == expected


def test_a_program_may_write_rows_that_nobody_sees() -> None:
    script = f"{REPLACED} {TAG}"
    assert check(script, Tables(catalog="lake"), origin=TextOrigin(in_program=True)).ok

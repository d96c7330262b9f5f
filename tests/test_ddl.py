"""Statement to node: every kind of statement, every known mistake, and no text that raises."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from growth import ratio
from hypothesis import given
from hypothesis import strategies as st

from spark_iceberg_sql.syntax.nodes import (
    AddColumns,
    AddField,
    AlterColumn,
    Compound,
    Create,
    CreateView,
    DropColumns,
    DropField,
    DropTable,
    DropView,
    Explain,
    HivePartition,
    Insert,
    InvalidStatement,
    Node,
    Other,
    RenameColumn,
    RenameTable,
    ReplaceColumns,
    ReplaceField,
    SetConfig,
    SetProperties,
    Templated,
    TemporaryTable,
    Use,
)
from spark_iceberg_sql.syntax.parser import parse
from spark_iceberg_sql.syntax.routing import goes_to_iceberg, phrase_in, routed_text, text_with_trivia
from spark_iceberg_sql.syntax.script import statements
from spark_iceberg_sql.syntax.syntax_errors import SYNTAX_ERRORS as RECORDS
from spark_iceberg_sql.syntax.terms import Literal, NamePath, Term

MISTAKES = Path(__file__).with_name("corpus") / "mistakes.sql"


def node(sql: str) -> Node:
    (statement,) = statements(sql)
    return parse(statement)


def plain(term: Term) -> str:
    """A term as DDL, with unquoted names."""
    arguments = [a.text if isinstance(a, Literal) else ".".join(a.parts) for a in term.arguments]
    return f"{term.transform_name}({', '.join(arguments)})" if term.transform_name else arguments[0]


# --- mistakes -----------------------------------------------------------------------------------


def mistakes() -> list[tuple[str, str, str]]:
    script = MISTAKES.read_text(encoding="utf-8")
    cases = []
    for statement in statements(script):
        head = script[statement.head : statement.start]
        error_kind, at = re.findall(r"^-- (\S+) \| (.*)$", head, re.MULTILINE)[-1]
        cases.append((error_kind, at, statement.text.rstrip()))
    return cases


def test_a_mistake_is_known_by_its_shape_and_place() -> None:
    for error_kind, at, sql in mistakes():
        parsed = node(sql)
        assert isinstance(parsed, InvalidStatement), sql
        assert (parsed.error_kind or "-", sql[slice(*parsed.error_span)] or "$") == (error_kind, at), sql
        assert parsed.expected, sql
        assert parsed.token_text == (sql[slice(*parsed.error_span)] or "the end of the statement"), sql


def test_every_mistake_is_in_the_table_and_every_record_has_a_case() -> None:
    excluded_errors = {
        "",
        "parameter",
        "identifier-clause",
        "odd-space",
        "hint",
        "as-name",
        "slash-comment",
    }  # tried elsewhere
    excluded_errors |= {"nested-comment", "swallowed-in-quotes"}  # they hold the rest of the text
    assert {error_kind for error_kind, _, _ in mistakes()} - {"-"} - excluded_errors <= set(RECORDS)
    assert not set(RECORDS) - {error_kind for error_kind, _, _ in mistakes()} - excluded_errors


def test_a_blank_that_iceberg_does_not_know() -> None:
    sql = "ALTER TABLE t ADD PARTITION FIELD\u00a0id"
    parsed = node(sql)
    assert isinstance(parsed, InvalidStatement)
    assert (parsed.error_kind, parsed.token_text, parsed.error_span) == ("odd-space", "U+00A0", (33, 34))
    assert isinstance(node("ALTER TABLE t ADD PARTITION FIELD `a\u00a0b`"), AddField)
    assert isinstance(node("CREATE TABLE t (id\u00a0INT) PARTITIONED BY (id)"), Create)


# --- partition fields ---------------------------------------------------------------------------


def test_partition_fields() -> None:
    sql = "alter table a.`b c`.d add partition field bucket(16, `x``y`.z) as Shard"
    parsed = node(sql)
    assert isinstance(parsed, AddField)
    assert parsed.table == NamePath(("a", "b c", "d"), (12, 21), "a.`b c`.d")
    assert plain(parsed.term) == "bucket(16, x`y.z)"
    assert sql[slice(*parsed.term.span)] == "bucket(16, `x``y`.z)"
    assert sql[slice(*parsed.term.name_span)] == "bucket"
    assert parsed.name == NamePath(("Shard",), (66, 71), "Shard")
    dropped = node("ALTER TABLE t DROP PARTITION FIELD ts_day;")
    assert isinstance(dropped, DropField)
    assert (dropped.term.transform_name, dropped.term.columns[0].parts) == (None, ("ts_day",))
    replaced = node("ALTER TABLE t REPLACE PARTITION FIELD days(ts) WITH hours(ts) AS h")
    assert isinstance(replaced, ReplaceField)
    assert (plain(replaced.old), plain(replaced.new)) == ("days(ts)", "hours(ts)")


@pytest.mark.parametrize(
    ("text", "kind", "value", "suffix"),
    [
        ("16", "integer", 16, ""),
        ("- 7", "integer", -7, ""),
        ("8L", "integer", 8, "L"),
        ("300y", "integer", 300, "Y"),
        ("2\u017f", "integer", 2, "S"),
        ("1.5", "decimal", None, ""),
        ("1e3", "decimal", None, ""),
        ("'a' 'b'", "string", None, ""),
        ("DATE '2020-01-01'", "typed", None, ""),
        ("interval 2 hours", "typed", None, ""),
        ("interval '1' year to month", "typed", None, ""),
        ("9" * 5000, "integer", int("9" * 4000), ""),
    ],
)
def test_constants(text: str, kind: str, value: int | None, suffix: str) -> None:
    parsed = node(f"CREATE TABLE t (id INT) PARTITIONED BY (bucket({text}, id))")
    assert isinstance(parsed, Create)
    assert parsed.partitioning is not None
    literal, column = parsed.partitioning[0].arguments
    assert isinstance(literal, Literal)
    assert (literal.kind, literal.value, literal.suffix) == (kind, value, suffix)
    assert isinstance(column, NamePath)


def test_true_and_null_are_columns_there() -> None:
    parsed = node("ALTER TABLE t ADD PARTITION FIELD bucket(null, true)")
    assert isinstance(parsed, AddField)
    assert [c.parts for c in parsed.term.columns] == [("null",), ("true",)]


# --- CREATE TABLE -------------------------------------------------------------------------------


def test_create() -> None:
    sql = (
        "CREATE EXTERNAL TABLE IF NOT EXISTS db.t (\n"
        "  id BIGINT NOT NULL COMMENT 'it''s, the key',\n"
        "  p STRUCT<x: INT NOT NULL, m: MAP<STRING, ARRAY<DECIMAL(9, 2)>>>,\n"
        "  v VARCHAR(3) DEFAULT CASE WHEN true THEN 'a' END NOT NULL,\n"
        "  g INT GENERATED ALWAYS AS (id + 1), u uuid,\n"
        "  CONSTRAINT k PRIMARY KEY (id)\n"
        ") USING ICEBERG\n"
        "OPTIONS (a = 1 + 2, 'b' 'c') LOCATION 's3://b/t'\n"
        "PARTITIONED BY (truncate(4, v), p.x)\n"
        "CLUSTERED BY (id) SORTED BY (id ASC) INTO 4 BUCKETS\n"
        "TBLPROPERTIES ('format-version' = '2', write.format = 3, on = true)"
    )
    parsed = node(sql)
    assert isinstance(parsed, Create)
    assert (parsed.create, parsed.replace, parsed.if_not_exists, parsed.external) == (True, False, True, True)
    assert parsed.table.parts == ("db", "t")
    assert parsed.columns is not None
    assert [(c.name, str(c.type), c.required) for c in parsed.columns] == [
        ("id", "bigint", True),
        ("p", "struct<x: int, m: map<string, array<decimal(9, 2)>>>", False),
        ("v", "varchar(3)", True),
        ("g", "int", False),
        ("u", "None", False),
    ]
    default, generated = parsed.columns[2].default, parsed.columns[3].generated
    assert default
    assert sql[slice(*default)] == "DEFAULT CASE WHEN true THEN 'a' END"
    assert generated
    assert sql[slice(*generated)] == "GENERATED ALWAYS AS (id + 1)"
    assert parsed.columns[4].type_text == "uuid"
    assert (parsed.provider, [plain(t) for t in parsed.partitioning or ()]) == ("iceberg", ["truncate(4, v)", "p.x"])
    assert parsed.partitioning_span
    assert sql[slice(*parsed.partitioning_span)] == "PARTITIONED BY (truncate(4, v), p.x)"
    assert parsed.clustered_by
    assert sql[slice(*parsed.clustered_by)].endswith("INTO 4 BUCKETS")
    assert [(p.key, p.value) for p in parsed.properties] == [
        ("format-version", "2"),
        ("write.format", "3"),
        ("on", "true"),
    ]
    assert [(p.key, p.value) for p in parsed.options] == [("a", "1 + 2"), ("b", "c")]
    assert sql[slice(*parsed.properties[0].value_span)] == "'2'"


@pytest.mark.parametrize(
    "query",
    ["AS SELECT 1", "SELECT 1", "(SELECT 1)", "AS (SELECT 1) UNION SELECT 2", "AS WITH q AS (SELECT 1) TABLE q"],
)
def test_create_as_select(query: str) -> None:
    sql = f"CREATE OR REPLACE TABLE t USING iceberg PARTITIONED BY (id) {query}"
    parsed = node(sql)
    assert isinstance(parsed, Create)
    assert (parsed.create, parsed.replace, parsed.columns) == (True, True, None)
    assert parsed.query
    assert sql[slice(*parsed.query)] == query.removeprefix("AS ")


def test_other_creates() -> None:
    bare = node("CREATE TABLE t (SELECT a, b FROM s)")
    assert isinstance(bare, Create)
    assert bare.columns is None
    replace = node("REPLACE TABLE t (select INT, `from` STRING)")
    assert isinstance(replace, Create)
    assert (replace.create, [c.name for c in replace.columns or ()]) == (False, ["select", "from"])
    hive = node("CREATE TABLE t (id INT) PARTITIONED BY (dt STRING NOT NULL COMMENT 'day', h INT)")
    assert isinstance(hive, Create)
    assert (hive.partitioning, [c.name for c in hive.typed_partitions]) == ((), ["dt", "h"])
    copied = node("CREATE TABLE t LIKE db.s USING iceberg")
    assert isinstance(copied, Create)
    assert copied.like_table
    assert copied.like_table.parts == ("db", "s")
    clause = node("CREATE TABLE IDENTIFIER('a.`b.c`') (id INT)")
    assert isinstance(clause, Create)
    assert clause.table.parts == ("a", "b.c")
    assert isinstance(node("CREATE TEMP TABLE t USING parquet"), TemporaryTable)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("timestamp without time zone", "timestamp_ntz"),
        ("TIMESTAMP", "timestamp"),
        ("dec(5)", "decimal(5, 0)"),
        ("decimal(39, 2)", "None"),
        ("decimal(2, 3)", "None"),
        ("string collate utf8_lcase", "string"),
        ("struct<>", "struct<>"),
        ("array", "None"),
        ("char", "None"),
        ("int(10)", "None"),
        ("interval day to second", "None"),
        ("`int`", "None"),
        ("array<foo>", "None"),
        ("geometry(4326)", "geometry"),
        ("geometry", "None"),
        ("geometry(any)", "None"),
        ("variant", "variant"),
    ],
)
def test_types(text: str, kind: str) -> None:
    parsed = node(f"CREATE TABLE t (a {text} COMMENT 'x')")
    assert isinstance(parsed, Create)
    assert parsed.columns
    assert (str(parsed.columns[0].type), parsed.columns[0].type_text) == (kind, text)


# --- the rest -----------------------------------------------------------------------------------


def test_columns() -> None:
    added = node("ALTER TABLE t ADD COLUMNS (a.b INT COMMENT 'x' AFTER c, d STRING FIRST)")
    assert isinstance(added, AddColumns)
    assert [(r.parts, str(c.type)) for r, c in added.columns] == [(("a", "b"), "int"), (("d",), "string")]
    dropped = node("ALTER TABLE t DROP COLUMNS IF EXISTS (a.b, c)")
    assert isinstance(dropped, DropColumns)
    assert ([c.parts for c in dropped.columns], dropped.if_exists) == ([("a", "b"), ("c",)], True)
    renamed = node("ALTER TABLE t RENAME COLUMN a.b TO c")
    assert isinstance(renamed, RenameColumn)
    assert (renamed.column.parts, renamed.new_name.parts) == (("a", "b"), ("c",))
    altered = node("ALTER TABLE t ALTER COLUMN a TYPE BIGINT, b DROP NOT NULL")
    assert isinstance(altered, AlterColumn)
    assert (str(altered.type), altered.type_text) == ("bigint", "BIGINT")
    assert [(c.column.parts, c.required) for c in altered.other_changes] == [(("b",), False)]
    changed = node("ALTER TABLE t CHANGE COLUMN a b INT COMMENT 'x'")
    assert isinstance(changed, AlterColumn)
    assert changed.new_name
    assert changed.new_name.parts == ("b",)
    replaced = node("ALTER TABLE t REPLACE COLUMNS (a INT)")
    assert isinstance(replaced, ReplaceColumns)


def test_tables_and_session() -> None:
    set_ = node("ALTER TABLE t SET TBLPROPERTIES ('format-version' = '2')")
    assert isinstance(set_, SetProperties)
    assert [(p.key, p.value) for p in set_.properties] == [("format-version", "2")]
    unset = node("ALTER TABLE t UNSET TBLPROPERTIES IF EXISTS ('a', b.c)")
    assert isinstance(unset, SetProperties)
    assert unset.removed == ("a", "b.c")
    renamed = node("ALTER TABLE a.t RENAME TO a.u")
    assert isinstance(renamed, RenameTable)
    assert renamed.new_name.parts == ("a", "u")
    dropped = node("DROP TABLE IF EXISTS a.t PURGE")
    assert isinstance(dropped, DropTable)
    assert (dropped.table.parts, dropped.if_exists) == (("a", "t"), True)
    view = node("CREATE OR REPLACE GLOBAL TEMPORARY VIEW v AS SELECT 1")
    assert isinstance(view, CreateView)
    assert (view.view.parts, view.temporary) == (("v",), True)
    assert isinstance(node("DROP VIEW v"), DropView)
    for sql, name, keyword in [
        ("USE a.b", ("a", "b"), ""),
        ("USE NAMESPACE b", ("b",), "namespace"),
        ("USE namespace", ("namespace",), ""),
        ("SET CATALOG 'local'", ("local",), "catalog"),
    ]:
        use = node(sql)
        assert isinstance(use, Use)
        assert (use.name.parts, use.keyword) == (name, keyword)
    zone = node("SET TIME ZONE 'UTC'")
    assert isinstance(zone, SetConfig)
    assert (zone.key, zone.value) == ("spark.sql.session.timeZone", "UTC")
    config = node("set spark.sql.ansi.enabled = false")
    assert isinstance(config, SetConfig)
    assert (config.key, config.value) == ("spark.sql.ansi.enabled", "false")


@pytest.mark.parametrize(
    ("sql", "verb"),
    [
        ("ALTER TABLE t ADD PARTITION (dt = 'x')", "add"),
        ("ALTER TABLE t ADD IF NOT EXISTS PARTITION (dt = 'x') LOCATION 'y'", "add"),
        ("ALTER TABLE t DROP IF EXISTS PARTITION (dt = 'x'), PARTITION (dt = 'y')", "drop"),
        ("ALTER TABLE t PARTITION (dt = 'x') RENAME TO PARTITION (dt = 'y')", "rename"),
        ("ALTER TABLE t PARTITION (dt = 'x') SET LOCATION 'y'", "set"),
        ("ALTER TABLE t PARTITION (dt = 'x') SET SERDEPROPERTIES ('a' = 'b')", "set"),
        ("ALTER TABLE t PARTITION (dt = 'x') CONCATENATE", "concatenate"),
        ("ALTER TABLE t RECOVER PARTITIONS", "recover"),
    ],
)
def test_hives_partition_statements(sql: str, verb: str) -> None:
    parsed = node(sql)
    assert isinstance(parsed, HivePartition)
    assert parsed.verb == verb


def test_inserts() -> None:
    parsed = node("INSERT OVERWRITE TABLE a.t PARTITION (dt = date '2020-01-01', `h`) SELECT 1")
    assert isinstance(parsed, Insert)
    assert (parsed.overwrite, [r.parts for r in parsed.partition]) == (True, [("dt",), ("h",)])
    into = node("INSERT INTO t VALUES " + ", ".join(["(1, 'x')"] * 1000))
    assert isinstance(into, Insert)
    assert (into.table.parts, into.partition) == (("t",), ())
    assert isinstance(node("INSERT OVERWRITE DIRECTORY '/x' SELECT 1"), Other)


def test_wrapped_statements() -> None:
    explained = node("EXPLAIN EXTENDED ALTER TABLE t ADD PARTITION FIELD id")
    assert isinstance(explained, Explain)
    assert isinstance(explained.inside, AddField)
    block = node(
        "BEGIN DECLARE x INT; IF x = 1 THEN ALTER TABLE t ADD PARTITION FIELD id; END IF; "
        "SELECT 1; l: LOOP DROP TABLE u; END LOOP l; END"
    )
    assert isinstance(block, Compound)
    assert [type(n) for n in block.inside] == [AddField, DropTable]


@pytest.mark.parametrize(
    ("sql", "error_kind"),
    [
        ("ALTER TABLE t ADD COLUMN", ""),
        ("ALTER TABLE t ADD x INT", "missing-column"),
        ("ALTER TABLE t ADD (x INT, y INT)", "missing-column"),
        ("ALTER TABLE t DROP x", "missing-column"),
        ("ALTER TABLE t RENAME x TO y", "missing-column"),
        ("ALTER TABLE t ADD COLUMN IF NOT EXISTS x INT", "column-if-exists"),
        ("ALTER TABLE t ADD COLUMN x INT COMMENT 'a' COMMENT 'b'", "duplicate-clause"),
        ("ALTER TABLE t ADD COLUMN x INT FIRST AFTER y", "duplicate-clause"),
        ("ALTER TABLE t RENAME COLUMN p.x TO p.y", "nested-new-name"),
        ("ALTER TABLE t ALTER COLUMN x", "nothing-to-alter"),
        ("ALTER TABLE t ALTER COLUMN x TYPE BIGINT AFTER y", "several-actions"),
        ("ALTER TABLE t RENAME db.u", "missing-to"),
        ("ALTER TABLE t REPLACE COLUMNS (x INT FIRST)", "plain-columns"),
        ("ALTER TABLE t REPLACE COLUMNS (x INT NOT NULL)", "plain-columns"),
        ("ALTER TABLE t REPLACE COLUMNS (p.x INT)", "plain-columns"),
        ("ALTER TABLE t PARTITION (x = 1) REPLACE COLUMNS (x INT)", "columns-of-partition"),
        ("ALTER TABLE t SET PROPERTIES ('a' = 'b')", "set-properties"),
        ("ALTER TABLE t ADD /*+ x */ PARTITION FIELD id", "hint"),
        ("/*+ x */ ALTER TABLE t ADD PARTITION FIELD id", "hint"),
        ("CREATE /*+ x */ TABLE t (id INT) USING iceberg", "hint"),
        ("CREATE TRANSIENT TABLE t (id INT)", "other-table"),
        ("CREATE OR REPLACE TEMP TABLE t (id INT) USING iceberg", "other-table"),
        ("CREATE TEMPORARY TABLE t (id INT)", "temporary-table"),
        ("CREATE TEMPORARY TABLE IF NOT EXISTS t (id INT) USING iceberg", "temporary-table"),
        ("CREATE TEMPORARY TABLE a.t (id INT) USING iceberg", "temporary-table"),
        ("CREATE TEMPORARY TABLE t USING iceberg AS SELECT 1", "temporary-table"),
        ("CREATE TABLE t USING iceberg OPTIONS (PATH 'x') LOCATION 'x'", "two-locations"),
    ],
)
def test_what_no_grammar_takes_outside_of_partition_clauses(sql: str, error_kind: str) -> None:
    parsed = node(sql)
    assert isinstance(parsed, InvalidStatement)
    assert parsed.error_kind == error_kind


def test_a_hint_in_the_query_is_the_querys() -> None:
    assert isinstance(node("CREATE TABLE t USING iceberg AS SELECT /*+ COALESCE(1) */ 1"), Create)
    assert isinstance(node("SELECT /*+ REPARTITION */ 1"), Other)


@pytest.mark.parametrize(
    "sql",
    [
        *("SELECT 1", "WITH a AS (SELECT 1) INSERT INTO t SELECT * FROM a", "CALL other.x(table => 't')"),
        *("ALTER TABLE t SET LOCATION 'x'", "CREATE NAMESPACE n"),
        *("ALTER TABLE t DEFAULT COLLATION UTF8_BINARY", "ALTER TABLE t CLUSTER BY (a)"),
        "ALTER TABLE t SET SERDE 'x'",
        *("SELECT 'ALTER TABLE t ADD PARTITION FIELD'", "SELECT `partitioned by` FROM t", "DROP FUNCTION f"),
        *("CREATE MATERIALIZED VIEW v PARTITIONED BY (a) AS SELECT 1",),
        *("CREATE FUNCTION f AS 'x'", "ALTER NAMESPACE n SET PROPERTIES ('a' = 'b')", "SET x", "("),
    ],
)
def test_everything_else_passes(sql: str) -> None:
    assert node(sql) == Other((0, len(sql)))


# --- templates ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sql", "at"),
    [
        ("ALTER TABLE t ADD PARTITION FIELD {{ field }}", "{{ field }}"),
        ("ALTER TABLE t ADD PARTITION FIELD bucket(${n}, id)", "${n}"),
        ("CREATE TABLE t (id INT) PARTITIONED BY (bucket(:n, id))", ":n"),
        ("CREATE TABLE t (id INT) PARTITIONED BY (bucket(?, id))", "?"),
        ("CREATE TABLE {{ db }}.t ({{ columns }}) PARTITIONED BY (id)", "{{ db }}"),
        ("CREATE TABLE t (id {{ type }}) PARTITIONED BY (id)", "{{ type }}"),
        ("{% if x %} ALTER TABLE t ADD PARTITION FIELD id {% endif %}", "{% if x %}"),
        ("ALTER TABLE t {{ verb }} PARTITION FIELD id", "{{ verb }}"),
    ],
)
def test_a_template_where_a_word_is_needed(sql: str, at: str) -> None:
    parsed = node(sql)
    if isinstance(parsed, Templated):
        assert sql[slice(*parsed.template_span)] == at
    else:
        assert isinstance(parsed, AddField)


def test_a_templated_table_is_a_table() -> None:
    parsed = node("ALTER TABLE {{ db }}.events_{{ env }} ADD PARTITION FIELD bucket(16, id)")
    assert isinstance(parsed, AddField)
    assert parsed.table.parts == ("{{ db }}", "events_{{ env }}")
    created = node("CREATE TABLE ${db}.t USING iceberg PARTITIONED BY (id) AS SELECT * FROM {{ s }}")
    assert isinstance(created, Create)
    assert created.table.parts == ("${db}", "t")
    quoted = node("ALTER TABLE t ADD PARTITION FIELD `{{ x }}`")
    assert isinstance(quoted, AddField)


# --- routing ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sql", "routed", "handed"),
    [
        ("ALTER TABLE t ADD PARTITION FIELD id;", True, "ALTER TABLE t ADD PARTITION FIELD id"),
        ("\ufeffALTER TABLE t ADD PARTITION FIELD id", True, "ALTER TABLE t ADD PARTITION FIELD id"),
        ("-- x\nALTER TABLE t DROP PARTITION FIELD id", True, "-- x\nALTER TABLE t DROP PARTITION FIELD id"),
        ("-- x\r\nALTER TABLE t DROP PARTITION FIELD id", False, "ALTER TABLE t DROP PARTITION FIELD id"),
        ("ALTER /* x */ TABLE t ADD PARTITION FIELD id", False, "ALTER   TABLE t ADD PARTITION FIELD id"),
        ("ALTER TABLE t ADD /**/PARTITION FIELD id", False, "ALTER TABLE t ADD  PARTITION FIELD id"),
        ("ALTER TABLE t RENAME TO u -- add partition field", False, "ALTER TABLE t RENAME TO u"),
        ("ALTER TABLE t RENAME /* drop tag\u2028 */ TO u", True, "ALTER TABLE t RENAME   TO u"),
        ("SELECT 1 -- add partition field", False, "SELECT 1"),
        # White space that Iceberg's grammar does not know: removed around the statement, kept inside it.
        ("\u00a0\nALTER TABLE t DROP TAG x\u3000;", False, "ALTER TABLE t DROP TAG x"),
        ("-- c\n\fALTER TABLE t DROP TAG x", True, "-- c\n ALTER TABLE t DROP TAG x"),
        ("ALTER TABLE t DROP\u00a0TAG x", False, "ALTER TABLE t DROP\u00a0TAG x"),
        ("ALTER /**/ TABLE t DROP TAG\fx", False, "ALTER   TABLE t DROP TAG\fx"),
    ],
)
def test_what_is_handed_on(sql: str, routed: bool, handed: str) -> None:
    (statement,) = statements(sql)
    assert goes_to_iceberg(text_with_trivia(statement)) == routed
    assert routed_text(statement) == handed


def test_words_in_a_string_are_hidden_from_icebergs_grammar() -> None:
    sql = "ALTER TABLE t SET TBLPROPERTIES ('comment' = 'add partition field please')"
    (statement,) = statements(sql)
    assert goes_to_iceberg(sql)
    assert phrase_in(sql) == "add partition field"
    hidden = routed_text(statement)
    assert hidden == f"/*/**/*/{sql}"  # Iceberg's parser takes the first */ for the end of the comment
    assert not goes_to_iceberg(hidden)


# --- every text ---------------------------------------------------------------------------------

WORDS = st.sampled_from(
    [
        *("ALTER", "TABLE", "CREATE", "OR", "REPLACE", "PARTITIONED", "BY", "ADD", "DROP", "PARTITION", "FIELD"),
        *("WITH", "AS", "IF", "NOT", "EXISTS", "USING", "iceberg", "TBLPROPERTIES", "(", ")", ",", ".", "="),
        *("t", "id", "`a b`", "bucket", "16", "-", "'x'", "days", "INT", "STRUCT", "ARRAY", "<", ">", "MAP"),
        *("COMMENT", "DEFAULT", "NULL", "SELECT", "INSERT", "OVERWRITE", "INTERVAL", "IDENTIFIER", "?", ":"),
        *("COLUMN", "COLUMNS", "RENAME", "TO", "SET", "TIME", "ZONE", "USE", "CATALOG", "EXPLAIN", "BEGIN"),
        *("END", ";", "{{", "}}", "${", "}", "$x", "LIKE", "CLUSTERED", "INTO", "BUCKETS", "ROW", "FORMAT"),
        *("CONSTRAINT", "PRIMARY", "KEY", "CHECK", "TYPE", "LOCATION", "'", "`", "/*", "--", "\u00a0", "\n"),
    ]
)
HEADS = st.sampled_from(
    [
        *("", "ALTER TABLE t ADD PARTITION FIELD", "CREATE TABLE t (", "CREATE TABLE t (id INT) PARTITIONED BY ("),
        *("ALTER TABLE t ALTER COLUMN", "ALTER TABLE t SET TBLPROPERTIES (", "INSERT INTO t", "DROP TABLE"),
        *("ALTER TABLE", "CREATE TABLE t", "ALTER TABLE t REPLACE PARTITION FIELD a WITH", "BEGIN ALTER TABLE"),
    ]
)


@given(st.one_of(st.text(), st.builds(lambda h, w: " ".join([h, *w]), HEADS, st.lists(WORDS, max_size=25))))
def test_no_text_raises(text: str) -> None:
    for statement in statements(text):
        parsed = parse(statement)
        assert parsed.span == (statement.start, statement.end)
        assert [t.text for t in statements_of(routed_text(statement))] == [
            t.text for t in statement.tokens if t.text != "\ufeff"
        ] or statement.tokens[-1].kind.value == "unclosed"


def statements_of(text: str) -> list[object]:
    return [t for s in statements(text) for t in s.tokens]


@pytest.mark.tier("quick")
@pytest.mark.parametrize(
    ("before", "repeated_text", "behind"),
    [
        ("CREATE TABLE t (a ", "array<", ""),
        ("CREATE TABLE t (a ", "struct<a:", ""),
        ("", "BEGIN EXPLAIN ", ""),
        ("", "EXPLAIN ", "SELECT 1"),
        ("", "BEGIN ", ""),
        ("CREATE TABLE t (", "(", ""),
        ("ALTER TABLE t ADD PARTITION FIELD ", "a.", ""),
        ("CREATE TABLE t (a int default ", "case ", ""),
        ("CREATE TABLE t (", "c int, ", "d int)"),
        ("", "{{", "partitioned by"),
        ("INSERT INTO t PARTITION (", "a = (", ""),
        ("CREATE TABLE t PARTITIONED BY (", "a, ", ""),
        ("BEGIN ", "CREATE TABLE t (a int); ", "END"),
        ("ALTER TABLE t SET TBLPROPERTIES (", "'a' ", ""),
        ("ALTER TABLE t ", "--", ""),
        ("ALTER TABLE t ", "/*+", "*/"),
        ("ALTER TABLE t ADD PARTITION FIELD ", "{{a}}b", ""),
    ],
)
def test_depth_and_length_do_no_harm(before: str, repeated_text: str, behind: str) -> None:
    def all_of(sql: str) -> None:
        for statement in statements(sql):
            parse(statement)
            routed_text(statement)

    few, many = (before + repeated_text * n + behind for n in (1250, 5000))
    assert ratio(lambda: all_of(few), lambda: all_of(many), 10) < 10

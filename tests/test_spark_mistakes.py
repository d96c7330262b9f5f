"""Ordinary mistakes in statements that Spark refuses: what is written instead; the Spark tests run the same cells."""

from __future__ import annotations

from typing import Any

import pytest

from spark_iceberg_sql.syntax.script import statements
from spark_iceberg_sql.syntax.spark_mistakes import help_of
from spark_iceberg_sql.syntax.spark_mistakes.functions import spark_pattern
from spark_iceberg_sql.syntax.spark_mistakes.refused_statement import MistakeHelp, RefusedStatement
from spark_iceberg_sql.syntax.spark_mistakes.values import impossible_date, iso_date

SYNTAX = "PARSE_SYNTAX_ERROR"
COLUMN = "UNRESOLVED_COLUMN.WITH_SUGGESTION"
COLUMNS = ("Ship Mode", "Sub-Category", "Region", "Sales", "State")


def refused(sql: str, condition: str = SYNTAX, at: str = "", **parameters: Any) -> RefusedStatement:
    """A refused statement. at: the text that Spark's error is about."""
    statement = statements(sql)[0]
    start = sql.index(at)
    return RefusedStatement(condition, parameters, statement.tokens, sql, (start, start + len(at)), lambda: COLUMNS)


def corrected(sql: str, mistake: MistakeHelp | None) -> str | None:
    if mistake is None or mistake.edit is None:
        return None
    start, end, text = mistake.edit
    return sql[:start] + text + sql[end:]


def test_a_metadata_table_without_a_namespace() -> None:
    mistake = help_of(refused("SELECT 1 FROM u JOIN `t`.FILES ON true", "TABLE_OR_VIEW_NOT_FOUND", "`t`.FILES"))
    assert mistake is not None
    assert mistake.help == "Spark takes `t` for a namespace; if it is a table, write its full name: `db.t.files`"
    assert mistake.edit is None
    for table in ("db.t.files", "t.orders", "files"):
        assert help_of(refused(f"SELECT 1 FROM {table}", "TABLE_OR_VIEW_NOT_FOUND", table)) is None


@pytest.mark.parametrize("date", ["DATE'1950-01-01'", "DATE '1950-01-01'", "TIMESTAMP '1950-01-01'"])
def test_a_date_is_not_made_a_date_again(date: str) -> None:
    sql = f"INSERT INTO t VALUES ({date}, 'HPN', 'White Plains')"
    mistake = help_of(
        refused(
            sql, "INCOMPATIBLE_DATA_FOR_TABLE.CANNOT_SAFELY_CAST", "INSERT",
            colName="`d`", srcType='"STRING"', targetType='"DATE"',
        )
    )  # fmt: skip
    assert mistake is not None
    assert corrected(sql, mistake) is None
    assert mistake.span is None


@pytest.mark.parametrize(
    ("sql", "correct"),
    [
        ("SELECT a FROM t LIMIT 20, 10", "SELECT a FROM t LIMIT 10 OFFSET 20"),
        ("SELECT a FROM t ORDER BY a FETCH FIRST 3 ROWS ONLY", "SELECT a FROM t ORDER BY a LIMIT 3"),
        ("SELECT count(*) FILTER (a > 0) FROM t", "SELECT count(*) FILTER (WHERE a > 0) FROM t"),
        ("SELECT * EXCLUDE (a) FROM t", "SELECT * EXCEPT (a) FROM t"),
        ("SELECT * EXCLUDE a FROM t", "SELECT * EXCEPT (a) FROM t"),
        ("SELECT * REPLACE (a * 2 AS a) FROM t", "SELECT * EXCEPT (a), a * 2 AS a FROM t"),
        ("SELECT a FROM t WHERE a BETWEEN 1 TO 2", "SELECT a FROM t WHERE a BETWEEN 1 AND 2"),
        ("SELECT [Ship Mode], [Region] FROM t", "SELECT `Ship Mode`, `Region` FROM t"),
        ("SELECT Ship Mode FROM t GROUP BY ship mode", "SELECT `Ship Mode` FROM t GROUP BY `Ship Mode`"),
        (
            "SELECT a FROM t QUALIFY row_number() OVER (ORDER BY b) = 1 LIMIT 5",
            (
                "SELECT * EXCEPT (window_value) FROM (SELECT a, row_number() OVER (ORDER BY b) AS window_value FROM t) "
                "WHERE window_value = 1 LIMIT 5"
            ),
        ),
        (
            "SELECT a, rank() OVER (ORDER BY b) AS r FROM t QUALIFY r <= 3",
            "SELECT * FROM (SELECT a, rank() OVER (ORDER BY b) AS r FROM t) WHERE r <= 3",
        ),
        (
            "SELECT a, sum(b) FROM t GROUP BY a HAVING sum(b) > 1 WHERE a = 1",
            "SELECT a, sum(b) FROM t WHERE a = 1 GROUP BY a HAVING sum(b) > 1",
        ),
        ("DELETE t WHERE a = 1", "DELETE FROM t WHERE a = 1"),
        ("DELETE FROM t USING s WHERE t.a = s.a;", "MERGE INTO t USING s ON t.a = s.a WHEN MATCHED THEN DELETE;"),
        ("DELETE * FROM t WHERE a = 1", "DELETE FROM t WHERE a = 1"),
        ("UPDATE t a = 1 WHERE b = 2", "UPDATE t SET a = 1 WHERE b = 2"),
        (
            "MERGE INTO t USING s ON t.a = s.a WHEN MATCHED UPDATE SET * WHEN NOT MATCHED THEN INSERT *",
            "MERGE INTO t USING s ON t.a = s.a WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *",
        ),
        (
            "MERGE INTO t USING s ON a WHEN MATCHED AND b DELETE WHEN MATCHED UPDATE SET * WHEN NOT MATCHED INSERT *",
            (
                "MERGE INTO t USING s ON a WHEN MATCHED AND b THEN DELETE WHEN MATCHED THEN UPDATE SET * "
                "WHEN NOT MATCHED THEN INSERT *"
            ),
        ),
        ("EXPLAIN ANALYZE SELECT 1", "EXPLAIN SELECT 1"),
        ("SELECT a FROM t AS OF TIMESTAMP '2024-01-01'", "SELECT a FROM t TIMESTAMP AS OF '2024-01-01'"),
        (
            "SELECT f.value FROM t, LATERAL FLATTEN(input => a) f",
            "SELECT f.value FROM t LATERAL VIEW explode(a) f AS value",
        ),
        ("SELECT j ->> 'a' FROM t", "SELECT get_json_object(j, '$.a') FROM t"),
    ],
)
def test_a_syntax_error_with_one_correction(sql: str, correct: str) -> None:
    assert corrected(sql, help_of(refused(sql))) == correct


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        # What empties a table, or makes another one, is for the user to write.
        ("DELETE t", "write `DELETE FROM`"),
        ("UPDATE t a = 1", "write `SET` before `a`"),
        ("TRUNCATE t", "`TRUNCATE TABLE`"),
        ("UNDROP TABLE db.t", "register_table('db.t'"),
        ("VACUUM db.t", "expire_snapshots(table => 'db.t'"),
        ("OPTIMIZE db.t ZORDER BY (a, b)", "strategy => 'sort', sort_order => 'zorder(a, b)'"),
        ("RESTORE TABLE db.t TO VERSION AS OF 12", "rollback_to_snapshot('db.t', 12)"),
        ("COPY INTO db.t FROM 'a.csv'", "then INSERT INTO db.t SELECT * FROM csv_rows"),
        ("COPY db.t TO 'a.csv'", "--csv a.csv"),
        ("UPSERT INTO db.t VALUES (1)", "MERGE INTO db.t AS t"),
        ("INSERT INTO db.t VALUES (1) ON CONFLICT DO NOTHING", "MERGE INTO db.t AS t"),
        ("BEGIN TRANSACTION", "each statement commits by itself"),
        (
            "UPDATE db.t SET a = s.a FROM s WHERE s.id = t.id",
            "MERGE INTO db.t USING s ON s.id = t.id WHEN MATCHED THEN UPDATE SET a = s.a",
        ),
        (
            "SELECT /*+ OPTIONS('split-size'='1', 'lookback' = '2') */ * FROM db.t",
            "write the options behind the table, for Spark 4: `db.t WITH ('split-size' = '1', 'lookback' = '2')`",
        ),
        ("INSERT /*+ OPTIONS('write-format', 'orc') */ INTO db.t VALUES (1)", "`db.t WITH ('write-format' = 'orc')`"),
        ("SELECT * FROM db.t@v3", "`SELECT * FROM db.t.snapshots` lists the ids"),
        ("SELECT * FROM t PIVOT (sum(a) FOR b)", "FOR b IN ('value', ...)"),
        ("PIVOT t ON b USING sum(a)", "SELECT * FROM t PIVOT (sum(a) FOR b IN ('value', ...))"),
    ],
)
def test_a_syntax_error_with_help_alone(sql: str, expected: str) -> None:
    mistake = help_of(refused(sql))
    assert mistake is not None
    assert expected in mistake.help
    assert mistake.edit is None


@pytest.mark.parametrize(
    ("sql", "at", "correct"),
    [
        ("SELECT Sub-Category FROM t", "Sub", "SELECT `Sub-Category` FROM t"),
        ("SELECT 1 FROM t WHERE Region = South", "South", "SELECT 1 FROM t WHERE Region = 'South'"),
        ("SELECT * FROM t PIVOT (sum(a) FOR b IN (East, West))", "East",
         "SELECT * FROM t PIVOT (sum(a) FOR b IN ('East', 'West'))"),
        ("SELECT 1 FROM t WHERE Region = Regoin", "Regoin", None),  # a misspelt column
        ("DELETE FROM t WHERE Region = South", "South", None),
        ("SELECT rank() OVER (ORDER BY Sales) AS r FROM t WHERE r = 1", "r = 1",
         "SELECT * FROM (SELECT rank() OVER (ORDER BY Sales) AS r FROM t) WHERE r = 1"),
        ("SELECT e.a FROM t, UNNEST(xs) AS e", "xs", "SELECT e.a FROM t, LATERAL explode(xs) AS elements(e)"),
        ("SELECT e FROM t CROSS JOIN UNNEST(xs) AS u(e)", "xs",
         "SELECT e FROM t CROSS JOIN LATERAL explode(xs) AS u(e)"),
    ],
)  # fmt: skip
def test_a_column_that_is_none(sql: str, at: str, correct: str | None) -> None:
    name = at.partition(" ")[0]
    assert corrected(sql, help_of(refused(sql, COLUMN, at, objectName=f"`{name}`"))) == correct


def test_an_option_that_is_no_number() -> None:
    sql = "SELECT * FROM t WITH ('split-size' = '128MB') AS a JOIN s WITH ('branch' = 'x') USING (id)"
    mistake = help_of(refused(sql, "NumberFormatException", "SELECT"))
    assert mistake is not None
    assert mistake.span == (sql.index("'128MB'"), sql.index("'128MB'") + 7)
    assert mistake.message == "`split-size` must be an integer, not `128MB`: every read would fail"
    assert mistake.help == "write an integer"


@pytest.mark.parametrize("part", ["/*+ OPTIONS('a' = '1') */", "OPTIONS('a' = '1')"])
def test_the_place_of_a_hint(part: str) -> None:
    sql = f"SELECT {part if '+' in part else f'/*+ COALESCE(1), {part} */'} * FROM db.t"
    mistake = help_of(refused(sql))
    assert mistake is not None
    assert mistake.span is not None
    assert sql[slice(*mistake.span)] == part


def test_a_table_that_is_not_in_the_query() -> None:
    sql = "SELECT a.Region FROM sales JOIN db.cities b ON a.City = b.City"
    mistake = help_of(refused(sql, COLUMN, "a.City", objectName="`a`.`City`"))
    assert mistake is not None
    assert mistake.help == "no table or alias is called `a`: the tables are `sales`, `b`"
    assert mistake.edit is None


@pytest.mark.parametrize(
    ("sql", "condition", "at", "parameters", "correct"),
    [
        (
            "SELECT 1 FROM t WHERE ts > '24.03.2010'", "CAST_INVALID_INPUT", "ts > '24.03.2010'",
            {"expression": "'24.03.2010'", "targetType": '"TIMESTAMP"'}, "SELECT 1 FROM t WHERE ts > '2010-03-24'",
        ),
        (
            "SELECT 1 FROM t WHERE ts > '03/04/2010'", "CAST_INVALID_INPUT", "ts",  # March or April
            {"expression": "'03/04/2010'", "targetType": '"DATE"'}, None,
        ),
        (
            "SELECT 1 FROM t WHERE x > '1,000'", "CAST_INVALID_INPUT", "x > '1,000'",
            {"expression": "'1,000'", "targetType": '"DOUBLE"'}, "SELECT 1 FROM t WHERE x > 1000",
        ),
        (
            "SELECT date_trunc(ts, 'month') FROM t", "CAST_INVALID_INPUT", "date_trunc",
            {"expression": "'month'", "targetType": '"TIMESTAMP"'}, "SELECT date_trunc('month', ts) FROM t",
        ),
        (
            "SELECT 1 FROM t WHERE ts > 2010-3-24", "DATATYPE_MISMATCH.BINARY_OP_DIFF_TYPES", "ts > 2010-3-24",
            {"left": '"TIMESTAMP"', "right": '"INT"'}, "SELECT 1 FROM t WHERE ts > DATE '2010-03-24'",
        ),
        (
            "SELECT ts + 1 FROM t", "DATATYPE_MISMATCH.BINARY_OP_DIFF_TYPES", "ts + 1",
            {"left": '"TIMESTAMP"', "right": '"INT"'}, "SELECT ts + INTERVAL '1' DAY FROM t",
        ),
        (
            "SELECT to_char(ts, 'YYYY-MM-DD HH24:MI') FROM t",
            "INCONSISTENT_BEHAVIOR_CROSS_VERSION.DATETIME_PATTERN_RECOGNITION", "",
            {"pattern": "'YYYY-MM-DD HH24:MI'"}, "SELECT to_char(ts, 'yyyy-MM-dd HH:mm') FROM t",
        ),
        (
            "SELECT strftime(ts, '%Y-%m') FROM t", "UNRESOLVED_ROUTINE", "strftime", {"routineName": "`strftime`"},
            "SELECT date_format(ts, 'yyyy-MM') FROM t",
        ),
        (
            "SELECT strftime('%Y-%m', ts) FROM t", "UNRESOLVED_ROUTINE", "strftime", {"routineName": "`strftime`"},
            "SELECT date_format(ts, 'yyyy-MM') FROM t",
        ),
        ("SELECT f(a, '%Y') FROM t", "UNRESOLVED_ROUTINE", "f", {"routineName": "`strftime`"}, None),  # elsewhere
        (
            "SELECT array_length(xs) FROM t", "UNRESOLVED_ROUTINE", "array_length", {"routineName": "`array_length`"},
            "SELECT array_size(xs) FROM t",
        ),
        (
            "SELECT isnull(a, 'x') FROM t", "WRONG_NUM_ARGS.WITHOUT_SUGGESTION", "isnull(a, 'x')", {},
            "SELECT ifnull(a, 'x') FROM t",
        ),
        (
            "SELECT a, count(*) FROM t WHERE count(*) > 5 GROUP BY a ORDER BY a", "INVALID_WHERE_CONDITION", "SELECT",
            {}, "SELECT a, count(*) FROM t GROUP BY a HAVING count(*) > 5 ORDER BY a",
        ),
        (
            "SELECT a, b, count(*) FROM t GROUP BY a", "MISSING_AGGREGATION", "SELECT", {"expression": '"b"'},
            "SELECT a, b, count(*) FROM t GROUP BY a, b",
        ),
        (
            "INSERT INTO t VALUES (1, '2024-01-31')", "INCOMPATIBLE_DATA_FOR_TABLE.CANNOT_SAFELY_CAST", "INSERT",
            {"colName": "`d`", "srcType": '"STRING"', "targetType": '"DATE"'},
            "INSERT INTO t VALUES (1, DATE '2024-01-31')",
        ),
        ("CREATE DATABASE db", "SCHEMA_ALREADY_EXISTS", "db", {}, "CREATE DATABASE IF NOT EXISTS db"),
        (
            "CALL rollback_to_snapshot('db.t', 1)", "FAILED_TO_LOAD_ROUTINE", "CALL", {},
            "CALL system.rollback_to_snapshot('db.t', 1)",
        ),
        (
            "SELECT * FROM read_csv('a.csv', header => true)", "MISSING_CATALOG_ABILITY.TABLE_VALUED_FUNCTIONS",
            "read_csv", {}, "SELECT * FROM csv.`a.csv`",
        ),
        ("SELECT 1 FROM db.`t$files`", "TABLE_OR_VIEW_NOT_FOUND", "`t$files`", {}, "SELECT 1 FROM db.t.files"),
        ("SELECT 1 FROM `t$files`", "TABLE_OR_VIEW_NOT_FOUND", "`t$files`", {}, None),  # its namespace is not known
        ("SELECT * FROM a.csv", "TABLE_OR_VIEW_NOT_FOUND", "a.csv", {}, "SELECT * FROM csv.`a.csv`"),
        (
            "SELECT m.medal.gold FROM t", "FIELD_NOT_FOUND", "m.medal.gold",
            {"fieldName": "`medal`", "fields": "`abbr`, `medals`"}, "SELECT m.medals.gold FROM t",
        ),
    ],
)  # fmt: skip
def test_a_refused_value_or_call(
    sql: str, condition: str, at: str, parameters: dict[str, str], correct: str | None
) -> None:
    assert corrected(sql, help_of(refused(sql, condition, at, **parameters))) == correct


def test_columns_after_the_alias_of_a_merge() -> None:
    sql = "MERGE INTO t USING (VALUES (1)) AS s(a) ON t.a = s.a WHEN MATCHED THEN DELETE"
    source = "(SELECT * FROM VALUES (1) AS s(a)) AS s"
    condition = "COLUMN_ALIASES_NOT_ALLOWED"
    assert corrected(sql, help_of(refused(sql, condition))) == sql.replace("(VALUES (1)) AS s(a)", source)
    assert help_of(refused("MERGE INTO t USING (VALUES (1)) s(a ON t.a = s.a", condition)) is None


def test_a_date_that_does_not_exist_is_explained() -> None:
    parameters = {"expression": "'2010-04-31'", "targetType": '"TIMESTAMP"'}
    mistake = help_of(refused("SELECT 1 WHERE ts < '2010-04-31'", "CAST_INVALID_INPUT", "ts", **parameters))
    assert mistake is not None
    assert (mistake.message, mistake.help) == (
        "'2010-04-31' is not a TIMESTAMP",
        "April 2010 has 30 days: write a date that exists",
    )


@pytest.mark.parametrize(
    ("sql", "condition", "parameters", "expected"),
    [
        (
            "INSERT INTO t VALUES ('2010-13-01')", "INCOMPATIBLE_DATA_FOR_TABLE.CANNOT_SAFELY_CAST",
            {"colName": "`d`", "srcType": '"STRING"', "targetType": '"DATE"'}, "there is no month 13",
        ),
        (
            "UPDATE t SET n = 'none'", "INCOMPATIBLE_DATA_FOR_TABLE.CANNOT_SAFELY_CAST",
            {"colName": "`n`", "srcType": '"STRING"', "targetType": '"DOUBLE"'},
            "write a value of the type DOUBLE, or NULL",
        ),
        (
            "SELECT 1 FROM t TIMESTAMP AS OF 'yesterday'", "INVALID_TIME_TRAVEL_TIMESTAMP_EXPR.INPUT", {},
            "current_timestamp() - INTERVAL 1 DAY",
        ),
        (
            "MERGE INTO t USING s ON t.city = s.city WHEN MATCHED THEN DELETE", "MERGE_CARDINALITY_VIOLATION", {},
            "several rows for which `t.city = s.city` is true",
        ),
        ("CREATE INDEX i ON db.t (a)", "AnalysisException", {}, "ALTER TABLE db.t WRITE ORDERED BY a"),
        (
            "CALL system.rollback_to_snapshot('db.t')", "REQUIRED_PARAMETER_NOT_FOUND",
            {"parameterName": "`snapshot_id`"}, "add `snapshot_id => ...`; its arguments are table, snapshot_id",
        ),
        (
            "SELECT Region FROM a JOIN b", "AMBIGUOUS_REFERENCE", {"referenceNames": "[`a`.`Region`, `b`.`Region`]"},
            "say which: write `a.Region` or `b.Region`",
        ),
        (
            "SELECT fare FROM csv.`data/trips.csv`", COLUMN, {"objectName": "`fare`", "proposal": "`_c0`, `_c1`"},
            "CREATE TEMPORARY VIEW trips USING csv OPTIONS (path 'data/trips.csv', header true, inferSchema true)",
        ),
    ],
)  # fmt: skip
def test_help_alone(sql: str, condition: str, parameters: dict[str, str], expected: str) -> None:
    mistake = help_of(refused(sql, condition, **parameters))
    assert mistake is not None
    assert expected in mistake.help
    assert mistake.edit is None


def test_dates() -> None:
    assert impossible_date("2024-02-29") is None
    assert impossible_date("2024-01-01") is None
    assert impossible_date("2023-02-29 10:00") == "February 2023 has 28 days"
    assert impossible_date("2023-13-01") == "there is no month 13"
    assert [iso_date(text) for text in ("1.2.2024", "13/2/2024", "2/13/2024", "1/2/2024", "2024/1/2 08:00", "x")] == [
        "2024-02-01", "2024-02-13", "2024-02-13", None, "2024-01-02 08:00", None,
    ]  # fmt: skip


def test_patterns() -> None:
    assert spark_pattern("%Y-%m-%d %H:%M:%S") == "yyyy-MM-dd HH:mm:ss"
    assert spark_pattern("week %W") is None
    assert spark_pattern("on %d") is None  # its letters would be a pattern, too


def test_no_text_raises() -> None:
    """A statement cut off anywhere has a help or none."""
    for sql in (
        "DELETE * FROM t WHERE a", "UPDATE t SET a = 1 FROM s WHERE x = y",
        "MERGE INTO t USING s ON a WHEN MATCHED UPDATE",
        "SELECT [Ship Mode] FROM t, LATERAL FLATTEN(input => a) f QUALIFY r = 1 LIMIT 1, 2", "OPTIMIZE t ZORDER BY (a)",
        "COPY INTO t FROM 'a.csv'", "SELECT a FROM t@v1 AS OF TIMESTAMP 'x'", "PIVOT t ON b USING sum(a)",
        "SELECT * REPLACE (a AS b) FROM t PIVOT (sum(a) FOR b)", "INSERT INTO t VALUES (1) ON CONFLICT", "LOAD DATA",
        "SELECT /*+ OPTIONS('a' = 'b') */ * FROM t", "SELECT * FROM t WITH ('split-size' = 'x')",
        "CREATE INDEX i ON t (a)", "CALL system.x('a')", "SELECT strftime(a, '%Y') FROM t",
    ):  # fmt: skip
        for end in range(1, len(sql) + 1):
            if statements(sql[:end]):
                for condition in (SYNTAX, COLUMN, "TABLE_OR_VIEW_NOT_FOUND", "CAST_INVALID_INPUT", "UNRESOLVED_ROUTINE",
                                  "INCOMPATIBLE_DATA_FOR_TABLE", "AnalysisException", "INVALID_WHERE_CONDITION",
                                  "MISSING_AGGREGATION", "NumberFormatException",
                                  "FAILED_TO_LOAD_ROUTINE"):  # fmt: skip
                    help_of(
                        refused(sql[:end], condition, "", objectName="`a`", routineName="`strftime`", expression='"a"')
                    )

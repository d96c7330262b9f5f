"""CREATE TABLE ... AS SELECT with queries whose columns can be inferred, and queries whose columns cannot."""

from __future__ import annotations

import pytest

from spark_iceberg_sql.checker.engine import check
from spark_iceberg_sql.facts.query import columns_of
from spark_iceberg_sql.model.schema import Schema
from spark_iceberg_sql.model.table import Table
from spark_iceberg_sql.model.tables import Tables
from spark_iceberg_sql.model.types import Field, Primitive


class Session(Tables):
    """Knows the columns of one query, as a live session would."""

    def columns_of(self, query: str) -> Schema | None:
        if query != "SELECT * FROM src":
            return None
        kinds = {"id": "long", "name": "string", "ts": "timestamptz", "_file": "string"}
        return Schema(tuple(Field(name, Primitive(kind)) for name, kind in kinds.items()))


def codes(text: str) -> list[str]:
    session = Session(catalog="local", namespace=("db",), complete=True)
    return [d.code for d in check(text, session)]


@pytest.mark.parametrize(
    ("clause", "code"),
    [
        ("", []),
        ("PARTITIONED BY (days(ts), bucket(16, ID))", []),
        ("PARTITIONED BY (days(tss))", ["SIS201"]),
        ("PARTITIONED BY (truncate(4, NAME))", ["SIS201"]),
        ("PARTITIONED BY (days(name))", ["SIS202"]),
        ("PARTITIONED BY (ts)", ["SIS501"]),
    ],
)
def test_the_columns_of_a_known_query(clause, code):
    # The query has a column `_file`, which is its own fault.
    text = f"CREATE TABLE t USING iceberg {clause} AS SELECT * FROM src"
    assert codes(text) == [*code, "SIS206"]


def test_what_nobody_knows_is_said_to_be_unchecked():
    assert codes("CREATE TABLE t USING iceberg AS SELECT 1 AS id") == []
    assert codes("CREATE TABLE t USING iceberg AS SELECT f(1) AS id") == []
    assert codes("CREATE TABLE t USING iceberg AS SELECT f(1) AS _file") == ["SIS002"]
    assert codes("CREATE TABLE t USING iceberg AS SELECT f(1) AS _FILE") == ["SIS002"]
    assert codes("CREATE TABLE t USING iceberg PARTITIONED BY (id) AS SELECT f(1) AS id") == ["SIS002"]
    assert codes("CREATE TABLE t USING iceberg PARTITIONED BY (bucket(id, 4)) AS SELECT f(1) AS id") == [
        "SIS002",
        "SIS104",
    ]


SOURCE = "CREATE TABLE s (id BIGINT, ts TIMESTAMP, n STRING) USING iceberg;"


@pytest.mark.parametrize(
    ("clause", "query", "expected"),
    [
        ("days(id)", "SELECT * FROM s", ["SIS202"]),
        ("days(ts)", "SELECT * FROM s", []),
        ("days(id)", "SELECT * FROM unknown", ["SIS002"]),
        # What is known is judged, whatever else the query computes.
        ("days(id)", "SELECT id, f(ts) AS x FROM s", ["SIS202"]),
        ("days(nope)", "SELECT id, f(ts) AS x FROM s", ["SIS201"]),
        ("days(x)", "SELECT id, f(ts) AS x FROM s", ["SIS002"]),
        ("days(id), days(x)", "SELECT id, f(ts) AS x FROM s", ["SIS002", "SIS202"]),
        ("days(x)", "SELECT id + 1 AS x FROM s", ["SIS002"]),
        ("days(x)", "SELECT CASE WHEN true THEN id END AS x FROM s", ["SIS002"]),
        ("days(x)", "SELECT id x FROM s LATERAL VIEW explode(a) AS b", ["SIS002"]),
        ("days(x)", "SELECT id x FROM s NATURAL JOIN s t", ["SIS002"]),
        ("days(x)", "SELECT id x FROM s VERSION AS OF 1", ["SIS002"]),
        ("days(x)", "SELECT id x FROM s t JOIN s u", ["SIS002"]),  # one of two
        ("days(x)", "SELECT id AS x FROM s UNION SELECT ts FROM s", ["SIS002"]),
        ("days(id)", "SELECT id AS x FROM s", ["SIS201"]),
        ("days(id)", "FROM s SELECT id", ["SIS002"]),
        ("days(id)", "TABLE s", ["SIS002"]),
        ("days(id)", "SELECT * EXCEPT (n) FROM s", ["SIS002"]),
        ("days(id)", "VALUES (1)", ["SIS002"]),
        ("days(id)", "WITH q(id) AS (SELECT n FROM s) SELECT * FROM q", ["SIS002"]),
        ("days(id)", "WITH s AS (SELECT ts AS id FROM x) SELECT id FROM s", ["SIS002"]),
        ("days(id)", "(SELECT id FROM s)", ["SIS202"]),
        ("days(x)", "SELECT (SELECT max(id) FROM s) AS x", ["SIS002"]),
    ],
)
def test_columns_of_queries_without_a_session(clause, query, expected):
    tables = Tables(catalog="local", namespace=("db",), complete=True)
    text = f"{SOURCE} CREATE TABLE c USING iceberg PARTITIONED BY ({clause}) AS {query}"
    assert sorted(d.code for d in check(text, tables)) == expected


def test_given_metadata_knows_columns_as_well():
    table = Table(("s",), Schema((Field("u", Primitive("uuid"), True), Field("d", Primitive("date")))))
    text = "CREATE TABLE c USING iceberg PARTITIONED BY (days({})) AS SELECT * FROM s"
    assert [d.code for d in check(text.format("u"), Tables([table]))] == ["SIS202"]
    assert [d.code for d in check(text.format("d"), Tables([table]))] == []


def test_any_query_at_all():
    """A query cut off anywhere raises nothing and is not mistaken for another."""
    query = (
        "WITH q AS (SELECT id, CAST(n AS DATE) AS d FROM s) SELECT q.*, t.ts::date x, 'a' || n AS y "
        "FROM q JOIN (SELECT * FROM s) AS t ON q.id = t.id UNION ALL SELECT 1, date '2024-01-01', x, y"
    )
    for end in range(len(query)):
        for text in (query[:end], query[end:]):
            schema = columns_of(text, lambda name: None)
            assert schema is None or all(column.name for column in schema.columns), text


READ = "CREATE TABLE x (ts TIMESTAMP, n TIMESTAMP_NTZ) USING iceberg; "
CTAS = "CREATE TABLE u USING iceberg PARTITIONED BY (m) AS "


@pytest.mark.parametrize(
    ("query", "moments"),
    [
        ("SELECT date_trunc('month', ts) AS m FROM x", False),
        ("(SELECT DATE_TRUNC('HOUR', n) m FROM x)", False),
        ("SELECT m FROM (SELECT date_trunc('day', ts) AS m FROM x)", False),
        ("WITH w AS (SELECT date_trunc('week', ts) AS m FROM x) SELECT * FROM w", False),
        ("SELECT CAST(to_date(ts) AS TIMESTAMP) AS m FROM x", False),
        ("SELECT max(date_trunc('QUARTER', ts)) AS m FROM x", False),
        ("SELECT date_trunc('minute', ts) AS m FROM x", True),
        ("SELECT date_trunc(unit, ts) AS m FROM x", True),
        ("SELECT coalesce(date_trunc('day', ts), ts) AS m FROM x", True),
        ("SELECT date_trunc('day', ts) AS m FROM x UNION ALL SELECT ts FROM x", True),
        ("SELECT CAST('2024-05-17' AS TIMESTAMP) AS m FROM x", True),
        ("SELECT ts AS m FROM x", True),
    ],
)
def test_moments_that_are_rounded_to_hours_or_more_may_partition(query: str, moments: bool) -> None:
    tables = Tables(catalog="local", namespace=("db",), complete=True)
    assert [d.code for d in check(READ + CTAS + query, tables)] == ["SIS501"] * moments
    later = READ + CTAS.replace(" PARTITIONED BY (m)", "") + query + "; "
    later += "ALTER TABLE u ADD PARTITION FIELD m"
    assert [d.code for d in check(later, tables)] == ["SIS501"] * moments


def test_columns_that_double_with_each_cte():
    names = [f"c{n} AS (SELECT x.*, y.* FROM c{n - 1} x, c{n - 1} y)" for n in range(1, 60)]
    query = f"WITH {', '.join(['c0 AS (SELECT 1 a)', *names])} SELECT * FROM c59"
    assert columns_of(query, lambda name: None) is None

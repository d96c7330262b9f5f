"""CREATE TABLE ... AS SELECT where somebody can say what columns the query has, and where nobody can."""

from __future__ import annotations

import pytest

from spark_iceberg_sql.checker import check
from spark_iceberg_sql.model.schema import Schema
from spark_iceberg_sql.model.table import Known
from spark_iceberg_sql.model.types import Field, Primitive


class Session(Known):
    """Knows the columns of one query, as a live session would."""

    def columns_of(self, query: str) -> Schema | None:
        if query != "SELECT * FROM src":
            return None
        kinds = {"id": "long", "name": "string", "ts": "timestamptz", "_file": "string"}
        return Schema(tuple(Field(name, Primitive(kind)) for name, kind in kinds.items()))


def codes(text: str) -> list[str]:
    known = Session(catalog="local", namespace=("db",), complete=True)
    return [d.code for d in check(text, known)]


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
    # The query has a column `_file`, which is a fault of its own.
    text = f"CREATE TABLE t USING iceberg {clause} AS SELECT * FROM src"
    assert codes(text) == [*code, "SIS206"]


def test_what_nobody_knows_is_said_to_be_unchecked():
    assert codes("CREATE TABLE t USING iceberg AS SELECT 1 AS id") == []
    assert codes("CREATE TABLE t USING iceberg AS SELECT f(1) AS id") == []
    assert codes("CREATE TABLE t USING iceberg AS SELECT f(1) AS _file") == ["SIS002"]
    assert codes("CREATE TABLE t USING iceberg AS SELECT f(1) AS _FILE") == ["SIS002"]
    assert codes("CREATE TABLE t USING iceberg PARTITIONED BY (id) AS SELECT f(1) AS id") == [
        "SIS002"
    ]
    assert codes(
        "CREATE TABLE t USING iceberg PARTITIONED BY (bucket(id, 4)) AS SELECT f(1) AS id"
    ) == [
        "SIS002",
        "SIS104",
    ]

"""SQL that nobody wrote for the checker: what programs make, other engines' words, slips, cells, macros.

Errors must be true: a name that anything else may have made is not known, and what may be another engine's SQL
is at most a note. Silence must be true: what cannot be read is said.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from samples import sampled

from spark_iceberg_sql.checker.engine import check
from spark_iceberg_sql.checker.files.linter import Linter
from spark_iceberg_sql.config.settings import Settings
from spark_iceberg_sql.diagnostics import Severity
from spark_iceberg_sql.files.discovery import extract_source
from spark_iceberg_sql.model.metadata.metadata_json import table_from_metadata
from spark_iceberg_sql.model.tables import Tables

CREATE = "CREATE TABLE t (id BIGINT, ts TIMESTAMP, s STRING) USING iceberg;\n"


def empty() -> Tables:
    return Tables(catalog="local", namespace=("db",), complete=True)


def said(text: str, tables: Tables | None = None) -> list[tuple[str, str]]:
    return [(d.code, str(d.severity)) for d in check(text, tables)]


def messages(text: str, tables: Tables | None = None) -> str:
    return "\n".join(f"{d.message}; {d.help}" for d in check(text, tables))


def lint(name: str, text: str, **settings: Any) -> list[tuple[str, str, str]]:
    """Code, severity and the file's own words of each finding."""
    return [
        (d.code, str(d.severity), report.text[d.span.start : d.span.end])
        for report in Linter().lint(extract_source(name, text), Settings(**settings))
        for d in report
    ]


def errors(name: str, text: str, **settings: Any) -> list[tuple[str, str]]:
    return [(code, excerpt) for code, kind, excerpt in lint(name, text, **settings) if kind == "error"]


def notebook(*cells: str, language: str = "python") -> str:
    return json.dumps(
        {
            "cells": [{"cell_type": "code", "source": cell.splitlines(True)} for cell in cells],
            "metadata": {"language_info": {"name": language}},
        }
    )


# --- what others have made ------------------------------------------------------------------------

SESSION = "from pyspark.sql import SparkSession\nspark = SparkSession.builder.getOrCreate()"


@pytest.mark.parametrize(
    "cell",
    [
        'df.writeTo("nyc.taxis").using("iceberg").create()',
        'df.writeTo("nyc.taxis").tableProperty("a", "b").createOrReplace()',
        'df.write.format("iceberg").mode("overwrite").saveAsTable("nyc.taxis")',
        'TABLE = "nyc.taxis"\ndf.write.saveAsTable(TABLE)',
        "df.write.saveAsTable(table)",
        'catalog.create_table("nyc.taxis", schema=schema)',
        'spark.catalog.createTable("nyc.taxis", "x.parquet")',
        "%run ./make_tables",
        'dbutils.notebook.run("./make_tables", 60)',
        "import helpers; helpers.make_tables(spark)",
    ],
)
def test_a_notebook_that_drops_and_makes_its_table_without_sql(cell: str) -> None:
    """Iceberg's own quickstart begins so: DROP, a DataFrame, then ALTERs."""
    text = notebook(
        SESSION,
        "%%sql\n\nDROP TABLE IF EXISTS nyc.taxis",
        cell,
        "%%sql\n\nALTER TABLE nyc.taxis RENAME COLUMN fare_amount TO fare",
        "%%sql\n\nALTER TABLE nyc.taxis ADD COLUMN fare_per_mile FLOAT AFTER trip_distance",
        "%%sql\n\nALTER TABLE nyc.taxis ADD PARTITION FIELD VendorID",
        "%%sql\n\nALTER TABLE nyc.taxis SET TBLPROPERTIES ('write.wap.enabled' = 'true')",
        "%%sql\n\nALTER TABLE nyc.taxis CREATE BRANCH audit\n",
        "%%sql\n\nDELETE FROM nyc.taxis WHERE fare < 0",
    )
    findings = lint("a.ipynb", text)
    assert [item for item in findings if item[1] != "note"] == []
    assert ("SIS002", "note", "nyc.taxis") in findings


@pytest.mark.parametrize(
    ("between", "expected"),
    [
        ("", [("SIS201", "nope")]),
        ('df.writeTo("t").append()', [("SIS201", "nope")]),
        ('df.writeTo("t").option("a", 1).overwritePartitions()', [("SIS201", "nope")]),
        ('df.writeTo("u").create()', [("SIS201", "nope")]),
        ('df.writeTo("t").createOrReplace()', []),
        ('w = df.writeTo("t")\nw.createOrReplace()', []),
        ('df.writeTo(f"{name}").replace()', []),
        ("df.write.saveAsTable(name)", []),
        ('table.update_schema().add_column("nope", LongType())', []),
    ],
)
def test_what_a_program_made_with_sql_stays_known(between: str, expected: list[Any]) -> None:
    create = 'spark.sql("CREATE TABLE t (id BIGINT) USING iceberg")'
    text = f'{create}\n{between}\nspark.sql("ALTER TABLE t ADD PARTITION FIELD nope")\n'
    assert errors("job.py", text) == expected


def test_a_program_that_names_a_table_without_its_catalog() -> None:
    create = 'spark.sql("CREATE TABLE demo.db.t (id BIGINT) USING iceberg")\n'
    assert errors("job.py", f'{create}catalog.drop_table("db.t")\n{create}') == []


def test_a_script_still_knows_what_it_dropped() -> None:
    text = CREATE + "DROP TABLE t; ALTER TABLE t ADD PARTITION FIELD days(ts)"
    assert said(text) == [("SIS412", "error")]
    assert said(text, empty()) == [("SIS412", "error")]


GONE = "DROP TABLE IF EXISTS local.db.t; "
ALTER = "; ALTER TABLE local.db.t ADD PARTITION FIELD days(ts)"


@pytest.mark.parametrize(
    "call",
    [
        "CALL local.system.register_table(table => 'db.t', metadata_file => 'm.json')",
        "CALL local.system.register_table('db.t', 'm.json')",
        "CALL local.system.snapshot('src.t', 'local.db.t')",
        "CALL local.system.snapshot(source_table => 'src.t', table => 'db.t', location => '/x')",
        "CALL local.system.migrate('db.t')",
        "CALL local.system.migrate(`table` => 'db.t', properties => map('a', 'b'))",
        "CALL local.system.add_files(table => 'db.t', source_table => 'src.t')",
        "CALL local.system.snapshot('src.t', concat('db.', 't'))",
        "CALL system.register_table('local.db.t', 'm.json')",
    ],
)
def test_procedures_make_tables(call: str) -> None:
    assert [item for item in said(GONE + call + ALTER) if item[1] == "error"] == []
    assert [item for item in said(GONE + call + ALTER, empty()) if item[1] == "error"] == []
    create = "CREATE TABLE local.db.t (id INT, ts TIMESTAMP) USING parquet; "
    assert "SIS412" not in [code for code, _ in said(create + call + ALTER)]


def test_other_procedures_make_no_tables() -> None:
    call = "CALL local.system.rewrite_data_files('db.t')"
    assert said(GONE + call + ALTER) == [("SIS412", "error")]
    add = "CREATE TABLE local.db.t (id INT) USING iceberg; CALL local.system.add_files('db.t', 'src')"
    assert said(add + ALTER) == [("SIS201", "error")]


@pytest.mark.parametrize(
    "drop", ["DROP NAMESPACE {} CASCADE", "DROP DATABASE IF EXISTS {} CASCADE", "DROP SCHEMA {} CASCADE"]
)
def test_a_namespace_that_goes_with_its_tables(drop: str) -> None:
    create = "CREATE TABLE {}.t (id BIGINT) USING iceberg; "
    for namespace in ("spark_catalog.x", "x"):
        text = create.format(namespace) + drop.format(namespace) + "; " + create.format(namespace)
        assert said(text) == []
    text = create.format("x") + drop.format("y") + "; " + create.format("x")
    assert said(text) == [("SIS412", "error")]
    assert said(text.replace(" CASCADE", "").replace("y;", "x;")) == [("SIS412", "error")]


@pytest.mark.parametrize("hive", ["STORED AS PARQUET", "ROW FORMAT DELIMITED FIELDS TERMINATED BY ','", ""])
def test_a_table_that_may_be_hives(hive: str) -> None:
    create = f"CREATE TABLE db.t (a INT) PARTITIONED BY (b STRING) {hive}; "
    for alter in ("ADD PARTITION (b = 'x')", "DROP PARTITION (b = 'x')"):
        assert said(f"{create} ALTER TABLE db.t {alter}") == [("SIS002", "note")]
        # In a catalog of Iceberg's, it is Iceberg's.
        assert ("SIS412", "error") in said(f"{create} ALTER TABLE db.t {alter}", empty())


@pytest.mark.parametrize(
    "name", ["IDENTIFIER(v)", "IDENTIFIER(:tab)", "IDENTIFIER(concat('a', v))", "IDENTIFIER('a' || v)", "identifier(?)"]
)
def test_a_name_that_is_made_when_the_statement_runs(name: str) -> None:
    text = f"CREATE TABLE {name} (c1 INT) USING iceberg"
    assert said(text) == said(text, empty()) == [("SIS002", "note")]
    assert ("SIS101", "error") in said(f"{text} PARTITIONED BY (weeks(c1))", empty())
    assert said(f"{text}; {text}") == [("SIS002", "note")] * 2
    for alter in ("RENAME TO x", "ADD COLUMN x INT", "SET TBLPROPERTIES ('a' = 'b')"):
        assert ("SIS412", "error") not in said(f"ALTER TABLE {name} {alter}", empty())


# --- other engines, other separators ---------------------------------------------------------------

OTHERS = {
    "postgres": """
        CREATE TABLE users (id SERIAL PRIMARY KEY, email CITEXT UNIQUE NOT NULL, meta JSONB DEFAULT '{}'::jsonb);
        CREATE TABLE logs (id bigint GENERATED ALWAYS AS IDENTITY, at timestamptz DEFAULT now())
            PARTITION BY RANGE (at);
        CREATE TABLE logs_1 PARTITION OF logs FOR VALUES FROM ('2024-01-01') TO ('2025-01-01');
        CREATE TABLE heap_table (id int) USING heap; CREATE TABLE h2 (id int) USING columnstore;
        CREATE TABLE h2 (id int) USING duckdb WITH (x = 1); CREATE TABLE h2 (LIKE users);
        CREATE INDEX ON users USING btree (email);
        ALTER TABLE users ADD phone text; ALTER TABLE IF EXISTS users OWNER TO admin;
        ALTER TABLE users ALTER COLUMN email SET DATA TYPE text USING email::text;
        ALTER TABLE users ENABLE ROW LEVEL SECURITY; ALTER TABLE logs ATTACH PARTITION x DEFAULT;
        CREATE TABLE users (id int); DROP TABLE users; DROP TABLE users;
        ALTER TABLE users ADD volumn int; COMMENT ON TABLE users IS 'not iceberg, nor using parquet';
    """,
    "mysql": """
        CREATE TABLE `t` (`id` INT UNSIGNED NOT NULL AUTO_INCREMENT, `at` DATETIME(6), PRIMARY KEY (`id`))
            ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 PARTITION BY RANGE (YEAR(at)) (PARTITION p0 VALUES LESS THAN (2020));
        ALTER TABLE t ADD PARTITION (PARTITION p1 VALUES LESS THAN (2021)), ADD INDEX x (at);
        ALTER TABLE t DROP PARTITION p0; ALTER TABLE t MODIFY COLUMN at DATETIME; ALTER TABLE t ADD INDEX (id);
        ALTER TABLE t CONVERT TO CHARACTER SET utf8mb4; ALTER TABLE t REORGANIZE PARTITION p0 INTO (x);
        DROP TABLES a, b; CREATE TABLE u LIKE t;
    """,
    "tsql": """
        CREATE TABLE [dbo].[Orders] ([Id] INT IDENTITY(1,1) NOT NULL, [Name] NVARCHAR(MAX) NULL);
        ALTER TABLE dbo.Orders ADD CONSTRAINT PK PRIMARY KEY CLUSTERED (Id); ALTER TABLE dbo.Orders ADD X BIT;
        ALTER TABLE dbo.Orders SWITCH PARTITION 1 TO dbo.Old; ALTER TABLE dbo.Orders REBUILD;
        CREATE TABLE #tmp (id UNIQUEIDENTIFIER DEFAULT NEWID());
    """,
    "oracle": """
        CREATE TABLE orders (id NUMBER(10) PRIMARY KEY, name VARCHAR2(30 CHAR)) TABLESPACE users PCTFREE 10;
        ALTER TABLE orders ADD (note CLOB, code NUMBER); ALTER TABLE orders MODIFY (name VARCHAR2(60));
    """,
    "snowflake": """
        CREATE OR REPLACE TRANSIENT TABLE t (id NUMBER AUTOINCREMENT, v VARIANT) CLUSTER BY (id);
        ALTER TABLE t SWAP WITH u; ALTER TABLE t ADD SEARCH OPTIMIZATION;
    """,
    "clickhouse": """
        CREATE TABLE t (id UInt64, at DateTime64(3)) ENGINE = MergeTree PARTITION BY toYYYYMM(at) ORDER BY id;
        ALTER TABLE t DROP PARTITION '2024-01'; ALTER TABLE t MODIFY TTL at + INTERVAL 1 DAY;
    """,
    "sqlite": """
        CREATE TABLE t (id INTEGER PRIMARY KEY AUTOINCREMENT, x) WITHOUT ROWID; CREATE VIRTUAL TABLE f USING fts5(x);
    """,
    "tdengine": "CREATE STABLE meters (ts TIMESTAMP, v FLOAT) TAGS (g INT);",
    "flink": """
        CREATE TABLE t (id BIGINT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND)
            PARTITIONED BY (id) WITH ('connector'='kafka');
        CREATE TABLE u (id BIGINT, data STRING, PRIMARY KEY (id) NOT ENFORCED) PARTITIONED BY (data)
            WITH ('format-version'='2');
        ALTER TABLE u SET ('write.format.default'='avro');
    """,
    "flink catalog": """
        CREATE CATALOG c WITH ('type'='iceberg', 'catalog-type'='hive'); USE CATALOG c;
        CREATE TABLE c.db.t (id BIGINT, d AS id % 8) PARTITIONED BY (d);
    """,
    "trino": """
        CREATE TABLE iceberg.db.t (id BIGINT, ts TIMESTAMP(6) WITH TIME ZONE)
            WITH (partitioning = ARRAY['day(ts)'], format='PARQUET');
        ALTER TABLE iceberg.db.t SET PROPERTIES partitioning = ARRAY['day(ts)', 'bucket(id, 8)'];
        ALTER TABLE iceberg.db.t EXECUTE optimize;
    """,
    "trino with a catalog called iceberg": """
        CREATE SCHEMA IF NOT EXISTS iceberg.s WITH (location = 's3://x');
        CREATE TABLE iceberg.s.a (n VARCHAR, at TIMESTAMP(6));
        CREATE TABLE iceberg.s.o WITH (format='PARQUET') AS SELECT 1 AS k;
        ALTER TABLE iceberg.s.a ADD COLUMN IF NOT EXISTS m VARCHAR; INSERT INTO iceberg.s.a VALUES ('x', NULL);
    """,
    "a catalog called iceberg": "CREATE TABLE iceberg.s.a (n VARCHAR); DROP TABLE iceberg.s.a; DROP TABLE iceberg.s.a;",
    "hive": """
        CREATE EXTERNAL TABLE t (id INT) PARTITIONED BY SPEC (bucket(4, id), truncate(2, s)) STORED BY ICEBERG
            TBLPROPERTIES ('format-version'='2');
        CREATE TABLE u (id INT) STORED BY ICEBERG STORED AS ORC; CREATE TABLE v STORED BY ICEBERG AS SELECT 1;
        CREATE TABLE w (id INT) STORED BY 'org.apache.iceberg.mr.hive.HiveIcebergStorageHandler';
        ALTER TABLE t SET PARTITION SPEC (month(ts), id);
    """,
    "impala": """
        CREATE TABLE t (id INT, s STRING) PARTITIONED BY SPEC (BUCKET(3, id), TRUNCATE(4, s)) STORED AS ICEBERG;
        ALTER TABLE t SET PARTITION SPEC (VOID(id)); ALTER TABLE u SET FILEFORMAT PARQUET;
        CREATE TABLE u (id INT) PARTITIONED BY (d STRING) STORED AS TEXTFILE;
    """,
    "kudu": """
        CREATE TABLE k (i INT PRIMARY KEY, s STRING) PARTITION BY HASH (i) PARTITIONS 4 STORED AS KUDU;
        CREATE TABLE l (PRIMARY KEY (i)) PARTITION BY RANGE (i) (PARTITION VALUES < 5) STORED AS KUDU AS SELECT 1 AS i;
    """,
    "trino ctas": "CREATE TABLE iceberg.db.t WITH (partitioning = ARRAY['x']) AS SELECT 1 AS x;",
    "athena": """
        CREATE TABLE t (id bigint, d string) PARTITIONED BY (d, bucket(16, id)) LOCATION 's3://x'
            TBLPROPERTIES ('table_type'='ICEBERG', 'format'='parquet');
        ALTER TABLE t REPLACE COLUMNS (id int NOT NULL);
    """,
    "snowflake iceberg": """
        CREATE ICEBERG TABLE t (id INT, ts TIMESTAMP_NTZ(6)) PARTITION BY (day(ts))
            CATALOG='SNOWFLAKE' EXTERNAL_VOLUME='v' BASE_LOCATION='b';
        ALTER ICEBERG TABLE t REFRESH;
    """,
    "redshift": """
        CREATE EXTERNAL TABLE s.t (id integer) PARTITIONED BY (d char(10)) STORED AS TEXTFILE LOCATION 's3://x'
            TABLE PROPERTIES ('numRows'='1');
        CREATE TABLE u (id int) DISTKEY(id) SORTKEY(id);
    """,
    "ducklake": "ALTER TABLE t SET PARTITIONED BY (bucket(4, id), year(ts));",
    "bigquery": """
        CREATE TABLE d.t (id INT64, ts TIMESTAMP) PARTITION BY DATE(ts) CLUSTER BY id
            OPTIONS (file_format='PARQUET', table_format='ICEBERG', storage_uri='gs://x');
    """,
}


@pytest.mark.parametrize("engine", OTHERS)
def test_other_engines(engine: str) -> None:
    """No error, and at most one note."""
    findings = lint(f"{engine}.sql", OTHERS[engine])
    assert len(findings) <= 1
    assert all(kind == "note" for _, kind, _ in findings), findings


@pytest.mark.parametrize("engine", ["hive", "impala", "kudu", "trino with a catalog called iceberg"])
def test_in_a_session_another_engine_s_clauses_are_errors(engine: str) -> None:
    body = f'from pyspark.sql import SparkSession\nspark.sql("""{OTHERS[engine].split(";")[0]}""")\n'
    if engine.startswith("trino"):
        body = body.replace("SCHEMA IF NOT EXISTS iceberg.s", "TABLE iceberg.s.a (id INT)")
    assert [code for code, _ in errors("a.py", body)] == ["SIS001"]


def test_a_note_says_that_another_engines_sql_was_not_checked() -> None:
    text = messages(OTHERS["postgres"])
    assert "nothing shows that this is Spark SQL or an Iceberg table" in text
    assert "default-catalog" in text


SPARKS = "CREATE TABLE s (id INT) USING iceberg PARTITIONED BY (weeks(id));"


@pytest.mark.parametrize("engine", OTHERS)
def test_spark_s_own_words_are_heard_beside_other_engines(engine: str) -> None:
    assert ("SIS101", "weeks") in errors("a.sql", f"{OTHERS[engine]};\n{SPARKS}")
    assert ("SIS101", "weeks") in errors("a.sql", f"-- {OTHERS[engine].split()}\n{SPARKS}")


CLIENTS = [
    "import duckdb",
    "import duckdb as d, os",
    "from snowflake.snowpark import Session",
    "import awswrangler as wr",
    "from pyathena import connect",
    "import trino.dbapi",
    "from google.cloud import bigquery",
    "    import psycopg2",
    "import boto3\nclient = boto3.client('athena')",
    "from pyflink.table import TableEnvironment",
]
WEAK = [
    "ALTER TABLE t SET PARTITIONED BY (year(ts))",
    "CREATE ICEBERG TABLE t (id INT) CATALOG='SNOWFLAKE'",
    "CREATE TABLE t (id int) PARTITIONED BY (nope) TBLPROPERTIES ('table_type'='ICEBERG')",
    "ALTER TABLE t ADD x INT",
    "ALTR TABLE t ADD COLUMN x INT",
]


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("text", WEAK)
def test_a_program_that_speaks_to_another_engine(client: str, text: str) -> None:
    indent = "if x:\n" if client.startswith(" ") else ""
    body = f'{indent}{client}\ndb.sql("""{text}""")\n'
    for settings in ({}, {"default_catalog": "local"}):
        assert [kind for _, kind, _ in lint("a.py", body, **settings)] in ([], ["note"])
    assert [kind for _, kind, _ in lint("n.ipynb", notebook(body))] in ([], ["note"])
    # Where Spark is named too, or the words are Spark's and nobody else's, it is Spark's.
    if "SNOWFLAKE" not in text:
        assert errors("a.py", f"import pyspark\n{body}", default_catalog="local") or "SET" in text
    mine = body.replace(text, SPARKS)
    assert errors("a.py", mine) == [("SIS101", "weeks")]


@pytest.mark.parametrize(
    "word",
    [
        "CREATE TABLE x (id INT) USING iceberg",
        "CREATE TABLE x (id INT) USING ICEBERG;",
        "ALTER TABLE x SET TBLPROPERTIES ('a' = 'b')",
        "ALTER TABLE x ADD PARTITION FIELD id",
        "ALTER TABLE x WRITE ORDERED BY id",
        "CREATE TABLE x (id INT) PARTITIONED BY (id)",
    ],
)
def test_one_word_of_iceberg_and_the_file_is_judged(word: str) -> None:
    assert ("SIS001", "ADD") not in errors("a.sql", "ALTER TABLE y FOO BAR")
    assert errors("a.sql", f"{word};\nALTER TABLE y FOO BAR") == [("SIS001", "FOO")]
    commented = f"-- {word}\nALTER TABLE y FOO BAR"
    assert errors("a.sql", commented) == []


def test_settings_are_a_word_as_well() -> None:
    text = "CREATE TABLE t (id SERIAL);\nALTER TABLE y FOO BAR"
    assert errors("a.sql", text) == []
    assert errors("a.sql", text, default_catalog="local") == [("SIS209", "SERIAL"), ("SIS001", "FOO")]
    program = 'from pyspark.sql import SparkSession\nspark.sql("ALTER TABLE y FOO BAR")'
    assert errors("a.py", program) == [("SIS001", "FOO")]


def test_spark_s_own_tables_may_have_what_icebergs_may_not() -> None:
    text = "CREATE TABLE t (a INT DEFAULT 5);\nCREATE TABLE u (a INT) USING parquet"
    assert said(text) == [("SIS002", "note")]
    assert said("CREATE TABLE t (a INT DEFAULT 5) USING iceberg") == [("SIS208", "error")]
    assert said("CREATE TABLE t (a INT DEFAULT 5)", empty()) == [("SIS208", "error")]
    assert said("CREATE TABLE t (a INT) USING delta CLUSTER BY AUTO") == []


@pytest.mark.parametrize("format_", ["mixed_iceberg", "mixed_hive", "clickhouse", "delta"])
def test_a_connector_s_format_is_no_slip(format_: str) -> None:
    text = f"CREATE TABLE t (id INT) USING {format_} PARTITIONED BY (id) TBLPROPERTIES ('a' = 'b');\n"
    assert said(text) == []
    assert [kind for _, kind in said(text + CREATE.replace(" t ", " u "))] == []


def test_amoro_s_tables_have_transforms() -> None:
    text = "CREATE TABLE t (id INT, ts TIMESTAMP) USING {} PARTITIONED BY (bucket(4, id), days(ts));"
    assert said(text.format("mixed_iceberg")) == []
    assert said(text.format("paimon")) == [("SIS413", "error")]


@pytest.mark.parametrize(
    ("change", "product"),
    [
        ("SET POLICY (RETENTION=30d)", "OpenHouse"),
        ("UNSET POLICY (REPLICATION)", "OpenHouse"),
        ("MODIFY COLUMN id SET TAG = (PII)", "OpenHouse"),
        ("SET ROW FILTER f ON (id)", "Databricks"),
        ("SET TAGS ('a' = 'b')", "Databricks"),
        ("ALTER COLUMN id SET TAGS ('a' = 'b')", "Databricks"),
        ("ALTER COLUMN id SET MASKING POLICY f (id)", "Dremio"),
        ("DROP FEATURE deletionVectors", "Delta Lake"),
    ],
)
def test_a_statement_of_another_product_s_extension_is_not_judged(change: str, product: str) -> None:
    findings = lint("a.py", f'from pyspark.sql import SparkSession\nspark.sql("""ALTER TABLE c.d.t {change}""")')
    assert [(code, severity) for code, severity, _ in findings] == [("SIS001", "note")]
    (diagnostic,) = check(f"ALTER TABLE c.d.t {change}", empty())
    assert diagnostic.message == (
        f"not checked: this is a statement of {product}, which Spark takes with its extension"
    )


@pytest.mark.parametrize("change", ["SET POLICYS (a)", "MODIFY COLUMN id BIGINT", "SET ROW", "DROP row"])
def test_similar_statements_are_errors(change: str) -> None:
    assert said(f"ALTER TABLE c.d.t {change}", empty()) == [("SIS001", "error")]


def test_a_name_with_iceberg_in_it_is_no_slip() -> None:
    text = "CREATE TABLE t (id INT) USING {};" + CREATE.replace(" t ", " u ")
    assert said(text.format("my_iceberg")) == [("SIS413", "warning")]
    assert said(text.format("icebreg")) == said(text.format("iceburg")) == [("SIS413", "error")]


HEAD = "--liquibase formatted sql\n"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "n.sql",
            ("-- Databricks notebook source\n{}\n\n-- COMMAND ----------\n\n{}\n\n"
            "-- COMMAND ----------\n-- MAGIC %md\n-- MAGIC # x"),
        ),
        ("l.sql", HEAD + "--changeset me:1 endDelimiter:/\n{}\n/\n{}\n/\n"),
        ("l.sql", HEAD + "--changeset me:1 splitStatements:true endDelimiter:\"\\nGO\"\n{}\nGO\n{}\ngo\n"),
        ("l.sql", HEAD + "--changeset me:1 endDelimiter://\n{} //\n{} //"),
        ("l.sql", HEAD + "--changeset me:1 endDelimiter:/\n{}\n/\n--changeset me:2\n{};"),
        ("l.sql", HEAD + "--changeset me:1 endDelimiter:-\n{}\n-- COMMAND ----------\n{}\n-\n"),
    ],
)  # fmt: skip
def test_other_separators(name: str, text: str) -> None:
    first, second = "CREATE TABLE t (id BIGINT)\nUSING iceberg", "ALTER TABLE t ADD PARTITION FIELD"
    assert lint(name, text.format(first, f"{second} id")) == []
    assert lint(name, text.format(first, f"{second} nope")) == [("SIS201", "error", "nope")]


PLACEHOLDERS = ["%(s)s", "%s", ":s", "@s", "&s", "&&s", "<s>", "[[ s ]]", "[[s]]", "#s#", "@@s@@"]


@pytest.mark.parametrize("word", PLACEHOLDERS)
@pytest.mark.parametrize(
    "text",
    [
        "ALTER TABLE {} ADD PARTITION FIELD days(ts)",
        "ALTER TABLE {}.t ADD PARTITION FIELD days(ts)",
        "CREATE TABLE {}.t (id INT) USING iceberg PARTITIONED BY (id)",
        "CREATE TABLE t (id INT) USING iceberg PARTITIONED BY (bucket({}, id))",
        "CREATE TABLE t (id INT) USING iceberg {}",
    ],
)
def test_placeholders(word: str, text: str) -> None:
    assert said(text.format(word)) == [("SIS002", "note")]
    assert said(text.format(word), empty()) == [("SIS002", "note")]


@pytest.mark.parametrize(
    "text",
    [
        "CREATE TABLE t (a:INT) USING iceberg",
        "CREATE TABLE t (id INT) USING iceberg PARTITIONED BY (id@x)",
        "CREATE TABLE t (id INT<x>) USING iceberg",
        "CREATE TABLE t (id INT) USING iceberg PARTITIONED BY [id]",
    ],
)
def test_what_looks_like_a_placeholder_and_is_none(text: str) -> None:
    assert ("SIS002", "note") not in said(text, empty())
    assert [kind for _, kind in said(text, empty())] == ["error"]


def test_placeholders_of_ones_own() -> None:
    text = "ALTER TABLE ~db~.t ADD ~what~;\nCREATE TABLE ~db~.u (id INT) USING iceberg PARTITIONED BY (weeks(id))"
    assert ("SIS001", "~") in errors("a.sql", text)
    findings = lint("a.sql", text, placeholders=("~[a-z]+~",))
    assert [item for item in findings if item[1] == "error"] == [("SIS101", "error", "weeks")]
    assert any(code == "SIS002" for code, _, _ in findings)


# --- what cannot be read is said -------------------------------------------------------------------

SLIPS = [
    ("ALTER TABEL t ADD PARTITION FIELD days(ts)", "TABLE"),
    ("ATLER TABLE t ADD PARTITION FIELD days(ts)", "ALTER"),
    ("ALERT TABLE t ADD PARTITION FIELD days(ts)", "ALTER"),
    ("EXECUTE IMMEDIATE 'ALTER TABEL t ADD COLUMN x INT'", "TABLE"),
    ("BEGIN ALTER TABEL t ADD COLUMN x INT; END", "TABLE"),
    ("ALTR TABLE t ADD PARTITION FIELD days(ts)", "ALTER"),
    ("CREATE TABEL t (id INT) USING iceberg PARTITIONED BY (weeks(id))", "TABLE"),
    ("CRAETE TABLE t (id INT) USING iceberg", "CREATE"),
    ("CREATE OR REPALCE TABLE t (id INT) USING iceberg", "REPLACE"),
    ("CREATE EXTRENAL TABLE t (id INT) USING iceberg", "EXTERNAL"),
    ("DROP TABEL t", "TABLE"),
    ("ALTER TABLE t REPALCE PARTITION FIELD days(ts) WITH hours(ts)", "REPLACE"),
    ("ALTER TABLE t ADD PARITION FIELD days(ts)", "PARTITION"),
    ("ALTER TABLE t ADD PARTION FIELD days(ts)", "PARTITION"),
    ("ALTER TABLE t ADD PARTITION FEILD days(ts)", "FIELD"),
    ("ALTER TABLE t REPLACE PARTITION FIELD ts_day WTIH hours(ts)", "WITH"),
    ("CREATE TABLE u (id INT) USING iceberg PARTITONED BY (id)", "PARTITIONED"),
    ("CREATE TABLE u (id INT) USNIG iceberg", "USING"),
    ("CREATE TABLE u (id INT) USING iceberg TBLPROPERTEIS ('a' = 'b')", "TBLPROPERTIES"),
    ("ALTER TABLE t WRITE ORDERD BY id", "ORDERED"),
    ("ALTER TABLE t WRITE ORDERED BI id", "BY"),
    ("ALTER TABLE t WRITE DISTRIBUTED BY PARTITON", "PARTITION"),
    ("ALTER TABLE t SET IDENTIFER FIELDS id", "IDENTIFIER"),
    ("ALTER TABLE t CREATE BRACNH b", "BRANCH"),
    ("ALTER TABLE t SET TBLPROPERTIS ('a' = 'b')", "TBLPROPERTIES"),
    ("ALTER TABLE t ADD COLUMM x INT", "COLUMN"),
]


@pytest.mark.parametrize(("text", "correction"), SLIPS)
def test_slips(text: str, correction: str) -> None:
    (diagnostic,) = [d for d in check(CREATE + text, empty()) if d.severity is Severity.ERROR]
    assert diagnostic.code == "SIS001"
    assert f"did you mean `{correction}`?" in diagnostic.message


# Statements whose keywords are misspelt below, each in every way that one letter allows.
RIGHT = [
    "ALTER TABLE t ADD PARTITION FIELD bucket(16, id) AS shard",
    "ALTER TABLE t DROP PARTITION FIELD days(ts)",
    "ALTER TABLE t REPLACE PARTITION FIELD days(ts) WITH hours(ts)",
    "CREATE TABLE u (id BIGINT) USING iceberg PARTITIONED BY (id) TBLPROPERTIES ('a' = 'b')",
    "CREATE OR REPLACE TABLE u (id BIGINT) USING iceberg LOCATION 'x' COMMENT 'y'",
    "CREATE EXTERNAL TABLE u (id BIGINT) USING iceberg OPTIONS ('a' = 'b')",
    "CREATE TABLE IF NOT EXISTS u (id BIGINT) USING iceberg PARTITIONED BY (id)",
    "REPLACE TABLE t (id BIGINT) USING iceberg",
    "CREATE TABLE u USING iceberg PARTITIONED BY (id) AS SELECT id FROM t",
    "ALTER TABLE t WRITE LOCALLY ORDERED BY id DESC NULLS LAST",
    "ALTER TABLE t WRITE DISTRIBUTED BY PARTITION ORDERED BY id",
    "ALTER TABLE t WRITE UNORDERED",
    "ALTER TABLE t SET IDENTIFIER FIELDS id",
    "ALTER TABLE t CREATE BRANCH b RETAIN 7 DAYS WITH SNAPSHOT RETENTION 2 SNAPSHOTS",
    "ALTER TABLE t CREATE OR REPLACE BRANCH b",
    "ALTER TABLE t DROP BRANCH IF EXISTS b",
    "ALTER TABLE t SET TBLPROPERTIES ('a' = 'b')",
    "ALTER TABLE t UNSET TBLPROPERTIES ('a')",
    "ALTER TABLE t ADD COLUMN x INT AFTER id",
    "ALTER TABLE t DROP COLUMN s",
    "ALTER TABLE t RENAME COLUMN s TO u",
    "ALTER TABLE t ALTER COLUMN id TYPE BIGINT",
    "ALTER TABLE t RENAME TO u",
]
KEYWORD = re.compile(r"\b(?!BIGINT|INT)[A-Z]{3,}")


def misspelt(word: str) -> set[str]:
    indexes = range(len(word))
    less = {word[:i] + word[i + 1 :] for i in indexes}
    more = {word[:i] + word[i] + word[i:] for i in indexes}
    other = {word[:i] + "X" + word[i + 1 :] for i in indexes}
    changed = {word[:i] + word[i + 1 : i + 2] + word[i] + word[i + 2 :] for i in indexes}
    return (less | more | other | changed) - {word}


@pytest.mark.parametrize("text", sampled(RIGHT, 8))
def test_no_misspelt_keyword_goes_unsaid(text: str) -> None:
    create = CREATE.replace("BIGINT", "BIGINT NOT NULL").replace("iceberg", "iceberg PARTITIONED BY (days(ts))")
    assert all(kind != "error" for _, kind in said(create + text, empty()))
    for match in KEYWORD.finditer(text):
        for word in sorted(misspelt(match[0])):
            wrong = text[: match.start()] + word + text[match.end() :]
            assert "error" in [kind for _, kind in said(create + wrong, empty())], wrong


@pytest.mark.parametrize(
    "text", [text for text, meant in SLIPS if meant in ("ALTER", "TABLE", "PARTITION", "FIELD", "USING", "PARTITIONED")]
)
def test_slips_that_need_no_word_of_iceberg(text: str) -> None:
    assert ("SIS001", "error") in said(text)


@pytest.mark.parametrize(
    "text",
    [
        "ALTER TABLE t FOO BAR",
        "ALTER TABLE t",
        "ALTER TABLE t SET LABELS ('a' = 'b')",
        "ALTER TABLE IF EXISTS t ADD COLUMN x INT",
        "ALTER TABLE t WRITE",
        "ALTER TABLE t SET IDENTIFIER FIELDS",
        "ALTER TABLE t CREATE BRANCH b RETAIN 10 SECONDS",
        "ALTER TABLE t CREATE TAG 123",
    ],
)
def test_no_change_of_a_table(text: str) -> None:
    assert said(CREATE + text, empty()) == [("SIS001", "error")]


@pytest.mark.parametrize(
    "text",
    [
        "ALTER TABLE t ALTER colum TYPE STRING",
        "ALTER VIEW v AS SELECT 1",
        "ALTER TABLE t SET LOCATION 's3://x'",
        "ALTER TABLE spark_catalog.a.p PARTITION (d = 1) SET LOCATION 'x'",
        "ALTER TABLE spark_catalog.a.p SET SERDEPROPERTIES ('a' = 'b')",
        "ALTER DATABASE d SET DBPROPERTIES ('a' = 'b')",
        "ANALYZE TABLE t COMPUTE STATISTICS",
        "REPAIR TABLE x",
        "CREATE FUNCTION f AS 'x'",
        "CACHE TABLE t",
        "REFRESH TABLE t",
        "SHOW CREATE TABLE t",
        "DESCRIBE TABLE t",
    ],
)
def test_what_spark_has_is_no_slip(text: str) -> None:
    create = CREATE.replace("s STRING", "colum INT")
    assert "SIS001" not in [code for code, _ in said(create + text, empty())]


def test_the_text_of_execute_immediate_is_read() -> None:
    create = "EXECUTE IMMEDIATE 'CREATE TABLE t (id INT) USING iceberg PARTITIONED BY ({})'; "
    assert said(create.format("weeks(id)")) == [("SIS101", "error")]
    text = create.format("id") + "ALTER TABLE t DROP PARTITION FIELD nope"
    (diagnostic,) = check(text, empty())
    assert (diagnostic.code, text[diagnostic.span.start : diagnostic.span.end]) == ("SIS401", "nope")
    quoted = 'EXECUTE IMMEDIATE "ALTER TABLE t ADD PARTITION FIELD weeks(ts)"'
    assert said(CREATE + quoted) == [("SIS101", "error")]


@pytest.mark.parametrize(
    "expression",
    [
        "q",
        "'ALTER TABLE t ADD COLUMN ' || x",
        "'CREATE TABLE ' 'x'",
        "'CREATE TABLE t (a STRING COMMENT ''x'')'",
        "'ALTER TABLE {{ t }} FOO BAR'",
        "'ALTER TABLE ${t} ADD PARTITION FIELD x'",
        "concat('a')",
        "'CREATE TABLE t (id INT DEFAULT ?)' USING 1",
    ],
)
def test_execute_immediate_of_what_nobody_knows(expression: str) -> None:
    assert said(f"EXECUTE IMMEDIATE {expression}", empty()) == [("SIS002", "note")]


def test_what_runs_unread_may_have_done_anything() -> None:
    drop_script = CREATE + "DROP TABLE t; {}; ALTER TABLE t ADD PARTITION FIELD id"
    assert ("SIS412", "error") in said(drop_script.format("SELECT 1"), empty())
    assert {kind for _, kind in said(drop_script.format("EXECUTE IMMEDIATE q"), empty())} == {"note"}
    assert {kind for _, kind in said(drop_script.format("BEGIN EXECUTE IMMEDIATE q; END"), empty())} == {"note"}
    tag = CREATE + "{}; ALTER TABLE t CREATE TAG x"
    assert said(tag.format("SET a = b"), empty()) == [("SIS415", "error")]
    for write in ("MERGE INTO t USING s ON true WHEN MATCHED THEN DELETE", "INSERT INTO t TABLE s"):
        assert said(tag.format(write), empty()) == []
        assert said(tag.format(f"BEGIN {write}; END"), empty()) == []
    assert ("SIS415", "error") not in said(tag.format("EXECUTE IMMEDIATE q"), empty())


@pytest.mark.parametrize(
    "expression", ["'SELECT replace(?, 1)' USING x", "'SELECT ' || q", "'WITH a AS (SELECT 1) SELECT 2'"]
)
def test_execute_immediate_of_a_query_needs_no_word(expression: str) -> None:
    assert said(f"EXECUTE IMMEDIATE {expression}", empty()) == []


def test_blocks_are_read() -> None:
    create = "CREATE TABLE {} (id INT) USING iceberg PARTITIONED BY (weeks(id))"
    text = (
        f"BEGIN IF true THEN {create.format('t')}; END IF; "
        f"EXECUTE IMMEDIATE '{create.format('u')}'; EXECUTE IMMEDIATE q; END"
    )
    assert said(text, empty()) == [("SIS101", "error"), ("SIS101", "error"), ("SIS002", "note")]


BAD = "ALTER TABLE db.t ADD PARTITION FIELD weeks(ts)"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("m.sql", f"{{% macro m(a) %}}\n  {BAD};\n{{% endmacro %}}"),
        ("m.sql", f"{{% macro m() %}}{{% set q %}}{BAD}{{% endset %}}{{% do run_query(q) %}}{{% endmacro %}}"),
        ("m.sql", f"{{% set q -%}}\n{BAD}\n{{%- endset %}}\nselect 1"),
        ("m.sql", f"{{% call statement('x') %}}\n{BAD}\n{{% endcall %}}"),
        (
            "m.sql",
            ("{% macro m(name) %}create table {{ name }} (id int) using iceberg "
            "partitioned by (weeks(id)){% endmacro %}"),
        ),
        ("n.py", f"# Databricks notebook source\n# MAGIC %sql\n# MAGIC {BAD}\n\n# COMMAND ----------\nx = 1\n"),
        ("n.py", f"# MAGIC %sql {BAD}\n"),
        ("n.py", "# MAGIC %sql\n# MAGIC ALTER TABLE db.t\n# MAGIC   ADD PARTITION FIELD weeks(ts)\n# MAGIC -- end"),
        ("n.ipynb", notebook(f"%sql\n{BAD}")),
        ("n.ipynb", notebook(f"%sql {BAD}")),
        ("n.ipynb", notebook(f"%%spark -c sql\n{BAD}")),
        ("n.ipynb", notebook(f"%%spark -o df -c sql -q\n{BAD}")),
        ("n.ipynb", notebook(f"%%sql -o df\n{BAD}")),
    ],
)  # fmt: skip
def test_where_the_sql_stands(name: str, text: str) -> None:
    assert errors(name, text) == [("SIS101", "weeks")]


def test_python_cells_of_sparkmagic_are_no_sql() -> None:
    assert lint("n.ipynb", notebook("%%spark\nx = 1", "%%spark -s name\ny = 2")) == []


def test_a_macro_leaves_nothing_behind() -> None:
    text = "{% macro m() %}DROP TABLE db.t;{% endmacro %}\n" + CREATE.replace(" t ", " db.t ")
    assert errors("m.sql", text + "ALTER TABLE db.t ADD PARTITION FIELD id") == []


@pytest.mark.parametrize("name", ["A.kt", "x.yml", "x.sh", "x.zpln"])
def test_files_that_are_not_read(name: str) -> None:
    assert [item[:2] for item in lint(name, "ALTER TABLE t ADD PARTITION FIELD weeks(x)")] == [("SIS002", "note")]


@pytest.mark.tier("quick")
def test_a_closed_folder_ends_the_check_with_two(tmp_path: Path) -> None:
    """As somebody who is not allowed to read everything."""
    script = (
        "import os, sys\n"
        "from spark_iceberg_sql.cli import main\n"
        f"main(['check', '--isolated', {str(tmp_path / 'a.sql')!r}])\n"  # all modules are loaded now
        "if os.getuid() == 0: os.setgid(65534); os.setuid(65534)\n"
        f"folders = {str(tmp_path)!r}, {str(tmp_path / 'closed')!r}\n"
        "sys.exit(min(main(['check', *o, f]) for f in folders for o in ((), ('--isolated',))))\n"
    )
    ours = [p for p in tmp_path.parents if p.name.startswith(("pytest-", "popen-"))]
    for parent in (tmp_path, *ours):
        parent.chmod(0o755)
    (tmp_path / "a.sql").write_text("SELECT 1")
    (tmp_path / "closed").mkdir(mode=0)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, cwd="/")
    assert done.returncode == 2, done.stdout + done.stderr
    message = f"error: cannot read `{tmp_path / 'closed'}`: Permission denied (a folder"
    assert done.stderr.count(message) == done.stderr.count("\n") == 4


# --- sort orders, identifier fields and references of tables that are there -------------------------


def test_metadata_says_what_a_table_is_sorted_and_identified_by() -> None:
    metadata = {
        "format-version": 2,
        "current-schema-id": 0,
        "last-column-id": 3,
        "schemas": [
            {
                "schema-id": 0,
                "identifier-field-ids": [1],
                "fields": [
                    {"id": 1, "name": "id", "type": "long", "required": True},
                    {"id": 2, "name": "ts", "type": "timestamptz", "required": False},
                    {"id": 3, "name": "s", "type": "string", "required": False},
                ],
            }
        ],
        "partition-specs": [{"spec-id": 0, "fields": []}],
        "default-spec-id": 0,
        "sort-orders": [
            {"order-id": 0, "fields": []},
            {"order-id": 1, "fields": [{"source-id": 2, "transform": "day"}]},
        ],
        "default-sort-order-id": 1,
        "refs": {"main": {"type": "branch"}, "v1": {"type": "tag"}},
    }
    tables = Tables([table_from_metadata(("t",), metadata)])
    for text, code in [
        ("ALTER TABLE t DROP COLUMN id", "SIS210"),
        ("ALTER TABLE t DROP COLUMN ts", "SIS210"),
        ("ALTER TABLE t DROP IDENTIFIER FIELDS s", "SIS214"),
        ("ALTER TABLE t CREATE TAG v1", "SIS415"),
        ("ALTER TABLE t DROP BRANCH v1", "SIS415"),
        ("ALTER TABLE t CREATE BRANCH main", "SIS415"),
    ]:
        assert said(text, tables) == [(code, "error")], text
    for text in (
        "ALTER TABLE t DROP COLUMN s",
        "ALTER TABLE t DROP IDENTIFIER FIELDS id",
        "ALTER TABLE t DROP TAG v1",
        "ALTER TABLE t CREATE TAG v2",
        "ALTER TABLE t DROP BRANCH unknown_to_us",
    ):
        assert said(text, tables) == [], text


# --- what only some versions refuse ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("property_", "since"),
    [
        ("'table_type' = 'ICEBERG'", "is a reserved table property of Spark since 4.1"),
        ("'encryption.key-id' = 'k'", "needs format version 3 since Iceberg 1.11"),
    ],
)
def test_an_error_of_some_versions_names_the_first(property_: str, since: str) -> None:
    (error,) = check(f"CREATE TABLE t (id INT) USING iceberg TBLPROPERTIES ({property_})")
    assert (error.code, error.severity) == ("SIS411", Severity.ERROR)
    assert since in error.message


@pytest.mark.parametrize("clause", ["", "USING parquet", "USING iceberg"])
def test_a_table_whose_create_is_refused_does_not_exist(clause: str) -> None:
    text = f"CREATE TABLE bar (a baz) {clause};\n" * 2 + CREATE
    assert "SIS412" not in [code for code, _ in said(text)]
    assert ("SIS412", "error") in said(text.replace("baz", "INT"))


@pytest.mark.parametrize(
    ("text", "type_", "change"),
    [
        ("CREATE TABLE t (g {}) USING iceberg", "GEOMETRY", "`TBLPROPERTIES ('format-version' = '3')`"),
        ("CREATE TABLE t (g {}) USING iceberg", "GEOGRAPHY(ANY)", "`TBLPROPERTIES ('format-version' = '3')`"),
        ("CREATE TABLE t (g {}) USING iceberg", "SUPER", "`TBLPROPERTIES ('format-version' = '3')`"),
        (
            CREATE + "ALTER TABLE t ADD COLUMN g {}",
            "GEOMETRY",
            "`ALTER TABLE t SET TBLPROPERTIES ('format-version' = '3')` first",
        ),
    ],
)
def test_the_type_to_write_is_not_refused_in_turn(text: str, type_: str, change: str) -> None:
    (error,) = check(text.format(type_))
    assert error.code == "SIS209"
    assert error.help is not None
    setting = ", with `spark.sql.geospatial.enabled`" if type_.startswith("GEO") else ""
    assert error.help.endswith(f" and {change}{setting}")
    (in_v3,) = check(
        text.format(type_).replace("USING iceberg", "USING iceberg TBLPROPERTIES ('format-version' = '3')")
    )
    assert in_v3.help is not None
    assert "format-version" not in in_v3.help


@pytest.mark.parametrize(
    ("engine", "text"),
    [
        ("trino", "CREATE TABLE iceberg.s.a (n VARCHAR);\nCREATE TABLE b (k INT) WITH (partitioning = ARRAY['k'])"),
        ("trino", "CREATE TABLE iceberg.s.o WITH (format = 'PARQUET') AS SELECT 1 AS k"),
        ("athena", "CREATE TABLE t (a INT) LOCATION 's3://x/' TBLPROPERTIES ('table_type' = 'ICEBERG')"),
        ("flink", "CREATE TABLE f (a INT) WITH ('connector' = 'iceberg', 'catalog-name' = 'x')"),
    ],
)
def test_ddl_that_is_plainly_another_engines_leads_to_translate(engine: str, text: str) -> None:
    (note,) = check(text)
    assert (note.code, str(note.severity)) == ("SIS002", "note")
    assert note.help is not None
    assert f"`-- dialect: {engine}`" in note.help
    assert f"`iceberg-sql translate --from {engine}`" in note.help


def test_a_document_shows_several_engines() -> None:
    """A statement of another engine's syntax is that engine's, whatever the other blocks show."""
    spark = "CREATE TABLE lake.db.t (id BIGINT) USING iceberg;"
    trino = "CREATE TABLE hive.db.e (name varchar, pay decimal(10, 2))\nWITH (\n  format = 'TEXTFILE'\n);"
    text = f"# Tour\n\n```sql\n{spark}\n```\n\n```sql\n{trino}\n```\n"
    assert [kind for _, kind, _ in lint("tour.md", text)] == ["note"]
    assert errors("tour.md", text.replace("```sql", "```spark-sql")) == [("SIS001", "WITH")]
    assert errors("tour.sql", f"{spark}\n{trino}\n") == [("SIS001", "WITH")]


def test_the_provider_of_another_format_is_hives_property() -> None:
    """Spark refuses it at any table; a guide for Hive sets it."""
    change = "ALTER TABLE {} SET TBLPROPERTIES ('provider' = 'hudi');"
    assert errors("hive.md", f"```sql\n{change.format('db.t')}\n```\n") == []
    assert [code for code, _ in errors("a.sql", CREATE + change.format("t"))] == ["SIS411"]
    assert [code for code, _ in errors("a.sql", CREATE + change.format("u").replace("hudi", "iceberg"))] == ["SIS411"]


@pytest.mark.parametrize("magic", ["%%scala", "%scala", "// a comment\n%%scala --name x"])
def test_a_scala_cell_of_a_notebook_in_python(magic: str) -> None:
    if magic.startswith("//"):
        magic = magic.replace("//", "#")
    cell = f'{magic}\nval n = 3\nspark.sql("CREATE TABLE t (ts TIMESTAMP) USING iceberg PARTITIONED BY (dayz(ts))")\n'
    report = lint("a.ipynb", notebook("import pyspark", cell))
    assert report == [("SIS101", "error", "dayz")]

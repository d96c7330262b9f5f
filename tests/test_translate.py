"""Partition DDL in other engines' syntax: what each says, what it cannot say, and that nothing changes on the way."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import spark_iceberg_sql as sis
from spark_iceberg_sql.checker.engine import check_and_apply
from spark_iceberg_sql.cli import main
from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.model.engines import BY_NAME
from spark_iceberg_sql.model.table import Table
from spark_iceberg_sql.model.tables import Tables
from spark_iceberg_sql.model.transforms import TRANSFORMS
from spark_iceberg_sql.translation.script import NAMES, SQL_ENGINES, translate

TRANSFORMING = ("trino", "athena", "clickhouse", "pyiceberg")
ENGINES = (*TRANSFORMING, "flink")
EVOLVING = ("trino", "pyiceberg")
TYPES = ("BIGINT", "INT", "STRING", "DATE", "TIMESTAMP_NTZ", "DECIMAL(9, 2)", "BOOLEAN", "DOUBLE")
LOCATION = " LOCATION 's3://lake/t'"  # which pyiceberg's reader does not take


def table_after(script: str) -> tuple[list[tuple[str, str, bool]], list[tuple[str, str, str]]]:
    """The columns and the partition fields of the table `db.t` after a script of Spark."""
    catalog = Tables()
    report = check_and_apply(script, catalog, before_execution=True)
    assert report.ok, str(report)
    table = catalog.get(("db", "t"))
    assert isinstance(table, Table)
    assert table.schema is not None
    assert table.specs is not None
    columns = [(f.name, str(f.type), f.required) for f in table.schema.fields]
    return columns, [(f.transform.text, f.source, f.name) for f in table.specs.spec.fields]


def assert_same_afterwards(script: str, engine: str) -> str:
    """Spark -> engine -> Spark is the same table; returns the engine's text."""
    text = sis.translate(script, to=engine)
    back = sis.translate(text, source=engine)
    assert table_after(back) == table_after(script), back
    return text


def location(engine: str) -> str:
    return LOCATION if engine in ("athena", "clickhouse", "trino", "flink") else ""


def test_an_engine_is_named_everywhere() -> None:
    page = (Path(__file__).parents[1] / "docs" / "guide" / "translate.md").read_text("utf-8").lower()
    assert set(SQL_ENGINES) <= set(BY_NAME), "ENGINES of model/engines.py"
    assert set(SQL_ENGINES) <= set(ENGINES), "TRANSFORMING or ENGINES above"
    assert [name for name in NAMES if name not in page] == [], "docs/guide/translate.md"
    assert [name for name in NAMES if name not in str(translate.__doc__).lower()] == [], "docstring of translate()"


@pytest.mark.parametrize("engine", TRANSFORMING)
@pytest.mark.parametrize("transform", [t for t in TRANSFORMS if t.in_ddl], ids=lambda t: t.name)
def test_every_transform_both_ways(transform, engine):
    kind = "TIMESTAMP_NTZ" if transform.granularity is not None else "STRING"
    term = transform.clause("c")
    script = f"CREATE TABLE db.t (c {kind}, d INT) USING iceberg PARTITIONED BY ({term}){location(engine)};"
    text = assert_same_afterwards(script, engine)
    assert text.count("\n") > 3


def test_flink_has_columns_only():
    create = "CREATE TABLE db.t (c TIMESTAMP, d INT NOT NULL COMMENT 'it''s') USING iceberg PARTITIONED BY ({})"
    assert "PARTITIONED BY (`d`, `c`)" in assert_same_afterwards(create.format("d, c"), "flink")
    for transform in TRANSFORMS:
        if transform.in_ddl and not transform.is_identity and "timestamptz" in transform.sources:
            with pytest.raises(IcebergSqlError, match="line 1: Flink partitions by columns only, not by"):
                sis.translate(create.format(transform.clause("c")), to="flink")


_COLUMNS = st.lists(st.sampled_from(TYPES), min_size=1, max_size=5)
_NUMBERS = st.integers(1, 2**31 - 1)


@st.composite
def tables(draw: st.DrawFn) -> tuple[str, list[str]]:
    """The columns of a table, and valid terms over different columns."""
    kinds = draw(_COLUMNS)
    names = [draw(st.sampled_from((f"c{n}", f"c {n}", f"order{n}" if n else "order"))) for n in range(len(kinds))]
    terms = []
    for name, kind in zip(names, kinds, strict=True):
        probe = "CREATE TABLE db.t (c {}) USING iceberg PARTITIONED BY ({})"
        number = draw(_NUMBERS)
        fitting = [t for t in TRANSFORMS if t.in_ddl and sis.check(probe.format(kind, t.clause("c", number))).ok]
        transform = draw(st.sampled_from([None, *fitting]))
        if transform is not None:
            terms.append(transform.clause(f"`{name}`", number))
    columns = ", ".join(f"`{name}` {kind}" for name, kind in zip(names, kinds, strict=True))
    return columns, draw(st.permutations(terms))


@pytest.mark.tier("rest")
@given(tables())
def test_random_specs_both_ways(table):
    columns, terms = table
    partitioned = f" PARTITIONED BY ({', '.join(terms)})" if terms else ""
    for engine in TRANSFORMING:
        if engine == "clickhouse" and "BOOLEAN" in columns:
            continue
        assert_same_afterwards(f"CREATE TABLE db.t ({columns}) USING iceberg{partitioned}{location(engine)};", engine)


@pytest.mark.tier("rest")
@given(tables(), st.data())
def test_random_changes_both_ways(table, data):
    columns, terms = table
    script = f"CREATE TABLE db.t ({columns}) USING iceberg;\n"
    script += "".join(f"ALTER TABLE db.t ADD PARTITION FIELD {term};\n" for term in terms)
    if terms:
        dropped = data.draw(st.sampled_from(terms))
        script += f"ALTER TABLE db.t DROP PARTITION FIELD {dropped};\n"
    for engine in EVOLVING:
        if engine == "pyiceberg" and "c " in columns:
            continue  # the reader of programs takes plain names only
        back = sis.translate(sis.translate(script, to=engine), source=engine)
        assert table_after(back)[1] == table_after(script)[1], back


def test_a_replaced_field_sets_the_whole_list_in_trino():
    script = """CREATE TABLE lake.db.t (id INT, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts), bucket(16, id));
ALTER TABLE lake.db.t REPLACE PARTITION FIELD ts_day WITH hours(ts);
"""
    assert sis.translate(script, to="trino").splitlines()[-1] == (
        "ALTER TABLE lake.db.t SET PROPERTIES partitioning = ARRAY['bucket(id, 16)', 'hour(ts)'];"
    )
    assert sis.translate(sis.translate(script, to="trino"), source="trino").splitlines()[1:] == [
        "ALTER TABLE lake.db.t DROP PARTITION FIELD ts_day;",
        "ALTER TABLE lake.db.t ADD PARTITION FIELD hours(ts);",
    ]


def test_comments_and_nested_types():
    script = (
        "CREATE TABLE IF NOT EXISTS db.t (id BIGINT NOT NULL COMMENT 'a key', tags ARRAY<STRING>, m MAP<STRING, "
        "ARRAY<INT>>, s STRUCT<a: INT, `b c`: DECIMAL(3, 1)>) USING iceberg COMMENT 'all' "
        "TBLPROPERTIES ('format-version' = '2')"
    )
    for engine in ("trino", "flink"):
        text = assert_same_afterwards(script, engine)
        assert "COMMENT 'a key'" in text
        assert "COMMENT 'all'" in text
        assert "COMMENT 'a key'" in sis.translate(text, source=engine)
    text = assert_same_afterwards(script.replace(" COMMENT 'a key'", ""), "pyiceberg")
    assert sis.translate(text, source="pyiceberg").startswith("CREATE TABLE IF NOT EXISTS db.t (id BIGINT NOT NULL,")
    nested = (
        "CREATE TABLE db.t (tags ARRAY<STRING> NOT NULL, m MAP<STRING, INT> NOT NULL, "
        "s STRUCT<a: INT, b: STRUCT<c: DATE> NOT NULL> NOT NULL) USING iceberg LOCATION '/lake/t'"
    )
    assert "Map(String, Nullable(Int32))" in assert_same_afterwards(nested, "clickhouse")


CREATE = "CREATE TABLE db.t (id BIGINT, ts TIMESTAMP, n TIMESTAMP_NTZ, s STRUCT<a: INT>, b BINARY) USING iceberg"
PLAIN = "CREATE TABLE db.t (id BIGINT) USING iceberg"
ADD = "ALTER TABLE db.t ADD PARTITION FIELD"
REFUSED = [
    ("athena", f"{PLAIN}{LOCATION}; {ADD} id", "Athena cannot change the partition spec"),
    ("clickhouse", f"{PLAIN}{LOCATION}; {ADD} id", "ClickHouse cannot change the partition spec"),
    ("flink", f"{PLAIN}; {ADD} id", "Flink cannot change the partition spec"),
    ("trino", f"{ADD} id", "those of `db.t` are not known\nhelp: put its CREATE TABLE before"),
    ("trino", f"{PLAIN}; {ADD} bucket(4, id) AS shard", "Trino cannot name a partition field `shard`"),
    ("trino", f"{CREATE} PARTITIONED BY (s.a)", "`s.a` is inside a struct"),
    ("trino", "CREATE TABLE db.t (Id INT) USING iceberg", "lower case.*\nhelp: write `id`"),
    ("trino", f"{PLAIN} TBLPROPERTIES ('write.format.default' = 'orc')", "no table property `write.format.default`"),
    ("trino", "CREATE TABLE db.t (v VARIANT) USING iceberg TBLPROPERTIES ('format-version' = '3')", "type `variant`"),
    ("athena", PLAIN, "needs the location"),
    ("athena", f"CREATE TABLE db.t (Id INT) USING iceberg{LOCATION}", "lower case.*\nhelp: write `id`"),
    ("athena", CREATE + LOCATION, r"`ts` has the type `timestamp`"),
    ("athena", f"CREATE TABLE db.t (id INT NOT NULL) USING iceberg{LOCATION}", "no NOT NULL, as `id` has"),
    ("athena", f"CREATE TABLE lake.db.t (id INT) USING iceberg{LOCATION}", "no catalog.*\nhelp: write db.t"),
    ("clickhouse", PLAIN, "needs the location"),
    ("clickhouse", f"CREATE TABLE db.t (s STRUCT<a: INT>) USING iceberg{LOCATION}", "`s` is nullable and nested"),
    ("clickhouse", f"{CREATE}{LOCATION}", "`ts` has the type timestamp, and no type of ClickHouse is certain"),
    (
        "clickhouse",
        f"{PLAIN} PARTITIONED BY (id, bucket(4, id)){LOCATION}",
        "all partition fields of `id` the same name",
    ),
    ("clickhouse", f"CREATE TABLE db.t (b BINARY) USING iceberg{LOCATION}", "`b` has the type binary"),
    ("clickhouse", "CREATE TABLE db.t (b INT) USING iceberg LOCATION 'gs://b/t'", "in a store that one of its engines"),
    ("pyiceberg", "ALTER TABLE db.t DROP PARTITION FIELD days(ts)", "drops a partition field by its name"),
    ("pyiceberg", "CREATE OR REPLACE TABLE db.t (id INT) USING iceberg", "no CREATE OR REPLACE TABLE"),
    ("trino", "CREATE TABLE db.t USING iceberg AS SELECT 1 AS a", "AS SELECT is not translated"),
    ("trino", "CREATE TABLE db.t (id INT)", "without USING iceberg"),
    ("trino", "SELECT 1", "`SELECT 1 ...` is no partition DDL"),
    ("trino", f"{PLAIN} PARTITIONED BY (days(id))", r"\[SIS202\]"),
    ("trino", f"{PLAIN} CLUSTERED BY (id) INTO 4 BUCKETS", "CLUSTERED BY is not translated"),
    ("trino", "CREATE TABLE db.t (s STRUCT<a: INT COMMENT 'x'>) USING iceberg", "comment inside its type"),
]


@pytest.mark.parametrize(("engine", "script", "message"), REFUSED, ids=[f"{r[0]}: {r[1]}" for r in REFUSED])
def test_what_an_engine_cannot_say(engine, script, message):
    with pytest.raises(IcebergSqlError, match=f"(?s){message}"):
        sis.translate(script, to=engine)


REFUSED_SOURCES = [
    ("trino", "CREATE TABLE db.t (a timestamp(9))", r"`a` has the type `timestamp\(9\)`"),
    ("trino", "CREATE TABLE db.t (a hyperloglog)", "type `hyperloglog`"),
    ("trino", "CREATE TABLE db.t (a bigint) WITH (format = 'CSV')", "no file format `CSV`"),
    ("trino", "CREATE TABLE db.t (a bigint) WITH (sorted_by = ARRAY['lower(a)'])", "no column to sort by"),
    (
        "trino",
        "CREATE TABLE db.t (a bigint) WITH (partitioning = ARRAY['bucket(16, a)'])",
        "no partition field of Trino",
    ),
    ("trino", "ALTER TABLE db.t SET PROPERTIES partitioning = ARRAY['a']", "which are not known"),
    ("trino", "ALTER TABLE db.t ADD COLUMN a bigint", "no partition DDL of Trino"),
    ("athena", "CREATE TABLE db.t (a int) PARTITIONED BY (a)", "not one of Iceberg's"),
    ("athena", "CREATE TABLE db.t (a int) TBLPROPERTIES ('table_type'='ICEBERG', 'format'='csv')", "file format `csv`"),
    ("flink", "CREATE TABLE db.t (a int) WITH ('connector' = 'kafka')", "`kafka` is no table of Iceberg"),
    ("flink", "CREATE TABLE db.t (a timestamp(9))", r"type `timestamp\(9\)`"),
    ("clickhouse", "CREATE TABLE db.t (a Int64) ENGINE = IcebergLocal('/p') ORDER BY a", "ORDER BY"),
    ("clickhouse", "CREATE TABLE db.t (a UInt64) ENGINE = IcebergLocal('/p')", "UInt64"),
    ("clickhouse", "CREATE TABLE db.t (a Int64) ENGINE = IcebergS3('s3://b/t', 'k', 's')", "besides the location"),
    (
        "pyiceberg",
        "from pyiceberg.types import ListType\nListType(1, int)",
        "line 2: .*\nhelp: write element_required=False",
    ),
]


@pytest.mark.parametrize(
    ("engine", "text", "message"), REFUSED_SOURCES, ids=[f"{r[0]}: {r[1]}" for r in REFUSED_SOURCES]
)
def test_what_spark_cannot_say(engine, text, message):
    with pytest.raises(IcebergSqlError, match=f"(?s){message}"):
        sis.translate(text, source=engine)


@pytest.mark.parametrize(
    ("engine", "text", "spark"),
    [
        (
            "trino",
            "CREATE TABLE db.t (a int, b smallint, c tinyint) WITH (format = 'PARQUET', format_version = 2)",
            (
                "CREATE TABLE db.t (a INT, b INT, c INT) USING iceberg "
                "TBLPROPERTIES ('format-version' = '2', 'write.format.default' = 'parquet');\n"
            ),
        ),
        (
            "trino",
            "CREATE TABLE db.t (a int, b varchar) WITH (sorted_by = ARRAY['a', '\"b\" DESC NULLS LAST'])",
            (
                "CREATE TABLE db.t (a INT, b STRING) USING iceberg;\n"
                "ALTER TABLE db.t WRITE LOCALLY ORDERED BY a, b DESC NULLS LAST;\n"
            ),
        ),
        (
            "athena",
            "CREATE TABLE db.t (a int) LOCATION 's3://x/t' TBLPROPERTIES ('table_type'='ICEBERG', 'format'='parquet')",
            (
                "CREATE TABLE db.t (a INT) USING iceberg LOCATION 's3://x/t' "
                "TBLPROPERTIES ('format-version' = '2', 'write.format.default' = 'parquet');\n"
            ),
        ),
        (
            "flink",
            "CREATE TABLE db.t (a TIMESTAMP(3), b TIMESTAMP_LTZ(3), c TIMESTAMP, d INTEGER)",
            "CREATE TABLE db.t (a TIMESTAMP_NTZ, b TIMESTAMP, c TIMESTAMP_NTZ, d INT) USING iceberg;\n",
        ),
    ],
)
def test_ddl_from_the_wild(engine, text, spark):
    assert sis.translate(text, source=engine) == spark


def test_a_script_is_translated_statement_by_statement(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script = tmp_path / "all.sql"
    script.write_text(
        "CREATE SCHEMA lake.db;\nUSE lake.db;\nCREATE TABLE db.t (a int);\nINSERT INTO db.t\nVALUES (1);\n", "utf-8"
    )
    assert main(["translate", "--from", "trino", str(script)]) == 1
    output = capsys.readouterr()
    assert output.out == (
        "-- not translated: line 1: `CREATE SCHEMA lake ...` is no partition DDL of Trino\n"
        "-- not translated: line 2: `USE lake . ...` is no partition DDL of Trino\n"
        "CREATE TABLE db.t (a INT) USING iceberg;\n"
        "-- not translated: line 4: `INSERT INTO db ...` is no partition DDL of Trino\n"
    )
    assert f"error: {script}:4: `INSERT INTO db ...`" in output.err
    with pytest.raises(IcebergSqlError, match="3 statements cannot be translated from trino to spark"):
        sis.translate(script.read_text("utf-8"), source="trino")


def test_a_creation_in_pyiceberg_is_one_statement_where_its_names_allow():
    program = sis.translate("CREATE TABLE db.t (id INT, d DATE) USING iceberg PARTITIONED BY (days(d))", to="pyiceberg")
    assert sis.translate(program, source="pyiceberg") == (
        "CREATE TABLE db.t (id INT, d DATE) USING iceberg PARTITIONED BY (days(d));\n"
    )
    renamed_program = program.replace("'d_day'", "'per_day'")
    assert sis.translate(renamed_program, source="pyiceberg").splitlines()[1:] == [
        "ALTER TABLE db.t ADD PARTITION FIELD day(d) AS per_day;"
    ]
    with pytest.raises(IcebergSqlError, match=r"line 7: .* not under their names\nhelp: write create_table"):
        sis.translate(renamed_program.replace("create_table(", "create_table_if_not_exists("), source="pyiceberg")


def test_all_refusals_are_told_at_once():
    with pytest.raises(IcebergSqlError) as refused:
        sis.translate("SELECT 1;\nSELECT 2;", to="trino")
    assert str(refused.value).splitlines()[0] == "2 statements cannot be translated from spark to trino"
    assert "line 2: `SELECT 2 ...` is no partition DDL" in str(refused.value)
    with pytest.raises(IcebergSqlError, match="`to` is one of spark, trino"):
        sis.translate("SELECT 1", to="oracle")


def test_the_command_follows_its_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, second = tmp_path / "1.sql", tmp_path / "2.sql"
    first.write_text(f"{PLAIN};\n", "utf-8")
    second.write_text(f"{ADD} bucket(4, id);\n", "utf-8")
    assert main(["translate", "--to", "trino", str(first), str(second)]) == 0
    assert "SET PROPERTIES partitioning = ARRAY['bucket(id, 4)'];\n" in capsys.readouterr().out
    assert main(["translate", "--to", "trino", str(second)]) == 1
    output = capsys.readouterr()
    assert output.out == ""
    assert f"error: {second}:1: Trino sets all partition fields in one list" in output.err
    assert main(["translate", "--to", "trino", "--ddl", str(first), str(second)]) == 0
    assert capsys.readouterr().out == ("ALTER TABLE db.t SET PROPERTIES partitioning = ARRAY['bucket(id, 4)'];\n")


def test_known_tables_stay_as_they_are():
    spark_catalog = Tables()
    assert check_and_apply(f"{PLAIN};", spark_catalog).ok
    for _ in range(2):
        text = sis.translate(f"{ADD} id;", to="trino", known=spark_catalog)
        assert text == "ALTER TABLE db.t SET PROPERTIES partitioning = ARRAY['id'];\n"


@pytest.mark.tier("rest")  # pyiceberg
def test_pyiceberg_runs_the_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The table that it creates and changes is the one of the statements."""
    catalogs = pytest.importorskip("pyiceberg.catalog")
    settings = {"type": "sql", "uri": f"sqlite:///{tmp_path}/catalog.db", "warehouse": f"file://{tmp_path}"}
    catalog = catalogs.load_catalog("lake", **settings)
    catalog.create_namespace("db")
    script = (
        "CREATE TABLE lake.db.t (id BIGINT NOT NULL COMMENT 'a key', ts TIMESTAMP, city STRING, tags ARRAY<STRING>, "
        "m MAP<STRING, DECIMAL(9, 2)>, s STRUCT<a: INT, b: STRUCT<c: DATE>>) USING iceberg "
        "PARTITIONED BY (days(ts), bucket(16, id), truncate(4, city), s.a, months(s.b.c)) COMMENT 'all' "
        "TBLPROPERTIES ('write.format.default' = 'orc');\n"
        "ALTER TABLE lake.db.t DROP PARTITION FIELD bucket(16, id);\n"
        "ALTER TABLE lake.db.t REPLACE PARTITION FIELD ts_day WITH months(ts) AS per_month;\n"
        "ALTER TABLE lake.db.t ADD PARTITION FIELD city;\n"
    )
    program = sis.translate(script, to="pyiceberg")
    monkeypatch.setattr(catalogs, "load_catalog", {"lake": catalog}.__getitem__)
    exec(compile(program, "program", "exec"), {})
    table = catalog.load_table("db.t")
    names = table.schema().find_column_name
    fields = [(str(f.transform), names(f.source_id), f.name) for f in table.spec().fields]
    spark_catalog = Tables()
    assert check_and_apply(script, spark_catalog, before_execution=True).ok
    expected = spark_catalog.get(("lake", "db", "t"))
    assert isinstance(expected, Table)
    assert expected.specs is not None
    assert fields == [(f.transform.text, f.source, f.name) for f in expected.specs.spec.fields]
    assert table.schema().find_field("id").required
    assert table.schema().find_field("id").doc == "a key"
    assert (table.properties["comment"], table.properties["write.format.default"]) == ("all", "orc")


# Of other engines' DDL as it is found in public: the columns of Spark's table, and what is lost.
FROM_THE_WILD = {
    "lengths": ("trino", "CREATE TABLE t (n varchar(2), c char(2)) WITH (format = 'PARQUET')", "n STRING, c STRING", 2),
    "precisions": (
        "trino",
        "CREATE TABLE t (a timestamp(3), b timestamp with time zone, c timestamp(6) with time zone)",
        "a TIMESTAMP_NTZ, b TIMESTAMP, c TIMESTAMP",
        0,
    ),
    "types that Spark lacks": (
        "trino",
        "CREATE TABLE t (u uuid, j json, t time(6), i int)",
        "u STRING, j STRING, i INT",
        3,
    ),
    "properties": (
        "trino",
        "CREATE TABLE t (a int) WITH (format_version = 2, extra_properties = MAP(ARRAY['a'], ARRAY['b']))",
        "a INT",
        1,
    ),
    "lengths of Flink": (
        "flink",
        "CREATE TABLE t (n VARCHAR(20), s SMALLINT, ts TIMESTAMP(3))",
        "n STRING, s INT, ts TIMESTAMP_NTZ",
        0,
    ),
    "a key": ("flink", "CREATE TABLE t (id INT, PRIMARY KEY (id) NOT ENFORCED)", "id INT", 1),
    "a connector": (
        "flink",
        """CREATE TABLE t (id INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND)
        WITH ('connector'='iceberg', 'uri'='h')""",
        "id INT, ts TIMESTAMP_NTZ",
        2,
    ),
    "compression": (
        "athena",
        """CREATE TABLE t (id int, n varchar(8)) COMMENT 'c' LOCATION 's3://b/t'
        TBLPROPERTIES ('table_type' = 'ICEBERG', 'write_compression' = 'zstd', 'vacuum_max_x' = '1')""",
        "id INT, n STRING",
        2,
    ),
    "a time among the partition fields and the sort order": (
        "trino",
        "CREATE TABLE t (i int, at time(6)) WITH (partitioning = ARRAY['i', 'bucket(at, 4)'], sorted_by = ARRAY['at'])",
        "i INT",
        3,
    ),
    "a default": (
        "trino",
        "CREATE TABLE t (n varchar DEFAULT 'a' || 'b' NOT NULL COMMENT 'c')",
        "n STRING NOT NULL COMMENT 'c'",
        1,
    ),
    "a key in a column": ("flink", "CREATE TABLE t (n VARCHAR PRIMARY KEY NOT ENFORCED, i INT)", "n STRING, i INT", 1),
    "bytes": ("flink", "CREATE TABLE t (a VARBINARY, b VARBINARY(9), c BINARY(3))", "a BINARY, b BINARY, c BINARY", 1),
    "a transform of Spark in Flink": (
        "flink",
        "CREATE TABLE t (id INT, ts TIMESTAMP(3)) PARTITIONED BY (days(ts), bucket(4, id))",
        "id INT, ts TIMESTAMP_NTZ",
        2,
    ),
    "a property that Spark reserves": (
        "flink",
        "CREATE TABLE t (id INT) WITH ('table_type' = 'iceberg', 'format-version' = '2')",
        "id INT",
        1,
    ),
}  # fmt: skip


@pytest.mark.parametrize(
    ("engine", "text", "spark"),
    [
        (
            "trino",
            """CREATE TABLE a.b.t COMMENT 'x'
            WITH (format = 'ORC', partitioning = ARRAY['day(ts)'], sorted_by = ARRAY['n'])
            AS SELECT ts, "order" AS n, CAST(k AS varchar) AS k, CAST(k AS varchar(3)) AS j FROM s""",
            (
                "CREATE TABLE a.b.t USING iceberg PARTITIONED BY (days(ts)) COMMENT 'x' "
                "TBLPROPERTIES ('write.format.default' = 'orc') "
                "AS SELECT ts, `order` AS n, CAST(k AS STRING) AS k, CAST(k AS varchar(3)) AS j FROM s;\n"
                "ALTER TABLE a.b.t WRITE LOCALLY ORDERED BY n;"
            ),
        ),
        ("trino", "CREATE TABLE t AS (SELECT 1 AS a) ", "CREATE TABLE t USING iceberg AS SELECT 1 AS a;"),
        (
            "athena",
            """CREATE TABLE t WITH (table_type = 'ICEBERG', is_external = false, location = 's3://b/t',
            partitioning = ARRAY['month(d)'], write_compression = 'ZSTD') AS SELECT d FROM s""",
            (
                "CREATE TABLE t USING iceberg PARTITIONED BY (months(d)) LOCATION 's3://b/t' TBLPROPERTIES "
                "('format-version' = '2', 'write.parquet.compression-codec' = 'zstd') AS SELECT d FROM s;"
            ),
        ),
        ("flink", "CREATE TABLE c.d.t WITH ('format-version' = '2') AS SELECT `a` FROM s",
         "CREATE TABLE c.d.t USING iceberg TBLPROPERTIES ('format-version' = '2') AS SELECT `a` FROM s;"),
    ],
)  # fmt: skip
def test_a_table_of_a_query(engine, text, spark):
    first, *lines = sis.translate(text, source=engine).splitlines()
    assert first.startswith("-- line 1: the query is ")
    assert "\n".join(lines) == spark
    with pytest.raises(IcebergSqlError, match="the query after AS cannot be read"):
        sis.translate("CREATE TABLE t AS EXECUTE p", source=engine)


@pytest.mark.parametrize(("engine", "text", "columns", "lost"), FROM_THE_WILD.values(), ids=FROM_THE_WILD)
def test_what_spark_does_not_have_is_a_comment_and_the_rest_is_written(engine, text, columns, lost):
    result = sis.translate(text, source=engine)
    comments = [line for line in result.splitlines() if line.startswith("-- line 1: ")]
    assert len(comments) == lost, result
    (statement,) = [line for line in result.splitlines() if not line.startswith("--")]
    assert statement.startswith(f"CREATE TABLE t ({columns}) USING iceberg")
    assert sis.check(result).ok


def test_a_connector_names_its_table():
    text = (
        "CREATE TABLE t (id INT) WITH ('connector' = 'iceberg', 'catalog-database' = 'db', 'catalog-table' = 'events', "
        "'write.format.default' = 'orc')"
    )
    (statement,) = [line for line in sis.translate(text, source="flink").splitlines() if not line.startswith("--")]
    assert statement == "CREATE TABLE db.events (id INT) USING iceberg TBLPROPERTIES ('write.format.default' = 'orc');"

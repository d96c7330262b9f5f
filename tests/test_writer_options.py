"""Options of DataFrame writers to Iceberg tables in programs."""

from __future__ import annotations

import pytest
from test_writers import lint

import spark_iceberg_sql as sis

REFUSED = {
    '.option("write-format", "csv")': "`write-format` must be one of 'parquet', 'orc', 'avro', not `csv`",
    '.option("target-file-size-bytes", "128MB")': "`target-file-size-bytes` must be an integer, not `128MB`",
    '.option("Distribution-Mode", "hsah")': "`Distribution-Mode` must be one of 'none', 'hash', 'range', not `hsah`",
    '.options(**{"output-spec-id": "x"})': "`output-spec-id` must be an integer, not `x`",
}
IGNORED = {
    '.option("fanout-enable", "true")': "Iceberg ignores the option `fanout-enable`",
    '.option("fanoutEnabled", True)': "Iceberg ignores the option `fanoutEnabled`",
    '.option("check-nullability", "yes")': "Iceberg reads `yes` as false",
}
RIGHT = (
    '.option("target-file-size-bytes", 134217728)', '.option("write-format", "ORC")', '.option("mergeSchema", "true")',
    '.option("fanout-enabled", True)', '.option("checkpointLocation", "/x")', '.option("snapshot-property.job", "a")',
    '.option("write-format", form)', '.option(f"write-{a}", "csv")', '.option("compression-codec", "zstd")',
    '.option("spark.sql.shuffle", "x")', '.option("split-size", "1")', '.option("header", "true")',
)  # fmt: skip
WRITERS = (
    'df.write.format("iceberg"){}.mode("append").save("db.t")',
    'df.write{}.saveAsTable("db.t", format="iceberg", mode="append")',
    'df.writeTo("db.t").using("iceberg"){}.createOrReplace()',
    'df.writeStream.format("iceberg"){}.toTable("db.t")',
)
OTHERS = (
    'df.write.format("parquet"){}.save("/iceberg")',
    'df.writeTo("db.iceberg"){}.append()',
    'df.write.format(kind){}.save("iceberg")',
)


def options(program: str) -> list[tuple[str, str]]:
    """The severity and message of each finding about a call."""
    return [(str(d.severity), d.message) for d, _ in lint(program) if d.code == "SIS412"]


@pytest.mark.parametrize("writer", WRITERS)
def test_what_iceberg_refuses_and_ignores(writer: str) -> None:
    for severity, cases in (("error", REFUSED), ("warning", IGNORED)):
        for option, message in cases.items():
            ((level, text),) = options(writer.format(option))
            assert level == severity
            assert text.startswith(message)


@pytest.mark.parametrize("writer", WRITERS)
def test_right_options(writer: str) -> None:
    assert not [finding for option in RIGHT for finding in options(writer.format(option))]


@pytest.mark.parametrize("writer", OTHERS)
def test_other_formats(writer: str) -> None:
    """Whose options are unknown, or whose format is."""
    assert not [finding for option in (*REFUSED, *IGNORED) for finding in options(writer.format(option))]


def test_the_finding_is_at_the_word() -> None:
    program = 'df.write.format("iceberg").option("write-format", "csv").option("fanout-enable", "true").save("db.t")'
    assert [at.strip("\"'") for d, at in lint(program) if d.code == "SIS412"] == ["csv", "fanout-enable"]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("'write-format' = 'csv'", ["error"]),
        ("'fanout-enable' = 'true'", ["warning"]),
        ("'write-format' = 'orc', 'snapshot-property.job' = 'a'", []),
        ("'write-format' = concat('c', 'sv')", []),
    ],
)
def test_the_options_of_insert(options: str, expected: list[str]) -> None:
    """`INSERT INTO t WITH (...)` of Spark 4, for a table that is known."""
    insert = f"INSERT INTO t WITH ({options}) VALUES (1)"
    script = f"CREATE TABLE t (id INT) USING iceberg; {insert}"
    report = sis.check(script, sis.Tables(catalog="local", namespace=("db",)))
    assert [str(d.severity) for d in report if d.code == "SIS411"] == expected
    assert not [d for d in sis.check(insert, sis.Tables(catalog="local", namespace=("db",))) if d.code == "SIS411"]

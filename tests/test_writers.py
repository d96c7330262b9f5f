# ruff: noqa: E501, ISC004 - a case is a line
"""Partitioning that a program states in calls: DataFrame writers and pyiceberg."""

from __future__ import annotations

import json

import goldens
import pytest
from test_others_sql import notebook
from test_remedies import clauses
from test_rule_words import GOLDEN
from writers import COLUMNS, FRAME, IMPORTS, PYICEBERG_IMPORTS, PYICEBERG_SCHEMA, SPECS, WRITERS, Case

from spark_iceberg_sql.checker.files.linter import Linter
from spark_iceberg_sql.config.settings import Settings
from spark_iceberg_sql.diagnostics import Diagnostic, apply_edits
from spark_iceberg_sql.files.discovery import extract_source

CATALOG = 'catalog = load_catalog("prod")\n'


def lint(text: str, name: str = "job.py") -> list[tuple[Diagnostic, str]]:
    """Each finding, and the text that it is at."""
    return [
        (d, report.text[d.span.start : d.span.end])
        for report in Linter().lint(extract_source(name, text), Settings())
        for d in report
    ]


def found(text: str, name: str = "job.py") -> list[tuple[str, str]]:
    """Code and place of all findings that are no notes."""
    return [(d.code, at) for d, at in lint(text, name) if str(d.severity) != "note"]


@pytest.mark.parametrize("case", WRITERS, ids=lambda case: case.call)
def test_dataframe_writers(case: Case) -> None:
    program = IMPORTS + FRAME + case.call.format(t="local.db.t")
    assert found(program) == list(case.found)


@pytest.mark.parametrize("case", SPECS, ids=lambda case: case.call)
def test_pyiceberg(case: Case) -> None:
    program = PYICEBERG_IMPORTS + PYICEBERG_SCHEMA + CATALOG + case.call.replace("{t}", "db.t")
    assert found(program) == list(case.found)


EARLIER = 'df = df.filter("id > 1")\n'
OWN = 'df.writeTo("db.t").using("iceberg").partitionedBy(days("name")).create()'
APPEND = 'df.write.format("iceberg").mode("{}").partitionBy("{}").saveAsTable("db.t")'
NAMED = 'df.writeTo("db.t").using("iceberg").partitionedBy({}).create()\n'


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        # What follows knows the table.
        (NAMED.format('days("ts")') + 'spark.sql("ALTER TABLE db.t ADD PARTITION FIELD days(ts)")', ["SIS402"]),
        (NAMED.format('days("ts")') + 'spark.sql("ALTER TABLE db.t ADD PARTITION FIELD nope")', ["SIS201"]),
        (NAMED.format('days("ts")') + 'spark.sql("ALTER TABLE db.t DROP PARTITION FIELD ts_day")', []),
        (NAMED.format('bucket(8, "id")') + NAMED.format('bucket(16, "id")').replace("create()", "createOrReplace()"),
         ["SIS404"]),
        (NAMED.format('"id"') + NAMED.format('"id"'), ["SIS412"]),
        ('spark.sql("CREATE TABLE db.s (name STRING) USING iceberg")\n'
         'spark.table("db.s").writeTo("db.t").using("iceberg").partitionedBy(days("name")).create()', ["SIS202"]),
        ('spark.sql("CREATE TABLE db.s (name STRING) USING iceberg")\n'
         'spark.sql("SELECT name AS n FROM db.s").writeTo("db.t").using("iceberg").partitionedBy(days("n")).create()',
         ["SIS202"]),
        # The calls in other shapes.
        ('(\n    df.writeTo(table="db.t")\n    .using("iceberg")\n    .option("a", "b")\n'
         '    .partitionedBy(\n        days("name"),\n    )\n    .create()\n)', ["SIS202"]),
        ('NAME = "name"\n' + NAMED.format("days(NAME)"), ["SIS202"]),
        ('N = 0\n' + NAMED.format('bucket(N, "id")'), ["SIS103"]),
        ('df = df.filter("id > 1")\ndf = df.select("id", "name")\n' + NAMED.format('days("name")'), ["SIS202"]),
        ('def f(df2):\n    df2.writeTo("db.t").using("iceberg").partitionedBy(bucket(0, "x")).create()', ["SIS103"]),
        ('df.writeTo("db.t").using("iceberg").partitionedBy("nope").partitionedBy("id").create()', ["SIS412"]),
        ('df.writeTo(f"{catalog}.db.t").using("iceberg").partitionedBy(bucket(0, "id")).create()', ["SIS103"]),
        # Save modes for tables that may exist.
        *((made + APPEND.format(mode, column), codes)
          for mode in ("append", "ignore")
          for made, column, codes in (
              (NAMED.format('"id"'), "name", ["SIS412"] if mode == "append" else []),
              (NAMED.format('"id"'), "id", []), (NAMED.format('"id"'), "ID", []),
              (NAMED.format('days("ts")'), "ts", ["SIS412"] if mode == "append" else []),
              ("", "id", []), ("", "nope", ["SIS201"]),
          )),
        (NAMED.format('"id"').replace("{}", "x") + 'spark.sql("ALTER TABLE db.t ADD PARTITION FIELD days(ts)")\n' + APPEND.format("append", "id"), ["SIS412"]),
        # What is not judged.
        (NAMED.format('days("name")').replace('"iceberg"', '"delta"'), []),
        (NAMED.format('days("name")').replace('"iceberg"', "provider"), []),
        (NAMED.format('days("name")').replace(".create()", ".append()"), ["SIS412"]),
        (NAMED.format('"name"').replace('.using("iceberg")', ""), []),
        ('df.write.partitionBy("nope").format("parquet").saveAsTable("db.t")', []),
        ('df.write.partitionBy("nope").saveAsTable("db.t")', []),
        ('df.write.format("iceberg").partitionBy("nope").mode(mode).saveAsTable("db.t")', []),
        ('df.write.format("iceberg").partitionBy("nope").save("path")', []),
        (NAMED.format("*columns"), []),
        (NAMED.format("days(column)"), []),
        (NAMED.format("make(16)"), []),
        (NAMED.format('days("name").alias'), []),
        ('def days(x):\n    return x\n' + NAMED.format('days("name")'), []),
        ('w = df.writeTo("db.t").using("iceberg").partitionedBy(days("name"))\nchange(w)\nw.create()', []),
        ('if x:\n    df = other\n' + NAMED.format('days("name")'), []),
        ('for x in xs:\n    ' + NAMED.format('days("name")') + "    df = other", []),
        ('df = make(df)\n' + NAMED.format('days("name")'), []),
        ('df.join(other, "id").writeTo("db.t").using("iceberg").partitionedBy("nope").create()', []),
        ('df.withColumn("ts", F.col("name")).writeTo("db.t").using("iceberg").partitionedBy(days("ts")).create()', []),
        ('df.withColumn("TS", F.lit(1)).writeTo("db.t").using("iceberg").partitionedBy("ts").create()', []),
        ('Window.partitionBy("nope").orderBy("x")', []),
        ('fits.writeto("a.fits", overwrite=True)', []),
        ('schema = StructType([])\nschema.add("x", "int")\nd2 = spark.createDataFrame([], schema)\n'
         'd2.writeTo("db.t").using("iceberg").partitionedBy("x").create()', []),
        ('spark.sql("CREATE TABLE IF NOT EXISTS db.t (id INT) USING iceberg")\n'
         'if not spark.catalog.tableExists("db.t"):\n    ' + NAMED.format('"id"'), []),
        # A comprehension or a lambda has its own names.
        *((f'{EARLIER}{call}', []) for call in (
            f'[{OWN} for df in [df.withColumn("name", F.current_timestamp())]]',
            f'{{{OWN} for df in frames}}',
            f'{{1: {OWN} for _, df in frames}}',
            f'list({OWN} for x in frames for df in x)',
            f'[{OWN} for x in frames if (df := x)]',
            f'[[{OWN} for _ in "a"] for df in frames]',
            f'run(lambda df: {OWN})',
            f'run(lambda *df: {OWN})',
        )),
        (f'{EARLIER}[{OWN} for _ in "a"]', ["SIS202"]),
        ('if exists:s:\n    spark.sql("CREATE TABLE db.t (a INT) USING iceberg")\nelse:\n    ' + NAMED.format('"id"'), []),
    ],
)  # fmt: skip
def test_programs(program: str, expected: list[str]) -> None:
    text = IMPORTS + "from pyspark.sql.types import StructType\n" + FRAME + program
    assert [code for code, _ in found(text)] == expected


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        # A writer never forgets its partitioning, whoever else uses it.
        ('w = df.write.partitionBy("id")\nw.saveAsTable("x")\nw.insertInto("db.t")', ["SIS412"]),
        ('w = df.write.partitionBy("id")\nw = df.write\nw.insertInto("db.t")', []),
        ('if x:\n    w = df.write.partitionBy("id")\nelse:\n    w = df.write\nw.insertInto("db.t")', []),
        ('w = make()\nw.partitionBy("id").insertInto("db.t")', []),
        ('df.write.partitionBy("id").save("p")\ndf.write.insertInto("db.t")', []),
        ('table.partitionBy("id").insertInto("db.t")', []),
        ('df.writeStream.partitionBy("id").insertInto("db.t")', []),
        ('df.write.partitionBy("id").own().insertInto("db.t")', []),
        ('df.write.partitionBy("id").insertInto("db.t")  # noqa: SIS412', []),
        ('df.write.partitionBy("id").insertInto("db.t")  # noqa: SIS002', ["SIS412", "SIS003"]),
        # An insert changes no partitioning.
        ('spark.sql("CREATE TABLE db.t (id INT) USING iceberg")\ndf.write.partitionBy("id").insertInto("db.t")\n'
         'spark.sql("ALTER TABLE db.t ADD PARTITION FIELD nope")', ["SIS412", "SIS201"]),
    ],
)  # fmt: skip
def test_insert_into(program: str, expected: list[str]) -> None:
    text = IMPORTS + "from pyspark.sql.types import StructType\n" + FRAME + program
    assert sorted(code for code, _ in found(text)) == sorted(expected)
    assert sorted(code for code, _ in found(notebook(text), "a.ipynb")) == sorted(expected)


@pytest.mark.parametrize(
    ("program", "notes"),
    [
        ('w = df.write\nw.partitionBy("id")\nw.insertInto("db.t")', ['w.insertInto("db.t")']),
        ('w = df.write\nif x:\n    w.mode("append").partitionBy("id")\nw.mode("append").insertInto("db.t")', ['w.mode("append").insertInto("db.t")']),
        ('w = df.write\nw.mode("append")\nw.insertInto("db.t")', []),
        ('df.write.insertInto("db.t")\ndf.write.partitionBy("id").saveAsTable("db.u")', []),
        ('w = df.write\nw.partitionBy("id")\nw = df.write\nw.insertInto("db.t")', []),
        ('def f(w):\n    w.partitionBy("id")\nw = df.write\nw.insertInto("db.t")', []),
        ('w = df.write\nv = w\nw.partitionBy("id")\nv.insertInto("db.t")', ['v.insertInto("db.t")']),
        ('self.w = df.write\nself.w.partitionBy("id")\nself.w.insertInto("db.t")', ['self.w.insertInto("db.t")']),
        ('w = df.write\nw.partitionBy("id").save("x")\ndf.write.insertInto("db.t")', []),
    ],
)  # fmt: skip
def test_a_writer_that_another_statement_may_have_partitioned_is_a_note(program: str, notes: list[str]) -> None:
    findings = lint(IMPORTS + FRAME + program)
    assert [(at, str(d.severity)) for d, at in findings] == [(at, "note") for at in notes]


@pytest.mark.parametrize(
    ("program", "notes"),
    [
        ('frame.partitionBy("a").insertInto("db.t")', ["whether `frame` is a writer of Spark, which refuses `insertInto` after `partitionBy`"]),
        ('w = df.write.partitionBy("a")\nif x:\n    w = df.write\nw.insertInto("db.t")', ["whether `partitionBy` has set up `w`, after which Spark refuses `insertInto`"]),
        ('w = df.write.bucketBy(4, "a") if x else df.write\nw.insertInto("db.t")', ["whether `bucketBy` has set up `w`, after which Spark refuses `insertInto`"]),
        ('w = df.write\nfor c in cols:\n    w = w.partitionBy(c)\nw.insertInto("db.t")', ["whether `partitionBy` has set up `w`, after which Spark refuses `insertInto`"]),
        ('w = df.write.mode("append")\nif x:\n    w = df.write\nw.insertInto("db.t")', []),
        ('df.writeStream.partitionBy("id").insertInto("db.t")', []),
    ],
)  # fmt: skip
def test_a_writer_that_is_not_certain_is_a_note(program: str, notes: list[str]) -> None:
    assert [(d.code, d.message) for d, _ in lint(program)] == [("SIS002", f"not checked: {note}") for note in notes]


def test_a_program_that_only_inserts() -> None:
    program = 'df.write.partitionBy("id").insertInto("db.t")\n'
    assert found(program) == [("SIS412", 'partitionBy("id")')]
    cells = found(notebook("df = load()", program), "a.ipynb")
    assert cells == [("SIS412", 'partitionBy("id")')]


WITH = 'catalog.create_table("db.t", schema, partition_spec=PartitionSpec(PartitionField(3, 1000, {}, "x")))'
TABLE = 'catalog.create_table("db.t", schema)\nt = catalog.load_table("db.t")\n'


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        ("other = Schema(NestedField(1, 'k', TimestampType()))\n[" + WITH.format("DayTransform()") + " for schema in [other]]", []),
        ("run(lambda schema: " + WITH.format("DayTransform()") + ")", []),
        ("[" + WITH.format("DayTransform()") + " for _ in 'a']", ["SIS202"]),
        (TABLE + 'with t.update_spec() as u:\n    [u.add_field("no", DayTransform()) for u in others]', []),
        (TABLE + 'with t.update_spec() as u:\n    run(lambda u: u.add_field("no", DayTransform()))', []),
        (TABLE + 'with t.update_spec() as u:\n    [u.add_field("no", DayTransform()) for _ in others]', ["SIS201"]),
    ],
)  # fmt: skip
def test_pyiceberg_programs(program: str, expected: list[str]) -> None:
    text = PYICEBERG_IMPORTS + PYICEBERG_SCHEMA + CATALOG + program
    assert [code for code, _ in found(text)] == expected


@pytest.mark.parametrize(
    ("program", "at"),
    [
        (TABLE + "with t.update_spec(case_sensitive=False) as u:\n    {}", 'u.add_field("TS", DayTransform())'),
        (TABLE + "with t.update_spec(False) as u:\n    {}", 'u.add_field("TS", DayTransform())'),
        (TABLE + "with t.update_spec(case_sensitive=mind) as u:\n    {}", 'u.add_identity("ID")'),
        (TABLE + "with t.update_spec(**options) as u:\n    {}", 'u.add_identity("ID")'),
        (TABLE + "with t.update_spec() as u:\n    {}", "u.add_field(column, DayTransform())"),
        (TABLE + "with t.update_spec() as u:\n    {}", 'u.add_field("ts", transform)'),
        (TABLE + "with t.update_spec() as u:\n    {}", "u.remove_field(field.name)"),
        ("{}", 'catalog.create_table("db.t", schema, partition_spec=PartitionSpec(*fields))'),
        ("{}", 'catalog.create_table("db.t", schema, **{"partition_spec": spec})'),
        ("{}", "catalog.create_table(*arguments)"),
        ("{}", 'catalog.create_table("db.t", schema, partition_spec=make(schema))'),
        ("{}", 'catalog.create_table("db.t", schema, None, PartitionSpec(PartitionField(number, 1000, "day", "d")))'),
        ("{}", 'catalog.create_table("db.t", schema, partition_spec=PartitionSpec(PartitionField(2, 1000, make(), "d")))'),
        ("{}", WITH.format("DayTransform()").replace('"db.t"', "name")),
        ("{}", WITH.format("DayTransform()").replace("create_table", "create_table_transaction")),
        ("def f(schema):\n    {}", WITH.format("DayTransform()")),
        ("def f(schema):\n    {}", WITH.format("DayTransform()").replace("create_table", "create_table_if_not_exists")),
    ],
)  # fmt: skip
def test_what_pyiceberg_is_given_unread_is_a_note_and_the_table_is_unknown(program: str, at: str) -> None:
    later = '\nspark.sql("ALTER TABLE db.t ADD PARTITION FIELD days(ts)")'
    text = PYICEBERG_IMPORTS + PYICEBERG_SCHEMA + CATALOG + program.format(at) + later
    findings = lint(text)
    assert {str(d.severity) for d, _ in findings} == {"note"}
    assert ("SIS002", at) in [(d.code, excerpt) for d, excerpt in findings]


@pytest.mark.parametrize("spec", ["", ", partition_spec=None"])
def test_a_table_of_pyiceberg_without_a_spec_needs_no_note(spec: str) -> None:
    assert lint(PYICEBERG_IMPORTS + CATALOG + f'catalog.create_table("db.t", make(){spec})') == []


def test_a_table_that_a_program_replaces_in_a_way_that_is_not_read_is_not_known() -> None:
    for call in ('df.writeTo("db.t").using(p).createOrReplace()', 'df.write.saveAsTable("db.t")'):
        program = IMPORTS + FRAME + NAMED.format('"id"') + call
        assert found(f'{program}\nspark.sql("ALTER TABLE db.t ADD PARTITION FIELD id")') == []


@pytest.mark.parametrize(
    "program",
    [
        'w = df.writeTo("db.t").using("iceberg")\nw.partitionedBy(days("name"))\nw.create()',
        'w = df.writeTo("db.t").using("iceberg")\nw = w.partitionedBy(days("name"))\nw.createOrReplace()',
        'w = df.writeTo("db.t")\nw.using("iceberg").partitionedBy(days("name"))\nw.tableProperty("a", "b").replace()',
        'w = df.writeTo("db.t").using("iceberg")\nif x:\n    w = w.partitionedBy("nope")\nw.create()',
        'w = df.writeTo("db.t").using("iceberg")\nv = w\nv.partitionedBy("nope")\nw.create()',
        'w = df.write.format("iceberg")\nw.partitionBy("days(ts)")\nw.saveAsTable("db.t")',
        'w = df.write\nw.partitionBy("days(ts)").format("iceberg")\nw.mode("overwrite").saveAsTable("db.t")',
        'w = df.write\nw.partitionBy("days(ts)")\nw.saveAsTable("db.t", format="iceberg")',
    ],
)
def test_a_writer_that_several_statements_use_is_a_note_and_its_table_is_unknown(program: str) -> None:
    before = 'spark.sql("CREATE OR REPLACE TABLE db.t (a INT) USING iceberg")\n'
    later = '\nspark.sql("ALTER TABLE db.t ADD PARTITION FIELD days(ts)")'
    findings = lint(IMPORTS + FRAME + before + program + later)
    assert {str(d.severity) for d, _ in findings} == {"note"}
    assert ("SIS002", program.splitlines()[-1]) in [(d.code, at) for d, at in findings]


@pytest.mark.parametrize(
    "program",
    [
        'w = df.write.format("parquet")\nw.partitionBy("nope")\nw.saveAsTable("db.t")  # no iceberg',
        'w = df.writeTo("db.t").using("delta")\nw.partitionedBy("nope")\nw.create()  # no iceberg',
        'w = df.writeTo("db.t").using("iceberg")\nw.append()\nw.overwritePartitions()',
        'w = make()\nw.using("iceberg")\nw.create()',
        'df = spark.read.parquet("x")\nw = df.writeTo("db.t").using("iceberg")\nw.create()',
    ],
)
def test_other_writers_with_names_are_no_note(program: str) -> None:
    assert lint(IMPORTS + FRAME + program) == []


def test_nothing_is_said_twice_and_unknown_columns_are_a_note() -> None:
    program = IMPORTS + 'df = spark.read.parquet("x")\n' + NAMED.format('days("x"), bucket(16, "y")')
    ((note, at),) = lint(program)
    assert (note.code, str(note.severity), at) == ("SIS002", "note", "db.t")
    assert note.message.endswith("its columns are unknown (the program does not define them)")
    assert note.help == "give the DataFrame a schema in the program, or check in a Spark session"


@pytest.mark.parametrize("term", ['bucket("id", 16)', 'days("d")', "days(d)", "bucket(16, d)"])
def test_a_note_shows_a_call_of_a_function_of_the_program_as_it_is_written(term: str) -> None:
    definitions = "def bucket(*x):\n    return x\ndef days(x):\n    return x\n"
    for message in [d.message for d, _ in lint(definitions + FRAME + NAMED.format(term))]:
        assert message == f"not checked: the value of `{term}` is unknown"


def test_in_a_notebook_the_imports_are_in_another_cell() -> None:
    cells = ["from pyspark.sql.functions import days, bucket\nimport pyspark.sql.functions as F", FRAME,
             NAMED.format('F.days("ts"), bucket("id", 16)'), "%%sql\nALTER TABLE db.t ADD PARTITION FIELD days(ts)"]  # fmt: skip
    assert found(notebook(*cells), "a.ipynb") == [("SIS104", 'id", 16')]
    cells[2] = NAMED.format('F.days("ts")').replace("df.", f"spark.createDataFrame([], '{COLUMNS}').")
    assert found(notebook(*cells), "a.ipynb") == [("SIS402", "days(ts)")]


@pytest.mark.parametrize(
    ("terms", "code", "to_write"),
    [
        ('bucket("id", 16)', "SIS104", ['bucket(16, "id")']),
        ('"days(ts)"', "SIS101", ['days("ts")']),
        ('"bucket(16, id)"', "SIS101", ['bucket(16, "id")']),
        ('F.date_trunc("month", "ts")', "SIS101", ['months("ts")']),
        ('F.year(col("ts"))', "SIS101", ['years("ts")']),
        ('col("ts").cast("date")', "SIS101", ['days("ts")']),
        ('col("id").desc()', "SIS101", ['"id"']),
        ('expr("truncate(4, name)")', "SIS101", ["truncate", "PARTITIONED BY (truncate(...))"]),
        ('days("name")', "SIS202", ["truncate(10, name)", "name", "truncate"]),
        ('years("ts"), days("ts")', "SIS303", ['days("ts")']),
        ('"ts"', "SIS501", ['days("ts")']),
    ],
)
def test_the_remedy_is_in_the_words_of_the_call(terms: str, code: str, to_write: list[str]) -> None:
    (finding,) = [d for d, _ in lint(IMPORTS + FRAME + NAMED.format(terms))]
    assert (finding.code, clauses(finding.help or "")) == (code, to_write)


def test_words() -> None:
    """The sentences of all cases, as programs show them."""
    programs = [(case.call, IMPORTS + FRAME + case.call.format(t="local.db.t")) for case in WRITERS]
    head = PYICEBERG_IMPORTS + PYICEBERG_SCHEMA + CATALOG
    programs += [(case.call, head + case.call.replace("{t}", "db.t")) for case in SPECS]
    text = ""
    for call, program in programs:
        text += f"{call}\n"
        for d, at in lint(program):
            text += f"  {d.code} {d.severity}: {d.message}\n      at: {at!r}\n      help: {d.help}\n"
    goldens.hold(text, GOLDEN / "programs.txt")


def test_partition_by_is_sent_to_the_writer_that_has_transforms() -> None:
    text = IMPORTS + FRAME + 'df.write.format("iceberg").partitionBy("days(ts)").saveAsTable("db.t")'
    ((finding, at),) = lint(text)
    assert (finding.code, at) == ("SIS101", '"days(ts)"')
    assert clauses(finding.help or "") == ['df.writeTo(...).partitionedBy(days("ts"))']


def fixed(text: str, *, unsafe: bool = False) -> str:
    """The program with the fixes of all findings."""
    edits = [edit for d, _ in lint(text) if d.fix and (d.fix.safe or unsafe) for edit in d.fix.edits]
    return apply_edits(text, edits)


@pytest.mark.parametrize(
    ("terms", "after"),
    [
        ('bucket("id", 16)', None),  # two arguments change places
        ('F.bucket(16, "idd")', None),
        ('days("nope")', None),
        ('"days(ts)"', None),
        ('years("ts"), days("ts")', None),
    ],
)
def test_fixes_touch_nothing_but_the_text_of_an_argument(terms: str, after: str | None) -> None:
    text = IMPORTS + FRAME + NAMED.format(terms)
    assert fixed(text, unsafe=True) == (IMPORTS + FRAME + NAMED.format(after or terms))


def test_a_field_of_pyiceberg_that_is_nearly_one_is_fixed_in_its_literal() -> None:
    text = PYICEBERG_IMPORTS + PYICEBERG_SCHEMA + CATALOG + SPECS[-2].call.replace("{t}", "db.t")
    assert fixed(text, unsafe=True) == text.replace("ts_dayy", "ts_day")
    assert fixed(text) == text


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ('df.selectExpr("id", "iceberg_bucket(id, 16) AS b")', [("SIS601", "id, 16")]),
        ('df.select(F.expr("iceberg_days(ts, 1)"))', [("SIS601", "iceberg_days(ts, 1)")]),
        ('df.filter("iceberg_days(name) = 3")', [("SIS601", "name")]),
        ('df.where("local.system.bucket(id, 16) = 3")', [("SIS601", "id, 16")]),
        ('df.filter(f"iceberg_bucket(id, {n}) = 3")', []),
        ('df.filter("iceberg_bucket(16, id) = 3").filter(col("id") > 2)', []),
        ('spark.table("db.k").filter("month(ts) = 2")', []),  # it may be filtered again
        ('spark.table("db.k").filter("month(ts) = 2").filter(col("ts") > "2024-02-01")', []),
        ('spark.sql("SELECT * FROM db.k WHERE month(ts) = 2").where("ts > \'2024-02-01\'")', []),
        ('spark.table("db.k").filter("year(ts) = 2024 AND month(ts) = 2")', []),
        ('pd.filter("month(ts) = 2")', []),
        ('spark.sql("SELECT iceberg_bucket(id, 16) FROM x")', [("SIS601", "id, 16")]),
    ],
)  # fmt: skip
def test_expressions_of_dataframes(line: str, expected: list[tuple[str, str]]) -> None:
    create = 'spark.sql("CREATE TABLE db.k (ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts))")\n'
    assert found(IMPORTS + FRAME + create + line) == expected


TWICE = 'spark.sql("CREATE TABLE db.{} (a INT, A INT) USING iceberg PARTITIONED BY (bucket(4, a))")\n'


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        ("", ["SIS207"]),
        ('spark.conf.set("spark.sql.caseSensitive", "true")\n', []),
        ('spark.conf.set("spark.sql.casesensitive", True)\n', []),
        ('FLAG = True\nspark.conf.set(key="spark.sql.caseSensitive", value=FLAG)\n', []),
        ('spark = SparkSession.builder.config("spark.sql.caseSensitive", "TRUE").getOrCreate()\n', []),
        ('spark.conf.set("spark.sql.caseSensitive", "false")\n', ["SIS207"]),
        ('spark.sql("SET spark.sql.caseSensitive=true")\nspark.conf.unset("spark.sql.caseSensitive")\n', ["SIS207"]),
        ('spark.conf.set("spark.sql.other", "true")\n', ["SIS207"]),
        ('settings.set("spark.sql.caseSensitive")\n', ["SIS207"]),
    ],
)  # fmt: skip
def test_programs_that_set_whether_names_are_case_sensitive(before: str, expected: list[str]) -> None:
    assert [code for code, _ in found(before + TWICE.format("t"))] == expected
    cells = [{"cell_type": "code", "source": text} for text in (before or "1", TWICE.format("t"))]
    notebook = json.dumps({"cells": cells, "metadata": {}})
    assert [code for code, _ in found(notebook, "a.ipynb")] == expected


def test_a_case_that_is_not_known_is_a_note() -> None:
    text = f'spark.conf.set("spark.sql.caseSensitive", given())\n{TWICE.format("t")}'
    (note, _), *_ = lint(text)
    assert note.message == "not checked: whether names are case-sensitive is decided when the program runs"

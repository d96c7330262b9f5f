"""Time grows with the work: four times the statements take little more than four times as long.

Only ratios within one process are compared, so that no machine is too slow. A spec of n fields is written out
in n steps, so something grows with the square; what grows with the cube shows at once.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Callable
from random import Random

import pytest
from evolutions import history
from growth import ratio
from samples import sampled

from spark_iceberg_sql.checker.directives import MENTION
from spark_iceberg_sql.checker.engine import check, check_and_apply
from spark_iceberg_sql.checker.files import suppression_positions as places
from spark_iceberg_sql.checker.files.add_suppressions import suppress_findings
from spark_iceberg_sql.checker.files.file_scripts import scripts_of
from spark_iceberg_sql.checker.files.host_suppressions import HostSuppressions
from spark_iceberg_sql.checker.files.linter import Linter
from spark_iceberg_sql.config.settings import Settings
from spark_iceberg_sql.diagnostics import Lines, Report
from spark_iceberg_sql.files.databricks import sql_cells
from spark_iceberg_sql.files.notebooks.cells import read_cells
from spark_iceberg_sql.files.python import program
from spark_iceberg_sql.files.python.sql_extraction import python_sql
from spark_iceberg_sql.files.source import SourceFile, TextUnit
from spark_iceberg_sql.files.source_map import SqlFragment, range_fragment
from spark_iceberg_sql.files.templates import stored_fragments, template_variants
from spark_iceberg_sql.model.corruption import corrupt_fields, union_fields
from spark_iceberg_sql.model.schema import Schema
from spark_iceberg_sql.model.spec import PartitionField, Specs
from spark_iceberg_sql.model.table import Table
from spark_iceberg_sql.model.tables import Tables

pytestmark = pytest.mark.tier("quick")  # many processes or many trials: `make fast` leaves them out

ONE = "CREATE TABLE db.t (id BIGINT) USING iceberg;\n"

SHAPES: dict[str, Callable[[int], str]] = {
    "buckets of one column": lambda n: (
        ONE + "".join(f"ALTER TABLE db.t ADD PARTITION FIELD bucket({i + 2}, id);\n" for i in range(n))
    ),
    "a column for each": lambda n: (
        f"CREATE TABLE db.t ({', '.join(f'c{i} INT' for i in range(n))}) USING iceberg;\n"
        + "".join(f"ALTER TABLE db.t ADD PARTITION FIELD c{i};\n" for i in range(n))
    ),
    "columns": lambda n: ONE + "".join(f"ALTER TABLE db.t ADD COLUMN c{i} INT;\n" for i in range(n)),
    "added and dropped": lambda n: (
        ONE
        + "".join(
            f"ALTER TABLE db.t ADD PARTITION FIELD bucket({i + 2}, id);\n"
            f"ALTER TABLE db.t DROP PARTITION FIELD bucket({i + 2}, id);\n"
            for i in range(n)
        )
    ),
    "faulty": lambda n: ONE + "".join(f"ALTER TABLE db.t ADD PARTITION FIELD weeks(c{i});\n" for i in range(n)),
    "ignored": lambda n: "".join(
        f"CREATE TABLE db.t{i} (id INT) USING iceberg PARTITIONED BY (weeks(id)); -- noqa: SIS101, SIS501\n"
        for i in range(n)
    ),
    "renamed": lambda n: (
        "CREATE TABLE db.t (c0 INT) USING iceberg PARTITIONED BY (c0);\n"
        + "".join(f"ALTER TABLE db.t RENAME COLUMN c{i} TO c{i + 1};\n" for i in range(n))
    ),
    "replaced": lambda n: (
        ONE
        + "ALTER TABLE db.t ADD PARTITION FIELD bucket(1, id);\n"
        + "".join(
            f"ALTER TABLE db.t REPLACE PARTITION FIELD bucket({i + 1}, id) WITH bucket({i + 2}, id);\n"
            for i in range(n)
        )
    ),
    "unreadable": lambda n: (
        f"CREATE TABLE db.t ({', '.join(f'c{i} INT' for i in range(20 * n))}) USING iceberg "
        f"PARTITION BY ({', '.join(f'c{i}' for i in range(20 * n))}"
    ),
    "of version 1": lambda n: (
        ONE.replace(";", " TBLPROPERTIES ('format-version' = '1');")
        + "".join(
            f"ALTER TABLE db.t ADD PARTITION FIELD bucket({i + 2}, id);\n"
            f"ALTER TABLE db.t DROP PARTITION FIELD bucket({i + 2}, id);\n"
            for i in range(n // 2)
        )
    ),
}


@pytest.mark.tier("quick")
@pytest.mark.parametrize("shape", SHAPES)
def test_growth(shape: str) -> None:
    """Quadratic growth would give 16, cubic growth 64."""
    few, many = (SHAPES[shape](n) for n in (60, 240))
    assert ratio(lambda: check(few), lambda: check(many), 13) < 13


@pytest.mark.parametrize("query", ["SELECT id FROM db.t ORDER BY id", "SELECT id FROM db.t WHERE ts_day = 1"])
def test_many_queries(query: str) -> None:
    """Whether a script declares variables is asked for once, not for each query."""
    table = "CREATE TABLE db.t (id BIGINT, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts));\n"
    few, many = (table + f"{query};\n" * n for n in (300, 2400))
    assert ratio(lambda: check(few), lambda: check(many), 20) < 20


def test_parentheses() -> None:
    few, many = (f"ALTER TABLE t ADD PARTITION FIELD {'(' * n}a{')' * n}" for n in (1000, 8000))
    assert ratio(lambda: check(few), lambda: check(many), 24) < 24


def test_calls_in_one_statement() -> None:
    few, many = ("SELECT " + "+".join(["iceberg_bucket(id, 4)"] * n) for n in (100, 1600))
    assert ratio(lambda: check(few), lambda: check(many), 40) < 40


def misspelled(n: int) -> str:
    columns, fields = (
        ", ".join(f"{name}_{i}{more}" for i in range(n)) for name, more in (("column", " INT"), ("colum", ""))
    )
    return f"CREATE TABLE t ({columns}) USING iceberg PARTITIONED BY ({fields})"


def misspelled_one_by_one(n: int) -> str:
    columns = ", ".join(f"column_{i} INT" for i in range(n))
    added = (f"ALTER TABLE t ADD PARTITION FIELD colum_{i};" for i in range(n))
    return f"CREATE TABLE t ({columns}) USING iceberg;{''.join(added)}"


@pytest.mark.tier("rest")  # ten seconds
@pytest.mark.parametrize("script", [misspelled, misspelled_one_by_one])
def test_misspelled_columns(script: Callable[[int], str]) -> None:
    """The search for similar names has an end, but not the findings; the first have suggestions."""
    few, many = script(150), script(600)
    assert ratio(lambda: check(few), lambda: check(many), 9) < 9
    report = check(many)
    assert [d.code for d in report] == ["SIS201"] * 600
    assert "write `column_0`" in (next(iter(report)).help or "")


def test_specs_of_many_fields_are_said_to_be_unchecked() -> None:
    few, many = (SHAPES["buckets of one column"](n) for n in (480, 1920))
    assert ratio(lambda: check(few), lambda: check(many), 9) < 9
    report = check(many)
    (note,) = report.not_checked
    assert note.message == (
        "partly checked: its partition specs are unknown "
        "(together they have more than 100,000 fields, too many to check)"
    )
    assert note.statements == report.statements - note.span.row + 1


def test_a_rename_makes_each_field_anew_once() -> None:
    """And not once for each of the specs that share it."""
    tables = Tables(complete=True)
    check_and_apply(SHAPES["buckets of one column"](60), tables)
    for column in ("c0", "c1"):
        renamed = "id" if column == "c0" else "c0"
        check_and_apply(f"ALTER TABLE db.t RENAME COLUMN {renamed} TO {column};", tables)
        table = tables.get(("db", "t"))
        assert isinstance(table, Table)
        assert table.specs is not None
        fields = {id(f): f for spec in table.specs.all_specs for f in spec.fields}
        assert [field.source for field in fields.values()] == [column] * 60


def test_comments_on_the_lines_of_one_statement() -> None:
    few, many = (
        "CREATE TABLE t (\n" + ",\n".join(f"c{i} INT -- noqa: SIS209\n" for i in range(n)) + ") USING iceberg"
        for n in (250, 2000)
    )
    assert ratio(lambda: check(few), lambda: check(many), 24) < 24


@pytest.mark.parametrize("first", ["", "SELECT 1\n"])
def test_cells_of_a_sql_file(first: str) -> None:
    few, many = (first + "%%sql\n" * n for n in (500, 4000))
    assert ratio(lambda: sql_cells(few), lambda: sql_cells(many), 24) < 24


def test_cells_of_a_notebook() -> None:
    def cells(n: int) -> list[tuple[int, str, str]]:
        return [(i, f"%%sql\nSELECT {i}", "python") for i in range(n)]

    few, many = cells(500), cells(4000)
    assert ratio(lambda: read_cells("a.ipynb", few), lambda: read_cells("a.ipynb", many), 24) < 24


def test_comments_in_the_cells_of_a_notebook() -> None:
    def beside(n: int) -> HostSuppressions:
        parts = tuple(TextUnit(f"spark.sql('SELECT {i}')", i) for i in range(n))
        fragments = tuple(range_fragment(part.text, 11, 19, i) for i, part in enumerate(parts))
        return HostSuppressions(SourceFile("a.ipynb", parts, fragments), [Lines(part.text) for part in parts])

    assert ratio(lambda: beside(500), lambda: beside(4000), 24) < 24


def test_texts_that_a_template_stores() -> None:
    few, many = (
        range_fragment(text, 0, len(text))
        for text in ("".join(f"{{% set a{i} %}}x{{% endset %}}" for i in range(n)) for n in (250, 2000))
    )
    assert ratio(lambda: list(stored_fragments(few)), lambda: list(stored_fragments(many)), 24) < 24


FILLED: dict[str, Callable[[int], str]] = {
    "%": lambda n: f"spark.sql('{'%s' * n}' % x)",
    "f-string": lambda n: f"spark.sql(f'{'{x}' * n}')",
    "${}": lambda n: f"spark.sql('{'${x}%s' * n}' % x)",
}


@pytest.mark.parametrize("shape", FILLED)
def test_places_that_a_program_and_a_template_fill_in(shape: str) -> None:
    def pieces(n: int) -> list[SqlFragment]:
        return [fragment for fragment in python_sql(FILLED[shape](n))[0] if fragment.sql]

    (few,), (many,) = pieces(500), pieces(4000)
    assert ratio(lambda: template_variants(few), lambda: template_variants(many), 24) < 24
    (chosen,) = template_variants(many)
    assert [placeholder.start for placeholder in chosen.placeholders] == sorted(
        {placeholder.start for placeholder in chosen.placeholders}
    )


FAULTY = "CREATE TABLE t (a INT) USING iceberg PARTITIONED BY (b)"
COMMENTED: dict[str, Callable[[int], str]] = {
    "a ruler": lambda n: f"{'#' * n}\nspark.sql('{FAULTY}')  # noqa: SIS501\n",
    "literals of one call": lambda n: "spark.sql(\n" + f"'{FAULTY};'  # noqa: SIS201\n" * (n // 10) + ")",
}


@pytest.mark.parametrize("shape", COMMENTED)
def test_comments_beside_the_sql_of_a_program(shape: str) -> None:
    def reaches(n: int) -> Callable[[], object]:
        text = COMMENTED[shape](n)
        source = SourceFile("a.py", (TextUnit(text),), tuple(python_sql(text)[0]))
        (script,) = scripts_of(source)
        return lambda: HostSuppressions(source, [Lines(text)]).suppressions_in(script)

    assert ratio(reaches(2000), reaches(16000), 24) < 24


def test_places_of_comments_in_a_program() -> None:
    def comments(n: int) -> Callable[[], object]:
        text = f"{'#' * n}\nspark.sql('{FAULTY}')\n"
        return lambda: places.IndexedPart("a.py", text, python_sql(text)[0]).comments

    assert ratio(comments(4000), comments(32000), 24) < 24


def test_the_piece_of_sql_at_each_offset() -> None:
    def asked(n: int) -> Callable[[], object]:
        text = "SELECT 1;\n" * n
        fragments = [range_fragment(text, at, at + 9) for at in range(0, len(text), 10)]
        part = places.IndexedPart("a.sql", text, fragments)
        return lambda: [part.fragment_at(at) for at in range(0, len(text), 10)]

    assert ratio(asked(500), asked(4000), 24) < 24
    text = "SELECT 'SELECT 1'"
    outer, inner = range_fragment(text, 0, 17), range_fragment(text, 8, 16)
    part = places.IndexedPart("a.sql", text, [inner, outer])
    at = [part.fragment_at(offset) for offset in (0, 8, 16, 17, 18)]
    outer_sql, within = outer.sql, inner.sql
    assert [sql and sql.text for sql in at] == [outer_sql, within, within, outer_sql, None]


def test_line_ends_beside_templates() -> None:
    def asked(n: int) -> Callable[[], object]:
        sql = places.IndexedFragment(range_fragment("{{ x }}\n" * n, 0, 8 * n))
        assert [sql.in_template(at) for at in (0, 1, 6, 7, 8, 9)] == [0, 1, 1, 0, 0, 1]
        return lambda: [sql.in_template(at) for at in range(7, 8 * n, 8)]

    assert ratio(asked(500), asked(4000), 24) < 24


@pytest.mark.parametrize("name", ["a.py", "a.ipynb"])
def test_a_file_is_checked_twice_for_one_comment(name: str) -> None:
    """As it is, which the caller has done, and with the comment; each version is read once, too."""
    text = f"spark.sql('{FAULTY}')\n"
    if name.endswith(".ipynb"):
        cell = {"cell_type": "code", "metadata": {}, "outputs": [], "source": text}
        text = json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
    read: list[str] = []
    checked: list[str] = []

    def source(changed: str) -> SourceFile:
        read.append(changed)
        return linter.source(name, changed, settings)

    def reports(changed: str) -> list[Report]:
        checked.append(changed)
        return linter.lint(linter.source(name, changed, settings), settings)

    linter, settings = Linter(), Settings()
    first = linter.lint(linter.source(name, text, settings), settings)
    commented, _, count, left = suppress_findings(source, text, first, reports)
    assert (count, left) == (1, ())
    assert "# noqa: SIS201" in commented
    assert checked == [commented]
    assert read == [text, commented]


def test_no_comment_is_tried_outside_of_a_template_string() -> None:
    """It would not be read with the SQL of the string, as a check for each half of the findings shows."""
    text = f'{{{{ run_query("{FAULTY}") }}}}\n' * 40
    checked: list[str] = []

    def reports(changed: str) -> list[Report]:
        checked.append(changed)
        return linter.lint(source(changed), settings)

    def source(changed: str) -> SourceFile:
        return linter.source("a.sql", changed, settings)

    linter, settings = Linter(), Settings()
    first = linter.lint(source(text), settings)
    after, _, count, left = suppress_findings(source, text, first, reports)
    assert (after, count, len(left), checked) == (text, 0, 40, [])


def test_the_tree_of_a_program_is_walked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """By the readers of the program, whatever they look for."""
    walked: list[ast.AST] = []
    walk = program.walk

    def counted(node: ast.AST) -> list[ast.AST]:
        walked.append(node)
        return walk(node)

    monkeypatch.setattr(program, "walk", counted)
    python_sql(f"x = 1\nspark.sql('{FAULTY}')\n")
    assert [type(node) for node in walked] == [ast.Module]


LONG_LINES: dict[str, Callable[[int], str]] = {
    "dashes": lambda n: "-" * n,
    "blanks in a comment": lambda n: f"-- abc{' ' * n}x",
    "a word and blanks": lambda n: f"-- iceberg-sq{' ' * n}x",
    "a long word": lambda n: "--" + "a-" * n,
}


@pytest.mark.parametrize("shape", LONG_LINES)
def test_a_long_line_is_searched_once_for_ignore_comments(shape: str) -> None:
    few, many = (LONG_LINES[shape](n) for n in (500, 4000))
    assert ratio(lambda: MENTION.search(few), lambda: MENTION.search(many), 24) < 24


def test_a_rule_speaks_once_a_statement() -> None:
    report = check(SHAPES["buckets of one column"](40))
    assert [d.span.row for d in report] == list(range(3, 42))
    (last,) = [d for d in report if d.span.row == 41]
    assert last.message == (
        "`id` is already bucketed, by `bucket(2, id)`, `bucket(3, id)`, `bucket(4, id)` and 36 more"
    )


def laid_over(specs: Specs, schema: Schema) -> tuple[PartitionField, ...]:
    """All fields of all specs whose source column is there, by id, each under its newest name."""
    newest: dict[int, PartitionField] = {}
    for spec in sorted(specs.all_specs, key=lambda spec: -spec.spec_id):
        for field in spec.fields:
            if schema.by_id(field.source_id) is not None:
                newest.setdefault(field.field_id, field)
    return tuple(newest[field_id] for field_id in sorted(newest))


@pytest.mark.parametrize("seed", sampled(range(120), 8))
def test_what_is_carried_on_is_what_is_there(seed: int) -> None:
    """Specs built from scratch equal those that each statement hands to the next."""
    tables = Tables(catalog="local", namespace=("db",), complete=True)
    for statement in history(seed):
        check_and_apply(statement, tables)
        table = tables.get(("t",))
        if not isinstance(table, Table) or table.specs is None or table.schema is None:
            continue
        specs, schema = table.specs, table.schema
        afresh = Specs(specs.all_specs, specs.current, specs.last_field_id, specs.format_version)
        columns = Schema(schema.fields)
        assert set(specs.all_fields) == set(afresh.all_fields)
        assert specs.newest == afresh.newest
        assert specs.sources == afresh.sources
        assert specs.names_differ == afresh.names_differ
        assert specs.spec == afresh.spec
        assert union_fields(specs, schema) == laid_over(afresh, columns)
        assert list(corrupt_fields(specs, schema)) == list(corrupt_fields(afresh, columns))
        assert (schema.columns, schema.ids) == (columns.columns, columns.ids)
        for column in columns.columns:
            name = Random(seed).choice((column.name, column.name.upper()))
            assert schema.find_all((name,)) == columns.find_all((name,))
            assert schema.find((name,)) == columns.find((name,))

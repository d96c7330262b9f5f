"""A candidate spec: the text of a PARTITIONED BY clause, checked by the rules against a table's columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from spark_iceberg_sql.checker.planner import plans
from spark_iceberg_sql.diagnostics import Diagnostic, Report, Severity
from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.model.decimal_steps import steps_text
from spark_iceberg_sql.model.schema import Schema
from spark_iceberg_sql.model.spec import PartitionField, Spec
from spark_iceberg_sql.model.table import Table
from spark_iceberg_sql.model.tables import Tables
from spark_iceberg_sql.safe_output import visible
from spark_iceberg_sql.syntax.identifiers import procedure_name, qualified_name, quoted, string_literal
from spark_iceberg_sql.syntax.lexer import TRIVIA, tokenize

_SOURCE_NAME = "the_source"


@dataclass(frozen=True, slots=True)
class CandidateSpec:
    """A spec that a table might have.

    spec: its fields. text: for PARTITIONED BY; empty for an unpartitioned table. warnings: the rules' warnings about
    it, one line each; they do not refuse it. steps: remarks on the real steps of a decimal's truncate.
    """

    spec: Spec
    text: str
    warnings: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()


def candidate_spec(
    text: str, schema: Schema, *, case_sensitive: bool = False, table: Sequence[str] = ("source",)
) -> CandidateSpec:
    """Read and check the text of a PARTITIONED BY clause.

    text: `days(ts), bucket(16, id)`; empty for an unpartitioned table. schema: the columns, with field ids.
    case_sensitive: Spark's `spark.sql.caseSensitive`. table: its name, for messages.
    Raises IcebergSqlError, with the rules' findings, for a spec that Iceberg or Spark would refuse.
    """
    if not text.strip():
        return CandidateSpec(Spec(0), "")
    _refuse_more_than_a_clause(text)
    catalog = Tables([Table((_SOURCE_NAME,), schema)], complete=True, case_sensitive=case_sensitive)
    name = qualified_name(table)
    statement = f"CREATE TABLE {name} USING iceberg PARTITIONED BY (\n{text}\n) AS SELECT * FROM {_SOURCE_NAME}"
    change_plans = plans(catalog, statement)
    plan = change_plans[0] if len(change_plans) == 1 else None
    if plan is None or plan.after is None:
        raise _refusal(text, change_plans[0].report if change_plans else None)
    fields = tuple(_with_column_id(schema, field, case_sensitive) for field in plan.after.spec.fields)
    warnings = (_summary(d) for d in plan.report if d.severity is Severity.WARNING)
    return CandidateSpec(
        Spec(0, fields), clause(Spec(0, fields), schema), tuple(warnings), tuple(_decimal_steps(fields, schema))
    )


def _decimal_steps(fields: Sequence[PartitionField], schema: Schema) -> Iterator[str]:
    for field in fields:
        column = schema.by_id(field.source_id)
        if column is not None and field.transform.transform.truncates:
            remark = steps_text(field.clause, column.field.type, field.transform.parameter)
            yield from (remark,) if remark is not None else ()


def clause(spec: Spec, schema: Schema) -> str:
    """A spec as the text of PARTITIONED BY, its columns in backticks where needed."""
    return ", ".join(
        field.transform.clause(column_text(field, schema)) for field in spec.fields if not field.transform.is_void
    )


def column_text(field: PartitionField, schema: Schema) -> str:
    """A field's source column as SQL: `ts`, `payload.at`, `` `two words` ``."""
    return qualified_name(column_path(field, schema))


def column_path(field: PartitionField, schema: Schema) -> list[str]:
    """The path of names to a field's source column, outermost first."""
    column = schema.by_id(field.source_id)
    return [field.source] if column is None else list(column.path)


REWRITE_ALL = {"rewrite-all": "true"}  # options of rewrite_data_files


def delete_file_options(*, has_equality_deletes: bool) -> dict[str, str]:
    """The options with which a rewrite removes the delete files of the data files that it rewrites."""
    # With the old number, position deletes of the last commit stay; with a new one, each equality delete that is
    # committed meanwhile is a conflict.
    new_number = {} if has_equality_deletes else {"use-starting-sequence-number": "false"}
    return {"remove-dangling-deletes": "true", **new_number}


def rewrite_call(
    table: Sequence[str], options: Mapping[str, str], sort_args: str = "", procedure: str = "rewrite_data_files"
) -> str:
    """The CALL that rewrites a table's files. table: its name, catalog first. sort_args: more arguments, as text."""
    option_list = ", ".join(string_literal(text) for option in options.items() for text in option)
    arguments = (
        f"table => {string_literal(qualified_name(procedure_name(table)))}{sort_args}, options => map({option_list})"
    )
    return f"CALL {quoted(table[0])}.system.{procedure}({arguments})"


def _with_column_id(schema: Schema, field: PartitionField, case_sensitive: bool) -> PartitionField:
    """The field with the source column's id in the table itself: CREATE TABLE AS assigns new ids."""
    column = schema.find_all(field.source.split("."), case_sensitive=case_sensitive)[0]
    assert column.field.field_id is not None
    return PartitionField(column.field.field_id, column.name, field.transform, field.name, field.field_id)


def _refuse_more_than_a_clause(text: str) -> None:
    """Refuse text that ends the clause early: what follows would be checked as another clause."""
    depth = 0
    for token in (token for token in tokenize(text) if token.kind not in TRIVIA):
        depth += {"(": 1, ")": -1}.get(token.text, 0)
        if depth < 0 or token.text == ";":
            raise IcebergSqlError(
                f"`{text}` is not a list of partition fields: `{token.text}` ends it",
                help="write the fields as in PARTITIONED BY: days(ts), bucket(16, id)",
            )
    if depth:
        raise IcebergSqlError(
            f"`{text}` is not a list of partition fields: a `)` is missing",
            help="write the fields as in PARTITIONED BY: days(ts), bucket(16, id)",
        )


def _refusal(text: str, report: Report | None) -> IcebergSqlError:
    errors = [d for d in report or () if d.severity is Severity.ERROR] or list(report or ())
    lines = [visible(f"the spec `{text}` would be refused")]
    for diagnostic in errors:
        lines.append(_summary(diagnostic))
        if diagnostic.help:
            lines.append("help: " + diagnostic.help.partition(", or select ")[0])  # there is no query to change
    return IcebergSqlError("\n".join(lines), report)


def _summary(diagnostic: Diagnostic) -> str:
    return f"{diagnostic.code}: {diagnostic.message}"

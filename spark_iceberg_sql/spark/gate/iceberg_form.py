"""A statement of Iceberg's grammar in the form that Iceberg's parser takes, wherever Spark's grammar has a statement.

Iceberg's parser reads a text of one statement, without parameter markers, IDENTIFIER(...), hints and names in double
quotes. In a block the statement becomes an EXECUTE IMMEDIATE, whose text the session's parser reads when it runs; an
EXPLAIN of it becomes a query for the text of the plan.
"""

from __future__ import annotations

from collections.abc import Iterable

from spark_iceberg_sql.checker import planner
from spark_iceberg_sql.diagnostics import Edit, apply_edits
from spark_iceberg_sql.model.table import split_name
from spark_iceberg_sql.records import record
from spark_iceberg_sql.spark.bridge.gate.requests import PendingStatement
from spark_iceberg_sql.spark.bridge.jvm import sessions
from spark_iceberg_sql.spark.gate.session_tables import SessionTables
from spark_iceberg_sql.syntax.identifiers import backticked, dotted, string_literal
from spark_iceberg_sql.syntax.lexer import STRINGS, Token, TokenKind, tokenize
from spark_iceberg_sql.syntax.literals import unescape
from spark_iceberg_sql.syntax.partition_statements import (
    PartitionStatement,
    identifier_clauses,
    markers,
    partition_statements,
    without_comments,
)
from spark_iceberg_sql.syntax.script import Statement
from spark_iceberg_sql.syntax.terms import Offsets

# To the check of a block, in place of a statement whose names are known, and which is checked, when it runs.
_LATER = "SELECT 1"


@record(frozen=True, slots=True)
class IcebergForm:
    """The forms of a statement that has statements of Iceberg's grammar, as edits of its text.

    checked: for the check.
    """

    checked: tuple[Edit, ...]
    _parsed: tuple[Edit, ...]
    _is_explained: bool

    def parsed(self, statement: PendingStatement, text: str) -> str:
        """The text for Spark. text: the one of which these are edits."""
        if not self._is_explained:
            return apply_edits(text, self._parsed)
        tables = SessionTables(statement.spark, statement.rows)
        statement_text = apply_edits(text, self.checked)
        plans = planner.plans(tables, statement_text)
        plan_text = str(plans[0]) if plans else f"{statement_text.strip()}\n\nno change of the partitioning"
        return f"SELECT {string_literal(plan_text)} AS plan"


def iceberg_form(statement: PendingStatement, script_statement: Statement) -> IcebergForm | None:
    """The forms of a statement; None if it has no statement of Iceberg's grammar."""
    inner_statements = partition_statements(script_statement)
    if not inner_statements:
        return None
    values = _values(statement, script_statement, inner_statements)
    has_double_quotes = '"' in script_statement.text and sessions.double_quotes_are_names(statement.spark)
    script = script_statement.script
    checked: list[Edit] = []
    parsed: list[Edit] = []
    for inner in inner_statements:
        is_plan = inner.is_explained and not inner.in_block
        edits = [Edit(*hint, " ") for hint in inner.hints if not (is_plan and hint[0] < inner.tokens[0].start)]
        if is_plan:
            checked.append(Edit(inner.start, inner.tokens[0].start, ""))
        clauses = list(identifier_clauses(inner.tokens))
        for start, end in markers(inner.tokens):
            if (start, end) in values and not any(c[0] <= start < c[1] for c, _ in clauses):
                edits.append(Edit(start, end, values[start, end]))
        if has_double_quotes:
            edits += _names_in_backticks(inner.tokens, clauses)
        variables: list[str] = []
        for span, tokens in clauses:
            name = _name(statement, script, tokens, values, in_block=inner.in_block)
            if name is not None:
                edits.append(Edit(*span, dotted(split_name(name))))
            elif inner.in_block:
                variables.append(f"({script[tokens[0].start : tokens[-1].end]}) AS sis_{len(variables) + 1}")
                edits.append(Edit(*span, f"IDENTIFIER(:sis_{len(variables)})"))
        checked += [Edit(inner.start, inner.end, _LATER)] if variables else edits
        if inner.in_block:
            shifted = [Edit(e.start - inner.start, e.end - inner.start, e.text) for e in _ordered(edits)]
            text = without_comments(apply_edits(script[inner.start : inner.end], shifted))
            using = f" USING {', '.join(variables)}" if variables else ""
            parsed.append(Edit(inner.start, inner.end, f"EXECUTE IMMEDIATE {string_literal(text)}{using}"))
        else:
            parsed += edits
    if has_double_quotes and script_statement.compound:
        checked += [
            edit
            for edit in _names_in_backticks(script_statement.tokens)
            if not any(inner.start <= edit.start < inner.end for inner in inner_statements)
        ]
    is_explained = any(inner.is_explained and not inner.in_block for inner in inner_statements)
    return IcebergForm(_ordered(checked), _ordered(parsed), is_explained)


def _ordered(edits: list[Edit]) -> tuple[Edit, ...]:
    return tuple(sorted(edits, key=lambda edit: edit.start))


def _values(
    statement: PendingStatement, script_statement: Statement, inner_statements: list[PartitionStatement]
) -> dict[Offsets, str]:
    """The values of the parameter markers in them, as Spark writes them, by the markers' spans."""
    script = script_statement.script
    spans = [span for inner in inner_statements for span in markers(inner.tokens)]
    if any(script[start] == "?" for start, _ in spans):
        # The value of a `?` is by its number among all of the statement.
        others = [token.span for token in script_statement.tokens if token.text == "?"]
        spans = sorted({*spans, *others})
    if not spans:
        return {}
    edits = statement.parameter_edits(f"SELECT {', '.join(script[start:end] for start, end in spans)}")
    return dict(zip(spans, [edit.text for edit in edits], strict=True)) if len(edits) == len(spans) else {}


def _names_in_backticks(tokens: Iterable[Token], clauses: Iterable[tuple[Offsets, object]] = ()) -> list[Edit]:
    """The edits of the names in double quotes. clauses: the spans in which none are."""
    return [
        Edit(*token.span, backticked(token.text[1:-1].replace('""', '"')))
        for token in tokens
        if token.kind is TokenKind.DOUBLE
        and token.text.startswith('"')
        and not any(start <= token.start < end for (start, end), _ in clauses)
    ]


def _name(
    statement: PendingStatement, script: str, tokens: tuple[Token, ...], values: dict[Offsets, str], *, in_block: bool
) -> str | None:
    """The name that IDENTIFIER(...) is; None if it is not known yet."""
    if not tokens:
        return None
    start = tokens[0].start
    edits = [Edit(*span, values[span]) for span in markers(tokens) if span in values]
    shifted = [Edit(edit.start - start, edit.end - start, edit.text) for edit in edits]
    expression = apply_edits(script[start : tokens[-1].end], shifted)
    literals = [token for token in tokenize(expression) if token.kind not in (TokenKind.SPACE, TokenKind.COMMENT)]
    if all(token.kind in STRINGS for token in literals):
        return "".join(unescape(token.text) for token in literals)
    if in_block:
        return None
    value = statement.rows(f"SELECT CAST(({expression}) AS STRING)", bound=True).first()
    return None if value is None or value[0] is None else str(value[0])

"""Runs the rules on one statement. The result does not depend on settings and comments, so it can be cached."""

from __future__ import annotations

from spark_iceberg_sql.diagnostics import Edit
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.facts.target_context import AlreadyReportedError, UnknownFactError
from spark_iceberg_sql.model.table import RelationKind as TableKind
from spark_iceberg_sql.model.table import Table
from spark_iceberg_sql.records import field, record, replace
from spark_iceberg_sql.rules.base import Finding, Precondition, Rule
from spark_iceberg_sql.rules.registry import ALL
from spark_iceberg_sql.rules.sis002_not_checked import SkippedRule, dialect_note, skipped_note
from spark_iceberg_sql.syntax import nodes
from spark_iceberg_sql.syntax.parser.dialect import indicates_spark
from spark_iceberg_sql.syntax.terms import Name, NamePath, Offsets

_RULES = {kind: tuple(r for r in ALL if kind in r.on) for kind in {k for r in ALL for k in r.on}}

EVERY_CODE = frozenset(rule.code for rule in ALL)
OF_QUERIES = frozenset(rule.code for rule in ALL if nodes.Expressions in rule.on)


@record(frozen=True, slots=True)
class StatementResult:
    """All rule results of one statement, before settings and suppressions.

    span: the statement's offsets. table: the name of its table, if it has one. findings: with their rules.
    skipped_codes: of the rules that could not be checked; note: what they lacked. dialect_note: the note where the text
    may be another engine's. has_exclusive_syntax: the statement has syntax that no other engine has; has_spark_syntax:
    or that Spark and others have. undecided_codes: of the rules that might find something if more were known. errors:
    rules that failed, with the exception.
    """

    span: Offsets
    table: Name | None
    findings: tuple[tuple[Rule, Finding], ...] = ()
    skipped_codes: tuple[str, ...] = ()
    note: Finding | None = None
    dialect_note: Finding | None = None
    has_exclusive_syntax: bool = True
    has_spark_syntax: bool = True
    is_of_spark_alone: bool = False
    undecided_codes: frozenset[str] = frozenset()
    errors: tuple[tuple[str, Exception], ...] = field(default=(), compare=False)

    def shifted(self, distance: int) -> StatementResult:
        """The result of an equal statement at another offset."""
        if not distance:
            return self
        return replace(
            self,
            span=(self.span[0] + distance, self.span[1] + distance),
            findings=tuple((rule, _shifted_finding(finding, distance)) for rule, finding in self.findings),
            note=_shifted_finding(self.note, distance) if self.note is not None else None,
            dialect_note=_shifted_finding(self.dialect_note, distance) if self.dialect_note is not None else None,
        )


def run_rules(context: Context) -> StatementResult:
    """Run each rule that applies to the type of the statement."""
    findings: list[tuple[Rule, Finding]] = []
    skipped: list[SkippedRule] = []
    errors: list[tuple[str, Exception]] = []
    precondition_values: dict[Precondition, bool] = {}
    undecided: set[str] = set()
    for rule in _RULES.get(type(context.node), ()):
        if rule.when is not None:
            if rule.when not in precondition_values:
                precondition_values[rule.when] = _holds(rule.when, context)
            if not precondition_values[rule.when]:
                continue
        try:
            for finding in rule.check(context):
                # IF NOT EXISTS and the table exists: only errors count that Spark raises before it looks for the table.
                if context.is_noop_if_exists and not finding.early:
                    continue
                if rule.iceberg_only and context.has_uncertain_kind:
                    reason = "it has no USING, and no catalog is named"
                    raise UnknownFactError("whether this is an Iceberg table", reason)
                findings.append((rule, _keep_comments(rule, finding, context)))
        except UnknownFactError as unknown_fact:
            skipped.append(SkippedRule(rule, unknown_fact.fact, unknown_fact.reason))
        except AlreadyReportedError:
            undecided.add(rule.code)
        except Exception as error:
            errors.append((rule.code, error))
    table = getattr(context.node, "table", None)
    has_results = bool(findings or skipped)
    undecided.update(item.rule.code for item in skipped)
    return StatementResult(
        context.node.span,
        table.parts if isinstance(table, NamePath) else None,
        tuple(findings),
        tuple(sorted({item.rule.code for item in skipped})),
        skipped_note(context, skipped) if skipped else None,
        dialect_note(context) if has_results else None,
        has_exclusive_syntax=has_results and indicates_spark(context.node, is_exclusive=True),
        has_spark_syntax=has_results and indicates_spark(context.node),
        is_of_spark_alone=isinstance(context.node, nodes.SparkText),
        undecided_codes=EVERY_CODE if _is_uncertain(context) else frozenset(undecided),
        errors=tuple(errors),
    )


def _is_uncertain(context: Context) -> bool:
    """True if so little is known that rules may silently have found nothing."""
    node = context.node
    if isinstance(node, nodes.Templated | nodes.InvalidStatement):
        return True
    try:
        if isinstance(node, nodes.Create):
            return context.target.is_computed or (node.query is not None and not context.schema)
        if not isinstance(getattr(node, "table", None), NamePath):
            return False
        table = context.table
    except Exception:
        return True
    if not isinstance(table, Table):
        return table is None
    unknown = table.schema is None or table.specs is None or not table.is_certain
    return table.kind is TableKind.ICEBERG and (unknown or table.is_partial)


def _holds(precondition: Precondition, context: Context) -> bool:
    """True if a rule may find something; also if its precondition fails, since the rule itself then reports why."""
    try:
        return precondition(context)
    except Exception:
        return True


def _keep_comments(rule: Rule, finding: Finding, context: Context) -> Finding:
    """The finding; without its fix if that would delete a comment that is not the problem itself."""
    if finding.fix is None or rule.removes_comments:
        return finding
    removes_comment = any(context.statement.has_comment(edit.start, edit.end) for edit in finding.fix.edits)
    return replace(finding, fix=None) if removes_comment else finding


def _shifted_finding(finding: Finding, distance: int) -> Finding:
    edits = finding.fix.edits if finding.fix is not None else ()
    shifted_edits = tuple(Edit(edit.start + distance, edit.end + distance, edit.text) for edit in edits)
    fix = replace(finding.fix, edits=shifted_edits) if finding.fix is not None else None
    return replace(finding, span=(finding.span[0] + distance, finding.span[1] + distance), fix=fix)

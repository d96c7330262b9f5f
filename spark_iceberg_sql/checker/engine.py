"""The check of one SQL text: split it, parse each statement, run the rules, apply its effect to the catalog state.

The catalog state that a rule sees is the one after all earlier statements. Suppressions come last, since only then it
is known which of them were used.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence, Set

from spark_iceberg_sql.checker.flow import SideEffect, control_flow, ordered_steps
from spark_iceberg_sql.checker.reporting import DiagnosticCollector, SeverityPolicy
from spark_iceberg_sql.checker.rule_runner import EVERY_CODE, OF_QUERIES, StatementResult, run_rules
from spark_iceberg_sql.checker.statement_cache import StatementCache
from spark_iceberg_sql.checker.suppressions import Suppression, parse_suppressions
from spark_iceberg_sql.diagnostics import Lines, Report
from spark_iceberg_sql.facts.context import Context, SearchCost
from spark_iceberg_sql.facts.function_calls import may_be_query
from spark_iceberg_sql.facts.replay import apply_intent, replay
from spark_iceberg_sql.files.source_map import BranchRange
from spark_iceberg_sql.lazy import regex
from spark_iceberg_sql.model.engines import BY_NAME, Engine
from spark_iceberg_sql.model.table import Name
from spark_iceberg_sql.model.tables import Tables
from spark_iceberg_sql.records import field, record, replace
from spark_iceberg_sql.rules.base import Event
from spark_iceberg_sql.rules.registry import reporter
from spark_iceberg_sql.syntax import grammar, nodes, parser
from spark_iceberg_sql.syntax.script import Statement, statements
from spark_iceberg_sql.syntax.terms import NamePath, Offsets

# Called with each statement and the tables known before it; must not modify them.
Visit = Callable[[Statement, Tables], None]


@record(frozen=True, slots=True)
class TextOrigin:
    """The origin of a text: its engine, the host program, and the branches its statements are in.

    is_spark: the statements are certainly Spark's. is_other_engine: they probably go to another engine.
    in_program: they are inside a program, which may create and drop tables too. side_effects: the offsets at which it
    does, with the tables; None for any table. branches: the ranges of the text whose statements do not follow all
    earlier ones.
    suppressions: those in comments of the program. placeholder_ranges: the ranges of the text that a template or the
    program fills in, in order. in_strings: the text is in strings of a program, where no comment excludes the file.
    is_document: it shows SQL of possibly several engines.
    """

    is_spark: bool = False
    is_other_engine: bool = False
    in_program: bool = False
    side_effects: tuple[SideEffect, ...] = ()
    branches: tuple[BranchRange, ...] = ()
    suppressions: tuple[Suppression, ...] = ()
    placeholder_ranges: tuple[Offsets, ...] = ()
    in_strings: bool = False
    is_document: bool = False


UNKNOWN_ORIGIN = TextOrigin()
# `-- dialect: athena`; sqlfluff's own comment names it in the same way.
_DIALECT = regex(r"^[ \t]*--[ \t]*(?:sqlfluff:)?dialect:[ \t]*(?P<name>\w+)[ \t\r]*$", re.IGNORECASE | re.MULTILINE)
TEMPLATE_MARK = regex(r"\{\{|\{%|\$\{")


def check(
    text: str,
    catalog: Tables | None = None,
    *,
    filename: str | None = None,
    severity_policy: SeverityPolicy | None = None,
    is_routed: bool = False,
    before_execution: bool = False,
    origin: TextOrigin = UNKNOWN_ORIGIN,
    statement_cache: StatementCache | None = None,
) -> Report:
    """`api.check`, with more parameters for callers inside the package.

    severity_policy: gives another severity for a finding, or None to hide it. is_routed: the statements reach Spark
    through `syntax.routing`, so that no comment misleads Iceberg's parser. before_execution: the statements are about
    to run: then no comment suppresses an error. origin: of the text. statement_cache: results of an earlier version of
    the text, with the same `catalog` and `is_routed`.
    """
    return check_and_apply(
        text,
        catalog.copy() if catalog is not None else Tables(),
        filename=filename,
        severity_policy=severity_policy,
        is_routed=is_routed,
        before_execution=before_execution,
        origin=origin,
        statement_cache=statement_cache,
    )


def check_and_apply(
    text: str,
    catalog: Tables,
    *,
    filename: str | None = None,
    severity_policy: SeverityPolicy | None = None,
    is_routed: bool = False,
    before_execution: bool = False,
    origin: TextOrigin = UNKNOWN_ORIGIN,
    statement_cache: StatementCache | None = None,
    visit: Visit | None = None,
) -> Report:
    """Check a text as `check` does, and leave its statements' effects in `catalog`.
    visit: called before each statement.
    """
    followed = grammar.follow(catalog.spark)
    try:
        return _check_and_apply(
            text,
            catalog,
            filename,
            severity_policy,
            origin,
            statement_cache,
            visit,
            is_routed=is_routed,
            before_execution=before_execution,
        )
    finally:
        grammar.end(followed)


def _check_and_apply(
    text: str,
    catalog: Tables,
    filename: str | None,
    severity_policy: SeverityPolicy | None,
    origin: TextOrigin,
    statement_cache: StatementCache | None,
    visit: Visit | None,
    *,
    is_routed: bool,
    before_execution: bool,
) -> Report:
    if statement_cache is not None:
        statement_cache.begin_check()
    lines = Lines(text)
    script_statements = statement_cache.statements(text) if statement_cache is not None else statements(text)
    spans = [(s.start, s.end) for s in script_statements]
    suppressions = parse_suppressions(text, lines, spans, in_strings=origin.in_strings)
    if suppressions.skip_file and not before_execution:
        return Report(text, (), filename, len(script_statements), lines)
    suppressions = replace(suppressions, host_comments=origin.suppressions)
    configured_engine = catalog.engine
    if not before_execution:  # what is about to run in Spark is Spark's
        catalog.engine = _engine_in_comment(text, script_statements) or configured_engine
    catalog.shared = catalog.shared or origin.in_program
    is_spark = None if origin.is_other_engine else origin.is_spark or catalog.says_anything
    run = _CheckRun(
        lines,
        catalog,
        suppressions,
        severity_policy,
        script_statements,
        is_spark,
        before_execution=before_execution,
        is_document=origin.is_document,
        is_routed=is_routed,
        statement_cache=statement_cache,
        placeholder_ranges=origin.placeholder_ranges,
    )
    script_steps = ordered_steps(script_statements, origin.side_effects)
    flow = control_flow(catalog, script_steps, origin.branches) if origin.branches else None
    for script_step in script_steps:
        if flow is not None:
            flow.advance()
            run.catalog = flow.catalog
        if isinstance(script_step, Statement):
            if visit is not None:
                visit(script_step, run.catalog)
            run.check_statement(script_step)
            script_step.release_tokens()
        else:
            run.apply_side_effects(script_step[1])
    if flow is not None:
        flow.end()
    run.emit_dialect_note()
    catalog.engine = run.catalog.engine = configured_engine
    suppressions.keep_undecided(spans, run.open_codes)
    for suppression in suppressions.own_comments:
        for finding in suppression.findings():
            run.emit(reporter(Event.UNUSED_IGNORE), finding)
    run.diagnostics.sort(key=lambda d: (d.span.start, d.code, d.span.end))
    return Report(text, tuple(run.diagnostics), filename, len(script_statements), lines)


def _engine_in_comment(text: str, script_statements: Sequence[Statement]) -> Engine | None:
    """The engine that a comment before the first statement names."""
    head = text[: script_statements[0].start] if script_statements else ""
    match = _DIALECT.search(head) if "dialect" in head.lower() else None
    return None if match is None else BY_NAME.get(match["name"].lower())


@record()
class _CheckRun(DiagnosticCollector):
    """The state of one check."""

    is_routed: bool = False
    statement_cache: StatementCache | None = None
    placeholder_ranges: Sequence[Offsets] = ()  # as in `TextOrigin`
    # The codes of the rules that could not decide, by the statement's number, if there are ignore comments.
    _undecided_by_number: dict[int, Set[str]] = field(default_factory=dict)
    _statement_number: int = 0
    _compared: SearchCost = field(default_factory=SearchCost)

    def open_codes(self, number: int) -> Set[str]:
        """The codes of the rules that could not decide about a statement."""
        statement, codes = self.statements[number], self._undecided_by_number.get(number, set())
        if self._is_filled_in(statement):
            return EVERY_CODE
        if not may_be_query(statement):
            return codes
        tables = (table for table in self.catalog.known if table.schema is not None)
        reads_table = any(statement.may_contain(table.name[-1].lower()) for table in tables)
        return codes if reads_table else codes | OF_QUERIES

    def _is_filled_in(self, statement: Statement) -> bool:
        """True if a template or a program completes a statement."""
        index = bisect_right(self.placeholder_ranges, (statement.end, statement.end))
        is_touched = index > 0 and self.placeholder_ranges[index - 1][1] >= statement.start
        return is_touched or TEMPLATE_MARK.search(statement.text) is not None

    def apply_side_effects(self, names: tuple[Name, ...] | None) -> None:
        """Mark the tables unknown that the program creates, changes or drops without SQL."""
        if names is None:
            self.catalog.unsettle_below(())
        self.catalog.unsettle(*map(self.catalog.full_name, names or ()))

    def check_statement(self, statement: Statement) -> None:
        """Check a statement, and apply its effect to the catalog state."""
        self._check_or_reuse(statement)
        if self.undecided_codes and (self.suppressions.own_comments or self.suppressions.host_comments):
            self._undecided_by_number[self._statement_number] = self.undecided_codes
            self.undecided_codes = set()
        self._statement_number += 1

    def _check_or_reuse(self, statement: Statement) -> None:
        cached = self.statement_cache.find(statement, self.catalog) if self.statement_cache is not None else None
        if cached is None:
            self._check_and_store(statement)
            return
        shifted_results = [result.shifted(statement.start - cached.start) for result in cached.results]
        is_accepted = False not in [self.report_statement(result) for result in shifted_results]
        # Repeat the recorded effect only if the statement is accepted, or not, as when it was recorded.
        node = parser.parse(statement) if is_accepted != cached.is_accepted else None
        if node is None or isinstance(node, nodes.Other):
            self.catalog.repeat(cached.access_record)
        else:  # a comment suppresses its error now, or no longer does
            self._apply_effect(self._context(node, statement), is_accepted=is_accepted)

    def _check_and_store(self, statement: Statement) -> None:
        if self.statement_cache is None:
            self._check_uncached(statement)
            return
        crash_count = len(self.crash_keys)
        with self.catalog.recorded() as access_record:
            results, is_accepted = self._check_uncached(statement)
        if access_record.is_repeatable and len(self.crash_keys) == crash_count:
            self.statement_cache.store(statement, results, access_record, is_accepted=is_accepted)

    def _check_uncached(self, statement: Statement) -> tuple[tuple[StatementResult, ...], bool]:
        """Check a statement without the cache; returns its results, and true if it is assumed to run."""
        try:
            node = parser.parse(statement)
        except Exception as error:
            self.emit_internal_error((statement.start, statement.end), "the reader", error)
            return (), True
        results, is_accepted = self._check_query(statement)
        context = self._context(node, statement)
        if not isinstance(node, nodes.Other):
            result, runs = self._run_rules(context)
            results, is_accepted = (*results, result), is_accepted and runs
        if is_accepted and self._is_read_by_spark(node, statement):
            result, is_accepted = self._run_rules(self._context(nodes.SparkText(node.span), statement))
            results = (*results, result)
        if isinstance(node, nodes.Other):
            self.catalog.another()
        else:
            self._apply_effect(context, is_accepted=is_accepted)
            context.forget()
        return results, is_accepted

    def _is_read_by_spark(self, node: nodes.Node, statement: Statement) -> bool:
        """Whether to ask Spark's own grammar; in a session, its parser itself is asked."""
        is_elsewhere = self.is_routed or self.catalog.live or self.is_document
        if is_elsewhere or isinstance(node, nodes.InvalidStatement | nodes.Templated):
            return False
        return not self._is_filled_in(statement)

    def _check_query(self, statement: Statement) -> tuple[tuple[StatementResult, ...], bool]:
        """Check the functions and filters of a statement; in a session, Spark itself does."""
        if self.is_routed or not may_be_query(statement):
            return (), True
        result, runs = self._run_rules(self._context(nodes.Expressions((statement.start, statement.end)), statement))
        return (result,), runs

    def _context(self, node: nodes.Node, statement: Statement) -> Context:
        return Context(self.lines.text, node, self.catalog, statement, self.is_routed, search_cost=self._compared)

    def _apply_effect(self, context: Context, *, is_accepted: bool) -> None:
        """Apply a statement's effect to the catalog state: as it runs, or, if it has an error, as intended."""
        if isinstance(context.node, nodes.Immediate):
            context = replace(context, node=context.node.inside)
        try:
            (replay if is_accepted else apply_intent)(context)
        except Exception as error:  # a table whose change cannot be tracked becomes unknown
            self.emit_internal_error(context.node.span, "the replay", error)
            table = getattr(context.node, "table", None)
            if isinstance(table, NamePath):
                context.catalog.forget(table.parts)

    def _run_rules(self, context: Context) -> tuple[StatementResult, bool]:
        """Run the rules and report their findings; returns the result, and true if there is no error."""
        if isinstance(context.node, nodes.Immediate):
            return self._run_rules(replace(context, node=context.node.inside))
        result = run_rules(context)
        is_accepted = self.report_statement(result)
        # The statements inside EXPLAIN do not run; those of a block are checked one by one.
        if isinstance(context.node, nodes.Compound):
            inner_catalog = self.catalog.copy()
            for node in context.node.inside:
                inner_context = replace(context, node=node, catalog=inner_catalog)
                _, runs = self._run_rules(inner_context)
                self._apply_effect(inner_context, is_accepted=runs)
                is_accepted = is_accepted and runs
        return result, is_accepted

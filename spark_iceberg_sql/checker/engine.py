"""check(text, known) -> Report: split, read, judge what can be judged, follow the script, apply ignores."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property

from spark_iceberg_sql.checker.flow import Made, flow_through, in_order
from spark_iceberg_sql.checker.suppressions import Ignore, Ignores, ignores_of
from spark_iceberg_sql.diagnostics import Diagnostic, Lines, Report, Severity
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.facts.function_calls import QUERIES
from spark_iceberg_sql.facts.replay import meant, replay
from spark_iceberg_sql.facts.target import AlreadyReportedError, NotKnownError
from spark_iceberg_sql.files.source_map import Stretch
from spark_iceberg_sql.model.table import Name, Tables
from spark_iceberg_sql.rules import ALL
from spark_iceberg_sql.rules.base import Finding, Rule
from spark_iceberg_sql.rules.sis000_internal_error import broken, internal_error
from spark_iceberg_sql.rules.sis002_not_checked import Skipped, elsewhere, not_checked, note
from spark_iceberg_sql.rules.sis003_unused_ignore import unused_ignore
from spark_iceberg_sql.rules.sis004_misrouted_statement import misrouted_statement
from spark_iceberg_sql.syntax import nodes, parser
from spark_iceberg_sql.syntax.lexer import Kind
from spark_iceberg_sql.syntax.parser.dialect import Words, is_sparks, words_of
from spark_iceberg_sql.syntax.script import Statement, statements
from spark_iceberg_sql.syntax.terms import Offsets, Ref

_RULES = {kind: tuple(r for r in ALL if kind in r.on) for kind in {k for r in ALL for k in r.on}}

# Rules that apply only to Iceberg tables.
_ICEBERGS = frozenset({"SIS205", "SIS206", "SIS208", "SIS209", "SIS211", "SIS411"})

# A diagnostic's effective severity, from its code and its own severity; None to omit it.
Verdict = Callable[[str, Severity], Severity | None]


@dataclass(frozen=True, slots=True)
class Around:
    """What is known about the origin of a text.

    spark: whether its statements are certainly Spark's. elsewhere: whether they are given to another engine, as
    far as is known. program: whether they are inside a program, which may create and drop tables too. made:
    where it does, by offset in the text, and which; None for any. arms: the ranges of the text whose statements
    do not follow all earlier ones. ignores: the comments of the program that apply to it.
    """

    spark: bool = False
    elsewhere: bool = False
    program: bool = False
    made: tuple[Made, ...] = ()
    arms: tuple[Stretch, ...] = ()
    ignores: tuple[Ignore, ...] = ()


NOWHERE = Around()


def check(
    text: str,
    known: Tables | None = None,
    *,
    filename: str | None = None,
    verdict: Verdict | None = None,
    repaired: bool = False,
    around: Around = NOWHERE,
) -> Report:
    """`api.check`, with more parameters for callers inside the package.

    verdict: gives another severity for a finding, or None to hide it. repaired: whether the statements reach
    Spark through `syntax.routing`, so that no comment misleads Iceberg's parser. around: the origin of the text.
    """
    known = known.copy() if known is not None else Tables()
    return _check(text, known, filename, verdict, repaired=repaired, around=around)


def follow(text: str, known: Tables, *, around: Around = NOWHERE) -> Report:
    """Like `check`, but the statements' effects stay in `known`."""
    return _check(text, known, around=around)


def _check(
    text: str,
    known: Tables,
    filename: str | None = None,
    verdict: Verdict | None = None,
    *,
    repaired: bool = False,
    around: Around = NOWHERE,
) -> Report:
    lines = Lines(text)
    found = statements(text)
    ignores = ignores_of(text, lines, [(s.start, s.end) for s in found])
    if ignores.skip_file:
        return Report(text, (), filename, len(found), lines)
    ignores = replace(ignores, beside=around.ignores)
    known.shared = known.shared or around.program
    spoken = None if around.elsewhere else around.spark or known.says_anything
    run = _Run(lines, known, ignores, verdict, repaired, found, spoken)
    steps = in_order(found, around.made)
    flow = flow_through(known, steps, around.arms) if around.arms else None
    for step in steps:
        if flow is not None:
            flow.step()
            run.known = flow.known
        if isinstance(step, Statement):
            run.statement(step)
        else:
            run.made_elsewhere(step[1])
    if flow is not None:
        flow.end()
    run.say_doubt()
    for ignore in ignores.every:
        for finding in ignore.findings():
            run.say(unused_ignore, finding)
    run.diagnostics.sort(key=lambda d: (d.span.start, d.code, d.span.end))
    return Report(text, tuple(run.diagnostics), filename, len(found), lines)


@dataclass
class _Run:
    """One check under way."""

    lines: Lines
    known: Tables
    ignores: Ignores
    verdict: Verdict | None
    repaired: bool
    statements: list[Statement]
    # Whether the origin of the text indicates Spark; None if it indicates another engine.
    spoken: bool | None
    diagnostics: list[Diagnostic] = field(default_factory=list)
    # The single note if the text may be another engine's: whether it replaces an error, and of which statement.
    doubted: tuple[bool, Context, tuple[Skipped, ...]] | None = None
    doubts: int = 0  # statements that it covers
    faults: set[tuple[object, ...]] = field(default_factory=set)
    noted: dict[tuple[object, ...], int] = field(default_factory=dict)

    @cached_property
    def words(self) -> Words:
        """The dialects that the text indicates."""
        return words_of(self.lines.text, self.statements)

    def made_elsewhere(self, names: tuple[Name, ...] | None) -> None:
        """Apply the effect of a place where the program creates, changes or drops tables."""
        if names is None:
            self.known.unsettle_below(())
        self.known.unsettle(*map(self.known.full_name, names or ()))

    def statement(self, statement: Statement) -> None:
        """Check a statement, and apply its effect to the known tables."""
        try:
            node = parser.read(statement)
        except Exception as fault:
            self.broke((statement.start, statement.end), "the reader", fault)
            return
        right = self._query(statement)
        if isinstance(node, nodes.Other):
            self.known.others += 1
            return
        context = Context(self.lines.text, node, self.known, statement, self.repaired)
        self._carry_on(context, fine=self._judge(context) and right)

    def _query(self, statement: Statement) -> bool:
        """Check the functions and filters of a statement; in a session, Spark itself does."""
        span = statement.start, statement.end
        if self.repaired or QUERIES.search(statement.script, *span) is None:
            return True
        query = nodes.Query(span)
        return self._judge(Context(self.lines.text, query, self.known, statement))

    def _carry_on(self, context: Context, *, fine: bool) -> None:
        """Apply a statement's effect to the known tables: as it runs, or as intended."""
        if isinstance(context.node, nodes.Immediate):
            context = replace(context, node=context.node.inside)
        try:
            (replay if fine else meant)(context)
        except Exception as fault:  # a table whose change cannot be tracked becomes unknown
            self.broke(context.node.span, "the replay", fault)
            table = getattr(context.node, "table", None)
            if isinstance(table, Ref):
                context.known.forget(table.parts)

    def _judge(self, context: Context) -> bool:
        """Report the findings of the rules; returns whether there is no error among them."""
        fine = True
        if isinstance(context.node, nodes.Immediate):
            return self._judge(replace(context, node=context.node.inside))
        skipped: list[Skipped] = []
        before = len(self.diagnostics)
        for rule in _RULES.get(type(context.node), ()):
            fine = self._ask(rule, context, skipped) and fine
        if (skipped or len(self.diagnostics) > before) and not self._speaks(context):
            ours = [d for d in self.diagnostics[before:] if d.code == internal_error.code]
            fault = len(self.diagnostics) > before + len(ours)
            self.diagnostics[before:] = ours
            self.doubts += 1
            if self.doubted is None or (fault and not self.doubted[0]):
                self.doubted = fault, context, tuple(skipped)
        elif skipped:
            self._note(context, skipped)
        # The statements inside EXPLAIN do not run; those of a block are checked one by one.
        if isinstance(context.node, nodes.Compound):
            inner = self.known.copy()
            for node in context.node.inside:
                inside = Context(context.text, node, inner, context.statement, context.repaired)
                runs = self._judge(inside)
                self._carry_on(inside, fine=runs)
                fine = fine and runs
        return fine

    def say_doubt(self) -> None:
        """The one note of a text that may be another engine's."""
        if self.doubted is None:
            return
        fault, context, skipped = self.doubted
        before = len(self.diagnostics)
        if fault:
            self.say(not_checked, elsewhere(context))
        else:
            self._note(context, list(skipped))
        if len(self.diagnostics) > before:
            self.diagnostics[-1] = replace(self.diagnostics[-1], statements=self.doubts)

    def _speaks(self, context: Context) -> bool:
        """Whether the statement is Spark's or Iceberg's, as far as is known."""
        if self.spoken or is_sparks(context.node, alone=True):
            return True
        if Words.SPARKS in self.words:
            return True
        if self.spoken is None or Words.OTHERS in self.words:
            return False
        return is_sparks(context.node) or Words.SHARED in self.words

    def _ask(self, rule: Rule, context: Context, skipped: list[Skipped]) -> bool:
        fine = True
        try:
            for finding in rule.judge(context):
                if context.hidden and not finding.early:
                    continue
                if rule.code in _ICEBERGS and context.of_unsure_kind:
                    why = "it has no USING, and no catalog is named"
                    raise NotKnownError("whether it is an Iceberg table", why)
                fine = self.say(rule, _without_comments(rule, finding, context)) and fine
        except NotKnownError as unknown:
            skipped.append(Skipped(rule, unknown.what, unknown.why))
        except AlreadyReportedError:
            pass
        except Exception as fault:
            self.broke(context.node.span, rule.code, fault)
        return fine

    def _note(self, context: Context, skipped: list[Skipped]) -> None:
        """Report what a statement's rules lacked, or count the statement if that is already reported for its
        table.
        """
        finding = note(context, skipped)
        table = getattr(context.node, "table", None)
        name = self.known.full_name(table.parts) if isinstance(table, Ref) else context.node.span
        key = (name, finding.message.partition(": ")[2])
        codes = tuple(sorted({item.rule.code for item in skipped}))
        before = len(self.diagnostics)
        self.say(not_checked, finding)
        if len(self.diagnostics) == before:
            return  # suppressed by the settings or a comment
        said = self.diagnostics.pop()
        at = self.noted.setdefault(key, before)
        if at < before:
            said = self.diagnostics[at]
            codes = tuple(sorted({*said.skipped, *codes}))
            self.diagnostics[at] = replace(said, skipped=codes, statements=said.statements + 1)
        else:
            self.diagnostics.append(replace(said, skipped=codes))

    def broke(self, span: Offsets, where: str, fault: Exception) -> None:
        """Report an internal error, which no setting and no comment suppresses; the statement may run."""
        mark = (span, type(fault), str(fault))
        if mark not in self.faults:  # a broken fact breaks all rules that use it in the same way
            self.faults.add(mark)
            self.say(internal_error, broken(span, where, fault))

    def say(self, rule: Rule, finding: Finding) -> bool:
        """Report a finding; returns whether the statement can be assumed to run anyway."""
        own = finding.severity or rule.severity
        ours = rule is internal_error
        severity = own if ours or self.verdict is None else self.verdict(rule.code, own)
        if severity is None:
            return True
        diagnostic = Diagnostic(
            code=rule.code,
            name=rule.name,
            severity=severity,
            message=finding.message,
            span=self.lines.span(*finding.span),
            help=finding.help,
            fix=finding.fix,
            spec=rule.spec,
        )
        if not ours and rule is not unused_ignore and self.ignores.silence(diagnostic):
            return True
        self.diagnostics.append(diagnostic)
        return ours or own is not Severity.ERROR


def _without_comments(rule: Rule, finding: Finding, context: Context) -> Finding:
    """The finding; without its fix if that would remove an unrelated comment."""
    if finding.fix is None or rule is misrouted_statement:
        return finding
    comments = [t.start for t in context.statement.all_tokens if t.kind is Kind.COMMENT]
    taken = any(edit.start <= at < edit.end for edit in finding.fix.edits for at in comments)
    return replace(finding, fix=None) if taken else finding

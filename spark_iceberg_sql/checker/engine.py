"""The check of one SQL text: split it, parse each statement, run the rules, apply its effect to the catalog
state.

The catalog state that a rule sees is the one after all earlier statements. Suppressions come last, since
only then it
is known which of them were used.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence, Set

from spark_iceberg_sql.checker.flow import Made, flow_through, in_order
from spark_iceberg_sql.checker.judging import EVERY_CODE, OF_QUERIES, Judgement, judge
from spark_iceberg_sql.checker.memo import Memo
from spark_iceberg_sql.checker.reporting import Reporting, Verdict
from spark_iceberg_sql.checker.suppressions import Ignore, ignores_of
from spark_iceberg_sql.diagnostics import Lines, Report
from spark_iceberg_sql.facts.context import Compared, Context
from spark_iceberg_sql.facts.function_calls import may_be_query
from spark_iceberg_sql.facts.replay import meant, replay
from spark_iceberg_sql.files.source_map import Stretch
from spark_iceberg_sql.lazy import regex
from spark_iceberg_sql.model.table import Name
from spark_iceberg_sql.model.tables import Tables
from spark_iceberg_sql.records import field, record, replace
from spark_iceberg_sql.rules.base import Event
from spark_iceberg_sql.rules.registry import reporter
from spark_iceberg_sql.syntax import nodes, parser
from spark_iceberg_sql.syntax.script import Statement, statements
from spark_iceberg_sql.syntax.terms import Offsets, Ref

# Called with each statement and the tables known before it; must not modify them.
Visit = Callable[[Statement, Tables], None]


@record(frozen=True, slots=True)
class Around:
    """The origin of a text: its engine, the host program, and the branches its statements are in.

    is_spark: the statements are certainly Spark's. is_other_engine: they probably go to another engine.
    in_program: they
    are inside a program, which may create and drop tables too. side_effects: the offsets at which it does,
    with the
    tables; None for any table. branches: the ranges of the text whose statements do not follow all earlier ones.
    suppressions: those in comments of the program. placeholder_ranges: the ranges of the text that a template
    or the
    program fills in, in order. in_strings: the text is in strings of a program, where no comment excludes the
    file.
    """

    spark: bool = False
    elsewhere: bool = False
    program: bool = False
    made: tuple[Made, ...] = ()
    arms: tuple[Stretch, ...] = ()
    ignores: tuple[Ignore, ...] = ()
    filled: tuple[Offsets, ...] = ()
    strings: bool = False


NOWHERE = Around()
TEMPLATED = regex(r"\{\{|\{%|\$\{")


def check(
    text: str,
    known: Tables | None = None,
    *,
    filename: str | None = None,
    verdict: Verdict | None = None,
    repaired: bool = False,
    binding: bool = False,
    around: Around = NOWHERE,
    memo: Memo | None = None,
) -> Report:
    """`api.check`, with more parameters for callers inside the package.

    severity_policy: gives another severity for a finding, or None to hide it. is_routed: the statements reach
    Spark through `syntax.routing`, so that no comment misleads Iceberg's parser. before_execution: the statements
    are about to run: then no comment suppresses an error. origin: of the text. statement_cache: results of
    an earlier version of the text, with the same `catalog` and `is_routed`.
    """
    known = known.copy() if known is not None else Tables()
    return _check(
        text,
        known,
        filename,
        verdict,
        repaired=repaired,
        binding=binding,
        around=around,
        memo=memo,
    )


def follow(
    text: str,
    known: Tables,
    *,
    binding: bool = False,
    around: Around = NOWHERE,
    memo: Memo | None = None,
    visit: Visit | None = None,
) -> Report:
    """Check a text and leave its statements' effects in `catalog`. visit: called before each statement."""
    return _check(text, known, binding=binding, around=around, memo=memo, visit=visit)


def _check(
    text: str,
    known: Tables,
    filename: str | None = None,
    verdict: Verdict | None = None,
    *,
    repaired: bool = False,
    binding: bool = False,
    around: Around = NOWHERE,
    memo: Memo | None = None,
    visit: Visit | None = None,
) -> Report:
    if memo is not None:
        memo.begin()
    lines = Lines(text)
    found = memo.statements(text) if memo is not None else statements(text)
    spans = [(s.start, s.end) for s in found]
    ignores = ignores_of(text, lines, spans, in_strings=around.strings)
    if ignores.skip_file and not binding:
        return Report(text, (), filename, len(found), lines)
    ignores = replace(ignores, beside=around.ignores)
    known.shared = known.shared or around.program
    spoken = None if around.elsewhere else around.spark or known.says_anything
    run = _Run(
        lines,
        known,
        ignores,
        verdict,
        found,
        spoken,
        binding=binding,
        repaired=repaired,
        memo=memo,
    )
    steps = in_order(found, around.made)
    flow = flow_through(known, steps, around.arms) if around.arms else None
    for step in steps:
        if flow is not None:
            flow.step()
            run.known = flow.known
        if isinstance(step, Statement):
            if visit is not None:
                visit(step, run.known)
            run.statement(step)
            step.forget()
        else:
            run.made_elsewhere(step[1])
    if flow is not None:
        flow.end()
    run.say_doubt()
    ignores.leave_open(spans, lambda number: run.left_open(number, around.filled))
    for ignore in ignores.every:
        for finding in ignore.findings():
            run.say(reporter(Event.UNUSED_IGNORE), finding)
    run.diagnostics.sort(key=lambda d: (d.span.start, d.code, d.span.end))
    return Report(text, tuple(run.diagnostics), filename, len(found), lines)


@record()
class _Run(Reporting):
    """The state of one check."""

    repaired: bool = False
    memo: Memo | None = None
    # The codes of the rules that could not decide, by the statement's number, if there are ignore comments.
    _open: dict[int, Set[str]] = field(default_factory=dict)
    _number: int = 0
    _compared: Compared = field(default_factory=Compared)

    def left_open(self, number: int, filled: Sequence[Offsets]) -> Set[str]:
        """The codes of the rules that could not decide about a statement. placeholder_ranges: as in `TextOrigin`."""
        statement, codes = self.statements[number], self._open.get(number, set())
        at = bisect_right(filled, (statement.end, statement.end))
        if (at and filled[at - 1][1] >= statement.start) or TEMPLATED.search(statement.text):
            return EVERY_CODE
        if not may_be_query(statement):
            return codes
        tables = (table for table in self.known.known if table.schema is not None)
        reads = any(statement.says(table.name[-1].lower()) for table in tables)
        return codes if reads else codes | OF_QUERIES

    def made_elsewhere(self, names: tuple[Name, ...] | None) -> None:
        """Mark the tables unknown that the program creates, changes or drops without SQL."""
        if names is None:
            self.known.unsettle_below(())
        self.known.unsettle(*map(self.known.full_name, names or ()))

    def statement(self, statement: Statement) -> None:
        """Check a statement, and apply its effect to the catalog state."""
        self._read(statement)
        if self.undecided and (self.ignores.every or self.ignores.beside):
            self._open[self._number] = self.undecided
            self.undecided = set()
        self._number += 1

    def _read(self, statement: Statement) -> None:
        earlier = self.memo.find(statement, self.known) if self.memo is not None else None
        if earlier is None:
            if self.memo is None:
                self._anew(statement)
            else:
                self._remember(statement, self.memo)
            return
        fine = True
        for found in earlier.judgements:
            fine = self.tell(found.moved(statement.start - earlier.start)) and fine
        # Repeat the recorded effect only if the statement is accepted, or not, as when it was recorded.
        node = parser.read(statement) if fine != earlier.fine else None
        if node is None or isinstance(node, nodes.Other):
            self.known.repeat(earlier.recording)
        else:  # a comment suppresses its error now, or no longer does
            self._carry_on(self._context(node, statement), fine=fine)

    def _remember(self, statement: Statement, memo: Memo) -> None:
        faults = len(self.faults)
        with self.known.recorded() as recording:
            judgements, fine = self._anew(statement)
        if recording.repeatable and len(self.faults) == faults:
            memo.keep(statement, judgements, recording, fine=fine)

    def _anew(self, statement: Statement) -> tuple[tuple[Judgement, ...], bool]:
        """Check a statement without the cache; returns its results, and true if it is assumed to run."""
        try:
            node = parser.read(statement)
        except Exception as fault:
            self.broke((statement.start, statement.end), "the reader", fault)
            return (), True
        of_query = self._query(statement)
        found = tuple(judgement for judgement, _ in of_query)
        fine = all(runs for _, runs in of_query)
        if isinstance(node, nodes.Other):
            self.known.another()
            return found, fine
        context = self._context(node, statement)
        judgement, runs = self._judge(context)
        self._carry_on(context, fine=fine and runs)
        context.forget()
        return (*found, judgement), fine and runs

    def _query(self, statement: Statement) -> list[tuple[Judgement, bool]]:
        """Check the functions and filters of a statement; in a session, Spark itself does."""
        span = statement.start, statement.end
        if self.repaired or not may_be_query(statement):
            return []
        return [self._judge(self._context(nodes.Query(span), statement))]

    def _context(self, node: nodes.Node, statement: Statement) -> Context:
        return Context(
            self.lines.text, node, self.known, statement, self.repaired, compared=self._compared
        )

    def _carry_on(self, context: Context, *, fine: bool) -> None:
        """Apply a statement's effect to the catalog state: as it runs, or, if it has an error, as intended."""
        if isinstance(context.node, nodes.Immediate):
            context = replace(context, node=context.node.inside)
        try:
            (replay if fine else meant)(context)
        except Exception as fault:  # a table whose change cannot be tracked becomes unknown
            self.broke(context.node.span, "the replay", fault)
            table = getattr(context.node, "table", None)
            if isinstance(table, Ref):
                context.known.forget(table.parts)

    def _judge(self, context: Context) -> tuple[Judgement, bool]:
        """Run the rules and report their findings; returns the result, and true if there is no error."""
        if isinstance(context.node, nodes.Immediate):
            return self._judge(replace(context, node=context.node.inside))
        judgement = judge(context)
        fine = self.tell(judgement)
        # The statements inside EXPLAIN do not run; those of a block are checked one by one.
        if isinstance(context.node, nodes.Compound):
            inner = self.known.copy()
            for node in context.node.inside:
                inside = replace(context, node=node, known=inner)
                _, runs = self._judge(inside)
                self._carry_on(inside, fine=runs)
                fine = fine and runs
        return judgement, fine

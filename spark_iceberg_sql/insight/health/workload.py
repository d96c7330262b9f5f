"""What queries decide about a table's health: a statement is proposed only if they read no more after it.

The costs are those of `advise`, so that both give one verdict: its best spec is what is proposed here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from spark_iceberg_sql.insight.advise.model import Advice, Proposal
from spark_iceberg_sql.insight.health.model import Health, HealthFinding, WorkloadReads

_ROUNDING = 0.01  # of bytes: those of a file that is cut are divided by its length


def judged_by_queries(
    health: Health,
    advice: Advice,
    after: Callable[[HealthFinding], Proposal | None],
    larger_files: Callable[[Proposal], Proposal],
) -> Health:
    """The findings whose statements let the queries read no more than today.

    health: without queries. advice: for the queries, with today's spec. after: what they read after a finding's
    statement; None if that is unknown. larger_files: a proposal with files as large as a rewrite may make them.
    """
    today = advice.today
    assert today is not None
    # Rows come first: what repairs wrong bounds is proposed whatever the queries read.
    wrong = [finding for finding in health.findings if finding.problem == "wrong bounds"]
    others = [finding for finding in health.findings if finding.problem != "wrong bounds"]
    layout = list(_layout_findings(health, advice, larger_files))
    is_new_spec = bool(layout) and layout[0].problem == "spec"
    if is_new_spec and layout[0].call is not None:
        reason = "the rewrite into the new spec takes care of it"
        judged = [*layout, *(_ruled_out(finding, reason) for finding in (*others, *health.ruled_out))]
    else:
        judged = [_judged(finding, today, after) for finding in others]
        if is_new_spec or not any(finding.call for finding in judged):
            judged = [*layout, *judged]
        kept = f"of {advice.tried:,} specs tried, none is clearly better for the queries than today's"
        if layout and layout[0].reason is not None:
            kept = f"the best of {advice.tried:,} specs tried, {advice.best.title}, is not proposed either"
        judged += [_ruled_out(finding, kept) for finding in health.ruled_out]
    return replace(
        health,
        findings=(*wrong, *(finding for finding in judged if finding.reason is None)),
        ruled_out=tuple(finding for finding in judged if finding.reason is not None),
        queries=len(today.per_query),
        notes=advice.notes,
    )


def _layout_findings(
    health: Health, advice: Advice, larger_files: Callable[[Proposal], Proposal]
) -> Iterator[HealthFinding]:
    """The best of advise's specs after which the queries read no more, one finding for each of the statements that lead
    to it; none if today's is the best. The first spec, ruled out, if there is none.

    `spec` if it is another one, or another order; `layout` if the files only need to be written anew.
    """
    today = advice.today
    if today is None or advice.best.is_today:
        return
    cheaper = [p for p in advice.proposals if not p.is_today and p.cost <= (1 - p.error) * today.cost]
    best = next((p for p in cheaper if _objection(today, p, larger_files) is None), advice.best)
    reason = _objection(today, best, larger_files)
    reads = _reads(today, best)
    change = f"with {best.title}" if best.spec else best.title
    if not best.ddl:
        change = "with all files written anew" + (f" in the order {best.sort_order}" if best.sort_order else "")
    problem = "spec" if best.ddl else "layout"
    statements = [*best.ddl, *([best.rewrite] if best.rewrite is not None else [])]
    basis = advice.basis
    detail = f"{change}, the queries read {reads}"
    if reason is not None:
        yield HealthFinding(problem, detail, health.files, health.bytes, None, basis, reason=reason, reads=reads)
        return
    for number, statement in enumerate(statements, 1):
        step = f", step {number} of {len(statements)}" if len(statements) > 1 else ""
        yield HealthFinding(problem, f"{detail}{step}", health.files, health.bytes, statement, basis, reads=reads)


def _objection(today: Proposal, best: Proposal, larger_files: Callable[[Proposal], Proposal]) -> str | None:
    """Why the best layout is not proposed; None if it is."""
    if raised := _raised(today, best):
        return f"it would cost less, but read more {raised}: `advise` shows each query"
    in_larger_files = larger_files(best)
    raised = _raised(today, in_larger_files)
    if not raised and in_larger_files.bytes * (1 + in_larger_files.error) > today.bytes * (1 + _ROUNDING):
        raised = "bytes"
    if raised:
        reads = _reads(today, in_larger_files)
        return f"the queries may read more {raised}, since a rewrite fills files beyond the target size: {reads}"
    return None


def _judged(
    finding: HealthFinding, today: Proposal, after: Callable[[HealthFinding], Proposal | None]
) -> HealthFinding:
    if finding.call is None:
        return finding
    rewritten = today if finding.rewritten_files == 0 else after(finding)
    if rewritten is None:
        return _ruled_out(finding, "what the queries would read afterwards is unknown")
    reads = _reads(today, rewritten)
    if raised := _raised(today, rewritten):
        reason = f"the queries would read more {raised}: {reads}"
    elif rewritten.bytes * (1 + rewritten.error) > today.bytes * (1 + _ROUNDING):
        reason = f"the queries may read more bytes: {reads}, by an estimate that may be {rewritten.error:.0%} off"
    else:
        return replace(finding, reads=reads)
    return replace(_ruled_out(finding, reason), reads=reads)


def _raised(today: Proposal, after: Proposal) -> str:
    """Of what the queries would read more, files or bytes; empty if of neither."""
    if after.files > today.files:
        return "files"
    return "bytes" if after.bytes > today.bytes * (1 + _ROUNDING) else ""


def _reads(today: Proposal, after: Proposal) -> WorkloadReads:
    return WorkloadReads(today.files, today.bytes, after.files, after.bytes)


def _ruled_out(finding: HealthFinding, reason: str) -> HealthFinding:
    return replace(finding.without_statement(), reason=reason)

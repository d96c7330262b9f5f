"""The conjuncts above one relation: as written, with the part that reaches Iceberg and the files it keeps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from spark_iceberg_sql.insight.explain import conjuncts as reasons
from spark_iceberg_sql.insight.explain import spark_rewrites
from spark_iceberg_sql.insight.explain.conjuncts import FieldClause
from spark_iceberg_sql.insight.explain.model import Conjunct
from spark_iceberg_sql.model import bound_transform
from spark_iceberg_sql.quantities import plural
from spark_iceberg_sql.spark.bridge.jvm.gateway import Java
from spark_iceberg_sql.spark.bridge.jvm.java_rows import FilterFiles, SnapshotFilters
from spark_iceberg_sql.spark.bridge.plans import expression_data, expressions, iceberg_filters, query_plans, relations

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_MAX_CONDITION = 400  # characters


@dataclass(slots=True)
class _SourceConjunct:
    """One conjunct as written; Spark may have split it into several.

    blocking_node: the node above which it stays; None if it is directly above the relation. pushed: the part
    that reaches Iceberg. not_null: the part of that which Spark derives from it: that its columns have
    values. added: what the rule `rule` adds. filter_index, pushed_index, not_null_index: positions in the
    list of filters to count.
    """

    text: str
    inferred: bool
    blocking_node: str | None = None
    parts: list[Java] = field(default_factory=list)
    pushed: list[Java] = field(default_factory=list)
    not_null: list[Java] = field(default_factory=list)
    not_pushed: list[Java] = field(default_factory=list)
    added: Java | None = None
    rule: str = ""
    added_filter: Java | None = None
    filter_index: int = 0
    pushed_index: int = 0
    not_null_index: int = 0


class Conjuncts:
    """The conjuncts above a relation.

    filtered: the relation before push-down; None if it is not known. rules: those that add what a conjunct implies,
    by name. fields: the table's partition fields. derived: the spans of conjuncts that Spark derived from those on
    another table.
    """

    def __init__(
        self,
        spark: SparkSession,
        relation: Java,
        filtered: query_plans.FilteredRelation | None,
        rules: Mapping[str, Java],
        fields: tuple[FieldClause, ...],
        derived: frozenset[tuple[str, int, int]] = frozenset(),
    ) -> None:
        self._derived = derived
        self._spark, self._fields, self._rules = spark, fields, rules
        self._relation = relation if filtered is None else filtered.relation
        self._pushed: list[Java] = []  # what reaches Iceberg of the whole filter
        self._source_conjuncts: dict[object, _SourceConjunct] = {}
        self._is_unpushed = False  # by use_partition_pruning => false
        for conjunct in filtered.conjuncts if filtered is not None else ():
            self._add(conjunct, None)
        for conjunct, blocking_node in filtered.higher_conjuncts if filtered is not None else ():
            self._add(conjunct, blocking_node)
        # With the session's configuration.
        self._enabled = {name for name, rule in rules.items() if bool(rule.isOn(self._relation.conf()))}
        for source_conjunct in self._source_conjuncts.values():
            self._add_implied_range(source_conjunct)

    def _add(self, conjunct: Java, blocking_node: str | None) -> None:
        if _is_added(conjunct):
            pushed = iceberg_filters.to_iceberg(conjunct, self._relation)
            if pushed is not None:
                self._pushed.append(pushed)
            return
        span = expression_data.source_span(conjunct)
        is_derived = span in self._derived or expression_data.is_derived(conjunct)
        if span in self._derived:
            span = None
        text = span[0][span[1] : span[2]] if span is not None else expressions.query_text(conjunct)
        key = span if span is not None else text
        if text == relations.NO_PUSH_DOWN_PREDICATE and (span is None or span[0] == text):
            self._is_unpushed = True
            return
        if blocking_node is not None and key in self._source_conjuncts:
            return  # it is also above the relation
        source_conjunct = self._source_conjuncts.setdefault(key, _SourceConjunct(text, is_derived, blocking_node))
        source_conjunct.parts.append(conjunct)
        if blocking_node is not None:
            return
        pushed = iceberg_filters.to_iceberg(conjunct, self._relation)
        if pushed is None:
            source_conjunct.not_pushed.append(conjunct)
        else:
            source_conjunct.pushed.append(pushed)
            self._pushed.append(pushed)
        for derived in expressions.not_null(conjunct, self._relation):
            pushed = iceberg_filters.to_iceberg(derived, self._relation)
            source_conjunct.not_null += [pushed] if pushed is not None else []

    def _add_implied_range(self, source_conjunct: _SourceConjunct) -> None:
        if source_conjunct.blocking_node is not None:
            return
        condition = expressions.conjunction(source_conjunct.parts)
        for name, rule in self._rules.items():
            source_conjunct.added = rule.implied(condition, self._relation)
            if source_conjunct.added is not None:
                source_conjunct.rule = name
                source_conjunct.added_filter = iceberg_filters.to_iceberg(source_conjunct.added, self._relation)
                return

    def _adds(self, source_conjunct: _SourceConjunct) -> bool:
        """True if a rule that is enabled adds what a conjunct implies."""
        return source_conjunct.rule in self._enabled

    def filters(self) -> list[Java]:
        """The filters to count: all together first, then each conjunct, with and without what a rule adds."""
        filters = [iceberg_filters.conjunction(self._pushed)]
        for source_conjunct in self._source_conjuncts.values():
            source_conjunct.pushed_index = len(filters)
            pushed = [*source_conjunct.pushed, *source_conjunct.not_null]
            filters.append(iceberg_filters.conjunction(pushed))
            source_conjunct.filter_index = source_conjunct.pushed_index
            if source_conjunct.added_filter is not None:
                source_conjunct.filter_index = len(filters)
                filters.append(iceberg_filters.conjunction([*pushed, source_conjunct.added_filter]))
            if source_conjunct.not_pushed and source_conjunct.not_null:
                source_conjunct.not_null_index = len(filters)
                filters.append(iceberg_filters.conjunction(source_conjunct.not_null))
        return filters

    def results(self, file_counts: SnapshotFilters) -> tuple[Conjunct, ...]:
        """The conjuncts. file_counts: the counts of `iceberg_filters.kept` for `filters`."""
        return tuple(self._results(file_counts))

    def _results(self, file_counts: SnapshotFilters) -> Iterator[Conjunct]:
        total = file_counts.files
        for source_conjunct in self._source_conjuncts.values():
            pushed_counts, counts_with_added = (
                file_counts.filters[source_conjunct.pushed_index],
                file_counts.filters[source_conjunct.filter_index],
            )
            active_counts = counts_with_added if self._adds(source_conjunct) else pushed_counts
            files = active_counts.kept.files
            if source_conjunct.inferred and files == total:
                continue  # usually IS NOT NULL
            added = _condition_text(source_conjunct.added) if self._adds(source_conjunct) else None
            reason, rewrite, rewrite_files = None, None, None
            # Files without a value of its columns are skipped by the IS NOT NULL that Spark derives from it.
            max_files = (
                file_counts.filters[source_conjunct.not_null_index].kept.files
                if source_conjunct.not_null_index
                else total
            )
            does_prune = files < max_files
            if total and not does_prune:
                reason = self._reason(source_conjunct, active_counts, max_files)
                if max_files < total:
                    null_files = total - max_files
                    reason += f"; only {plural(null_files, 'file')} without a value in its columns "
                    reason += "is skipped" if null_files == 1 else "are skipped"
                rewrite, rewrite_files = self._rewrite(source_conjunct, counts_with_added, max_files) or (None, None)
            yield Conjunct(
                text=source_conjunct.text,
                files=files,
                pruned_by=tuple(self._pruned_by(active_counts)) if does_prune else (),
                why_not=reason,
                rewrite=rewrite,
                rewrite_files=rewrite_files,
                added=added,
                added_by=source_conjunct.rule if added is not None else None,
                files_without_added=pushed_counts.kept.files if added is not None else None,
                inferred=source_conjunct.inferred,
            )

    def _pruned_by(self, counts: FilterFiles) -> Iterator[str]:
        steps = {field.clause: field.step_text for field in self._fields}
        for fields in counts.pruned_by:
            clauses = (bound_transform.from_metadata(term.transform).clause(term.column) for term in fields.terms)
            yield " or ".join(f"{clause}{steps.get(clause, '')}" for clause in clauses)
        if counts.kept.files < counts.by_partitions.files:
            yield "bounds"

    def _rewrite(self, source_conjunct: _SourceConjunct, with_added: FilterFiles, total: int) -> tuple[str, int] | None:
        if source_conjunct.rule == "prune" and not self._adds(source_conjunct) and with_added.kept.files < total:
            operand = (
                f"({source_conjunct.text})"
                if expressions.node_class(source_conjunct.parts[0]) == "Or"
                else source_conjunct.text
            )
            (column,) = expressions.references(source_conjunct.added)[:1]
            name = spark_rewrites.column_as_written(source_conjunct.text, str(column.name()))
            added = spark_rewrites.rename_column(expressions.sql(source_conjunct.added), str(column.name()), name)
            if expressions.node_class(source_conjunct.added) == "Or":
                added = f"({added})"
            return f"{operand} AND {added}", with_added.kept.files
        if source_conjunct.blocking_node is not None or len(source_conjunct.parts) != 1:
            return None
        return spark_rewrites.find_rewrite(
            self._spark, source_conjunct.parts[0], source_conjunct.text, self._relation, total
        )

    def _reason(self, source_conjunct: _SourceConjunct, counts: FilterFiles, total: int) -> str:
        if source_conjunct.blocking_node is not None and self._is_unpushed:
            return "use_partition_pruning => false keeps it from the scan"
        if source_conjunct.blocking_node is not None:
            return f"Spark does not push it below {source_conjunct.blocking_node}, so it does not reach the scan"
        if self._adds(source_conjunct):
            if counts.complete.files == total:
                return "all rows of all files are in that range"
            return "every file may contain rows in that range"
        if source_conjunct.not_pushed:
            return self._why_not_pushed(source_conjunct.not_pushed[0])
        return reasons.why_not_pruning(
            expression_data.spark_expression(source_conjunct.parts[0]),
            expressions.paths(source_conjunct.parts[0]),
            self._fields,
            total=total,
            fully_matching=counts.complete.files,
            without_bounds={name: total.files for name, total in counts.without_bounds.items()},
        )

    def _why_not_pushed(self, conjunct: Java) -> str:
        if not conjunct.deterministic():
            return "it is not deterministic: its value for a row depends on more than the row"
        if expressions.node_class(conjunct) == "Or":
            for part in expressions.disjuncts(conjunct):
                if iceberg_filters.to_iceberg(part, self._relation) is None:
                    reason = self._why_part_not_pushed(part)
                    return f"one side of OR does not prune, so no file can be skipped: {reason}"
        return self._why_part_not_pushed(conjunct)

    def _why_part_not_pushed(self, conjunct: Java) -> str:
        withheld = None
        for call in expressions.iceberg_calls(conjunct):
            column = expressions.paths(call)[-1]
            withheld = reasons.why_withheld(expression_data.spark_expression(call), column, self._fields)
        return reasons.why_not_pushed(expression_data.spark_expression(conjunct), withheld)


def _condition_text(condition: Java) -> str:
    """An added condition as SQL, without the last of many values."""
    is_text = any(node.dataType().simpleString() == "string" for node in expressions.literals(condition))
    sql = expressions.query_text(condition) if is_text else expressions.sql(condition)
    return sql if len(sql) <= _MAX_CONDITION else sql[:_MAX_CONDITION].rpartition(",")[0] + ", ...)"


def _is_added(conjunct: Java) -> bool:
    """True if a rule added a conjunct: its literals are marked."""
    if " (implied)" not in str(conjunct.toString()):
        return False
    return any(
        expressions.node_class(literal) == "ImpliedLiteral" and str(literal.toString()).endswith(" (implied)")
        for literal in expressions.literals(conjunct)
    )

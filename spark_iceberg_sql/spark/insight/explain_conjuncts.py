"""The conjuncts above one relation: as written, with the part that reaches Iceberg and the files it keeps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from spark_iceberg_sql.insight import conjuncts as reasons
from spark_iceberg_sql.insight.conjuncts import Field
from spark_iceberg_sql.insight.explain import Conjunct
from spark_iceberg_sql.model import bound_transform
from spark_iceberg_sql.spark.bridge import expressions, iceberg_filters, plans, relations, terms
from spark_iceberg_sql.spark.bridge.java_rows import FilterFiles, SnapshotFilters
from spark_iceberg_sql.spark.bridge.jvm import Java
from spark_iceberg_sql.spark.insight import explain_rewrites

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@dataclass(slots=True)
class _Written:
    """One conjunct as written; Spark may have split it into several.

    blocking_node: the node above which it stays; None if it is directly above the relation. pushed: the part
    that reaches Iceberg. not_null: the part of that which Spark derives from it: that its columns have
    values. added: what the rule `prune` adds. filter_index, pushed_index, not_null_index: positions in the
    list of filters to count.
    """

    text: str
    inferred: bool
    over: str | None = None
    parts: list[Java] = field(default_factory=list)
    own: list[Java] = field(default_factory=list)
    not_null: list[Java] = field(default_factory=list)
    not_pushed: list[Java] = field(default_factory=list)
    added: Java | None = None
    added_filter: Java | None = None
    at: int = 0
    at_own: int = 0
    at_not_null: int = 0


class Conjuncts:
    """The conjuncts above a relation.

    filtered: the relation before push-down; None if it is not known. prune: the rule. fields: the table's
    partition fields. derived: the spans of conjuncts that Spark derived from those on another table.
    """

    def __init__(
        self,
        spark: SparkSession,
        relation: Java,
        filtered: plans.Filtered | None,
        prune: Java | None,
        fields: tuple[Field, ...],
        derived: frozenset[tuple[str, int, int]] = frozenset(),
    ) -> None:
        self._derived = derived
        self._spark, self._fields, self._prune = spark, fields, prune
        self._relation = relation if filtered is None else filtered.relation
        self._all: list[Java] = []  # what reaches Iceberg of the whole filter
        self._written: dict[object, _Written] = {}
        self._is_unpushed = False  # by use_partition_pruning => false
        for conjunct in filtered.conjuncts if filtered is not None else ():
            self._take(conjunct, None)
        for conjunct, over in filtered.above if filtered is not None else ():
            self._take(conjunct, over)
        # With the session's configuration.
        self._is_on = prune is not None and bool(prune.isOn(self._relation.conf()))
        for one in self._written.values():
            self._imply(one)

    def _take(self, conjunct: Java, over: str | None) -> None:
        if _is_added(conjunct):
            found = iceberg_filters.converted(conjunct, self._relation)
            if found is not None:
                self._all.append(found)
            return
        place = terms.place(conjunct)
        is_derived = place in self._derived or terms.is_derived(conjunct)
        if place in self._derived:
            place = None
        text = (
            place[0][place[1] : place[2]] if place is not None else expressions.query_text(conjunct)
        )
        key = place if place is not None else text
        if text == relations.UNPUSHED and (place is None or place[0] == text):
            self._is_unpushed = True
            return
        if over is not None and key in self._written:
            return  # it is also above the relation
        one = self._written.setdefault(key, _Written(text, is_derived, over))
        one.parts.append(conjunct)
        if over is not None:
            return
        found = iceberg_filters.converted(conjunct, self._relation)
        if found is None:
            one.not_pushed.append(conjunct)
        else:
            one.own.append(found)
            self._all.append(found)
        for derived in expressions.not_null(conjunct, self._relation):
            found = iceberg_filters.converted(derived, self._relation)
            one.not_null += [found] if found is not None else []

    def _imply(self, one: _Written) -> None:
        if self._prune is None or one.over is not None:
            return
        condition = expressions.conjunction(one.parts)
        one.added = self._prune.implied(condition, self._relation)
        if one.added is not None:
            one.added_filter = iceberg_filters.converted(one.added, self._relation)

    def filters(self) -> list[Java]:
        """The filters to count: all together first, then each conjunct, with and without what `prune` adds."""
        every = [iceberg_filters.conjunction(self._all)]
        for one in self._written.values():
            one.at_own = len(every)
            own = [*one.own, *one.not_null]
            every.append(iceberg_filters.conjunction(own))
            one.at = one.at_own
            if one.added_filter is not None:
                one.at = len(every)
                every.append(iceberg_filters.conjunction([*own, one.added_filter]))
            if one.not_pushed and one.not_null:
                one.at_not_null = len(every)
                every.append(iceberg_filters.conjunction(one.not_null))
        return every

    def explained(self, kept: SnapshotFilters) -> tuple[Conjunct, ...]:
        """The conjuncts. file_counts: the counts of `iceberg_filters.kept` for `filters`."""
        return tuple(self._explained(kept))

    def _explained(self, kept: SnapshotFilters) -> Iterator[Conjunct]:
        total = kept.files
        for one in self._written.values():
            own, both = kept.filters[one.at_own], kept.filters[one.at]
            mine = both if self._is_on else own
            files = mine.kept.files
            if one.inferred and files == total:
                continue  # usually IS NOT NULL
            added = expressions.sql(one.added) if one.added is not None and self._is_on else None
            why, better, better_files = None, None, None
            # Files without a value of its columns are skipped by the IS NOT NULL that Spark derives from it.
            most = kept.filters[one.at_not_null].kept.files if one.at_not_null else total
            does_prune = files < most
            if total and not does_prune:
                why = self._why(one, mine, most)
                if most < total:
                    null = total - most
                    why += f"; only {null:,} file{'' if null == 1 else 's'} without a value in its columns "
                    why += "is skipped" if null == 1 else "are skipped"
                better, better_files = self._better(one, both, most) or (None, None)
            yield Conjunct(
                text=one.text,
                files=files,
                pruned_by=tuple(_pruned_by(mine, total)) if does_prune else (),
                why_not=why,
                rewrite=better,
                rewrite_files=better_files,
                added=added,
                files_without_added=own.kept.files if added is not None else None,
                inferred=one.inferred,
            )

    def _better(self, one: _Written, with_added: FilterFiles, total: int) -> tuple[str, int] | None:
        if one.added is not None and not self._is_on and with_added.kept.files < total:
            own = f"({one.text})" if expressions.kind(one.parts[0]) == "Or" else one.text
            (column,) = expressions.references(one.added)[:1]
            name = explain_rewrites.written(one.text, str(column.name()))
            added = explain_rewrites.renamed(expressions.sql(one.added), str(column.name()), name)
            if expressions.kind(one.added) == "Or":
                added = f"({added})"
            return f"{own} AND {added}", with_added.kept.files
        if one.over is not None or len(one.parts) != 1:
            return None
        return explain_rewrites.better(self._spark, one.parts[0], one.text, self._relation, total)

    def _why(self, one: _Written, kept: FilterFiles, total: int) -> str:
        if one.over is not None and self._is_unpushed:
            return "use_partition_pruning => false keeps it from the scan"
        if one.over is not None:
            return f"Spark does not push it below {one.over}, so it does not reach the scan"
        if one.added is not None and self._is_on:
            if kept.complete.files == total:
                return "all rows of all files are in that range"
            return "every file may contain rows in that range"
        if one.not_pushed:
            return self._why_not_pushed(one.not_pushed[0])
        return reasons.why_kept(
            terms.term(one.parts[0]),
            expressions.paths(one.parts[0]),
            self._fields,
            total=total,
            whole=kept.complete.files,
            without_bounds={name: total.files for name, total in kept.without_bounds.items()},
        )

    def _why_not_pushed(self, conjunct: Java) -> str:
        if not conjunct.deterministic():
            return "it is not deterministic: its value for a row depends on more than the row"
        if expressions.kind(conjunct) == "Or":
            for part in expressions.disjuncts(conjunct):
                if iceberg_filters.converted(part, self._relation) is None:
                    words = self._why_not_one(part)
                    return f"one side of OR does not prune, so no file can be skipped: {words}"
        return self._why_not_one(conjunct)

    def _why_not_one(self, conjunct: Java) -> str:
        withheld = None
        for call in expressions.iceberg_calls(conjunct):
            column = expressions.paths(call)[-1]
            withheld = reasons.why_withheld(terms.term(call), column, self._fields)
        return reasons.why_not_pushed(terms.term(conjunct), withheld)


def _is_added(conjunct: Java) -> bool:
    """True if the rule `prune` added a conjunct: its literals are marked."""
    if " (implied)" not in str(conjunct.toString()):
        return False
    return any(
        expressions.kind(one) == "ImpliedLiteral" and str(one.toString()).endswith(" (implied)")
        for one in expressions.literals(conjunct)
    )


def _pruned_by(kept: FilterFiles, total: int) -> Iterator[str]:
    for fields in kept.pruned_by:
        clauses = (
            bound_transform.from_metadata(term.transform).clause(term.column)
            for term in fields.terms
        )
        yield " or ".join(clauses)
    if kept.kept.files < kept.by_partitions.files:
        yield "bounds"

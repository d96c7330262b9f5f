"""Advice for several tables of one workload, weighed together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from spark_iceberg_sql.insight.advise.costs.moves import NONE, Fields, Move
from spark_iceberg_sql.insight.advise.costs.spark_shuffles import WorkloadShuffles, as_sql
from spark_iceberg_sql.insight.advise.joint.joint_model import TablesAdvice, Together
from spark_iceberg_sql.insight.advise.joint.joint_specs import Options, joint_fields
from spark_iceberg_sql.insight.advise.model import Advice
from spark_iceberg_sql.insight.advise.spark_search import AdviceSearch
from spark_iceberg_sql.insight.hypothetical.spark_source import Source
from spark_iceberg_sql.insight.workload import Query
from spark_iceberg_sql.syntax.identifiers import qualified_name

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


class JointSearch:
    """Searches for the specs of several tables, each with the specs of the others in view.

    sources: tables in a catalog. Other arguments as of an AdviceSearch.
    """

    def __init__(
        self, spark: SparkSession, sources: Sequence[Source], queries: Sequence[Query], sample_rows: int, using: str
    ) -> None:
        self._workload = WorkloadShuffles(spark, queries, reads_rows=using == "data")
        self._arguments = spark, queries, sample_rows, using
        self._sources = {qualified_name(source.table or ()): source for source in sources}

    def result(self) -> TablesAdvice:
        """The advice for each table, given what is proposed for the others."""
        searches = {name: self._search(name) for name in self._sources}
        decided = joint_fields(
            {name: self._options(search) for name, search in searches.items()},
            self._workload.moves,
            [key.fields for key in sorted(self._workload.keys, key=lambda key: -key.bytes)],
            {name: fields for name, fields in self._workload.today.items() if name not in searches},
        )
        results: dict[str, Advice] = {}
        fields = dict(decided)
        for name, search in searches.items():
            results[name], fields[name] = self._advice(search, fields)
        # Counted exactly, a table may have another best spec: its partners then look again.
        changed = {name for name in searches if self._useful(fields[name]) != decided[name]}
        for name in searches:
            if self._partners(name) & changed - {name}:
                results[name], fields[name] = self._advice(searches[name], fields)
        return self._joint(results, fields)

    def _search(self, name: str) -> AdviceSearch:
        spark, queries, sample_rows, using = self._arguments
        return AdviceSearch(spark, self._sources[name], queries, sample_rows, using, self._workload)

    def _advice(self, search: AdviceSearch, fields: Mapping[str, Fields]) -> tuple[Advice, Fields]:
        """The advice for one table, and its best spec's fields. fields: of all tables."""
        search.shuffles.others = {**self._workload.today, **fields}
        advice = search.result()
        return advice, frozenset(map(as_sql, search.fields_of(advice.best)))

    def _options(self, search: AdviceSearch) -> Options:
        options: dict[Fields, int] = {}
        for spec, cost in search.all_costs.reading_costs.items():
            fields = self._useful(frozenset(map(as_sql, spec)))
            options[fields] = min(cost, options.get(fields, cost))
        return options

    def _useful(self, fields: Fields) -> Fields:
        """Those with which something is not shuffled."""
        return fields & NONE.union(*(one_of for move in self._workload.moves for way in move.ways for _, one_of in way))

    def _partners(self, name: str) -> set[str]:
        """The tables that are joined with one, and itself."""
        return {name}.union(*(move.tables for move in self._workload.moves if name in move.tables))

    def _joint(self, results: Mapping[str, Advice], fields: Mapping[str, Fields]) -> TablesAdvice:
        specs = {**self._workload.today, **fields}
        moves = [move for move in self._workload.moves if move.tables & results.keys()]
        saved: dict[tuple[tuple[str, str], ...], float] = {}
        for move in moves:
            way = move.way(specs)
            if move.is_today and way is not None:
                key = tuple(sorted({(table, min(one_of & specs[table])) for table, one_of in way}))
                saved[key] = saved.get(key, 0) + move.total_bytes
        together = (
            Together(tuple(table for table, _ in key), tuple(field for _, field in key), round(bytes_))
            for key, bytes_ in sorted(saved.items(), key=lambda item: -item[1])
        )
        return TablesAdvice(
            results.values(),
            together=tuple(together),
            shuffled=_bytes(move for move in moves if move.way(specs) is None),
            shuffled_now=_bytes(move for move in moves if move.is_today),
        )


def _bytes(moves: Iterable[Move]) -> int:
    return round(sum(move.total_bytes for move in moves))

"""The move of a Hive-partitioned table to Iceberg: the hidden spec, the rewritten queries, and the script.

`from_ddl` needs only the CREATE TABLE; `spark/insight/from_hive` measures the table's rows and files as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from spark_iceberg_sql.checker import engine
from spark_iceberg_sql.checker.plan import size
from spark_iceberg_sql.diagnostics import Severity
from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.insight.hive_conditions import constants
from spark_iceberg_sql.insight.hive_ddl import HiveTable, of_ddl
from spark_iceberg_sql.insight.hive_partitions import Form, Reading, forms_of, readings
from spark_iceberg_sql.insight.hive_queries import Rewritten, rewrite
from spark_iceberg_sql.insight.hive_script import Step, script_of
from spark_iceberg_sql.insight.hive_statements import changes_catalog, changes_place, note
from spark_iceberg_sql.insight.hive_zones import refuse_unknown
from spark_iceberg_sql.insight.plain import Result, plain
from spark_iceberg_sql.insight.workload import Query, others, workload
from spark_iceberg_sql.outgoing import join_visible, visible
from spark_iceberg_sql.report.sql_text import in_a_line, laid_out, query_lines
from spark_iceberg_sql.syntax.identifiers import quoted
from spark_iceberg_sql.syntax.script import statements


@dataclass(frozen=True, slots=True)
class HiveQuery:
    """A query, or another statement of the script, which stays.

    text: as given. rewritten: for the hidden spec; None if it stays as it is. notes: which conditions stay, and why.
    files, bytes: what it reads of the Hive table now; files_then, bytes_then: of the Iceberg table once all files are
    in the hidden spec. These are None if there is no table to measure.
    """

    text: str
    rewritten: str | None
    notes: tuple[str, ...] = ()
    files: int | None = None
    bytes: int | None = None
    files_then: int | None = None
    bytes_then: int | None = None


@dataclass(frozen=True, slots=True)
class FromHive(Result):
    """How a Hive-partitioned table becomes an Iceberg table with hidden partitioning.

    table: its name. spec: the text for PARTITIONED BY; the Hive table's own columns where nothing better is certain.
    basis: how it is known that the spec is equivalent; None if the spec has only the Hive table's columns. unsure:
    what is unknown, with the query or argument that decides it. queries: one per query, then one per
    other statement. same, saves: sentences.
    script: the steps of the migration. other_ways: steps of `snapshot` and `migrate`.
    """

    table: str
    spec: str
    basis: str | None
    unsure: tuple[str, ...]
    queries: tuple[HiveQuery, ...]
    same: tuple[str, ...]
    saves: tuple[str, ...]
    script: tuple[Step, ...]
    other_ways: tuple[Step, ...] = ()

    @property
    def sql(self) -> str:
        """The script as text, each step after a comment."""
        return "\n".join(_steps(self.script))

    def rows(self) -> Iterator[tuple[str, str, str | None]]:
        """One row per fact: its part, the text, and for a query its rewritten text."""
        yield "spec", self.spec, self.basis
        yield from (("unsure", one, None) for one in self.unsure)
        yield from (("query", one.text, one.rewritten) for one in self.queries)
        yield from (("same", one, None) for one in self.same)
        yield from (("saves", one, None) for one in self.saves)
        for step in self.script:
            yield from (("script", one, step.why) for one in step.statements)
        for step in self.other_ways:
            yield from (("other way", one, step.why) for one in step.statements)

    def to_dict(self) -> dict[str, Any]:
        """A dict for JSON: the attributes; a query has those of HiveQuery, a step those of Step."""
        found: dict[str, Any] = plain(self)
        return found

    def __str__(self) -> str:
        return join_visible(self._lines())

    def _lines(self) -> Iterator[str]:
        yield f"{self.table}: PARTITIONED BY ({self.spec})"
        if self.basis is not None:
            yield f"  {self.basis}"
        yield from (f"  unsure: {one}" for one in self.unsure)
        for number, one in enumerate(self.queries, 1):
            yield f"query {number}: {in_a_line(one.text)}"
            yield from _becomes(one.rewritten) if one.rewritten else ("  stays as it is",)
            if one.files is not None and one.bytes is not None:
                then = "unknown"
                if one.files_then is not None and one.bytes_then is not None:
                    then = _files(one.files_then, one.bytes_then)
                yield f"  reads {_files(one.files, one.bytes)} now, {then} then"
            yield from (f"  {note}" for note in one.notes)
        yield "stays the same:"
        yield from (f"  {one}" for one in self.same)
        if self.saves:
            yield "saves:"
            yield from (f"  {one}" for one in self.saves)
        yield "script:"
        yield from (f"  {line}" for line in _lines_of(self.script))
        if self.other_ways:
            yield "other ways:"
            yield from (f"  {line}" for line in _lines_of(self.other_ways))


def _steps(steps: Iterable[Step]) -> Iterator[str]:
    for step in steps:
        yield f"-- {visible(step.why)}"
        yield from (f"{laid_out(statement)};" for statement in step.statements)


def _lines_of(steps: Iterable[Step]) -> list[str]:
    """The lines of the steps; a line end inside a statement is in backticks."""
    return "\n".join(_steps(steps)).split("\n")


def _becomes(query: str) -> Iterator[str]:
    first, *more = query_lines(query)
    yield f"  becomes: {first}"
    yield from (f"{' ' * len('  becomes: ')}{line}" for line in more)


def _files(count: int, total: int) -> str:
    return f"{count:,} {'file' if count == 1 else 'files'} ({size(total)})"


def from_ddl(
    text: str,
    queries: Iterable[str | tuple[str, float]] | str = (),
    *,
    column: str | None = None,
    zone: str = "UTC",
    catalog: str = "local",
) -> FromHive:
    """The move of a table that is known by its CREATE TABLE alone.

    text: the CREATE TABLE statement, and any queries. queries: more of them. column: the column that determines
    the time of the partitions; without it, nothing is assumed. zone: the time zone of the partitions' days and hours.
    catalog: the Iceberg catalog of the new table.
    Raises IcebergSqlError if the text is not that of a table with partition columns, or for an unknown column
    or time zone.
    """
    refuse_unknown(zone)
    table, rest = of_ddl(text)
    todo = (*workload_of(rest), *workload_of(queries))
    other = (*others_of(rest), *others_of(queries))
    moves = [one for one in other if changes_place(one, table.name[-1])]
    first = len(moves) == 1 and statements(text)[0].first == "USE"
    if moves and len(table.name) == 1 and not first:
        raise IcebergSqlError(
            f"after `{visible(in_a_line(moves[0]))[:40]}`, `{table.title}` may be another table",
            help="write its schema, in CREATE TABLE and in the queries",
        )
    if len(table.name) == 2 and any(changes_catalog(one, catalog) for one in moves):
        table = replace(table, spellings=table.names[1:])
    forms, unknown = known_forms(table, todo, {})
    unsure = [f"`{name}`: {why}" for name, why in unknown.items()]
    chosen = None
    every = list(readings(forms, table.data, (zone,)))
    if column is not None:
        chosen = of_column(table, every, column, unsure)
        basis = f"as stated, {chosen.words}; the first statement of the script checks it"
        chosen = replace(chosen, basis=basis)
    else:
        unsure += undecided(table, every)
    found = moved(table, chosen, unsure, todo, catalog)
    return replace(found, queries=(*found.queries, *not_queries(other, table, chosen)))


def workload_of(queries: Iterable[str | tuple[str, float]] | str) -> tuple[Query, ...]:
    """The queries of a workload, which may be empty."""
    given = _not_blank(queries)
    return workload(given, needed=False) if given else ()


def others_of(queries: Iterable[str | tuple[str, float]] | str) -> tuple[str, ...]:
    """The statements of a workload that are not queries."""
    return tuple(others(_not_blank(queries)))


def _not_blank(
    queries: Iterable[str | tuple[str, float]] | str,
) -> list[str | tuple[str, float]]:
    given = [queries] if isinstance(queries, str) else list(queries)
    return [one for one in given if not isinstance(one, str) or one.strip()]


def not_queries(
    texts: Iterable[str], table: HiveTable, reading: Reading | None
) -> Iterator[HiveQuery]:
    """The statements that are not queries: they stay, each with a note on what the move breaks in it."""
    return (HiveQuery(text, None, (note(text, table, reading),)) for text in texts)


def known_forms(
    table: HiveTable, queries: Sequence[Query], values: dict[str, set[str]]
) -> tuple[dict[str, Form], dict[str, str]]:
    """The formats of the partition columns, from their values, or else from the constants of the queries."""
    seen = {name: set(some) for name, some in values.items()}
    guessed = not any(seen.values())
    if guessed:
        names = [column.name for column in table.partitions]
        for query in queries:
            for name, some in constants(query.text, table.names, names).items():
                seen.setdefault(name, set()).update(some)
    return forms_of(table.partitions, seen, guessed=guessed)


def of_column(
    table: HiveTable, every: Sequence[Reading], column: str, unsure: Sequence[str]
) -> Reading:
    """The derivation from one column. Raises IcebergSqlError if there is none."""
    found = next((one for one in every if one.source.name.lower() == column.lower()), None)
    if found is None:
        names = ", ".join(f"`{c.name}`" for c in table.data if c.is_time) or "none"
        raise IcebergSqlError(
            f"the partitions of {table.title} cannot be derived from `{column}`",
            help=(*unsure, f"its date and timestamp columns: {names}"),
            argument="column",
        )
    return found


def undecided(table: HiveTable, every: Sequence[Reading]) -> Iterator[str]:
    """The open question of each derivation, with the query that decides it."""
    for one in dict.fromkeys(every):
        yield (
            f"whether {one.words}; if so, {one.term} replaces it (column => '{one.source.name}'); "
            f"this must return 0: {one.check(table.title)}"
        )


def moved(
    table: HiveTable,
    reading: Reading | None,
    unsure: Sequence[str],
    queries: Sequence[Query],
    catalog: str,
) -> FromHive:
    """The result. derivation: the certain one; None keeps the Hive table's columns as partition fields."""
    terms = [quoted(column.name) for column in table.partitions]
    replaced: tuple[str, ...] = ()
    if reading is not None:
        replaced = reading.columns
        keep = [quoted(c.name) for c in table.partitions if c.name not in replaced]
        at = next(i for i, c in enumerate(table.partitions) if c.name in replaced)
        terms = [*keep[:at], reading.term, *keep[at:]]
    spec = ", ".join(terms)
    todo = [_query(query, table, reading) for query in queries]
    script, others = script_of(table, reading, spec, catalog)
    refused = [
        f"a statement of the script would be refused: {one.code}: {one.message}"
        for one in engine.check("\n".join(_steps(script)))
        if one.severity is Severity.ERROR
    ]
    return FromHive(
        table.title,
        spec,
        reading.basis if reading is not None else None,
        (*unsure, *refused),
        tuple(todo),
        tuple(_same(table, reading)),
        tuple(_saves(reading)),
        script,
        others,
    )


def _query(query: Query, table: HiveTable, reading: Reading | None) -> HiveQuery:
    if reading is None:
        return HiveQuery(query.text, None)
    found: Rewritten = rewrite(query.text, table.names, reading)
    return HiveQuery(query.text, found.rewritten, found.notes)


def _same(table: HiveTable, reading: Reading | None) -> Iterator[str]:
    names = ", ".join(f"`{column.name}`" for column in table.partitions)
    plural = len(table.partitions) > 1
    yield (
        f"{names} {'remain columns' if plural else 'remains a column'}: every query returns the same rows, "
        "rewritten or not"
    )
    if reading is None:
        yield "the partitioning: the same columns, as identity fields"
        return
    old = ", ".join(f"`{name}`" for name in reading.columns)
    keep = [column.name for column in table.partitions if column.name not in reading.columns]
    if keep:
        yield "partition fields: " + ", ".join(f"`{name}`" for name in keep)
    yield (
        f"writers must still fill {old}; do not drop {'them' if len(reading.columns) > 1 else 'it'} from the table "
        "that was imported, whose earlier spec refers to it"
    )


def _saves(reading: Reading | None) -> Iterator[str]:
    if reading is None:
        return
    column, old = f"`{reading.source.name}`", ", ".join(f"`{name}`" for name in reading.columns)
    yield f"a query that filters only on {column} reads only the partitions of its range; in Hive it reads all"
    yield f"nobody needs to know {old}: a condition on {column} is enough"

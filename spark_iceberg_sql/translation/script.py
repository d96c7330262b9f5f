"""`translate`: the partition DDL of a script in the syntax of another engine."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NamedTuple

from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.model.tables import Tables
from spark_iceberg_sql.syntax.script import Statement, statements
from spark_iceberg_sql.translation.definitions import Definition, losses
from spark_iceberg_sql.translation.engines import athena, clickhouse, flink, pyiceberg, trino
from spark_iceberg_sql.translation.spark_statements import apply_query, definition_of, has_query, is_order

SPARK, PYICEBERG = "spark", "pyiceberg"


@dataclass(frozen=True, slots=True)
class EngineSyntax:
    """An engine's syntax.

    write: a statement of its. read: Spark's statements for one of its, and the tables before it.
    """

    write: Callable[[Definition], str]
    read: Callable[[Statement, Tables], list[str]]


# Each has a module; pyiceberg's statements are calls in a program.
SQL_ENGINES: Mapping[str, EngineSyntax] = {
    "trino": EngineSyntax(trino.write, trino.read),
    "flink": EngineSyntax(flink.write, flink.read),
    "clickhouse": EngineSyntax(clickhouse.write, clickhouse.read),
    "athena": EngineSyntax(athena.write, athena.read),
}
NAMES = (SPARK, *SQL_ENGINES, PYICEBERG)


def translate(text: str, *, to: str = SPARK, source: str = SPARK, known: Tables | None = None) -> str:
    """The partition DDL of a script in the syntax of another engine.

    CREATE TABLE with its partitioning, and ALTER TABLE ... ADD, DROP or REPLACE PARTITION FIELD, or what is the same in
    the source's syntax. The result has the same columns, types and partition fields, or there is none.

    text: statements, or for pyiceberg a program. to, source: `spark`, `trino`, `flink`, `clickhouse`, `athena` or
    `pyiceberg`. known: the tables that exist before, which are not changed. Raises IcebergSqlError, with the line and
    the reason for each statement that cannot be translated: the engine cannot say it, the checker refuses it, or it is
    no partition DDL.
    """
    translator = Translator(to=to, source=source, known=known)
    result = translator.translate(text)
    if len(translator.refusals) == 1:
        (refusal,) = translator.refusals
        raise IcebergSqlError(f"line {refusal.line}: {refusal.fact}", help=refusal.remedy)
    if translator.refusals:
        count = len(translator.refusals)
        remedies = [f"line {r.line}: {r.fact}: {r.remedy}" for r in translator.refusals]
        raise IcebergSqlError(f"{count} statements cannot be translated from {source} to {to}", help=remedies)
    return result


class UntranslatedStatement(NamedTuple):
    """A statement that cannot be translated. line: where it begins. fact, remedy: for the user."""

    line: int
    fact: str
    remedy: str


class Translator:
    """Translates scripts that follow each other: a table that one creates is known in the next ones.

    to, source: the engines. known: the tables before. refusals: of the last script. Raises IcebergSqlError for a name
    that is none of NAMES.
    """

    def __init__(self, *, to: str, source: str, known: Tables | None = None) -> None:
        for argument, name in (("to", to), ("source", source)):
            if name not in NAMES:
                raise IcebergSqlError(f"`{argument}` is one of {', '.join(NAMES)}, not `{name}`", argument=argument)
        self._to, self._source = to, source
        self._catalog = known.copy() if known is not None else Tables()
        self.refusals: list[UntranslatedStatement] = []
        self._lost: list[str] = []
        self._mark = "#" if to == PYICEBERG else "--"

    def translate(self, text: str) -> str:
        """The statements that can be translated; the others are comments with the reason, and in `refusals`.

        Empty if there is none.
        """
        self.refusals = []
        results: list[str] = []
        count, written_count = 0, 0
        for line, statement in self._spark_statements(text):
            results += self._comments(count)
            count = len(self.refusals)
            results += [f"{self._mark} {fact}\n" for fact in self._lost]
            self._lost = []
            with self._refusing(line):
                # A sort order of the source engine; Spark's are left to Spark.
                if self._to == SPARK != self._source and is_order(statement):
                    result = statement.text
                elif self._to == SPARK != self._source and has_query(statement):
                    apply_query(statement, self._catalog)
                    result = statement.text
                else:
                    result = self._written(statement, definition_of(statement, self._catalog))
                results.append(f"{result}\n" if self._to == PYICEBERG else f"{result};\n")
                written_count += 1
        results += self._comments(count)
        if not written_count:
            return ""
        return pyiceberg.with_imports("".join(results)) if self._to == PYICEBERG else "".join(results)

    def _comments(self, count: int) -> list[str]:
        """A comment for each refusal after the first `count`."""
        return [
            f"{self._mark} not translated: line {refusal.line}: {' '.join(refusal.fact.split())}\n"
            for refusal in self.refusals[count:]
        ]

    @contextmanager
    def _refusing(self, line: int) -> Iterator[None]:
        """Turn an error into a refusal."""
        try:
            yield
        except IcebergSqlError as error:
            fact, _, remedy = str(error).partition("\nhelp: ")
            self.refusals.append(UntranslatedStatement(getattr(error, "line", line), fact, remedy))

    def _written(self, statement: Statement, definition: Definition) -> str:
        if self._to == SPARK:
            return statement.text
        write = pyiceberg.write if self._to == PYICEBERG else SQL_ENGINES[self._to].write
        return write(definition)

    def _spark_statements(self, text: str) -> Iterator[tuple[int, Statement]]:
        """Spark's statements, each with the line of the statement or call that it is of."""
        if self._source == PYICEBERG:
            calls: list[tuple[int, str]] = []
            with self._refusing(1):
                calls = pyiceberg.read_program(text)
            for line, sql in calls:
                yield from ((line, statement) for statement in statements(sql))
            return
        for statement in statements(text):
            line = text.count("\n", 0, statement.start) + 1
            if self._source == SPARK:
                yield line, statement
                continue
            spark_texts: list[str] = []
            with self._refusing(line), losses() as lost:
                spark_texts = SQL_ENGINES[self._source].read(statement, self._catalog)
                self._lost += [f"line {line}: {' '.join(fact.split())}" for fact in lost]
            for sql in spark_texts:
                yield from ((line, spark_statement) for spark_statement in statements(sql))

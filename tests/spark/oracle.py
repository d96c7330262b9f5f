"""The real runtime as the oracle: runs a script on real tables and compares the checker's findings with the outcome.

Manually: `python tests/spark/oracle.py FILE.sql...` prints where the two disagree; `-v` prints all, `-a`
tries every procedure and metadata table on each table.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from probes import Probes, quoted
from pyspark.sql import DataFrame, SparkSession

from spark_iceberg_sql.checker.engine import check
from spark_iceberg_sql.diagnostics import Report, Severity
from spark_iceberg_sql.model.tables import Tables
from spark_iceberg_sql.spark.gate import intercept
from spark_iceberg_sql.syntax.routing import text_with_trivia
from spark_iceberg_sql.syntax.script import statements

# Errors of another kind: the runtime accepts the statement, but does something other than what is written. By code,
# words of the message.
_ANOTHER = {
    "SIS102": "",  # extra arguments are ignored: bucket(16, 32, id) makes bucket[16]
    "SIS103": "",  # a number beyond 32 bits wraps round: bucket(4294967312, id) makes bucket[16]
    "SIS213": "every INSERT would sort by the entry",  # m.value of a map with strings as keys is m['value']
    "SIS412": "",  # a branch's path changes the table
    "SIS413": "",  # bucket on a table of Spark's own makes CLUSTERED BY
}
# A statement of another engine, which Spark takes with its extension, and a view, which takes a catalog that has them.
_ELSEWHERE = re.compile("which Spark takes with its extension|neither Spark's grammar|view is not supported by catalog")
_NOT_THERE = re.compile(r"TABLE_OR_VIEW_NOT_FOUND|NoSuchTableException|cannot be found")


def first_line(error: Exception) -> str:
    """The first line of the runtime's error; for a Java trace, of the innermost cause."""
    text = str(error)
    if type(error).__name__ == "Py4JJavaError":
        causes = re.findall(r"(?:Caused by: |: )([\w.$]+(?:Exception|Error)[^\n]*)", text)
        return str(causes[-1] if causes else text[:200])
    return f"{type(error).__name__}: {text.strip().splitlines()[0]}"


def _trouble(ask: Callable[[], Any]) -> str | None:
    try:
        ask()
    except Exception as error:
        return first_line(error)
    return None


@dataclass
class Runtime:
    """A Spark session with an Iceberg catalog `local`, used without the gate."""

    spark: SparkSession
    sql: Callable[[str], DataFrame] = field(init=False)

    def __post_init__(self) -> None:
        self.sql = intercept.unchecked_sql(self.spark)

    def clear(self) -> None:
        """Reset to an empty `local.db` as the current namespace, no table in Spark's own catalog, default settings."""
        for setting in ("caseSensitive", "session.timeZone", "ansi.doubleQuotedIdentifiers"):
            self.sql(f"RESET spark.sql.{setting}")
        self.sql("CREATE NAMESPACE IF NOT EXISTS local.db")
        self.sql("USE spark_catalog.default")
        for namespace in ("spark_catalog.default", "local.db"):
            for row in self.sql(f"SHOW TABLES IN {namespace}").collect():
                where = "" if row.isTemporary else f"{namespace}."
                kind = "VIEW" if row.isTemporary else "TABLE"
                try:
                    self.sql(f"DROP {kind} IF EXISTS {where}{quoted(row.tableName)}")
                except Exception:  # some damaged tables cannot even be dropped
                    warehouse = self.spark.conf.get("spark.sql.catalog.local.warehouse")
                    shutil.rmtree(Path(warehouse) / "db" / row.tableName, ignore_errors=True)
        self.sql("USE local.db")

    def refusal(self, statement: str, *, rows: bool = False) -> str | None:
        """Run a statement, of a query the analysis or its rows; return the runtime's error, or None."""
        return _trouble(lambda: self.sql(statement).collect() if rows else self.sql(statement))

    def tables(self) -> list[str]:
        """The full names of the tables in `local.db`."""
        rows = self.sql("SHOW TABLES IN local.db").collect()
        return [f"local.db.{quoted(row.tableName)}" for row in rows if not row.isTemporary]

    def fill(self) -> None:
        """Insert a few rows into every table, so that each spec has files."""
        for table in self.tables():
            with suppress(Exception):  # `damage` reports what is wrong with it
                Probes(self.spark, self.sql, table).fill()

    def damage(self, *, how: str = "quick", first: bool = False) -> list[str]:
        """The statements that fail on the existing tables.

        how: `quick` by analysis and metadata, `thorough` by writing and rewriting, `everything` by all
        probes (see probes.py). first: whether one failure is enough.
        """
        failures = []
        for table in self.tables():
            probes = Probes(self.spark, self.sql, table)
            if trouble := _trouble(lambda table=table: self.spark.table(table)):
                failures.append(f"nothing loads {table}: {trouble}")
                continue
            # Iceberg's cache keeps tables from before an ALTER, which may cause or hide a failure.
            self.sql(f"REFRESH TABLE {table}")
            for name, ask in getattr(probes, how)():
                trouble = _trouble(ask)
                if trouble is not None:
                    failures.append(f"{name} on {table}: {trouble}")
                    if first:
                        return failures
        return failures

    def metadata(self, table: str) -> dict[str, Any]:
        """A table's metadata.json, in one call."""
        current = Probes(self.spark, self.sql, table).java().operations().current()
        parser = self.spark._jvm.org.apache.iceberg.TableMetadataParser
        return dict(json.loads(parser.toJson(current)))


@dataclass(frozen=True)
class Outcome:
    """The outcome of a script on the runtime, and where the checker differs from it."""

    report: Report
    log: tuple[str, ...]
    disagreements: tuple[str, ...]


def judge(runtime: Runtime, text: str, tables: Tables | None = None, *, how: str = "quick") -> Outcome:
    """Run a script on an empty catalog and compare, statement by statement.

    An error must be refused or leave damage; everything else must be accepted; and without any
    finding, no damage may be left.
    """
    if tables is None:
        tables = Tables(catalog="local", namespace=("db",), complete=True)
    report = check(text, tables)
    runtime.clear()
    log, wrong = [], []
    lost = False  # whether a CREATE was refused, as predicted: then statements on its table are refused as well
    for statement in statements(text):
        mine = [d for d in report if statement.head <= d.span.start < max(statement.tail, statement.end)]
        mine = [d for d in mine if d.span.start >= statement.start or d.severity is Severity.ERROR]
        codes = ", ".join(f"{d.code} {d.severity}: {d.message}" for d in mine) or "nothing"
        error = any(d.severity is Severity.ERROR for d in mine)
        refusal = runtime.refusal(text_with_trivia(statement))
        line = " ".join(statement.text.split())
        if how != "quick" and not refusal:
            runtime.fill()
        log.append(f"{'refused ' if refusal else 'accepted'} | {line}\n     ours: {codes}\n     its: {refusal}")
        lost = lost or bool(refusal and error and re.match(r"CREATE|REPLACE", line, re.IGNORECASE))
        is_elsewhere = refusal and _ELSEWHERE.search(codes + refusal)
        if refusal and not error and not is_elsewhere and not (lost and _NOT_THERE.search(refusal)):
            wrong.append(f"REFUSED, UNSAID: {line}\n     ours: {codes}\n     its: {refusal}")
        elif error and not refusal:
            damage = runtime.damage(how="thorough", first=True)
            if statement.first in ("SELECT", "WITH") and (trouble := runtime.refusal(statement.text, rows=True)):
                damage = [trouble]
            if not damage and not any(d.code in _ANOTHER and _ANOTHER[d.code] in d.message for d in mine):
                wrong.append(f"ACCEPTED, NO DAMAGE, BUT AN ERROR: {line}\n     ours: {codes}")
            log += [f"     damage: {item}" for item in damage]
            return Outcome(report, tuple(log), tuple(wrong))
    if all(d.severity is Severity.NOTE or d.code == "SIS003" for d in report) and not wrong:
        damage = runtime.damage(how=how)
        line = " ".join(text.split())
        wrong += [f"DAMAGED, UNSAID: {line}\n     {item}" for item in damage]
    return Outcome(report, tuple(log), tuple(wrong))


def main(paths: list[str]) -> int:
    """Compare the cases of files: those under `-- case:` lines, or else the whole file as one script."""
    sys.path.insert(0, str(Path(__file__).parent.parent))
    from cases import cases_of

    import spark_iceberg_sql

    verbose, how = "-v" in paths, "everything" if "-a" in paths else "thorough"
    config = {"spark.master": "local[2]", "spark.driver.memory": "1g", "spark.sql.shuffle.partitions": "1"}
    folder = Path(tempfile.mkdtemp(prefix="oracle-"))
    config["spark.sql.warehouse.dir"] = str(folder / "spark")
    runtime = Runtime(spark_iceberg_sql.session(folder / "warehouse", config=config))
    count = bad = 0
    for path in [p for p in paths if p not in ("-a", "-v")]:
        text = Path(path).read_text()
        for name, script in [(c.name, c.text) for c in cases_of(text, path)] or [(path, text)]:
            outcome = judge(runtime, script, how=how)
            count += 1
            bad += bool(outcome.disagreements)
            if verbose or outcome.disagreements:
                print(f"\n## {name}")
                print("\n".join(outcome.log if verbose else ()), *outcome.disagreements, sep="\n  ", flush=True)
    print(f"\n{count} cases, {bad} with disagreements")
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

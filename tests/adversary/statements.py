"""Statements with a predicate: queries of many shapes in one, row-level changes, maintenance, streams."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from pyspark.sql import functions as F  # noqa: N812

import spark_iceberg_sql as sis
from adversary import arrow
from adversary.harness import FAILS, Harness, Made
from adversary.truth.changes import REFUSED_OVERWRITE

# {t}: the table, {v}: the copy of its rows, {p}: the predicate, {k}: a number. Each returns k and r.
SHAPES = {
    "select": "SELECT {k} AS k, r FROM {t} WHERE {p}",
    "count": "SELECT {k} AS k, CAST(count(*) AS int) AS r FROM {t} WHERE {p}",
    "inner select": "SELECT {k} AS k, r FROM (SELECT * FROM {t}) AS x WHERE {p}",
    "IN": "SELECT {k} AS k, r FROM {v} WHERE r IN (SELECT r FROM {t} WHERE {p})",
    "EXISTS": "SELECT {k} AS k, o.r FROM {v} o WHERE EXISTS (SELECT 1 FROM {t} x WHERE x.r = o.r AND {p})",
    "join": "SELECT {k} AS k, o.r FROM (SELECT r AS rr FROM {v}) q JOIN {t} o ON o.r = q.rr WHERE {p}",
    "outer join": "SELECT {k} AS k, o.r FROM (SELECT r AS rr FROM {v}) q LEFT JOIN {t} o "
    "ON o.r = q.rr AND {p} WHERE o.r IS NOT NULL",
    "semi join": "SELECT {k} AS k, o.r FROM (SELECT * FROM {t} WHERE {p}) o LEFT SEMI JOIN {t} b ON o.r = b.r",
    "having": "SELECT {k} AS k, r FROM {t} WHERE {p} GROUP BY r HAVING count(*) > 0",
    "case": "SELECT {k} AS k, max(CASE WHEN {p} THEN r END) AS r FROM {t} WHERE {p} GROUP BY r",
}
CHANGES = {
    "DELETE": "DELETE FROM {t} WHERE {p}",
    "UPDATE": "UPDATE {t} SET mark = 1 WHERE {p}",
    "MERGE delete": "MERGE INTO {t} o USING (SELECT r AS rr FROM {v}) q ON o.r = q.rr AND {p} WHEN MATCHED THEN DELETE",
    "MERGE update": "MERGE INTO {t} o USING (SELECT r AS rr FROM {v}) q ON o.r = q.rr "
    "WHEN MATCHED AND {p} THEN UPDATE SET mark = 1",
    "REPLACE WHERE": "INSERT INTO {t} REPLACE WHERE {p} SELECT * FROM {t} WHERE false",
    "overwrite": "-- spark.table('{t}').where('false').writeTo('{t}').overwrite(expr(\"{p}\"))",
    "rewrite": "CALL {c}.system.rewrite_data_files(table => '{t}', where => \"{p}\", "
    "options => map('rewrite-all', 'true'))",
    "stream": "-- spark.readStream.table('{t}').where(\"{p}\"), Trigger.AvailableNow",
}
LIVES = ("uninstall", "uninstall", "zone", "view")


@dataclass(frozen=True)
class Case:
    """A predicate with its statement and settings; `life`: what happens between analysis and execution."""

    statement: str
    predicate: str
    settings: tuple[tuple[str, str], ...]
    life: str = ""

    def text(self, iceberg_table: Made) -> str:
        form = SHAPES.get(self.statement) or CHANGES[self.statement]
        catalog = iceberg_table.name.partition(".")[0]
        return form.format(t=iceberg_table.name, v=iceberg_table.view, p=self.predicate, k=0, c=catalog)


Answer = Any  # the rows, a frozenset, or the exception
# What may be refused: to replace or rewrite whole files by a condition that Iceberg cannot take, which it says in many
# ways, and a session variable in such a condition and in MERGE, before Spark 4.1 in UPDATE, too. OURS: where Iceberg
# would replace wrong rows.
_CONDITION = (*REFUSED_OVERWRITE, "cannot translate", "cannot be cast to class", "invalid value for conversion")
REFUSED = dict.fromkeys(("REPLACE WHERE", "overwrite", "rewrite"), _CONDITION)
REFUSED |= dict.fromkeys(("REPLACE WHERE", "overwrite"), (*_CONDITION, "parameter with name `v"))
REFUSED |= dict.fromkeys(("MERGE delete", "MERGE update", "UPDATE"), ("unresolved_column",))
OURS = "rows cannot be replaced by a condition"


def expected(case: Case, made_rows: frozenset[int], true: frozenset[int]) -> Answer:
    """The expected result of the statement if the predicate is true for these rows."""
    if case.statement == "count":
        return frozenset([len(true)])
    if case.statement in ("DELETE", "MERGE delete", "REPLACE WHERE", "overwrite"):
        return made_rows - true
    if case.statement == "rewrite":
        return made_rows
    return true  # the rows that a query returns, or that an UPDATE marks


def queries(harness: Harness, iceberg_table: Made, cases: list[Case], switch: str = "") -> list[Answer]:
    """The answers of queries with the same settings and life, run as one query unless it fails."""
    life = cases[0].life

    def run(part: list[Case]) -> list[Answer]:
        texts = [
            SHAPES[c.statement].format(t=iceberg_table.name, v=iceberg_table.view, p=c.predicate, k=k)
            for k, c in enumerate(part)
        ]
        # In one task, since every task would receive the plan of all.
        frame = harness.sql("\nUNION ALL ".join(texts)).coalesce(1)
        row_numbers: dict[int, set[int]] = {}
        for batch in _collect(harness, frame, life).to_batches():
            for k, r in zip(batch.column(0).to_pylist(), batch.column(1).to_pylist(), strict=True):
                row_numbers.setdefault(k, set()).add(r)
        return [frozenset(row_numbers.get(k, ())) for k in range(len(part))]

    with harness.conf(dict(cases[0].settings)):
        return harness.split(cases, run)


def _collect(harness: Harness, frame: Any, life: str) -> Any:
    if life == "uninstall":  # analysed while installed, run while not
        sis.uninstall(harness.spark)
        try:
            return arrow.table(frame)
        finally:
            sis.install(harness.spark)
    if life == "zone":
        zone = harness.spark.conf.get("spark.sql.session.timeZone")
        with harness.conf({"spark.sql.session.timeZone": "Asia/Tokyo" if zone != "Asia/Tokyo" else "UTC"}):
            return arrow.table(frame)
    if life == "view":
        frame.createOrReplaceTempView("made_before")
        return arrow.table(harness.sql("SELECT * FROM made_before WHERE k >= 0"))
    return arrow.table(frame)


def change(harness: Harness, iceberg_table: Made, case: Case) -> Answer:
    """The table's rows, or those marked, after the statement; the table is then as before."""
    kind = case.statement
    with harness.conf(dict(case.settings)):
        try:
            if kind == "stream":
                return _stream(harness, iceberg_table, case.predicate)
            try:
                if kind == "overwrite":
                    none = harness.spark.table(iceberg_table.name).where("false")
                    none.writeTo(iceberg_table.name).overwrite(F.expr(case.predicate))
                else:
                    harness.sql(case.text(iceberg_table)).collect()
                marked = " WHERE mark + 0 = 1" if kind in ("UPDATE", "MERGE update") else ""
                left = harness.sql(f"SELECT r FROM {iceberg_table.name}{marked}").collect()
                return frozenset(row.r for row in left)
            finally:
                _back(harness, iceberg_table)
        except FAILS as error:
            return error


def _back(harness: Harness, iceberg_table: Made) -> None:
    catalog = iceberg_table.name.partition(".")[0]
    harness.sql(
        f"CALL {catalog}.system.rollback_to_snapshot('{iceberg_table.name}', {iceberg_table.snapshot})"
    ).collect()


def _stream(harness: Harness, iceberg_table: Made, predicate: str) -> Answer:
    name = f"sunk{iceberg_table.name.rsplit('.', 1)[-1]}"
    query = (
        harness.spark.readStream.table(iceberg_table.name)
        .where(predicate)
        .select("r")
        .writeStream.format("memory")
        .queryName(name)
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination(60)
    rows = frozenset(row.r for row in harness.sql(f"SELECT r FROM {name}").collect())
    harness.spark.catalog.dropTempView(name)
    return rows


def run(harness: Harness, iceberg_table: Made, case: Case) -> Answer:
    """The answer of one case."""
    if case.statement in SHAPES:
        return queries(harness, iceberg_table, [case])[0]
    return change(harness, iceberg_table, case)


def over_copy(harness: Harness, iceberg_table: Made, case: Case, rows: frozenset[int]) -> Answer:
    """The answer of the same query over the copy; of another statement, what it makes of the rows a query returns."""
    copy, life = replace(iceberg_table, name=iceberg_table.view), case.life.replace("uninstall", "")
    with harness.off():
        if case.statement in SHAPES:
            return queries(harness, copy, [replace(case, life=life)])[0]
        true = queries(harness, copy, [replace(case, statement="select", life=life)])[0]
    return expected(case, rows, true) if isinstance(true, frozenset) else true


def is_refused(harness: Harness, iceberg_table: Made, case: Case, error: Exception) -> bool:
    """Whether such a statement may be refused with this predicate, and is by Iceberg alone or by a sentence of ours."""

    def refuses(answer: Answer) -> bool:
        phrases = REFUSED.get(case.statement, ())
        return isinstance(answer, Exception) and any(word in str(answer).lower() for word in phrases)

    if not refuses(error):
        return case.statement in ("REPLACE WHERE", "overwrite") and OURS in str(error)
    with harness.off():
        return refuses(run(harness, iceberg_table, case))


def suits(statement: str, predicate: str, iceberg_table: Made) -> bool:
    """Whether the statement can contain the predicate at all: a CALL's text is in double quotes."""
    if statement == "stream":
        return iceberg_table.appended
    return statement != "rewrite" or ('"' not in predicate and "\\" not in predicate)


def settings(rng: Random, zone: str, draw_zone: Callable[[], str]) -> tuple[tuple[str, str], ...]:
    """Settings of a batch: usually the table's zone, and ANSI on or off; others occasionally."""
    chosen = {
        "spark.sql.session.timeZone": zone if rng.random() < 0.75 else draw_zone(),
        "spark.sql.ansi.enabled": rng.choice(("true", "false")),
    }
    if rng.random() < 0.08:
        chosen["spark.sql.codegen.wholeStage"] = "true"
        chosen["spark.sql.codegen.factoryMode"] = "CODEGEN_ONLY"
    if rng.random() < 0.1:
        chosen["spark.sql.caseSensitive"] = "true"
    if rng.random() < 0.1:
        chosen["spark.sql.legacy.timeParserPolicy"] = "LEGACY"
    if rng.random() < 0.2:
        chosen["spark.sql.iceberg.vectorization.enabled"] = "false"
    if rng.random() < 0.1:
        chosen["spark.sql.adaptive.enabled"] = "true"
    return tuple(chosen.items())

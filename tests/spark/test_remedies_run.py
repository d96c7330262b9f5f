"""The checker's remedies and the results of --fix, run on the runtime."""

from __future__ import annotations

import re
from typing import Any

import pytest
from breakings import broken
from oracle import Runtime
from pyspark.sql import SparkSession
from samples import share
from test_remedies import clauses, findings

from spark_iceberg_sql.checker import fixes
from spark_iceberg_sql.checker.engine import check
from spark_iceberg_sql.model.tables import Tables
from spark_iceberg_sql.spark.bridge.gate import requests

_VERBS = ("ALTER TABLE ", "CREATE ", "DROP ", "CALL ", "SELECT ", "DELETE ", "DESCRIBE ", "SET ")
_CLAUSE = re.compile(r"(USING|PARTITIONED BY|TBLPROPERTIES|LOCATION|COMMENT) \S.*", re.DOTALL)
_CHANGE = re.compile(r"((ADD|DROP|REPLACE) (PARTITION FIELD|COLUMNS?)|RENAME COLUMN|ALTER COLUMN) \S.*", re.DOTALL)
_TERM = re.compile(r"(bucket|truncate|years|months|days|hours)\(.*\)( AS (\w+|`[^`]+`))?", re.DOTALL)


def carried(clause: str) -> list[str]:
    """The statements in which a clause is parsed; none if it is only a word or a pattern."""
    if "..." in clause or re.search(r"\{\{|\$\{|[{}]", clause):
        return []
    if clause.startswith(_VERBS) and not re.fullmatch(r"[A-Z ]+(\S+)?", clause):
        return [part.strip() for part in clause.split("; ")]
    if _CLAUSE.fullmatch(clause):
        if clause.startswith("USING ("):
            return [f"MERGE INTO t {clause} ON t.id = q.id WHEN MATCHED THEN DELETE"]
        using = "" if clause.startswith("USING") else "USING iceberg "
        return [f"CREATE TABLE t (c INT) {using}{clause}"]
    if _CHANGE.fullmatch(clause):
        return [f"ALTER TABLE t {clause}"]
    if _TERM.fullmatch(clause):
        return [f"ALTER TABLE t ADD PARTITION FIELD {clause}"]
    return []


def test_the_runtime_s_parser_reads_every_clause(spark: SparkSession) -> None:
    parser = requests.parser_without_gate(spark)
    wrong, read = [], 0
    parsed_texts: set[str] = set()
    for case, d in findings():
        for clause in clauses(d.help or ""):
            for text in carried(clause):
                if text in parsed_texts:
                    continue
                parsed_texts.add(text)
                read += 1
                try:
                    parser.parsePlan(text)
                except Exception as error:
                    why = next(iter(str(error).strip().splitlines()[1:]), str(error))
                    wrong.append(f"{d.code} {text}: {why} ({case.name})")
    assert not wrong, "\n".join(wrong)
    assert read > 240


def state(runtime: Runtime) -> list[Any]:
    """The existing tables, without what differs between runs."""
    keys = ("format-version", "partition-specs", "default-spec-id", "last-partition-id", "schemas")
    tables = sorted(runtime.tables())
    table_metadata = [(table, runtime.metadata(table)) for table in tables]
    return [(table, {key: metadata.get(key) for key in keys}) for table, metadata in table_metadata]


def run(runtime: Runtime, script: list[str]) -> list[bool]:
    runtime.clear()
    return [runtime.refusal(statement) is None for statement in script]


@pytest.mark.parametrize("seed", share(range(0, 1000, 50), 3))
def test_a_fix_makes_the_table_that_was_asked_for(spark: SparkSession, seed: int) -> None:
    """A statement that runs creates the same table with the fix; one that fails creates the intended table."""
    runtime = Runtime(spark)
    script = broken(seed)
    tables = Tables(catalog="local", namespace=("db",), complete=True)
    done = fixes.apply_fixes(script.text, lambda text: check(text, tables))
    fixed = done.text.split(";\n")
    for number, (before, now) in enumerate(zip(script.broken, fixed, strict=True)):
        if before == now:
            continue
        run(runtime, fixed[:number])
        start = state(runtime)
        if runtime.refusal(before) is not None:
            assert state(runtime) == start, before
            continue
        as_it_was = state(runtime)
        run(runtime, fixed[: number + 1])
        assert state(runtime) == as_it_was, (before, now)
    if fixed == list(script.asked):
        return
    ran = run(runtime, fixed)
    with_fixes = state(runtime)
    intended = run(runtime, list(script.asked))
    if ran == intended:
        assert with_fixes == state(runtime), seed

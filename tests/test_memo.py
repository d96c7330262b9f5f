"""A text that is checked again after a change: what is found is what a first check finds."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from cases import page_cases
from samples import sampled

from spark_iceberg_sql.checker.engine import check, check_and_apply
from spark_iceberg_sql.checker.files.linter import Linter
from spark_iceberg_sql.checker.statement_cache import StatementCache
from spark_iceberg_sql.config.configuration import Configuration
from spark_iceberg_sql.files.discovery import extract_source
from spark_iceberg_sql.model.tables import Tables
from spark_iceberg_sql.syntax import nodes

# What people type and paste; `;` and quotes change where statements end.
TYPED = (
    *(";", ";\n", "'", '"', "`", "(", ")", ",", "\n", "\r\n", " ", "/*", "*/", "--", "-- noqa\n", "{{ x }}", "🙂"),
    *("-- iceberg-sql: ignore[SIS101]\n", "-- iceberg-sql: ignore\n", "-- noqa: SIS104", "-- iceberg-sql: skip-file\n"),
    *("days(ts)", "weeks(ts)", "bucket(16, id)", "id", "nope", "ts", "TIMESTAMP", "STRING", "BIGINT", "using", "x"),
    "SELECT 1;\n",
    "INSERT INTO t VALUES (1);\n",
    "INSERT INTO t PARTITION (ts_day = 1) VALUES (1);\n",
    "ALTER TABLE t.branch_x ADD PARTITION FIELD id;\n",
    "ALTER TABLE t CREATE BRANCH x;\n",
    "BEGIN\nDROP TABLE t;\nEND;\n",
    "EXECUTE IMMEDIATE 'DROP TABLE t';\n",
    "USE other.db;\n",
    "SET spark.sql.caseSensitive = true;\n",
    "SET spark.sql.session.timeZone = 'Asia/Tokyo';\n",
    "DROP TABLE t;\n",
    "DROP NAMESPACE db CASCADE;\n",
    "CALL local.system.migrate('t');\n",
    "ALTER TABLE t RENAME TO u;\n",
    "CREATE TEMPORARY VIEW t AS SELECT 1;\n",
    "CREATE TABLE t (id BIGINT, ts TIMESTAMP, s STRING) USING iceberg PARTITIONED BY (days(ts));\n",
    "CREATE TABLE t LIKE u;\n",
    "CREATE OR REPLACE TABLE t (ts DATE) USING iceberg PARTITIONED BY (ts);\n",
    "ALTER TABLE t ADD PARTITION FIELD bucket(id, 16);\n",
    "ALTER TABLE t DROP PARTITION FIELD ts_day;\n",
    "ALTER TABLE t DROP COLUMN s;\n",
    "CREATE TABLE o (a INT) WITH (format = 'PARQUET');\n",
)  # fmt: skip


def scripts(chance: random.Random) -> str:
    """A script of the rules' examples and of what people type, so that statements meet."""
    parts = chance.choices([case.text for case in page_cases()], k=3) + chance.choices(TYPED, k=9)
    chance.shuffle(parts)
    return ";\n".join(parts)


def edited(text: str, chance: random.Random) -> str:
    """The text after an edit: a keystroke, a paste, a deletion, lines moved."""
    start = chance.randint(0, len(text))
    end = min(len(text), start + chance.choice((0, 0, 1, 1, 5, 40)))
    kind = chance.randrange(5)
    if kind == 0:
        return text[:start] + text[end:]
    if kind == 1:
        return text[:start] + text[end:] + text[start:end]
    if kind == 2:
        return text[:start] + chance.choice(text or " ") + text[start:]
    return text[:start] + chance.choice(TYPED) + text[end:]


@pytest.mark.parametrize("seed", sampled(range(32), 8))
def test_random_edits(seed: int) -> None:
    chance = random.Random(seed)
    memo, tables = StatementCache(), Tables(catalog=chance.choice((None, "local")))
    text = before = scripts(chance)
    for _ in range(12):
        again, fresh = check(text, tables, statement_cache=memo), check(text, tables)
        assert again == fresh, text
        left, expected_tables = tables.copy(), tables.copy()
        assert check_and_apply(text, left, statement_cache=memo) == check_and_apply(text, expected_tables)
        for name in ("t", "u", "events", "orders"):
            table, right = left.get((name,)), expected_tables.get((name,))
            assert (table is None) == (right is None), text
            assert getattr(table, "specs", None) == getattr(right, "specs", None), text
        before, text = text, before if chance.random() < 0.1 else edited(text, chance)


@pytest.mark.parametrize("seed", sampled(range(12), 3))
def test_random_edits_of_a_program(seed: int, tmp_path: Path) -> None:
    """The same in a program's strings, and in a template: both are checked in several texts."""
    chance = random.Random(seed)
    name = str(tmp_path / ("a.py" if seed % 2 else "a.sql"))
    linter, memo = Linter(), StatementCache()
    settings = Configuration().of(tmp_path)
    sql = scripts(chance)
    for _ in range(6):
        sql = edited(sql, chance)
        texts = [part for part in sql.split(";") if part.strip()]
        if seed % 2:
            indented = "\n".join(f"    spark.sql({part!r})" for part in texts[: len(texts) // 2])
            plain = "\n".join(f"spark.sql({part!r})" for part in texts[len(texts) // 2 :])
            text = f"import pyspark\ndef f():\n    pass\n{indented}\nif x:\n    f()\n{plain}\n"
        else:
            text = ";".join(f"{{% if a %}}{p}{{% else %}} SELECT 1 {{% endif %}}" for p in texts)
        source = extract_source(name, text)
        assert linter.lint(source, settings, memo) == linter.lint(source, settings), text


def test_only_what_changed_is_judged_again(monkeypatch: pytest.MonkeyPatch) -> None:
    from spark_iceberg_sql.checker import engine

    judged: list[str] = []

    def judge(context):  # type: ignore[no-untyped-def]
        if not isinstance(context.node, nodes.SparkText):  # its words alone are read
            judged.append(context.statement.text)
        return real(context)

    real = engine.run_rules
    monkeypatch.setattr(engine, "run_rules", judge)
    a, b = (f"CREATE TABLE {n} (id BIGINT, ts TIMESTAMP) USING iceberg" for n in "ab")
    alters = [f"ALTER TABLE {n} ADD PARTITION FIELD days(ts)" for n in "ab"]
    memo = StatementCache()
    check(";\n".join([a, b, *alters]), statement_cache=memo)
    assert judged == [a, b, *alters]
    judged.clear()
    changed = a.replace("BIGINT", "STRING")
    check(";\n".join(["SELECT 1", changed, b, *alters]), statement_cache=memo)
    # A SELECT more leaves the tables as they were, but those created behind it are still known to be empty.
    assert changed in judged
    judged.clear()
    check(";\n".join(["SELECT 1", a, b, *alters]), statement_cache=memo)
    check(";\n".join(["SELECT 12", changed, b, *alters]), statement_cache=memo)
    judged.clear()
    check(";\n".join(["SELECT 12", a.replace("ts", "tt"), b, *alters]), statement_cache=memo)
    assert judged == [a.replace("ts", "tt"), alters[0]]
    judged.clear()
    check("\n\n;".join(["SELECT 12", a.replace("ts", "tt"), b, *alters]), statement_cache=memo)
    check(";\n".join([*alters, "SELECT 12", a.replace("ts", "tt"), b]), statement_cache=memo)
    assert alters[1] in judged

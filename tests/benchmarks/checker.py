"""Statements a second: our check, Spark's parser through py4j, sqlglot and sqlfluff, side by side in one run.

python tests/benchmarks/checker.py            all of it, some minutes
python tests/benchmarks/checker.py --no-spark what needs no Java
python tests/benchmarks/checker.py --tools    processor time beside other tools' (sqlglot, sqlfluff, sqruff,
                                              squawk; ruff over Python of the same size), those that are installed
"""

from __future__ import annotations

import gc
import logging
import os
import random
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from spark_iceberg_sql.checker.engine import check
from spark_iceberg_sql.syntax.parser import parse
from spark_iceberg_sql.syntax.script import statements

ROUNDS = 5
SIZES = (100, 1_000, 10_000)
# Of a hundred statements of a warehouse's script, about thirty are partition DDL.
TEN = (
    (
        "CREATE TABLE db.t{i} (id BIGINT, ts TIMESTAMP, name STRING, price DECIMAL(9, 2)) USING iceberg "
        "PARTITIONED BY (days(ts), bucket(16, id))"
    ),
    "INSERT INTO db.t{i} VALUES (1, current_timestamp(), 'a', 1.0), (2, current_timestamp(), 'b', 2.0)",
    "SELECT id, count(*) FROM db.t{i} WHERE ts > '2024-01-01' GROUP BY id ORDER BY 2 DESC LIMIT 10",
    "ALTER TABLE db.t{i} REPLACE PARTITION FIELD ts_day WITH hours(ts)",
    (
        "MERGE INTO db.t{i} t USING s ON t.id = s.id WHEN MATCHED THEN UPDATE SET t.name = s.name "
        "WHEN NOT MATCHED THEN INSERT *"
    ),
    "ALTER TABLE db.t{i} ADD PARTITION FIELD truncate(4, name)",
    (
        "WITH a AS (SELECT * FROM db.t{i}), b AS (SELECT id, max(price) AS p FROM a GROUP BY id) "
        "SELECT a.name, b.p FROM a JOIN b ON a.id = b.id WHERE b.p BETWEEN 1 AND 100"
    ),
    "DELETE FROM db.t{i} WHERE id = {i} AND name LIKE 'a%'",
    "UPDATE db.t{i} SET price = price * 1.1 WHERE ts < TIMESTAMP '2024-01-01 00:00:00'",
    "DROP VIEW IF EXISTS db.v{i}",
)

DDL = (0, 3, 5)


def script(count: int) -> str:
    """This many statements."""
    return ";\n".join(TEN[i % 10].format(i=i // 10) for i in range(count)) + ";\n"


def varied(count: int) -> str:
    """The same, but each table has up to twelve columns that no other has, and no two tables need be alike."""
    choose = random.Random(count)
    names = ("user", "order", "item", "region", "amount", "status", "source", "score", "kind", "device")
    types = ("BIGINT", "INT", "STRING", "DOUBLE", "DATE", "TIMESTAMP", "BOOLEAN", "DECIMAL(18, 4)")
    types = (*types, "ARRAY<STRING>", "STRUCT<a: INT, b: STRING>", "VARCHAR(40)")
    lines = []
    for i in range(count):
        line = TEN[i % 10].format(i=i // 10)
        if i % 10 == 0:
            more = (
                f", {choose.choice(names)}_{number} {choose.choice(types)}" for number in range(choose.randrange(9))
            )
            line = line.replace(") USING", f"{''.join(more)}) USING")
        lines.append(line)
    return ";\n".join(lines) + ";\n"


def ours(text: str) -> None:
    report = check(text)
    assert report.ok, report.errors[:3]


def parsed(text: str) -> None:
    """The lexer and the parser alone, without the rules."""
    for statement in statements(text):
        parse(statement)
        statement.release_tokens()  # as the check does


def glot(text: str) -> None:
    import sqlglot

    logging.disable(logging.WARNING)  # it says of each PARTITION FIELD that it does not know it

    sqlglot.parse(text, read="spark", error_level=sqlglot.ErrorLevel.IGNORE)


def fluff(text: str) -> None:
    import sqlfluff

    sqlfluff.lint(text, dialect="sparksql")


def spark_parser(folder: str) -> Callable[[str], None]:
    import spark_iceberg_sql as sis
    from spark_iceberg_sql.spark.bridge.gate import requests

    session = sis.session(folder, config={"spark.master": "local[2]", "spark.driver.memory": "1g"})
    parser = requests.parser_without_gate(session)

    def parse(text: str) -> None:
        for statement in statements(text):
            parser.parsePlan(statement.text)

    return parse


def rates(run: Callable[[str], None], count: int, rounds: int) -> list[float]:
    text = script(count)
    speeds = []
    for _ in range(rounds):
        begun = time.perf_counter()
        run(text)
        speeds.append(count / (time.perf_counter() - begun))
    return sorted(speeds)


def row(name: str, count: int, speeds: list[float], base: float | None) -> None:
    median = statistics.median(speeds)
    against = f"{base / median:,.1f}" if base is not None else ""
    print(f"| {name} | {count:,} | {speeds[0]:,.0f} | {median:,.0f} | {speeds[-1]:,.0f} | {against} |", flush=True)


def thousand_files(folder: Path) -> None:
    """`iceberg-sql check` of 1,000 files of ten statements, and of one file."""
    many, single = folder / "many", folder / "one"
    many.mkdir()
    single.mkdir()
    for i in range(1_000):
        (many / f"{i:04}.sql").write_text(script(10).replace("db.t0", f"db.t{i}"))
    (single / "one.sql").write_text(script(10))
    print("\n| `iceberg-sql check` | wall, s: min | median | max |")
    print("|---|---|---|---|")
    for name, target, options in (
        ("one file of 10 statements", single, ("--no-cache",)),
        ("1,000 files of 10 statements, `-j 1`", many, ("--no-cache", "-j", "1")),
        ("1,000 files of 10 statements", many, ("--no-cache",)),
        ("1,000 files of 10 statements, again", many, ("--cache-dir", str(folder / "cache"))),
    ):
        command = [sys.executable, "-m", "spark_iceberg_sql", "check", *options]
        subprocess.run([*command, str(target)], capture_output=True, check=False)
        walls = []
        for _ in range(ROUNDS):
            begun = time.perf_counter()
            done = subprocess.run([*command, str(target)], capture_output=True, check=False)
            walls.append(time.perf_counter() - begun)
            assert done.returncode in (0, 1), done.stderr
        print(f"| {name} | {min(walls):.2f} | {statistics.median(walls):.2f} | {max(walls):.2f} |", flush=True)


def cpu(run: Callable[[], object]) -> float:
    """The processor time of this process and its children, in seconds."""
    gc.collect()  # what the other one left is not to be paid here
    begun = _spent()
    run()
    return _spent() - begun


def _spent() -> float:
    whose = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return sum(use.ru_utime + use.ru_stime for use in map(resource.getrusage, whose))


def tools() -> None:
    """Processor time of whole runs, alternating, as multiples of the check's own time for the same text."""
    with tempfile.TemporaryDirectory() as directory:
        folder = Path(directory)
        mixed, various, small = script(1_000), varied(1_000), script(100)
        general = ";\n".join(TEN[i % 10].format(i=i // 10) for i in range(1_430) if i % 10 not in DDL)
        lines = varied(3_000).split(";\n")
        ddl = ";\n".join(line for i, line in enumerate(lines) if line and i % 10 in DDL)
        python = Path(statistics.__file__).read_text()
        python = (python * (len(mixed) // len(python) + 1))[: len(mixed)].rpartition("\ndef ")[0]
        files = {"mixed.sql": mixed, "small.sql": small, "code.py": python}
        for name, text in files.items():
            (folder / name).write_text(text)
        (folder / ".sqruff").write_text("[sqruff]\ndialect = sparksql\n")

        def command(*arguments: str) -> Callable[[], object]:
            return lambda: subprocess.run([*arguments], cwd=folder, capture_output=True, check=False)

        check_command = [sys.executable, "-m", "spark_iceberg_sql", "check", "-j", "1", "--no-cache"]
        rows: list[tuple[str, Callable[[], object], Callable[[], object]]] = [
            ("sqlglot's parse, 30 % DDL", lambda: glot(mixed), lambda: check(mixed)),
            ("sqlglot's parse, own columns", lambda: glot(various), lambda: check(various)),
            ("sqlglot's parse, no DDL", lambda: glot(general), lambda: check(general)),
            ("sqlglot's parse, DDL, and our parser alone", lambda: glot(ddl), lambda: parsed(ddl)),
        ]
        for name, command_line, file in (
            ("sqlfluff lint", ["sqlfluff", "lint", "--dialect", "sparksql"], "small.sql"),
            ("sqruff lint", ["sqruff", "lint"], "mixed.sql"),
            ("squawk", ["squawk"], "mixed.sql"),
            ("ruff check, Python of this size", ["ruff", "check", "--isolated", "--no-cache"], ""),
        ):
            program = shutil.which(command_line[0], path=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
            if program is None:
                continue
            ours_on = command(*check_command, file or "mixed.sql")
            rows.append((name, command(program, *command_line[1:], file or "code.py"), ours_on))
        print("| tool | its time, s | the check's, s | ratio: median (min to max) |\n|---|---|---|---|")
        for name, other, check_run in rows:
            check_run(), other()
            pairs = [(cpu(other), cpu(check_run)) for _ in range(ROUNDS)]
            ratios = sorted(a / b for a, b in pairs)
            times = [statistics.median(seconds) for seconds in zip(*pairs, strict=True)]
            spread = f"{statistics.median(ratios):.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f})"
            print(f"| {name} | {times[0]:.3f} | {times[1]:.3f} | {spread} |", flush=True)


def main() -> None:
    if "--tools" in sys.argv:
        tools()
        return
    print("| who | statements | a second: min | median | max | times slower than ours |")
    print("|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        competitors: list[tuple[str, Callable[[str], None], int, int]] = [
            ("sqlglot, parse", glot, 10_000, 3),
            ("sqlfluff, lint", fluff, 100, 1),
        ]
        if "--no-spark" not in sys.argv:
            competitors.insert(0, ("Spark's parser, py4j", spark_parser(folder), 10_000, 3))
        for count in SIZES:
            ours(script(10))
            mine = rates(ours, count, ROUNDS)
            row("**check**", count, mine, None)
            base = statistics.median(mine)
            for name, run, largest, rounds in competitors:
                if count <= largest:
                    run(script(10))
                    row(name, count, rates(run, count, rounds if count < largest else 1), base)
        thousand_files(Path(folder))


if __name__ == "__main__":
    main()

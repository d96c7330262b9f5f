"""What the README promises, as statements that any client of Spark can send, and what they must answer.

`{t}` is a table of three days, `{i}` one partitioned by identity, `{location}` the folder of the first one, and
`{by_path}` the first one by path.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Step:
    """A statement. rows: its answer as text; matches: a pattern in the answer; refused: one in the error."""

    text: str
    rows: tuple[tuple[str, ...], ...] | None = None
    matches: str | None = None
    refused: str | None = None

    def fault(self, answer: Mapping[str, object]) -> str | None:
        """What is wrong with an answer, on one line; None if nothing is. answer: `rows` or `error`."""
        if "error" in answer:
            message = " ".join(str(answer["error"]).split())
            if self.refused is None:
                return message
            return None if re.search(self.refused, message) else f"the refusal is another one: {message}"
        if self.refused is not None:
            return "it was not refused"
        rows = answer["rows"]
        assert isinstance(rows, list)
        if self.rows is not None and rows != [list(row) for row in self.rows]:
            return f"it answers {rows} and not {[list(row) for row in self.rows]}"
        text = "\n".join("\t".join(map(str, row)) for row in rows)
        if self.matches is not None and not re.search(self.matches, text):
            return f"its answer has no {self.matches}: {' '.join(text.split())[-300:]}"
        return None


@dataclass(frozen=True, slots=True)
class Promise:
    """A sentence of the README. steps: in order; the last ones follow only from the first.

    with_python: it needs this package's Python half, which the jar alone does not have. heavy: it runs for
    seconds, so only a cluster that loses an executor is asked.
    """

    name: str
    title: str
    steps: tuple[Step, ...]
    with_python: bool = False
    heavy: bool = False


DAY = "DATE '2024-01-03'"

PROMISES = (
    Promise(
        "tables",
        "tables are created and written",
        (
            Step("CREATE NAMESPACE IF NOT EXISTS {catalog}.m"),
            Step(
                "CREATE TABLE {t} (id BIGINT, s STRING, ts TIMESTAMP) USING iceberg "
                "PARTITIONED BY (days(ts), bucket(2, id)) LOCATION '{location}'"
            ),
            Step(
                "INSERT INTO {t} SELECT id, concat('s', id), TIMESTAMP '2024-01-02 12:00:00' + "
                "make_dt_interval(CAST(id % 3 AS INT)) FROM range(60)"
            ),
            Step("CREATE TABLE {i} (x INT) USING iceberg PARTITIONED BY (x)"),
            Step("INSERT INTO {i} SELECT CAST(id AS INT) FROM range(8)"),
            Step("SELECT CAST(count(*) AS STRING) FROM {t}", rows=(("60",),)),
        ),
    ),
    Promise(
        "functions",
        "functions return the partition values",
        (
            Step(
                f"SELECT CAST(iceberg_bucket(16, 34L) AS STRING), CAST(iceberg_days({DAY}) AS STRING), "
                f"CAST(iceberg_months({DAY}) AS STRING), iceberg_truncate(2, 'iceberg')",
                rows=(("3", "2024-01-03", "648", "ic"),),
            ),
        ),
    ),
    Promise(
        "pruning",
        "filters on functions and ordinary predicates prune",
        (
            Step(f"SELECT CAST(count(*) AS STRING) FROM {{t}} WHERE iceberg_days(ts) = {DAY}", rows=(("20",),)),
            Step(f"EXPLAIN SELECT * FROM {{t}} WHERE iceberg_days(ts) = {DAY}", matches=r"day\(ts\) = 19725"),
            Step("SELECT CAST(count(*) AS STRING) FROM {t} WHERE date(ts) = DATE '2024-01-03'", rows=(("20",),)),
            Step("EXPLAIN SELECT * FROM {t} WHERE year(ts) = 2024", matches=r"ts >= "),
        ),
    ),
    Promise(
        "rows",
        "filters that Iceberg answers with wrong rows are right",
        (
            Step(
                "SELECT CAST(max(filtered) = max(counted) AS STRING) FROM ("
                "SELECT count(*) AS filtered, 0 AS counted FROM {i} WHERE {catalog}.system.bucket(4, x) = 2 "
                "UNION ALL SELECT 0, count_if(iceberg_bucket(4, x) = 2) FROM {i})",
                matches="(?i)^true$",
            ),
            Step("DELETE FROM {i} WHERE iceberg_bucket(4, x) = 2"),
            Step("SELECT CAST(count_if(iceberg_bucket(4, x) = 2) AS STRING) FROM {i}", rows=(("0",),)),
        ),
    ),
    Promise(
        "rules",
        "all optimizer rules are on",
        (
            Step("SELECT CAST(count_if(NOT enabled OR fault IS NOT NULL) AS STRING) FROM iceberg_rules()", (("0",),)),
            Step("SELECT CAST(count(*) > 10 AS STRING) FROM iceberg_rules()", matches="(?i)^true$"),
        ),
    ),
    Promise(
        "metadata",
        "counts by partition come from metadata",
        (
            Step(
                "SELECT CAST(iceberg_days(ts) AS STRING), CAST(count(*) AS STRING) FROM {t} GROUP BY 1 ORDER BY 1",
                rows=(("2024-01-02", "20"), ("2024-01-03", "20"), ("2024-01-04", "20")),
            ),
        ),
    ),
    Promise(
        "refusal",
        "wrong partition DDL is refused with the clause to write",
        (
            Step(
                "ALTER TABLE {t} ADD PARTITION FIELD days(s)",
                refused=r"SIS202.*`days` needs a date or a timestamp, but `s` is a string.*write `truncate\(10, s\)`",
            ),
            Step("SELECT code FROM iceberg_check('ALTER TABLE {t} ADD PARTITION FIELD days(s)')", rows=(("SIS202",),)),
        ),
        with_python=True,
    ),
    Promise(
        "acceptance",
        "right partition DDL runs",
        (
            Step("ALTER TABLE {t} ADD PARTITION FIELD truncate(2, s)"),
            Step("INSERT INTO {t} VALUES (60, 's60', TIMESTAMP '2024-01-05 00:00:00')"),
            Step("SELECT CAST(count(*) AS STRING) FROM {t} WHERE iceberg_truncate(2, s) = 's6'", rows=(("2",),)),
        ),
    ),
    Promise(
        "path",
        "a table is read by path",
        (Step(f"SELECT CAST(count(*) AS STRING) FROM {{by_path}} WHERE iceberg_days(ts) = {DAY}", rows=(("20",),)),),
        with_python=True,
    ),
    Promise(
        "explain",
        "explain, preview and health",
        (
            Step(
                "SELECT CAST(files < total_files AS STRING) FROM iceberg_explain('SELECT * FROM {t} WHERE id = 3')",
                matches="(?i)^true",
            ),
            Step("SELECT CAST(partitions AS STRING) FROM iceberg_preview('{t}', spec => 'days(ts)')", rows=(("4",),)),
            Step("SELECT CAST(count(*) > 0 AS STRING) FROM iceberg_health('{t}')", matches="(?i)^true$"),
        ),
        with_python=True,
    ),
    Promise(
        "loss",
        "a query survives the loss of an executor",
        (
            Step(
                "SELECT CAST(sum(n) AS STRING) FROM (SELECT iceberg_bucket(16, crc32(sha2(CAST(id AS STRING), 512))) "
                "AS bucket, count(*) AS n FROM range(0, 9000000, 1, 18) GROUP BY 1)",
                rows=(("9000000",),),
            ),
        ),
        heavy=True,
    ),
)
LOSS = "crc32("  # the statement in the middle of which the executor is killed


def statements(promises: tuple[Promise, ...], catalog: str, location: str, by_path: str) -> list[str]:
    """The statements of promises, with a cell's names. by_path: the table at the location as a table function."""
    names = {"{catalog}": catalog, "{t}": f"{catalog}.m.t", "{i}": f"{catalog}.m.i"}
    names |= {"{location}": location, "{by_path}": by_path}
    texts = [step.text for promise in promises for step in promise.steps]
    for name, value in names.items():
        texts = [text.replace(name, value) for text in texts]
    return texts


def faults(promises: tuple[Promise, ...], answers: list[Mapping[str, object]]) -> dict[str, str | None]:
    """What is wrong by promise, None if it holds. answers: of the statements, in order."""
    results: dict[str, str | None] = {}
    remaining = iter(answers)
    for promise in promises:
        step_faults = [
            step.fault(answer) if (answer := next(remaining, None)) is not None else "no answer"
            for step in promise.steps
        ]
        results[promise.name] = next(filter(None, step_faults), None)
    return results

"""Remedies are right: what the help says to write reads, takes the fault away, and brings no other."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from itertools import product
from random import Random

import goldens
import pytest
from cases import Case, checked, file_cases, page_cases
from grids import TYPES
from samples import sampled
from test_rule_words import CASES as WORDED
from test_rule_words import GOLDEN, words

from spark_iceberg_sql.checker.engine import check
from spark_iceberg_sql.checker.fixes import apply_fixes
from spark_iceberg_sql.diagnostics import Diagnostic, Report, Severity, apply_edits
from spark_iceberg_sql.model.tables import Tables
from spark_iceberg_sql.model.transforms import BY_NAME
from spark_iceberg_sql.syntax.lexer import tokenize
from spark_iceberg_sql.syntax.parser import parse
from spark_iceberg_sql.syntax.script import statements

COLUMNS = "id BIGINT, event_time TIMESTAMP, ts TIMESTAMP, dt DATE"
TABLE = f"CREATE TABLE db.t ({COLUMNS}) USING iceberg;\n"
BY_DAY = TABLE.replace(";", " PARTITIONED BY (days(event_time));")
# Mistakes that analysts make, the rule that reports each, and the clause to write.
MISTAKES: list[tuple[str, str, str]] = [
    (f"CREATE TABLE db.u ({COLUMNS}) USING iceberg PARTITIONED BY (year(ts), month(ts), day(ts))",
     "SIS303", "days(ts)"),
    (f"CREATE TABLE db.u ({COLUMNS}) USING iceberg PARTITIONED BY (hour(ts), year(ts), month(ts), day(ts))",
     "SIS303", "hours(ts)"),
    (TABLE + "ALTER TABLE db.t ADD IF NOT EXISTS PARTITION FIELD days(ts)",
     "SIS001", "ALTER TABLE db.t ADD PARTITION FIELD days(ts)"),
    (BY_DAY + "ALTER TABLE db.t RENAME PARTITION FIELD event_time_day TO d",
     "SIS001", "ALTER TABLE db.t REPLACE PARTITION FIELD event_time_day WITH days(event_time) AS d"),
    (BY_DAY + "ALTER TABLE db.t ALTER PARTITION FIELD event_time_day TO d",
     "SIS001", "ALTER TABLE db.t REPLACE PARTITION FIELD event_time_day WITH days(event_time) AS d"),
    (BY_DAY + "ALTER TABLE db.t ALTER PARTITION FIELD event_time_day SET hour(event_time)",
     "SIS001", "ALTER TABLE db.t REPLACE PARTITION FIELD event_time_day WITH hours(event_time)"),
    (f"CREATE TABLE db.u ({COLUMNS}) USING iceberg PARTITION BY DATE(event_time)",
     "SIS001", "PARTITIONED BY (days(event_time))"),
    (f"CREATE TABLE db.u ({COLUMNS}) USING ICEBERG PARTITION BY (days(ts))", "SIS001", "PARTITIONED BY (days(ts))"),
    (f"CREATE TABLE db.u ({COLUMNS}) WITH (format = 'ORC', partitioning = ARRAY['day(ts)', 'bucket(id, 8)'])",
     "SIS001", "USING iceberg PARTITIONED BY (days(ts), bucket(8, id)) TBLPROPERTIES ('write.format.default' = 'orc')"),
    (f"CREATE TABLE db.u ({COLUMNS}) USING iceberg PARTITIONED BY (CAST(ts AS DATE))",
     "SIS001", "PARTITIONED BY (days(ts))"),
    (f"CREATE TABLE db.u ({COLUMNS}) USING iceberg PARTITIONED BY (days('ts'))", "SIS102", "days(ts)"),
    (TABLE + 'ALTER TABLE db.t ADD PARTITION FIELD days("ts")', "SIS102", "days(ts)"),
    (f"CREATE TABLE db.u ({COLUMNS}) USING iceberg PARTITIONED BY (days(“ts”))", "SIS001", "ts"),
    (TABLE + "ALTER TABLE db.t ADD PARTION FIELD days(ts)", "SIS001", "PARTITION"),
    (TABLE + "ALTER TABLE db.t ADD PARITION FIELD days(ts)", "SIS001", "PARTITION"),
    (f"CREATE TABLE db.u ({COLUMNS}) USNIG iceberg PARTITIONED BY (days(ts))", "SIS001", "USING"),
    (f"CREATE TABLE db.u ({COLUMNS}) USING iceberg PARTITONED BY (days(ts))", "SIS001", "PARTITIONED"),
    (f"CREATE TABLE db.u ({COLUMNS}) USING iceberg PARTITIONED BY (id)\nALTER TABLE db.u ADD PARTITION FIELD dt",
     "SIS001", ";"),
    (TABLE + "ALTER TABLE db.t ADD COLUMN d2 STRING PARTITION", "SIS001", "ALTER TABLE db.t ADD PARTITION FIELD d2"),
    (f"CREATE TABLE db.u ({COLUMNS}) USING iceberg PARTITIONED BY (days(ts) bucket(16, id))", "SIS001", ","),
    (f"CREATE TABLE db.u ({COLUMNS}) USING iceberg\nPARTITIONED BY (days(ts);", "SIS001", "(days(ts))"),
    (f"CREATE TABLE db.u ({COLUMNS}) WITH ('connector'='iceberg')", "SIS001", "USING iceberg"),
    (f"CREATE ICEBERG TABLE db.u ({COLUMNS}) CATALOG='x' BASE_LOCATION='y'",
     "SIS001", "CREATE TABLE ... USING iceberg"),
    (TABLE + "ALTER ICEBERG TABLE db.t ADD PARTITION FIELD days(ts)", "SIS001", "ALTER TABLE"),
    (f"CREATE TABLE db.u ({COLUMNS}) USING iceberg TBLPROPERTIES ('partitioning'='day(ts), bucket(16, id)')",
     "SIS411", "PARTITIONED BY (days(ts), bucket(16, id))"),
    (TABLE + "ALTER TABLE db.t SET TBLPROPERTIES ('partitioning'='day(ts)')",
     "SIS411", "ALTER TABLE db.t ADD PARTITION FIELD days(ts)"),
    (f"CREATE TABLE db.u ({COLUMNS}) USING iceberg CLUSTER BY (TO_DATE(ts), abs(id))",
     "SIS413", "PARTITIONED BY (...)"),
    (f"CREATE TABLE db.u ({COLUMNS}) USING iceberg CLUSTER BY (to_date(ts))", "SIS413", "PARTITIONED BY (days(ts))"),
    (TABLE + "ALTER TABLE db.t ADD PARTITION FIELD days(ts) days(dt)", "SIS001", ";"),
]  # fmt: skip


def empty() -> Tables:
    return Tables(catalog="local", namespace=("db",), complete=True)


@pytest.mark.parametrize(("sql", "code", "clause"), MISTAKES)
def test_the_mistakes_of_analysts(sql: str, code: str, clause: str) -> None:
    (diagnostic,) = check(sql, empty())
    assert (diagnostic.code, clause_of(diagnostic)) == (code, clause)


def clause_of(diagnostic: Diagnostic) -> str:
    """The first thing to write; the sentences around it are in the goldens."""
    return next(iter(clauses(diagnostic.help or "")), "")


def test_words() -> None:
    texts = [sql for sql, *_ in (*MISTAKES, *SLIPS, *MOVED)]
    text = "".join(words(Case(f"analysts: {sql}", sql)) for sql in texts)
    goldens.hold(text, GOLDEN / "analysts.txt")


def every_case() -> list[Case]:
    mistakes = [Case(f"analysts: {sql}", sql, ()) for sql, _, _ in MISTAKES]
    return [*file_cases(), *page_cases(), *WORDED["mistakes"], *mistakes]


@cache
def findings() -> list[tuple[Case, Diagnostic]]:
    """Every kind of finding once, with its case."""
    kinds: dict[tuple[object, ...], tuple[Case, Diagnostic]] = {}
    for case in every_case():
        for d in checked(case):
            kinds.setdefault((d.code, d.message, d.help), (case, d))
    return list(kinds.values())


def repaired() -> list[tuple[Case, Diagnostic]]:
    return [(case, d) for case, d in findings() if d.fix is not None and d.code == "SIS001"]


def clauses(text: str) -> list[str]:
    """What is to be written: each stretch in backticks, names in backticks of their own inside it."""
    clause_texts, at = [], text.find("`")
    while at >= 0:
        ends = [m.start() for m in re.finditer(r"`(?![`\w])", text[at + 1 :])]
        clause = next((c for e in ends if balanced(c := text[at + 1 : at + 1 + e])), None)
        if clause is None:
            return [*clause_texts, text[at + 1 :]]
        clause_texts.append(clause)
        at = text.find("`", at + len(clause) + 2)
    return clause_texts


def balanced(clause: str) -> bool:
    if clause != clause.strip() and clause.strip():
        return False
    bare = re.sub(r"'[^']*'|\"[^\"]*\"|`(?:[^`]|``)*`", "", clause)
    return bare in ("(", ")", ";", ",") or ("`" not in bare and bare.count("(") == bare.count(")"))


@pytest.mark.tier("rest")  # five seconds
def test_brackets_balance() -> None:
    for case, d in findings():
        for clause in clauses(d.help or ""):
            assert balanced(clause), (case.name, d.help)


def errors(report: Report) -> Counter[str]:
    return Counter(d.code for d in report if d.severity is Severity.ERROR)


@pytest.mark.tier("quick")
def test_a_repair_reads_and_brings_no_error_of_the_text() -> None:
    for case, diagnostic in repaired():
        assert diagnostic.fix is not None
        assert not diagnostic.fix.safe
        before = check(case.text, case.known())
        after = check(apply_edits(case.text, diagnostic.fix.edits), case.known())
        assert errors(after)["SIS001"] < errors(before)["SIS001"], case.text
        new = errors(after) - errors(before)
        assert not any(code.startswith(("SIS0", "SIS1")) for code in new), after.diagnostics


WHOLE = re.compile(r"^write `(ALTER TABLE [^`]*|CREATE OR REPLACE TABLE [^`]*\))`$")


@pytest.mark.tier("quick")
def test_a_whole_statement_put_in_place() -> None:
    """The finding is gone, and no error is new."""
    count = 0
    for case, diagnostic in findings():
        match = WHOLE.match(diagnostic.help or "")
        if match and "..." not in match[1] and diagnostic.fix is None and diagnostic.code != "SIS412":
            whole_in_place(case, diagnostic, match[1])
            count += 1
    assert count > 20


def whole_in_place(case: Case, diagnostic: Diagnostic, clause: str) -> None:
    at = next(s for s in statements(case.text) if s.head <= diagnostic.span.start <= max(s.end, s.tail))
    text = case.text[: at.start] + clause + case.text[at.end :]
    tail_length = len(case.text) - at.end
    before, after = (check(sql[: len(sql) - tail_length], case.known()) for sql in (case.text, text))
    count = Counter(d.code for d in before)[diagnostic.code]
    assert Counter(d.code for d in after)[diagnostic.code] < count, after.diagnostics
    assert not errors(after) - errors(before), after.diagnostics


def term_at(case: Case, diagnostic: Diagnostic) -> tuple[int, int] | None:
    """The place of the term that a finding is about."""
    for statement in statements(case.text):
        node = parse(statement)
        terms = [getattr(node, name, None) for name in ("term", "old", "new")]
        for term in (*terms, *(getattr(node, "partitioning", None) or ())):
            if term is not None and term.span[0] <= diagnostic.span.start and diagnostic.span.end <= term.span[1]:
                return tuple(term.span)
    return None


def fields_to_write() -> list[tuple[Case, Diagnostic, str]]:
    """Findings about one term whose help begins with another one."""
    out = []
    for case, d in findings():
        help_ = d.help or ""
        clause = (clauses(help_) or [""])[0]
        field = re.fullmatch(r"\w+\(.*\)|[\w.]+|`.*`", clause) and clause.upper() != clause
        if not field or "..." in clause or not help_.startswith(f"write `{clause}`"):
            continue
        if re.search("alone|once", help_) or d.code[:4] not in ("SIS1", "SIS2", "SIS5"):
            continue
        if term_at(case, d):
            out.append((case, d, clause))
    return out


@pytest.mark.tier("quick")
def test_a_field_put_in_place() -> None:
    """The finding is gone, and the statement has no new error."""
    fields = fields_to_write()
    assert len(fields) > 200
    for case, diagnostic, clause in fields:
        put_in_place(case, diagnostic, clause)


def put_in_place(case: Case, diagnostic: Diagnostic, clause: str) -> None:
    span = term_at(case, diagnostic)
    assert span is not None
    text = case.text[: span[0]] + clause + case.text[span[1] :]
    end = next(s.end for s in statements(case.text) if s.start <= span[0] < s.end)
    before = check(case.text[:end], case.known())
    after = check(text[: end + len(text) - len(case.text)], case.known())
    count = Counter(d.code for d in before)[diagnostic.code]
    assert Counter(d.code for d in after)[diagnostic.code] < count, (clause, after.diagnostics)
    assert not errors(after) - errors(before), (clause, after.diagnostics)


# Faulty terms: each function with each sort of arguments, over a column of each type.
CALLS = (
    *(t.spelling for t in BY_NAME.values() if t.in_ddl and not t.is_identity),
    *("BUCKET", "date_hour", "iceberg_bucket", "iceberg_days", "weeks", "quarter", "minute", "decade"),
    *("linear", "md5", "concat", "hash", "mod", "zorder", "lower", "range", "floor", "left", "nosuch"),
    *("unix_timestamp", "to_date"),
)
SHAPES = ("{}({})", "{}(4, {})", "{}({}, 4)", "{}(4, '{}')", "{}('{}')", "{}(4, {}, 'x')")
TERMS = (
    *(shape.format(call, "c") for call, shape in product(CALLS, SHAPES)),
    *(f"date_trunc('{unit}', c)" for unit in ("year", "quarter", "MONTH", "week", "day", "hour", "second")),
    *("trunc(c, 'MM')", "trunc(c, 'YEAR')", "trunc(c, 4)", "date_format(c, 'yyyy-MM')", "date_format(c, 'HH')"),
    *("substr(c, 1, 2)", "substring(c, 1, 4)", "substring(c, 3, 2)", "from_unixtime(c)", "timestamp_trunc(c, DAY)"),
)  # fmt: skip


@pytest.mark.parametrize("kind", sampled([*TYPES, "DECIMAL(4, 0)"], 5))
def test_every_field_that_help_offers_is_taken(kind: str) -> None:
    """For any function over a column of any type."""
    judged = 0
    for term, pattern in (*product(TERMS, (IN_CREATE,)), *product(TERMS[::6], (IN_ALTER,))):
        text = pattern.format(kind, term)
        for d in check(text, empty()):
            if d.severity is not Severity.ERROR or d.code[:4] not in ("SIS1", "SIS2"):
                continue
            for clause in clauses(d.help or ""):
                if "that_column" in clause or not re.fullmatch(r"\w+\([^()]*\)|c", clause):
                    continue
                judged += 1
                assert "..." not in clause, (text, d.help)
                assert not found_in(pattern.format(kind, clause)), (text, d.help)
    assert judged > 30 or "<" in kind


@cache
def found_in(text: str) -> Counter[str]:
    return errors(check(text, empty()))


IN_CREATE = "CREATE TABLE db.t (o STRUCT<x: INT>, c {}) USING iceberg PARTITIONED BY ({})"
IN_ALTER = "CREATE TABLE db.t (o STRUCT<x: INT>, c {}) USING iceberg; ALTER TABLE db.t ADD PARTITION FIELD {}"


@pytest.mark.parametrize(
    ("term", "field"),
    [
        ("substr(s, 1, 2)", "truncate(2, s)"),
        ("substring(s, 1, 4)", "truncate(4, s)"),
        ("left(s, 3)", "truncate(3, s)"),
        ("trunc(d, 'MM')", "months(d)"),
        ("trunc(d, 'year')", "years(d)"),
        ("trunc(i, 10)", "truncate(10, i)"),
        ("date_format(ts, 'yyyy-MM')", "months(ts)"),
        ("date_format(ts, 'yyyyMMdd')", "days(ts)"),
        ("date_format(ts, \"yyyy-MM-dd'T'HH:mm\")", "hours(ts)"),
        ("date_format(ts, 'y')", "years(ts)"),
        ("date_trunc('quarter', ts)", "months(ts)"),
        ("date_trunc('hour', d)", "days(d)"),
        ("date_trunc('week', ts)", "days(ts)"),
        ("hours(d)", "days(d)"),
        ("to_date(s)", "truncate(10, s)"),
        ("bucket(4, 'i')", "bucket(4, i)"),
        ("bucket(4, f)", "bucket(4, that_column)"),
        ("truncate(7, f)", "truncate(7, that_column)"),
        ("hash(4, i)", "bucket(4, i)"),
        ("weeks(i)", "bucket(16, i)"),
        ("linear(i)", "i"),
        ("unix_timestamp(ts)", "days(ts)"),
        ("concat(s, s)", "s"),
        ("date_trunc('day', nope)", "days(nope)"),
    ],
)
def test_what_is_offered_first_is_what_was_meant(term: str, field: str) -> None:
    table = "CREATE TABLE db.t (i BIGINT, s STRING, ts TIMESTAMP, d DATE, f DOUBLE) USING iceberg"
    diagnostics = [d for d in check(f"{table} PARTITIONED BY ({term})", empty()) if d.code != "SIS201"]
    assert clauses(diagnostics[0].help or "")[0] == field


ANY = "CREATE TABLE db.t (id INT, ts TIMESTAMP, `my col` INT) USING iceberg"
CHANGE = f"{ANY} PARTITIONED BY (days(ts)); ALTER TABLE db.t"


SLIPS = [
    (f"{ANY} PARTITIONEDBY (id)", "SIS001", "PARTITIONED BY"),
    (f"{ANY} PARTITIONED_BY (id)", "SIS001", "PARTITIONED BY"),
    (f"{ANY} PARTITONEDBY (id)", "SIS001", "PARTITIONED BY"),
    (f"{ANY} PARTITIONED (id)", "SIS001", "PARTITIONED BY (id)"),
    ("CREATE TABLE db.t (id INT id2 INT) USING iceberg", "SIS001", ","),
    ("CREATE TABLE t (a INT, b INT NOT NULL c INT) USING iceberg", "SIS001", ","),
    (f"{ANY} PARTITIONED BY (bucket(4 id))", "SIS001", ","),
    (f"{ANY} PARTITIONED BY (bucket(4, my col))", "SIS001", ""),
    (f"{ANY} PARTITIONED BY (identity(my col))", "SIS001", ""),
    (f"{ANY} PARTITIONED BY (days ts)", "SIS209", "days(ts)"),
    (f"{ANY} PARTITIONED BY (my col)", "SIS209", ""),
    (f"{CHANGE} ADD PARTITION FIELD hours ts", "SIS001", "hours(ts)"),
    (f"{CHANGE} REPLACE PARTITION FIELD days(ts)",
     "SIS001", "ALTER TABLE db.t REPLACE PARTITION FIELD days(ts) WITH ..."),
    (f"{CHANGE} MODIFY PARTITION FIELD bucket(4, id)",
     "SIS001", "ALTER TABLE db.t REPLACE PARTITION FIELD bucket(4, id) WITH ..."),
    (f"{CHANGE} MODIFY COLUMN id TYPE BIGINT", "SIS001", "ALTER TABLE db.t ALTER COLUMN id TYPE BIGINT"),
    (f"{CHANGE} MODIFY id BIGINT", "SIS001", "ALTER TABLE db.t ALTER COLUMN id TYPE BIGINT"),
    (f"{CHANGE} MODIFY COLUMN id COMMENT 'x'", "SIS001", "ALTER TABLE db.t ALTER COLUMN id COMMENT 'x'"),
    ('CREATE TABLE "db"."t" (id INT) USING iceberg', "SIS001", "db.t"),
    ('CREATE TABLE db."t" ("id" INT, "x" INT COMMENT \'y\') USING iceberg', "SIS001", "t"),
    ('CREATE TABLE db.t ("id" INT) USING iceberg', "SIS001", "id"),
    (f"{CHANGE} SET PARTITION FIELD days(ts)", "SIS001", "ALTER TABLE db.t ADD PARTITION FIELD days(ts)"),
    ("ALTER TABLE ADD PARTITION FIELD x", "SIS001", "ADD"),
    ("ALTER TABLE DROP COLUMN x", "SIS001", "DROP"),
    ("CREATE TABLE $[db].t (id INT) USING iceberg", "SIS002", "iceberg-sql run --var"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "code", "clause"), SLIPS)
def test_the_remedy_of_slips(text: str, code: str, clause: str) -> None:
    (diagnostic,) = check(text, empty())
    assert (diagnostic.code, clause_of(diagnostic)) == (code, clause)
    if diagnostic.fix is not None:
        after = check(apply_edits(text, diagnostic.fix.edits), empty())
        assert not errors(after) or "ADD" in (diagnostic.help or ""), after.diagnostics


def test_what_is_not_known_is_said_in_good_grammar() -> None:
    create = "CREATE TABLE db.t (a INT) PARTITIONED BY (b STRING); "
    messages = [d.message for d in check(f"{create} ALTER TABLE db.t ADD PARTITION (b = 'x')")]
    assert any("it is unknown whether `db.t` is an Iceberg table" in message for message in messages), messages


PARTITIONED = f"CREATE TABLE db.u ({COLUMNS}) USING iceberg PARTITIONED BY (days(ts))"


MOVED = [
    (f"{PARTITIONED} CLUSTERED BY (id) INTO 4 BUCKETS",
     ["PARTITIONED BY (days(ts), bucket(4, id))"]),
    (f"{PARTITIONED} CLUSTERED BY (id, dt) INTO 4 BUCKETS",
     ["PARTITIONED BY (days(ts), bucket(4, id), bucket(4, dt))"]),
    (f"{PARTITIONED} CLUSTERED BY (id) SORTED BY (dt, ts) INTO 4 BUCKETS",
     ["PARTITIONED BY (days(ts), bucket(4, id))", "ALTER TABLE db.u WRITE ORDERED BY dt, ts"]),
    (f"{PARTITIONED} CLUSTER BY (id)",
     ["PARTITIONED BY (days(ts), bucket(16, id))", "ALTER TABLE db.u WRITE ORDERED BY id"]),
    ("CREATE TABLE db.u (id INT) USING iceberg PARTITIONED BY (p STRING) CLUSTERED BY (id) INTO 4 BUCKETS",
     ["p STRING", "PARTITIONED BY (p, bucket(4, id))"]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "to_write"), MOVED)
def test_a_clause_that_is_moved_keeps_the_fields_that_are_there(text: str, to_write: list[str]) -> None:
    (diagnostic,) = [d for d in check(text, empty()) if d.code == "SIS413"]
    assert clauses(diagnostic.help or "") == to_write


PIECES = ("(", ")", ",", "'", "`", "“", "[", "WITH", "AS", "CAST(", "USING", "PARTITION", "ALTER", ";")


@pytest.mark.tier("quick")
@pytest.mark.parametrize("seed", sampled(range(10), 5))
def test_broken_words_break_nothing(seed: int) -> None:
    """Scripts with tokens removed, doubled, swapped and cut: no internal error, and a second fix changes nothing."""
    random = Random(seed)
    for _ in range(30):
        tokens = [token.text for token in tokenize(random.choice(findings())[0].text)]
        for _ in range(random.choice((1, 2, 3))):
            i, j = random.randrange(len(tokens)), random.randrange(len(tokens))
            tokens[i], tokens[j] = random.choice(
                [
                    ("", tokens[j]),
                    (tokens[j], tokens[i]),
                    (tokens[i] + tokens[j], tokens[j]),
                    (tokens[i][:-1], tokens[j]),
                    (f" {random.choice(PIECES)} ", tokens[j]),
                ]
            )
        text = "".join(tokens)
        report = check(text, empty())
        assert not report.failed, text
        for unsafe in (False, True):
            once = apply_fixes(text, check, unsafe=unsafe)
            assert not once.report.failed, text
            assert apply_fixes(once.text, check, unsafe=unsafe).text == once.text, text


@pytest.mark.tier("quick")
def test_there_is_enough_to_judge() -> None:
    assert len(repaired()) > 60
    assert len(findings()) > 600

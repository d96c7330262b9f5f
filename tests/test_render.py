"""Every output format against its golden file, its schema, or its own rules of escaping.

`pytest --update-goldens` writes the golden files anew.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import goldens
import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from wcwidth import wcswidth

from spark_iceberg_sql.checker.engine import check
from spark_iceberg_sql.cli import main
from spark_iceberg_sql.diagnostics import Diagnostic, Edit, Fix, Lines, Report, Severity
from spark_iceberg_sql.report import FORMATS, full, summary
from spark_iceberg_sql.report.credentials import masked, program_secrets_of, secrets_of
from spark_iceberg_sql.report.edited_reports import inverse_edits, rebased, without_secrets
from spark_iceberg_sql.report.fingerprints import fingerprints, relative
from spark_iceberg_sql.report.rule_pages import url_of
from spark_iceberg_sql.safe_output import visible

GOLDEN = Path(__file__).parent / "golden"
SCHEMA = json.loads((Path(__file__).parent / "data" / "sarif-2.1.0-rtm.5.json").read_text())

TEXT = """CREATE TABLE events (id BIGINT, name STRING, ts TIMESTAMP)
USING iceberg
-- 日本語 and a 🙂 before the fault
\tPARTITIONED BY (days(name), `🙂日` , bucket(id, 16));
ALTER TABLE other
  ADD PARTITION FIELD
  bucket(8, id);
"""


def at(excerpt: str, text: str = TEXT, **parts: Any) -> Diagnostic:
    """A diagnostic about the first occurrence of the words."""
    start = text.index(excerpt)
    diagnostic = Diagnostic(
        "SIS202",
        "type-not-accepted",
        Severity.ERROR,
        "`days` needs a date or a timestamp, but `name` is a string",
        Lines(text).span(start, start + len(excerpt)),
        "partition by `truncate(4, name)`, or by `name` itself",
        spec="Partition Transforms",
    )
    return replace(diagnostic, **parts)


SWAP = TEXT.index("id, 16")
REPORTS = [
    Report(
        TEXT,
        (
            at("name)"),
            at(
                "id, 16",
                code="SIS104",
                name="argument-order",
                message="`bucket` takes the number of buckets before the column",
                help="write `bucket(16, id)`",
                fix=Fix("write `bucket(16, id)`", (Edit(SWAP, SWAP + 6, "16, id"),), safe=True),
                spec=None,
            ),
            at(
                "ALTER TABLE other\n  ADD PARTITION FIELD\n  bucket(8, id)",
                code="SIS002",
                name="not-checked",
                severity=Severity.NOTE,
                message="not checked: no earlier statement creates `other`",
                help="first line\nsecond line",
                spec=None,
            ),
        ),
        "migrations/003 é.sql",
        2,
    ),
    Report("SELECT 1", (), "clean.sql", 1),
    Report(
        "ALTER TABLE t ADD PARTITION FIELD weeks(ts)",
        (
            at(
                "weeks",
                "ALTER TABLE t ADD PARTITION FIELD weeks(ts)",
                code="SIS303",
                name="redundant-time-field",
                severity=Severity.WARNING,
                message="50% of it, a: b\nand more",
                help=None,
                spec=None,
            ),
        ),
        "report.ipynb",
        1,
        cell=3,
    ),
]


@pytest.fixture(autouse=True)
def no_host(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GITHUB_WORKSPACE", "CI_PROJECT_DIR"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize("name", [*FORMATS, "color"])
def test_golden(name: str) -> None:
    text = (FORMATS["full"](REPORTS, color=True) if name == "color" else FORMATS[name](REPORTS)).replace(
        Path.cwd().as_uri(), "file:///project"
    )
    if name == "sarif":
        log = json.loads(text)
        driver = log["runs"][0]["tool"]["driver"]
        driver["version"] = "0"
        driver["rules"] = [rule["id"] for rule in driver["rules"]]  # the pages have tests of their own
        text = json.dumps(log, indent=2, ensure_ascii=False) + "\n"
    goldens.hold(text, GOLDEN / f"render-{name}.txt")


def test_full_is_what_the_design_draws() -> None:
    text = "CREATE TABLE t (\n  id BIGINT, name STRING\n) USING iceberg\n"
    text += "PARTITIONED BY (days(name), bucket(16, id))"
    start = text.index("days(name") + 5
    drawn = full(Report(text, (replace(at("name"), span=Lines(text).span(start, start + 4)),), "migrations/003.sql"))
    assert drawn == (
        "error[SIS202]: `days` needs a date or a timestamp, but `name` is a string\n"
        "  --> migrations/003.sql:4:22\n"
        "   |\n"
        " 4 | PARTITIONED BY (days(name), bucket(16, id))\n"
        "   |                      ^^^^\n"
        "   = help: partition by `truncate(4, name)`, or by `name` itself\n"
        "   = spec: Partition Transforms\n"
    )


CHARACTERS = st.text(st.sampled_from("ab \t日本🙂é\u0301\u200b`'x,()") | st.characters(codec="utf-8"), max_size=30)


@given(before=CHARACTERS, words=st.text("ab日🙂", min_size=1, max_size=6), after=CHARACTERS)
def test_the_caret_stands_under_the_exact_words(before: str, words: str, after: str) -> None:
    text = re.sub(r"[\r\n]", " ", before) + "<" + words + ">" + re.sub(r"[\r\n]", " ", after)
    start = text.index(f"<{words}>") + 1
    report = Report(text, (replace(at("name"), span=Lines(text).span(start, start + len(words))),))
    source, marks = full(report).split("\n")[3:5]
    source, marks = source.removeprefix(" 1 | "), marks.removeprefix("   | ")
    prefix = visible(text[:start])
    assert source.startswith(prefix.rstrip() if not source.startswith(prefix) else prefix)
    if wcswidth(prefix) >= 0:
        assert len(marks) - len(marks.lstrip()) == wcswidth(prefix)
        assert marks.count("^") == wcswidth(words)


def test_a_line_of_a_megabyte_is_cut_around_the_words() -> None:
    text = "x" * 500_000 + " weeks(ts) " + "y" * 500_000
    start = text.index("weeks")
    report = Report(text, (replace(at("name"), span=Lines(text).span(start, start + 5)),))
    source, marks = full(report).split("\n")[3:5]
    assert len(source) < 200
    assert source[marks.index("^") : marks.rindex("^") + 1] == "weeks"


@pytest.mark.parametrize(
    ("length", "start", "end", "first", "last"),
    [
        (160, 100, 105, 0, 160),  # as much as is shown
        (161, 0, 5, 0, 160),
        (161, 41, 45, 1, 161),
        (400, 40, 45, 0, 160),
        (400, 41, 45, 1, 161),
        (400, 200, 205, 160, 320),
        (400, 390, 395, 240, 400),
        (400, 200, 350, 160, 350),  # all of the span
        (900, 200, 800, 160, 360),  # its first 160 columns
        (400, 240, 400, 200, 400),
    ],
)
def test_of_a_long_line_the_part_around_the_words_is_shown(
    length: int, start: int, end: int, first: int, last: int
) -> None:
    text = "".join(chr(0x4E00 + column) for column in range(length))
    report = Report(text, (replace(at("name"), span=Lines(text).span(start, end)),))
    source, marks = full(report).split("\n")[3:5]
    visible_line = f"{'…' if first else ''}{text[first:last]}{'…' if last < length else ''}"
    assert source == f" 1 | {visible_line}"
    before = wcswidth(f"{'…' if first else ''}{text[first:start]}")
    assert marks == "   | " + " " * before + "^" * wcswidth(text[start : min(end, last)])


@pytest.mark.parametrize(("length", "is_cut"), [(159, False), (160, False), (161, True)])
def test_a_long_line_of_several_is_cut_at_its_end(length: int, is_cut: bool) -> None:
    text = f"{'x' * length}\ny"
    report = Report(text, (replace(at("name"), span=Lines(text).span(0, len(text))),))
    assert full(report).split("\n")[3:6] == [
        f" 1 | / {'x' * min(length, 160)}{'…' if is_cut else ''}",
        " 2 | | y",
        "   | |_^",
    ]


def test_of_a_long_span_the_first_and_last_rows_are_shown() -> None:
    def drawn(rows: int) -> list[str]:
        text = "\n".join(f"row {row}" for row in range(1, rows + 1))
        report = Report(text, (replace(at("name"), span=Lines(text).span(0, len(text))),))
        return [line[3:].strip("| /…") for line in full(report).splitlines()[3:-2]]

    assert drawn(6) == ["row 1", "row 2", "row 3", "row 4", "row 5", "row 6", "_____^"]
    assert drawn(7) == ["row 1", "row 2", "row 3", "", "row 5", "row 6", "row 7", "_____^"]
    assert drawn(30)[-4:] == ["row 28", "row 29", "row 30", "______^"]


def test_control_characters_do_not_reach_the_terminal() -> None:
    text = "ALTER TABLE \x1b[2J\u202e`t\x07` x"
    report = Report(text, (at("x", text, message="\x1b[31m `\u202e`"),), "a\x1b.sql")
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]", full(report))


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_line_end_in_a_span_is_not_drawn(end: str) -> None:
    text = f"a weeks{end}b"
    span = Lines(text).span(2, 7 + len(end))
    drawn = full(Report(text, (replace(at("name"), span=span),))).split("\n")
    assert drawn[3:5] == [" 1 | a weeks", "   |   ^^^^^"]


def test_a_span_of_several_rows_ends_under_its_last_character() -> None:
    def drawn(text: str, end: int) -> list[str]:
        return full(Report(text, (replace(at("name"), span=Lines(text).span(0, end)),))).split("\n")[3:-3]

    assert drawn("ab\ncdef\n", 6) == [" 1 | / ab", " 2 | | cdef", "   | |___^"]
    assert drawn("ab\ncdef\ng", 8) == [" 1 | / ab", " 2 | | cdef", "   | |____^"]
    assert drawn("", 0) == [" 1 |", "   | ^"]


def test_a_span_at_the_very_end_has_a_caret() -> None:
    text = "ALTER TABLE t ADD PARTITION FIELD"
    end = Lines(text).span(len(text), len(text))
    drawn = full(Report(text, (replace(at("name"), span=end),)))
    assert drawn.split("\n")[4] == "   | " + " " * len(text) + "^"


def test_summary_counts_what_was_not_checked() -> None:
    assert summary(REPORTS) == "Found 2 errors, 1 warning in 3 files (4 statements; 1 not checked)"
    assert summary(REPORTS[1:2]) == "No problems found in 1 file (1 statement)"
    note = Report("x", (at("name", severity=Severity.NOTE),), "a.sql", 1)
    assert summary([note]) == "No problems found in 1 file (1 statement; 1 not checked)"
    hidden = Report("x", (), "a.sql", 1, unlisted=2)
    assert summary([hidden]) == "No problems found in 1 file (1 statement; 2 not checked)"


def test_json_has_the_fields_of_ruff() -> None:
    diagnostics = json.loads(FORMATS["json"](REPORTS))
    ruff = {"cell", "code", "end_location", "filename", "fix", "location", "message", "noqa_row", "url"}
    for item in diagnostics:
        assert ruff <= set(item)
        assert set(item) - ruff == {"severity", "name", "help", "spec", "skipped", "statements"}
        assert item["url"] == url_of(item["code"])
    assert diagnostics[1]["fix"] == {
        "applicability": "safe",
        "edits": [
            {"content": "16, id", "end_location": {"column": 50, "row": 4}, "location": {"column": 44, "row": 4}}
        ],
        "message": "write `bucket(16, id)`",
    }


def sarif(reports: list[Report]) -> Any:
    log = json.loads(FORMATS["sarif"](reports))
    jsonschema.Draft4Validator(SCHEMA, format_checker=jsonschema.Draft4Validator.FORMAT_CHECKER).validate(log)
    return log


def test_sarif_is_valid_by_the_oasis_schema() -> None:
    sarif([])
    log = sarif(REPORTS)
    log["runs"][0]["results"][0]["level"] = "bad"
    with pytest.raises(jsonschema.ValidationError):  # the schema does bite
        jsonschema.Draft4Validator(SCHEMA).validate(log)


def test_sarif_regions_and_fixes_are_of_the_text() -> None:
    run = sarif(REPORTS)["runs"][0]
    assert run["columnKind"] == "unicodeCodePoints"
    lines = TEXT.split("\n")
    for result in run["results"][:2]:
        location = result["locations"][0]["physicalLocation"]
        region = location["region"]
        assert location["artifactLocation"] == {"uri": "migrations/003%20%C3%A9.sql", "uriBaseId": "SRCROOT"}
        line = lines[region["startLine"] - 1]
        excerpt = line[region["startColumn"] - 1 : region["endColumn"] - 1]
        assert excerpt == region["snippet"]["text"]
        assert TEXT[region["charOffset"] :][: region["charLength"]] == excerpt
    [change] = run["results"][1]["fixes"][0]["artifactChanges"]
    [replacement] = change["replacements"]
    deleted = replacement["deletedRegion"]
    start, length = deleted["charOffset"], deleted["charLength"]
    fixed = TEXT[:start] + replacement["insertedContent"]["text"] + TEXT[start + length :]
    assert "bucket(16, id)" in fixed
    cell = run["results"][3]
    assert cell["message"]["text"].startswith("cell 3, line 1: ")
    assert "region" not in cell["locations"][0]["physicalLocation"]


def test_sarif_has_the_page_of_every_rule_that_spoke() -> None:
    report = check("CREATE TABLE t (a STRING) USING iceberg PARTITIONED BY (weeks(a), b)")
    run = sarif([replace(report, filename="a.sql")])["runs"][0]
    rules = run["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == sorted({d.code for d in report})
    for rule in rules:
        assert "## Why" in rule["help"]["markdown"]
        assert rule["helpUri"] == url_of(rule["id"])
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]


def test_only_our_own_rules_have_an_address() -> None:
    assert url_of("SIS202") is not None
    assert url_of("ACME101") is None


def test_github_escapes_by_its_rules() -> None:
    lines = FORMATS["github"](REPORTS).splitlines()
    assert len(lines) == 4
    for line in lines:
        assert re.fullmatch(r"::(error|warning|notice) [^:]*::.*", line)
    last = lines[-1]
    assert last.endswith("::cell 3, line 1: 50%25 of it, a: b␊and more")
    assert "file=report.ipynb" in last
    assert "line=" not in last.split("::")[1]
    report = replace(REPORTS[0], filename="a,b:c%.sql")
    assert "file=a%2Cb%3Ac%25.sql," in FORMATS["github"]([report])


def test_paths_count_from_the_host_s_root(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    monkeypatch.chdir(tmp_path / "sub")
    monkeypatch.setenv("GITHUB_WORKSPACE", str(tmp_path))
    monkeypatch.setenv("CI_PROJECT_DIR", str(tmp_path))
    report = replace(REPORTS[0], filename="a.sql")
    assert "file=sub/a.sql," in FORMATS["github"]([report])
    assert json.loads(FORMATS["gitlab"]([report]))[0]["location"]["path"] == "sub/a.sql"
    assert relative("/elsewhere/a.sql") == "/elsewhere/a.sql"
    assert relative("-") == relative(None) == "stdin.sql"


def test_gitlab_fingerprints_do_not_move_with_lines() -> None:
    def marks(text: str) -> list[str]:
        report = replace(check(text), filename="a.sql")
        return [issue["fingerprint"] for issue in json.loads(FORMATS["gitlab"]([report]))]

    text = "ALTER TABLE t ADD PARTITION FIELD weeks(a);\nALTER TABLE t ADD PARTITION FIELD weeks(a);\n"
    before = marks(text)
    assert before
    assert len(set(before)) == len(before)
    assert marks("-- new\n\n  " + text) == before
    assert set(marks(text.replace("weeks", "hash"))).isdisjoint(
        {mark for r, d, mark in fingerprints([replace(check(text), filename="a.sql")]) if d.code == "SIS101"}
    )


def test_a_credential_of_several_rows_moves_no_row() -> None:
    create = "CREATE TABLE t (a INT) USING iceberg\nTBLPROPERTIES ('secret' = 'ab\ncd\nef')\nPARTITIONED BY (days(a))"
    output = full(check(create))
    assert ":5:" in output
    assert "5 | PARTITIONED BY" in output
    assert "cd" not in output


@pytest.mark.tier("quick")
@pytest.mark.parametrize(
    "part", ["key='", "key ", "//a:", "iceberg(", "secret'\\\\", 'key="""', "key.", "set key", "key=1"]
)
def test_credentials_in_a_hostile_text_take_linear_time(part: str) -> None:
    text = part * (100_000 // len(part))
    program_secrets_of(text)
    secrets_of(text)


PASSWORD = "Sup3rSecret"


@pytest.mark.parametrize(
    "call",
    [
        f"icebergS3('s3://b/t', 'AKIAID', '{PASSWORD}')",
        f"icebergS3('s3://b/t', secret_access_key => '{PASSWORD}')",
        f"icebergS3('s3://b/t', \" \"'AKIAID', '{PASSWORD}')",
        f"iceberg_s3('https://me:{PASSWORD}@host/t')",
        f"icebergAzure('https;AccountKey={PASSWORD};x', 'c', 't')",
        f"iceberg('a'); SET spark.hadoop.fs.s3a.secret.key = {PASSWORD}",
        f"iceberg('a'); CREATE TABLE t (i INT) USING iceberg TBLPROPERTIES (api_key = 13579, b = '{PASSWORD[:3]}')",
    ],
)
@pytest.mark.parametrize("quote", ['"', '"""'])
@pytest.mark.parametrize("before", ["", "# doesn't\n", '"""It\'s one."""\n', "İ = 1\n"])
def test_credentials_in_a_program_are_hidden(
    call: str, quote: str, before: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a.py"
    query = f"spark.sql({quote}SELECT iceberg_bucket(0, x) FROM {call}{quote})"
    path.write_text(f'{before}e["SECRET_KEY"] = "{PASSWORD}"; f(token=\'{PASSWORD}\'); {query}\n', encoding="utf-8")
    assert main(["check", str(path)]) == 1
    output = capsys.readouterr().out
    assert "SIS601" in output
    assert PASSWORD not in output
    assert "AKIAID" not in output
    assert "13579" not in output
    assert "SELECT iceberg_bucket(0, x) FROM iceberg" in output


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("TBLPROPERTIES ('password'='abcd')", "TBLPROPERTIES ('password'='***')"),
        ("OPTIONS (s3.secret 'ab' 'cd', b 'c')", "OPTIONS (s3.secret '***' '***', b 'c')"),
        ("TBLPROPERTIES (api_key = 1234, b = 5)", "TBLPROPERTIES (api_key = ***, b = 5)"),
        ("TBLPROPERTIES (\"AccountKey\" = \"ab\", 'k'='b')", "TBLPROPERTIES (\"AccountKey\" = \"***\", 'k'='b')"),
        ("LOCATION 's3://me:pw@host/t'", "LOCATION '***'"),
        ("TBLPROPERTIES ('c'='AccountName=a;AccountKey=b')", "TBLPROPERTIES ('c'='***')"),
        ("AS SELECT * FROM icebergS3('u', 'id', 'abcd')", "AS SELECT * FROM icebergS3('u', '***', '***')"),
        ("PARTITIONED BY (bucket(16, token))", "PARTITIONED BY (bucket(16, token))"),
        ("TBLPROPERTIES ('format-version' = '2')", "TBLPROPERTIES ('format-version' = '2')"),
    ],
)
def test_credentials_are_hidden_and_carets_stay(text: str, expected: str) -> None:
    create = "CREATE TABLE t (token STRING) USING iceberg {} PARTITIONED BY (days(token))"
    if "BY" in text or "SELECT" in text:
        create = "CREATE TABLE t (token STRING) USING iceberg PARTITIONED BY (days(token)) {}"
    report = without_secrets(check(create.format(text)))
    assert report.text == create.format(expected)
    assert masked(create.format(text)) == create.format(expected)
    excerpts = [report.text[d.span.start : d.span.end] for d in report if d.code == "SIS202"]
    assert excerpts == ["token"] or "SIS202" not in [d.code for d in report]
    assert all(report.text[d.span.start : d.span.end] == report.lines.text[d.span.start : d.span.end] for d in report)
    assert expected in full(check(create.format(text))) or not len(report)


def test_a_report_on_an_edited_text() -> None:
    """Spans that an edit cuts, holds or borders; fixes that it touches go."""
    report = check("CREATE TABLE t (a INT) USING iceberg PARTITIONED BY (bucket('16', a), bucket(0, a))")
    first, second = (d.span for d in report if d.code == "SIS103")
    edits = [Edit(first.start, first.end, ":long_name"), Edit(second.start, second.end, "?")]
    moved = rebased(report, edits)
    excerpts = [moved.text[d.span.start : d.span.end] for d in moved if d.code == "SIS103"]
    assert excerpts == [":long_name", "?"]
    assert all(d.fix is None for d in moved if d.code == "SIS103")
    assert rebased(moved, inverse_edits(edits, report.text)).text == report.text

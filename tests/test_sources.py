"""SQL found in files: Python literals, notebooks, templates; every finding in the file's own lines."""

from __future__ import annotations

import ast
import json
import warnings
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from samples import FULL

from spark_iceberg_sql.checker.files.linter import Linter
from spark_iceberg_sql.config.settings import Settings
from spark_iceberg_sql.diagnostics import Report, Severity, apply_edits
from spark_iceberg_sql.errors import FileError
from spark_iceberg_sql.files.discovery import decode, extract_source, find_files
from spark_iceberg_sql.files.python.sql_extraction import python_sql
from spark_iceberg_sql.files.python.string_literals import read_literals
from spark_iceberg_sql.files.source_map import FragmentBuilder, range_fragment
from spark_iceberg_sql.files.templates import template_variants

EXAMPLES = 2000 if FULL else 60


def lint(text: str, name: str = "job.py", **options: Any) -> list[Report]:
    return Linter().lint(extract_source(name, text), Settings(**options))


def found(text: str, name: str = "job.py") -> list[tuple[str, str]]:
    """Code and the file's own words of each finding."""
    return [(d.code, report.text[d.span.start : d.span.end]) for report in lint(text, name) for d in report]


def errors(text: str, name: str = "job.py") -> list[tuple[str, str]]:
    return [item for item in found(text, name) if item[0] != "SIS002"]


# --- Python's literals ----------------------------------------------------------------------------

PREFIXES = ["", "r", "R", "u", "U"]
QUOTES = ["'", '"', "'''", '"""']
INSIDE = st.lists(
    st.sampled_from(
        ["a", "é", "🙂", " ", "\n", "\r\n", "\\n", "\\\\", "\\'", '\\"', "\\x41", "\\u00e9", "\\U0001F642",
         "\\N{BULLET}", "\\101", "\\0", "\\\n", "\\\r\n", "\\d", "'", '"', "{", "}", "--", "\t"]
    ),
    max_size=12,
)  # fmt: skip


@settings(max_examples=EXAMPLES)
@given(
    parts=st.lists(st.tuples(st.sampled_from(PREFIXES), st.sampled_from(QUOTES), INSIDE), min_size=1, max_size=3),
    between=st.sampled_from([" ", "\n  ", "  # it's a comment\n", "\\\n"]),
)
def test_literals_read_as_python_reads_them(parts: list[tuple[str, str, list[str]]], between: str) -> None:
    text = "(" + between.join(p + q + "".join(inside) + q for p, q, inside in parts) + ")"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # "\\d"
        try:
            value = ast.literal_eval(text)
        except (SyntaxError, ValueError):
            return
    if not isinstance(value, str):
        return
    builder = FragmentBuilder()
    read_literals(text, 0, len(text), builder)
    fragment = builder.build()
    assert fragment.sql == value
    spans = [fragment.source_span(i, i + 1) for i in range(len(value))]
    assert spans == sorted(spans)
    for char, (start, end) in zip(value, spans, strict=True):
        assert text[start:end] == char or text[start] == "\\" or text[start:end] == "\r\n"


def test_f_strings_keep_what_is_constant() -> None:
    text = '''f"ALTER TABLE {db}.t ADD {'x' if a["b"] else {1: 2}[1]!r:>{w}} {{}} \\x41"'''
    builder = FragmentBuilder()
    read_literals(text, 0, len(text), builder)
    fragment = builder.build()
    assert [placeholder.text for placeholder in fragment.placeholders] == [
        "{db}",
        """{'x' if a["b"] else {1: 2}[1]!r:>{w}}""",
    ]
    assert fragment.sql.startswith("ALTER TABLE {{_db_}}.t ADD {{")
    assert fragment.sql.endswith("}} {} A")


@pytest.mark.parametrize(
    "call",
    [
        'spark.sql("ALTER TABLE t ADD PARTITION FIELD weeks(a)")',
        "self.spark.sql('ALTER TABLE t ADD ' 'PARTITION FIELD weeks(a)')",
        'spark.sql("""\n  ALTER TABLE t\r\n  ADD PARTITION FIELD weeks(a)\n""", args={"a": 1})',
        'spark.sql(sqlQuery=r"ALTER TABLE t ADD PARTITION FIELD weeks(a)")',
        'sis.sql(spark, "ALTER TABLE t ADD PARTITION FIELD weeks(a)")',
        'spark.sql(f"ALTER TABLE {t} ADD PARTITION FIELD weeks(a)")',
        'spark.sql("ALTER TABLE {} ADD PARTITION FIELD weeks(a)".format(t))',
        'spark.sql("ALTER TABLE %s ADD PARTITION FIELD weeks(a)" % t)',
        'spark.sql("ALTER TABLE %(t)s ADD PARTITION FIELD weeks(a)" % {"t": t})',
        'spark.sql("ALTER TABLE {t} ADD PARTITION FIELD weeks(a)", t=df)',
        'spark.sql("ALTER TABLE " + t + " ADD PARTITION FIELD weeks(a)")',
        'spark.sql(textwrap.dedent("""\n ALTER TABLE t\n ADD PARTITION FIELD weeks(a)"""))',
        'spark.sql("ALTER TABLE t ADD PARTITION FIELD weeks(a) ".strip())',
        'q = "ALTER TABLE t ADD PARTITION FIELD weeks(a)"\nspark.sql(q)',
        'H = "ALTER TABLE t"\nspark.sql(H + " ADD PARTITION FIELD weeks(a)")',
        'F = "ALTER TABLE %s ADD PARTITION FIELD weeks(a)"\nspark.sql(F % t)',
        'F = "ALTER TABLE {t} ADD PARTITION FIELD weeks(a)"\nspark.sql(F.format(t=t) + " AS w")',
        'F = "ALTER TABLE {t} ADD PARTITION FIELD weeks(a)"\nq = F.format(t=t)\nspark.sql(q)',
        'def f():\n    é = "日本🙂"; return spark.sql("ALTER TABLE t ADD PARTITION FIELD weeks(a)")',
        'spark.sql("ALTER TABLE t\\n\\tADD PARTITION \\x46IELD weeks(a)")',
    ],
)
def test_calls_of_sql(call: str) -> None:
    assert errors(f"import x\n{call}\n") == [("SIS101", "weeks")]


def test_formats_that_use_each_other() -> None:
    text = "def f():\n    global a\n    a = b % 1\n\n\nb = a % 1\nspark.sql(b)\n"
    assert found(text) == [("SIS002", "b")]


def test_a_loop_over_texts() -> None:
    text = """for q in ["CREATE TABLE t (id BIGINT) USING iceberg",
          f"ALTER TABLE t ADD PARTITION FIELD bucket(8, idd)"]:
    spark.sql(q)
"""
    assert found(text) == [("SIS201", "idd")]


def test_a_program_is_one_script() -> None:
    text = (
        'spark.sql("CREATE TABLE t (id BIGINT) USING iceberg -- a comment")\n'
        'spark.sql("SELECT \'open")\n'
        'spark.sql("ALTER TABLE t ADD PARTITION FIELD bucket(8, idd)")\n'
    )
    assert found(text) == [("SIS001", "'"), ("SIS201", "idd")]


def test_what_a_program_makes_when_it_runs_is_a_note() -> None:
    [(code, excerpt)] = found("spark.sql(make(1))\n")
    assert (code, excerpt) == ("SIS002", "make(1)")
    text = 'spark.sql(f"ALTER TABLE t ADD PARTITION FIELD {field}")'
    assert {code for code, _ in found(text)} == {"SIS002"}
    assert "`{field}`" in lint(text)[0].diagnostics[0].message


def test_a_text_that_is_filled_in_whole_is_a_note() -> None:
    [(code, excerpt)] = found("spark.sql(f'{make(1)}')\n")
    assert (code, excerpt) == ("SIS002", "{make(1)}")


@pytest.mark.parametrize("text", ["{{ config(a=1) }}", "{{ config(a=1) }}\nSELECT 1", "{% set a = 1 %}\nSELECT 1"])
def test_a_template_that_makes_no_text_needs_no_note(text: str) -> None:
    assert found(text, "a.sql") == []


def test_an_ignore_that_one_choice_uses_is_used() -> None:
    text = CREATE + "({% if a %}weeks(ts) -- noqa: SIS101\n{% else %}days(ts){% endif %})"
    assert found(text, "a.sql") == []
    text = CREATE + "(days(ts)) -- noqa: SIS101"
    assert [code for code, _ in found(text, "a.sql")] == ["SIS003"]


def test_what_is_verbatim() -> None:
    builder = FragmentBuilder()
    for start, literal in ((1, "ab"), (10, "cd")):
        for i, char in enumerate(literal):
            builder.add(char, start + i, start + i + 1)
    builder.add_placeholder(20, 22, "{x}")
    builder.add("e", 22, 23)
    fragment = builder.build()
    end = len(fragment.sql)
    assert [fragment.is_verbatim(*at) for at in ((0, 2), (2, 4), (1, 3), (4, 5), (3, 4), (end - 1, end))] == [
        True, True, False, False, True, True,
    ]  # fmt: skip
    assert fragment.source_span(1, 3) == (2, 11)
    assert fragment.source_span(2, 2) == (3, 3)


def test_each_statement_has_its_own_templates() -> None:
    broken = "ALTER TABLE t ADD PARTITION FIELD days(ts) nonsense"
    text = f"SELECT {{{{ a }}}}; {broken}; {broken} {{{{ b }}}}; {broken}"
    at = [report.text[: d.span.start].count(";") for report in lint(text, "a.sql") for d in report]
    codes = [d.code for report in lint(text, "a.sql") for d in report]
    assert list(zip(at, codes, strict=True)) == [(1, "SIS001"), (2, "SIS002"), (3, "SIS001")]


def test_notes_that_are_left_out_are_counted() -> None:
    text = CREATE.replace(" t ", " {{ t }} ") + "(days({{ c }}), weeks(ts), bucket(8, nope))"
    [full_report] = lint(text, "a.sql")
    [hidden] = lint(text, "a.sql", ignore=("SIS002",))
    assert [d for d in full_report if d.code != "SIS002"] == list(hidden)
    assert hidden.diagnostics
    assert hidden.unlisted > 0


def test_dbt_compiled_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "target/compiled/shop/models/orders.sql"
    path.parent.mkdir(parents=True)
    path.write_text(CREATE + "(weeks(ts))")
    [file] = find_files([str(tmp_path / "target/compiled")], lambda path: False)
    assert errors(Path(file).read_text(), file) == [("SIS101", "weeks")]


def test_what_is_no_python_is_a_note() -> None:
    assert found("spark.sql(\n") == [("SIS002", "")]
    assert found("x = node.sql()\nimport sql\n") == []


def test_a_name_bound_twice_is_not_guessed() -> None:
    text = 'q = "ALTER TABLE t ADD PARTITION FIELD weeks(a)"\nq = other()\nspark.sql(q)\n'
    assert found(text) == [("SIS002", "q")]


def test_other_ways_to_bind_are_no_texts() -> None:
    text = (
        "a.q = b['q'] = 'ALTER TABLE t ADD PARTITION FIELD weeks(a)'\n"
        "for x, y in [('ALTER TABLE t ADD PARTITION FIELD weeks(a)', 1)]:\n    spark.sql(x)\n"
        "self.q = 'ALTER TABLE t ADD PARTITION FIELD weeks(a)'\nspark.sql(self.q)\n"
    )
    assert found(text) == [("SIS002", "x"), ("SIS002", "self.q")]


def test_one_text_run_twice_is_checked_once() -> None:
    text = 'Q = "ALTER TABLE t ADD PARTITION FIELD weeks(a)"\nspark.sql(Q)\nspark.sql(Q)\n'
    assert errors(text) == [("SIS101", "weeks")]


@settings(max_examples=EXAMPLES)
@given(st.text(max_size=60))
def test_any_text_at_all(text: str) -> None:
    for name in ("a.py", "a.sql"):
        for report in lint(text, name):
            for d in report:
                assert 0 <= d.span.start <= d.span.end <= len(text)
    python_sql(text)


def test_a_fix_in_a_literal_touches_what_is_written_so() -> None:
    text = 'spark.sql("CREATE TABLE t (id BIGINT) USING iceberg PARTITIONED BY (bucket(id, 16))")\n'
    fixes = [d.fix for report in lint(text) for d in report if d.fix]
    assert [apply_edits(text, fix.edits) for fix in fixes] == [text.replace("id, 16", "16, id")]
    escaped = text.replace("id, 16", "\\x69d, 16")
    assert [d.fix for report in lint(escaped) for d in report if d.code == "SIS104"] == [None]


# --- notebooks ------------------------------------------------------------------------------------


def notebook(*cells: str, language: str = "python") -> str:
    return json.dumps(
        {
            "cells": [
                {"cell_type": "markdown", "source": ["# spark.sql('ALTER TABLE t ADD PARTITION FIELD x(a)')"]},
                *({"cell_type": "code", "source": cell.splitlines(keepends=True)} for cell in cells),
            ],
            "metadata": {"language_info": {"name": language}},
            "nbformat": 4,
            "nbformat_minor": 5,
        }
    )


def test_cells_and_lines() -> None:
    reports = lint(
        notebook(
            "import x\nspark.sql('CREATE TABLE t (id BIGINT) USING iceberg')",
            "%%sql --limit 5\nALTER TABLE t\nADD PARTITION FIELD bucket(8, nope)",
            "%matplotlib inline\n!ls\ndf?\nx = !pwd\nspark.sql('''\nALTER TABLE t ADD PARTITION FIELD weeks(id)''')",
            "%iceberg_sql --limit 5 ALTER TABLE t ADD PARTITION FIELD hash(id)\n%time y = 1",
            "%%bash\nspark.sql('ALTER TABLE t ADD PARTITION FIELD quarters(id)')",
            "%%time\nspark.sql('ALTER TABLE t ADD PARTITION FIELD months(nope)')",
        ),
        "a.ipynb",
    )
    assert [(r.cell, d.span.row, d.span.column, d.code) for r in reports for d in r] == [
        (3, 3, 31, "SIS201"),
        (4, 6, 35, "SIS101"),
        (5, 1, 58, "SIS101"),
        (7, 2, 53, "SIS201"),
    ]


def test_a_notebook_in_sql() -> None:
    reports = lint(notebook("ALTER TABLE t ADD PARTITION FIELD weeks(a)", language="sql"), "a.ipynb")
    assert [d.code for r in reports for d in r if d.severity is Severity.ERROR] == ["SIS101"]


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"cells": 1}', "nonsense"])
def test_no_notebook(text: str) -> None:
    with pytest.raises(FileError, match=r"`a.ipynb` is not a valid notebook"):
        extract_source("a.ipynb", text)


# --- templates ------------------------------------------------------------------------------------

CREATE = "CREATE TABLE t (id BIGINT, ts TIMESTAMP) USING iceberg PARTITIONED BY "


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (CREATE + "({{ cols }}, weeks(ts))", [("SIS101", "weeks")]),
        ("{{ config(a='b''c') }}\n" + CREATE + "(weeks(ts))", [("SIS101", "weeks")]),
        ("{# it's; #}" + CREATE + "(weeks(ts))", [("SIS101", "weeks")]),
        (CREATE + "({% if a %}weeks(ts){% elif b %}hash(id){% else %}days(ts){% endif %})",
         [("SIS101", "weeks"), ("SIS101", "hash")]),
        (CREATE + "({% for c in cs %}weeks(ts){% else %}hash(id){% endfor %}{% include 'x' %})",
         [("SIS101", "weeks"), ("SIS101", "hash")]),
        (CREATE + "(days(ts){% if a %}, weeks(ts){% endif %})", [("SIS101", "weeks")]),
        (CREATE + "({% for c in cs %}{{ c }}{% if not loop.last %}, {% endif %}{% endfor %}, weeks(ts))",
         [("SIS101", "weeks")]),
        (CREATE.replace(" t ", " ${db}.t ") + "(weeks(ts))", [("SIS101", "weeks")]),
        (CREATE.replace(" t ", " {{ ref('t') }} ") + "(bucket(8, nope))", []),
        (CREATE + "(bucket({{ n }}, id), bucket(id, ${n}))", []),
        (CREATE + "({{ 'weeks(ts)' }})", []),
        (CREATE + "(days(ts) {{ more }})", []),
        ("ALTER TABLE t {{ action }} PARTITION FIELD {% set x = 1 %}", []),
        ("{% set q %} it's {% endset %}SELECT 1", []),
        ("{% raw %}" + CREATE + "(weeks(ts)){% endraw %}", [("SIS101", "weeks")]),
        ("{% set a = 1 %}" + CREATE + "(weeks(ts)); {% set q %}it's{% endset %}", [("SIS101", "weeks")]),
        ("SELECT * FROM {{ ref('x') }} WHERE a = '{{ var(\"b\") }}'", []),
    ],
)  # fmt: skip
def test_templates(text: str, expected: list[tuple[str, str]]) -> None:
    assert errors(text, "a.sql") == expected


@pytest.mark.parametrize(
    "text",
    [
        CREATE + "(days(ts) {{ more }})",
        CREATE + "({{ cols }})",
        "ALTER TABLE t ADD PARTITION FIELD {{ field }}",
        "ALTER TABLE t ADD PARTITION FIELD bucket(${n}, id)",
        CREATE + "(days(ts), {% for c in cs %}{{ c }},{% endfor %})",
        "SELECT 1; {{ create_table('t') }} ; SELECT 2",
        "{{ config() }}\n{{ create_table('t') }}\n",
        "${statement}",
    ],
)
def test_what_a_template_hides_is_said(text: str) -> None:
    notes = [d for r in lint(text, "a.sql") for d in r if d.severity is Severity.NOTE]
    assert notes


@settings(max_examples=EXAMPLES)
@given(
    st.lists(
        st.sampled_from(
            ["{{ x }}", "{% if a %}", "{% else %}", "{% elif b %}", "{% endif %}", "{# c' #}", "${v}", "\n",
             "{% for i in j %}", "{% endfor %}", "{% raw %}", "{% endraw %}", "{% set a %}", "{% endset %}",
             "{%", "%}", "{{", "}}", CREATE, "(days(ts))", ";", "'", "days(ts)", "é🙂"]
        ),
        max_size=15,
    )
)  # fmt: skip
def test_choices_have_the_length_of_the_text(parts: list[str]) -> None:
    text = "".join(parts)
    for fragment in template_variants(range_fragment(text, 0, len(text))):
        assert len(fragment.sql) == len(text)
        assert [c for c in fragment.sql if c in "\r\n"] == [c for c in text if c in "\r\n"]
    lint(text, "a.sql")


# --- files ----------------------------------------------------------------------------------------


def test_finding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a.sql", "b/c.SQL", "b/d.txt", "b/.git/e.sql", "f.py", "g.ipynb", "node_modules/h.sql", "x/i.hql"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
    assert list(find_files(["."], lambda path: False)) == ["a.sql", "f.py", "g.ipynb", "b/c.SQL", "x/i.hql"]
    assert list(find_files(["b/d.txt", "a.sql", "./a.sql"], lambda path: True)) == ["b/d.txt", "a.sql"]
    assert list(find_files(["**/*.SQL"], lambda path: False)) == ["b/c.SQL"]
    assert list(find_files(["."], lambda path: path.name == "b")) == ["a.sql", "f.py", "g.ipynb", "x/i.hql"]
    with pytest.raises(FileError, match=r"no such file or directory: `nope\.sql`"):
        list(find_files(["nope.sql"], lambda path: False))


def test_decoding() -> None:
    assert decode("é".encode(), "a.sql") == ("é", "utf-8", b"")
    assert decode(b"\xef\xbb\xbfx", "a.sql") == ("x", "utf-8", b"\xef\xbb\xbf")
    assert decode(b"\xff\xfea\x00", "a.sql") == ("a", "utf-16-le", b"\xff\xfe")
    assert decode(b"# coding: latin-1\n'\xe9'", "a.py")[0].endswith("'é'")
    with pytest.raises(FileError, match=r"`a.sql`: it is not UTF-8 \(byte 0xe9 at offset 1\)"):
        decode(b"a\xe9b", "a.sql")


def test_cells_of_a_notebook_in_a_sql_file() -> None:
    text = (
        "%sql\nALTER TABLE t ADD PARTITION FIELD dayz(a);\n%%sql ALTER TABLE t ADD PARTITION FIELD dayz(b);\n"
        "SELECT 1\n%sql FROM x;\n%python\nspark.sql('DROP TABLE t')\n"
        "-- COMMAND ----------\n%sql\nALTER TABLE t ADD PARTITION FIELD dayz(c)"
    )
    (report,) = lint(text, "cells.sql")
    assert [(d.code, d.span.row) for d in report if d.code != "SIS002"] == [
        ("SIS101", 2),
        ("SIS101", 3),
        ("SIS101", 10),
    ]


def test_a_comment_ends_with_its_literal() -> None:
    """Also one that ends in a backslash, which continues a comment over the end of a line."""
    create = "CREATE TABLE s.{} (ts TIMESTAMP) USING iceberg PARTITIONED BY (weeks(ts)) -- c"
    text = f"spark.sql({create.format('c') + chr(92)!r})\nspark.sql({create.format('d')!r})\n"
    diagnostics = [d for report in Linter().lint(extract_source("a.py", text), Settings()) for d in report]
    assert [(d.code, d.span.row) for d in diagnostics] == [("SIS101", 1), ("SIS101", 2)]

"""Ignore comments: in Python beside the SQL, by a rule's name, misspelt ones, and those that --add-noqa writes."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import pytest
from samples import share

from spark_iceberg_sql import check
from spark_iceberg_sql.checker import engine
from spark_iceberg_sql.checker.suppressions import without_suppressions
from spark_iceberg_sql.cli import main
from spark_iceberg_sql.syntax.lexer import TokenKind, tokenize

TABLE = "CREATE TABLE db.t (at TIMESTAMP) USING iceberg PARTITIONED BY (at)"  # SIS501
OTHER = TABLE.replace("db.t", "db.u")
NAME = "identity-on-timestamp"
MEANT = f"did you mean `{NAME}`?"


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def found(name: str, text: str, capsys: Any, *options: str) -> list[str]:
    """The rows and codes of a file's findings."""
    Path(name).write_text(text, newline="")
    main(["check", "--isolated", "--output-format", "json", *options, name])
    reported = json.loads(capsys.readouterr().out)
    return sorted(f"{d['location']['row']} {d['code']}" for d in reported)


# --- in SQL ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "comment",
    [
        "-- noqa: SIS501",
        f"-- noqa: {NAME}",
        f"-- noqa: LT05, {NAME}",
        "-- noqa: sis501 one file per load",
        "/* noqa: SIS501 */",
        "-- noqa",
    ],
)
def test_noqa(comment: str, capsys: Any) -> None:
    assert found("a.sql", f"{TABLE} {comment}\n", capsys) == []


@pytest.mark.parametrize(
    "comment",
    [
        f"-- iceberg-sql: ignore[{NAME}]",
        f"-- iceberg-sql: ignore[ {NAME}, SIS501 ] reason",
        "-- iceberg-sql:ignore[SIS501]",
        "-- iceberg-sql: ignore",
    ],
)
def test_ignore(comment: str, capsys: Any) -> None:
    assert found("a.sql", f"{comment}\n{TABLE}\n", capsys) == []


@pytest.mark.parametrize(
    ("comment", "message", "help_"),
    [
        ("-- noqa SIS501", "a colon is missing", "write `noqa: SIS501`"),
        ("-- noqa; SIS501", "a colon is missing", "write `noqa: SIS501`"),
        ("-- nqoa: SIS501", "unknown word `nqoa`", "write `noqa: SIS501`"),
        ("-- no-qa: SIS501", "unknown word `no-qa`", "write `noqa: SIS501`"),
        ("-- noqa: SIS50", "unknown rule `SIS50`", "did you mean `SIS501`?"),
        ("-- noqa: SIS5O1", "unknown rule `SIS5O1`", "did you mean `SIS501`?"),
        ("-- noqa: identity-on-timestmp", "unknown rule `identity-on-timestmp`", MEANT),
        ("-- iceberg-sql: ignroe[SIS501]", "unknown word `ignroe`", "did you mean `ignore`?"),
        ("-- iceberg-sql: ignored", "unknown word `ignored`", "did you mean `ignore`?"),
        ("-- iceberg-sql: skipfile", "unknown word `skipfile`", "did you mean `skip-file`?"),
        ("-- iceberg-sql: ignore(SIS501)", "write `ignore[SIS501]`", None),
        ("-- iceberg-sql: ignore SIS501", "write `ignore[SIS501]`", None),
        ("-- iceberg-sql: ignore: SIS501", "write `ignore[SIS501]`", None),
        ("-- iceberg-sql: ignore[SIS501", "write `ignore[SIS501]`", None),
        ("-- iceberg-sql: ignore[]", "no rule in `ignore[]`", None),
        ("-- iceberg-sql: ignore[identity-timestamp]", "unknown rule `identity-timestamp`", MEANT),
        ("-- icebreg-sql: ignore[SIS501]", "`icebreg-sql` is not `iceberg-sql:`", None),
        ("-- iceberg_sql: ignore[SIS501]", "`iceberg_sql` is not `iceberg-sql:`", None),
    ],
)  # fmt: skip
def test_a_misspelt_comment_ignores_nothing_and_is_told(
    comment: str, message: str, help_: str | None, capsys: Any
) -> None:
    text = f"{comment}\n{TABLE}" if "ignore" in comment else f"{TABLE} {comment}\n"
    assert sorted(code.split()[1] for code in found("a.sql", text, capsys)) == ["SIS003", "SIS501"]
    main(["check", "--isolated", "--output-format", "json", "--select", "SIS003", "a.sql"])
    (finding,) = json.loads(capsys.readouterr().out)
    assert finding["message"] == f"nothing is ignored: {message}"
    assert help_ is None or finding["help"] == help_


@pytest.mark.parametrize(
    "comment",
    ["-- noqa: LT05", "-- noqa: disable=all", "-- noqa: PRS", "-- noqa: aliasing.table, layout-long-lines"],
)  # fmt: skip
def test_other_linters_words_are_theirs(comment: str, capsys: Any) -> None:
    assert found("a.sql", f"{TABLE} {comment}\n", capsys) == ["1 SIS501"]


# --- in Python ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        f'spark.sql("{TABLE}")  # noqa: SIS501\n',
        f'spark.sql("{TABLE}")  # noqa: E501, {NAME}\n',
        f'spark.sql("{TABLE}")  # type: ignore  # noqa: E501,SIS501\n',
        f'spark.sql("{TABLE}")  # noqa\n',
        f'spark.sql("{TABLE}")  # iceberg-sql: ignore[SIS501] one file per load\n',
        f'# iceberg-sql: ignore[{NAME}]\nspark.sql("{TABLE}")\n',
        f'# iceberg-sql: ignore[SIS501]\n\n# why\nspark.sql(\n    "{TABLE}"\n)\n',
        f'spark.sql(\n    # iceberg-sql: ignore[SIS501]\n    "{TABLE}"\n)\n',
        f'spark.sql("""\n{TABLE}\n""")  # noqa: SIS501\n',
        f'DDL = """\n{TABLE}\n"""  # noqa: SIS501\nspark.sql(DDL)\n',
        f'spark.sql(\n    f"{TABLE[:40]}"\n    "{TABLE[40:]}"  # noqa: SIS501\n)\n',
        f'\r\nspark.sql("{TABLE}")  # noqa: SIS501\r\n',
        f'é = "日本"; spark.sql("{TABLE}")  # noqa: SIS501\n',
        f"for q in ['{TABLE}', 'SELECT 1']:  # noqa: SIS501\n    spark.sql(q)\n",
        'spark.sql(build())  # noqa: SIS002\n',
    ],
)  # fmt: skip
def test_beside_the_literal(text: str, capsys: Any) -> None:
    assert found("a.py", text, capsys) == []


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        (f'spark.sql("{TABLE}")  # noqa: E501\n', ["1 SIS501"]),
        (f'spark.sql("{TABLE}")  # noqa: SIS502\n', ["1 SIS003", "1 SIS501"]),
        (f'# noqa: SIS501\nspark.sql("{TABLE}")\n', ["1 SIS003", "2 SIS501"]),
        (f'spark.sql("{TABLE}")\n# noqa: SIS501\n', ["1 SIS501", "2 SIS003"]),
        (f'spark.sql("{TABLE}")  # noqa SIS501\n', ["1 SIS003", "1 SIS501"]),
        (f'x = "# noqa: SIS501"; spark.sql("{TABLE}")\n', ["1 SIS501"]),
        (f'spark.sql("""\n-- # noqa: SIS501\n{TABLE}""")\n', ["3 SIS501"]),
        # The first comment is about the first literal alone.
        (f'# iceberg-sql: ignore[SIS501]\nspark.sql("{TABLE}")\nspark.sql("{OTHER}")\n', ["3 SIS501"]),
        (f'# iceberg-sql: ignore[SIS501]\nspark.sql("SELECT 1")\nspark.sql("{TABLE}")\n', ["1 SIS003", "3 SIS501"]),
        ("x = 1\n# noqa: SIS501\nspark.sql('SELECT 1')\n", ["2 SIS003"]),
        ("# noqa: SIS501\nx = 1\n", []),  # a program without SQL is not read
    ],
)  # fmt: skip
def test_what_is_not_beside_it(text: str, codes: list[str], capsys: Any) -> None:
    assert found("a.py", text, capsys) == codes


def test_a_program_that_is_skipped(capsys: Any) -> None:
    assert found("a.py", f'# iceberg-sql: skip-file\nspark.sql("{TABLE}")\n', capsys) == []
    assert found("a.py", f'# iceberg-sql: skipfile\nspark.sql("{TABLE}")\n', capsys) == ["1 SIS003", "2 SIS501"]


def test_in_a_notebook(capsys: Any) -> None:
    cells = [
        f'spark.sql("{TABLE}")  # noqa: SIS501',
        f"%%sql\n{TABLE} -- noqa: SIS501".replace("db.t", "db.u"),
        "%time x = 1\n# noqa: SIS501",
    ]
    text = json.dumps({"cells": [{"cell_type": "code", "source": c} for c in cells], "metadata": {}})
    assert found("a.ipynb", text, capsys) == []


def test_a_suppressed_error_does_not_stop_what_follows(capsys: Any) -> None:
    """As in SQL: the statement is taken to run."""
    create = "CREATE TABLE db.t (id BIGINT) USING iceberg PARTITIONED BY (bucket(id, 16))"
    two = "ALTER TABLE db.t ADD COLUMN id INT"
    in_sql = found("a.sql", f"{create}; -- noqa: SIS104\n{two}", capsys)
    text = f'spark.sql("{create}")  # noqa: SIS104\nspark.sql("{two}")\n'
    assert found("a.py", text, capsys) == in_sql == ["2 SIS207"]


# --- --add-noqa -----------------------------------------------------------------------------------

SQL = [
    f"{TABLE};\n",
    f"{TABLE}",
    f"{TABLE};\r\n{TABLE};\r\n".replace("db.t", "db.u", 1),
    f"{TABLE}; -- why\n",
    f"{TABLE}; -- noqa: LT05\n",
    f"{TABLE} /* why */\n",
    f"{TABLE} /* why\n and so on */;\n",
    f"{TABLE} COMMENT 'two\nlines';\n",
    f"SELECT 1; {TABLE} COMMENT 'two\nlines';\n",
    f"  {TABLE} COMMENT 'two\nlines';\n",
    "CREATE TABLE db.t (at TIMESTAMP, `two\nlines` INT) USING iceberg PARTITIONED BY (at);\n",
    "CREATE TABLE db.t (at TIMESTAMP, b TIMESTAMP)\nUSING iceberg\nPARTITIONED BY (at,\n b);\n",
    "ALTER TABLE db.t ADD PARTITION FIELD weeks(a);\nALTER TABLE db.t ADD PARTITION FIELD weeks(b);\n",
    "CREATE TABLE db.t (id BIGINT) USING iceberg PARTITIONED BY (weeks(id), bucket(id, 16));\n",
    f"\ufeff{TABLE};\n",
    f"{TABLE}\n{{%- if x %}} TBLPROPERTIES ('a' = 'b'){{% endif %}};\n",
    f"{{% if x %}}{TABLE}{{% endif %}}\n",
    f"{TABLE} TBLPROPERTIES ('a' = '{{{{ x\n }}}}');\n",
    "-- liquibase formatted sql\n-- changeset a:1\n" + f"{TABLE};\n-- rollback DROP TABLE db.t;\n",
    f"-- migrate:up\n{TABLE};\n-- migrate:down\nDROP TABLE db.t;\n",
    f"%sql\n{TABLE}\n",
    f"-- MAGIC %sql\n{TABLE}\n-- COMMAND ----------\n",
]  # fmt: skip


@pytest.mark.tier("quick")
@pytest.mark.parametrize("text", SQL)
def test_comments_are_added_to_sql(text: str, capsys: Any) -> None:
    before = [c for c in found("a.sql", text, capsys) if not c.endswith("SIS002")]
    assert before
    main(["check", "--isolated", "--add-noqa", "a.sql"])
    output = capsys.readouterr()
    after = Path("a.sql").read_bytes().decode()
    if "No comment can suppress" in output.err:
        assert after == text or len(after) > len(text)
    else:
        left = found("a.sql", after, capsys)
        assert [c for c in left if not c.endswith("SIS002")] == []
    assert words(after) == words(text)
    assert after.count("\r") == text.count("\r") + (after.count("\n") - text.count("\n")) * ("\r" in text)
    main(["check", "--isolated", "--add-noqa", "a.sql"])  # nothing more is added
    assert Path("a.sql").read_bytes().decode() == after


def words(text: str) -> list[str]:
    return [t.text for t in tokenize(text) if t.kind is not TokenKind.COMMENT and t.text.strip()]


@pytest.mark.parametrize("text", [t for t in SQL if "{" not in t and "MAGIC" not in t])
def test_every_finding_in_plain_sql_can_be_ignored(text: str, capsys: Any) -> None:
    found("a.sql", text, capsys)
    assert main(["check", "--isolated", "--add-noqa", "a.sql"]) == 0
    assert "No comment" not in capsys.readouterr().err


PYTHON = [
    f'spark.sql("{TABLE}")\n',
    f'spark.sql("{TABLE}")',
    f"spark.sql('''{TABLE}''')  # why\n",
    f'spark.sql("{TABLE}")  # noqa: E501\n',
    f'spark.sql("{TABLE}")  # noqa: E501 # why\n',
    f'spark.sql("""\n{TABLE}\n""")\n',
    f'spark.sql("""\n{TABLE}\n""".strip())\n',
    f'spark.sql(f"""\n{TABLE} {{x}}\n""")\n',
    f'spark.sql(\n    """\n    {TABLE}\n    """,\n)\n',
    f'spark.sql("{TABLE[:40]}" \\\n  "{TABLE[40:]}")\n',
    f'spark.sql("{TABLE[:60]}" \\\n  "{TABLE[60:]}" \\\n)\n',
    f'DDL = """{TABLE}"""\nspark.sql(DDL)\nprint(DDL)\n',
    f'if x:\n    spark.sql("{TABLE}"); y = 1\n',
    f'spark.sql(r"{TABLE}"); spark.sql("{TABLE}")\n'.replace("db.t", "db.u", 1),
    f'\r\nspark.sql("{TABLE}")\r\n',
    f'é = "日本"; spark.sql("{TABLE}")\n',
    f'# coding: latin-1\nspark.sql("{TABLE}")\n',
    f'x = """\n""" + spark.sql("{TABLE}").x + """\n"""\n',
    f'x = f"{{spark.sql("""{TABLE}""")}}"\n'.replace('f"', "f'").replace('}"', "}'"),
    f'# Databricks notebook source\n# MAGIC %sql\n# MAGIC {TABLE}\n',
]  # fmt: skip


@pytest.mark.tier("quick")
@pytest.mark.parametrize("text", PYTHON)
def test_comments_are_added_to_programs(text: str, capsys: Any) -> None:
    before = [c for c in found("a.py", text, capsys) if not c.endswith("SIS002")]
    main(["check", "--isolated", "--add-noqa", "a.py"])
    output = capsys.readouterr()
    after = Path("a.py").read_bytes().decode()
    assert ast.dump(ast.parse(after)) == ast.dump(ast.parse(text))
    if "No comment can suppress" not in output.err:
        assert [c for c in found("a.py", after, capsys) if not c.endswith("SIS002")] == []
        assert (after != text) is bool(before)
    main(["check", "--isolated", "--add-noqa", "a.py"])
    assert Path("a.py").read_bytes().decode() == after


def test_comments_are_added_to_a_notebook(capsys: Any) -> None:
    cells = [
        [f'spark.sql("{TABLE}")\n', "x = 1"],
        [f'spark.sql("{TABLE}")'.replace("db.t", "db.u")],
        f"%%sql\n{TABLE}".replace("db.t", "db.v"),
        f"%time spark.sql('{TABLE}')\nx = 1".replace("db.t", "db.w"),
    ]
    text = json.dumps({"cells": [{"cell_type": "code", "source": c} for c in cells], "metadata": {}}, indent=1)
    assert len(found("a.ipynb", text, capsys)) == 4
    main(["check", "--isolated", "--add-noqa", "a.ipynb"])
    capsys.readouterr()
    after = json.loads(Path("a.ipynb").read_text())
    sources = ["".join(cell["source"]) for cell in after["cells"]]
    assert sources[0] == f'spark.sql("{TABLE}")  # noqa: SIS501\nx = 1'
    assert sources[1].endswith('")  # noqa: SIS501')
    assert sources[2].endswith("(at)  -- noqa: SIS501")
    assert sources[3] == f"%time spark.sql('{TABLE}')  # noqa: SIS501\nx = 1".replace("db.t", "db.w")
    assert found("a.ipynb", Path("a.ipynb").read_text(), capsys) == []


def test_what_would_be_added_is_shown(capsys: Any) -> None:
    Path("a.sql").write_text(f"{TABLE};\n")
    assert main(["check", "--isolated", "--add-noqa", "--diff", "a.sql"]) == 1
    assert f"+{TABLE};  -- noqa: SIS501\n" in capsys.readouterr().out
    assert Path("a.sql").read_text() == f"{TABLE};\n"


def test_what_cannot_be_ignored_is_named(capsys: Any) -> None:
    """Python in a comment of SQL, which has no comments of its own."""
    text = f"-- Databricks notebook source\n-- MAGIC %python\n-- MAGIC spark.sql('{TABLE}')\n"
    found("a.sql", text, capsys)
    assert main(["check", "--isolated", "--add-noqa", "a.sql"]) == 1
    assert "No comment can suppress 1 finding: a.sql:3:" in capsys.readouterr().err
    assert Path("a.sql").read_text() == text


CONFIG = "{{ config(file_format='iceberg', materialized='table',\n  partition_by=['weeks(a)']\n) }}"
MODEL = "MODEL (name t, kind FULL, dialect spark, table_format iceberg, partitioned_by weeks(a));"
ENTRY = """models:
- name: k
  config:
    file_format: iceberg
    materialized: table
    partition_by:
    - weeks(a)  # by week"""


@pytest.mark.parametrize(
    ("name", "text", "after"),
    [
        (
            "a.py",
            f'if x:\n    spark.sql("{TABLE}" \\\n    )\n',
            f'if x:\n    # iceberg-sql: ignore[SIS501]\n    spark.sql("{TABLE}" \\\n    )\n',
        ),
        (
            "a.py",
            f"# MAGIC %sql\n# MAGIC {TABLE}\n# COMMAND ----------\nx = 1\n",
            f"# MAGIC %sql\n# MAGIC {TABLE}  -- noqa: SIS501\n# COMMAND ----------\nx = 1\n",
        ),
        ("models/m.sql", f"{CONFIG}\nSELECT 1\n", f"{CONFIG}  /* noqa: SIS101 */\nSELECT 1\n"),
        ("mesh.sql", f"{MODEL}\nSELECT 1\n", f"-- iceberg-sql: ignore[SIS101]\n{MODEL}\nSELECT 1\n"),
        ("models/s.yml", f"{ENTRY}\n", f"{ENTRY}  # noqa: SIS101\n"),
    ],
)
def test_comments_are_added_wherever_they_count(name: str, text: str, after: str, capsys: Any) -> None:
    Path("dbt_project.yml").write_text("name: p\n")
    Path("models").mkdir()
    Path("models/k.sql").write_text("SELECT 1 a\n")
    assert len(found(name, text, capsys, "--ignore", "SIS002")) == 1
    assert main(["check", "--isolated", "--add-noqa", name]) == 0
    capsys.readouterr()
    assert Path(name).read_text() == after
    assert found(name, after, capsys, "--ignore", "SIS002") == []


def test_one_place_without_a_comment_does_not_keep_the_others_from_theirs(capsys: Any) -> None:
    other = TABLE.replace("db.t", "db.u")
    text = f"{TABLE};\n-- COMMAND ----------\n-- MAGIC %python\n-- MAGIC spark.sql('{other}')\n"
    assert len(found("a.sql", text, capsys)) == 2
    main(["check", "--isolated", "--add-noqa", "a.sql"])
    capsys.readouterr()
    assert found("a.sql", Path("a.sql").read_text(), capsys) == ["4 SIS501"]


def test_a_comment_reaches_the_next_statement_and_no_further(capsys: Any) -> None:
    """It does not apply to unrelated SQL further on."""
    comment = "# iceberg-sql: ignore[SIS501]"
    near = f"{comment}\n\n# by load\nspark.sql(\n  '{TABLE}')\n"
    listed = f"SQL = [\n  {comment}\n  '{TABLE}',\n]\nfor s in SQL: spark.sql(s)\n"
    far = f"{comment}\nx = 1\n\ndef f():\n    spark.sql('{TABLE}')\n"
    assert found("a.py", near, capsys) == []
    assert found("a.py", listed, capsys) == []
    assert found("a.py", far, capsys) == ["1 SIS003", "5 SIS501"]


def test_an_internal_error_has_no_comment(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    from spark_iceberg_sql.checker import engine

    def broken(*_: object) -> None:
        raise RuntimeError("broken")

    monkeypatch.setattr(engine.parser, "parse", broken)
    Path("a.sql").write_text(f"{TABLE};\n")
    assert main(["check", "--isolated", "--add-noqa", "a.sql"]) == 2
    assert Path("a.sql").read_text() == f"{TABLE};\n"


def test_new_findings_alone_get_comments(capsys: Any) -> None:
    Path("a.sql").write_text(f"{TABLE};\n")
    main(["check", "--isolated", "--baseline", "b.json", "--write-baseline"])
    Path("a.sql").write_text(f"{TABLE};\n{TABLE.replace('db.t', 'db.u')};\n")
    assert main(["check", "--isolated", "--baseline", "b.json", "--add-noqa"]) == 0
    assert Path("a.sql").read_text().count("noqa") == 1


RULES = sorted((Path(__file__).parent / "rules").glob("*.sql"))


@pytest.mark.tier("rest")  # ten seconds
@pytest.mark.parametrize("path", share(RULES, 2), ids=lambda path: path.stem)
def test_files_with_many_findings(path: Path, capsys: Any) -> None:
    """No comment is left that suppresses nothing, although an ignored error changes what follows it."""
    text = path.read_text("utf-8")
    assert found("a.sql", text, capsys)
    main(["check", "--isolated", "--add-noqa", "a.sql"])
    assert "No comment can suppress" not in capsys.readouterr().err
    after = Path("a.sql").read_text("utf-8")
    assert words(after) == words(text)
    assert {c.split()[1] for c in found("a.sql", after, capsys)} <= {"SIS002"}


@pytest.mark.parametrize("comment", ["-- noqa: SIS302", "-- noqa: LT05, SIS302"])
def test_comments_that_were_unused_before_stay(comment: str, capsys: Any) -> None:
    text = f"SELECT 1; {comment}\n{TABLE};\n"
    assert found("a.sql", text, capsys) == ["1 SIS003", "2 SIS501"]
    main(["check", "--isolated", "--add-noqa", "a.sql"])
    assert Path("a.sql").read_text() == f"SELECT 1; {comment}\n{TABLE};  -- noqa: SIS501\n"


@pytest.mark.parametrize(
    "comment",
    [
        *("-- noqa", "/* noqa */", "-- noqa: SIS103, SIS501", "-- iceberg-sql: skip-file"),
        "-- iceberg-sql: ignore[SIS103, SIS501]",
    ],
)
def test_a_statement_that_is_about_to_run(comment: str) -> None:
    """In a session a comment hides no error; in a file it does. It still hides warnings."""
    text = "CREATE TABLE t (id INT, ts TIMESTAMP) USING iceberg PARTITIONED BY (ts, bucket(0, id))"
    text = f"{comment}\n{text}" if "iceberg-sql" in comment else f"{text} {comment}"
    assert [d.code for d in check(text)] == []
    assert [d.code for d in engine.check(text, before_execution=True)] == ["SIS103"]
    bare = without_suppressions(text)
    assert [d.code for d in check(bare)] == ["SIS501", "SIS103"]
    assert (len(bare), bare.strip()) == (len(text), text.replace(comment, "").strip())


@pytest.mark.parametrize(
    "text",
    [
        "ALTER TABLE db.t ADD PARTITION FIELD ts; -- noqa: SIS501",
        "ALTER TABLE db.t DROP COLUMN ts; -- noqa: SIS407",
        "-- iceberg-sql: ignore[SIS502] a key per row, but a small table\nALTER TABLE db.t ADD PARTITION FIELD id;",
        "-- iceberg-sql: ignore\nALTER TABLE db.t ADD PARTITION FIELD id;",
        "{{ x }} -- noqa: SIS501",
        "CREATE TABLE db.{{ y }} (ts TIMESTAMP) USING iceberg PARTITIONED BY ({{ z }}); -- noqa: SIS501",
        "CREATE TABLE db.z USING iceberg PARTITIONED BY (ts) AS SELECT * FROM db.q; -- noqa: SIS501",
        "CREATE TABLE db.t (ts TIMESTAMP) USING iceberg PARTITIONED BY (ts,,); -- noqa: SIS501",
        "SELECT * FROM db.q WHERE month(ts) = 2; -- noqa: SIS602",
    ],
)
def test_a_comment_on_a_statement_that_is_not_checked_in_full_may_be_needed(text: str, capsys: Any) -> None:
    text = f"USE lake;\n{text}\n"
    assert not [code for code in found("a.sql", text, capsys) if "SIS003" in code]
    assert main(["check", "--isolated", "--fix", "--unsafe-fixes", "a.sql"]) in (0, 1)
    assert Path("a.sql").read_text() == text


@pytest.mark.parametrize(
    "text",
    [
        "spark.sql(q)  # noqa: SIS501\n",
        "# iceberg-sql: ignore[SIS501]\nspark.sql(q)\n",
        'spark.sql(f"CREATE TABLE db.t (ts TIMESTAMP) USING iceberg PARTITIONED BY ({p})")  # noqa: SIS501\n',
        'spark.sql("ALTER TABLE db.t ADD PARTITION FIELD ts")  # noqa: SIS501\n',
        'spark.sql("SELECT 1"\n# noqa: SIS501\n',
    ],
)
def test_so_may_one_beside_such_a_statement(text: str, capsys: Any) -> None:
    assert not [code for code in found("a.py", text, capsys) if "SIS003" in code]


def test_what_the_rules_decided_needs_no_comment(capsys: Any) -> None:
    """The statement next to it is only partly checked, but the comment is not about that one."""
    text = (
        "CREATE TABLE db.t (ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts)); -- noqa: SIS501\n"
        "ALTER TABLE db.q ADD PARTITION FIELD ts;\n"
    )
    assert found("a.sql", text, capsys) == ["1 SIS003", "2 SIS002"]

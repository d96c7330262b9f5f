"""A fix changes the text of its statement alone: what a program or a template shares with it stays."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from spark_iceberg_sql.checker import fixes
from spark_iceberg_sql.checker.engine import check
from spark_iceberg_sql.checker.files.linter import Linter
from spark_iceberg_sql.cli import main
from spark_iceberg_sql.config.settings import Settings
from spark_iceberg_sql.files.discovery import extract_source
from spark_iceberg_sql.model.tables import Tables

CREATE = "CREATE TABLE a.b (id BIGINT, n STRING) USING iceberg PARTITIONED BY "
BY_P = f'spark.sql("{CREATE}" + P)\n'
FAULTY = "(bucket(id, 16))"
CURED = "(bucket(16, id))"


def fixed(folder: Path, name: str, text: str, *options: str) -> str:
    path = folder / name
    path.write_text(text)
    assert main(["check", "--isolated", "--fix", "-q", *options, str(path)]) in (0, 1)
    return path.read_text()


def codes(text: str) -> list[str]:
    return [d.code for report in Linter().lint(extract_source("a.py", text), Settings()) for d in report]


BUCKETS = """N = "16"
C = "id"
spark.sql("ALTER TABLE a.b ADD PARTITION FIELD bucket(" + C + ", " + N + ")")
"""
WIDTH = """W = "4"
spark.sql("ALTER TABLE a.b ADD PARTITION FIELD truncate(n, " + W + ")")
"""


# --- names of a program ---------------------------------------------------------------------------

SHARED = [
    # a literal of another statement, or of no statement
    f"{BUCKETS}df = df.repartition(int(N), C)\n",
    BUCKETS,
    f'{WIDTH}spark.sql("SELECT substr(x, 1, " + W + ")")\n',
    'N = "\'16\'"\nspark.sql("ALTER TABLE a.b ADD PARTITION FIELD bucket(" + N + ", id)")\nprint(N)\n',
    f'P = "{FAULTY}"\n{BY_P}trino.execute("CREATE TABLE a.b" + P)\n',
    f'P = "{FAULTY}"\n{BY_P}trino.execute(f"CREATE TABLE a.b {{P}}")\n',
    f'P = "{FAULTY}"\n{BY_P}__all__ = ["P"]\n',
    f'P = "{FAULTY}"\n{BY_P}trino.execute("CREATE TABLE a.b %(P)s" % globals())\n',
    f'class A:\n    P = "{FAULTY}"\n    {BY_P}trino.execute(A.P)\n',
    f'for P in ["{FAULTY}", "(bucket(8, id))"]:\n    {BY_P}    trino.execute(P)\n',
    # one statement in several literals
    f'spark.sql("{CREATE}(bucket(id, " "16))")\n',
    f'spark.sql("{CREATE}(bucket(id" + ", 16))")\n',
    f'C = "id"\nspark.sql("{CREATE}(bucket(" + C + ", 16))")\n',
    f'N = "16"\nspark.sql("{CREATE}(bucket(id, " + N + "))")\n',
    f'spark.sql("{CREATE}(bucket({{}}, 16))".format(c))\n',
]


@pytest.mark.parametrize("text", SHARED)
@pytest.mark.parametrize("options", [(), ("--unsafe-fixes",)])
def test_what_others_use_stays(tmp_path: Path, text: str, options: tuple[str, ...]) -> None:
    assert fixed(tmp_path, "a.py", text, *options) == text


@pytest.mark.parametrize(
    "text",
    [
        f'P = "{FAULTY}"\n{BY_P}',
        f'P = "{FAULTY}"\ndef f():\n    {BY_P}',
        f'def f():\n    P: str = "{FAULTY}"\n    {BY_P}',
        f'from m import *\nP = "{FAULTY}"\n{BY_P}',
        f'class A:\n    P = "{FAULTY}"\n    {BY_P}',
        f'for P in ["{CREATE}{FAULTY}", "SELECT 1"]:\n    spark.sql(P)\n',
        f'spark.sql("{CREATE}" "{FAULTY}")\n',
        f"P = '''{CREATE}\n{FAULTY}'''\nspark.sql(P)\n",
    ],
)
def test_a_literal_of_one_statement_is_fixed(tmp_path: Path, text: str) -> None:
    assert fixed(tmp_path, "a.py", text) == text.replace(FAULTY, CURED)


@pytest.mark.parametrize(
    "text",
    [
        f'def a():\n    P = "{FAULTY}"\ndef b():\n    {BY_P}',
        f'class A:\n    P = "{FAULTY}"\n    def b(self):\n        {BY_P}',
        f'class A:\n    P = "{FAULTY}"\n    [spark.sql("{CREATE}" + P) for x in y]\n',
        f'P = "{FAULTY}"\nclass A:\n    {BY_P}    P = "(id)"\n',
        f'P = "{FAULTY}"\nfrom m import PART as P\n{BY_P}',
        f'P = "{FAULTY}"\nimport P.q\n{BY_P}',
        f'P = "{FAULTY}"\nfrom m import *\n{BY_P}',
        f'P = "{FAULTY}"\nmatch x:\n    case P:\n        {BY_P}',
        f'P = "{FAULTY}"\nmatch x:\n    case [*P]:\n        {BY_P}',
        f'P = "{FAULTY}"\nmatch x:\n    case {{**P}}:\n        {BY_P}',
        f'P = "{FAULTY}"\ntry:\n    go()\nexcept E as P:\n    {BY_P}',
        f'P = "{FAULTY}"\ndef P():\n    pass\n{BY_P}',
        f'P = "{FAULTY}"\ndef f(*P):\n    {BY_P}',
        f'P = "{FAULTY}"\n(lambda P: spark.sql("{CREATE}" + P))(x)\n',
        f'P = "{FAULTY}"\ndef f():\n    global P\n    P = x\n{BY_P}',
        f'def f():\n    P = "{FAULTY}"\n    def g():\n        nonlocal P\n        P = x\n    {BY_P}',
        f'P = "{FAULTY}"\nwith x as P:\n    {BY_P}',
        f'P = "{FAULTY}"\n[P := x for x in y]\n{BY_P}',
        f'P = "{FAULTY}"\nP += x\n{BY_P}',
        f'P = "{FAULTY}"\ndel P\n{BY_P}',
        f'{BY_P}P = "{FAULTY}"\n',
        f'P = "(" + P\n{BY_P}',
    ],
)
def test_a_name_of_another_scope_or_value_is_not_read(tmp_path: Path, text: str) -> None:
    assert "SIS104" not in codes(text)
    assert fixed(tmp_path, "a.py", text) == text


def test_names_are_read_by_scope() -> None:
    twice = f'def a():\n    P = "{FAULTY}"\n    {BY_P}def b():\n    P = "(days(id))"\n    {BY_P}'
    assert codes(twice) == ["SIS104", "SIS202"]
    assert codes(f'P = "{FAULTY}"\ndef f(x):\n    global P\n    {BY_P}') == ["SIS104"]
    assert codes(f'P = "{FAULTY}"\n' + "x = 1" + " + 1" * 900 + f"\n{BY_P}") == ["SIS104"]


def test_a_name_that_another_cell_uses_stays(tmp_path: Path) -> None:
    def notebook(*cells: str) -> str:
        return json.dumps({"cells": [{"cell_type": "code", "source": [c]} for c in cells]})

    first = f'P = "{FAULTY}"\n{BY_P}'
    text = notebook(first, "trino.execute(P)")
    assert fixed(tmp_path, "a.ipynb", text) == text
    text = notebook(first, "trino.execute(Q)")
    assert fixed(tmp_path, "a.ipynb", text) == text.replace(FAULTY, CURED)


@pytest.mark.parametrize("cells", [[], [{"cell_type": "markdown", "source": ["# x"]}]])
@pytest.mark.parametrize("option", ["--fix", "--diff"])
def test_a_notebook_without_code(tmp_path: Path, cells: list[object], option: str) -> None:
    path = tmp_path / "a.ipynb"
    path.write_text(json.dumps({"cells": cells}))
    assert main(["check", "--isolated", option, str(path)]) == 0
    assert json.loads(path.read_text()) == {"cells": cells}


# --- templates ------------------------------------------------------------------------------------

COLUMNS = "CREATE TABLE s.t (id BIGINT, key BIGINT, ts TIMESTAMP, Name STRING) USING iceberg "


@pytest.mark.parametrize(
    "fields",
    [
        "bucket('{% if a %}16{% else %}32{% endif %}', id)",
        "bucket(id, {% if a %}16{% else %}32{% endif %})",
        "bucket({% if a %}id{% else %}key{% endif %}, 16)",
        "bucket(id{% if a %}, 16{% else %}, 32{% endif %})",
        "{% if a %}bucket(id{% else %}truncate(Name{% endif %}, 16)",
        "bucket(id,{% if a %} 16), days(ts{% else %} 32), days(ts{% endif %})",
        "{% if a %}bucket{% else %}mine{% endif %}(id, 16)",
        "{% if a %}bucket{% elif b %}truncate{% else %}mine{% endif %}(id, 16)",
        "{% if a %}bucket{% endif %}(id, 16)",
        "bucket({% if a %}key, {% endif %}id, 16)",
        "bucket(id, 1{% if a %}6{% endif %})",
        "bucket(id, {# number #}16)",
        "bucket(id, {{ extra }}16)",
        "bucket(id, 16${zeros})",
        "bucket({% for c in columns %}id{% endfor %}, 16)",
        "truncate('4'{% if a %}, Name{% else %}, key{% endif %})",
    ],
)
@pytest.mark.parametrize("options", [(), ("--unsafe-fixes",)])
def test_branches_of_a_template_stay(tmp_path: Path, fields: str, options: tuple[str, ...]) -> None:
    text = f"{COLUMNS}PARTITIONED BY ({fields});\n"
    assert fixed(tmp_path, "a.sql", text, *options) == text


@pytest.mark.parametrize(
    "text",
    [
        "{% if a %}" + COLUMNS + "PARTITIONED BY (bucket{% else %}INSERT INTO s.t VALUES (f{% endif %}(id, 16));",
        "SELECT 1{% if a %}; " + COLUMNS + "PARTITIONED BY {% endif %} (bucket(id, 16));",
        "SELECT {% if not a %}1 {% else %}1; " + COLUMNS + "PARTITIONED BY {% endif %} (bucket(id, 16));",
        "{% if a %}-- {% endif %}x;\n" + COLUMNS + "PARTITIONED BY (bucket(id, {% if a %}16{% endif %}));",
    ],
)
def test_words_that_are_another_statement_in_another_branch_stay(tmp_path: Path, text: str) -> None:
    assert fixed(tmp_path, "a.sql", text, "--unsafe-fixes") == text


@pytest.mark.parametrize(
    "fields",
    [
        "bucket(id, 16)",
        "bucket(id, 16){% if a %}, days(ts){% endif %}",
        "{% if a %}bucket(id, 16){% else %}days(ts){% endif %}",
        "{{ field }}, bucket(id, 16)",
        "{% if a %}bucket{% else %}truncate{% endif %}(id, 16)",
    ],
)
def test_a_field_that_no_branch_touches_is_fixed(tmp_path: Path, fields: str) -> None:
    text = f"{COLUMNS}PARTITIONED BY ({fields});\n"
    assert fixed(tmp_path, "a.sql", text) == text.replace("id, 16", "16, id")


# --- comments -------------------------------------------------------------------------------------


@pytest.mark.parametrize("comment", ["/* key */", "-- key\n", "/* a /* b */ */"])
@pytest.mark.parametrize("call", ["bucket(id{}, 16)", "bucket(id, {}16)", "bucket(id{}, 16S)"])
def test_a_comment_between_what_is_swapped_is_not_safe(tmp_path: Path, comment: str, call: str) -> None:
    text = f"{COLUMNS}PARTITIONED BY ({call.format(comment)});\n"
    assert fixed(tmp_path, "a.sql", text) == text
    assert fixed(tmp_path, "a.sql", text, "--unsafe-fixes") != text


# --- unsafe fixes ---------------------------------------------------------------------------------

ALTER = "ALTER TABLE db.t "
USING = "CREATE TABLE db.u (id BIGINT, ts TIMESTAMP, name STRING) USING iceberg "
WITH = USING.replace("USING iceberg ", "")


def guessed(text: str) -> str:
    """The text after its unsafe fixes."""
    tables = Tables(catalog="local", namespace=("db",))
    return fixes.apply_fixes(text, lambda sql: check(sql, tables), unsafe=True).text


@pytest.mark.parametrize(
    "text",
    [
        "ALTER TABLE< IF EXISTS> prod.shop.orders ADD PARTITION FIELD days(ts)",
        "ALTER TABLE< IF EXISTS> db.t REPLACE PARTITION FIELD x WITH days(y) AS z",
        "ALTER TABLE< if exists> db.t -- why\n ADD COLUMN x INT",
        ALTER + "ADD< IF NOT EXISTS> PARTITION FIELD days(ts)",
        ALTER + "ADD PARTITION FIELD< IF NOT EXISTS> days(ts) AS d",
        ALTER + "DROP PARTITION FIELD /* a */ <IF EXISTS> /* b */ d",
        ALTER + "DROP PARTITION FIELD days(ts)< AS d>",
    ],
)
def test_a_word_too_many_goes_alone(text: str) -> None:
    start, end = text.index("<"), text.index(">")
    broken = text.replace("<", "").replace(">", "")
    assert guessed(broken) == text[:start] + text[end + 1 :]


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("ADD PARTITION FIELD days(ts) AS d1, bucket(4,id) AS b1",
         ["ADD days(ts) AS d1", "ADD bucket(4, id) AS b1"]),
        ("ADD PARTITION FIELDS (days(ts) AS d1, bucket(4,id))", ["ADD days(ts) AS d1", "ADD bucket(4, id)"]),
        ("ADD PARTITION FIELD (days(ts), `a b` AS `c d`)", ["ADD days(ts)", "ADD `a b` AS `c d`"]),
        ("ADD PARTITION FIELD days(ts), DROP PARTITION FIELD d", ["ADD days(ts)", "DROP d"]),
        ("DROP PARTITION FIELD a, b, ADD PARTITION FIELD days(ts) AS d",
         ["DROP a", "DROP b", "ADD days(ts) AS d"]),
        ("SET PARTITION SPEC (days(ts), bucket(8, id))", ["ADD days(ts)", "ADD bucket(8, id)"]),
    ],
)  # fmt: skip
def test_several_fields_are_all_written(text: str, fields: list[str]) -> None:
    clauses = [field.replace(" ", " PARTITION FIELD ", 1) for field in fields]
    assert guessed(ALTER + text) == ";\n".join(ALTER + field for field in clauses)


@pytest.mark.parametrize(
    ("text", "clauses"),
    [
        ("(partitioning = ARRAY['day(ts)'], format = 'ORC')",
         "USING iceberg PARTITIONED BY (days(ts)) TBLPROPERTIES ('write.format.default' = 'orc')"),
        ("(format_version = 2, location = 's3://b', partitioned_by = ARRAY['name', 'bucket(id, 4)'])",
         "USING iceberg LOCATION 's3://b' PARTITIONED BY (name, bucket(4, id)) TBLPROPERTIES ('format-version' = '2')"),
        ("('connector' = 'iceberg', 'format-version' = '2')",
         "USING iceberg TBLPROPERTIES ('format-version' = '2')"),
        ("('format-version' = '2')", "TBLPROPERTIES ('format-version' = '2')"),
    ],
)  # fmt: skip
def test_all_properties_are_written(text: str, clauses: str) -> None:
    assert guessed(f"{WITH}WITH {text}") == WITH + clauses


@pytest.mark.parametrize(
    "text",
    [
        # what no clause says, or what is not understood
        WITH + "WITH (partitioning = ARRAY['day(ts)'], sorted_by = ARRAY['id'])",
        WITH + "WITH (partitioning = ARRAY['day(ts)'], format = 'LANCE')",
        WITH + "WITH (partitioning = ARRAY['day(ts)'], mine)",
        WITH + "WITH ('connector' = 'kafka', 'topic' = 'x')",
        USING + "PARTITION BY (days(ts) AS d)",
        USING + "PARTITION BY (id + name)",
        USING + "PARTITIONED BY (id + 1)",
        USING + "PARTITIONED BY (bucket(4, bucket(8, id)))",
        USING + "PARTITION BY (days(ts), substr(name, 1, 2))",
        USING + "PARTITIONED BY (days(ts), x STRING COMMENT 'why')",
        "CREATE ICEBERG TABLE db.u (id INT) CATALOG = 'x' BASE_LOCATION = 'y'",
        ALTER + "ADD PARTITION FIELD days(ts), REPLACE PARTITION FIELD x WITH y",
        ALTER + "REPLACE PARTITION FIELD a WITH b, REPLACE PARTITION FIELD c WITH d",
        ALTER + "REPLACE PARTITION FIELD ts_day hours(ts) AS h",
        ALTER + "RENAME PARTITION FIELD ts_day TO b, id_bucket TO d",
        ALTER + "ADD PARTITION FIELD days(ts), bucket(4, id) COMMENT 'why'",
        ALTER + "SET PROPERTIES partitioning = ARRAY['day(ts)'], format = 'ORC'",
        ALTER + "ADD COLUMN d STRING PARTITION COMMENT 'why'",
        "ALTER TABLE IF EXISTS db.t ADD PARTITION FIELD days(ts), bucket(4, id)",
        # what only a template would make readable
        USING + "PARTITIONED BY (bucket<4>(id))",
        USING + "PARTITIONED BY (days<ts>(id)",
        USING + "PARTITIONED BY (bucket[4](id))",
        # comments
        USING + "PARTITION BY (days(ts) /* a */, name -- b\n)",
        USING + "PARTITIONED BY (id) /* a */ PARTITIONED BY (days(ts))",
        WITH + "WITH (partitioning = ARRAY['day(ts)' /* a */])",
        ALTER + "/* c */ ADD PARTITION FIELD days(ts) -- why\n, bucket(4,id)",
        ALTER + "RENAME PARTITION FIELD ts_day /* a */ TO d",
    ],
)  # fmt: skip
def test_what_cannot_be_written_in_full_stays(text: str) -> None:
    assert guessed(text) == text


@pytest.mark.parametrize("before", ["", "/* a */", "-- a\n"])
def test_the_comment_of_a_crlf_line_stays(before: str) -> None:
    text = f"{before}-- b\r\n-- c\r\n{ALTER}ADD PARTITION FIELD days(ts);\r\n"
    assert guessed(text) == f"{before}-- b\n-- c\n{ALTER}ADD PARTITION FIELD days(ts);\r\n"

"""Statements that do not follow one another: in functions, in arms of conditions, in blocks of templates.

What one of them does to a table is not known to another one; what needs no earlier state is judged all the same.
"""

from __future__ import annotations

import textwrap
from typing import Any

import pytest
from test_others_sql import errors, lint, notebook

from spark_iceberg_sql.checker.flow import _MAX_TABLES, SideEffects

ONE = 'spark.sql("CREATE TABLE a.b (id BIGINT, ts TIMESTAMP) USING iceberg")'
TWO = 'spark.sql("CREATE TABLE a.b (name STRING) USING iceberg PARTITIONED BY (name)")'
ADD = 'spark.sql("ALTER TABLE a.b ADD PARTITION FIELD {}")'
SHARD = ADD.format("bucket(4, id)")
NOPE = ADD.format("nope")


def program(shape: str, *blocks: str) -> str:
    """The shape's lines, with each `<n>` replaced by a block of the same indentation."""
    lines = ["import pyspark"]
    for line in textwrap.dedent(shape).strip("\n").splitlines():
        number = line.strip().strip("<>")
        indent = line[: len(line) - len(line.lstrip())]
        lines += (
            [indent + block_line for block_line in blocks[int(number)].splitlines()] if number.isdigit() else [line]
        )
    return "\n".join(lines) + "\n"


APART = [
    "def f():\n    <0>\ndef g():\n    <1>",
    "class A:\n    def f(self):\n        <0>\n    def g(self):\n        <1>",
    "async def f():\n    <0>\nasync def g():\n    <1>",
    "def f():\n    <0>\n<1>",
    "def f():\n    def g():\n        <0>\n    def h():\n        <1>",
    "if x:\n    <0>\nelse:\n    <1>",
    "if x:\n    <0>\nelif y:\n    pass\nelse:\n    <1>",
    "if x:\n    <0>\nif not x:\n    <1>",
    "if x:\n    if y:\n        <0>\nelse:\n    <1>",
    "def f():\n    if x:\n        <0>\n        return\n    <1>",
    "if x:\n    <0>\n    raise SystemExit\n<1>",
    "if x:\n    <0>\n    sys.exit(0)\n<1>",
    "for x in xs:\n    if x:\n        <0>\n        continue\n    <1>",
    "try:\n    <0>\nexcept Exception:\n    <1>",
    "try:\n    pass\nexcept ValueError:\n    <0>\nexcept TypeError:\n    <1>",
    "match x:\n    case 1:\n        <0>\n    case _:\n        <1>",
    "@pytest.fixture\ndef f():\n    <0>\n    yield\n@pytest.mark.x\ndef test_g(f):\n    <1>",
]


@pytest.mark.parametrize("shape", APART)
@pytest.mark.parametrize(
    "blocks", [(ONE, TWO), (SHARD, SHARD), (f"{ONE}\n{SHARD}", f"{TWO}\n{ADD.format('truncate(2, name)')}")]
)  # fmt: skip
def test_statements_that_do_not_follow_one_another(shape: str, blocks: tuple[str, str]) -> None:
    assert errors("job.py", program(shape, *blocks)) == []


@pytest.mark.parametrize("shape", APART)
def test_each_is_judged_by_itself(shape: str) -> None:
    twice = f"{ONE}\n{NOPE}"
    assert errors("job.py", program(shape, twice, twice)) == [("SIS201", "nope")] * 2
    weeks = ADD.format("weeks(ts)")
    assert errors("job.py", program(shape, weeks, weeks)) == [("SIS101", "weeks")] * 2


def test_arms_of_an_expression() -> None:
    text = program(f"{ONE} if x else {TWO}\nf = lambda: {ONE}\ng = lambda: {TWO}")
    assert errors("job.py", text) == []


FOLLOWING = [
    "<0>\n<1>",
    "def f():\n    <0>\n    <1>",
    "def f():\n    with x:\n        <0>\n    <1>",
    "if __name__ == '__main__':\n    <0>\n    <1>",
    "<0>\nif x:\n    <1>",
    "if not spark.catalog.tableExists('a.b'):\n    <0>\n<1>",
    "try:\n    <0>\n    <1>\nexcept Exception:\n    raise",
    "try:\n    <0>\nfinally:\n    <1>",
    "for x in xs:\n    <0>\n    <1>",
    "<0>\ndef f():\n    <1>",
    "<0>\nclass A:\n    def f(self):\n        <1>",
    "def f():\n    <0>\n    def g():\n        <1>",
    "def other():\n    spark.sql('CREATE TABLE c (id INT) USING iceberg')\n<0>\n<1>",
    "<0>\ndef other():\n    spark.sql('CREATE TABLE c (id INT) USING iceberg')\n<1>",
]


@pytest.mark.parametrize("shape", FOLLOWING)
def test_statements_that_follow_one_another(shape: str) -> None:
    assert errors("job.py", program(shape, ONE, NOPE)) == [("SIS201", "nope")]


@pytest.mark.parametrize(
    "between",
    [
        "def g():\n    spark.sql('ALTER TABLE a.b ADD COLUMN nope INT')",
        "def g():\n    df.writeTo('a.b').createOrReplace()",
        "def g():\n    spark.sql('USE a')\n    spark.sql('CREATE OR REPLACE TABLE b (nope INT) USING iceberg')",
        "def g():\n    spark.sql('EXECUTE IMMEDIATE x')",
    ],
)
def test_what_a_function_may_have_changed_is_not_known(between: str) -> None:
    for shape in ("<0>\n<1>\n<2>", "<0>\ndef f():\n    <2>\n<1>", "<0>\n<1>\ndef f():\n    <2>"):
        assert errors("job.py", program(shape, ONE, between, NOPE)) == []
    later = program("<0>\ndef f():\n    <2>\n<1>\nf()", ONE, "df.writeTo('a.b').replace()", NOPE)
    assert errors("job.py", later) == []


def test_what_the_settings_know_is_known_in_each_function(tmp_path: Any) -> None:
    (tmp_path / "ddl.sql").write_text(
        "CREATE TABLE a.b (id BIGINT) USING iceberg; CREATE TABLE c (id INT) USING iceberg"
    )
    text = program("def f():\n    <0>\ndef g():\n    <0>\n    <1>", SHARD, NOPE.replace("a.b", "c"))
    assert errors("job.py", text, ddl=("ddl.sql",), root=tmp_path) == [("SIS201", "nope")]


def test_cells_follow_one_another_and_their_functions_do_not() -> None:
    assert errors("n.ipynb", notebook(ONE, NOPE)) == [("SIS201", "nope")]
    cells = (f"def f():\n    {ONE}", f"def g():\n    {TWO}")
    assert errors("n.ipynb", notebook(*cells)) == []
    # Of two cells, both functions begin at the same place.
    assert errors("n.ipynb", notebook(f"def f():\n    {ONE}\n    {NOPE}", f"def f():\n    {NOPE}")) == [
        ("SIS201", "nope")
    ]  # fmt: skip


IF, NOT, END = "{% if a %}", "{% if not a %}", "{% endif %}"
CREATE = "CREATE TABLE a.b (id BIGINT) USING iceberg PARTITIONED BY (id);"
OTHER = "CREATE TABLE a.b (id BIGINT, n STRING) USING iceberg PARTITIONED BY (n);"

FOUR = "ALTER TABLE a.b ADD PARTITION FIELD bucket(4, id);"
SIXTEEN = FOUR.replace("4", "16")


@pytest.mark.parametrize(
    "text",
    [
        f"{IF}{CREATE}{END}{NOT}{OTHER}{END}",
        f"{IF}\n{CREATE}\n{END}\n{NOT}\n{OTHER}\n{END}\nALTER TABLE a.b ADD PARTITION FIELD truncate(1, n);",
        f"{IF}{FOUR}{END}{NOT}{SIXTEEN}{END}",
        f"{CREATE}{IF}{FOUR}{END}{NOT}{SIXTEEN}{END}",
        f"{IF}{CREATE}{{% else %}}{OTHER}{END}{NOT}ALTER TABLE a.b ADD PARTITION FIELD truncate(1, n);{END}",
        f"{IF}{IF}{CREATE}{END}{END}{NOT}{OTHER}{END}",
        "{% for x in y %}" + f"{IF}{CREATE}{END}{NOT}{OTHER}{END}" + "{% endfor %}",
        "{%- if a -%}" + CREATE + "{%- endif -%}{%- if b -%}" + OTHER + "{%- endif -%}",
    ],
)
def test_conditions_of_templates(text: str) -> None:
    assert [item for item in lint("a.sql", text) if item[1] != "note"] == []


@pytest.mark.parametrize(
    "text",
    [
        f"{IF}{CREATE}{END}ALTER TABLE a.b ADD PARTITION FIELD truncate(x, 4);",
        f"{IF}{CREATE}{{% else %}}{OTHER}{END}ALTER TABLE a.b ADD PARTITION FIELD bucket(4, x);",
        f"{CREATE}{IF}ALTER TABLE a.b ADD PARTITION FIELD bucket(4, x);{END}",
        f"{IF}{CREATE}ALTER TABLE a.b ADD PARTITION FIELD bucket(4, x);{END}",
    ],
)
def test_what_a_template_always_has_is_judged(text: str) -> None:
    findings = [item for item in lint("a.sql", text.replace("(x, 4)", "(4, x)")) if item[1] != "note"]
    assert findings
    assert all(source == "x" for _, _, source in findings)


@pytest.mark.parametrize(("count", "any_table"), [(_MAX_TABLES, False), (_MAX_TABLES + 1, True)])
def test_side_effects_on_many_tables_are_on_any(count: int, any_table: bool) -> None:
    effects = SideEffects()
    effects.add(SideEffects({("db", f"t{number}") for number in range(count)}))
    assert effects.any_table is any_table

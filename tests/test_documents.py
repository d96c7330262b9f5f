"""SQL blocks of Markdown, MDX and reStructuredText: positions, fixes, and what is left out."""

from __future__ import annotations

from pathlib import Path

import pytest

from spark_iceberg_sql.checker.files.linter import Linter
from spark_iceberg_sql.cli import main
from spark_iceberg_sql.config.settings import Settings
from spark_iceberg_sql.files.discovery import _DOCUMENTS, extract_source, find_files
from spark_iceberg_sql.files.documents.sql_blocks import READERS

ADD = "ALTER TABLE t ADD PARTITION FIELD bucket(4, id)"
WRONG = "CREATE TABLE t (id BIGINT) USING iceberg PARTITIONED BY (bucket(id, 16));"


def findings(text: str, name: str = "README.md") -> list[tuple[int, str, str]]:
    """Line, code and the document's text of each finding."""
    reports = Linter().lint(extract_source(name, text), Settings())
    return [(d.span.row, d.code, report.text[d.span.start : d.span.end]) for report in reports for d in report]


MARKDOWN = {
    "a fence": f"# Title\n\n```sql\n{WRONG}\n```\n",
    "tildes": f"# Title\n\n~~~ spark-sql\n{WRONG}\n~~~\n",
    "a longer fence with a shorter one inside": f"text\n\n````SQL\n{WRONG}\n```\n````\n".replace(
        "\n```\n", "\n-- ```\n"
    ),
    "words after the language": f'a\n\n```sql title="a.sql" {{1,3}}\n{WRONG}\n```\n',
    "Pandoc's attributes": f"a\n\n``` {{.sql}}\n{WRONG}\n```\n",
    "in a list": f"1. step:\n\n   ```sql\n   {WRONG}\n   ```\n",
    "in a quotation": f"> text\n>\n> ```sql\n> {WRONG}\n> ```\n",
    "CRLF": f"a\r\n\r\n```sql\r\n{WRONG}\r\n```\r\n",
}


@pytest.mark.parametrize("text", MARKDOWN.values(), ids=MARKDOWN)
def test_blocks_of_markdown(text: str) -> None:
    assert findings(text) == [(4, "SIS104", "id, 16")]
    assert findings(text, "page.mdx") == [(4, "SIS104", "id, 16")]


LEFT_OUT = {
    "another language": f"```text\n{WRONG}\n```\n",
    "no language": f"```\n{WRONG}\n```\n",
    "inside another block": f"````md\n```sql\n{WRONG}\n```\n````\n",
    "prose": f"`sql` {WRONG}\n",
    "a comment": f"<!-- iceberg-sql: ignore -->\n```sql\n{WRONG}\n```\n",
    "a comment of MDX and a blank line": f"{{/* iceberg-sql: ignore */}}\n\n```sql\n{WRONG}\n```\n",
    "the file": f"<!-- iceberg-sql: skip-file -->\n\n```sql\n{WRONG}\n```\n",
    "a comment of SQL": f"```sql\n-- iceberg-sql: ignore[SIS104]\n{WRONG}\n```\n",
    "noqa": f"```sql\n{WRONG}  -- noqa: SIS104\n```\n",
    "an open block": f"```sql\n{WRONG}\n",
}


@pytest.mark.parametrize("text", LEFT_OUT.values(), ids=LEFT_OUT)
def test_blocks_that_are_left_out(text: str) -> None:
    assert findings(text) == []


def test_a_comment_leaves_out_one_block() -> None:
    text = f"<!-- iceberg-sql: ignore -->\n```sql\n{WRONG}\n```\n\n```sql\n{WRONG}\n```\n"
    assert findings(text) == [(7, "SIS104", "id, 16")]


def test_later_blocks_know_the_tables_of_earlier_ones() -> None:
    text = (
        "```sql\nCREATE TABLE t (id BIGINT, ts TIMESTAMP) USING iceberg\n```\n\nand then\n\n"
        "```sql\nALTER TABLE t ADD PARTITION FIELD days(tss)\n```\n"
    )
    assert findings(text) == [(8, "SIS201", "tss")]


def test_examples_may_create_the_same_table() -> None:
    block = "```sql\nCREATE TABLE t (id BIGINT) USING iceberg;\n```\n"
    other = "```sql\nCREATE TABLE `t` (ts TIMESTAMP) USING iceberg;\nALTER TABLE t ADD PARTITION FIELD days(id);\n```\n"
    assert findings(block + other) == [(6, "SIS201", "id")]


@pytest.mark.parametrize(
    "examples",
    [
        ["DROP TABLE IF EXISTS db.t;", "ALTER TABLE db.t ADD COLUMN a INT;", "ALTER TABLE db.t DROP COLUMN a;"],
        ["DROP TABLE db.t;", "SELECT id FROM db.t;"],
    ],
)
def test_a_reference_may_drop_its_table_before_it_shows_the_rest(examples: list[str]) -> None:
    blocks = ["CREATE TABLE db.t (id BIGINT) USING iceberg;", *examples]
    text = "\n".join(f"### {n}\n\n```sql\n{block}\n```\n" for n, block in enumerate(blocks))
    assert {code for _, code, _ in findings(text)} <= {"SIS002"}
    script = "```sql\n" + "\n".join([*blocks[:2], "ALTER TABLE db.t ADD COLUMN a INT;"]) + "\n```\n"
    assert [code for _, code, _ in findings(script)] == ["SIS412"]


@pytest.mark.parametrize(
    "sql",
    [
        "CREATE TABLE lake.o (id INT, name VARCHAR) PARTITION BY (month(at));",
        "CREATE TABLE lake.o PARTITION BY (day(at)) AS SELECT * FROM s.o;",
        "ALTER TABLE lake.c ADD COLUMNS (email VARCHAR);",
        "ALTER TABLE lake.c MODIFY COLUMN id BIGINT;",
    ],
)
def test_another_engine_s_ddl_beside_spark_s(sql: str) -> None:
    """Dremio's, in an article that shows both."""
    spark = "```sql\nCREATE TABLE c.d.t (id BIGINT, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts));\n```\n"
    assert {code for _, code, _ in findings(f"{spark}\n```sql\n{sql}\n```\n")} <= {"SIS002"}
    assert {code for _, code, _ in findings(f"```sql\n{sql.replace(' PARTITION', ' USING iceberg PARTITION')}\n```\n")}


def test_a_name_that_stands_for_any_table_is_another_one_under_the_next_heading() -> None:
    create = "```sql\nCREATE TABLE my_table (id BIGINT) USING iceberg\n```\n"
    change = "```sql\nALTER TABLE my_table RENAME COLUMN old_name TO new_name\n```\n"
    assert [code for _, code, _ in findings(f"{create}\n{change}")] == ["SIS201"]
    assert [code for _, code, _ in findings(f"### How?\n\n{create}\n### And then?\n\n{change}")] == ["SIS002"]
    document = f"### How?\n\n{create}\n### And then?\n\n{change}".replace("my_table", "db.orders")
    assert [code for _, code, _ in findings(document)] == ["SIS201"]


@pytest.mark.parametrize(
    "sql",
    [
        "CREATE TABLE t (...) USING iceberg PARTITIONED BY (days(ts));",
        "CREATE TABLE <table> (id INT) USING iceberg PARTITIONED BY (id);",
        "ALTER TABLE t ADD PARTITION FIELD ...;",
        "CREATE TABLE t (id INT) USING iceberg;\nCALL local.system.add_files(...);",
    ],
)
def test_an_excerpt_is_no_error(sql: str) -> None:
    assert {code for _, code, _ in findings(f"```sql\n{sql}\n```\n")} <= {"SIS002"}


RST = {
    "a directive": f"Title\n=====\n.. code-block:: sql\n\n   {WRONG}\n\nText\n",
    "options": f"a\n\n.. sourcecode:: spark-sql\n   :linenos:\n   {WRONG}\n".replace(":linenos:\n", ":linenos:\n", 1),
    "in a list": f"* a\n\n  .. code:: sql\n\n     {WRONG}\n",
}


@pytest.mark.parametrize("text", RST.values(), ids=RST)
def test_blocks_of_restructured_text(text: str) -> None:
    assert findings(text, "index.rst") == [(5, "SIS104", "id, 16")]


@pytest.mark.parametrize(
    "text",
    [
        f".. code-block:: text\n\n   {WRONG}\n",
        f".. iceberg-sql: ignore\n\n.. code-block:: sql\n\n   {WRONG}\n",
        f".. iceberg-sql: skip-file\n\n.. code-block:: sql\n\n   {WRONG}\n",
        f".. code-block:: sql\n\n{WRONG}\n",
    ],
)
def test_left_out_of_restructured_text(text: str) -> None:
    assert findings(text, "index.rst") == []


@pytest.mark.parametrize("name", ["in a quotation", "in a list", "a fence", "CRLF"])
def test_fixes_change_nothing_else(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "README.md"
    path.write_bytes(MARKDOWN[name].encode())
    assert list(find_files([str(tmp_path)], lambda path: False)) == [str(path)]
    main(["check", "--fix", str(path)])
    capsys.readouterr()
    assert path.read_bytes().decode() == MARKDOWN[name].replace("bucket(id, 16)", "bucket(16, id)")


def test_each_kind_of_document_has_its_reader() -> None:
    assert set(READERS) == _DOCUMENTS


def test_a_link_to_a_document_that_is_not_built_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "spec.md").symlink_to(tmp_path / "missing.md")
    assert list(find_files([str(tmp_path)], lambda path: False)) == []


WITHOUT_SEMICOLONS = {
    "a comment between": f"```sql\n-- one\nCREATE TABLE t (id BIGINT) USING iceberg\n\n-- two\n{ADD}\n```\n",
    "a blank line": f"```sql\nCREATE TABLE t (id BIGINT) USING iceberg\n\n{ADD}\n```\n",
    "in a quotation": f"> ```sql\n> CREATE TABLE t (id BIGINT) USING iceberg\n>\n> {ADD}\n> ```\n",
    "a magic": f"```sql\n%sql\nCREATE TABLE t (id BIGINT) USING iceberg;\n{ADD}\n```\n",
}


@pytest.mark.parametrize("text", WITHOUT_SEMICOLONS.values(), ids=WITHOUT_SEMICOLONS)
def test_statements_apart_need_no_semicolon(text: str) -> None:
    assert findings(text) == []
    assert [finding[1:] for finding in findings(text.replace("bucket(4, id)", "bucket(id, 4)"))] == [
        ("SIS104", "id, 4")
    ]


def test_a_query_of_a_statement_is_not_apart() -> None:
    text = "```sql\nCREATE TABLE t USING iceberg\nPARTITIONED BY (bucket(id, 4)) AS\n\nSELECT 1 AS id\n```\n"
    assert [code for _, code, _ in findings(text)] == ["SIS104"]


def test_an_example_may_show_the_columns_of_before() -> None:
    create = "```sql\nCREATE TABLE t (id BIGINT, n BIGINT) USING iceberg;\n```\n"
    rename = "```sql\nALTER TABLE t RENAME COLUMN n TO m;\n```\n"
    query = "```sql\nSELECT n FROM t WHERE id = 1;\n```\n"
    assert findings(create + rename + query) == []
    assert [code for _, code, _ in findings(create + query.replace("SELECT n", "SELECT x"))] == ["SIS611"]

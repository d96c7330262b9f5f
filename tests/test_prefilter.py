"""Programs that are left unparsed have no SQL: whatever the readers find is in a program that the prefilter keeps."""

from __future__ import annotations

import ast
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from samples import FULL

from spark_iceberg_sql.files.python.prefilter import may_contain_sql
from spark_iceberg_sql.files.python.sql_extraction import python_sql
from spark_iceberg_sql.files.python.walking import walk

EXAMPLES = 20_000 if FULL else 400
ROOT = Path(__file__).parents[1]
STATEMENTS = (
    "CREATE TABLE t (id INT) USING iceberg",
    "alter table t add partition\\tfield id",
    "iceberg_days(ts)",
    "SELECT local.system.bucket(4, id)",
    "CREATE TABLE t (id INT)%susing iceberg",
    "CREATE TABLE t (id INT)\\nu\u017fing\\n\u0131ceberg",
    "SET spark.sql.caseSensitive = true",
    "sql",
)
# What gets a statement, `{}`: the calls that the readers of programs understand, and others beside them.
CALLS = (
    "spark.sql({})",
    "spark.\\\n  sql({})",
    "(spark\n  .  # a session\n  sql({}))",
    "spark.ｓｑｌ({})",
    "x.sql(dialect={}, sqlQuery=query)",
    "x.sql(dialect='spark', pretty=True)",
    "run = spark.sql\nrun({})",
    "list(map(spark.sql, [{}]))",
    "getattr(spark, {})('SELECT 1')",
    "getattr(spark, 'name', getattr(spark, {}))('SELECT 1')",
    "run = catalog.sql\nrun({})",
    "name = {}\ngetattr(spark, name)('SELECT 1')",
    "cursor.execute({})",
    "cursor.execute({} % x)",
    "first, rest = 1, {}\nend = {}\ncursor.execute('CREATE TABLE t (id INT)' + end)",
    "end = 'iceberg' '  '\nstart = {} + ' USING'\ncursor.execute('CREATE TABLE t (id INT) USING ' + end)",
    "end = 'ield id'\ncursor.execute('ALTER TABLE t ADD PARTITION\\n f' + end)  # {}",
    "x = 'tion'\ncursor.execute(dedent({}) + 'ALTER TABLE t ADD parti' + x + r'  field id')",
    "query = {}\ncursor.executemany(query)",
    "for query in [{}]:\n    cursor.execute(query)",
    "df.selectExpr({})",
    "df.filter(F.expr({}))",
    "spark.table('t').where({})",
    "spark.createDataFrame(rows, 'id INT').filter({})",
    "df.write.partitionBy('id').insertInto({})",
    "df.write.format('iceberg').partitionBy('id').saveAsTable({})",
    "df.writeTo({}).using('iceberg').partitionedBy(F.days('ts')).create()",
    "from pyiceberg.catalog import load_catalog\nc.load_table({}).update_spec().add_field('a', b)",
    "ip.run_cell_magic('sql', '', {})",
    "from airflow.x import SparkSqlOperator as Op\nOp(sql={})",
    "from airflow.x import HiveOperator as Op\nOp(hql={})",
    "from spark_iceberg_sql import sql as run\nrun({})",
    "from jobs import submit as run\nrun({})",
    "spark.conf.set('spark.sql.caseSensitive', {})",
    "# MAGIC %sql\n# MAGIC {}",
    "x = {}",
)
# Programs that are not parsed, though they have names and words of the calls above.
LEFT_OUT = (
    '"""The model in customers.sql file is read."""',
    "query.sql(dialect='spark')",
    "getattr(spark, 'conf', None)  # \"sql\"",
    "y = 'partition'\ncursor.execute('a ' + 'b')",
    "y = 'partition'\ncursor.execute(f'SELECT field FROM {y}', using='iceberg')",
    "y = \"using\"\ncursor.execute('the iceberg │')",
    "y = re.sub(r'using iceber(g)', r'\\1', x)\ncursor.execute(y)",
    "y = 'a _iceberg_(x)'\nquery.where('x > 1')",
    "y = {'subsystem': 1}\nquery.filter(y)",
    "MAGIC = 1  # the magics are %sql and %run",
    "ip.run_line_magic('other', 'SELECT a.sql')",
    "conf = {'casesensitive': True}",
)


def finds_something(program: str) -> bool:
    """True if the readers find SQL in a program, or a call to report."""
    fragments, problems = python_sql(program, callables=("jobs.submit",))
    is_invalid = any(problem.start == problem.end for problem in problems)
    return any(fragment.sql for fragment in fragments) or (bool(problems) and not is_invalid)


@st.composite
def literals(draw: st.DrawFn) -> str:
    """A string literal, or several that are joined, with the text of a statement."""
    text = draw(st.sampled_from(STATEMENTS))
    cuts = sorted(draw(st.sets(st.integers(1, len(text) - 1), max_size=2)))
    parts = [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    quote = draw(st.sampled_from(["'", '"', '"""']))
    prefix = draw(st.sampled_from(["", "r", "f"]))
    if not prefix and draw(st.booleans()) and parts[0][0] != "\\":
        parts[0] = f"\\x{ord(parts[0][0]):02x}{parts[0][1:]}"
    joint = draw(st.sampled_from([" ", "\n  ", " + ", "\n  + "]))
    return "(" + joint.join(f"{prefix}{quote}{part}{quote}" for part in parts) + ")"


@settings(max_examples=EXAMPLES)
@given(st.sampled_from(CALLS), literals())
def test_a_program_with_sql_is_kept(call: str, literal: str) -> None:
    program = call.replace("{}", literal)
    assert may_contain_sql(program, ("jobs.submit",)) or not finds_something(program)


@pytest.mark.parametrize("call", [call for call in CALLS if "('SELECT 1')" not in call])
def test_the_calls_above_are_read(call: str) -> None:
    """Each of them is understood with one of the statements, but for the last one and for that without SQL."""
    has_sql = any(finds_something(call.replace("{}", f'"{text}"')) for text in STATEMENTS)
    assert has_sql is not (call == "x = {}" or "pretty" in call)


@pytest.mark.parametrize("literal", ["'USING ice' 'berg'", "'USING ice' + x", "'USING ' + y + 'berg'"])
def test_a_phrase_in_several_literals(literal: str) -> None:
    program = f"x = 'berg'\ny = 'ice'\ncursor.execute('CREATE TABLE t (id INT) ' + {literal})"
    assert finds_something(program)
    assert may_contain_sql(program)


@pytest.mark.parametrize("program", LEFT_OUT)
def test_a_program_without_sql_is_left_out(program: str) -> None:
    """A scan of the text is enough for these: each resembles one of the calls above."""
    assert not finds_something(program)
    assert not may_contain_sql(program)


def programs() -> Iterator[Path]:
    for folder in (ROOT, Path(sysconfig.get_path("purelib"), "pyspark")):
        yield from folder.rglob("*.py")


@pytest.mark.tier("rest")
def test_no_program_with_sql_is_left_out() -> None:
    texts = [path.read_text("utf-8", "replace") for path in programs()]
    left_out = [text for text in texts if not may_contain_sql(text)]
    assert len(left_out) > 100
    assert [text for text in left_out if finds_something(text)] == []


def test_nodes_are_those_of_ast() -> None:
    """All but operators and the contexts of names, in the same order."""
    unread = (ast.expr_context, ast.operator, ast.unaryop, ast.cmpop, ast.boolop, ast.type_ignore)
    for path in (ROOT / "tests").glob("*.py"):
        tree = ast.parse(path.read_text("utf-8"))
        assert walk(tree) == [node for node in ast.walk(tree) if not isinstance(node, unread)]
    tree = ast.parse("global a\nlambda x, *, y, z=1: {**a, 1: 2}\nmatch x:\n case {1: _, **r} | A(b=[*c]) as d: pass\n")
    assert walk(tree) == [node for node in ast.walk(tree) if not isinstance(node, unread)]

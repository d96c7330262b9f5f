"""Typical mistakes, and a cell's output, in a real kernel, shared by all cells."""

from __future__ import annotations

import os
import re
from itertools import pairwise

import nbformat
import pytest
from nbclient import NotebookClient
from nbformat import NotebookNode

from spark_iceberg_sql.notebook.display import result_tables

pytestmark = pytest.mark.filterwarnings("default::DeprecationWarning")  # jupyter_client's own

SET_UP = """\
import datetime, os, signal, threading
import spark_iceberg_sql as sis
spark = sis.session("warehouse", config={
    "spark.master": "local[2]", "spark.driver.memory": "1g", "spark.sql.shuffle.partitions": "2",
    "spark.sql.ansi.enabled": "true", "spark.driver.bindAddress": "127.0.0.1", "spark.driver.host": "127.0.0.1"})
day, ids, table, part = datetime.date(2024, 1, 5), [1, 2, 3], "local.d.t", "ts_day"
frame = spark.range(3)
import pandas as pd
empty, pairs, beyond, wide = pd.DataFrame(), {"a": [1], "b": [2, 3]}, 2**63, [1, 2**40]
nothing, zone = None, datetime.timedelta(0)
early, moment = datetime.date(1, 1, 1), datetime.datetime(1500, 1, 1)
"""
TABLES = """\
%%iceberg_sql
CREATE TABLE local.d.t (id BIGINT, name STRING, ts TIMESTAMP, v STRING) USING iceberg
PARTITIONED BY (days(ts), bucket(4, id));
INSERT INTO local.d.t SELECT /*+ REPARTITION(1) */ id, 'n' || id,
  TIMESTAMP '2024-01-01' + make_interval(0, 0, 0, CAST(id % 10 AS INT)), '{"a": 1}' FROM range(40);
"""
# A cancelled job is listed until its tasks have ended.
WAIT = """\
import time
tracker, begun = spark.sparkContext.statusTracker(), time.time()
while tracker.getActiveJobsIds() and time.time() < begun + 60:
    time.sleep(0.2)
tracker.getActiveJobsIds()
"""
LONG = """\
threading.Timer(3, os.kill, (os.getpid(), signal.SIGINT)).start()
%iceberg_sql SELECT count(*) FROM range(0, 1000000000000000, 1, 4) WHERE id % 7 = 3
"""
# The pages of a result, told apart from those of another run, and the Spark jobs for them.
ONE_RUN = """\
import re
from IPython.utils.capture import capture_output
def turned(line):
    with capture_output() as shown:
        get_ipython().run_line_magic("iceberg_sql", line)
    return re.findall("[0-9a-f-]{36}", str([output.data for output in shown.outputs]))
before = spark._jsc.sc().dagScheduler().numTotalJobs()
pages = [turned(words)[0] for words in ("--next", "--next", "--previous", "--previous", "--next")]
print("same run:", pages[0] == pages[2] == pages[4] and len(set(pages)) == 3)
print("jobs:", spark._jsc.sc().dagScheduler().numTotalJobs() - before)
"""
# Jupyter's completion requests; `|` is the cursor.
COMPLETE = """\
from IPython.core.completer import provisionalcompleter
def complete(sql, line="%%iceberg_sql\\n"):
    before, _, after = (line + sql).partition("|")
    with provisionalcompleter():
        found = get_ipython().Completer.completions(before + after, len(before))
        return [completion.text for completion in found]
"""
# Eight tasks of a second each on two cores; what the progress says while they run.
WRITING = """\
%iceberg_sql --quiet CREATE TABLE local.d.slow (s STRING) USING iceberg TBLPROPERTIES ('write.distribution-mode'='none')
from spark_iceberg_sql.notebook.cells import statement_worker as worker
told, plain = [], worker._progress_bundle
def noted(*given):
    told.append(plain(*given)[1])
    return plain(*given)
worker._progress_bundle = noted
%iceberg_sql INSERT INTO local.d.slow SELECT reflect('java.lang.Thread', 'sleep', 1000L) || id FROM range(0, 8, 1, 8)
worker._progress_bundle = plain
import re
print("told:", any(re.search(r" · [\\d.]+ k?B, \\d rows written$", words) for words in told), told)
"""
REMEDIES = """\
shell, put = get_ipython(), []
before, shell.set_next_input = shell.set_next_input, lambda text, replace=False: put.append(text)
shell.run_cell("%%iceberg_sql q --limit 3\\nSET x.y = 1;\\nSELECT days(ts) FROM local.d.t -- x")
%iceberg_sql --fix
shell.run_cell("%iceberg_sql SELECT 1")
shell.run_cell("%iceberg_sql --fix")
shell.set_next_input = before
print(put)
"""
EXPLAINED = """\
%%iceberg_sql --explain
WITH x AS (SELECT * FROM local.d.t) INSERT INTO local.d.t SELECT * FROM x;
FROM local.d.t INSERT INTO local.d.t SELECT *;
DROP TABLE local.d.t;
SELECT {day} AS day
"""
# A join that leaves out files of one side while it runs.
JOINED = """\
%%iceberg_sql
SELECT /*+ BROADCAST(t) */ g.id FROM local.d.g JOIN local.d.t ON g = name WHERE t.id = 5
"""
BOUND_SECRET = """\
spark.sql("SELECT * FROM icebergS3(:u, :a, :b, nope => 1)", args={
    'u': 'http://127.0.0.1:1/b/t', 'a': 'AKIAKEY', 'b': 'hunter2hunter2'})
"""
S = "%%iceberg_sql\n"
SECRET = "SELECT * FROM icebergS3('http://127.0.0.1:1/b/t', 'AKIAKEY', 'hunter2hunter2', nope => 2)"
SET_SECRET = "SET spark.sql.catalog.zz.s3.secret-access-key=hunter2hunter2"

# A cell; the text under the carets, if the error has a position; and what else the message must contain.
MISTAKES: list[tuple[str, str | None, list[str]]] = [
    # a procedure and a table that is not there
    (S + "CALL local.system.expire_snapshots(table => 'd.tt')", None, ["did you mean `d.t`?"]),
    (S + "CALL local.system.rewrite_data_files('d.tt')", None, ["did you mean `d.t`?"]),
    (S + "CALL local.system.rollback_to_snapshot('elsewhere.t', 1)", None, ["elsewhere"]),
    # the column of a star that the source of a MERGE lacks
    (
        S
        + "MERGE INTO local.d.t USING (SELECT id, name FROM local.d.t) AS s ON t.id = s.id\n"
        + "WHEN NOT MATCHED THEN INSERT *",
        None,
        ["`*` takes each column of the table from the source, which has `", "add it there, or list the columns"],
    ),
    # functions and transforms
    (
        S + "SELECT count(*) FROM local.d.t\nWHERE days(ts) = DATE '2024-01-05'",
        "days(ts)",
        ["write `iceberg_days(ts)`", "cell:3:7"],
    ),
    (S + "SELECT bucket(4, id) FROM local.d.t", "bucket(4, id)", ["write `iceberg_bucket(4, id)`"]),
    (S + "SELECT bucket(id, 4) FROM local.d.t", "bucket(id, 4)", ["write `iceberg_bucket(4, id)`"]),
    (S + "SELECT iceberg_bucket(id, 4) FROM local.d.t", "id, 4", ["write `iceberg_bucket(4, id)`"]),
    (S + "SELECT iceberg_dyas(ts) FROM local.d.t", "iceberg_dyas", ["iceberg_days(ts)"]),
    (S + "SELECT iceberg_days(name) FROM local.d.t", None, ["iceberg_days"]),
    (S + "SELECT coutn(*) FROM local.d.t", "coutn(*)", ["write `count`", "SELECT count(*) FROM local.d.t;"]),
    ('spark.sql("SELECT days(ts) FROM local.d.t")', "days(ts)", ["write `iceberg_days(ts)`", "cell, line 1"]),
    # names
    (S + "SELECT nam FROM local.d.t", "nam", ["write `name`", "SELECT name FROM local.d.t;"]),
    (S + "SELECT *\nFROM local.d.tt", "local.d.tt", ["write `local.d.t`", "cell:3:6"]),
    (S + "SELECT * FROM local.dd.t", "local.dd.t", ["write `local.d.t`"]),
    # What is written to may be missing, not misspelt: nothing to run that empties another table.
    (S + "TRUNCATE TABLE local.d.tt", "local.d.tt", ["did you mean `local.d.t`?"]),
    (S + "DELETE FROM local.d.tt", "local.d.tt", ["did you mean `local.d.t`?"]),
    (S + "INSERT OVERWRITE local.d.tt SELECT 1", "local.d.tt", ["did you mean `local.d.t`?"]),
    (S + "DELETE FROM local.d.t WHERE idx IS NOT NULL", "idx", ["did you mean `id`?"]),
    (S + "SELECT * FROM frame", "frame", ["is a Python variable: write `{frame}`"]),
    (S + "SELECT * FROM local.d.t WHERE ts_day = DATE '2024-01-05'", "ts_day", ["filter on `ts`", "iceberg_days(ts)"]),
    (S + "SELECT t.nme FROM local.d.t", "t.nme", ["write `name`"]),
    ('spark.table("local.d.nope")', None, ["`local`.`d`.`nope` cannot be found"]),
    # syntax
    (S + "SELCT 1", "SELCT", ["write `SELECT`", "SELECT 1;"]),
    (S + "SELECT * FORM local.d.t", None, ["PARSE_SYNTAX_ERROR"]),
    (S + "SELECT 1\nSELECT 2", "SELECT", ["end the statement before it with `;`", "SELECT 1;"]),
    (S + "SELECT (1", None, ["PARSE_SYNTAX_ERROR"]),
    (S + "SELECT 'a", None, ["cell:2"]),
    (S + "SELECT id, count(*) FROM local.d.t", None, ["MISSING_GROUP_BY"]),
    (S + "SELECT id, FROM local.d.t", None, ["cell:2", "leave out the `,`", "SELECT id FROM local.d.t;"]),
    # other engines' words, and slips of an analyst
    (
        S + "SELECT * FROM local.d.t QUALIFY row_number() OVER (ORDER BY id) = 1",
        None,
        ["no QUALIFY", "AS window_value FROM local.d.t) WHERE window_value = 1;"],
    ),
    (S + "SELECT *, rank() OVER (ORDER BY id) AS r FROM local.d.t WHERE r = 1", "r", ["FROM local.d.t) WHERE r = 1;"]),
    (S + "SELECT id FROM local.d.t LIMIT 2, 5", None, ["LIMIT 5 OFFSET 2;"]),
    (S + "SELECT count(*) FILTER (id > 1) FROM local.d.t", None, ["FILTER (WHERE id > 1) FROM"]),
    (S + "SELECT * EXCLUDE (id) FROM local.d.t", None, ["* EXCEPT (id) FROM"]),
    (S + "SELECT id FROM local.d.t WHERE count(*) > 1 GROUP BY id", "WHERE count(*) > 1", ["HAVING count(*) > 1;"]),
    (S + "SELECT id, name, count(*) FROM local.d.t GROUP BY id", "name", ["GROUP BY id, name;"]),
    (S + "SELECT id FROM local.d.t WHERE name = Smith", "Smith", ["name = 'Smith';"]),
    (
        S + "SELECT full name FROM (SELECT name AS `full name` FROM local.d.t) AS u, local.d.t",
        "full",
        ["SELECT `full name` name FROM"],
    ),
    (S + "SELECT x.id FROM local.d.t JOIN local.d.t AS u ON x.id = u.id", "x.id", ["the tables are `t`, `u`"]),
    (S + "SELECT strftime(ts, '%Y-%m') FROM local.d.t", None, ["date_format(ts, 'yyyy-MM')"]),
    (S + "SELECT date_format(ts, 'YYYY-MM-DD') FROM local.d.t", "'YYYY-MM-DD'", ["date_format(ts, 'yyyy-MM-dd')"]),
    (S + "SELECT id FROM local.d.t WHERE ts > '05.01.2024'", "'05.01.2024'", ["ts > '2024-01-05';"]),
    (S + "SELECT id FROM local.d.t WHERE ts > DATE '2023-02-29'", "'2023-02-29'", ["February 2023 has 28 days"]),
    (S + "SELECT id FROM local.d.t WHERE ts > 2024-01-05", "2024-01-05", ["ts > DATE '2024-01-05';"]),
    (S + "SELECT ts + 1 FROM local.d.t", "ts + 1", ["ts + INTERVAL '1' DAY FROM"]),
    (
        S + "SELECT e FROM (SELECT array(1, 2) AS xs), UNNEST(xs) AS e",
        "UNNEST",
        ["LATERAL explode(xs) AS elements(e);"],
    ),
    (S + "SELECT a.csv.* FROM a.csv", "a.csv", ["csv.`a.csv`", "CREATE TEMPORARY VIEW a USING csv"]),
    (S + "SELECT * FROM local.d.t.snapshot", "local.d.t.snapshot", ["FROM local.d.t.snapshots;"]),
    (S + "SELECT * FROM local.d.t TIMESTAMP AS OF '2020-01-01'", None, ["its first snapshot is of 20"]),
    (S + "SELECT * FROM local.d.t@v1", "@", ["`SELECT * FROM local.d.t.snapshots` lists the ids"]),
    (S + "DELETE local.d.t WHERE id = -1", None, ["DELETE FROM local.d.t WHERE id = -1;"]),
    (S + "UPDATE local.d.t SET id = 'one'", "id = 'one'", ["write a value of the type BIGINT"]),
    (
        S + "MERGE INTO local.d.t USING local.d.t s ON t.id = s.id WHEN MATCHED UPDATE SET * WHEN NOT MATCHED INSERT *",
        "UPDATE",
        ["WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *;"],
    ),
    (S + "INSERT INTO local.d.t VALUES (1, 'a', '2024-13-01', 'b')", "'2024-13-01'", ["there is no month 13"]),
    # Never a remedy that removes rows or a table.
    (S + "UNDROP TABLE local.d.t", "UNDROP", ["register_table('local.d.t'"]),
    (S + "DORP TABLE local.d.t", "DORP", ["did you mean `DROP`?"]),
    (S + "TRUNCATE local.d.t", None, ["remove all its rows"]),
    # values
    (S + "SELECT CAST('x' AS INT)", "CAST('x' AS INT)", ["CAST_INVALID_INPUT", "try_cast"]),
    (S + "SELECT CAST(name AS INT) FROM local.d.t", "CAST(name AS INT)", ["CAST_INVALID_INPUT", "try_cast"]),
    (S + "SELECT 1 / 0", "1 / 0", ["DIVIDE_BY_ZERO", "try_divide"]),
    ('spark.sql("SELECT CAST(name AS INT) FROM local.d.t").collect()', "CAST(name AS INT)", ["try_cast"]),
    (S + "INSERT INTO local.d.t VALUES (1)", "(1)", ["none for `name`, `ts` and `v`", "nothing has run"]),
    # variables
    (S + "SELECT {dya}", "{dya}", ["no Python variable `dya`", "write `{day}`"]),
    (S + "SELECT :dya", ":dya", ["dya", "write `:day`"]),
    (S + "SELECT * FROM {table}", "{table}", ["write `FROM IDENTIFIER({table})`"]),
    (S + "SELECT x_{part}", "{part}", ["cannot be part of a name"]),
    (S + "SELECT {{ day }}", "{{ day }}", ["write `{day}`"]),
    (S + "SELECT {sis}", "{sis}", ["has the Python type module"]),
    (S + "SET foo={day}", "{day}", ["spark.conf.set('foo', day)", "nothing has run"]),
    (S + "SELECT ?", "?", ["`?` has no value", "write `{name}`"]),
    (S + "SELECT * FROM {empty}", "{empty}", ["has no columns", "nothing has run"]),
    # Statements are parsed, and their parameters bound, before the first one runs; the rows are counted below.
    (S + "DELETE FROM local.d.t;\nSELEC 2", "SELEC", ["write `SELECT`", "nothing has run"]),
    (S + "DELETE FROM local.d.t;\nSELECT * FROM (", None, ["nothing has run", "cell:3:"]),
    (S + "DELETE FROM local.d.t;\nSELECT :nope, {day}", ":nope", ["nothing has run"]),
    (S + "DELETE FROM local.d.t;\nEXPLAIN SELECT ?", "?", ["nothing has run"]),
    (S + "SET a.b = 1; DELETE FROM local.d.t;\nSELEC 3", "SELEC", ["nothing has run"]),
    # writing to a path
    (S + "INSERT INTO FUNCTION iceberg('/x') VALUES (1)", None, ["Path does not exist"]),
    (S + "INSERT INTO TABLE FUNCTION icebergLocal({table}) VALUES (1)", None, ["with literals"]),
    ("spark.sql(\"INSERT INTO FUNCTION iceberg('/x') VALUES (1)\")", None, ["Path does not exist"]),
    ("spark.sql(\"CREATE TABLE c.t (a UUID) ENGINE = IcebergLocal('/x')\")", None, ["`a`", "write `a String`"]),
    (S + "SELECT assert_true(false)", None, ["'false' is not true!"]),
    # partition DDL
    (
        S + "SELECT 1;\nALTER TABLE local.d.t ADD PARTITION FIELD days(name)",
        "name",
        ["SIS202", "nothing has run", "cell:3:48"],
    ),
    (
        S + "CREATE TABLE local.d.u (id BIGINT) USING iceberg\nPARTITIONED BY (bucket(id, 16))",
        "id, 16",
        ["PARTITIONED BY (bucket(16, id));"],
    ),
    (S + "ALTER TABLE local.d.t DROP PARTITION FIELD ts_days", "ts_days", ["ts_day"]),
    ('spark.sql("ALTER TABLE local.d.t ADD PARTITION FIELD days(name)")', "name", ["SIS202"]),
    (
        "%%iceberg_sql --quiet --chart line x=tss\nSELECT ts, id FROM local.d.t",
        None,
        ["no column `tss` for x", "write x=ts"],
    ),
    (
        "sis.explain('SELECT 1')",
        None,
        ["missing a required argument: 'statement'", "help: write sis.explain(spark, statement)"],
    ),
    ("%iceberg_sql --csv a.csv", None, ["there is no SQL", "write %%iceberg_sql --csv a.csv above a query"]),
    ("%iceberg_sql describe local.d.tt", None, ["did you mean `local.d.t`?"]),
    # the first line
    ("%%iceberg_sql --limt 3\nSELECT 1", None, ["write `--limit`"]),
    ("%%iceberg_sql SELECT 1\nSELECT 2", None, ["write the SQL on the lines below"]),
    ("%%iceberg_sql list\nSELECT 1", None, ["write `list_rows`"]),
    ("%%iceberg_sql spark\nSELECT 1", None, ["is the Spark session"]),
    ("%%iceberg_sql --limit\nSELECT 1", None, ["--limit 50"]),
    ("%iceberg_sql --next frame", None, ["`frame` is not a result whose rows were shown"]),
    ("%iceberg_sql --next SELECT 1", None, ["cannot be a variable's name"]),
    # tables by path
    (S + "SELECT * FROM iceberg('/no/such')", "iceberg('/no/such')", ["Path does not exist"]),
    (S + "SELECT * FROM iceberg('/no/such', snapshotid => 1)", None, ["write `snapshot_id`"]),
    # secrets are not shown again
    (S + "SELECT * FROM icebergS3('http://127.0.0.1:1/b/t', 'AKIAKEY', 'hunter2hunter2', nope => 1)", None, ["***"]),
    (f'spark.sql("{SECRET}")', None, ["***"]),
    (BOUND_SECRET, None, ["nope"]),
    (f'spark.sql("{SECRET}")'.replace("SELECT", "SELEC"), "SELEC", ["***", "SYNTAX"]),
    (f'spark.sql("{SET_SECRET}")', None, ["***", "INVALID_SET_SYNTAX"]),
    # names after USE, which stays
    (S + "USE local.d;\nSELECT * FROM t.snapshots", "t.snapshots", ["FROM local.d.t.snapshots;"]),
]
# Cells that succeed, and their output.
SHOWN: list[tuple[str, list[str]]] = [
    (
        S + "SELECT id FROM local.d.t WHERE ts >= {day} AND ts < :day + INTERVAL 1 DAY",
        ["read 4 of 29 files", "partitions: ts_day = 2024-01-05"],
    ),
    (S + "SELECT sum(id) AS total FROM {frame}", ["total", "    3"]),
    (S + "SELECT * FROM IDENTIFIER({table}) WHERE array_contains({ids}, id) ORDER BY id", ["3 rows"]),
    (
        "%%iceberg_sql found --limit 2\nSELECT id, name FROM local.d.t ORDER BY id",
        ["first 2 of 40 rows (more: %iceberg_sql --next)"],
    ),
    ("(found.count(), _.columns)", ["(40, ['id', 'name'])"]),
    # Other pages are of the same run: a value that differs from run to run shows it.
    ("%%iceberg_sql runs --limit 1\nSELECT id, uuid() AS run FROM range(3) ORDER BY id", ["first 1 of 3 rows"]),
    (ONE_RUN, ["same run: True", "jobs: 0"]),
    ("%iceberg_sql --next 2 found", ["rows 3 to 4 of 40"]),
    ("%iceberg_sql --copy found", ["id\tname\n0\tn0\n1\tn1\n", "40 rows as tab-separated values"]),
    ("found", ["DataFrame[id: bigint, name: string]"]),
    ("x = %iceberg_sql --quiet SELECT 42 AS answer\nx.first().answer", ["42"]),
    # The last cell of these has no remedy, the first one has; what has run is not in the new cell.
    (
        REMEDIES,
        ["'%%iceberg_sql q --limit 3\\nSELECT iceberg_days(ts) FROM local.d.t -- x'", "no error with one correction"],
    ),
    (
        S
        + "SELECT '; -- {x} :y' AS a, \"it's\" AS b, CAST(NULL AS STRUCT<day: INT>) AS d\n"
        + "FROM local.d.t LIMIT 1 -- end",
        ["; -- {x} :y", "it's", "1 row"],
    ),
    (S + "-- nothing\n/* at all */", ["this cell has no statement"]),
    (
        S
        + "SELECT 1 AS a, 2 AS a, X'00ff' AS b, map('k', array(1, NULL)) AS m, '<b>&' AS h,\n"
        + "repeat('y', 1000) AS l, 1.5D AS f",
        ["0x00FF", "{k -> [1, null]}", "<b>&", "…"],
    ),
    (S + "SELECT * FROM local.d.t WHERE false", ["no rows"]),
    (S + f"SELECT {', '.join(f'{i} AS c{i}' for i in range(2000))}", ["first 60 of 2,000 columns"]),
    ("%%iceberg_sql --plan\nALTER TABLE local.d.t ADD PARTITION FIELD truncate(2, name)", ["+ 1002  name_trunc_2"]),
    (
        "%%iceberg_sql --explain\nSELECT * FROM local.d.t WHERE ts = TIMESTAMP '2024-01-05'",
        ["would read 4 of 29 files", "ts = "],
    ),
    (
        "%%iceberg_sql --quiet --chart line\nSELECT ts, id FROM local.d.t WHERE id < 10",
        ["line chart: id by ts, 10 points"],
    ),
    (
        "%%iceberg_sql --chart bar x=even\nSELECT id % 2 = 0 AS even, count(*) AS n FROM local.d.t GROUP BY 1",
        ["2 rows", "bar chart: n by even, 2 points"],
    ),
    ("%iceberg_sql help", ["Check and run SQL.", "--csv FILE"]),
    ("%iceberg_sql tables local.d.t", ["days(ts), bucket(4, id)", "40"]),
    ("%iceberg_sql history 1", ["the last 1 of ", "SELECT id % 2 = 0 AS even"]),
    ("%%iceberg_sql --check\nSELECT 1; SELECT 2", ["checked 2 statements: no errors"]),
    ("%load_ext spark_iceberg_sql", ["already loaded"]),
    (COMPLETE + 'complete("SELECT * FROM local.d.")', ["['t']"]),
    (COMPLETE + 'complete("SELECT * FROM lo")', ["'local'"]),
    (COMPLETE + 'complete("SELECT na| FROM local.d.t")', ["['name']"]),
    (COMPLETE + 'complete("SELECT iceberg_bu")', ["['iceberg_bucket']"]),
    (COMPLETE + 'complete("ALTER TABLE local.d.t ADD PARTITION FIELD da")', ["days"]),
    (COMPLETE + 'complete("ALTER TABLE local.d.t DROP PARTITION FIELD ")', ["['ts_day', 'id_bucket']"]),
    (COMPLETE + 'complete("", "%%iceberg_sql --expl")', ["['--explain']"]),
    (S + "SELECT {pairs}['b'] AS b, {pairs} AS p", ["[2, 3]", "{a -> [1], b -> [2, 3]}"]),
    (S + "SELECT {early} AS e, {moment} AS m", ["0001-01-01", "1500-01-01 00:00:00"]),
    (S + "SELECT {beyond} AS n, typeof({wide}) AS t", ["9223372036854775808", "array<bigint>"]),
    (f"%%iceberg_sql --traceback\n{SECRET}", ["AnalysisException", "run_cell_magic('iceberg_sql'"]),
    (f"%%iceberg_sql --traceback\n{SET_SECRET}", ["INVALID_SET_SYNTAX", "***"]),
    (S + "COMMENT ON TABLE local.d.t IS {nothing}; SET TIME ZONE {zone}", ["COMMENT ON TABLE"]),
    # Statements whose text depends on what runs before them are not parsed before.
    (S + "SET x.y = 1; SELECT ${x.y} AS seen", ["seen", "1 row"]),
    ("%config IcebergSql.limit = -5\n%reload_ext spark_iceberg_sql", []),
    (S + "SELECT 7 AS after_reload", ["after_reload"]),
    ("%config IcebergSql.limit = 1", []),
    (S + "SELECT * FROM range(3)", ["first 1 of 3 rows"]),
    (S + "SELECT TIMESTAMP '10000-01-01 00:00:00' AS late, INTERVAL '1' YEAR AS y", ["+10000-01-01", "1 row"]),
    (LONG, ["interrupted after", "SELECT was cancelled in Spark"]),
    (WAIT, ["[]"]),
    # Nothing runs, even if a statement starts like a query.
    (EXPLAINED, ["local.d.t"]),
    ("spark.table('local.d.t').count()", ["40"]),
    (S + "DELETE FROM local.d.t WHERE id = 3; SELECT count(*) AS n FROM local.d.t", ["removed 1 row", "39"]),
    (WRITING, ["INSERT INTO local.d.slow: done", "wrote 8 rows, 8 new data files (", "told: True"]),
    (
        S + "CREATE TABLE local.d.made USING iceberg AS SELECT * FROM local.d.slow",
        ["CREATE TABLE local.d.made: done", "wrote 8 rows, ", " new data file"],
    ),
    (
        S + "CALL local.system.rewrite_data_files(options => map('rewrite-all', 'true'), table => 'd.slow')",
        ["1 row", "rewrote 8 rows, 1 new data file (", "8 data files removed"],
    ),
    (
        S
        + "ALTER TABLE local.d.slow CREATE BRANCH audit;\n"
        + "INSERT INTO local.d.slow.branch_audit VALUES ('a'), ('b');\n"
        + "DELETE FROM local.d.slow.branch_audit WHERE s = 'a'",
        ["DELETE FROM local.d.slow.branch_audit: done", "wrote 2 rows, ", ", on branch audit"],
    ),
    (
        S
        + "ALTER TABLE local.d.slow SET TBLPROPERTIES ('write.wap.enabled' = 'true');\n"
        + "SET spark.wap.branch = checked;\n"
        + "INSERT INTO local.d.slow VALUES ('c'); RESET spark.wap.branch",
        ["INSERT INTO local.d.slow: done", "wrote 1 row, ", ", on branch checked"],
    ),
    (
        S + "SET spark.wap.id = week 1; INSERT INTO local.d.slow VALUES ('e'); RESET spark.wap.id",
        ["wrote 1 row, 1 new data file (", ", staged as week 1"],
    ),
    # Names of partitions that could be taken for others; a join's filter; a field of some files only.
    (
        S
        + "CREATE TABLE local.d.g (id INT, g STRING, b BINARY) USING iceberg PARTITIONED BY (g, b);\n"
        + "INSERT INTO local.d.g VALUES (1, '', X'00FF'), (2, 'null', X''), (3, NULL, NULL),\n"
        + "(4, 'a, b', X''), (5, 'n5', X'');\n"
        + "SELECT id FROM local.d.g WHERE g IN ('', 'null', 'a, b')",
        ["read 3 of 5 files", "partitions: g in ('', 'a, b', 'null'), b in (X'', X'00FF')"],
    ),
    (S + "SELECT id FROM local.d.g WHERE g IS NULL", [", partitions: g = null, b = null"]),
    (JOINED, ["read 1 of 5 files (", "of local.d.g, partitions: g = n5, b = X''"]),
    (JOINED.replace("%%iceberg_sql", "%%iceberg_sql --explain"), ["would read at most 4 of 5 files ("]),
    (
        S
        + "ALTER TABLE local.d.g REPLACE PARTITION FIELD g WITH truncate(2, id);\n"
        + "INSERT INTO local.d.g VALUES (6, 'n5', X''); SELECT id FROM local.d.g WHERE g = 'n5'",
        ["read 2 of 6 files", "partitions: b = X'', 1 of 2 files by g = n5"],
    ),
    (
        S + "SELECT id FROM local.d.g WHERE id > (SELECT sum(id) - 39 FROM local.d.t WHERE id < 99)",
        ["of local.d.g", "of local.d.t"],
    ),
    (S + "SELECT id FROM local.d.t LIMIT 1", ["read at most "]),
    (S + "CALL local.system.expire_snapshots('d.slow', TIMESTAMP '2020-01-01')", ["1 row · "]),
]
KEPT = "%%iceberg_sql kept --limit 4\nSELECT * FROM range(40)"
AFTER = "%iceberg_sql --next 3 kept"  # after the session has ended
KEEP = os.environ.get("KEEP_NOTEBOOK")  # where to write the cells, for inspection
_COLORS = re.compile(r"\x1b\[[\d;]*m")
_NEVER = re.compile(r"py4j|Traceback|at org\.|site-packages|JVM stacktrace|hunter2|AKIAKEY|\"level\"", re.IGNORECASE)
_MOST_LINES = 14


# The same, on Spark 4.1: paths in a variant.
PATHS = S + "SELECT v:a AS c, '5'::int AS i FROM (SELECT parse_json(v) AS v FROM local.d.t LIMIT 1)"
# `--next` after a cell that failed; a snapshot by a variable, on Spark 4.1.
FAILED = """\
get_ipython().run_cell("%%iceberg_sql --limit 2\\nSELECT id AS kept FROM range(9)")
get_ipython().run_cell("%%iceberg_sql\\nSELECT nope FROM range(9)")
%iceberg_sql --next
"""
VERSIONED = """\
first = spark.table("local.d.t.snapshots").first().snapshot_id
%iceberg_sql SELECT count(*) AS n FROM local.d.t VERSION AS OF {first}
"""


@pytest.fixture(scope="module")
def cells(tmp_path_factory: pytest.TempPathFactory) -> dict[str, NotebookNode]:
    """Each cell's source, with the cell after all cells have run."""
    sources = [SET_UP, TABLES, *(m[0] for m in MISTAKES), PATHS, FAILED, VERSIONED]
    sources += [*(s[0] for s in SHOWN), KEPT, "spark.stop()", AFTER]
    book = nbformat.v4.new_notebook(cells=list(map(nbformat.v4.new_code_cell, sources)))
    resources = {"metadata": {"path": str(tmp_path_factory.mktemp("kernel"))}}
    client = NotebookClient(book, timeout=300, kernel_name="python3", resources=resources, allow_errors=True)
    client.execute()
    if KEEP:
        nbformat.write(book, KEEP)
    return {cell.source: cell for cell in book.cells}


def said(cell: NotebookNode) -> str:
    """The full text output of a cell."""
    parts = []
    for output in cell.outputs:
        text = output.get("text") or output.get("data", {}).get("text/plain", "")
        parts.append("\n".join(output["traceback"]) if output.output_type == "error" else text)
    return _COLORS.sub("", "\n".join(parts))


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda m: m[0].replace(S, "")[:60])
def test_a_mistake(cells: dict[str, NotebookNode], mistake: tuple[str, str | None, list[str]]) -> None:
    source, marked, fragments = mistake
    text = said(cells[source])
    assert [o.output_type for o in cells[source].outputs if o.output_type == "error"], text
    assert [word for word in fragments if word not in text] == [], text
    everything = text + "".join(str(o.get("data", "")) for o in cells[source].outputs)
    assert _NEVER.search(everything) is None, text
    assert kept_secrets(cells[source])
    assert len(text.splitlines()) <= _MOST_LINES, text
    if marked is not None:
        assert marked in underlined(text), text


def kept_secrets(cell: NotebookNode) -> bool:
    """Whether no credential is in what a notebook's file keeps of a cell's outputs."""
    return re.search("hunter2|AKIAKEY", str(cell.outputs)) is None


def underlined(text: str) -> list[str]:
    """The text above the carets."""
    lines = text.splitlines()
    marked_texts = []
    for above, line in pairwise(lines):
        carets = re.fullmatch(r"(\s+\| +)(\^+)", line)
        if carets is not None:
            marked_texts.append(above[carets.end(1) : carets.end(2)])
    return marked_texts


@pytest.mark.parametrize("case", SHOWN, ids=lambda s: s[0].replace(S, "")[:60])
def test_what_a_cell_shows(cells: dict[str, NotebookNode], case: tuple[str, list[str]]) -> None:
    source, fragments = case
    text = said(cells[source])
    assert [word for word in fragments if word not in text] == [], text
    assert kept_secrets(cells[source])
    for output in cells[source].outputs:
        html = output.get("data", {}).get("text/html", "")
        html = html.replace(f"<script>{result_tables.script()}</script>", "")
        assert "<script" not in html
        assert "<b>&" not in html  # a value is text, whatever is in it
        assert re.search(r"(?:src|href|url)\s*[=(]", html) is None


@pytest.mark.needs("paths in a variant")
def test_a_path_in_a_variant_is_no_parameter(cells: dict[str, NotebookNode]) -> None:
    assert "1 row" in said(cells[PATHS])


def test_a_cell_that_fails_keeps_the_last_result(cells: dict[str, NotebookNode]) -> None:
    assert "rows 3 to 4 of 9" in said(cells[FAILED])
    assert "there is no result" not in said(cells[FAILED])


@pytest.mark.needs("parameters in CALL")
def test_a_snapshot_by_a_variable(cells: dict[str, NotebookNode]) -> None:
    assert "40" in said(cells[VERSIONED])
    assert "rror" not in said(cells[VERSIONED])


def test_pages_stay_when_the_session_has_ended(cells: dict[str, NotebookNode]) -> None:
    assert "rows 5 to 7 of 40" in said(cells[AFTER])

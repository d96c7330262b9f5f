"""connect_server(): clients in separate processes, without Java and, except for one, without this package."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import connect_client
import pytest
from doc_pages import ROOT, Block, Outputs, blocks, created_tables, with_output
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession

import spark_iceberg_sql as sis
from spark_iceberg_sql.sessions import dry_run_functions, statement_functions
from spark_iceberg_sql.sessions import servers as own_servers
from spark_iceberg_sql.spark.bridge.jvm import server_processes
from spark_iceberg_sql.spark.optimizer.rule_records import RULES
from spark_iceberg_sql.spark.remote_functions import SERVER_FUNCTIONS

pytestmark = pytest.mark.needs("connect")
PAGE = ROOT / "docs" / "guide" / "connect.md"
BETWEEN = "----8<----"


@pytest.fixture(scope="module")
def server(spark: SparkSession) -> Iterator[sis.Server]:
    spark.conf.set("spark.iceberg_sql.fast", "true")
    try:
        running = sis.connect_server(spark, port=0)
    finally:
        spark.conf.unset("spark.iceberg_sql.fast")
    yield running
    running.stop()
    assert spark.newSession().conf.get("spark.iceberg_sql.fast", "unset") == "unset"
    spark.newSession().conf.set("spark.sql.optimizer.excludedRules", "any")


def test_a_port_that_is_taken(spark: SparkSession) -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        port = listener.getsockname()[1]
        with pytest.raises(sis.IcebergSqlError) as caught:
            sis.connect_server(spark, port=port)
    message = f"the Spark Connect server cannot listen on 127.0.0.1:{port}: Address already in use\n"
    assert str(caught.value).startswith(message)


def test_one_server_at_a_time_and_again_after_it(spark: SparkSession) -> None:
    first = sis.connect_server(spark, port=0)
    with pytest.raises(sis.IcebergSqlError, match=f"in this process, on port {first.port}"):
        sis.connect_server(spark, port=0)
    first.stop()
    first.wait()
    with sis.connect_server(spark, port=0) as second:
        assert second.url == f"sc://127.0.0.1:{second.port}"
    first.stop()


LOST = """
import os, sys, time
import spark_iceberg_sql as sis
from pyspark.sql import SparkSession
spark = sis.install(SparkSession.builder.remote(sys.argv[1]).getOrCreate())
ddl = "ALTER TABLE local.connect.t ADD PARTITION FIELD id"
print("ready", flush=True)
for line in sys.stdin:
    for call in (
        lambda: spark.sql("SELECT 1"), lambda: spark.sql(ddl), lambda: sis.check(ddl, spark),
        lambda: sis.plan(spark, ddl),        lambda: sis.health(spark, "local.connect.t"), lambda: sis.install(spark),
    ):
        start = time.monotonic()
        try:
            call()
            print("it ran")
        except sis.IcebergSqlError as error:
            print(time.monotonic() - start < 10, str(error).replace("\\n", " | "))
    print("done", flush=True)
fresh = SparkSession.builder.remote(sys.argv[1]).create()
print(sis.check(ddl, fresh).ok, flush=True)
os._exit(0)  # Spark's client would ask the lost server to clean up
"""


def test_a_lost_server(spark: SparkSession, tmp_path: Path) -> None:
    """It is gone, and then there is another one at its address, which does not have the session."""
    first = sis.connect_server(spark, port=0)
    process = client(first.url, LOST, with_this_package(tmp_path))
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    first.stop()

    def attempts() -> list[str]:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write("\n")
        process.stdin.flush()
        return list(iter(process.stdout.readline, "done\n"))

    start = f"True the Spark Connect server at 127.0.0.1:{first.port} "
    messages = attempts()
    assert len(messages) == 6
    assert all(line.startswith(f"{start}is gone: nothing accepts connections") for line in messages)
    assert all("| help: start the server again, then make a new session" in line for line in messages)
    with sis.connect_server(spark, port=first.port):
        restarted = attempts()
        output, errors = process.communicate(timeout=120)
    assert len(restarted) == 6
    for line in restarted:
        assert line.startswith(f"{start}no longer has this session"), line
        assert "| help: make a new session" in line
    assert output in ("True\n", "False\n"), errors
    assert "Traceback" not in errors


def test_a_cell_after_its_server_has_ended(spark: SparkSession, tmp_path: Path) -> None:
    leave = "import os, sys; sys.stdout.flush(); sys.stderr.flush(); os._exit(0)"
    cells = ("%iceberg_sql SELECT 1 AS before", "input()", "%iceberg_sql SELECT 2 AS after", leave)
    (tmp_path / "cells").write_text("\0".join(cells), "utf-8")
    modules = next((connect_client.python().parents[1] / "lib").glob("python*/site-packages"))
    environment = {**os.environ, "IPYTHONDIR": str(tmp_path), "PYTHONWARNINGS": "ignore"}
    with (
        sis.connect_server(spark, port=0) as server,
        subprocess.Popen(
            [sys.executable, "-c", CELLS, server.url, str(modules), str(tmp_path / "cells")],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment,
        ) as process,
    ):  # fmt: skip
        assert process.stdout is not None
        before = ""
        while not before.endswith("\0001\n"):
            before += process.stdout.readline() or pytest.fail(before)
        server.stop()
        after, errors = process.communicate("\n", timeout=100)
    assert "1 row" in before
    text = after.partition("\0002\n")[2].partition("\0003\n")[0]
    assert "is gone: nothing accepts connections there" in text, after + errors
    assert "start the server again, then make a new session" in text
    assert not re.search("Traceback|grpc|site-packages", text)
    assert errors == ""


def test_spark_connect_is_not_there(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_processes, "_CONNECT", "org.apache.spark.sql.connect.service.NotThere")
    with pytest.raises(sis.IcebergSqlError, match=r"packages=org\.apache\.spark:spark-connect_2"):
        sis.connect_server(spark, port=0)


@pytest.mark.parametrize("of_a_server", [True, False])
def test_clients_see_each_other_s_commits(spark: SparkSession, tmp_path: Path, of_a_server: bool) -> None:
    name = f"commits_{of_a_server}".lower()
    settings = {
        f"spark.sql.catalog.{name}": "org.apache.iceberg.spark.SparkCatalog",
        f"spark.sql.catalog.{name}.type": "hadoop",
        f"spark.sql.catalog.{name}.warehouse": str(tmp_path),
    }
    if of_a_server:
        settings = own_servers.shared_settings(settings)
        assert settings["spark.sql.catalog.local.cache-enabled"] == "false"
    reader, two = spark.newSession(), spark.newSession()
    for session in (reader, two):
        for key, value in settings.items():
            if key.startswith(f"spark.sql.catalog.{name}"):
                session.conf.set(key, value)
    reader.sql(f"CREATE TABLE {name}.d.t (id INT) USING iceberg")
    assert reader.table(f"{name}.d.t").count() == 0
    two.sql(f"INSERT INTO {name}.d.t VALUES (1), (2)")
    # Without these settings Iceberg's cache of the first session has the old table.
    assert reader.table(f"{name}.d.t").count() == (2 if of_a_server else 0)


def test_a_user_s_settings_of_a_cache_stay() -> None:
    key = "spark.sql.catalog.local.cache-enabled"
    assert own_servers.shared_settings({key: "true"})[key] == "true"
    jdbc = {"spark.sql.catalog.pg": "org.apache.spark.sql.execution.datasources.v2.jdbc.JDBC"}
    assert own_servers.shared_settings(jdbc) == {key: "false", **jdbc}


def client(url: str, script: str, folder: Path | None = None) -> subprocess.Popen[str]:
    """A client that runs a script, whose first argument is the server's address. folder: additional packages."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    if folder is not None:
        environment["PYTHONPATH"] = str(folder)
    return subprocess.Popen(
        [str(connect_client.python()), "-c", script, url],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment,
    )  # fmt: skip


def answers(url: str, script: str, folder: Path | None = None) -> str:
    """The output of a client's script."""
    done = client(url, script, folder)
    out, errors = done.communicate(timeout=240)
    assert done.returncode == 0, errors
    return out


def with_this_package(folder: Path) -> Path:
    """Only this package and the checker's dependencies: no classic pyspark, no py4j."""
    for name in ("spark_iceberg_sql", "sqlparse", "wcwidth"):
        module_spec = importlib.util.find_spec(name)
        assert module_spec is not None
        assert module_spec.origin is not None
        (folder / name).symlink_to(Path(module_spec.origin).parent)
    return folder


def test_the_guide(spark: SparkSession, server: sis.Server, tmp_path: Path) -> None:
    """Every client block runs, in one session, and prints what the page shows."""
    for table in created_tables(PAGE):
        spark.sql(f"DROP TABLE IF EXISTS {table}")
    outputs = Outputs(PAGE)
    typed: list[tuple[Block, Block | None]] = []
    script = "import sys, importlib.util\nassert importlib.util.find_spec('py4j') is None\n"
    for block, output in with_output(blocks(PAGE)):
        if block.is_clients:
            typed.append((block, output))
            script += block.text.replace("sc://127.0.0.1:15002", server.url)
            script += f"\nprint({BETWEEN!r})\n"
    block_outputs = answers(server.url, script, with_this_package(tmp_path)).split(f"{BETWEEN}\n")
    for (_, output), out in zip(typed, block_outputs, strict=False):
        if output is not None:
            actual = "\n".join(line.rstrip() for line in out.rstrip().splitlines()) + "\n"
            outputs.compare(output, output.text, actual)
    outputs.settle()


SESSIONS = """
import json, sys
from pyspark.sql import SparkSession, functions as F
one = SparkSession.builder.remote(sys.argv[1]).create()
two = SparkSession.builder.remote(sys.argv[1]).create()
one.sql("CREATE TEMPORARY VIEW mine AS SELECT 34L AS id")
one.sql("SET spark.sql.session.timeZone = Asia/Tokyo")
def told(spark, text):
    try:
        return [list(map(str, row)) for row in spark.sql(text).collect()]
    except Exception as error:
        return f"{type(error).__name__} {error.getCondition()} {error.getMessage()}"
ADD = "ALTER TABLE local.connect.i ADD PARTITION FIELD"
print(json.dumps({
    "view": told(one, "SELECT iceberg_bucket(16, id) FROM mine"),
    "other view": told(two, "SELECT * FROM mine"),
    "zone": [told(s, "SELECT current_timezone()") for s in (one, two)],
    "call": one.range(34, 35).select(F.call_function("iceberg_bucket", F.lit(16), "id")).first()[0],
    "refused": told(two, "SELECT iceberg_bucket(1 + id, 16) FROM range(3)"),
    "stack": told(two, "SELECT CAST('a' AS INT)"),
    "settings": [row.value for row in two.sql("SET spark.iceberg_sql.fast").collect()],
    "wrong": told(two, "SELECT count(*) FROM local.connect.i WHERE local.system.bucket(4, x) = 2"),
    "delete": [told(two, "DELETE FROM local.connect.i WHERE iceberg_bucket(4, x) = 2"),
               told(one, "SELECT x FROM local.connect.i ORDER BY x")],
    "path": told(one, "SELECT count(*) FROM iceberg('" + sys.argv[2] + "') WHERE x > 3"),
    "snapshots": told(two, "SELECT count(*) FROM iceberg_snapshots('local.connect.i')"),
    "rules": told(two, "SELECT name, enabled FROM iceberg_rules() WHERE fault IS NULL ORDER BY name"),
    "prune": told(one, "EXPLAIN SELECT * FROM local.connect.d WHERE year(ts) = 2024")[0][0],
    "check": told(one, f"SELECT code FROM iceberg_check('{ADD} days(x)')"),
    "unfiltered": [told(two, text) for text in (
        "SET spark.iceberg_sql.require_filter = true", "SELECT sum(x + 1) FROM local.connect.i",
        "SELECT 1 WHERE 0 < (SELECT sum(x + 1) FROM local.connect.i)",
        "EXPLAIN SELECT 1 WHERE 0 < (SELECT sum(x + 1) FROM local.connect.i)",
        "SELECT sum(x + 1) FROM local.connect.i WHERE x = 3")],
    "plan": told(two, f"SELECT part, name FROM iceberg_plan('{ADD} bucket(4, x)')"),
}))
"""


def test_sessions_of_clients_have_everything_and_are_apart(
    spark: SparkSession, server: sis.Server, tmp_path: Path
) -> None:
    spark.sql("CREATE TABLE local.connect.i (x INT) USING iceberg PARTITIONED BY (x)")
    spark.sql("INSERT INTO local.connect.i SELECT id FROM range(8)")
    spark.sql("CREATE TABLE local.connect.d (ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts))")
    at = f"{spark.conf.get('spark.sql.catalog.local.warehouse')}/connect/i"
    rows = spark.sql("SELECT x, iceberg_bucket(4, x) FROM local.connect.i").collect()
    kept = sorted(x for x, bucket in rows if bucket != 2)
    assert 0 < len(kept) < 8

    script = f"import sys; sys.argv.append({at!r})\n{SESSIONS}"
    outcomes = json.loads(answers(server.url, script).splitlines()[-1])
    assert outcomes["view"] == [["3"]]
    assert outcomes["other view"].startswith("AnalysisException TABLE_OR_VIEW_NOT_FOUND")
    assert outcomes["zone"] == [[["Asia/Tokyo"]], [["UTC"]]]
    assert outcomes["call"] == 3
    assert outcomes["settings"] == ["true"]
    assert outcomes["refused"].startswith("AnalysisException INVALID_PARAMETER_VALUE.PATTERN")
    assert "write iceberg_bucket(16, (1 + id))" not in outcomes["refused"] or "Hive" in outcomes["refused"]
    assert "\tat " not in outcomes["refused"]
    assert outcomes["wrong"] == [[str(8 - len(kept))]]
    assert outcomes["delete"][1] == [[str(x)] for x in kept]
    assert outcomes["path"] == [[str(len([x for x in kept if x > 3]))]]
    assert outcomes["snapshots"] == [["2"]]
    enabled = {name for name, on in outcomes["rules"] if on == "true" or on == "True"}
    assert enabled >= {"copies", "decimals", "fast", "guard", "prune", "require_filter", "writers"}
    assert "ts >= " in outcomes["prune"]
    assert outcomes["check"] == [["SIS202"]]
    assert "`local.connect.i`: no filter prunes by `x`" in outcomes["unfiltered"][1]
    assert "`local.connect.i`: no filter prunes by `x`" in outcomes["unfiltered"][2]
    assert "BatchScan" in outcomes["unfiltered"][3][0][0]
    assert len(outcomes["unfiltered"][4]) == 1
    assert ["after", "x_bucket_4"] in outcomes["plan"] or any("x_bucket_4" in row for row in outcomes["plan"])


FIXED = """
import json, sys
from pyspark.sql import SparkSession, functions as partitioning
spark = SparkSession.builder.remote(sys.argv[1]).getOrCreate()
copies, copy = sys.argv[2:]
said = []
def tried(call):
    try:
        call()
        said.append("ran")
    except Exception as error:
        said.append(str(error).partition("\\n")[0])
for key, value in (
    ("spark.iceberg_sql.copies", "false"),
    ("spark.sql.optimizer.excludedRules", "sparkicebergsql.GateRule,sparkicebergsql.Copies"),
    ("spark.iceberg_sql.gate.unanswered", "run"),
):
    tried(lambda: spark.sql(f"SET {key} = {value}"))
    tried(lambda: spark.conf.set(key, value))
    tried(lambda: spark.sql(f"RESET {key}"))
for key, value in (("", "org.apache.iceberg.spark.SparkCatalog"), (".type", "hadoop"), (".warehouse", copies)):
    spark.conf.set("spark.sql.catalog.mine" + key, value)
tried(lambda: spark.sql("RESET"))
for key, value in (("", "org.apache.iceberg.spark.SparkCatalog"), (".type", "hadoop"), (".warehouse", copies)):
    spark.conf.set("spark.sql.catalog.mine" + key, value)
tried(lambda: spark.sql("TRUNCATE TABLE mine.db.fixed").collect())
tried(lambda: spark.sql(
    "CALL mine.system.expire_snapshots(table => 'db.fixed', older_than => TIMESTAMP '2100-01-01', retain_last => 1)"
).collect())
tried(lambda: spark.range(3).selectExpr("id", "'a' s").writeTo("mine.db.new").using("iceberg").partitionedBy(
    partitioning.days("s")).create())
print(json.dumps(said))
"""


def test_a_client_cannot_switch_off_the_checks(spark: SparkSession, server: sis.Server, tmp_path: Path) -> None:
    spark.sql("CREATE TABLE local.connect.fixed USING iceberg AS SELECT 1 id")
    spark.sql("INSERT OVERWRITE local.connect.fixed SELECT 2")
    original = Path(spark.conf.get("spark.sql.catalog.local.warehouse")) / "connect" / "fixed"
    copy = tmp_path / "db" / "fixed"
    shutil.copytree(original, copy)
    before = sorted(original.rglob("*"))
    script = f"import sys; sys.argv += [{str(tmp_path)!r}, {str(copy)!r}]\n{FIXED}"
    outcomes = json.loads(answers(server.url, script).splitlines()[-1])
    reset, *changes, ddl = outcomes[9:]
    assert [outcome for outcome in outcomes[:9] if "annot modify the value" not in outcome] == []
    assert reset == "ran"
    assert len(changes) == 2
    assert all("is a copy, or was moved" in outcome for outcome in changes)
    assert "SIS202" in ddl
    assert sorted(original.rglob("*")) == before


def test_settings_of_the_checks_are_fixed_until_the_last_server_ends(spark: SparkSession) -> None:
    key = "spark.sql.optimizer.excludedRules"
    session = spark.newSession()
    first, second = (server_processes.InitialSettings(session), server_processes.InitialSettings(session))
    for _ in range(2):  # a server may be stopped twice
        first.restore()
        with pytest.raises(AnalysisException, match="annot modify the value"):
            session.conf.set(key, "sparkicebergsql.Copies")
    second.restore()
    with pytest.raises(AnalysisException, match="annot modify the value"):
        session.conf.set("spark.sql.extensions", "any")


DYING = """
import sys
from pyspark.sql import SparkSession
spark = SparkSession.builder.remote(sys.argv[1]).getOrCreate()
spark.sql("CREATE TEMPORARY VIEW v AS SELECT 1")
print("ready", flush=True)
spark.sql("SELECT count(*) FROM range(1000000) a, range(1000000) b WHERE iceberg_bucket(7, a.id) = b.id").collect()
"""


def test_a_client_that_dies_leaves_the_others_alone(spark: SparkSession, server: sis.Server) -> None:
    dying = client(server.url, DYING)
    assert dying.stdout is not None
    assert dying.stdout.readline() == "ready\n"
    dying.kill()
    dying.communicate()
    lives = (
        "import sys\nfrom pyspark.sql import SparkSession\n"
        "spark = SparkSession.builder.remote(sys.argv[1]).getOrCreate()\n"
        "print(spark.sql('SELECT iceberg_bucket(16, 34L)').first()[0])"
    )
    assert answers(server.url, lives) == "3\n"
    spark.sparkContext.cancelAllJobs()


REMOTE = """
import json, sys, warnings
import spark_iceberg_sql as sis
from pyspark.sql import SparkSession
spark = SparkSession.builder.remote(sys.argv[1]).getOrCreate()
warnings.simplefilter("always")
told = {}
def tried(name, call):
    with warnings.catch_warnings(record=True) as warned:
        try:
            call()
            told[name] = ["ran", *(str(w.message) for w in warned if issubclass(w.category, sis.IcebergSqlWarning))]
        except Exception as error:
            told[name] = [type(error).__name__, str(error), getattr(error, "report", None) is not None]
damaging = "ALTER TABLE local.connect.r ADD PARTITION FIELD days(s)"
assert sis.install(spark) is spark
tried("error", lambda: spark.sql(damaging))
tried("commented", lambda: spark.sql(damaging + " -- noqa"))
tried("warned", lambda: spark.sql("ALTER TABLE local.connect.r ADD PARTITION FIELD bucket(1, id)"))
tried("arguments", lambda: spark.sql("ALTER TABLE local.connect.r ADD PARTITION FIELD days(s)", args={}))
tried("immediate", lambda: spark.sql("SELECT 1; ").collect())
tried("mistake", lambda: spark.sql("SELECT TOP 2 id FROM local.connect.r"))
tried("query", lambda: spark.sql("SELECT replace('a', 'b', 'c')").collect())
sis.install(spark, ddl="off")
tried("server", lambda: spark.sql(damaging))
tried("mode", lambda: sis.install(spark, ddl="loud"))
report = sis.check("\\n  " + damaging, spark, filename="a.sql")
told["check"] = [report.ok, *(
    [d.code, d.span.row, d.span.column, report.text[d.span.start:d.span.end], d.spec] for d in report)]
fine = damaging.replace("days(s)", "bucket(4, id)")
for name, text in (("plan", damaging), ("added", fine), ("no plan", "SELECT 1")):
    tried(name, lambda: print(sis.plan(spark, text)))
plan = sis.plan(spark, fine)
changes = [[row.part, row.name, row.detail] for row in plan.rows() if row.part == "change"]
told["planned"] = [plan.ok, changes, str(plan)]
told["refused"] = sis.plan(spark, damaging).ok
print(json.dumps(told))
"""


CONFLICT = """
import json, sys, time
import spark_iceberg_sql as sis
from spark_iceberg_sql.spark import remote_commits
from pyspark.sql import SparkSession
spark = SparkSession.builder.remote(sys.argv[1]).getOrCreate()
sis.install(spark)
for name, is_cached in (("stale", "true"), ("fresh", "false")):
    spark.conf.set(f"spark.sql.catalog.{name}", "org.apache.iceberg.spark.SparkCatalog")
    spark.conf.set(f"spark.sql.catalog.{name}.type", "hadoop")
    spark.conf.set(f"spark.sql.catalog.{name}.warehouse", sys.argv[2])
    spark.conf.set(f"spark.sql.catalog.{name}.cache-enabled", is_cached)
spark.sql("CREATE TABLE fresh.d.t (id BIGINT, v BIGINT) USING iceberg")
spark.sql("INSERT INTO fresh.d.t SELECT /*+ COALESCE(1) */ id, id AS v FROM range(4)")
told = {}
def tried(name, text):
    spark.table("stale.d.t").count()
    spark.sql("UPDATE fresh.d.t SET v = v + 1 WHERE id = 1")
    try:
        spark.sql(text).collect()
    except Exception as error:
        told[name] = [type(error).__name__, str(error)]
    spark.sql("REFRESH TABLE stale.d.t")
tried("known", "DELETE FROM stale.d.t WHERE id = 1")
spark.sql("USE stale.d")
tried("short", "UPDATE t SET v = 5 WHERE id = 1")
told["snapshot"] = spark.sql("SELECT max_by(snapshot_id, committed_at) FROM fresh.d.t.snapshots").first()[0]
remote_commits._NEWEST = "SELECT no_such_column FROM {}.snapshots"
tried("unanswered", "DELETE FROM stale.d.t WHERE id = 1")
remote_commits._SECONDS = 1
remote_commits._ask = lambda *_: time.sleep(60)
started = time.monotonic()
tried("slow", "DELETE FROM stale.d.t WHERE id = 1")
told["seconds"] = time.monotonic() - started
print(json.dumps(told))
"""


@pytest.mark.filterwarnings("ignore::spark_iceberg_sql.errors.IcebergSqlWarning")
def test_a_conflict_names_the_other_commit(spark: SparkSession, server: sis.Server, tmp_path: Path) -> None:
    """As in a classic session; a server that does not answer costs the error no more than a moment."""
    script = CONFLICT.replace("sys.argv[2]", repr(str(tmp_path / "tables")))
    text = answers(server.url, script, with_this_package(tmp_path))
    outcomes = json.loads(text.splitlines()[-1])
    for name, clause in (("known", "DELETE"), ("short", "UPDATE")):
        kind, message = outcomes[name]
        assert kind == "ConflictError", (clause, message)
        assert message.startswith("`stale.d.t` was changed by another writer while the statement ran (overwrite of 20")
        assert "added 1 data file" in message
        assert message.endswith("help: run the statement again")
        assert "; nothing was written (Iceberg: " in message
    assert f"snapshot {outcomes['snapshot']}, " in outcomes["short"][1]
    assert "while the statement ran; nothing was written" in outcomes["unanswered"][1]
    assert "while the statement ran; nothing was written" in outcomes["slow"][1]
    assert outcomes["seconds"] < 30


# The server's own warning stays on the server: pytest would turn it into an error.
@pytest.mark.tier("quick", of="servers")
@pytest.mark.filterwarnings("ignore::spark_iceberg_sql.errors.IcebergSqlWarning")
def test_this_package_on_a_client(spark: SparkSession, server: sis.Server, tmp_path: Path) -> None:
    spark.sql("CREATE TABLE local.connect.r (id BIGINT, s STRING) USING iceberg")
    outcomes = json.loads(answers(server.url, REMOTE, with_this_package(tmp_path)).splitlines()[-1])
    kind, text, with_report = outcomes["error"]
    assert (kind, with_report) == ("IcebergSqlError", True)
    assert text.startswith("error[SIS202]: `days` needs")
    assert outcomes["commented"][0] == "IcebergSqlError"
    assert "1 | ALTER TABLE local.connect.r ADD PARTITION FIELD days(s) -- noqa\n" in outcomes["commented"][1]
    assert outcomes["warned"][0] == "ran"
    assert "SIS" in outcomes["warned"][1]
    kind, text, _ = outcomes["server"]
    assert kind == "AnalysisException"
    kind, text, with_report = outcomes["arguments"]
    assert kind == "IcebergSqlError"
    assert text.startswith("error[SIS202]")
    kind, text, _ = outcomes["mistake"]
    assert kind == "ParseException"
    assert text.startswith("help: leave out `TOP 2`, and write `LIMIT 2` at the end")
    assert "Spark's message: [PARSE_SYNTAX_ERROR]" in text
    assert outcomes["query"] == ["ran"]
    assert outcomes["mode"][:2] == ["IcebergSqlError", 'ddl must be "error", "warn" or "off", not \'loud\'']
    assert outcomes["check"] == [False, ["SIS202", 2, 56, "s", "Partition Transforms"]]
    assert outcomes["plan"] == outcomes["added"] == ["ran"]
    assert (outcomes["no plan"][0], outcomes["refused"]) == ("IcebergSqlError", False)
    ok, changes, text = outcomes["planned"]
    assert (ok, changes[-1]) == (True, ["change", "id_bucket_4", "added"])
    assert "1001 id_bucket_4, bucket[4] of id, added" in text


def test_a_server_without_this_package_is_told(spark: SparkSession, server: sis.Server, tmp_path: Path) -> None:
    script = (
        "import sys\nimport spark_iceberg_sql as sis\nfrom pyspark.sql import SparkSession\n"
        "spark = SparkSession.builder.remote(sys.argv[1]).getOrCreate()\n"
        "for call in (lambda: sis.install(spark), lambda: sis.check('DROP TABLE t', spark),\n"
        "        lambda: sis.health(spark, 't')):\n"
        "    try:\n        call()\n        print('nothing said')\n"
        "    except sis.IcebergSqlError as error:\n        print(error)\n"
    )
    sis.uninstall(spark)
    try:
        lines = answers(server.url, script, with_this_package(tmp_path)).splitlines()
    finally:
        sis.install(spark)
    assert lines[0] == "the server of this session has no iceberg_* functions"
    assert lines[2] == "the server of this session does not check partition DDL"
    assert lines[4] == "the server of this session has no iceberg_health"
    assert "iceberg-sql connect-server" in lines[1] == lines[3] == lines[5]


INSIGHTS = """
import json, sys, warnings
import spark_iceberg_sql as sis
from pyspark.sql import SparkSession
warnings.simplefilter("ignore")
spark = SparkSession.builder.remote(sys.argv[1]).getOrCreate()
table = "local.connect.insight"
query = f"SELECT * FROM {table} WHERE ts = TIMESTAMP '2024-01-02'"
answers, refusals = {}, {}
def answer(name, call):
    rows = call()
    answers[name] = [type(rows).__name__, [row.asDict() for row in rows], str(rows), rows._repr_html_()]
def refused(name, call):
    try:
        call()
        refusals[name] = "it ran"
    except sis.IcebergSqlError as error:
        refusals[name] = str(error)
answer("explain", lambda: sis.explain(spark, query))
answer("spj", lambda: sis.spj(spark=spark, statement=f"SELECT * FROM {table} a JOIN {table} b ON a.ts = b.ts"))
answer("health", lambda: sis.health(spark, table))
answer("preview", lambda: sis.preview(spark, table, spec="days(ts), bucket(2, id)", commits=2))
answer("advise", lambda: sis.advise(spark, table, [query, f"SELECT count(*) FROM {table}"]))
join = f"SELECT * FROM {table} a JOIN {table}s b ON a.id = b.id"
answer("tables", lambda: sis.advise(spark, [table, f"{table}s"], [join]))
refused("no table", lambda: sis.explain(spark, "SELECT 1"))
refused("syntax", lambda: sis.explain(spark, "SELEC 1"))
refused("spec", lambda: sis.preview(spark, table, "dys(ts)"))
refused("properties", lambda: sis.preview(spark, table, "days(ts)", properties={"a": "b"}))
refused("sample", lambda: sis.advise(spark, table, [query], sample=5))
refused("weights", lambda: sis.advise(spark, table, [(query, 2.0)]))
refused("missing", lambda: sis.preview(spark, table))
refused("frame", lambda: sis.preview(spark, spark.table(table), "days(ts)"))
for name, arguments in (
    ("optimize", (table,)), ("attach", ("/t", "a.b")), ("run", ("SELECT 1",)), ("catalog", ("c", "hadoop")),
    ("collection", ("c",)), ("from_hive", ("t",)), ("register", ()), ("sql", ("SELECT 1",)), ("connect_server", ()),
):
    refused(name, lambda: getattr(sis, name)(spark, *arguments))
print(json.dumps([answers, refusals, str(sis.doctor(spark)), str(sis.doctor())], default=str))
"""


def test_insight_functions_of_a_client(spark: SparkSession, server: sis.Server, tmp_path: Path) -> None:
    spark.sql("CREATE TABLE local.connect.insight (id BIGINT, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts))")
    spark.sql(
        "INSERT INTO local.connect.insight "
        "SELECT id, TIMESTAMP '2024-01-01' + make_dt_interval(CAST(id % 5 AS INT)) FROM range(100)"
    )
    spark.sql("CREATE TABLE local.connect.insights USING iceberg AS SELECT id FROM range(100)")
    process = client(server.url, INSIGHTS, with_this_package(tmp_path))
    output, errors = process.communicate(timeout=240)
    assert process.returncode == 0, errors
    assert errors == ""  # neither a stack nor pyspark's log of gRPC's errors
    answers, refusals, of_server, of_client = json.loads(output.splitlines()[-1])
    assert f"Spark     {spark.version}, a server of Spark Connect; this client has pyspark " in of_server
    assert f"{len(RULES)} of {len(RULES)} on: aggregates" in of_server
    assert of_server.endswith("problems  none")
    assert "pyspark cannot be imported" in of_client  # its client has no JVM
    assert {answer[0] for answer in answers.values()} == {"ServerRows"}
    scan, conjunct = answers["explain"][1]
    assert (scan["files"], scan["total_files"], conjunct["pruned_by"]) == (1, 5, "days(ts)")
    assert "pruned_by: days(ts)" in answers["explain"][2]
    assert "<th>pruned_by</th>" in answers["explain"][3]
    assert answers["spj"][1][0]["keys"] == "a.ts = b.ts"
    assert answers["health"][1][0]["problem"] == "fine partitions"
    assert (answers["preview"][1][0]["partitions"], answers["preview"][1][0]["rows"]) == (10, 100)
    assert answers["advise"][1][0]["rank"] == 1
    assert "days(ts)" in {row["spec"] for row in answers["advise"][1]}
    assert {row["source"] for row in answers["tables"][1]} == {"local.connect.insight", "local.connect.insights"}
    assert answers["tables"][2].startswith("local.connect.insight; local.connect.insights")
    assert refusals["no table"].startswith("the statement reads no table\nhelp: explain a query")
    assert "PARSE_SYNTAX_ERROR" in refusals["syntax"]
    assert refusals["spec"].endswith("help: write `days(ts)`")
    for name in ("properties", "sample"):
        assert refusals[name].startswith(f"`{name}` of sis."), refusals[name]
        assert "does not work in a Spark Connect session" in refusals[name]
    assert "without weights" in refusals["weights"]
    assert refusals["missing"] == "`spec` of sis.preview is missing"
    assert "must be a text in a Spark Connect session, not DataFrame" in refusals["frame"]
    for name in list(refusals)[8:]:
        assert refusals[name].startswith(f"sis.{name} works in the process of the Spark server")
        assert "pip" not in refusals[name]


def test_the_record_of_server_functions_is_what_the_server_registers() -> None:
    registered = {
        answer.name: answer for answer in (*statement_functions.STATEMENT_FUNCTIONS, *dry_run_functions.ANSWERS)
    }
    for function in SERVER_FUNCTIONS.values():
        arguments = {argument.name for argument in registered[function.name].arguments}
        assert set(function.arguments) <= arguments
        required = list(function.positional)
        assert required == registered[function.name].required


# Cells of a client: IPython in a terminal, without a JVM. Each cell's output is after its number.
CELLS = """
import sys
sys.path.append(sys.argv[2])
from IPython.core.interactiveshell import InteractiveShell
from pyspark.sql import SparkSession
shell = InteractiveShell.instance(colors="NoColor")
shell.user_ns["spark"] = SparkSession.builder.remote(sys.argv[1]).getOrCreate()
shell.run_cell("%load_ext spark_iceberg_sql\\nimport datetime, os, signal, threading\\n"
    "ids, day, pairs = [1, 2**40], datetime.date(2024, 1, 2), {'a': 1}")
for number, cell in enumerate(open(sys.argv[3]).read().split("\\0")):
    print(f"\\0{number}", flush=True)
    shell.run_cell(cell, store_history=True)
from pyspark import SparkContext
assert SparkContext._gateway is None
"""
MADE = """\
%%iceberg_sql
CREATE TABLE local.connect.c (id BIGINT, s STRING, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts));
INSERT INTO local.connect.c
SELECT id, 'n' || id, TIMESTAMP '2024-01-01' + make_interval(0, 0, 0, CAST(id % 3 AS INT)) FROM range(30)
"""
LONG = """\
threading.Timer(3, os.kill, (os.getpid(), signal.SIGINT)).start()
%iceberg_sql SELECT count(*) FROM range(0, 1000000000000000, 1, 4) WHERE id % 7 = 3
"""
IN_CELLS: list[tuple[str, list[str]]] = [
    (MADE, ["CREATE TABLE local.connect.c: done", "INSERT INTO local.connect.c: done"]),
    (
        (
            "%%iceberg_sql found --limit 2\nSELECT id, s, X'00ff' AS b, array(X'a2ff') AS a FROM local.connect.c "
            "WHERE id % 12 = 4 ORDER BY id"
        ),
        ["n16  0x00FF", "first 2 of 3 rows (more: %iceberg_sql --next)", "read 3 of 3 files ("],
    ),
    ("%iceberg_sql --next", ["rows 3 to 3 of 3"]),
    (
        "%iceberg_sql SELECT id FROM local.connect.c WHERE iceberg_days(ts) = DATE '2024-01-02'",
        ["10 rows", " s · read 1 of 3 files ("],
    ),
    # A join may leave out files that were planned; metadata and constants are no files.
    (
        "%iceberg_sql SELECT a.id FROM local.connect.c a JOIN (VALUES (TIMESTAMP '2024-01-02')) v(x) ON a.ts = v.x",
        ["10 rows", "read at most ", " of 3 files ("],
    ),
    ("x = %iceberg_sql SELECT count(*) AS n, 'no' || 'thing' FROM local.connect.c.snapshots", ["1 row · "]),
    (
        "x = %iceberg_sql --quiet SELECT array_contains({ids}, 1) AS a, {pairs}['a'] AS p, {day}\nprint(x.first())",
        ["Row(a=True, p=1, "],
    ),
    ("%iceberg_sql SELECT count(*) AS n FROM {found}", ["n\n-\n3\n1 row"]),
    # Checked by the server before any statement is sent.
    (
        "%%iceberg_sql\nDELETE FROM local.connect.c;\nALTER TABLE local.connect.c ADD PARTITION FIELD days(s)",
        ["error[SIS202]", "cell:3:54", "nothing has run"],
    ),
    ("%iceberg_sql SELECT count(*) AS n FROM local.connect.c", ["30"]),
    ("%iceberg_sql SELECT nam FROM local.connect.c", ["error[UNRESOLVED_COLUMN", "^^^"]),
    ("%iceberg_sql SELECT days(ts) FROM local.connect.c", ["write `iceberg_days(ts)`", "^^^^^^^^"]),
    ("%iceberg_sql SELECT * FROM local.connect.cc", ["write `local.connect.c`"]),
    ("%iceberg_sql SELECT CAST('x' AS INT)", ["CAST_INVALID_INPUT", "try_cast"]),
    ("spark.sql('SELECT days(ts) FROM local.connect.c').collect()", ["write `iceberg_days(ts)`"]),
    ("%iceberg_sql --check SELECT 1", ["checked 1 statement: no errors"]),
    ("%iceberg_sql --fix SELECT 1", ["--fix does not work through Spark Connect"]),
    (
        "%iceberg_sql --explain SELECT * FROM local.connect.c WHERE ts = TIMESTAMP '2024-01-02'",
        ["total_files", "== Physical Plan =="],
    ),
    ("%iceberg_sql --plan ALTER TABLE local.connect.c ADD PARTITION FIELD bucket(4, id)", ["id_bucket_4"]),
    ("%%iceberg_sql --save few\nSELECT id FROM local.connect.c WHERE id < 3", ["saved as the temporary view `few`"]),
    ("%iceberg_sql SELECT count(*) AS n FROM few", ["n\n-\n3\n1 row"]),
    ("%%iceberg_sql --quiet --chart bar\nSELECT 'n' || id AS s, id FROM few", ["bar chart: id by s, 3 points"]),
    ("%iceberg_sql history 2", ["the last 2 of ", "SELECT count(*) AS n FROM few"]),
    ("%iceberg_sql tables local.connect", ["sis.tables works in the process of the Spark server"]),
    ("%config IcebergSql.confirm_above = '1 GB'\n%iceberg_sql SELECT id FROM few", ["is unknown: the plan", "--yes"]),
    ("%iceberg_sql --yes SELECT id FROM few\n%config IcebergSql.confirm_above = ''", ["3 rows"]),
    (LONG, ["interrupted after", "SELECT was cancelled in Spark"]),
    ("%iceberg_sql SELECT 1 AS after", ["1 row"]),
]


def test_cells_of_a_client(spark: SparkSession, server: sis.Server, tmp_path: Path) -> None:
    """`%%iceberg_sql` in a client's session; gRPC is all that it takes from the clients' environment."""
    (tmp_path / "cells").write_text("\0".join(cell for cell, _ in IN_CELLS), "utf-8")
    modules = next((connect_client.python().parents[1] / "lib").glob("python*/site-packages"))
    environment = {**os.environ, "IPYTHONDIR": str(tmp_path), "PYTHONWARNINGS": "ignore"}
    done = subprocess.run(
        [sys.executable, "-c", CELLS, server.url, str(modules), str(tmp_path / "cells")],
        capture_output=True, text=True, env=environment, timeout=240, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    outputs = re.split(r"\0\d+\n", re.sub(r"\x1b\[[\d;]*m", "", done.stdout))[1:]
    assert len(outputs) == len(IN_CELLS)
    wrong = [
        (cell, text)
        for (cell, fragments), text in zip(IN_CELLS, outputs, strict=True)
        if not all(word in text for word in fragments)
        or re.search(r"Traceback|JVM stacktrace|\tat org|site-packages", text)
    ]
    assert wrong == [], "\n".join(text for _, text in wrong)
    assert done.stderr == ""

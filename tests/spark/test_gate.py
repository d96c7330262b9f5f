"""The gate on a live session: what it refuses never reaches Spark, what it accepts arrives unchanged."""

from __future__ import annotations

import threading
import warnings
from dataclasses import replace

import pytest
from py4j.protocol import Py4JJavaError
from pyspark.errors import AnalysisException, ParseException
from pyspark.sql import SparkSession

import spark_iceberg_sql as sis
from spark_iceberg_sql.checker import rule_runner
from spark_iceberg_sql.errors import IcebergSqlError, IcebergSqlWarning
from spark_iceberg_sql.spark import versions
from spark_iceberg_sql.spark.bridge.gate import requests
from spark_iceberg_sql.spark.bridge.jvm import gateway
from spark_iceberg_sql.spark.bridge.jvm.shims import SPARK_VERSION
from spark_iceberg_sql.spark.gate import admission as judge
from spark_iceberg_sql.spark.gate import explain_errors, intercept
from spark_iceberg_sql.spark.gate.session_tables import SessionTables

pytestmark = pytest.mark.tier("rest", sampled=False)  # on every line of Spark


@pytest.fixture
def table(spark):
    spark.sql("CREATE NAMESPACE IF NOT EXISTS local.gate")
    spark.sql("DROP TABLE IF EXISTS local.gate.t")
    spark.sql(
        "CREATE TABLE local.gate.t (id bigint, name string, ts timestamp, p struct<x: int>) "
        "USING iceberg PARTITIONED BY (bucket(4, id))"
    )
    yield "local.gate.t"
    spark.sql("USE local.default") if spark.catalog.databaseExists("local.default") else None


def fields(spark, table):
    """The current partition fields, read without any cache."""
    catalog_table = SessionTables(spark, intercept.unchecked_sql(spark)).get(tuple(table.split(".")))
    return [field.clause for field in catalog_table.specs.spec.fields]


def codes(error):
    return [d.code for d in error.value.report]


@pytest.mark.tier("quick", of="gate")
class TestRefusal:
    def test_a_refused_statement_never_reaches_spark(self, spark, table):
        """Here a statement that Spark would run and that would break the table."""
        spark.sql(f"ALTER TABLE {table} ADD PARTITION FIELD bucket(8, name) AS shard")
        statement = f"ALTER TABLE {table} REPLACE PARTITION FIELD shard WITH truncate(2, name) AS shard"
        before = fields(spark, table)
        for run in (sis.sql, SparkSession.sql):
            with pytest.raises(sis.IcebergSqlError) as error:
                run(spark, statement)
            assert codes(error) == ["SIS404"]
        assert fields(spark, table) == before

    def test_all_faults_at_once_and_nothing_is_made(self, spark, table):
        with pytest.raises(sis.IcebergSqlError) as error:
            spark.sql(
                "CREATE TABLE local.gate.many (id bigint, name string) USING iceberg\n"
                "PARTITIONED BY (days(name), bucket(0, id), weeks(id))"
            )
        assert sorted(codes(error)) == ["SIS101", "SIS103", "SIS202"]
        assert not spark.catalog.tableExists("local.gate.many")

    def test_it_reads_as_text_with_place_and_remedy(self, spark, table):
        with pytest.raises(sis.IcebergSqlError) as error:
            spark.sql(f"ALTER TABLE {table} ADD PARTITION FIELD days(name)")
        text = str(error.value)
        assert "error[SIS202]" in text
        assert "^^^^" in text
        assert "help:" in text
        assert error.value._render_traceback_() == text.splitlines()

    def test_what_iceberg_accepts_and_what_breaks_the_table(self, spark, table):
        spark.sql(f"ALTER TABLE {table} ADD PARTITION FIELD bucket(8, name) AS shard")
        with pytest.raises(sis.IcebergSqlError) as error:
            spark.sql(f"ALTER TABLE {table} REPLACE PARTITION FIELD shard WITH bucket(16, name) AS shard")
        assert "SIS404" in codes(error)

    def test_nothing_that_is_no_partition_ddl_is_looked_at(self, spark, monkeypatch):
        monkeypatch.setattr(judge, "check", lambda *a, **k: pytest.fail("it was checked"))
        assert spark.sql("SELECT 1 AS one").collect()[0].one == 1
        assert spark.sql("SHOW NAMESPACES IN local").columns


@pytest.mark.tier("quick", of="gate")
class TestPassing:
    @pytest.mark.parametrize(
        "statement",
        [
            "ALTER TABLE {t} ADD PARTITION FIELD days(ts);",
            "\ufeffALTER TABLE {t} ADD PARTITION FIELD days(ts)",
            "ALTER /* why */ TABLE {t} ADD PARTITION FIELD days(ts)",
            "ALTER TABLE {t} ADD /* the */ PARTITION FIELD days(ts)",
            "-- from the documentation\r\nALTER TABLE {t} ADD PARTITION FIELD days(ts);  -- so\n",
            "\n\n  alter table {t}\n  add partition field days(ts)\n;\n",
        ],
    )
    def test_good_statements_that_icebergs_routing_trips_over(self, spark, table, statement):
        spark.sql(statement.format(t=table))
        assert fields(spark, table) == ["bucket(4, id)", "days(ts)"]

    def test_arguments_of_every_form(self, spark, table):
        assert spark.sql("SELECT :x AS x", {"x": 7}).collect()[0].x == 7
        assert spark.sql("SELECT ? AS x", [8]).collect()[0].x == 8
        df = spark.createDataFrame([(1, "a")], "id int, name string")
        assert spark.sql("SELECT id FROM {df}", df=df).collect()[0].id == 1
        assert spark.sql("SELECT id FROM {df} WHERE id < :m", {"m": 2}, df=df).count() == 1

    @pytest.mark.needs("parameters in CTAS")
    def test_ctas_with_arguments(self, spark, table):
        df = spark.createDataFrame([(1, "a")], "id int, name string")
        with pytest.raises(sis.IcebergSqlError) as error:
            spark.sql(
                "CREATE TABLE local.gate.c USING iceberg PARTITIONED BY (days(name)) "
                "AS SELECT * FROM {df} WHERE id < :m",
                {"m": 5},
                df=df,
            )
        assert codes(error) == ["SIS202"]
        spark.sql(
            "CREATE OR REPLACE TABLE local.gate.c USING iceberg PARTITIONED BY (bucket(4, id)) "
            "AS SELECT * FROM {df} WHERE id < :m",
            {"m": 5},
            df=df,
        )
        assert spark.table("local.gate.c").count() == 1

    def test_ctas_with_arguments_on_an_older_line(self, spark, table):
        """Spark binds them after parsing: the check does not know them, and reports that it is incomplete."""
        if "parameters in CTAS" not in versions.spark_minor(spark.version).limitations:
            pytest.skip("the parser has them")
        text = "CREATE OR REPLACE TABLE local.gate.c USING iceberg PARTITIONED BY (bucket(4, id)) "
        with pytest.warns(IcebergSqlWarning, match=r"note.SIS002.: partly checked"):
            spark.sql(text + "AS SELECT id FROM range(9) WHERE id < :m", {"m": 5})
        assert spark.table("local.gate.c").count() == 5
        with pytest.raises(sis.IcebergSqlError, match="SIS103"):
            spark.sql(text.replace("4", "0") + "AS SELECT id FROM range(9) WHERE id < :m", {"m": 5})

    @pytest.mark.needs("parameters in CTAS")
    def test_bound_values_are_checked_as_literals(self, spark, table):
        """Their places are those in the text that was given; beyond int, Spark takes another number silently."""
        big = 4294967312
        cases = [
            ("(bucket(:n, id))", {"n": big}, "16", ":n"),
            ("(bucket(:n, id))", {"n": 0}, "not `0`", ":n"),
            ("(truncate(4, name), /* \u00e9 */\ntruncate(?, name))", [-1], "not `-1`", "?"),
            ("(bucket(?, id), truncate(?, name))", [4, big], "width of `truncate`", "?"),
            ("(bucket(:n, id))", {"n": "8"}, "not `'8'`", ":n"),
        ]
        for clause, args, fragment, marker in cases:
            text = f"CREATE TABLE local.gate.b (id BIGINT, name STRING) USING iceberg PARTITIONED BY {clause}"
            with pytest.raises(sis.IcebergSqlError) as error:
                spark.sql(text, args)
            diagnostics = [d for d in error.value.report if d.code == "SIS103"]
            assert len(diagnostics) == 1, clause
            assert fragment in diagnostics[0].message
            assert text[diagnostics[0].span.start : diagnostics[0].span.end] == marker
            assert diagnostics[0].span.start == text.rindex(marker)
            assert f"1 | {text.partition(chr(10))[0]}" in str(error.value) or chr(10) in text
        create = "CREATE TABLE local.gate.b (id BIGINT) USING iceberg PARTITIONED BY (bucket(?, id))"
        for run in (
            lambda: spark.sql(f"EXECUTE IMMEDIATE '{create}' USING {big}"),
            lambda: spark.sql(f"BEGIN EXECUTE IMMEDIATE '{create}' USING {big}; END").collect(),
            lambda: spark.sql(create.replace("local.gate.b", "IDENTIFIER(?)"), ["local.gate.b", big]),
        ):
            with pytest.raises(sis.IcebergSqlError) as error:
                run()
            assert codes(error) == ["SIS103"]
        assert not spark.catalog.tableExists("local.gate.b")
        spark.sql(f"EXECUTE IMMEDIATE '{create}' USING 8")  # without a warning
        assert fields(spark, "local.gate.b") == ["bucket(8, id)"]
        spark.sql(
            "CREATE OR REPLACE TABLE local.gate.b USING iceberg PARTITIONED BY (bucket(?, id)) AS SELECT ? AS id",
            [8, 34],
        )
        assert spark.table("local.gate.b").collect()[0].id == 34
        spark.sql("DROP TABLE local.gate.b")

    def test_the_query_of_a_ctas_does_not_run(self, spark, table):
        with pytest.raises(sis.IcebergSqlError):
            spark.sql(
                "CREATE TABLE local.gate.r USING iceberg PARTITIONED BY (days(x)) AS SELECT raise_error('it ran') AS x"
            )


@pytest.mark.tier("quick", of="gate")
class TestModes:
    def test_warn(self, spark, table):
        sis.install(spark, ddl="warn")
        try:
            statement = f"ALTER TABLE {table} ADD PARTITION FIELD bucket(8, name) AS name"
            with pytest.warns(IcebergSqlWarning, match="SIS304"):
                spark.sql(statement)
        finally:
            sis.install(spark)
        assert fields(spark, table) == ["bucket(4, id)", "bucket(8, name)"]

    def test_uninstall_puts_everything_back(self, spark, table):
        sis.uninstall(spark)
        try:
            # Another test may have left a checked session.
            assert (SparkSession.sql is intercept._PLAIN_SQL) is not requests.is_enforced()
            assert not {"sql", "newSession"} & set(vars(spark))
        finally:
            sis.install(spark)
        assert SparkSession.sql is not intercept._PLAIN_SQL

    @pytest.mark.parametrize(
        ("statement", "message"),
        [
            ("ALTER TABLE {} ADD PARTITION FIELD days(TS)", "Spark refused the statement: Cannot find field 'TS'"),
            ("ALTER TABLE {} ALTER COLUMN id TYPE STRING", "Cannot change column type: id: long -> string"),
            ("CREATE TABLE {}_2 (s STRING) USING iceberg PARTITIONED BY (days(s))", "Invalid source type string"),
            ("SELECT sum(id) + max(length(name)) FROM {}", "no filter prunes by `bucket(4, id)`"),
        ],
    )
    def test_off_checks_nothing_and_explains_errors(self, spark, table, statement, message):
        sis.install(spark, ddl="off")
        spark.conf.set("spark.iceberg_sql.require_filter", "true")
        try:
            spark.sql(f"INSERT INTO {table} VALUES (1, NULL, NULL, NULL)")
            with pytest.raises(sis.IcebergSqlError) as error:
                spark.sql(statement.format(table)).collect()
        finally:
            spark.conf.unset("spark.iceberg_sql.require_filter")
            sis.install(spark)
        assert message in str(error.value)
        assert "org.apache" not in str(error.value)

    def test_an_unknown_mode(self, spark):
        with pytest.raises(sis.IcebergSqlError, match="warn"):
            sis.install(spark, ddl="loud")

    def test_twice_is_harmless_and_new_sessions_are_gated(self, spark, table):
        sis.install(spark)
        other = sis.install(spark).newSession()
        with pytest.raises(sis.IcebergSqlError):
            other.sql(f"ALTER TABLE {table} ADD PARTITION FIELD weeks(ts)")

    def test_sql_without_installing(self, spark, table):
        sis.install(spark, ddl="off")
        try:
            with pytest.raises(sis.IcebergSqlError):
                sis.sql(spark, f"ALTER TABLE {table} ADD PARTITION FIELD weeks(ts)")
            sis.sql(spark, f"ALTER TABLE {table} ADD PARTITION FIELD months(ts)")
        finally:
            sis.install(spark)
        assert fields(spark, table) == ["bucket(4, id)", "months(ts)"]


@pytest.mark.tier("quick", of="gate")
class TestKnowsTheCatalog:
    def test_use_is_followed(self, spark, table):
        spark.sql("USE local.gate")
        with pytest.raises(sis.IcebergSqlError) as error:
            spark.sql("ALTER TABLE t ADD PARTITION FIELD days(nam)")
        assert codes(error) == ["SIS201"]
        assert "write `days(name)`" in str(error.value)

    def test_no_such_table(self, spark, table):
        with pytest.raises(sis.IcebergSqlError) as error:
            spark.sql("ALTER TABLE local.gate.nope ADD PARTITION FIELD days(ts)")
        assert codes(error) == ["SIS412"]

    def test_a_metadata_table(self, spark, table):
        with pytest.raises(sis.IcebergSqlError) as error:
            spark.sql(f"ALTER TABLE {table}.files ADD PARTITION FIELD days(ts)")
        assert codes(error) == ["SIS412"]

    def test_by_a_branchs_path_the_table_is_changed(self, spark, table):
        spark.sql(f"ALTER TABLE {table} CREATE BRANCH b1")
        statement = f"ALTER TABLE {table}.branch_b1 ADD PARTITION FIELD days(ts)"
        plan = sis.plan(spark, statement)
        with pytest.warns(IcebergSqlWarning, match="SIS412"):
            spark.sql(statement)
        assert fields(spark, table) == ["bucket(4, id)", "days(ts)"]
        assert [f.clause for f in plan.after.spec.fields] == ["bucket(4, id)", "days(ts)"]
        assert plan.table == ("local", "gate", "t")
        spark.sql(f"ALTER TABLE {table} DROP PARTITION FIELD ts_day")
        with pytest.raises(sis.IcebergSqlError) as error:
            spark.sql(f"ALTER TABLE {table}.branch_b1 ADD PARTITION FIELD bucket(8, id) AS ts_day")
        assert "SIS404" in codes(error)

    def test_a_temporary_view_of_the_tables_name(self, spark, table):
        spark.sql("USE local.gate")
        spark.sql("CREATE OR REPLACE TEMPORARY VIEW t AS SELECT 1 AS id")
        try:
            with pytest.warns(IcebergSqlWarning, match="temporary view"):
                spark.sql("ALTER TABLE t ADD PARTITION FIELD days(ts)")
            with pytest.raises(sis.IcebergSqlError) as error:
                spark.sql("ALTER TABLE t ADD PARTITION FIELD days(nope)")
            assert "SIS201" in codes(error)
        finally:
            spark.sql("DROP VIEW t")
        assert fields(spark, table) == ["bucket(4, id)", "days(ts)"]

    def test_a_temporary_view(self, spark, table):
        spark.sql("CREATE OR REPLACE TEMPORARY VIEW gate_view AS SELECT 1 AS id")
        with pytest.raises(sis.IcebergSqlError) as error:
            spark.sql("ALTER TABLE gate_view ADD PARTITION FIELD bucket(4, id)")
        assert codes(error) == ["SIS412"]

    def test_another_sessions_change_is_seen_at_once(self, spark, table):
        other = spark.newSession()
        other.sql(f"ALTER TABLE {table} ADD PARTITION FIELD days(ts)")
        with pytest.raises(sis.IcebergSqlError) as error:
            spark.sql(f"ALTER TABLE {table} ADD PARTITION FIELD days(ts)")
        assert codes(error) == ["SIS402"]

    def test_letter_case_follows_the_session(self, spark, table):
        with pytest.raises(sis.IcebergSqlError) as error:
            spark.sql(f"ALTER TABLE {table} ADD PARTITION FIELD days(TS)")
        assert codes(error) == ["SIS201"]
        assert "days(ts)" in str(error.value)

    def test_a_catalog_that_cannot_answer_is_a_note_and_sparks_own_error(self, spark):
        key = "spark.sql.catalog.dead"
        spark.conf.set(key, "org.apache.iceberg.spark.SparkCatalog")
        spark.conf.set(f"{key}.type", "rest")
        spark.conf.set(f"{key}.uri", "http://127.0.0.1:9/")
        spark.conf.set(f"{key}.rest.client.max-retries", "0")
        with warnings.catch_warnings(record=True) as caught_warnings:
            warnings.simplefilter("always")
            with pytest.raises(Exception) as error:
                spark.sql("ALTER TABLE dead.db.t ADD PARTITION FIELD days(ts)")
        assert "Traceback" not in str(error.value)
        assert any("SIS002" in str(w.message) for w in caught_warnings)
        with pytest.raises(Exception) as error:
            spark.sql("CREATE TABLE dead.db.t (id BIGINT) USING iceberg PARTITIONED BY (id)")
        assert "already exists" not in str(error.value)

    def test_a_current_catalog_that_cannot_start(self, spark, table):
        """A statement that names its catalog is still checked."""
        session = spark.newSession()
        session.conf.set("spark.sql.catalog.broken", "no.such.Catalog")
        session.conf.set("spark.sql.defaultCatalog", "broken")
        with pytest.raises(sis.IcebergSqlError) as error:
            session.sql(f"ALTER TABLE {table} ADD PARTITION FIELD days(name)")
        assert codes(error) == ["SIS202"]
        for statement in (
            "ALTER TABLE t ADD PARTITION FIELD days(ts)",
            "ALTER TABLE db.t ADD PARTITION FIELD days(ts)",
            "CREATE TABLE t (id BIGINT) USING iceberg PARTITIONED BY (id)",
        ):
            with warnings.catch_warnings(record=True) as caught_warnings:
                warnings.simplefilter("always")
                with pytest.raises(Exception) as failed:
                    session.sql(statement)
            assert any("did not answer" in str(w.message) for w in caught_warnings) or "CREATE" in statement
            assert "\n\tat " not in str(failed.value)
            assert "Traceback" not in str(failed.value)


class TestSparksOwnErrors:
    def test_a_catalog_that_is_not_there_or_does_not_answer(self, spark, table):
        """The true reason, and no remedy that asks for the session that it is in."""
        session = spark.newSession()
        for key, value in (
            ("", "org.apache.iceberg.spark.SparkCatalog"),
            *((".type", "rest"), (".uri", "http://127.0.0.1:9")),
        ):
            session.conf.set(f"spark.sql.catalog.dead{key}", value)
        with pytest.warns(IcebergSqlWarning) as caught_warnings, pytest.raises(Exception) as error:
            session.sql("ALTER TABLE dead.s.t ADD PARTITION FIELD days(ts)")
        assert str(error.value).startswith("the catalog `dead` did not answer: ")
        assert "run the statement again when it answers; nothing was changed" in str(error.value)
        assert "bug in Spark" not in str(error.value)
        assert "help: run the statement again when the catalog answers" in str(caught_warnings[0].message)
        for name in ("locl.s.t", "nowhere.a.b.t"):
            with pytest.raises(sis.IcebergSqlError, match="the session has no catalog") as error:
                session.sql(f"ALTER TABLE {name} ADD PARTITION FIELD days(ts)")
            assert ("did you mean `local`?" in str(error.value)) == name.startswith("locl")
            assert "CREATE TABLE" not in str(error.value)

    @pytest.mark.parametrize(
        "statement", ["CREATE TABLE wx2.t (id INT) USING iceberg", "CREATE TABLE t USING iceberg AS SELECT 1 AS id"]
    )
    def test_an_iceberg_table_outside_of_icebergs_catalogs(self, spark, statement):
        """Spark's own error is `path is not set`."""
        if SPARK_VERSION < (4, 0):
            pytest.skip("Spark 3.5 has other errors for it")
        session = spark.newSession()
        session.sql("USE spark_catalog.default")
        with pytest.raises(Exception, match="no catalog is named") as error:
            session.sql(statement)
        assert "would be in Spark's own, which has no Iceberg tables" in str(error.value)
        assert "help: write `local." in str(error.value)

    def test_a_lost_race_writes_nothing_twice(self, spark, tmp_path):
        """With Iceberg's own lock on the next version of `b`, no commit to it can win."""
        for key, value in (
            ("", "org.apache.iceberg.spark.SparkCatalog"),
            *((".type", "hadoop"), (".warehouse", str(tmp_path))),
        ):
            spark.conf.set(f"spark.sql.catalog.raced{key}", value)
        for name in "ab":
            spark.sql(
                f"CREATE TABLE raced.s.{name} (id INT) USING iceberg TBLPROPERTIES ('commit.retry.num-retries' = '0')"
            )
        locks = spark._jvm.org.apache.iceberg.util.LockManagers.defaultLockManager()
        waits = {"lock.acquire-timeout-ms": "50", "lock.acquire-interval-ms": "50"}
        locks.initialize(spark._jvm.java.util.HashMap(waits))
        locked = str(tmp_path / "s" / "b" / "metadata" / "v2.metadata.json")
        assert locks.acquire(locked, "another writer")
        not_written = "nothing was written"
        try:
            for text, message in {
                "INSERT INTO raced.s.b VALUES (1)": not_written,
                "ALTER TABLE raced.s.b ADD PARTITION FIELD bucket(4, id)": not_written,
                "FROM (SELECT 1) INSERT INTO raced.s.a SELECT * INSERT INTO raced.s.b SELECT *": "may have been",
                "BEGIN INSERT INTO raced.s.a VALUES (1); INSERT INTO raced.s.b VALUES (1); END": "may have been",
            }.items():
                if text.startswith("BEGIN") and "scripts" in versions.spark_minor(spark.version).limitations:
                    continue
                before = spark.table("raced.s.a").count()
                with pytest.raises(Exception, match=message):
                    spark.sql(text)
                assert spark.table("raced.s.a").count() - before == (message != not_written)
        finally:
            locks.release(locked, "another writer")
            locks.initialize(spark._jvm.java.util.HashMap())
        spark.sql("INSERT INTO raced.s.b VALUES (1)")

    def test_settings_that_mean_nothing(self, spark, table):
        text = f"ALTER TABLE {table} ADD PARTITION FIELD days(ts)"
        for name, value in (*(("timeout", value) for value in ("abc", "-1", "5s", "0", "")), ("unanswered", "maybe")):
            session = spark.newSession()
            session.conf.set(f"spark.iceberg_sql.gate.{name}", value)
            with pytest.raises(sis.IcebergSqlError, match=f"gate.{name} is `{value}`, n"):
                session.sql(text)
        assert fields(spark, table) == ["bucket(4, id)"]

    @pytest.mark.needs("parameters in CTAS")
    def test_remedies_are_for_a_session_and_the_error_is_first(self, spark, table):
        spark.sql("DECLARE OR REPLACE VARIABLE target = 'local.gate.computed'")
        with pytest.raises(sis.IcebergSqlError) as error:
            spark.sql("CREATE TABLE IDENTIFIER(target) (s STRING) USING iceberg PARTITIONED BY (days(s))")
        assert str(error.value).startswith("error[SIS202]")
        assert "SIS002" in str(error.value)
        for elsewhere in ("check it in a session", "Spark session", "run --var", "--ddl", "answers"):
            assert elsewhere not in str(error.value)

    def test_credentials_are_not_shown(self, spark, table):
        clauses = "USING iceberg TBLPROPERTIES ('password' = 'hunter2', 's3.secret-access-key'='x1y2z3', 'a'='b')"
        text = f"CREATE TABLE local.gate.k (s STRING) {clauses} PARTITIONED BY (days(s))"
        with pytest.raises(sis.IcebergSqlError) as error:
            spark.sql(text)
        frame = str(error.value).splitlines()
        line, caret = (row.partition("| ")[2] for row in (frame[3], frame[4]))
        assert line[caret.index("^") - 5 :] == "days(s))"
        assert "('password' = '***', 's3.secret-access-key'='***', 'a'='b')" in line
        plan = sis.plan(spark, text.replace("days(s)", "bucket(4, s)"))
        lax = spark.newSession()
        sis.install(lax, ddl="warn")
        with pytest.warns(IcebergSqlWarning) as caught_warnings, pytest.raises(Exception):  # noqa: B017
            lax.sql(text)
        sis.install(lax, ddl="off")
        outputs = (error.value, error.value.report, plan, plan._repr_html_(), caught_warnings[0].message)
        for secret in ("hunter2", "x1y2z3"):
            assert not any(secret in f"{output} {output!r}" for output in outputs)

    def test_a_parse_error_stays_sparks(self, spark):
        with pytest.raises(ParseException):
            spark.sql("CREATE OR REPLACE NONSENSE x")

    def test_an_analysis_error_stays_sparks(self, spark):
        with pytest.raises(AnalysisException):
            spark.sql("CREATE TABLE local.gate.x USING iceberg AS SELECT nope")


class TestRaces:
    def test_two_sessions_evolve_one_table(self, spark, table):
        """Each thread adds and drops its own field: in any order, no addition is lost."""
        sessions = [spark.newSession(), spark.newSession()]
        terms = [["days(ts)", "truncate(4, name)"], ["hours(ts)", "truncate(8, name)"]]
        start, failures = threading.Barrier(2), []

        def evolve(session, session_terms):
            try:
                start.wait()
                for term in session_terms:
                    session.sql(f"ALTER TABLE {table} ADD PARTITION FIELD {term}")
            except Exception as error:  # a failure in a thread fails the test
                failures.append(error)

        threads = [threading.Thread(target=evolve, args=pair) for pair in zip(sessions, terms, strict=True)]
        # Warning filters belong to the process, not to a thread: two threads that set them undo each other.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", IcebergSqlWarning)
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        assert failures == []
        clauses = fields(spark, table)
        assert clauses[0] == "bucket(4, id)"
        assert sorted(clauses[1:]) == sorted(["days(ts)", "hours(ts)", "truncate(4, name)", "truncate(8, name)"])


class TestFaultsOfOurs:
    def test_the_gate_warns_and_spark_has_the_last_word(self, spark, monkeypatch):
        def judge(case):
            raise RuntimeError("a bug")

        rules = {
            kind: tuple(replace(rule, check=judge) for rule in kind_rules)
            for kind, kind_rules in rule_runner._RULES.items()
        }
        monkeypatch.setattr(rule_runner, "_RULES", rules)
        with pytest.warns(IcebergSqlWarning, match="SIS000"):
            spark.sql("CREATE TABLE local.gate.fault (id BIGINT) USING iceberg")
        assert spark.catalog.tableExists("local.gate.fault")
        with pytest.warns(IcebergSqlWarning, match="SIS000"):
            sis.run(spark, "ALTER TABLE local.gate.fault ADD PARTITION FIELD id")
        with pytest.warns(IcebergSqlWarning, match="SIS000"), pytest.raises(AnalysisException):
            spark.sql("CREATE TABLE local.gate.fault (id BIGINT) USING iceberg")
        spark.sql("DROP TABLE local.gate.fault")


@pytest.mark.skipif(SPARK_VERSION < (4, 1), reason="Spark has these types since 4.1")
@pytest.mark.parametrize("kind", ["GEOMETRY(4326)", "GEOMETRY(0)", "GEOGRAPHY(4326)"])
def test_geometry_is_passed_to_spark(spark: SparkSession, kind: str) -> None:
    spark.sql("CREATE NAMESPACE IF NOT EXISTS local.geo")
    spark.conf.set("spark.sql.geospatial.enabled", "true")
    try:
        spark.sql(
            f"CREATE OR REPLACE TABLE local.geo.t (id INT, g {kind}) USING iceberg "
            "TBLPROPERTIES ('format-version' = '3')"
        )
        spark.sql(f"ALTER TABLE local.geo.t ADD COLUMN h {kind}")
        assert [row.data_type for row in spark.sql("DESCRIBE local.geo.t").collect()][1:3] == [kind.lower()] * 2
        with pytest.raises(sis.IcebergSqlError, match="SIS203"):
            spark.sql("ALTER TABLE local.geo.t ADD PARTITION FIELD bucket(4, g)")
    finally:
        spark.conf.unset("spark.sql.geospatial.enabled")
        spark.sql("DROP TABLE IF EXISTS local.geo.t")


def test_an_internal_error_of_spark_names_its_cause(spark: SparkSession) -> None:
    jvm = gateway.java_class
    try:
        jvm("java.util.Objects").requireNonNull(None)
    except Py4JJavaError as error:
        cause = error.java_exception
    internal = jvm("org.apache.spark.SparkException").internalError("Eagerly executed command failed.", cause)
    with pytest.raises(Py4JJavaError) as raised:
        jvm("scala.util.Failure")(internal).get()
    assert str(explain_errors.bare(raised.value)) == (
        "Spark failed with an internal error: NullPointerException in java.util.Objects.requireNonNull: "
        "NullPointerException"
    )


def test_a_procedure_that_refuses_is_one_sentence(spark, table):
    spark.sql(f"INSERT INTO {table} VALUES (1, 'a', now(), NULL)")
    with pytest.raises(IcebergSqlError, match=r"^Spark refused the statement: .*unknown snapshot id: 7$"):
        spark.sql(f"CALL local.system.rollback_to_snapshot('{table.removeprefix('local.')}', 7)")

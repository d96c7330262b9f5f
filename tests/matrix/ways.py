"""The axis of the ways in: what sends the statements."""

from __future__ import annotations

import getpass
import json
import re
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import store_parts

from matrix import programs
from matrix.parts import Bench, UnavailableError
from matrix.processes import FailedError, last_lines
from matrix.pythons import Python
from matrix.sparks import SPARKS

Answers = list[Mapping[str, object]]
Started = Callable[[str], None]
_PROGRAMS = Path(__file__).parent / "programs"
_SECONDS = 420  # for the statements of a cell, on a machine with much else to do
_SPARK_4 = (4, 0)
_PYHIVE = ("pyhive==0.7.0", "thrift>=0.16", "thrift_sasl", "pure-sasl", "setuptools<81")
_WITHOUT_CLIENT = "3.5"  # of which pip has no package with the client alone
_CLIENT_NEEDS = ("pandas<3", "pyarrow", "grpcio", "grpcio-status", "googleapis-common-protos", "setuptools<81")
_DBT = ("dbt-core==1.11.*", "dbt-spark==1.11.*", *_PYHIVE)
_ANSWER = '{"index"'
_EXTENSION = "sparkicebergsql.Extension"


@dataclass(frozen=True, slots=True)
class Way:
    """A way in. answers: what the statements answer.

    with_python: the session has this package's Python half. announces: it reports when a statement starts.
    """

    name: str
    title: str
    answers: Callable[[Bench, Python, Sequence[str], Started], Answers]
    with_python: bool = True
    announces: bool = False


def _in_process(bench: Bench, python: Python, statements: Sequence[str], started: Started) -> Answers:
    job = {"warehouse": str(bench.folder / "local"), "settings": bench.settings, **bench.job}
    program = str(_PROGRAMS / bench.program)
    command = [*bench.prefix, str(bench.python), program]
    if bench.submit:
        (bench.folder / "job.json").write_text(json.dumps({**job, "statements": list(statements)}), "utf-8")
        submit = [str(bench.home / "bin" / "spark-submit"), "--master", bench.master, *bench.submit]
        for key, value in bench.settings.items():
            submit += ["--conf", f"{key}={value}"]
        command = [*bench.prefix, *submit, program, str(bench.folder / "job.json")]
    return _program(command, job, statements, started, bench.environment, bench.folder)


def _connect(version: str) -> Callable[[Bench, Python, Sequence[str], Started], Answers]:
    def answers(bench: Bench, python: Python, statements: Sequence[str], started: Started) -> Answers:
        environment = {key: value for key, value in bench.environment.items() if key != "PYTHONPATH"}
        if version == _WITHOUT_CLIENT:
            client = python.environment(f"client-{version}", _CLIENT_NEEDS)
            environment["PYTHONPATH"] = str(SPARKS[version].packages())
        elif _number(bench) < _SPARK_4:
            raise UnavailableError("a Spark Connect server of Spark 3.5 takes no SQL from a newer client")
        else:
            client = python.environment(f"client-{version}", (f"pyspark-client=={version}.*", "setuptools<81"))
        port = _connect_server(bench)
        job = {"url": f"sc://127.0.0.1:{port}"}
        return _program(
            [str(client), str(_PROGRAMS / "connect.py")], job, statements, started, environment, bench.folder
        )

    return answers


def _connect_server(bench: Bench) -> int:
    if _number(bench) < _SPARK_4:
        jar = bench.once(("connect", bench.spark, bench.scala), lambda: _connect_jar(bench))
        bench.settings["spark.jars"] = ",".join(filter(None, (bench.settings.get("spark.jars"), str(jar))))
    return _server(bench, "connect-server")


def _connect_jar(bench: Bench) -> Path:
    """The server of Spark 3.5: of this patch version, or of the newest before it that Maven has."""
    minor, _, patch = bench.spark.rpartition(".")
    for number in range(int(patch), -1, -1):
        coordinate = ("org.apache.spark", f"spark-connect_{bench.scala}", f"{minor}.{number}")
        folder = f"tests/matrix/connect-{coordinate[2]}-{bench.scala}"
        if jars := store_parts.fetched(folder, (coordinate,), transitive=False):
            return jars[0]
    raise UnavailableError(f"the registry had no spark-connect_{bench.scala} for Spark {bench.spark}")


def _thrift_server(bench: Bench) -> int:
    bench.require_jar("spark-hive-thriftserver_")
    return _server(bench, "thrift-server")


def _server(bench: Bench, command: str) -> int:
    """The port of this package's server."""
    port = store_parts.free_port()
    command_line = [str(bench.python), "-W", "ignore", "-m", "spark_iceberg_sql", command, "--port", str(port)]
    command_line += ["--warehouse", str(bench.folder / "local")]
    for key, value in bench.settings.items():
        command_line += ["--conf", f"{key}={value}"]
    bench.processes.start(command, command_line, port, seconds=120, env=bench.environment, cwd=bench.folder)
    return port


def _connect_jvm(bench: Bench, python: Python, statements: Sequence[str], started: Started) -> Answers:
    clients = list((bench.home / "jars" / "connect-repl").glob("spark-connect-client-jvm_*.jar"))
    if not clients:
        raise UnavailableError(f"Spark {bench.spark} comes without Spark Connect's client for the JVM")
    port = _connect_server(bench)
    without = ("spark-sql_", "spark-catalyst_", "spark-connect_", "spark-hive", "hive-", "spark-mllib")
    jars = [jar for jar in (bench.home / "jars").glob("*.jar") if not jar.name.startswith(without)]
    opens = ["--add-opens=java.base/java.nio=ALL-UNNAMED", "-Dio.netty.tryReflectionSetAccessible=true"]
    class_path = ":".join(map(str, (*clients, *jars, programs.compiled(bench))))
    command = [bench.java, "-Xmx300m", *opens, "-cp", class_path, "Statements"]
    return _java_program(bench, command, statements, (f"sc://127.0.0.1:{port}",))


def _jar(bench: Bench, python: Python, statements: Sequence[str], started: Started) -> Answers:
    jars = ",".join(filter(None, (str(bench.runtime), str(extension_jar(bench)), bench.settings.get("spark.jars"))))
    command = [str(bench.home / "bin" / "spark-submit"), "--class", "Statements", "--master", bench.master]
    command += ["--deploy-mode", bench.deploy_mode, "--jars", jars]
    settings = {**bench.settings, "spark.standalone.submit.waitAppCompletion": "true"}
    for key, value in settings.items():
        if key not in ("spark.jars", "spark.master"):
            command += ["--conf", f"{key}={value}"]
    return _java_program(bench, [*command, str(programs.compiled(bench))], statements, ())


def extension_jar(bench: Bench) -> Path:
    """The jar that `iceberg-sql jar` writes for a cell's Spark and Iceberg."""
    jar: Path = bench.once(("jar", bench.spark, bench.scala, bench.iceberg), lambda: _written_jar(bench))
    return jar


def _written_jar(bench: Bench) -> Path:
    target = bench.shared.folder / f"spark-iceberg-sql-{bench.spark}-{bench.scala}-{bench.iceberg}.jar"
    target.parent.mkdir(parents=True, exist_ok=True)
    command = [str(bench.python), "-W", "ignore", "-m", "spark_iceberg_sql", "jar", str(target)]
    done = subprocess.run(
        command, env=bench.environment, cwd=bench.folder, capture_output=True, text=True, timeout=120, check=False
    )
    if done.returncode:
        raise FailedError(f"iceberg-sql jar: {last_lines(done.stdout + done.stderr)}")
    return target


def _beeline(bench: Bench, python: Python, statements: Sequence[str], started: Started) -> Answers:
    port = _thrift_server(bench)
    script = bench.folder / "statements.sql"
    script.write_text("".join(f"SELECT '@@{n}';\n{text};\n" for n, text in enumerate(statements)), "utf-8")
    done = subprocess.run(
        [
            *(bench.java, "-Xmx200m", "-cp", f"{bench.home / 'jars'}/*", "org.apache.hive.beeline.BeeLine"),
            *("-u", f"jdbc:hive2://127.0.0.1:{port}", "--force=true", "--silent=true", "--outputformat=tsv2"),
            # The server acts for its client, whom HDFS allows to write as this user alone.
            *("--showHeader=false", "-n", getpass.getuser(), "-f", str(script)),
        ],
        cwd=bench.folder, env=bench.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True, timeout=_SECONDS, check=False,
    )  # fmt: skip
    texts = dict(re.findall(r"^@@(\d+)$\n(.*?)(?=^@@\d+$|\Z)", done.stdout, re.MULTILINE | re.DOTALL))
    if len(texts) != len(statements):
        raise FailedError(f"beeline: {' / '.join(done.stdout.split(chr(10))[:12])}")
    return [_beeline_answer(texts[str(n)]) for n in range(len(statements))]


def _beeline_answer(text: str) -> Mapping[str, object]:
    if re.search(r"^Error: ", text, re.MULTILINE):
        return {"error": text.partition("Error: ")[2]}
    return {"rows": [line.split("\t") for line in text.splitlines() if line]}


def _pyhive(bench: Bench, python: Python, statements: Sequence[str], started: Started) -> Answers:
    client = python.environment("pyhive", _PYHIVE)
    port = _thrift_server(bench)
    command = [str(client), "-W", "ignore", str(_PROGRAMS / "pyhive_client.py")]
    environment = {key: value for key, value in bench.environment.items() if key != "PYTHONPATH"}
    return _program(command, {"port": port}, statements, started, environment, bench.folder)


def _dbt_thrift(bench: Bench, python: Python, statements: Sequence[str], started: Started) -> Answers:
    client = python.environment("dbt", _DBT)
    profile = {"type": "spark", "method": "thrift", "schema": "m", "host": "127.0.0.1", "user": getpass.getuser()}
    environment = {key: value for key, value in bench.environment.items() if key != "PYTHONPATH"}
    return _dbt(bench, client, {**profile, "port": _thrift_server(bench)}, environment, statements, started)


def _dbt_session(bench: Bench, python: Python, statements: Sequence[str], started: Started) -> Answers:
    """dbt starts the session, so all that it has is in the settings: the two jars, and the extensions."""
    client = python.environment("dbt", _DBT)
    jars = ",".join(filter(None, (str(bench.runtime), str(extension_jar(bench)), bench.settings.get("spark.jars"))))
    folder = bench.folder / "conf"
    folder.mkdir()
    settings = {**bench.settings, "spark.jars": jars}
    if _number(bench) < _SPARK_4:  # whose sessions in Python load no extension that is not named
        settings["spark.sql.extensions"] += f",{_EXTENSION}"
    lines = "".join(f"{key} {value}\n" for key, value in settings.items())
    (folder / "spark-defaults.conf").write_text(lines, "utf-8")
    profile = {"type": "spark", "method": "session", "schema": "m", "host": "NA"}
    environment = bench.environment | {"SPARK_CONF_DIR": str(folder), "PYTHONPATH": str(bench.python_path[0])}
    return _dbt(bench, client, profile, environment, statements, started)


def _dbt(
    bench: Bench,
    client: Path,
    profile: Mapping[str, Any],
    environment: Mapping[str, str],
    statements: Sequence[str],
    started: Started,
) -> Answers:
    job = {"profile": profile, "folder": str(bench.folder / "dbt")}
    command = [str(client), "-W", "ignore", str(_PROGRAMS / "client_of_dbt.py")]
    return _program(command, job, statements, started, environment, bench.folder)


def _program(
    command: Sequence[str],
    job: Mapping[str, Any],
    statements: Sequence[str],
    started: Started,
    environment: Mapping[str, str],
    folder: Path,
) -> Answers:
    """The answers of a program of the folder `programs`; fewer than statements if it ended too early."""
    log = folder / "client.log"
    with log.open("w") as errors:
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True,
            env=dict(environment), cwd=folder,
        )  # fmt: skip
    timer = threading.Timer(_SECONDS, process.kill)
    timer.start()
    try:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps({**job, "statements": list(statements)}) + "\n")
        process.stdin.close()
        answers = []
        for line in process.stdout:
            if not line.startswith(_ANSWER):  # spark-submit's output is that of all its processes
                continue
            answer = json.loads(line)
            if "rows" in answer or "error" in answer:
                answers.append(answer)
            else:
                started(statements[answer["index"]])
        process.wait()
    finally:
        timer.cancel()
    if not answers:
        raise FailedError(last_lines(log.read_text("utf-8", "replace")))
    return answers


def _java_program(bench: Bench, command: list[str], statements: Sequence[str], more: tuple[str, ...]) -> Answers:
    source, target = bench.folder / "statements.json", bench.folder / "answers.jsonl"
    source.write_text(json.dumps(list(statements)), "utf-8")
    log = bench.folder / "client.log"
    with log.open("w") as output:
        process = subprocess.Popen(
            [*command, str(source), str(target), *more],
            cwd=bench.folder, env=bench.environment, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
        )  # fmt: skip
    try:
        process.wait(_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    lines = target.read_text("utf-8").splitlines() if target.is_file() else []
    answers = [answer for answer in map(json.loads, lines) if "rows" in answer or "error" in answer]
    if not answers:
        raise FailedError(f"no answer: {last_lines(log.read_text('utf-8', 'replace'))}")
    return answers


def _number(bench: Bench) -> tuple[int, ...]:
    return tuple(int(part) for part in bench.spark.split(".")[:2])


WAYS = {
    way.name: way
    for way in (
        Way("python", "session in Python", _in_process, announces=True),
        Way("connect-4.1", "Spark Connect, client 4.1", _connect("4.1"), announces=True),
        Way("connect-4.0", "Spark Connect, client 4.0", _connect("4.0"), announces=True),
        Way("connect-3.5", "Spark Connect, client 3.5", _connect("3.5"), announces=True),
        Way("connect-jvm", "Spark Connect, client for the JVM", _connect_jvm),
        Way("beeline", "JDBC, beeline", _beeline),
        Way("pyhive", "Thrift, PyHive", _pyhive, announces=True),
        Way("dbt-thrift", "dbt, method thrift", _dbt_thrift),
        Way("dbt-session", "dbt, method session, with the jar alone", _dbt_session, with_python=False),
        Way("jar", "the jar alone, spark-submit", _jar, with_python=False),
    )
}

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

Answers = list[Mapping[str, object]]
Started = Callable[[str], None]
_PROGRAMS = Path(__file__).parent / "programs"
_SECONDS = 420  # for the statements of a cell, on a machine with much else to do
_SPARK_4 = (4, 0)


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
    job = {"warehouse": str(bench.folder / "local"), "settings": bench.settings}
    command = [str(bench.python), str(_PROGRAMS / "in_process.py")]
    return _program(command, job, statements, started, bench.environment, bench.folder)


def _connect(version: str) -> Callable[[Bench, Python, Sequence[str], Started], Answers]:
    def answers(bench: Bench, python: Python, statements: Sequence[str], started: Started) -> Answers:
        client = python.environment(f"client-{version}", (f"pyspark-client=={version}.*", "setuptools<81"))
        port = _connect_server(bench)
        environment = {key: value for key, value in bench.environment.items() if key != "PYTHONPATH"}
        job = {"url": f"sc://127.0.0.1:{port}"}
        return _program(
            [str(client), str(_PROGRAMS / "connect.py")], job, statements, started, environment, bench.folder
        )

    return answers


def _connect_server(bench: Bench) -> int:
    if _number(bench) < _SPARK_4:
        jar = store_parts.fetched(
            f"tests/matrix/connect-{bench.spark}-{bench.scala}",
            (("org.apache.spark", f"spark-connect_{bench.scala}", bench.spark),),
            transitive=False,
        )
        if not jar:
            raise UnavailableError(f"org.apache.spark:spark-connect_{bench.scala}:{bench.spark} is not in Maven")
        bench.settings["spark.jars"] = ",".join(filter(None, (bench.settings.get("spark.jars"), str(jar[0]))))
    return _server(bench, "connect-server")


def _thrift_server(bench: Bench) -> int:
    bench.require_jar("spark-hive-thriftserver_")
    return _server(bench, "thrift-server")


def _server(bench: Bench, command: str) -> int:
    """The port of this package's server."""
    port = store_parts.free_port()
    words = [str(bench.python), "-W", "ignore", "-m", "spark_iceberg_sql", command, "--port", str(port)]
    words += ["--warehouse", str(bench.folder / "local")]
    for key, value in bench.settings.items():
        words += ["--conf", f"{key}={value}"]
    bench.processes.start(command, words, port, seconds=120, env=bench.environment, cwd=bench.folder)
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
    extension = bench.once(("jar", bench.spark, bench.scala), lambda: _written_jar(bench))
    jars = ",".join(filter(None, (str(bench.runtime), str(extension), bench.settings.get("spark.jars"))))
    command = [str(bench.home / "bin" / "spark-submit"), "--class", "Statements", "--master", bench.master]
    command += ["--deploy-mode", bench.deploy_mode, "--jars", jars]
    settings = {**bench.settings, "spark.standalone.submit.waitAppCompletion": "true"}
    for key, value in settings.items():
        if key not in ("spark.jars", "spark.master"):
            command += ["--conf", f"{key}={value}"]
    return _java_program(bench, [*command, str(programs.compiled(bench))], statements, ())


def _written_jar(bench: Bench) -> Path:
    target = bench.shared.folder / f"spark-iceberg-sql-{bench.spark}-{bench.scala}.jar"
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
    packages = ("pyhive==0.7.0", "thrift>=0.16", "thrift_sasl", "pure-sasl")
    client = python.environment("pyhive", packages)
    port = _thrift_server(bench)
    command = [str(client), "-W", "ignore", str(_PROGRAMS / "pyhive_client.py")]
    environment = {key: value for key, value in bench.environment.items() if key != "PYTHONPATH"}
    return _program(command, {"port": port}, statements, started, environment, bench.folder)


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
        Way("connect-jvm", "Spark Connect, client for the JVM", _connect_jvm),
        Way("beeline", "JDBC, beeline", _beeline),
        Way("pyhive", "Thrift, PyHive", _pyhive, announces=True),
        Way("jar", "the jar alone, spark-submit", _jar, with_python=False),
    )
}

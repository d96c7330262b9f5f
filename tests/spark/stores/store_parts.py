"""Parts of this folder's fixtures: jars and servers, and the Spark process that the tests use."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyspark
import pytest

from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.files.user_cache import cache_directory
from spark_iceberg_sql.spark.runtime_jar import runtime_jar
from spark_iceberg_sql.spark.versions import Runtime, runtime, spark_minor

HERE = Path(__file__).parent

AWS_SHA256 = {  # by Iceberg's version
    "1.12.0": "dd7e49ffa4ac9b215bed846581991259e3aec9bb2fa08d6cec029c46cd66d957",
    "1.11.0": "38f01da7e96850cdd05e6616d758b77b43314b712a8808e3f9a824d56976162f",
}
ICEBERG = runtime(pyspark.__version__).version
AWS = Runtime("org.apache.iceberg", "iceberg-aws-bundle", ICEBERG, AWS_SHA256[ICEBERG])
AZURE = (  # the versions of com.azure:azure-sdk-bom:1.3.2
    ("com.azure", "azure-storage-file-datalake", "12.25.0"),
    ("com.azure", "azure-identity", "1.18.1"),
)
SQLITE = Runtime(
    "org.xerial", "sqlite-jdbc", "3.54.1.0", "f8dce420a6016278497f4f0560f65602b9db858de141b541cf91a4644ebe4639"
)
# For Spark 3.5, whose Netty is older than the one that Azure's SDK uses otherwise.
AZURE_OVER_JDK = (("com.azure", "azure-core-http-jdk-httpclient", "1.0.4"),)
HADOOP_VERSION = "3.4.2"  # of the newest Spark
HADOOP = (  # MiniHadoopClusterManager wants junit, and nothing brings it
    ("org.apache.hadoop", "hadoop-client-minicluster", HADOOP_VERSION),
    ("junit", "junit", "4.13.2"),
)
AZURITE = "azurite@3.35.0"


class SqlFailed(Exception):  # noqa: N818
    """The other process's statement failed: its message, its class, how long it took."""

    def __init__(self, answer: dict[str, Any]) -> None:
        super().__init__(answer["error"])
        self.kind: str = answer["class"]
        self.seconds: float = answer["seconds"]


class Remote:
    """The Spark process."""

    def __init__(self, settings: dict[str, str]) -> None:
        # Glue's client takes its keys from the environment, S3's from the call or the catalog.
        environment = {**os.environ, "AWS_EC2_METADATA_DISABLED": "true"}
        environment |= {"AWS_ACCESS_KEY_ID": "glue", "AWS_SECRET_ACCESS_KEY": "glue"}
        environment.pop("AWS_PROFILE", None)
        self.process = subprocess.Popen(
            [sys.executable, str(HERE / "worker.py")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=environment,
        )
        self._ask(settings)

    def _ask(self, task: dict[str, Any]) -> dict[str, Any]:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(task) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError("the Spark process has ended")
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise SqlFailed(answer)
        return answer

    def sql(self, text: str, **conf: str) -> list[list[Any]]:
        """The rows of a statement, run with the settings `conf`."""
        rows: list[list[Any]] = self._ask({"sql": text, "conf": conf})["rows"]
        return rows

    def conf(self, settings: dict[str, str]) -> None:
        self._ask({"conf": settings})

    def call(self, module: str, name: str, *args: Any, **kwargs: Any) -> Any:
        """Call a function of the package in the Spark process, with the session as its first argument."""
        task = {"module": module, "call": name, "args": list(args), "kwargs": kwargs}
        return self._ask(task)["rows"][0][0]

    def close(self) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        self.process.stdout.close()
        end(self.process)


def jar(coordinate: Runtime) -> Path:
    """A jar from Maven, kept in the cache; skips the test if it cannot be downloaded."""
    jar_path = os.environ.pop("SPARK_ICEBERG_SQL_JAR", None)
    try:
        return runtime_jar(coordinate)
    except IcebergSqlError as error:
        pytest.skip(f"needs {coordinate.coordinate}: {str(error).splitlines()[0]}")
    finally:
        if jar_path is not None:
            os.environ["SPARK_ICEBERG_SQL_JAR"] = jar_path


def fetched(name: str, coordinates: tuple[tuple[str, str, str], ...], *, transitive: bool) -> list[Path]:
    """Jars from Maven, kept in a folder of the cache; empty if they cannot be downloaded."""
    folder = cache_directory() / name
    for coordinate in coordinates:
        ivy_arguments = ["-dependency", *coordinate, *([] if transitive else ["-notransitive"])]
        if not retrieved(folder, f"{coordinate[1]}-{coordinate[2]}", ivy_arguments):
            return []
    spark_s_own = ("slf4j", "jackson-", "log4j", "scala-")
    suffixes = ("-sources.jar", "-javadoc.jar")
    return sorted(
        file
        for file in folder.glob("*.jar")
        if not file.name.startswith(spark_s_own) and not file.name.endswith(suffixes)
    )


def rest_jars() -> list[Path]:
    """The class path of RestServer.java, with Hadoop's file system from Spark; empty if it cannot be downloaded."""
    folder = cache_directory() / "iceberg-rest-1.11.0"
    if not retrieved(folder, "iceberg-core-1.11.0-tests", ["-ivy", str(HERE / "rest" / "ivy.xml")]):
        return []
    spark = Path(pyspark.__file__).parent / "jars"
    hadoop = [*spark.glob("hadoop-client-*.jar"), *spark.glob("commons-logging-*.jar")]
    return [*folder.glob("*.jar"), *hadoop]


def retrieved(folder: Path, jar: str, ivy_arguments: list[str], seconds: int = 240) -> bool:
    """Whether the jar is in the folder, after Ivy has fetched it with its dependencies."""
    done = folder / f"{jar}.done"
    if done.exists():
        return True
    folder.mkdir(parents=True, exist_ok=True)
    ivy = max((Path(pyspark.__file__).parent / "jars").glob("ivy-*.jar"))
    command = ["java", "-Xmx256m", "-jar", str(ivy), "-error", "-cache", f"{folder}/cache", *ivy_arguments]
    command += ["-confs", "default", "-retrieve"]
    command.append(f"{folder}/[artifact]-[revision](-[classifier]).[ext]")
    subprocess.run(command, capture_output=True, timeout=seconds, check=False)
    if not (folder / f"{jar}.jar").is_file():
        return False
    done.touch()
    return True


def azure_jars() -> list[Path]:
    jars = fetched("azure-sdk-1.3.2", AZURE, transitive=True)
    if spark_minor(pyspark.__version__).number >= (4, 0):
        return jars
    jdk = fetched("azure-sdk-jdk", AZURE_OVER_JDK, transitive=False)
    return [*jdk, *(jar for jar in jars if "netty" not in jar.name)] if jdk else []


def free_port() -> int:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return int(listening.getsockname()[1])


def end(process: subprocess.Popen[Any]) -> None:
    try:
        process.wait(15)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


@dataclass(frozen=True)
class S3:
    """moto, with a bucket `lake` and a Glue catalog `glue` over it; table `glue.db.t` has two rows."""

    endpoint: str
    table: str

    @property
    def keys(self) -> str:
        return "'sentinelkey', 'sentinelsecret'"

    @property
    def settings(self) -> dict[str, str]:
        """Of a named collection."""
        keys = {"access_key_id": "sentinelkey", "secret_access_key": "sentinelsecret"}
        return {**keys, "endpoint": self.endpoint}


def client(endpoint: str) -> Any:
    """boto3's S3 client, which comes with moto."""
    import boto3

    return boto3.client(
        "s3",
        endpoint_url=endpoint,
        region_name="us-east-1",
        aws_access_key_id="sentinelkey",
        aws_secret_access_key="sentinelsecret",
    )

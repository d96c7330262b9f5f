"""The commands of the stores and catalogs that are servers on 127.0.0.1, for the tests and for tests/matrix."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pyspark
import pytest
from store_parts import AZURITE, HADOOP, HERE, SQLITE, fetched, jar, rest_jars

from spark_iceberg_sql.files.user_cache import cache_directory

# These processes run for seconds: one JIT tier, and no collector with its own threads.
QUICK = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
AZURE_KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="


def moto(port: int) -> list[str]:
    """S3 and Glue. It writes recordings to its working directory, and wants MOTO_PORT in its environment."""
    pytest.importorskip("moto", reason="needs moto[server,s3,glue]")
    pytest.importorskip("flask", reason="needs moto[server,s3,glue]")
    return [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]


def name_node(port: int, http_port: int, details: Path) -> list[str]:
    """A one-node HDFS; empty if its jars cannot be had. details: a file that it writes when it has started."""
    cluster = fetched("hadoop-minicluster-3.4.2", HADOOP, transitive=False)
    if not cluster:
        return []
    spark_jars = Path(pyspark.__file__).parent / "jars"
    main = "org.apache.hadoop.mapreduce.MiniHadoopClusterManager"
    return [
        shutil.which("java") or "java", "-Xmx512m", *QUICK,
        "-cp", ":".join([*map(str, cluster), f"{spark_jars}/*"]),
        main, "-nomr", "-format", "-nnport", str(port), "-nnhttpport", str(http_port), "-datanodes", "1",
        "-writeDetails", str(details),
    ]  # fmt: skip


def azurite(port: int, data: Path) -> list[str]:
    """Azure's blob store."""
    npm = shutil.which("npm")
    if npm is None or shutil.which("node") is None:
        pytest.skip("needs node and npm")
    home = cache_directory() / "azurite"
    program = home / "node_modules" / ".bin" / "azurite-blob"
    if not program.exists():
        home.mkdir(parents=True, exist_ok=True)
        done = subprocess.run(
            [npm, "install", "--no-audit", "--no-fund", "--prefix", str(home), AZURITE],
            capture_output=True,
            timeout=240,
            check=False,
        )
        if done.returncode:
            pytest.skip(f"needs {AZURITE} from npm")
    return [
        str(program), "--blobHost", "127.0.0.1", "--blobPort", str(port), "--location", str(data),
        "--skipApiVersionCheck", "--loose", "--disableTelemetry", "--silent",
    ]  # fmt: skip


def rest_catalog(
    port: int, warehouse: str, database: Path, settings: dict[str, str] | None = None, jars: tuple[Path, ...] = ()
) -> list[str]:
    """Iceberg's own REST catalog. database: the folder of its SQLite file. settings, jars: of the tables' store."""
    classes = rest_jars()
    if not classes:
        pytest.skip("needs org.apache.iceberg:iceberg-core:1.11.0:tests and Jetty")
    source = HERE / "rest" / "RestServer.java"
    # Iceberg's tests have classes of Hadoop's s3a, too: they come last.
    class_path = ":".join(map(str, [*jars, *classes, jar(SQLITE)]))
    command = [shutil.which("java") or "java", "-Xmx256m", *QUICK, "-cp", class_path, str(source)]
    options = [f"{key}={value}" for key, value in (settings or {}).items()]
    return [*command, str(port), warehouse, str(database), *options]

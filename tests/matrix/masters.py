"""The axis of masters: Spark's local mode, and a standalone cluster of this machine."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import store_parts

from matrix.parts import Bench
from matrix.promises import LOSS

_TWO = {"spark.cores.max": "2"}  # executors
_EXECUTOR_FIRST = {**_TWO, "spark.executor.userClassPathFirst": "true"}
_BOTH_FIRST = {**_EXECUTOR_FIRST, "spark.driver.userClassPathFirst": "true"}
_SECONDS_BEFORE_LOSS = 4  # the query is in its first stage then


class LocalMode:
    """Driver and executor in one process."""

    url = "local[2]"
    settings: Mapping[str, str] = {}

    def statement_started(self, text: str) -> None:
        """Called when a statement starts."""

    def fault(self) -> str | None:
        """What is wrong with the cluster after the statements."""
        return None


class LocalCluster(LocalMode):
    """Executors in processes of their own, which the driver starts."""

    url = "local-cluster[2,1,800]"
    settings: Mapping[str, str] = {"spark.executor.memory": "600m"}


class Cluster(LocalMode):
    """A master and workers. workers: how many at the start. settings: of the application."""

    def __init__(self, bench: Bench, workers: int, settings: Mapping[str, str]) -> None:
        self.bench = bench
        port = store_parts.free_port()
        options = ["--host", "127.0.0.1", "--port", str(port), "--webui-port", str(store_parts.free_port())]
        self._start("master.Master", options, port)
        self.url = f"spark://127.0.0.1:{port}"
        self.workers = [self.add_worker() for _ in range(workers)]
        self.settings = {
            "spark.executor.memory": "600m",
            "spark.executor.cores": "1",
            "spark.executor.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
            **settings,
        }

    def add_worker(self) -> subprocess.Popen[bytes]:
        """A worker that joins now."""
        folder = self.bench.folder / f"worker-{time.monotonic_ns()}"
        port = store_parts.free_port()
        options = ["--host", "127.0.0.1", "--port", str(port), "--webui-port", str(store_parts.free_port())]
        options += ["--cores", "2", "--memory", "1600M", "--work-dir", str(folder), self.url]
        self.newest_folder = folder
        return self._start("worker.Worker", options, port)

    def _start(self, name: str, options: list[str], port: int) -> subprocess.Popen[bytes]:
        command = [str(self.bench.home / "bin" / "spark-class"), f"org.apache.spark.deploy.{name}", *options]
        environment = {**self.bench.environment, "SPARK_DAEMON_MEMORY": "200m"}
        environment["SPARK_DAEMON_JAVA_OPTS"] = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
        return self.bench.processes.start(name, command, port, env=environment, cwd=self.bench.folder)


class LossyCluster(Cluster):
    """Its only worker's executors are killed in the middle of a query, and then another worker joins."""

    def __init__(self, bench: Bench) -> None:
        super().__init__(bench, 1, {})
        self._killed = 0
        self._disturbance: threading.Thread | None = None

    def statement_started(self, text: str) -> None:
        """Begin to disturb the one long statement."""
        if LOSS in text:
            self._disturbance = threading.Thread(target=self._disturb)
            self._disturbance.start()

    def _disturb(self) -> None:
        time.sleep(_SECONDS_BEFORE_LOSS)
        for executor in _children(self.workers[0].pid):
            os.kill(executor, signal.SIGKILL)
            self._killed += 1
        self.add_worker()

    def fault(self) -> str | None:
        """Whether an executor was killed, and the late worker has had one."""
        if self._disturbance is None:
            return "the query of the loss has not started"
        self._disturbance.join()
        if not self._killed:
            return "no executor was there to be killed"
        if not any(self.newest_folder.glob("app-*/*/stderr")):
            return "the worker that joined late has had no executor"
        return None


def _children(parent: int) -> list[int]:
    """The processes that a process has started."""
    children = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            after_name = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:  # it has ended
            continue
        if int(after_name[1]) == parent:
            children.append(int(folder.name))
    return children


@dataclass(frozen=True, slots=True)
class Master:
    """A master. start: returns its cluster. deploy_mode: of spark-submit. heavy: long queries are run on it, too."""

    name: str
    title: str
    start: Callable[[Bench], LocalMode] = field(default=lambda bench: LocalMode())
    deploy_mode: str = "client"
    heavy: bool = False


MASTERS = {
    master.name: master
    for master in (
        Master("local", "local mode"),
        Master("local-cluster", "`local-cluster`", lambda bench: LocalCluster()),
        Master("standalone", "standalone cluster", lambda bench: Cluster(bench, 2, _TWO)),
        Master("first", "standalone, userClassPathFirst", lambda bench: Cluster(bench, 2, _EXECUTOR_FIRST)),
        Master("both-first", "standalone, userClassPathFirst of the driver, too", lambda b: Cluster(b, 2, _BOTH_FIRST)),
        Master("deploy", "standalone, `--deploy-mode cluster`", lambda b: Cluster(b, 2, _TWO), deploy_mode="cluster"),
        Master("loss", "standalone, an executor is killed, a worker joins late", LossyCluster, heavy=True),
    )
}

"""Spark Connect as a way in: the same texts through a client of this package's server, in a process of its own."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from types import TracebackType

from pyspark.errors import PySparkException

import spark_iceberg_sql as sis
from adversary.harness import PLAIN, Harness
from adversary.truth.trials import Rows
from adversary.truth.twin import UNFILTERED

HERE = Path(__file__).parent
# A client's session has its own copy of a cached table, which other sessions change.
UNCACHED = {"spark.sql.catalog.local.cache-enabled": "false"}
_VIEW = re.compile(r"\btwin\d+\b")


class Client:
    """Runs queries in a client's session, with the settings of the session here; views of copies are its files."""

    def __init__(self, harness: Harness, python: Path, settings: tuple[str, ...]) -> None:
        """python: an interpreter with pyspark-client. settings: what this session may change."""
        self.harness = harness
        self.settings = tuple(dict.fromkeys((*PLAIN, *UNFILTERED, *settings)))
        self.folder: Path | None = None  # of the copies
        self.server = sis.connect_server(harness.spark, port=0)
        harness.switches = False
        command = [str(python), str(HERE / "connect_script.py"), self.server.url]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self._line() == "ready"

    def _line(self) -> str:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, "the client has ended"
        return line.strip()

    def __call__(self, text: str) -> Rows:
        assert self.process.stdin is not None
        assert self.folder is not None
        folder = self.folder
        settings = {key: self.harness.spark.conf.get(key, None) for key in self.settings}
        remote_text = _VIEW.sub(lambda view: f"parquet.`{folder / view[0]}.parquet`", text)
        self.process.stdin.write(json.dumps({"settings": settings, "text": remote_text}) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self._line())
        if "error" in answer:
            raise PySparkException(answer["error"])
        return [tuple(row) for row in answer["rows"]]

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
        self.server.stop()
        self.harness.switches = True


def interpreter() -> Path:
    """That of the tests of Connect."""
    sys.path.insert(0, str(HERE.parents[1] / "spark"))
    import connect_client

    return connect_client.python()

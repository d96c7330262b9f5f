"""Servers on 127.0.0.1, each a process that is ended with the cell or the run that started it."""

from __future__ import annotations

import socket
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any


class FailedError(Exception):
    """A process did not do what it was started for: what it printed last."""


class Processes:
    """Processes that end together, in the order opposite to that of their start."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._started: list[subprocess.Popen[bytes]] = []

    def __enter__(self) -> Processes:
        return self

    def __exit__(
        self, error_type: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for process in reversed(self._started):
            process.terminate()
        for process in reversed(self._started):
            _end(process)
        self._started.clear()

    def start(
        self, name: str, command: Sequence[str], port: int, *, seconds: float = 90, **options: Any
    ) -> subprocess.Popen[bytes]:
        """Start a server and wait until its port answers. Raises FailedError with the end of its output."""
        self.folder.mkdir(parents=True, exist_ok=True)
        log = self.folder / f"{name}-{len(self._started)}.log"
        with log.open("wb") as output:
            process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, **options
            )
        self._started.append(process)
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline and process.poll() is None:
            if answers(port):
                return process
            time.sleep(0.1)
        raise FailedError(f"{name} did not start: {last_lines(log.read_text('utf-8', 'replace'))}")


def _end(process: subprocess.Popen[bytes]) -> None:
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def answers(port: int) -> bool:
    """Whether something listens on a port of 127.0.0.1."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def last_lines(text: str, size: int = 600) -> str:
    """The end of a process' output, on one line."""
    return " / ".join(line for line in text[-size:].splitlines() if line.strip())

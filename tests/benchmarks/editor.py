"""How long an editor waits for the language server: a real server process, a script of 5,000 lines.

python tests/benchmarks/editor.py [LINES]

The first two figures are from sending the message to receiving the answer, in milliseconds, of a client that only
waits. The third is the processor time that the server needs for it, which other load does not change much (on Linux);
the last compares it with a check of the whole text in this process, in the same run.
"""

from __future__ import annotations

import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from checker import script

from spark_iceberg_sql.checker.engine import check

KEYSTROKES = 40


class Server:
    """A server process, driven as an editor would drive it."""

    def __init__(self, root: Path) -> None:
        command = [sys.executable, "-m", "spark_iceberg_sql", "server"]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=root)
        self.uri = (root / "a.sql").as_uri()
        self.version = 0
        self.number = 0
        self.publications = 0

    def send(self, method: str, params: Any, **more: Any) -> None:
        body = json.dumps({"jsonrpc": "2.0", "method": method, "params": params, **more}).encode()
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.process.stdin.flush()

    def receive(self) -> Any:
        stream = self.process.stdout
        assert stream is not None
        length = 0
        while (line := stream.readline().strip()) or not length:
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        message = json.loads(stream.read(length))
        self.publications += message.get("method") == "textDocument/publishDiagnostics"
        return message

    def ask(self, method: str, **params: Any) -> Any:
        self.number += 1
        self.send(method, {"textDocument": {"uri": self.uri}, **params}, id=self.number)
        while True:
            message = self.receive()
            if message.get("id") == self.number:
                assert "error" not in message, message
                return message["result"]

    def change(self, text: str) -> None:
        self.version += 1
        document = {"uri": self.uri, "version": self.version}
        self.send("textDocument/didChange", {"textDocument": document, "contentChanges": [{"text": text}]})

    def published(self) -> Any:
        while True:
            message = self.receive()
            if message.get("method") == "textDocument/publishDiagnostics":
                params = message["params"]
                if params.get("version") == self.version:
                    return params["diagnostics"]


def started(root: Path, text: str) -> Server:
    server = Server(root)
    server.number += 1
    server.send("initialize", {"processId": None, "rootUri": root.as_uri(), "capabilities": {}}, id=1)
    server.receive()
    server.send("initialized", {})
    document = {"uri": server.uri, "languageId": "sql", "version": 0, "text": text}
    server.send("textDocument/didOpen", {"textDocument": document})
    server.published()
    return server


def milliseconds(work: Callable[[], object]) -> float:
    begun = time.perf_counter()
    work()
    return 1000 * (time.perf_counter() - begun)


def processor(server: Server) -> float:
    """The processor time of a server so far, in milliseconds; nan where there is no /proc."""
    stat = Path(f"/proc/{server.process.pid}/stat")
    if not stat.exists():
        return math.nan
    fields = stat.read_text().rpartition(")")[2].split()
    return 1000 * (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measure(name: str, server: Server, works: list[Callable[[], object]], check_cost: float) -> None:
    before = processor(server)
    ordered = sorted(milliseconds(work) for work in works)
    cost = (processor(server) - before) / len(works)
    median, late = statistics.median(ordered), ordered[int(0.95 * (len(ordered) - 1))]
    print(f"{name:<44} {median:8.0f} {late:8.0f} {cost:8.0f} {cost / check_cost:10.2f}")


def typed(text: str, at: int) -> list[str]:
    """The versions of a text in which a comment and a column's name are typed, key by key."""
    statement = "ALTER TABLE db.t3 ADD PARTITION FIELD bucket(4, id);\n"[:KEYSTROKES]
    return [f"{text[:at]}{statement[:n]}\n{text[at:]}" for n in range(1, len(statement) + 1)]


def inside(text: str, word: str, at: int) -> list[str]:
    """The versions of a text in which a name inside a statement grows."""
    at = text.index(word, at) + len(word)
    return [text[:at] + "x" * n + text[at:] for n in range(1, KEYSTROKES + 1)]


def answered(server: Server, text: str) -> None:
    server.change(text)
    server.published()


def main(lines: int) -> None:
    breaks = (" USING", " PARTITIONED", " WHERE", " GROUP", " WHEN", " VALUES")
    text = script(lines * 10 // 24)
    for word in breaks:
        text = text.replace(word, "\n" + word.strip())
    check(text)
    begun = time.process_time()
    for _ in range(5):
        check(text)
    check_cost = 1000 * (time.process_time() - begun) / 5
    print(f"{text.count(chr(10)):,} lines; a check of the whole text takes {check_cost:.0f} ms of CPU\n")
    print(f"{'':<44} {'median':>8} {'95 %':>8} {'CPU':>8} {'of a check':>10}")
    with tempfile.TemporaryDirectory() as folder:
        server = started(Path(folder), text)
        edits = {
            "a statement typed at the top": typed(text, 0),
            "a statement typed in the middle": typed(text, text.index("\n", len(text) // 2) + 1),
            "a statement typed at the end": typed(text, len(text)),
            "a column's name in the first CREATE TABLE": inside(text, "name", 0),
            "a name in a query in the middle": inside(text, "ORDER BY 2", len(text) // 2),
        }
        for name, versions in edits.items():
            works = [partial(answered, server, version) for version in versions]
            measure(name, server, works, check_cost)
            answered(server, text)
        end = {"line": text.count("\n"), "character": 0}
        middle = {"line": text.count("\n") // 2, "character": 30}
        screen = {"start": {**middle, "character": 0}, "end": {"line": middle["line"] + 50, "character": 0}}
        questions: dict[str, Callable[[], object]] = {
            "hover": lambda: server.ask("textDocument/hover", position=middle),
            "completion": lambda: server.ask("textDocument/completion", position=end),
            "hints of 50 lines": lambda: server.ask("textDocument/inlayHint", range=screen),
            "lenses": lambda: server.ask("textDocument/codeLens"),
            "actions": lambda: server.ask("textDocument/codeAction", range=screen, context={"diagnostics": []}),
        }
        for name, question in questions.items():
            measure(name, server, [question] * 10, check_cost)
        before = server.publications
        burst = typed(text, 0)

        def all_at_once() -> None:
            for version in burst:
                server.change(version)
            server.published()

        duration = milliseconds(all_at_once)
        sent = server.publications - before
        print(f"\n{len(burst)} versions at once: the last is answered after {duration:.0f} ms, {sent} were checked")
        server.ask("shutdown")
        server.send("exit", None)
        server.process.wait()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5_000)

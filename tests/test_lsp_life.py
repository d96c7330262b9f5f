"""The language server's own life, message by message: how it ends, and what it does with odd messages."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.tier("quick")

HELLO = ("initialize", {"processId": None, "rootUri": None, "capabilities": {}})
GOODBYE = (("shutdown", None), ("exit", None))
TEXT = "ALTER TABLE t ADD PARTITION FIELD weeks(ts)"
PLACE = {"line": 99999, "character": 99999}
WIDE = {"start": {"line": 0, "character": 0}, "end": PLACE}


def framed(message: dict[str, Any]) -> bytes:
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


def sent(messages: tuple[tuple[str, Any], ...]) -> Iterator[bytes]:
    """Requests and notifications as an editor sends them."""
    for number, (method, params) in enumerate(messages):
        known_without_answer = "/did" in method or method in ("initialized", "exit")
        message: dict[str, Any] = {"method": method}
        if params is not None:
            message["params"] = params
        yield framed(message if known_without_answer else {**message, "id": number})


def served(data: bytes, root: Path) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "spark_iceberg_sql", "server"],
        input=data,
        capture_output=True,
        cwd=root,
        timeout=60,
        check=False,
    )


def document(uri: str, **more: Any) -> dict[str, Any]:
    return {"textDocument": {"uri": uri, **more}}


def opened(uri: str, text: str = TEXT) -> tuple[str, Any]:
    return "textDocument/didOpen", document(uri, languageId="sql", version=1, text=text)


def test_an_editor_that_says_goodbye(tmp_path: Path) -> None:
    ended = served(b"".join(sent((HELLO, ("initialized", {}), *GOODBYE))), tmp_path)
    assert (ended.returncode, ended.stderr.decode()) == (0, "")


@pytest.mark.tier("rest")  # a process
def test_an_editor_that_leaves_without_shutdown(tmp_path: Path) -> None:
    """The protocol asks for 1."""
    ended = served(b"".join(sent((HELLO, ("exit", None)))), tmp_path)
    assert ended.returncode == 1
    assert "Traceback" not in ended.stderr.decode()


@pytest.mark.tier("rest")  # a process
def test_an_editor_that_is_killed(tmp_path: Path) -> None:
    ended = served(b"".join(sent((HELLO, opened("file:///a.sql")))), tmp_path)
    assert "Traceback" not in ended.stderr.decode()


ODD: dict[str, tuple[tuple[str, Any], ...]] = {
    "a method that there is not": (("textDocument/nonsense", {}), ("workspace/none", None)),
    "a change to what is not open": (
        ("textDocument/didChange", {**document("file:///b.sql", version=2), "contentChanges": [{"text": TEXT}]}),
    ),
    "closed twice": (
        opened("file:///a.sql"),
        ("textDocument/didClose", document("file:///a.sql")),
        ("textDocument/didClose", document("file:///a.sql")),
    ),
    "places beyond the text": (
        opened("file:///a.sql"),
        ("textDocument/hover", {**document("file:///a.sql"), "position": PLACE}),
        ("textDocument/completion", {**document("file:///a.sql"), "position": PLACE}),
        (
            "textDocument/codeAction",
            {**document("file:///a.sql"), "range": {"start": PLACE, "end": PLACE}, "context": {"diagnostics": []}},
        ),
    ),
    "texts that are no files": (
        opened("untitled:Untitled-1"),
        opened("vscode-notebook-cell:/a.ipynb#W0sZmlsZQ"),
        opened("file:///a%00b.sql"),
        opened("not a uri"),
        opened(""),
    ),
    "texts that are no SQL": (
        opened("file:///a.sql", "\x00\ud800 ALTER TABLE"),
        opened("file:///a.py", "spark.sql('"),
        opened("file:///a.ipynb", "{"),
        opened("file:///b.ipynb", '{"cells": 3}'),
    ),
    "a notebook that is not open": (
        ("notebookDocument/didChange", {"notebookDocument": {"uri": "file:///n.ipynb", "version": 1}, "change": {}}),
        ("notebookDocument/didClose", {"notebookDocument": {"uri": "file:///n.ipynb"}, "cellTextDocuments": []}),
    ),
    "a notebook without its cells": (
        (
            "notebookDocument/didOpen",
            {
                "notebookDocument": {
                    "uri": "file:///m.ipynb",
                    "notebookType": "x",
                    "version": 1,
                    "cells": [{"kind": 2, "document": "nowhere"}],
                },
                "cellTextDocuments": [],
            },
        ),
        ("textDocument/diagnostic", document("nowhere")),
    ),
    "questions about what is not open": (
        ("textDocument/diagnostic", document("file:///no.sql")),
        ("textDocument/codeLens", document("file:///no.sql")),
        ("textDocument/inlayHint", {**document("file:///no.sql"), "range": WIDE}),
        ("codeLens/resolve", {"range": WIDE, "data": [1]}),
        ("workspace/executeCommand", {"command": "iceberg-sql.plan", "arguments": [{}, []]}),
        ("workspace/executeCommand", {"command": "iceberg-sql.plan", "arguments": [1, 2, 3, 4]}),
        ("workspace/executeCommand", {"command": "nonsense"}),
    ),
    "settings and files that are none": (
        ("workspace/didChangeConfiguration", {"settings": 3}),
        ("workspace/didChangeConfiguration", {"settings": {"settings": {"ddl": 3}}}),
        ("workspace/didChangeConfiguration", {"settings": None}),
        ("workspace/didChangeWatchedFiles", {"changes": [{"uri": "?", "type": 1}]}),
        ("workspace/didRenameFiles", {"files": [{"oldUri": "", "newUri": "file:///"}]}),
    ),
    "no parameters": (("textDocument/hover", None), ("textDocument/didOpen", {})),
}


def asked(number: int) -> tuple[tuple[str, Any], ...]:
    """A text with a unique name, and a request about it."""
    uri = f"file:///after{number}.sql"
    hover = {**document(uri), "position": {"line": 0, "character": 37}}
    return opened(uri), ("textDocument/hover", hover)


def test_odd_messages(tmp_path: Path) -> None:
    """After each it still answers; it prints no traceback, and exits as it should."""
    messages = [
        message
        for number, case in enumerate(ODD.values())
        for message in (*case, *asked(number), ("textDocument/didClose", document("file:///a.sql")))
    ]
    ended = served(b"".join(sent((HELLO, *messages, *GOODBYE))), tmp_path)
    assert "Traceback" not in ended.stderr.decode()
    for number, case in enumerate(ODD):
        assert f"after{number}.sql" in ended.stdout.decode(), case
    assert ended.returncode == 0


def test_messages_that_are_no_messages(tmp_path: Path) -> None:
    bad = (b"{", b"[1, 2]", b'"x"', b"\xff\xfe", b"null")
    data = [*sent((HELLO,))]
    for number, text in enumerate(bad):
        data.append(b"Content-Length: %d\r\n\r\n%s" % (len(text), text))
        data.extend(sent(asked(number)))
    data.extend(sent(GOODBYE))
    ended = served(b"".join(data), tmp_path)
    assert "Traceback" not in ended.stderr.decode()
    for number, text in enumerate(bad):
        assert f"after{number}.sql" in ended.stdout.decode(), text
    assert ended.returncode == 0


@pytest.mark.tier("rest")  # five seconds
def test_settings_that_cannot_be_followed(tmp_path: Path) -> None:
    (tmp_path / "iceberg-sql.toml").write_text("metadata = 3\nnonsense")
    uri = (tmp_path / "a.sql").as_uri()
    position = {"line": 0, "character": 37}
    hover = ("textDocument/hover", {**document(uri), "position": position})
    completion = ("textDocument/completion", {**document(uri), "position": position})
    data = b"".join(sent((HELLO, opened(uri), hover, completion, *GOODBYE)))
    ended = served(data, tmp_path)
    assert "Traceback" not in ended.stderr.decode()
    assert ended.returncode == 0

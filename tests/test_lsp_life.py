"""The language server's own life, message by message: how it ends, and what it does with odd messages."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

HELLO = ("initialize", {"processId": None, "rootUri": None, "capabilities": {}})
GOODBYE = (("shutdown", None), ("exit", None))
TEXT = "ALTER TABLE t ADD PARTITION FIELD weeks(ts)"
PLACE = {"line": 99999, "character": 99999}


def framed(message: dict[str, Any]) -> bytes:
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


def sent(messages: tuple[tuple[str, Any], ...]) -> Iterator[bytes]:
    """Requests and notifications as an editor sends them."""
    for number, (method, params) in enumerate(messages):
        known_without_answer = method.startswith("textDocument/did") or method in (
            "initialized",
            "exit",
        )
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


def test_an_editor_that_leaves_without_shutdown(tmp_path: Path) -> None:
    """The protocol asks for 1."""
    ended = served(b"".join(sent((HELLO, ("exit", None)))), tmp_path)
    assert ended.returncode == 1
    assert "Traceback" not in ended.stderr.decode()


def test_an_editor_that_is_killed(tmp_path: Path) -> None:
    ended = served(b"".join(sent((HELLO, opened("file:///a.sql")))), tmp_path)
    assert "Traceback" not in ended.stderr.decode()


ODD: dict[str, tuple[tuple[str, Any], ...]] = {
    "a method that there is not": (("textDocument/nonsense", {}), ("workspace/none", None)),
    "a change to what is not open": (
        (
            "textDocument/didChange",
            {**document("file:///b.sql", version=2), "contentChanges": [{"text": TEXT}]},
        ),
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
            {
                **document("file:///a.sql"),
                "range": {"start": PLACE, "end": PLACE},
                "context": {"diagnostics": []},
            },
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
    "no parameters": (("textDocument/hover", None), ("textDocument/didOpen", {})),
}


@pytest.mark.parametrize("messages", ODD.values(), ids=ODD)
def test_odd_messages(tmp_path: Path, messages: tuple[tuple[str, Any], ...]) -> None:
    """It answers on, says no traceback, and ends as it should."""
    hover = (
        "textDocument/hover",
        {**document("file:///last.sql"), "position": {"line": 0, "character": 37}},
    )
    data = b"".join(sent((HELLO, *messages, opened("file:///last.sql"), hover, *GOODBYE)))
    ended = served(data, tmp_path)
    assert "Traceback" not in ended.stderr.decode()
    assert "last.sql" in ended.stdout.decode()
    assert ended.returncode == 0


@pytest.mark.parametrize("bad", [b"{", b"[1, 2]", b'"x"', b"\xff\xfe", b"null"])
def test_a_message_that_is_no_message(tmp_path: Path, bad: bytes) -> None:
    data = b"".join(
        (
            *sent((HELLO,)),
            b"Content-Length: %d\r\n\r\n%s" % (len(bad), bad),
            *sent((opened("file:///last.sql"), *GOODBYE)),
        )
    )
    ended = served(data, tmp_path)
    assert "Traceback" not in ended.stderr.decode()
    assert "last.sql" in ended.stdout.decode()
    assert ended.returncode == 0


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

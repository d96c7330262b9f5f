"""An HTTP proxy in front of a store that answers some requests wrongly: late, with an error, in part, or not at all."""

from __future__ import annotations

import http.client
import socket
import struct
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

_HOP = ("connection", "keep-alive", "transfer-encoding", "content-length", "expect")


@dataclass(slots=True)
class Fault:
    """What happens to requests whose method and path contain a text.

    kind: `slow`, `truncated`, `reset`, `lost` (done, but the answer is lost), `unconditional` (the condition of a PUT
    is ignored) or an HTTP status. where: the text, such as `PUT /lake/t/metadata`. times: how many requests; then all
    is well. seconds: how late.
    """

    kind: str
    where: str
    times: int = 1_000_000
    seconds: float = 0
    seen: int = 0


class FaultyStore:
    """The proxy. `url` is its endpoint."""

    def __init__(self, store: str) -> None:
        self.store = store.removeprefix("http://")
        self.faults: list[Fault] = []
        self.requests: list[str] = []
        self._lock = threading.Lock()
        proxy = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self) -> None:
                proxy._answer(self)

            do_GET = do_PUT = do_POST = do_HEAD = do_DELETE = answer  # noqa: N815

            def log_message(self, *arguments: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @contextmanager
    def fault(self, kind: str, where: str, **more: Any) -> Iterator[Fault]:
        """Answer with a fault in this block; at least one request must meet it."""
        new_fault = Fault(kind, where, **more)
        self.faults = [new_fault]
        try:
            yield new_fault
        finally:
            self.faults = []
        assert new_fault.seen, f"no request has {where}"

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()

    def _fault(self, line: str) -> Fault | None:
        with self._lock:
            self.requests.append(line)
            for fault in self.faults:
                if fault.where in line and fault.seen < fault.times:
                    fault.seen += 1
                    return fault
        return None

    def _answer(self, request: BaseHTTPRequestHandler) -> None:
        body = request.rfile.read(int(request.headers.get("Content-Length") or 0))
        fault = self._fault(f"{request.command} {request.path}")
        kind = "" if fault is None else fault.kind
        if kind == "reset":
            _reset(request)
            return
        if kind.isdigit():
            _refuse(request, int(kind))
            return
        if fault is not None and kind == "slow":
            time.sleep(fault.seconds)
        upstream = http.client.HTTPConnection(self.store, timeout=60)
        dropped = (*_HOP, "if-none-match") if kind == "unconditional" else _HOP
        headers = {k: v for k, v in request.headers.items() if k.lower() not in dropped}
        try:
            upstream.request(request.command, request.path, body or None, headers)
            answer = upstream.getresponse()
            content = answer.read()
        finally:
            upstream.close()
        if kind == "lost":
            _reset(request)
            return
        request.send_response(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in _HOP:
                request.send_header(name, value)
        length = answer.getheader("Content-Length") or str(len(content))
        request.send_header("Content-Length", length)
        request.end_headers()
        if request.command == "HEAD":
            return
        if kind == "truncated":
            request.wfile.write(content[: len(content) // 2])
            _reset(request, gently=True)
            return
        request.wfile.write(content)


def _refuse(request: BaseHTTPRequestHandler, status: int) -> None:
    code = {403: "AccessDenied", 404: "NoSuchKey", 503: "SlowDown"}.get(status, "InternalError")
    body = f"<?xml version='1.0'?><Error><Code>{code}</Code><Message>{code}</Message></Error>"
    request.send_response(status)
    if status == 503:
        request.send_header("Retry-After", "3600")
    request.send_header("Content-Type", "application/xml")
    request.send_header("Content-Length", str(len(body)))
    request.end_headers()
    if request.command != "HEAD":
        request.wfile.write(body.encode())


def _reset(request: BaseHTTPRequestHandler, *, gently: bool = False) -> None:
    request.close_connection = True
    if not gently:  # RST instead of FIN
        request.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    request.wfile.flush()
    request.connection.close()

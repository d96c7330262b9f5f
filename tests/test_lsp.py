"""The language server over standard input and output, driven by pygls's own client as an editor would."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest
from lsprotocol import types as lsp
from pygls.lsp.client import LanguageClient
from pygls.workspace import PositionCodec

from spark_iceberg_sql.editor.documents import Document
from spark_iceberg_sql.editor.open_files import OpenFiles
from spark_iceberg_sql.editor.request_handlers import RequestHandlers
from spark_iceberg_sql.model.transforms import TRANSFORMS
from spark_iceberg_sql.report.rule_pages import url_of
from spark_iceberg_sql.rules.registry import ALL

TABLE = "CREATE TABLE t (id BIGINT, `a b` STRING, ts TIMESTAMP, l ARRAY<INT>) USING iceberg"
ADD = "ALTER TABLE t ADD PARTITION FIELD"


class Editor:
    """An editor with one server; keeps the diagnostics that the server has published last."""

    def __init__(
        self,
        root: Path,
        encodings: list[lsp.PositionEncodingKind] | None = None,
        capabilities: lsp.ClientCapabilities | None = None,
        options: object = None,
    ) -> None:
        self.root = root
        self.capabilities = capabilities or lsp.ClientCapabilities()
        self.capabilities.general = lsp.GeneralClientCapabilities(position_encodings=encodings)
        self.options = options
        self.publications = 0
        self.watched: list[object] = []
        self.fresh: set[str] = set()
        self.client = LanguageClient("test", "1")
        self.published: dict[str, list[lsp.Diagnostic]] = {}
        self.messages: list[str] = []
        self.news = asyncio.Event()
        self.version = 0

        @self.client.feature(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def published(params: lsp.PublishDiagnosticsParams) -> None:
            self.published[params.uri] = list(params.diagnostics)
            self.publications += 1
            self.fresh.add(params.uri)
            self.news.set()

        @self.client.feature(lsp.CLIENT_REGISTER_CAPABILITY)
        def registered(params: lsp.RegistrationParams) -> None:
            self.watched += params.registrations

        @self.client.feature(lsp.WINDOW_SHOW_MESSAGE)
        def shown(params: lsp.ShowMessageParams) -> None:
            self.messages.append(params.message)

    async def __aenter__(self) -> Editor:
        await self.client.start_io(sys.executable, "-m", "spark_iceberg_sql", "server", cwd=str(self.root))
        self.result = await self.client.initialize_async(
            lsp.InitializeParams(
                capabilities=self.capabilities, root_uri=self.root.as_uri(), initialization_options=self.options
            )
        )
        self.client.initialized(lsp.InitializedParams())
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.client.shutdown_async(None)
        self.client.exit(None)
        await self.client.stop()

    def uri(self, name: str) -> str:
        return (self.root / name).as_uri()

    def send_open(self, text: str, name: str = "a.sql") -> str:
        item = lsp.TextDocumentItem(self.uri(name), "sql", self.version, text)
        self.client.text_document_did_open(lsp.DidOpenTextDocumentParams(item))
        return item.uri

    async def open(self, text: str, name: str = "a.sql") -> list[lsp.Diagnostic]:
        return await self._after(lambda: self.send_open(text, name), name)

    def send_change(self, text: str, name: str = "a.sql") -> None:
        self.version += 1
        document = lsp.VersionedTextDocumentIdentifier(self.version, self.uri(name))
        change = lsp.TextDocumentContentChangeWholeDocument(text)
        self.client.text_document_did_change(lsp.DidChangeTextDocumentParams(document, [change]))

    async def change(self, text: str, name: str = "a.sql") -> list[lsp.Diagnostic]:
        return await self._after(lambda: self.send_change(text, name), name)

    async def save(self, name: str = "a.sql") -> list[lsp.Diagnostic]:
        document = lsp.TextDocumentIdentifier(self.uri(name))
        return await self._after(
            lambda: self.client.text_document_did_save(lsp.DidSaveTextDocumentParams(document)), name
        )

    async def close(self, name: str = "a.sql") -> list[lsp.Diagnostic]:
        document = lsp.TextDocumentIdentifier(self.uri(name))
        return await self._after(
            lambda: self.client.text_document_did_close(lsp.DidCloseTextDocumentParams(document)), name
        )

    async def _after(self, send: Callable[[], object], name: str) -> list[lsp.Diagnostic]:
        await self.after(send)
        return self.published[self.uri(name)]

    async def after(self, send: Callable[[], object], uri: str | None = None) -> None:
        """Send something, and wait for what the server publishes, of one text if its URI is given."""
        self.news.clear()
        self.fresh.clear()
        send()
        await self.next(uri)

    async def next(self, uri: str | None = None) -> None:
        """Wait for what the server publishes next."""
        while True:
            await asyncio.wait_for(self.news.wait(), 20)
            self.news.clear()
            if uri is None or uri in self.fresh:
                return

    async def hover(self, line: int, character: int) -> lsp.Hover | None:
        return await self.client.text_document_hover_async(
            lsp.HoverParams(lsp.TextDocumentIdentifier(self.uri("a.sql")), lsp.Position(line, character))
        )

    async def complete(self, line: int, character: int) -> dict[str, lsp.CompletionItem]:
        completions = await self.client.text_document_completion_async(
            lsp.CompletionParams(lsp.TextDocumentIdentifier(self.uri("a.sql")), lsp.Position(line, character))
        )
        assert isinstance(completions, list)
        return {item.label: item for item in completions}

    async def actions(self, selection: lsp.Range) -> list[lsp.CodeAction]:
        code_actions = await self.client.text_document_code_action_async(
            lsp.CodeActionParams(lsp.TextDocumentIdentifier(self.uri("a.sql")), selection, lsp.CodeActionContext([]))
        )
        return [item for item in code_actions or [] if isinstance(item, lsp.CodeAction)]


Session = Callable[[Editor], Awaitable[None]]


@pytest.fixture(scope="module")
def drive(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[Session], None]]:
    """Run a session in an editor; one server serves all, as one does for a day's work."""
    loop = asyncio.new_event_loop()
    editor = Editor(tmp_path_factory.mktemp("project"))
    loop.run_until_complete(editor.__aenter__())
    yield lambda session: loop.run_until_complete(asyncio.wait_for(session(editor), 60))
    loop.run_until_complete(editor.__aexit__())
    loop.close()


def place(row: int, start: int, end: int) -> lsp.Range:
    return lsp.Range(lsp.Position(row, start), lsp.Position(row, end))


def test_diagnostics_as_one_types(drive: Callable[[Session], None]) -> None:
    async def session(editor: Editor) -> None:
        assert await editor.open("") == []
        text = f"{TABLE};\r\n/* 🙂é */ ALTER TABLE t ADD PARTITION FIELD weeks(ts);"
        [diagnostic] = await editor.change(text)
        assert (diagnostic.code, diagnostic.severity) == ("SIS101", lsp.DiagnosticSeverity.Error)
        assert diagnostic.code_description == lsp.CodeDescription(url_of("SIS101"))
        # The emoji is two of the units in which an editor counts.
        start = len("/* 🙂é */ ALTER TABLE t ADD PARTITION FIELD ") + 1
        assert diagnostic.range == place(1, start, start + 5)
        assert "help: " in diagnostic.message
        assert await editor.change(text.replace("weeks", "days")) == []
        await editor.change(text)
        assert await editor.close() == []

    drive(session)


@pytest.mark.tier("quick")
def test_an_editor_that_counts_in_code_points(tmp_path: Path) -> None:
    async def session(editor: Editor) -> None:
        assert editor.result.capabilities.position_encoding == lsp.PositionEncodingKind.Utf32
        diagnostics = await editor.open("/* 🙂 */ ALTER TABLE t ADD PARTITION FIELD weeks(ts)", "b.sql")
        at = [d.range.start.character for d in diagnostics if d.code == "SIS101"]
        assert at == [len("/* 🙂 */ ALTER TABLE t ADD PARTITION FIELD ")]

    async def run() -> None:  # another editor, so another server
        async with Editor(tmp_path, [lsp.PositionEncodingKind.Utf32]) as editor:
            await session(editor)

    asyncio.run(asyncio.wait_for(run(), 60))


def test_quick_fix_beside_an_emoji(drive: Callable[[Session], None]) -> None:
    async def session(editor: Editor) -> None:
        text = "/* 🙂 */ CREATE TABLE t (id BIGINT) USING iceberg PARTITIONED BY (bucket(id, 16))"
        [diagnostic] = await editor.open(text)
        action, *_ = await editor.actions(diagnostic.range)
        assert action.kind == lsp.CodeActionKind.QuickFix
        assert action.is_preferred
        assert action.edit
        assert action.edit.changes
        line = text.encode("utf-16-le")
        for edit in reversed(action.edit.changes[editor.uri("a.sql")]):
            start, end = (2 * p.character for p in (edit.range.start, edit.range.end))
            line = line[:start] + edit.new_text.encode("utf-16-le") + line[end:]
        fixed = line.decode("utf-16-le")
        assert fixed == text.replace("id, 16", "16, id")
        assert await editor.change(fixed) == []
        assert await editor.actions(diagnostic.range) == []

    drive(session)


def test_a_guess_is_not_preferred(drive: Callable[[Session], None]) -> None:
    async def session(editor: Editor) -> None:
        [diagnostic] = await editor.open("CREATE TABLE t (ts DATE) USING iceberg PARTITIONED BY (dayz(ts))")
        action, ignore = await editor.actions(diagnostic.range)
        assert not action.is_preferred
        assert not ignore.is_preferred

    drive(session)


def test_hover(drive: Callable[[Session], None]) -> None:
    async def session(editor: Editor) -> None:
        await editor.open(f"{TABLE};\n🙂;\nALTER TABLE t ADD PARTITION FIELD bucket(16, id);\nSELECT weeks(ts)")
        term = await editor.hover(2, 40)
        assert term is not None
        assert isinstance(term.contents, lsp.MarkupContent)
        assert "partition field `id_bucket_16` (id 1000): bucket[16] of `id`" in term.contents.value
        assert term.range == place(2, 34, 48)
        assert await editor.hover(3, 9) is None
        assert await editor.hover(99, 9) is None
        await editor.change("ALTER TABLE t ADD PARTITION FIELD weeks(ts)")
        fault = await editor.hover(0, 36)
        assert fault is not None
        assert isinstance(fault.contents, lsp.MarkupContent)
        page = next(rule.page for rule in ALL if rule.code == "SIS101")
        assert page in fault.contents.value

    drive(session)


def test_completion(drive: Callable[[Session], None]) -> None:
    async def session(editor: Editor) -> None:
        await editor.open(f"{TABLE}\nPARTITIONED BY (")
        completions = await editor.complete(1, 16)
        assert {"bucket", "truncate", "years", "months", "days", "hours", "id", "a b", "ts"} == set(completions)
        # This editor has no places to fill in.
        assert completions["bucket"].insert_text == "bucket(16, id)"
        assert completions["bucket"].insert_text_format == lsp.InsertTextFormat.PlainText
        assert completions["a b"].insert_text == "`a b`"
        assert completions["ts"].detail == "timestamp"
        assert await editor.complete(0, 5) == {}

    drive(session)


def test_settings_and_other_files(drive: Callable[[Session], None]) -> None:
    async def session(editor: Editor) -> None:
        config = editor.root / ".iceberg-sql.toml"
        config.write_text('ddl = ["tables.sql"]')
        (editor.root / "tables.sql").write_text(TABLE)
        text = "ALTER TABLE t ADD PARTITION FIELD bucket(8, nope)"
        assert [d.code for d in await editor.open(text)] == ["SIS201"]
        config.write_text('ddl = ["tables.sql"]\nignore = ["SIS201"]')
        assert await editor.save() == []
        config.write_text("nonsense = 1")
        [unchecked] = await editor.save()
        assert unchecked.code == "SIS002"
        assert "unknown key `nonsense`" in unchecked.message
        assert "unknown key `nonsense`" in editor.messages[-1]
        program = f'import x\nspark.sql("""\n{TABLE}\nPARTITIONED BY (weeks(ts))""")\n'
        config.write_text("")
        [diagnostic] = await editor.open(program, "job.py")
        assert diagnostic.range == place(3, 16, 21)

    drive(session)


# --- the same without an editor -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (f"{TABLE} PARTITIONED BY (id, |bucket(8, id))", "`id_bucket` (id 1001)"),
        (f"{TABLE} PARTITIONED BY (truncate(4, |`a b`))", "`a b_trunc` (id 1000)"),
        (f"{TABLE} PARTITIONED BY (|ts)", "`ts` (id 1000)"),
        (f"{TABLE}; ALTER TABLE t ADD PARTITION FIELD |days(ts) AS d", "`d` (id 1000)"),
        ("ALTER TABLE unknown ADD PARTITION FIELD |truncate(4, s.x)", "`s.x_trunc_4`"),
        ("ALTER TABLE unknown ADD PARTITION FIELD |days(s) AS d", "`d`"),
        (f"{TABLE} PARTITIONED BY (days(ts)); ALTER TABLE t REPLACE PARTITION FIELD days(ts) WITH |hours(ts)",
         "`ts_hour` (id 1001)"),
        (f"{TABLE} PARTITIONED BY (ts); ALTER TABLE t DROP PARTITION FIELD ts;\n{ADD} |ts", "`ts` (id 1000)"),
    ],
)  # fmt: skip
def test_the_name_to_be(text: str, name: str) -> None:
    assert hovered(text).startswith(f"partition field {name}")


def asked(text: str, name: str = "a.sql", language: str = "sql") -> tuple[RequestHandlers, str, lsp.Position]:
    """A text with its cursor at `|`."""
    document = Document(f"file:///nowhere/{name}", text.replace("|", "", 1), PositionCodec(), language)
    files = OpenFiles()
    files.put(document)
    return RequestHandlers(files), document.uri, document.position(max(text.find("|"), 0))


def hovered(text: str) -> str:
    answers, *cursor = asked(text)
    hover = answers.hover(*cursor)
    assert hover is None or isinstance(hover.contents, lsp.MarkupContent)
    return hover.contents.value if hover is not None else ""


@pytest.mark.parametrize("text", ["SELECT |days(ts)", f"{TABLE} PARTITIONED BY (|weeks(ts))", "|", "CREATE| TABLE"])
def test_no_name_to_be(text: str) -> None:
    assert "partition field" not in hovered(text).split("# SIS")[0]


COLUMNS = {"id", "a b", "ts"}
SPLIT = f"{TABLE} PARTITIONED BY (days(ts), `a b`)"
NAMES = {t.spelling for t in TRANSFORMS if t.in_ddl and not t.is_identity}


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        (f"{TABLE} PARTITIONED BY (days(ts), |", NAMES | COLUMNS),
        (f"{TABLE} PARTITIONED BY (days(|", {"ts"}),
        (f"{TABLE} PARTITIONED BY (nonsense(|", COLUMNS),
        (f"{TABLE} PARTITIONED BY (bucket(8, i|", COLUMNS),
        (f"{TABLE} PARTITIONED BY (days(ts)) |", set()),
        (f"{TABLE}; ALTER TABLE t ADD PARTITION FIELD |", NAMES | COLUMNS),
        (f"{TABLE}; ALTER TABLE t ADD PARTITION FIELD buc|", NAMES | COLUMNS),
        (f"{TABLE}; ALTER TABLE t ADD PARTITION FIELD bucket(8, |; SELECT 1", COLUMNS),
        (f"{TABLE}; ALTER TABLE t REPLACE PARTITION FIELD days(ts) WITH |", NAMES | COLUMNS),
        (f"{TABLE}; ALTER TABLE t ADD PARTITION FIELD days(ts) AS |", set()),
        ("ALTER TABLE unknown ADD PARTITION FIELD |", NAMES),
        ("ALTER TABLE unknown DROP PARTITION FIELD |", NAMES),
        ("CREATE TABLE t (a STRING) USING iceberg PARTITIONED BY (|", {"bucket", "truncate", "a"}),
        (f"{SPLIT}; ALTER TABLE t DROP PARTITION FIELD |", {"ts_day", "a b"}),
        (f"{SPLIT}; ALTER TABLE t DROP PARTITION FIELD ts|", {"ts_day", "a b"}),
        (f"{SPLIT}; ALTER TABLE t DROP PARTITION FIELD days(|", {"ts"}),
        (f"{SPLIT}; ALTER TABLE t REPLACE PARTITION FIELD |", {"ts_day", "a b"}),
        (f"{SPLIT}; ALTER TABLE t REPLACE PARTITION FIELD ts_day WITH |", NAMES | COLUMNS),
        ("SELECT |", set()),
        ("|", set()),
        ("", set()),
    ],
)
def test_what_may_stand_there(text: str, labels: set[str]) -> None:
    answers, *cursor = asked(text)
    assert {item.label for item in answers.completion(*cursor)} == labels


def test_places_to_fill_in() -> None:
    """The first column that a transform takes, quoted, is proposed as its source."""
    answers, *cursor = asked("CREATE TABLE t (`a b` STRING, ts TIMESTAMP) PARTITIONED BY (|")
    insert_texts = {item.label: item.insert_text for item in answers.completion(*cursor)}
    assert (insert_texts["days"], insert_texts["bucket"]) == ("days(${1:ts})", "bucket(${1:16}, ${2:`a b`})")
    plain = {item.label: item for item in answers.completion(*cursor, snippets=False)}
    assert plain["bucket"].insert_text == "bucket(16, `a b`)"
    assert plain["bucket"].insert_text_format == lsp.InsertTextFormat.PlainText


WEEKS = f"{ADD} weeks(ts)"
CELL = "vscode-notebook-cell:/x/a%20b.ipynb#W0sZmlsZQ"


@pytest.mark.tier("quick")
@pytest.mark.parametrize(
    ("uri", "language", "text", "codes"),
    [
        (CELL, "sql", WEEKS, {"SIS101", "SIS002"}),
        (CELL, "spark-sql", WEEKS, {"SIS101", "SIS002"}),
        (CELL, "python", f"%%sql\n{WEEKS}", {"SIS101", "SIS002"}),
        (CELL, "python", f"%time spark.sql('{WEEKS}')\n!ls", {"SIS101", "SIS002"}),
        (CELL, "python", f"print('{WEEKS}')", set()),
        (CELL, "markdown", WEEKS, set()),
        (CELL, "scala", f'spark.sql("{WEEKS}")', set()),
        ("git:/x/a.sql?%7B%22ref%22%3A%22%22%7D", "sql", WEEKS, {"SIS101", "SIS002"}),
        ("git:/x/a.py?%7B%7D", "python", f"spark.sql('{WEEKS}')", {"SIS101", "SIS002"}),
        ("untitled:Untitled-1", "sql", WEEKS, {"SIS101", "SIS002"}),
        ("untitled:Untitled-1", "python", f"spark.sql('{WEEKS}')", {"SIS101", "SIS002"}),
        ("file:///x/query.hql", "spark-sql", WEEKS, {"SIS101", "SIS002"}),
        ("file:///x/a.ipynb", "python", f"%%sql\n{WEEKS}", {"SIS101", "SIS002"}),  # as JupyterLab gives it
        ("file:///x/a.ipynb", "python", "", set()),
    ],
)
def test_a_document_that_is_no_file(uri: str, language: str, text: str, codes: set[str]) -> None:
    messages: list[str] = []
    files = OpenFiles(messages.append)
    files.put(Document(uri, text, PositionCodec(), language))
    report = files.report_of(uri)
    assert report is not None
    assert {d.code for d in report} == codes
    assert not any("not read" in d.message for d in report)
    assert messages == []

"""What else an editor asks of the language server, and what it tells of: the files around, notebooks, settings."""

from __future__ import annotations

import asyncio
import json
import random
import re
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types as lsp
from pygls.workspace import PositionCodec
from samples import sampled
from test_lsp import ADD, TABLE, Editor, place
from test_memo import edited, scripts

from spark_iceberg_sql.checker.files.linter import Linter
from spark_iceberg_sql.config.configuration import Configuration
from spark_iceberg_sql.diagnostics import Edit, apply_edits
from spark_iceberg_sql.editor.documents import Document
from spark_iceberg_sql.editor.open_files import OpenFiles
from spark_iceberg_sql.editor.request_handlers import RequestHandlers

PULLS = lsp.TextDocumentClientCapabilities(diagnostic=lsp.DiagnosticClientCapabilities())
WATCHES = lsp.WorkspaceClientCapabilities(
    did_change_watched_files=lsp.DidChangeWatchedFilesClientCapabilities(dynamic_registration=True)
)


def drive(root: Path, talk: Callable[[Editor], Awaitable[None]], *, options: Any = None, **can: Any) -> None:
    """A session with its own server. can: the editor's capabilities."""

    async def session() -> None:
        async with Editor(root, capabilities=lsp.ClientCapabilities(**can), options=options) as editor:
            await talk(editor)

    asyncio.run(asyncio.wait_for(session(), 90))


def codes(diagnostics: list[lsp.Diagnostic]) -> list[object]:
    return [diagnostic.code for diagnostic in diagnostics]


async def pulled(editor: Editor, uri: str) -> list[lsp.Diagnostic]:
    report = await editor.client.text_document_diagnostic_async(
        lsp.DocumentDiagnosticParams(lsp.TextDocumentIdentifier(uri))
    )
    assert isinstance(report, lsp.RelatedFullDocumentDiagnosticReport)
    return list(report.items)


@pytest.mark.tier("quick")
def test_overtaken_versions_are_not_checked(tmp_path: Path) -> None:
    async def talk(editor: Editor) -> None:
        text = f"{TABLE};\n" * 300
        await editor.open(text)
        before = editor.publications
        for number in range(40):
            editor.send_change(f"{text}{ADD} {'weeks(ts)'[: number % 9]}")
        editor.send_change(f"{text}{ADD} weeks(ts)")
        while "SIS101" not in codes(editor.published[editor.uri("a.sql")]):
            await editor.next()
        assert editor.publications - before < 20

    drive(tmp_path, talk)


@pytest.mark.tier("rest")  # five seconds
def test_an_editor_that_pulls_is_sent_nothing(tmp_path: Path) -> None:
    async def talk(editor: Editor) -> None:
        uri = editor.send_open(f"{TABLE} PARTITIONED BY (weeks(ts))")
        assert codes(await pulled(editor, uri)) == ["SIS101"]
        editor.send_change(f"{TABLE} PARTITIONED BY (days(ts))")
        assert await pulled(editor, uri) == []
        assert await pulled(editor, editor.uri("not-open.sql")) == []
        assert editor.published == {}

    drive(tmp_path, talk, text_document=PULLS)


@pytest.mark.tier("quick")
def test_watched_files(tmp_path: Path) -> None:
    """Settings and DDL that a program other than the editor writes."""
    ddl = tmp_path / "tables.sql"
    config = tmp_path / ".iceberg-sql.toml"

    async def talk(editor: Editor) -> None:
        async def wrote(path: Path, text: str) -> list[object]:
            path.write_text(text)
            change = lsp.FileEvent(path.as_uri(), lsp.FileChangeType.Changed)
            await editor.after(
                lambda: editor.client.workspace_did_change_watched_files(lsp.DidChangeWatchedFilesParams([change]))
            )
            return codes(editor.published[editor.uri("a.sql")])

        text = f"{ADD} bucket(8, nope)"
        assert codes(await editor.open(text)) == ["SIS002"]
        assert editor.watched
        ddl.write_text(TABLE)
        assert await wrote(config, 'ddl = ["tables.sql"]') == ["SIS201"]
        assert await wrote(ddl, TABLE.replace("id", "nope")) == []
        assert await wrote(config, "") == ["SIS002"]

    drive(tmp_path, talk, workspace=WATCHES)


@pytest.mark.tier("quick")
def test_a_dbt_project(tmp_path: Path) -> None:
    """A model follows a YAML file that was never saved, and dbt's manifest when dbt has written it."""
    (tmp_path / "dbt_project.yml").write_text("name: p\n")
    (tmp_path / "models").mkdir()
    model = "{{ config(partition_by=var('by'), materialized='table') }}\nSELECT a FROM t\n"
    (tmp_path / "models" / "m.sql").write_text(model)
    entry = "models:\n- name: m\n  config: {file_format: %s}\n"

    async def talk(editor: Editor) -> None:
        uri = editor.uri("models/m.sql")
        assert codes(await editor.open(model, "models/m.sql")) == []
        await editor.after(lambda: editor.send_open(entry % "iceberg", "models/s.yml"), uri)
        assert codes(editor.published[uri]) == ["SIS002"]
        await editor.after(lambda: editor.send_change(entry % "parquet", "models/s.yml"), uri)
        assert codes(editor.published[uri]) == []
        await editor.after(lambda: editor.send_change(entry % "iceberg", "models/s.yml"), uri)
        (tmp_path / "models" / "s.yml").write_text(entry % "iceberg")
        node = {
            "unique_id": "model.p.m",
            "original_file_path": "models/m.sql",
            "relation_name": "db.m",
            "config": {"partition_by": "weeks(a)", "materialized": "table"},
            "raw_code": model.strip(),
            "depends_on": {"nodes": []},
        }
        manifest = tmp_path / "target" / "manifest.json"
        manifest.parent.mkdir()
        metadata = {"adapter_type": "spark", "project_name": "p"}
        manifest.write_text(json.dumps({"metadata": metadata, "nodes": {"model.p.m": node}}))
        change = lsp.FileEvent(manifest.as_uri(), lsp.FileChangeType.Created)
        await editor.after(
            lambda: editor.client.workspace_did_change_watched_files(lsp.DidChangeWatchedFilesParams([change])), uri
        )
        assert codes(editor.published[uri]) == ["SIS002", "SIS101"]

    drive(tmp_path, talk, workspace=WATCHES)


@pytest.mark.tier("quick")
def test_a_migration_before(tmp_path: Path) -> None:
    first = tmp_path / "V1__tables.sql"
    first.write_text(f"{TABLE};")
    (tmp_path / "V2__fields.sql").write_text("SELECT 1")

    async def talk(editor: Editor) -> None:
        assert codes(await editor.open(f"{ADD} ts", "V2__fields.sql")) == ["SIS501"]
        first.write_text(TABLE.replace("ts TIMESTAMP", "tt TIMESTAMP"))
        change = lsp.FileEvent(first.as_uri(), lsp.FileChangeType.Changed)
        await editor.after(
            lambda: editor.client.workspace_did_change_watched_files(lsp.DidChangeWatchedFilesParams([change]))
        )
        assert codes(editor.published[editor.uri("V2__fields.sql")]) == ["SIS201"]

    drive(tmp_path, talk, workspace=WATCHES)


@pytest.mark.tier("quick")
def test_the_editor_s_settings(tmp_path: Path) -> None:
    text = f"{TABLE} PARTITIONED BY (weeks(ts), ts)"

    async def talk(editor: Editor) -> None:
        diagnostics = await editor.open(text)
        assert codes(diagnostics) == ["SIS501"]
        assert diagnostics[0].severity == lsp.DiagnosticSeverity.Error

        async def told(settings: object) -> list[object]:
            await editor.after(
                lambda: editor.client.workspace_did_change_configuration(lsp.DidChangeConfigurationParams(settings))
            )
            return codes(editor.published[editor.uri("a.sql")])

        assert await told({"iceberg-sql": {"settings": {"ignore": []}}}) == ["SIS101", "SIS501"]
        assert await told({"iceberg-sql": {"settings": {"select": ["SIS1"]}}}) == ["SIS101"]
        for bad_settings in (None, [], 3, {"iceberg-sql": 3}, {"iceberg-sql": {"settings": 3}}):
            assert await told(bad_settings) == ["SIS101", "SIS501"]
        await told({"iceberg-sql": {"settings": {"nonsense": 1}}})
        assert "unknown key `nonsense` in the command line" in editor.messages[-1]

    settings = {"ignore": ["SIS101"], "severity": {"SIS501": "error"}}
    drive(tmp_path, talk, options={"settings": settings})


@pytest.mark.tier("quick")
def test_renamed_files(tmp_path: Path) -> None:
    (tmp_path / "tables.sql").write_text(TABLE)
    (tmp_path / ".iceberg-sql.toml").write_text('ddl = ["tables.sql"]')

    async def talk(editor: Editor) -> None:
        assert codes(await editor.open(f"{ADD} nope")) == ["SIS201"]
        (tmp_path / "tables.sql").rename(tmp_path / "others.sql")
        (tmp_path / ".iceberg-sql.toml").write_text('ddl = ["others.sql"]\nseverity = {SIS2 = "warning"}')
        rename = lsp.FileRename(editor.uri("a.sql"), editor.uri("b.sql"))
        editor.client.workspace_did_rename_files(lsp.RenameFilesParams([rename]))
        while not editor.published.get(editor.uri("b.sql")):
            await editor.next()
        assert editor.published[editor.uri("a.sql")] == []
        [diagnostic] = editor.published[editor.uri("b.sql")]
        assert diagnostic.severity == lsp.DiagnosticSeverity.Warning

    drive(tmp_path, talk)


@pytest.mark.tier("quick")
def test_a_notebook(tmp_path: Path) -> None:
    """Cells follow one another, and move; an edit is in the units of the editor; prose is not read."""
    uri = (tmp_path / "a.ipynb").as_uri()

    def cell(number: int) -> str:
        return f"vscode-notebook-cell:{uri[5:]}#{number}"

    def item(number: int, text: str) -> lsp.TextDocumentItem:
        return lsp.TextDocumentItem(cell(number), "python", 1, text)

    def kinds(*numbers: int) -> list[lsp.NotebookCell]:
        return [lsp.NotebookCell(lsp.NotebookCellKind(1 if n == 2 else 2), cell(n)) for n in numbers]

    async def talk(editor: Editor) -> None:
        def change(**cells: Any) -> Callable[[], None]:
            changes = lsp.NotebookDocumentCellChanges(**cells)
            document = lsp.VersionedNotebookDocumentIdentifier(2, uri)
            params = lsp.DidChangeNotebookDocumentParams(document, lsp.NotebookDocumentChangeEvent(cells=changes))
            return lambda: editor.client.notebook_document_did_change(params)

        def structure(start: int, delete_count: int, *put: int, **more: Any) -> Callable[[], None]:
            array = lsp.NotebookCellArrayChange(start, delete_count, kinds(*put))
            return change(structure=lsp.NotebookDocumentCellChangeStructure(array, **more))

        texts = [f"%%sql\n{TABLE}", f"spark.sql('''🙂🙂;{ADD} days(id)''')", ADD]
        editor.client.notebook_document_did_open(
            lsp.DidOpenNotebookDocumentParams(
                lsp.NotebookDocument(uri, "jupyter-notebook", 1, kinds(0, 2, 1)),
                [item(0, texts[0]), item(1, texts[1]), item(2, texts[2])],
            )
        )
        while cell(1) not in editor.published:
            await editor.next()
        [diagnostic] = editor.published[cell(1)]
        assert diagnostic.code == "SIS202"
        start = len(f"spark.sql('''🙂🙂;{ADD} days(") + 2
        assert diagnostic.range == place(0, start, start + 2)
        assert not editor.published.get(cell(2))
        # `id` becomes `ts`, in two edits of which the second counts on the first.
        edits = [
            lsp.TextDocumentContentChangePartial(place(0, start, start + 2), ""),
            lsp.TextDocumentContentChangePartial(place(0, start, start), "ts"),
        ]
        document = lsp.VersionedTextDocumentIdentifier(2, cell(1))
        text = lsp.NotebookDocumentCellContentChanges(document, edits)
        await editor.after(change(text_content=[text]), cell(1))
        assert editor.published[cell(1)] == []
        # The table's cell moves behind the other one: the table is unknown there.
        await editor.after(structure(0, 3, 1, 0, 2), cell(1))
        assert codes(editor.published[cell(1)]) == ["SIS002"]
        weeks = item(3, f"%%sql\n{ADD} weeks(ts)")
        closed = [lsp.TextDocumentIdentifier(cell(1))]
        await editor.after(structure(0, 1, 3, did_open=[weeks], did_close=closed), cell(3))
        assert editor.published[cell(1)] == []
        assert "SIS101" in codes(editor.published[cell(3)])
        await editor.after(
            lambda: editor.client.notebook_document_did_close(
                lsp.DidCloseNotebookDocumentParams(
                    lsp.NotebookDocumentIdentifier(uri), [lsp.TextDocumentIdentifier(cell(3))]
                )
            ),
            cell(3),
        )
        assert editor.published[cell(3)] == []

    notebooks = lsp.NotebookDocumentClientCapabilities(lsp.NotebookDocumentSyncClientCapabilities())
    drive(tmp_path, talk, notebook_document=notebooks)


@pytest.mark.tier("rest")  # five seconds
@pytest.mark.parametrize("encoding", list(lsp.PositionEncodingKind))
def test_every_encoding(tmp_path: Path, encoding: lsp.PositionEncodingKind) -> None:
    """An emoji is one, two or four units."""

    def units(text: str) -> int:
        return len(text.encode(encoding.value + ("" if encoding.value == "utf-8" else "-le"))) // {
            "utf-8": 1, "utf-16": 2, "utf-32": 4
        }[encoding.value]  # fmt: skip

    async def talk(editor: Editor) -> None:
        assert editor.result.capabilities.position_encoding == encoding
        before = "/* é🙂漢 */ " + ADD + " "
        diagnostics = await editor.open(f"{TABLE};\n{before}bucket(id, 16)")
        start = units(before + "bucket(")
        assert diagnostics[0].range == place(1, start, start + len("id, 16"))
        fix, *_ = await editor.actions(diagnostics[0].range)
        assert fix.edit is not None
        assert fix.edit.changes is not None
        edits = fix.edit.changes[editor.uri("a.sql")]
        assert min(edit.range.start.character for edit in edits) >= start
        hover = await editor.hover(1, start)
        assert hover is not None
        assert hover.range == diagnostics[0].range
        await editor.change(f"{TABLE};\n{before}bucket(16, ")
        assert "id" in await editor.complete(1, units(before + "bucket(16, "))

    async def session() -> None:
        async with Editor(tmp_path, [encoding]) as editor:
            await talk(editor)

    asyncio.run(asyncio.wait_for(session(), 60))


# --- the same without an editor -------------------------------------------------------------------


def answers(text: str, name: str = "a.sql", language: str = "sql") -> tuple[RequestHandlers, Document]:
    document = Document(f"file:///nowhere/{name}", text, PositionCodec(), language)
    files = OpenFiles()
    files.put(document)
    return RequestHandlers(files), document


def everywhere(document: Document) -> lsp.Range:
    return document.range(0, len(document.text))


def after(document: Document, action: lsp.CodeAction) -> str:
    assert action.edit is not None
    assert action.edit.changes is not None
    edits = action.edit.changes[document.uri]
    return apply_edits(
        document.text, [Edit(document.offset(e.range.start), document.offset(e.range.end), e.new_text) for e in edits]
    )


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        (f"spark.sql('{TABLE} PARTITIONED BY (|)')", {"bucket", "days", "ts", "id"}),
        (f'x = 1\nspark.sql("""{TABLE}""")\nspark.sql("""\n  {ADD} days(|""")', {"ts"}),
        (f"spark.sql('{TABLE}')\nspark.sql('\\tALTER TABLE t ADD PARTITION FIELD days(|)')", {"ts"}),
        (f"spark.sql('{TABLE}')\nprint('{ADD} days(|)')", set()),
        (f"spark.sql('{TABLE}')|", set()),
        (f"def f():\n    spark.sql('{TABLE}')\n    spark.sql('{ADD} days(|)')", {"ts"}),
        ("import x|", set()),
    ],
)
def test_completion_inside_a_program(text: str, labels: set[str]) -> None:
    handlers, document = answers(text.replace("|", ""), "a.py", "python")
    completion_labels = {i.label for i in handlers.completion(document.uri, document.position(text.index("|")))}
    assert labels <= completion_labels
    assert bool(labels) == bool(completion_labels)


def test_hover_inside_a_program() -> None:
    text = f"spark.sql('''{TABLE}''')\nspark.sql(f'''ALTER TABLE t ADD PARTITION FIELD days(ts)''')"
    handlers, document = answers(text, "a.py", "python")
    hover = handlers.hover(document.uri, document.position(text.index("days(ts)") + 2))
    assert hover is not None
    assert isinstance(hover.contents, lsp.MarkupContent)
    assert "partition field `ts_day` (id 1000)" in hover.contents.value
    at = text.index("days(ts)")
    assert hover.range == document.range(at, at + len("days(ts)"))


@pytest.mark.parametrize(
    ("text", "hints"),
    [
        (f"{TABLE} PARTITIONED BY (days(ts), bucket(16, id), id)", ["ts_day", "id_bucket"]),
        (f"{TABLE};\n{ADD} bucket(16, id);\n{ADD} days(ts) AS d;", ["id_bucket_16"]),
        (f"{TABLE} PARTITIONED BY (days(ts));\nALTER TABLE t REPLACE PARTITION FIELD ts_day WITH hours(ts)",
         ["ts_day", "ts_hour"]),
        ("ALTER TABLE unknown ADD PARTITION FIELD truncate(4, s.x)", ["s.x_trunc_4"]),
        (f"{TABLE} PARTITIONED BY (weeks(ts))", []),
        (f"{TABLE};\n{ADD} days(nope)", []),
        (f"{TABLE} PARTITIONED BY (days(ts));\nALTER TABLE t DROP PARTITION FIELD days(ts)", ["ts_day"]),
        ("SELECT 1", []),
    ],
)  # fmt: skip
def test_hints(text: str, hints: list[str]) -> None:
    """The names are those that a plan shows."""
    handlers, document = answers(text)
    inlay_hints = handlers.hints(document.uri, everywhere(document))
    assert [hint.label for hint in inlay_hints] == [f"→ {name}" for name in hints]
    for hint in inlay_hints:
        assert document.text[: document.offset(hint.position)].endswith(")")


def test_hints_of_the_rows_on_the_screen() -> None:
    text = "\n".join([f"{TABLE};", *(f"{ADD} bucket({n}, id);" for n in range(2, 50))])
    handlers, document = answers(text)
    rows = lsp.Range(lsp.Position(10, 0), lsp.Position(19, 99))
    assert len(handlers.hints(document.uri, rows)) == 10


@pytest.mark.parametrize(
    ("text", "titles"),
    [
        (f"{TABLE} PARTITIONED BY (\n  days(ts),\n  id)", ["plan: added ts_day (1000), added id (1001)"]),
        (f"{TABLE} PARTITIONED BY (days(ts));\nALTER TABLE t REPLACE PARTITION FIELD ts_day WITH hours(ts)",
         ["plan: added ts_day (1000)", "plan: added ts_hour (1001), dropped ts_day (1000)"]),
        (f"{TABLE};\n{ADD} days(nope)", ["plan: would be refused"]),
        (f"{ADD} days(ts)", ["plan: the table is unknown"]),
        ("SELECT '\nPARTITION FIELD'", ["no plan"]),
        ("SELECT 1", []),
    ],
)  # fmt: skip
def test_lenses(text: str, titles: list[str]) -> None:
    handlers, document = answers(text)
    lenses = [handlers.lens(lens) for lens in handlers.lenses(document.uri)]
    assert [lens.command.title for lens in lenses if lens.command] == titles
    for lens in lenses:
        assert lens.command is not None
        assert handlers.plan(*lens.command.arguments or ())


@pytest.mark.parametrize("arguments", [(), (None, None), ("x", "y"), (3, 4), ("file:///a", -1)])
def test_a_plan_of_nothing(arguments: tuple[Any, ...]) -> None:
    uri, offset = arguments or (None, None)
    assert "no statement" in answers("SELECT 1")[0].plan(uri, offset)


GUESSES = f"{TABLE} PARTITIONED BY (dayz(ts))"


@pytest.mark.parametrize(
    ("name", "text", "fixed"),
    [
        ("a.sql", f"{TABLE} PARTITIONED BY (bucket(id, 16), bucket(`a b`, 4))",
         f"{TABLE} PARTITIONED BY (bucket(16, id), bucket(4, `a b`))"),
        ("a.py", f"x\nspark.sql('{TABLE} PARTITIONED BY (bucket(id, 16))')\ny",
         f"x\nspark.sql('{TABLE} PARTITIONED BY (bucket(16, id))')\ny"),
        ("a.sql", GUESSES, None),
        ("a.sql", TABLE, None),
        ("a.sql", "", None),
    ],
)  # fmt: skip
def test_fix_all(name: str, text: str, fixed: str | None) -> None:
    handlers, document = answers(text, name, "python" if name.endswith("py") else "sql")
    for only in (None, [lsp.CodeActionKind.SourceFixAll], ["source.fixAll.iceberg-sql"], ["source"]):
        actions = handlers.actions(document.uri, everywhere(document), only)
        fix_actions = [action for action in actions if action.kind == "source.fixAll.iceberg-sql"]
        assert [after(document, action) for action in fix_actions] == ([fixed] if fixed else [])
        assert only is None or actions == fix_actions
    quick_fixes = handlers.actions(document.uri, everywhere(document), [lsp.CodeActionKind.QuickFix])
    assert all(action.kind == lsp.CodeActionKind.QuickFix for action in quick_fixes)
    assert handlers.actions(document.uri, everywhere(document), [lsp.CodeActionKind.Refactor]) == []


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.sql", GUESSES),
        ("a.sql", f"SELECT 1;\r\n  {GUESSES};\r\nSELECT 2"),
        ("a.sql", f"SELECT 1; {GUESSES}; SELECT 2"),
        ("a.sql", f"{TABLE};\n\n{ADD} dayz(ts);\n{ADD} dayz(ts)"),
        ("a.sql", f"{TABLE};\n-- a word about it\n{ADD}\n  dayz(ts)"),
        ("a.sql", f"{TABLE}; /* so */ {ADD} dayz(ts)"),
        ("a.py", f"spark.sql('''\n  {GUESSES}\n''')"),
        ("a.py", f'spark.sql("{GUESSES}")'),
        ("a.py", f'if x:\n    spark.sql("{GUESSES}" \\\n    )'),
        ("a.py", f"# MAGIC %sql\n# MAGIC {GUESSES}"),
        ("a.ipynb", f"%%sql\n{GUESSES}"),
        ("a.ipynb", f"%time spark.sql('{GUESSES}')"),
    ],
)
def test_ignore_here(name: str, text: str) -> None:
    """The comment hides this finding and no other, and brings none."""
    handlers, document = answers(text, name, "sql" if name.endswith("sql") else "python")
    diagnostics = handlers.diagnostics(document.uri)
    wrong = next(d for d in diagnostics if d.code == "SIS101")
    kinds = [lsp.CodeActionKind.QuickFix]
    [action] = [
        a
        for a in handlers.actions(document.uri, wrong.range, kinds)
        if a.title == "Ignore SIS101 here (unknown-transform)"
    ]
    changed = after(document, action)
    again, other = answers(changed, name, document.language)
    left = [d for d in again.diagnostics(other.uri) if d.severity != lsp.DiagnosticSeverity.Information]
    assert len(left) == len([d for d in diagnostics if d.severity != lsp.DiagnosticSeverity.Information]) - 1
    assert len(changed.split()) > len(text.split())
    if name.endswith("py"):
        compile(changed, "a.py", "exec")


@pytest.mark.parametrize("seed", sampled(range(12), 3))
def test_random_edits(seed: int, tmp_path: Path) -> None:
    """After each edit the findings are those of a fresh check, however the edits went before; answers never fail."""
    chance = random.Random(seed)
    name = ("a.sql", "a.py")[seed % 2]
    files = OpenFiles()
    handlers = RequestHandlers(files)
    uri = (tmp_path / name).as_uri()
    document = Document(uri, scripts(chance), PositionCodec(), "sql")
    if name == "a.py":
        document = document.with_text(f"spark.sql(r'''\n{document.text}''')\nspark.sql('SELECT 1')")
    for version in range(15):
        start = chance.randint(0, len(document.text))
        end = min(len(document.text), start + chance.choice((0, 1, 9)))
        new = edited(document.text, chance)
        change = lsp.TextDocumentContentChangePartial(document.range(start, end), chance.choice(new or " "))
        replacement = lsp.TextDocumentContentChangeWholeDocument(new)
        document = document.with_changes([chance.choice((change, replacement))], version)
        files.put(document)
        handlers.diagnostics(uri)
        settings, linter = Configuration().of(tmp_path / name), Linter()
        fresh = linter.lint(document.source(linter, settings), settings)
        report = files.report_of(uri)
        assert report is not None
        assert report.diagnostics == fresh[0].diagnostics, document.text
        position = document.position(chance.randint(0, len(document.text)))
        handlers.hover(uri, position)
        handlers.completion(uri, position)
        handlers.hints(uri, everywhere(document))
        for lens in handlers.lenses(uri)[:3]:
            handlers.lens(lens)
        if version % 5 == 0:
            handlers.actions(uri, lsp.Range(position, position), None)


@pytest.mark.parametrize("seed", range(3))
def test_places_both_ways(seed: int) -> None:
    chance = random.Random(seed)
    characters = "".join(chance.choices("ab é漢🙂\u2028\x0c\n\r\t", k=300))
    text = re.sub(r"\r+\n", "\n", characters)  # there is no place inside a line's end
    for encoding in lsp.PositionEncodingKind:
        document = Document("file:///a.sql", text, PositionCodec(encoding))
        for offset in range(len(text) + 1):
            assert document.offset(document.position(offset)) == offset


def test_all_safe_fixes_are_computed_when_they_are_chosen(tmp_path: Path) -> None:
    """An editor asks for actions whenever the cursor moves; to try the fixes takes many checks."""
    text = "ALTER TABLE db.t ADD PARTITION FIELD bucket(id, 4);\n" * 20
    capabilities = lsp.ClientCapabilities(
        text_document=lsp.TextDocumentClientCapabilities(
            code_action=lsp.CodeActionClientCapabilities(resolve_support=lsp.ClientCodeActionResolveOptions(["edit"]))
        )
    )

    async def session() -> None:
        async with Editor(tmp_path, capabilities=capabilities) as editor:
            (finding, *_) = await editor.open(text)
            *_, action = await editor.actions(finding.range)
            assert action.title.startswith("Apply all safe fixes")
            assert action.edit is None
            chosen = await editor.client.code_action_resolve_async(action)
            assert chosen.edit is not None
            assert chosen.edit.changes is not None
            ((edit,),) = chosen.edit.changes.values()
            assert edit.new_text.count("4, id") == 20

    asyncio.run(session())

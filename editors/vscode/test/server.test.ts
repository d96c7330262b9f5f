// The real server of the checkout, started by the command that the extension finds, with the options that it sends.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

import * as lsp from "vscode-languageserver-protocol/node";

import { find } from "../src/command";
import { changed, options, type Given } from "../src/settings";
import { PYTHON } from "./checkout";

const NONE: Given = { select: [], ignore: [], severity: {} };
const TABLE = "CREATE TABLE t (id BIGINT, ts TIMESTAMP) USING iceberg";

interface Session {
  readonly connection: lsp.ProtocolConnection;
  readonly root: string;
  readonly open: (name: string, languageId: string, text: string) => Promise<string>;
  /** What the server publishes next of a text. */
  readonly codes: (uri: string) => Promise<unknown[]>;
}

async function served(given: Given, talk: (session: Session) => Promise<void>): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), "iceberg-sql-"));
  const command = await find({ command: "", interpreter: PYTHON, args: [] }, root);
  const child = spawn(command.program, command.args, { cwd: root, stdio: ["pipe", "pipe", "inherit"] });
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  const connection = lsp.createProtocolConnection(
    new lsp.StreamMessageReader(child.stdout),
    new lsp.StreamMessageWriter(child.stdin),
  );
  const published = new Map<string, unknown[]>();
  connection.onNotification(lsp.PublishDiagnosticsNotification.type, ({ uri, diagnostics }) => {
    published.set(
      uri,
      diagnostics.map(({ code }) => code),
    );
  });
  connection.listen();
  const capabilities: lsp.ClientCapabilities = {
    textDocument: { diagnostic: {}, codeLens: {} },
    notebookDocument: { synchronization: {} },
  };
  await connection.sendRequest(lsp.InitializeRequest.type, {
    processId: process.pid,
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- the type asks for it
    rootUri: null,
    workspaceFolders: [{ uri: pathToFileURL(root).href, name: "root" }],
    capabilities,
    initializationOptions: options(given),
  });
  await connection.sendNotification(lsp.InitializedNotification.type, {});
  try {
    await talk({
      connection,
      root,
      open: async (name, languageId, text) => {
        const uri = pathToFileURL(join(root, name)).href;
        const textDocument = { uri, languageId, version: 1, text };
        await connection.sendNotification(lsp.DidOpenTextDocumentNotification.type, { textDocument });
        return uri;
      },
      codes: async (uri) => {
        while (!published.has(uri)) {
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
        const found = published.get(uri) ?? [];
        published.delete(uri);
        return found;
      },
    });
  } finally {
    await connection.sendRequest(lsp.ShutdownRequest.type);
    await connection.sendNotification(lsp.ExitNotification.type);
  }
  assert.equal(await ended, 0);
  connection.dispose();
}

test("findings in SQL and in a Python program", () =>
  served(NONE, async ({ open, codes }) => {
    const sql = await open("a.sql", "sql", `${TABLE} PARTITIONED BY (weeks(ts))`);
    assert.deepEqual(await codes(sql), ["SIS101"]);
    const text = `spark.sql("${TABLE} PARTITIONED BY (bucket(id, 16))")`;
    assert.deepEqual(await codes(await open("a.py", "python", text)), ["SIS104"]);
  }));

test("the editor's settings count, at the start and when they change", () =>
  served({ ...NONE, ignore: ["SIS101"] }, async ({ connection, open, codes }) => {
    const uri = await open("a.sql", "sql", `${TABLE} PARTITIONED BY (weeks(ts))`);
    assert.deepEqual(await codes(uri), []);
    await connection.sendNotification("workspace/didChangeConfiguration", changed(NONE));
    assert.deepEqual(await codes(uri), ["SIS101"]);
  }));

test("a plan is the answer to the command, and the lens names it", () =>
  served(NONE, async ({ connection, open }) => {
    const text = `${TABLE};\nALTER TABLE t ADD PARTITION FIELD days(ts);`;
    const textDocument = { uri: await open("a.sql", "sql", text) };
    const lenses = await connection.sendRequest(lsp.CodeLensRequest.type, { textDocument });
    assert.equal(lenses?.length, 1);
    const [lens] = lenses;
    assert(lens);
    const { command } = await connection.sendRequest(lsp.CodeLensResolveRequest.type, lens);
    assert.equal(command?.title, "plan: added ts_day (1000)");
    const plan: unknown = await connection.sendRequest(lsp.ExecuteCommandRequest.type, {
      command: command.command,
      arguments: command.arguments ?? [],
    });
    assert.match(String(plan), /\+ 1000 {2}ts_day/);
  }));

/** Opens a notebook's file as VS Code does: the URIs of its cells. */
async function openNotebook({ connection, root }: Session, name: string, sources: string[]): Promise<string[]> {
  const file = join(root, name);
  const code = sources.map((source) => ({ cell_type: "code", metadata: {}, outputs: [], execution_count: null, source }));
  writeFileSync(file, JSON.stringify({ cells: code, metadata: {}, nbformat: 4, nbformat_minor: 5 }));
  const uri = pathToFileURL(file).href;
  const cells = sources.map((_, n) => `vscode-notebook-cell:${uri.slice(5)}#${String(n)}`);
  await connection.sendNotification(lsp.DidOpenNotebookDocumentNotification.type, {
    notebookDocument: {
      uri,
      notebookType: "jupyter-notebook",
      version: 1,
      cells: cells.map((document) => ({ kind: lsp.NotebookCellKind.Code, document })),
    },
    cellTextDocuments: sources.map((text, n) => ({ uri: cells[n] ?? "", languageId: "python", version: 1, text })),
  });
  return cells;
}

test("a notebook's cells follow one another", () =>
  served(NONE, async (session) => {
    const add = "ALTER TABLE t ADD PARTITION FIELD";
    const [table, wrong, line, plan, plain, open] = (await openNotebook(session, "a.ipynb", [
      `%%iceberg_sql\n${TABLE}`,
      `%%iceberg_sql found --limit 5\nSELECT * FROM t WHERE id = {number};\n${add} days(id)`,
      `rows = %iceberg_sql --quiet ${add} bucket(id, 16)`,
      `%%iceberg_sql --plan\n${add} weeks(ts)`,
      `%%sql\n${add} days(id)`,
      `%%iceberg_sql\n${add} days()`,
    ])) as [string, string, string, string, string, string];
    assert.deepEqual(await session.codes(table), []);
    assert.deepEqual(await session.codes(wrong), ["SIS202"]);
    assert.deepEqual(await session.codes(line), ["SIS104"]);
    assert.deepEqual(await session.codes(plan), []);
    assert.deepEqual(await session.codes(plain), ["SIS202"]);
    const found = await session.connection.sendRequest(lsp.CompletionRequest.type, {
      textDocument: { uri: open },
      position: { line: 1, character: `${add} days(`.length },
    });
    assert.deepEqual((Array.isArray(found) ? found : (found?.items ?? [])).map(({ label }) => label), ["ts"]);
  }));

// The real server of the checkout, started by the command that the extension finds, with the options that it sends.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync } from "node:fs";
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

test("a notebook's cells follow one another", () =>
  served(NONE, async ({ connection, root, codes }) => {
    const uri = pathToFileURL(join(root, "a.ipynb")).href;
    const cell = (number: number): string => `vscode-notebook-cell:${uri.slice(5)}#${String(number)}`;
    const texts = [`%%sql\n${TABLE}`, "%%sql\nALTER TABLE t ADD PARTITION FIELD days(id)"];
    await connection.sendNotification(lsp.DidOpenNotebookDocumentNotification.type, {
      notebookDocument: {
        uri,
        notebookType: "jupyter-notebook",
        version: 1,
        cells: texts.map((_, n) => ({ kind: lsp.NotebookCellKind.Code, document: cell(n) })),
      },
      cellTextDocuments: texts.map((text, n) => ({ uri: cell(n), languageId: "python", version: 1, text })),
    });
    assert.deepEqual(await codes(cell(0)), []);
    assert.deepEqual(await codes(cell(1)), ["SIS202"]);
  }));

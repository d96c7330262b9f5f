// The extension in VS Code itself: what a user sees after opening a file.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

import * as vscode from "vscode";

const TABLE = "CREATE TABLE t (id BIGINT, ts TIMESTAMP) USING iceberg";

async function until<T>(what: string, look: () => T | undefined | PromiseLike<T | undefined>): Promise<T> {
  for (let tries = 0; tries < 300; tries += 1) {
    const found = await look();
    if (found !== undefined) {
      return found;
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`there was no ${what} within 30 seconds`);
}

async function open(name: string, text: string): Promise<vscode.Uri> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
  assert(folder !== undefined);
  const file = join(folder, name);
  writeFileSync(file, text);
  const document = await vscode.workspace.openTextDocument(file);
  await vscode.window.showTextDocument(document);
  return document.uri;
}

function codes(uri: vscode.Uri): unknown[] {
  return vscode.languages.getDiagnostics(uri).map(({ code }) => (typeof code === "object" ? code.value : code));
}

async function finding(uri: vscode.Uri, code: string): Promise<vscode.Diagnostic> {
  return until(code, () =>
    vscode.languages.getDiagnostics(uri).find((found) => typeof found.code === "object" && found.code.value === code),
  );
}

const TESTS: Record<string, () => Promise<void>> = {
  async "a finding, its rule's address and its fix"() {
    const uri = await open("a.sql", `${TABLE} PARTITIONED BY (bucket(id, 16));\n`);
    const { code, range } = await finding(uri, "SIS104");
    assert(typeof code === "object");
    assert.match(code.target.toString(), /rules\/SIS104/);
    const actions = await vscode.commands.executeCommand<vscode.CodeAction[]>(
      "vscode.executeCodeActionProvider",
      uri,
      range,
    );
    const fix = actions.find(({ title }) => title.includes("(SIS104)"));
    assert(fix?.edit !== undefined);
    await vscode.workspace.applyEdit(fix.edit);
    await until("clean file", () => (codes(uri).length === 0 ? true : undefined));
  },
  async "completion in a Python program"() {
    const uri = await open("a.py", `spark.sql("${TABLE} PARTITIONED BY (days())")\n`);
    const place = new vscode.Position(0, `spark.sql("${TABLE} PARTITIONED BY (days(`.length);
    await until("completion", async () => {
      const found = await vscode.commands.executeCommand<vscode.CompletionList>(
        "vscode.executeCompletionItemProvider",
        uri,
        place,
      );
      return found.items.find(({ label, detail }) => label === "ts" && detail === "timestamp");
    });
  },
  async "hints and plans"() {
    const uri = await open("b.sql", `${TABLE};\nALTER TABLE t ADD PARTITION FIELD days(ts);\n`);
    const range = new vscode.Range(0, 0, 9, 0);
    const hint = await until("hint", async () =>
      (await vscode.commands.executeCommand<vscode.InlayHint[]>("vscode.executeInlayHintProvider", uri, range)).at(0),
    );
    assert.equal(hint.label, "→ ts_day");
    const lens = await until("lens", async () =>
      (await vscode.commands.executeCommand<vscode.CodeLens[]>("vscode.executeCodeLensProvider", uri, 9)).at(0),
    );
    assert.equal(lens.command?.title, "plan: added ts_day (1000)");
    await vscode.commands.executeCommand(lens.command.command, ...((lens.command.arguments ?? []) as unknown[]));
    await until("plan", () =>
      vscode.workspace.textDocuments.find(
        (document) => document.uri.scheme === "iceberg-sql-plan" && document.getText().includes("ts_day"),
      ),
    );
  },
  async "a notebook's cells"() {
    const cell = (text: string): vscode.NotebookCellData =>
      new vscode.NotebookCellData(vscode.NotebookCellKind.Code, text, "python");
    const cells = [cell(`spark.sql("${TABLE}")`), cell('spark.sql("ALTER TABLE t ADD PARTITION FIELD days(id)")')];
    const notebook = await vscode.workspace.openNotebookDocument("jupyter-notebook", new vscode.NotebookData(cells));
    await vscode.window.showNotebookDocument(notebook);
    await finding(notebook.cellAt(1).document.uri, "SIS202");
    assert.deepEqual(codes(notebook.cellAt(0).document.uri), []);
  },
  async "a notebook's file with %%iceberg_sql"() {
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
    assert(folder !== undefined);
    const file = vscode.Uri.joinPath(folder, "a.ipynb");
    const sources = [TABLE, "ALTER TABLE t ADD PARTITION FIELD days(id)"].map((sql) => `%%iceberg_sql\n${sql}`);
    const cells = sources.map((source) => ({
      cell_type: "code",
      metadata: {},
      outputs: [],
      execution_count: null,
      source,
    }));
    const python = { language_info: { name: "python" } };
    writeFileSync(file.fsPath, JSON.stringify({ cells, metadata: python, nbformat: 4, nbformat_minor: 5 }));
    const notebook = await vscode.workspace.openNotebookDocument(file);
    await vscode.window.showNotebookDocument(notebook);
    const { range } = await finding(notebook.cellAt(1).document.uri, "SIS202");
    assert.equal(range.start.line, 1);
    assert.deepEqual(codes(notebook.cellAt(0).document.uri), []);
  },
  async "settings, and a restart"() {
    const uri = await open("c.sql", `${TABLE} PARTITIONED BY (weeks(ts));\n`);
    await finding(uri, "SIS101");
    const settings = vscode.workspace.getConfiguration("icebergSql");
    const clean = (): true | undefined => (codes(uri).length === 0 ? true : undefined);
    await settings.update("ignore", ["SIS101"], vscode.ConfigurationTarget.Workspace);
    await until("clean file", clean);
    await settings.update("ignore", undefined, vscode.ConfigurationTarget.Workspace);
    await finding(uri, "SIS101");
    await vscode.commands.executeCommand("icebergSql.restart");
    await finding(uri, "SIS101");
    await settings.update("enable", false, vscode.ConfigurationTarget.Workspace);
    await until("clean file", clean);
    await settings.update("enable", undefined, vscode.ConfigurationTarget.Workspace);
    await finding(uri, "SIS101");
  },
};

/** Called by VS Code. */
export async function run(): Promise<void> {
  const failed: string[] = [];
  for (const [name, test] of Object.entries(TESTS)) {
    try {
      await test();
      console.log(`ok - ${name}`);
    } catch (error) {
      console.log(`not ok - ${name}: ${String(error)}`);
      failed.push(name);
    }
  }
  if (failed.length > 0) {
    throw new Error(`failed: ${failed.join(", ")}`);
  }
}

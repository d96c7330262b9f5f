// The interpreter that Microsoft's Python extension has selected.

import * as vscode from "vscode";

interface Environments {
  readonly onDidChangeActiveEnvironmentPath: vscode.Event<unknown>;
  getActiveEnvironmentPath(resource?: vscode.Uri): unknown;
  resolveEnvironment(path: unknown): Promise<Resolved | undefined>;
}

interface Resolved {
  readonly executable: { readonly uri?: vscode.Uri };
}

async function environments(): Promise<Environments | undefined> {
  const extension = vscode.extensions.getExtension<{ environments?: Environments }>("ms-python.python");
  return (await extension?.activate())?.environments;
}

/** Its path; undefined without that extension, or if it has selected none. */
export async function selected(folder: vscode.Uri | undefined): Promise<string | undefined> {
  const python = await environments();
  const resolved = await python?.resolveEnvironment(python.getActiveEnvironmentPath(folder));
  return resolved?.executable.uri?.fsPath;
}

/** Tells when another one is selected. */
export async function onChange(told: () => void): Promise<vscode.Disposable | undefined> {
  return (await environments())?.onDidChangeActiveEnvironmentPath(told);
}

// Runs host.ts in a real VS Code, which is downloaded. On Linux it needs an X server: `xvfb-run npm run test:host`.

import { mkdtempSync, writeFileSync, mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

import { runTests } from "@vscode/test-electron";

const root = resolve(import.meta.dirname, "..");
const workspace = mkdtempSync(join(tmpdir(), "iceberg-sql-"));
mkdirSync(join(workspace, ".vscode"));
const settings = { "icebergSql.interpreter": process.env.PYTHON ?? "python3" };
writeFileSync(join(workspace, ".vscode", "settings.json"), JSON.stringify(settings));

await runTests({
  extensionDevelopmentPath: root,
  extensionTestsPath: join(root, "out", "host.js"),
  launchArgs: [workspace, "--disable-extensions", "--disable-workspace-trust"],
  extensionTestsEnv: { PYTHONPATH: resolve(root, "..", "..") },
});

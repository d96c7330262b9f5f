// Which command is run, with real programs: the interpreter of the tests, and programs that do not serve.

import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import { candidates, failure, find, installation, NoServerError, START, type Choice } from "../src/command";
import { path } from "../src/settings";
import { PYTHON } from "./checkout";

const NOTHING: Choice = { command: "", interpreter: "", args: [] };

test("a command that the settings name is the only one", () => {
  const found = candidates({ ...NOTHING, command: "/opt/x", interpreter: "/p", args: ["-v"] });
  assert.deepEqual(
    found.map(({ program, args }) => [program, ...args]),
    [["/opt/x", "server", "-v"]],
  );
});

test("the selected interpreter comes before the search path", () => {
  const found = candidates({ ...NOTHING, selected: "/venv/bin/python" });
  assert.deepEqual(
    found.map(({ program, args }) => [program, ...args]),
    [
      ["/venv/bin/python", "-c", START, "server"],
      ["iceberg-sql", "server"],
    ],
  );
});

test("an interpreter with the package serves", async () => {
  const found = await find({ ...NOTHING, interpreter: PYTHON });
  assert.equal(found.program, PYTHON);
});

test("a selected interpreter without the package gives way, and the user is told what to install there", async () => {
  const folder = mkdtempSync(join(tmpdir(), "iceberg sql "));
  const bare = join(folder, "python");
  writeFileSync(bare, `#!/bin/sh\nexec "${PYTHON}" -S -I "$@"\n`);
  chmodSync(bare, 0o755);
  const choice = { ...NOTHING, selected: bare };
  assert.equal(installation(choice), `"${bare}" -m pip install "spark-iceberg-sql[lsp]"`);
  const before = process.env.PATH;
  process.env.PATH = "/usr/bin:/bin";
  try {
    await assert.rejects(find(choice), (error: unknown) => {
      assert(error instanceof NoServerError);
      assert.match(error.failures[0]?.why ?? "", /No module named/);
      assert.equal(error.failures[1]?.why, "there is no such program");
      assert.match(error.message, /pip install/);
      return true;
    });
  } finally {
    process.env.PATH = before;
  }
});

test("a program that is no server says so", async () => {
  const why = await failure({ program: process.execPath, args: ["-e", "process.exit(3)"], source: "" });
  assert.equal(why, "it ended with 3");
});

test("paths of the settings", () => {
  assert.equal(path("${workspaceFolder}/.venv/bin/x", "/w", "/home/a"), "/w/.venv/bin/x");
  assert.equal(path(" ~/bin/x ", "/w", "/home/a"), "/home/a/bin/x");
  assert.equal(path("~x", undefined, "/home/a"), "~x");
});

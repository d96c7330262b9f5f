// The checkout that the tests run from, and an interpreter that has what the server needs.

import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

function root(): string {
  let folder = process.cwd();
  while (!existsSync(join(folder, "pyproject.toml"))) {
    if (folder === dirname(folder)) {
      throw new Error("run the tests in a checkout of spark-iceberg-sql");
    }
    folder = dirname(folder);
  }
  return folder;
}

export const ROOT = root();
/** Another one is given as `PYTHON=...`; it needs `pip install -e '.[lsp]'`. */
export const PYTHON = process.env.PYTHON ?? "python3";
process.env.PYTHONPATH = [ROOT, process.env.PYTHONPATH ?? ""].filter(Boolean).join(":");

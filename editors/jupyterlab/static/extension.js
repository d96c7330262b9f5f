// Tells JupyterLab's language services which code in a notebook is SQL: cells with `%%iceberg_sql`, and lines with
// `%iceberg_sql`. It is loaded as it is: JupyterLab needs of a prebuilt extension only webpack's `init` and `get`.

"use strict";

(() => {
  // These are the expressions of spark_iceberg_sql/files/notebooks/cells.py, where the server reads the cells that other
  // editors send; tests/test_jupyter.py compares what both find.
  const CELL = /^\s*(?:%%(?:time|timeit|capture|prun|memit)\b[^\n]*\n\s*)*%%iceberg_sql\b([^\n]*)\n/;
  const NO_PYTHON = /^\s*(?:%%\w+[^\n]*\n\s*)*%%(?!(?:time|timeit|capture|prun|memit|pyspark|spark|local)\b)/;
  const LINE = /^[ \t]*(?:[\p{L}\p{N}_, \t]+=[ \t]*)?%iceberg_sql[ \t]+/u;
  const STATEMENT =
    /\b(?:create|replace|alter|drop|insert|merge|select|with|use|delete|update|call|show|describe|desc|explain|truncate|set|cache|refresh|values|from|table|begin)\b/i;
  const RUNS_NOTHING = /[ \t]--(?:plan|check|explain|fix|next|previous|copy)\b/;

  // All SQL of a notebook is one text, in the cells' order. The server reads this comment as the end of a cell, so that
  // a statement without `;` ends there, too.
  const END_OF_CELL = "\n-- COMMAND ----------";

  /** The offsets at which SQL begins and ends in a cell's code; not those of a magic that runs nothing. */
  function ranges(code) {
    const magic = CELL.exec(code);
    if (magic !== null) {
      return RUNS_NOTHING.test(magic[1]) ? [] : [[magic[0].length, code.length]];
    }
    const found = [];
    let at = 0;
    for (const line of NO_PYTHON.test(code) ? [] : code.split("\n")) {
      const options = LINE.exec(line)?.[0].length ?? line.length;
      const statement = line.slice(options).search(STATEMENT);
      if (statement >= 0 && !RUNS_NOTHING.test(line.slice(options - 1, options + statement))) {
        found.push([at + options + statement, at + line.length]);
      }
      at += line.length + 1;
    }
    return found;
  }

  function place(code, offset) {
    const lines = code.slice(0, offset).split("\n");
    return { line: lines.length - 1, column: lines.at(-1).length };
  }

  const extractor = {
    language: "sql",
    fileExtension: "sql",
    standalone: false,
    cellType: ["code"],
    hasForeignCode: (code) => ranges(code).length > 0,
    extractForeignCode: (code) => [
      // A server for Python gets the magics as it does without this.
      { hostCode: code, foreignCode: null, range: null, virtualShift: null },
      ...ranges(code).map(([start, end]) => ({
        hostCode: null,
        foreignCode: code.slice(start, end) + END_OF_CELL,
        range: { start: place(code, start), end: place(code, end) },
        virtualShift: null,
      })),
    ],
  };

  /** The plugin. manager: the token of JupyterLab's list of extractors, or undefined where it has none. */
  function plugin(manager) {
    return {
      id: "spark-iceberg-sql:extractor",
      description: "Language services in the cells of `%%iceberg_sql`.",
      autoStart: true,
      optional: manager === undefined ? [] : [manager],
      activate: (_, extractors) => extractors?.register(extractor, "python"),
    };
  }

  let shared = {};

  (globalThis._JUPYTERLAB ??= {})["spark-iceberg-sql"] = {
    init: (scope) => {
      shared = scope;
    },
    get: async () => {
      const [services] = Object.values(shared["@jupyterlab/lsp"] ?? {});
      const module = (await services?.get())?.();
      return () => ({ __esModule: true, default: plugin(module?.ILSPCodeExtractorsManager) });
    },
  };
})();

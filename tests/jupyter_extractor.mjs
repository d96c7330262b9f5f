// Loads the extension as JupyterLab does, and prints the SQL that it finds in each cell of a JSON list.

import { readFileSync } from "node:fs";

const [, , file] = process.argv;
new Function(readFileSync(file, "utf-8"))();

const token = {};
const container = globalThis._JUPYTERLAB["spark-iceberg-sql"];
await container.init({ "@jupyterlab/lsp": { "4.0.0": { get: async () => () => ({ ILSPCodeExtractorsManager: token }) } } });
const plugin = (await container.get("./extension"))().default;
let registered;
plugin.activate({}, { register: (extractor, language) => (registered = { extractor, language }) });
plugin.activate({}, null); // an older JupyterLab

const { extractor, language } = registered;
const cells = JSON.parse(readFileSync(0, "utf-8"));
const found = cells.map((cell) => (extractor.hasForeignCode(cell, "code") ? extractor.extractForeignCode(cell) : []));
const asked = plugin.optional.length === 1 && plugin.optional[0] === token;
console.log(JSON.stringify({ asked, language, of: extractor.language, found }));

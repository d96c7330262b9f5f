// Runs a result's script in a document, and prints what its reader sees after each action as JSON.
// Arguments: the folder of jsdom, a file of HTML, a file of actions ([selector, event, value] each).
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const [folder, html, actions] = process.argv.slice(2);
const { JSDOM } = createRequire(`${folder}/`)("jsdom");
const dom = new JSDOM(`<body>${readFileSync(html, "utf8")}</body>`, { runScripts: "dangerously" });
const { window } = dom, { document } = window;
let saved = null;
window.URL.revokeObjectURL = () => {};
window.URL.createObjectURL = (blob) => {
  saved = blob;
  return "blob:rows";
};
window.HTMLAnchorElement.prototype.click = function () {};
const textOf = (blob) =>
  new Promise((resolve) => {
    const reader = new window.FileReader();
    reader.onload = () => resolve(reader.result);
    reader.readAsText(blob);
  });

async function state() {
  const rows = [...document.querySelectorAll("tbody tr")].filter((row) => !row.hidden);
  const csv = saved === null ? null : await textOf(saved);
  saved = null;
  return {
    first: rows.map((row) => row.cells[0].textContent),
    status: document.querySelector("[role=status]")?.textContent ?? null,
    sort: [...document.querySelectorAll("th")].map((head) => head.getAttribute("aria-sort")),
    disabled: [...document.querySelectorAll(".controls button:disabled")].map((button) => button.textContent),
    scripts: document.querySelectorAll("script").length,
    csv,
  };
}

const states = [await state()];
for (const [selector, event, value] of JSON.parse(readFileSync(actions, "utf8"))) {
  const target = document.querySelector(selector);
  if (value !== null) target.value = value;
  if (event === "click") target.dispatchEvent(new window.MouseEvent("click", { bubbles: true }));
  else target.dispatchEvent(new window.Event(event, { bubbles: true }));
  states.push(await state());
}
console.log(JSON.stringify(states));
process.exit(0);

// Asks the search of a built site, as its search box does, and prints the addresses of the pages in order, as JSON: a list for each question.
// Arguments: the site's folder, a file of questions (a JSON list).
import { readFileSync, readdirSync } from "node:fs";
import vm from "node:vm";

const [site, questions] = process.argv.slice(2);
const workers = `${site}/assets/javascripts/workers`;
const [script] = readdirSync(workers).filter((name) => /^search\.\w+\.min\.js$/.test(name));
const answers = [];
let listener = null;
const scope = {
  console,
  addEventListener: (_, handler) => (listener = handler),
  postMessage: (message) => answers.push(message),
};
scope.self = scope;
vm.runInNewContext(readFileSync(`${workers}/${script}`, "utf8"), scope);
vm.runInNewContext(readFileSync(`${site}/javascripts/search.js`, "utf8"), scope);

// The types of Material's messages: 0 sets up, 1 is ready, 2 asks, 3 answers.
async function ask(type, data) {
  await listener({ data: { type, data } });
  return answers.pop();
}

const { config, docs } = JSON.parse(readFileSync(`${site}/search/search_index.json`, "utf8"));
const ready = await ask(0, { config, docs, options: { suggest: false } });
if (ready?.type !== 1) throw new Error("the search has not started");
const results = [];
for (const question of JSON.parse(readFileSync(questions, "utf8"))) {
  const { data } = await ask(2, scope.withoutFillWords(question));
  results.push(data.items.map((sections) => sections[0].location.split("#")[0]));
}
console.log(JSON.stringify(results));

// The theme's search appends a wildcard to each word of a question: "a table" would be every word that begins with an a.
const FILL_WORDS = new Set(
  "a an and are be by can do does for from get how i if in is it its me my of on or that the there this to what when where which who why with you your".split(" "),
);

// The question without these words, unless nothing else is left.
function withoutFillWords(question) {
  const words = question.split(/\s+/).filter((word) => !FILL_WORDS.has(word.toLowerCase()));
  return words.join(" ").replace(/\?/g, "") || question;
}

if (typeof Worker !== "undefined") {
  const { postMessage } = Worker.prototype;
  const QUERY = 2; // the theme's message with a question
  Worker.prototype.postMessage = function (message, ...others) {
    const isQuery = message?.type === QUERY && typeof message.data === "string";
    return postMessage.call(this, isQuery ? { ...message, data: withoutFillWords(message.data) } : message, ...others);
  };
}

// The controls of a result in a notebook: sort, search, page and save the rows that the output has. Without a script,
// the first page is a plain table.
(() => {
  const PAGE = "sisPage", NOTE = "sisNote";
  const collator = new Intl.Collator(undefined, { numeric: true });
  const element = (tag, properties) => Object.assign(document.createElement(tag), properties);
  // null for a null; a value that is cut or changed for display has an element with all of it.
  const value = (cell) => {
    const inner = cell.firstElementChild;
    if (inner === null) return cell.textContent;
    return inner.tagName === "I" ? null : inner.dataset.v ?? inner.textContent;
  };
  const isInteger = (text) => /^-?\d+$/.test(text);
  const compared = (a, b, isNumber) => {
    if (!isNumber) return collator.compare(a, b);
    if (isInteger(a) && isInteger(b)) return BigInt(a) < BigInt(b) ? -1 : BigInt(a) > BigInt(b) ? 1 : 0;
    const [x, y] = [Number(a), Number(b)];
    if (Number.isNaN(x) || Number.isNaN(y)) return Number.isNaN(x) - Number.isNaN(y);
    return x < y ? -1 : x > y ? 1 : 0;
  };
  const quoted = (text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

  function start(box) {
    const table = box.querySelector("table"), body = table.tBodies[0], heads = [...table.tHead.rows[0].cells];
    const names = heads.map(value), all = [...body.rows], size = Math.max(1, Number(box.dataset[PAGE]));
    let first = 0, column = -1, direction = 1, rows = all;

    const search = element("input", { type: "search", placeholder: "search" });
    search.setAttribute("aria-label", "search the rows");
    const scope = element("select", {});
    scope.setAttribute("aria-label", "column to search");
    [["all columns", -1], ...names.map((name, i) => [name, i])].forEach(([label, i]) =>
      scope.append(element("option", { textContent: label, value: i })));
    const previous = element("button", { type: "button", textContent: "previous" });
    const next = element("button", { type: "button", textContent: "next" });
    const csv = element("button", { type: "button", textContent: "CSV" });
    csv.setAttribute("aria-label", "save the matching rows as CSV");
    const status = element("span", { className: "dim" });
    status.setAttribute("role", "status");

    const matches = (row) => {
      const text = search.value.toLowerCase(), chosen = Number(scope.value);
      const cells = chosen < 0 ? [...row.cells] : [row.cells[chosen]];
      return text === "" || cells.some((cell) => (value(cell) ?? "null").toLowerCase().includes(text));
    };
    const order = (a, b) => {
      const [x, y] = [value(a.cells[column]), value(b.cells[column])];
      if (x === null || y === null) return (x === null) - (y === null); // nulls last, in both directions
      return direction * compared(x, y, heads[column].classList.contains("n"));
    };
    const show = () => {
      rows = all.filter(matches);
      if (column >= 0) rows.sort(order);
      first = Math.max(0, Math.min(first, Math.floor((rows.length - 1) / size) * size));
      all.forEach((row) => (row.hidden = true));
      rows.slice(first, first + size).forEach((row) => (row.hidden = false));
      body.append(...rows);
      const last = Math.min(first + size, rows.length), number = (n) => n.toLocaleString("en");
      const range = rows.length ? `rows ${number(first + 1)} to ${number(last)} of ${number(rows.length)}` : "no rows";
      const suffix = search.value === "" ? "" : ` that match, of ${number(all.length)}`;
      status.textContent = `${range}${suffix}${box.dataset[NOTE]}`;
      previous.disabled = first === 0;
      next.disabled = last >= rows.length;
      heads.forEach((head, i) =>
        head.setAttribute("aria-sort", i !== column ? "none" : direction > 0 ? "ascending" : "descending"));
    };
    const turn = (offset) => {
      first += offset;
      show();
    };
    heads.forEach((head, i) => {
      const sort = element("button", { type: "button", className: "sort", title: "sort" });
      sort.append(head.firstElementChild);
      head.prepend(sort);
      sort.addEventListener("click", () => {
        if (column !== i) [column, direction] = [i, 1];
        else if (direction > 0) direction = -1;
        else [column, direction] = [-1, 1]; // the order of the result
        if (column < 0) all.forEach((row) => body.append(row));
        turn(-first);
      });
    });
    search.addEventListener("input", () => turn(-first));
    scope.addEventListener("change", () => turn(-first));
    previous.addEventListener("click", () => turn(-size));
    next.addEventListener("click", () => turn(size));
    // A front end may have shortcuts for keys that are typed here.
    search.addEventListener("keydown", (event) => event.stopPropagation());
    csv.addEventListener("click", () => {
      const line = (values) => values.map((v) => quoted(v ?? "")).join(",");
      const text = [names, ...rows.map((row) => [...row.cells].map(value))].map(line).join("\r\n");
      const link = element("a", { download: "rows.csv" });
      link.href = URL.createObjectURL(new Blob([`${text}\r\n`], { type: "text/csv" }));
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 10000);
    });
    const controls = element("div", { className: "controls" });
    controls.append(search, scope, previous, next, csv, status);
    box.prepend(controls);
    show();
  }

  document.querySelectorAll("div.sis-result:not([data-sis-ready])").forEach((box) => {
    box.dataset.sisReady = "";
    start(box);
  });
})();

/** Parts that several views share: sections, tables, lists and texts with `code`. */

import { h } from "./dom.js";

/** A section with its heading; nothing if it has no content. */
export function section(title, ...content) {
  const shown = content.flat(Infinity).filter(Boolean);
  return shown.length ? h("section", { class: "part", "data-key": title }, h("h2", title), shown) : null;
}

/** A table that becomes cards on a phone. `rows` are `{key, cells, tone}`; a cell is content or `[class, content]`. */
export function table(label, heads, rows, className = "") {
  const head = h("tr", { role: "row" }, heads.map((name) => h("th", { role: "columnheader", scope: "col" }, name)));
  const body = rows.map(({ key, cells }) =>
    h("tr", { role: "row", "data-key": key ?? null }, cells.map((content, index) => h("td", { role: "cell", "data-label": heads[index] }, content))),
  );
  return h(
    "table",
    { class: `rows cards ${className}`, role: "table", "aria-label": label },
    h("thead", { role: "rowgroup" }, head),
    h("tbody", { role: "rowgroup" }, body),
  );
}

export const list = (items, className = "plain") => (items?.length ? h("ul", { class: className }, items.map((item) => h("li", item))) : null);

/** A text in which `parts` between ticks are code. */
export function ticked(text) {
  return (text ?? "").split(/(`[^`\n]+`)/).map((part) => (/^`[^`\n]+`$/.test(part) ? h("code", part.slice(1, -1)) : part));
}

/** Rows of a name and its content; rows without content are left out. */
export function pairs(rows) {
  const shown = rows.filter(([, content]) => content !== null && content !== undefined && content !== "" && content !== false);
  return h("dl", { class: "pairs" }, shown.map(([name, content]) => h("div", h("dt", name), h("dd", content))));
}

export const nothing = (text) => h("p", { class: "quiet nothing" }, text);

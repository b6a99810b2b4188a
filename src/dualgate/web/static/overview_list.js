/** The sessions as a table or as cards. A change touches its own row; long lists are drawn in parts. */

import { arrange, fill, h, update } from "./dom.js";
import { counted } from "./format.js";
import { go } from "./router.js";
import { sessionRow } from "./overview_row.js";
import { COLUMNS, chosenRows, grouped } from "./overview_query.js";

const STEP = 100;

export class SessionList {
  /** `chosen(changes)` is called when the reader sorts by a column. */
  constructor(chosen) {
    this.chosen = chosen;
    this.nodes = new Map();
    this.limit = STEP;
    this.head = h("tr", { role: "row" });
    this.body = h("tbody", { role: "rowgroup", on: { click: openRow } });
    const caption = h("caption", { class: "unseen" }, "Sessions");
    const head = h("thead", { role: "rowgroup" }, this.head);
    this.table = h("table", { class: "sessions", role: "table", "aria-label": "Sessions" }, caption, head, this.body);
    this.more = h("p", { class: "more" });
    this.node = h("div", { class: "list" }, this.table, this.more);
    new IntersectionObserver((seen) => seen.some((each) => each.isIntersecting) && this.grow(), {
      rootMargin: "600px",
    }).observe(this.more);
  }

  /** Show the rows of a choice from the start. */
  show(rows, choice) {
    this.limit = STEP;
    this.nodes.clear();
    this.draw(rows, choice);
  }

  /** Show changes: the rows with these ids are drawn again, the others stay as they are, moved if the order changed. */
  draw(rows, choice, changed = new Set()) {
    this.rows = rows;
    this.choice = choice;
    this.table.classList.toggle("as-cards", choice.view === "cards");
    this.showHeads();
    const chosen = chosenRows(rows, choice);
    const ordered = [];
    let left = this.limit;
    for (const group of grouped(chosen, choice.group)) {
      if (left <= 0) break;
      if (choice.group) ordered.push(this.groupHead(group));
      for (const row of group.rows.slice(0, left)) ordered.push(this.rowNode(row, changed.has(row.id)));
      left -= group.rows.length;
    }
    arrange(this.body, ordered);
    this.total = chosen.length;
    this.showMore();
    return chosen.length;
  }

  rowNode(row, isChanged) {
    const known = this.nodes.get(row.id);
    if (known && !isChanged) return known;
    const node = known ? update(known, sessionRow(row)) : sessionRow(row);
    this.nodes.set(row.id, node);
    return node;
  }

  groupHead(group) {
    const key = `group ${group.key}`;
    const span = { colspan: COLUMNS.length, scope: "rowgroup", role: "rowheader", "aria-colspan": COLUMNS.length };
    const name = h("th", span, group.name, h("span", { class: "quiet" }, ` ${counted(group.rows.length, "session", "sessions")}`));
    const fresh = h("tr", { role: "row", class: "group", "data-key": key }, name);
    const node = this.nodes.has(key) ? update(this.nodes.get(key), fresh) : fresh;
    this.nodes.set(key, node);
    return node;
  }

  grow() {
    if (!this.rows || this.limit >= this.total) return;
    this.limit += STEP;
    this.draw(this.rows, this.choice);
  }

  showMore() {
    const left = this.total - Math.min(this.limit, this.total);
    const all = () => {
      this.limit = Infinity;
      this.draw(this.rows, this.choice);
    };
    const button = h("button", { type: "button", on: { click: all } }, "Show all");
    fill(this.more, left > 0 ? [h("span", `${counted(left, "more session", "more sessions")} below `), button] : null);
  }

  showHeads() {
    fill(this.head, COLUMNS.map((column) => this.columnHead(column)));
  }

  columnHead(column) {
    const { sort } = this.choice;
    const isChosen = sort.replace(/^-/, "") === column.name;
    const isDown = isChosen && sort.startsWith("-") !== Boolean(column.descends);
    const next = !isChosen ? column.name : sort.startsWith("-") ? "" : `-${column.name}`;
    const button = h(
      "button",
      { type: "button", class: "head", on: { click: () => this.chosen({ sort: next }) } },
      column.head,
      h("span", { class: "arrow", "aria-hidden": "true" }, isChosen ? (isDown ? "↓" : "↑") : ""),
    );
    const order = isChosen ? (isDown ? "descending" : "ascending") : null;
    return h("th", { role: "columnheader", scope: "col", "aria-sort": order, class: `col-${column.name}` }, button);
  }
}

/** A click anywhere in a row opens it, unless text is selected or something else was meant. */
function openRow(event) {
  const link = event.target.closest("tr")?.querySelector("a.name-link");
  if (!link || event.target.closest("a, button") || String(getSelection())) return;
  if (event.ctrlKey || event.metaKey) open(link.href);
  else go(link.href);
}

/** The overview: figures, totals over time, and all sessions with filter, order and groups. */

import { byId, fill, h } from "./dom.js";
import { cost, count, counted } from "./format.js";
import { SessionList } from "./overview_list.js";
import { GROUPS, chosenRows, countStates, readChoice } from "./overview_query.js";
import { Totals } from "./overview_totals.js";
import { setQuery } from "./router.js";
import { STANDINGS } from "./states.js";
import { allRows, facts } from "./store.js";
import { commandLine } from "./commands.js";

export class OverviewView {
  constructor() {
    this.choice = readChoice(new URLSearchParams(location.search));
    this.changed = new Set();
    this.isPlanned = false;
    this.list = new SessionList((changes) => this.choose(changes));
    this.totals = new Totals();
    this.figures = h("dl", { class: "figures" });
    this.states = h("div", { class: "choices states", role: "group", "aria-label": "State" });
    this.shown = h("p", { class: "shown quiet", role: "status" });
    this.empty = h("div");
    this.tools = this.toolbar();
    this.places = h("p", { class: "quiet places" });
    const sessions = h("section", { "aria-label": "Sessions" }, this.tools, this.shown, this.empty, this.list.node, this.places);
    this.node = h("div", { class: "overview" }, h("h1", { class: "unseen" }, "Sessions"), this.figures, this.totals.node, sessions);
  }

  title() {
    return "";
  }

  toolbar() {
    this.search = h("input", {
      type: "search",
      "data-search": true,
      placeholder: "Search project, specification, agent…",
      "aria-label": "Search sessions",
      "aria-keyshortcuts": "/",
      on: { input: () => this.choose({ q: this.search.value }) },
    });
    const options = Object.entries(GROUPS).map(([name, { label }]) => h("option", { value: name }, `by ${label}`));
    this.group = h(
      "select",
      { "aria-label": "Group", on: { change: () => this.choose({ group: this.group.value }) } },
      h("option", { value: "" }, "no groups"),
      options,
    );
    this.views = h("div", { class: "choices", role: "group", "aria-label": "Layout" });
    return h("div", { class: "tools" }, this.search, this.group, this.views, this.states);
  }

  /** Take a change of the choice, write it into the address, and show it. */
  choose(changes) {
    setQuery(changes);
    this.choice = { ...this.choice, ...changes };
    this.showAll();
  }

  show(place) {
    this.choice = readChoice(place.query);
    this.search.value = this.choice.q;
    this.group.value = this.choice.group;
    this.totals.load();
    this.showAll();
  }

  showAll() {
    this.list.show(allRows(), this.choice);
    this.showAround();
  }

  heard(change) {
    const id = change.row?.id ?? change.id;
    if (id) this.changed.add(id);
    if (change.kind === "all") for (const row of allRows()) this.changed.add(row.id);
    if (change.kind !== "row" || change.before?.standing !== change.row.standing) this.totals.soon();
    if (this.isPlanned) return;
    this.isPlanned = true;
    requestAnimationFrame(() => this.drawChanges());
  }

  /** Many events of one moment are drawn together. */
  drawChanges() {
    this.isPlanned = false;
    this.list.draw(allRows(), this.choice, this.changed);
    this.changed.clear();
    this.showAround();
  }

  showAround() {
    const rows = allRows();
    const { q, state } = this.choice;
    this.tools.hidden = rows.length === 0;
    this.totals.node.hidden = rows.length === 0;
    this.list.node.hidden = this.list.total === 0;
    this.showStates(rows);
    this.showFigures(rows);
    const isNarrowed = Boolean(q || state);
    fill(this.shown, isNarrowed ? `${count(this.list.total)} of ${counted(rows.length, "session", "sessions")}` : "");
    fill(this.empty, this.whyEmpty(rows));
    const places = facts()?.places ?? [];
    fill(this.places, places.length ? ["Sessions in ", places.join(", ")] : "");
  }

  whyEmpty(rows) {
    if (this.list.total > 0) return null;
    if (rows.length > 0) return this.nothingFound();
    return facts()?.loading ? h("p", { class: "loading" }, "Reading sessions…") : noSessions();
  }

  showStates(rows) {
    const found = chosenRows(rows, { ...this.choice, state: "", sort: "" });
    const counts = countStates(found);
    const named = STANDINGS.filter((standing) => counts.get(standing) || standing === this.choice.state);
    const button = (state, label, amount) =>
      h(
        "button",
        { type: "button", "aria-pressed": String(this.choice.state === state), on: { click: () => this.choose({ state }) } },
        `${label} `,
        h("span", { class: "amount" }, count(amount)),
      );
    fill(this.states, button("", "all", found.length), named.map((each) => button(each, each, counts.get(each))));
    const layout = (view, label) =>
      h("button", { type: "button", "aria-pressed": String(this.choice.view === view), on: { click: () => this.choose({ view }) } }, label);
    fill(this.views, layout("", "table"), layout("cards", "cards"));
  }

  showFigures(rows) {
    if (rows.length === 0) return void fill(this.figures);
    const total = (value) => rows.reduce((all, row) => all + (value(row) ?? 0), 0);
    const knownCost = rows.filter((row) => row.cost_usd !== null && row.cost_usd !== undefined);
    const spent = knownCost.length ? total((row) => row.cost_usd) : null;
    const criteria = total((row) => (row.proven ? row.criteria?.proven : 0));
    const figures = [
      ["Running", count(rows.filter((row) => row.alive).length)],
      ["Proven", count(rows.filter((row) => row.proven).length)],
      ["Halted", count(rows.filter((row) => row.standing === "halted").length)],
      ["Proven criteria", count(criteria)],
      ["Cost", cost(spent)],
      ["Iterations", count(total((row) => row.iterations))],
    ];
    fill(this.figures, figures.map(([name, value]) => h("div", h("dt", name), h("dd", value))));
  }

  nothingFound() {
    const clear = () => {
      this.search.value = "";
      this.choose({ q: "", state: "" });
    };
    const button = h("button", { type: "button", on: { click: clear } }, "Clear search and filter");
    return h("div", { class: "empty" }, h("p", "No session matches."), h("p", button));
  }

  leave() {
    byId("view").blur();
  }
}

const noSessions = () =>
  h(
    "div",
    { class: "empty" },
    h("h2", "No session yet"),
    h("p", "Start a run in a repository of yours. It appears here by itself."),
    commandLine("dualgate run SPEC.md --agent NAME", "runs an agent on a specification until it is proven"),
    commandLine("dualgate demo", "shows a whole run in seconds, without a model"),
  );

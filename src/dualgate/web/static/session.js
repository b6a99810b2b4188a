/** One session: a head that tells how it stands, and its parts, each with an address (?tab=). */

import { coalesced, get, sessionPath } from "./api.js";
import { ActionBar } from "./actions.js";
import { problemBox } from "./dialogs.js";
import { fill, h } from "./dom.js";
import { reportAddress, sessionAddress } from "./router.js";
import { CaughtPart, CriteriaPart, ReviewPart, SpecificationPart } from "./session_facts.js";
import { sessionHead } from "./session_head.js";
import { IterationsPart } from "./session_iterations.js";
import { LogPart } from "./session_log.js";
import { SummaryPart } from "./session_summary.js";
import { facts, rowOf } from "./store.js";

const PARTS = [
  ["", "Summary", SummaryPart],
  ["criteria", "Criteria", CriteriaPart],
  ["iterations", "Iterations", IterationsPart],
  ["caught", "Caught", CaughtPart],
  ["review", "Review", ReviewPart],
  ["log", "Log", LogPart],
  ["specification", "Specification", SpecificationPart],
];
const PAUSE = 400;

export class SessionView {
  constructor(place) {
    this.id = place.id;
    this.seq = -1;
    this.detail = null;
    this.iterations = [];
    this.parts = new Map();
    this.timer = null;
    this.head = h("div", { class: "session-head" });
    this.actions = new ActionBar(this.id, () => this.refresh());
    this.tabs = h("nav", { class: "tabs", "aria-label": "Parts of the session" });
    this.body = h("div", { class: "tab-body" });
    this.problem = h("div");
    this.node = h("article", { class: "session" }, this.head, this.actions.node, this.problem, this.tabs, this.body);
    this.load = coalesced(() => this.loadNow());
  }

  title() {
    const row = rowOf(this.id);
    return row ? `${row.project_name || row.id} · ${row.standing} · ` : "";
  }

  async show(place) {
    this.tab = PARTS.some(([name]) => name === place.query.get("tab")) ? place.query.get("tab") : "";
    this.showTabs();
    if (!this.detail) {
      fill(this.body, h("p", { class: "loading" }, "Loading…"));
      await this.load();
    } else {
      this.showPart();
    }
  }

  async loadNow() {
    try {
      const last = this.iterations.at(-1)?.number ?? 0;
      const path = sessionPath(this.id);
      const [detail, more] = await Promise.all([get(path), get(`${path}/iterations?after=${last}&limit=1000`)]);
      this.detail = detail;
      this.seq = detail.row.seq ?? 0;
      this.iterations = [...this.iterations, ...more.iterations.filter((each) => each.number > last)];
      fill(this.problem);
      this.showAll();
      if (more.iterations.length && more.last > this.iterations.at(-1).number) this.soon();
    } catch (problem) {
      if (problem.status === 404 && facts()?.loading) return; // it is not read yet; news of it load it again
      fill(this.problem, problemBox(problem));
      if (!this.detail) fill(this.body);
    }
  }

  refresh() {
    return this.load();
  }

  /** Load again after a short time; events that come meanwhile lead to no other request. */
  soon() {
    this.timer ??= setTimeout(() => {
      this.timer = null;
      this.load();
    }, PAUSE);
  }

  heard(change) {
    if (change.kind === "gone" && change.id === this.id) {
      fill(this.problem, h("div", { class: "box warn" }, h("p", "This session was deleted or moved.")));
    }
    const row = rowOf(this.id);
    const isOlder = row && (row.seq > this.seq || row.standing !== this.detail?.row.standing);
    if (change.kind === "all" || (change.row?.id === this.id && isOlder)) this.soon();
  }

  showAll() {
    fill(this.head, sessionHead(this.detail));
    this.actions.update(this.detail.actions);
    this.showTabs();
    this.showPart();
  }

  showTabs() {
    const counts = this.detail ? countsOf(this.detail, this.iterations) : {};
    const links = PARTS.map(([name, title], index) =>
      h(
        "a",
        { href: sessionAddress(this.id, name), "aria-current": name === this.tab ? "page" : null, "data-part": String(index + 1) },
        `${title} `,
        counts[name] ? h("span", { class: "amount" }, String(counts[name])) : null,
      ),
    );
    const isReadable = this.detail && !this.detail.row.problem;
    const report = isReadable ? h("a", { href: reportAddress(this.id), "data-page": "report", target: "_blank", rel: "noopener" }, "Report ↗") : null;
    fill(this.tabs, links, report);
  }

  showPart() {
    if (!this.detail) return;
    const [name, , Part] = PARTS.find(([each]) => each === this.tab);
    if (!this.parts.has(name)) this.parts.set(name, new Part(this.id));
    const part = this.parts.get(name);
    if (this.body.firstElementChild !== part.node) this.body.replaceChildren(part.node);
    part.update(this.detail, this.iterations);
  }

  leave() {
    clearTimeout(this.timer);
    for (const part of this.parts.values()) part.leave?.();
  }
}

const countsOf = ({ report, status }, iterations) => ({
  criteria: report?.criteria?.length ?? 0,
  iterations: iterations.length,
  caught: report?.catches?.length ?? 0,
  review: status?.findings?.length ?? 0,
});

/** All iterations of a session, each to be opened in place. An open one stays open while new ones arrive. */

import { get, sessionPath } from "./api.js";
import { problemBox } from "./dialogs.js";
import { fill, h } from "./dom.js";
import { atClock, cost, counted, took } from "./format.js";
import { decisionChip, iterationParts } from "./iteration.js";
import { nothing } from "./parts.js";
import { iterationAddress } from "./router.js";
import { testsBar } from "./states.js";

const STEP = 100;

export class IterationsPart {
  constructor(id) {
    this.id = id;
    this.shown = new Map();
    this.limit = STEP;
    this.note = h("div");
    this.list = h("div", { class: "iterations" });
    this.node = h("section", { class: "part" }, h("h2", "Iterations"), this.note, this.list);
  }

  /** The newest first: rows of iterations are final, so only new ones are added. */
  update(_detail, iterations) {
    this.iterations = iterations;
    const visible = iterations.slice(-this.limit);
    for (const each of [...visible].reverse()) {
      if (!this.shown.has(each.number)) this.shown.set(each.number, this.entry(each));
    }
    const nodes = visible.map((each) => this.shown.get(each.number)).reverse();
    nodes.forEach((node, index) => {
      if (this.list.children[index] !== node) this.list.insertBefore(node, this.list.children[index] ?? null);
    });
    this.showNote(iterations.length - visible.length);
  }

  showNote(left) {
    const more = () => {
      this.limit += STEP * 5;
      this.update(null, this.iterations);
    };
    const button = h("button", { type: "button", on: { click: more } }, "Show older iterations");
    const text = this.iterations.length ? null : nothing("No iteration has ended yet. The log shows what happens now.");
    fill(this.note, text, left > 0 ? h("p", `The newest ${this.limit}; ${counted(left, "older one", "older ones")} left. `, button) : null);
  }

  entry(each) {
    const body = h("div", { class: "iteration-body" });
    const summary = h(
      "summary",
      { "data-row": true },
      h("span", { class: "nr" }, String(each.number)),
      h("strong", `${each.phase} ${each.iteration}`),
      decisionChip(each.decision),
      h("span", { class: "gates-short", title: "gate 1 (evidence) and gate 2 (signal)" }, gates(each)),
      testsBar({ ...each.tests, total: each.tests.passing + each.tests.failing + each.tests.skipped }),
      h("span", { class: "violations" }, each.violations ? counted(each.violations, "violation", "violations") : ""),
      h("span", { class: "quiet facts" }, atClock(each.at), ` · ${took(each.seconds ?? each.agent_seconds + each.test_seconds)}`, each.cost_usd === null ? "" : ` · ${cost(each.cost_usd)}`, each.files_changed ? ` · ${counted(each.files_changed, "file", "files")}` : ""),
    );
    const node = h("details", { class: "entry", "data-key": String(each.number) }, summary, body);
    node.addEventListener("toggle", () => node.open && !body.hasChildNodes() && this.open(each.number, body));
    return node;
  }

  async open(number, body) {
    fill(body, h("p", { class: "loading" }, "Loading…"));
    try {
      const found = await get(`${sessionPath(this.id)}/iterations/${number}`);
      const link = h("p", h("a", { href: iterationAddress(this.id, number) }, `Iteration ${number} on a page of its own`));
      body.replaceChildren(link, iterationParts(this.id, found));
    } catch (problem) {
      fill(body, problemBox(problem));
    }
  }
}

const gates = (each) => `${each.gate_1 ? "1 open" : "1 shut"}, ${each.gate_2 ? "2 open" : "2 shut"}`;

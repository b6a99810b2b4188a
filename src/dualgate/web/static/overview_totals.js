/** All sessions over time: proven, halted by cause, and the cost of a proven criterion. */

import { get, coalesced } from "./api.js";
import { Chart } from "./chart.js";
import { fill, h } from "./dom.js";
import { cost, count, longDay, shortDay, words } from "./format.js";

const SPANS = [7, 30, 90];
const WAIT = 2000;
const CAUSE_TONES = ["bad", "warn", "info", "idle"];

export class Totals {
  constructor() {
    this.days = 30;
    this.timer = null;
    this.ended = new Chart({
      title: "Sessions by day",
      unit: "sessions",
      series: [
        { name: "proven", tone: "good" },
        { name: "not proven", tone: "warn" },
        { name: "halted", tone: "bad" },
      ],
      format: count,
      empty: "No session ended in this time.",
    });
    this.causes = new Chart({ title: "Halted, by cause", unit: "sessions", series: [], format: count, empty: "No session halted." });
    this.price = new Chart({
      title: "Cost per proven criterion",
      unit: "dollars",
      series: [{ name: "cost per proven criterion", tone: "info" }],
      format: cost,
      empty: "No agent reported a cost for proven criteria.",
    });
    this.spans = h("div", { class: "choices spans", role: "group", "aria-label": "Days" });
    const charts = h("div", { class: "charts" }, this.ended.node, this.causes.node, this.price.node);
    const isWide = matchMedia("(min-width: 46.01rem)").matches; // on a phone the sessions come first
    this.node = h("details", { class: "totals", open: isWide }, h("summary", h("h2", "Over time")), this.spans, charts);
    this.load = coalesced(() => this.loadNow());
    this.showSpans();
  }

  showSpans() {
    const choose = (days) => {
      this.days = days;
      this.showSpans();
      this.load();
    };
    const buttons = SPANS.map((days) =>
      h("button", { type: "button", "aria-pressed": String(days === this.days), on: { click: () => choose(days) } }, `${days} days`),
    );
    fill(this.spans, buttons);
  }

  /** Load again soon: many sessions that change at once lead to one request. */
  soon() {
    this.timer ??= setTimeout(() => {
      this.timer = null;
      if (this.node.isConnected) this.load();
    }, WAIT);
  }

  async loadNow() {
    const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
    const ask = (name) => get(`/api/totals?zone=${encodeURIComponent(name)}&days=${this.days}`);
    const found = await ask(zone).catch(() => ask("UTC")).catch(() => null); // a machine may not know the zone
    if (!found) return;
    const days = found.days.map((day) => ({ ...day, at: `${day.date}T12:00:00` }));
    const named = (day, values) => ({ label: shortDay(day.at), title: longDay(day.at), values });
    this.ended.update(days.map((day) => named(day, [day.proven, day.not_proven, sum(day.halted)])));
    this.price.update(days.map((day) => named(day, [day.cost_per_proven_criterion])));
    this.showCauses(days, found.by_cause, named);
  }

  /** The three most frequent causes by name, the others together. */
  showCauses(days, byCause, named) {
    const causes = Object.entries(byCause).sort((one, other) => other[1] - one[1]).map(([cause]) => cause);
    const [shown, others] = [causes.slice(0, 3), causes.slice(3)];
    const series = shown.map((cause, index) => ({ name: words(cause), tone: CAUSE_TONES[index] }));
    if (others.length) series.push({ name: "other", tone: CAUSE_TONES[3] });
    this.causes.setSeries(series);
    const rest = (day) => others.reduce((total, cause) => total + (day.halted[cause] ?? 0), 0);
    const values = (day) => [...shown.map((cause) => day.halted[cause] ?? 0), ...(others.length ? [rest(day)] : [])];
    this.causes.update(days.map((day) => named(day, values(day))));
  }
}

const sum = (counts) => Object.values(counts).reduce((total, each) => total + each, 0);

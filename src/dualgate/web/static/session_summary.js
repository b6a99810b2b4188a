/** The summary of a session: why it halted, what it needs, the next commands, phases, tests, cost and warnings. */

import { Chart } from "./chart.js";
import { fill, h } from "./dom.js";
import { cost, count, shortCount } from "./format.js";
import { list, section, ticked } from "./parts.js";
import { iterationAddress } from "./router.js";
import { haltBox, nextCommands } from "./session_head.js";
import { phaseTimeline } from "./session_phases.js";

export class SummaryPart {
  constructor(id) {
    this.id = id;
    this.first = h("div");
    this.last = h("div");
    const empty = "No iteration has ended yet.";
    this.tests = new Chart({
      title: "Tests over iterations",
      unit: "tests",
      series: [
        { name: "passing", tone: "good" },
        { name: "failing", tone: "bad" },
        { name: "skipped", tone: "idle" },
      ],
      format: count,
      empty: "No iteration ran a test.",
    });
    this.cost = new Chart({ title: "Cost over iterations", unit: "dollars", series: [{ name: "cost", tone: "info" }], format: cost, empty });
    this.tokens = new Chart({
      title: "Tokens over iterations",
      unit: "tokens",
      series: [
        { name: "input", tone: "info" },
        { name: "output", tone: "warn" },
      ],
      format: shortCount,
      empty,
    });
    const charts = h("section", { class: "part charts", "aria-label": "Charts" }, this.tests.node, this.cost.node, this.tokens.node);
    this.node = h("div", this.first, charts, this.last);
  }

  update({ row, report, status }, iterations) {
    this.showCharts(iterations);
    fill(
      this.first,
      row.problem ? section("Problem", h("div", { class: "box bad" }, h("p", row.problem))) : null,
      section("Why it halted", haltBox(status)),
      section("What it needs", list((status?.needed ?? []).map(ticked)), list((status?.unproven ?? []).map(ticked)), blocked(status)),
      section("What you can do now", commandGrid(nextCommands(status))),
      section("Phases", report?.stays?.length ? phaseTimeline(report) : null),
    );
    fill(
      this.last,
      section("Warnings", list((status?.warnings ?? []).map((each) => [h("span", { class: "place" }, `${each.phase} ${each.iteration} `), ticked(each.text)]))),
      section("Guidance for the agent", list((status?.guidance ?? []).map((text) => String(text)))),
      section("Changed specification", list((status?.spec_changes ?? []).map(ticked))),
    );
  }

  showCharts(iterations) {
    const named = (each, values) => ({
      label: `${each.phase} ${each.iteration}`,
      title: `Iteration ${each.number}: ${each.phase} ${each.iteration}`,
      href: iterationAddress(this.id, each.number),
      values,
    });
    this.tests.update(iterations.map((each) => named(each, [each.tests.passing, each.tests.failing, each.tests.skipped])));
    this.cost.options.empty = iterations.length ? "The agent reports no cost." : "No iteration has ended yet.";
    this.tokens.options.empty = iterations.length ? "The agent reports no tokens." : "No iteration has ended yet.";
    this.cost.update(iterations.map((each) => named(each, [each.cost_usd])));
    this.tokens.update(iterations.map((each) => named(each, [each.input_tokens, each.output_tokens])));
  }
}

const commandGrid = (commands) => (commands.length ? h("div", { class: "command-grid" }, commands) : null);

function blocked(status) {
  const texts = [
    status?.blocked ? ["The agent says BLOCKED: ", status.blocked] : null,
    status?.journal_problem ? [status.journal_problem] : null,
    status?.killed_step ? [`The run was killed during: ${status.killed_step.name}.`] : null,
  ].filter(Boolean);
  return list(texts);
}

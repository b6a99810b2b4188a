/** How a session stands, in its first lines: the verdict, why, what it needs, and what to do now. */

import { h } from "./dom.js";
import { agentName, cost, shortCount, took, when } from "./format.js";
import { commandLine } from "./commands.js";
import { list, ticked } from "./parts.js";
import { because, phaseStrip, standingChip, testsBar, toneOf } from "./states.js";

export function sessionHead({ row, report, status }) {
  return [verdict(row, report), figures(row, report), doing(row, status)];
}

function verdict(row, report) {
  const sentence = report?.conclusion?.sentence ?? row.problem ?? "";
  const rest = sentence.includes(": ") ? sentence.slice(sentence.indexOf(": ") + 2) : sentence;
  const about = [report?.title && report.title !== row.specification ? report.title : null, row.specification, row.workflow, `session ${row.id.slice(0, 8)}`].filter(Boolean);
  return h(
    "header",
    { class: `verdict ${toneOf(row.standing)}` },
    h("p", { class: "quiet project", title: row.project ?? "" }, row.project_name || row.project || ""),
    h("h1", row.standing),
    rest ? h("p", { class: "lede" }, ticked(rest)) : null,
    list((report?.conclusion?.reasons ?? []).map(ticked)),
    h("p", { class: "about" }, about.map((text) => h("span", text)), row.started ? h("span", "started ", when(row.started)) : null),
  );
}

function figures(row, report) {
  const proven = row.criteria ? `${row.criteria.proven} of ${row.criteria.total}` : "–";
  const shown = [
    ["Criteria", proven],
    ["Tests", testsBar(row.tests)],
    ["Phase", [row.phase ?? "–", phaseStrip(row)]],
    ["Iterations", String(row.iterations ?? "–")],
    ["Worked", took(report?.seconds_worked)],
    ["Cost", cost(row.cost_usd)],
    ["Tokens", shortCount(row.tokens)],
    ["Agent", h("span", { class: "cut-off", title: row.agent ?? "" }, agentName(row.agent))],
    ["Last activity", when(row.last_activity)],
  ];
  return h("dl", { class: "figures" }, shown.map(([name, value]) => h("div", { "data-key": name }, h("dt", name), h("dd", value))));
}

function doing(row, status) {
  const step = status?.doing;
  if (!step && !row.waits) return null;
  const text = step ? [h("strong", "Now: "), step.step, step.agent ? ` ${agentName(step.agent)}` : "", step.call ? ` (call ${step.call})` : "", ", since ", when(step.since)] : null;
  const waits = row.waits ? h("p", standingChip("waiting"), " ", because(row)) : null;
  return h("div", { class: "box info" }, text ? h("p", text) : null, waits);
}

/** Why it halted, what was tried, and the commands that continue it. */
export function haltBox(status) {
  const halt = status?.halt;
  if (!halt) return null;
  const failing = (halt.failing ?? []).map((each) => [h("code", each.id), `: ${each.message}`]);
  const tried = (halt.tried ?? []).map((each) => [h("strong", `${halt.phase} ${each.iteration}: `), each.changed?.length ? `changed ${each.changed.join(", ")}; ` : "no file changed; ", each.said ? h("q", each.said) : null, ` result: ${each.result || "none"}`]);
  const groups = [
    ["Evidence", (halt.evidence ?? []).map(ticked)],
    ["Failing", failing],
    ["Claimed", halt.false_claims],
    ["Reverted", halt.violations],
    ["Agents", halt.agents_out],
    ["Tried", tried],
  ];
  const shown = groups.filter(([, items]) => items?.length).map(([name, items]) => h("div", h("h3", name), list(items)));
  return h("div", { class: "halt" }, h("p", h("strong", "Why: "), ticked(halt.why)), shown, halt.advice ? h("p", ticked(halt.advice)) : null);
}

export const nextCommands = (status) => (status?.next ?? []).map((way) => commandLine(way.command, way.effect));

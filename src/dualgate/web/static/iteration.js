/** One iteration in full: claims beside facts, both gates, the decision, tests, differences, prompt and answer. */

import { diffBlock, fileDiff } from "./diff.js";
import { h } from "./dom.js";
import { agentName, atClock, cost, count, counted, size, took, words } from "./format.js";
import { longText } from "./long_text.js";
import { list, nothing, pairs, section, table, ticked } from "./parts.js";
import { chip } from "./states.js";

const GOOD_DECISIONS = ["next_phase", "project_complete"];
const BAD_DECISIONS = ["rejected", "stuck", "blocked", "aborted", "max_iterations", "budget_exhausted"];

export function decisionTone(decision) {
  if (GOOD_DECISIONS.includes(decision)) return "good";
  return BAD_DECISIONS.includes(decision) ? "bad" : "info";
}

export const decisionChip = (decision) => chip(decisionTone(decision), words(decision));
export const gateChip = (name, isOpen) => chip(isOpen ? "good" : "bad", `${name} ${isOpen ? "open" : "shut"}`);

/** All parts of an iteration, as one element; `found` is the document of the server. */
export function iterationParts(id, found) {
  return h(
    "div",
    { class: "iteration" },
    decided(found),
    claims(found),
    tests(found),
    violations(found),
    differences(found),
    texts(id, "prompt", "Prompt", found.prompts),
    texts(id, "answer", "Answer", found.answers),
  );
}

function decided(found) {
  const usage = found.usage ?? {};
  return section(
    "Decision",
    h("p", { class: "gates" }, gateChip("gate 1, evidence:", found.gate_1), " ", gateChip("gate 2, signal:", found.gate_2), " ", decisionChip(found.decision)),
    list((found.reasons ?? []).map(ticked)),
    list((found.warnings ?? []).map((text) => [h("strong", "Warning: "), ticked(text)])),
    found.halt_reason ? h("p", h("strong", "Halted: "), ticked(found.halt_reason)) : null,
    pairs([
      ["Agent", agentName(found.agent)],
      ["Calls", (found.calls ?? []).join(", ")],
      ["Time", [atClock(found.started), ", ", took(found.seconds)]],
      ["Tokens", usage.tokens === null ? null : count(usage.tokens)],
      ["Cost", usage.cost_usd === null ? null : cost(usage.cost_usd)],
      ["Rolled back", found.rolled_back ? "to the last green tree" : null],
    ]),
  );
}

/** What the agent says beside what dualgate measured. */
function claims(found) {
  const rows = (found.claims ?? []).map((each) => ({
    key: each.claim,
    cells: [h("code", each.claim), each.claimed, each.measured, chip(each.holds ? "good" : "bad", each.holds ? "holds" : "does not hold")],
  }));
  const content = rows.length ? table("Claims and facts", ["Claim", "Claimed", "Measured", "Result"], rows) : nothing("The agent claimed nothing that can be measured.");
  return section("Claims beside facts", content, criteria(found));
}

function criteria(found) {
  const states = (found.criteria ?? []).map((each) => h("li", h("strong", each.id), ` ${each.state}`));
  return states.length ? h("ul", { class: "inline-list", "aria-label": "Criteria after this iteration" }, states) : null;
}

function tests(found) {
  const seen = found.tests;
  const changes = found.test_changes ?? {};
  const named = ["new", "fixed", "broken", "gone"].filter((name) => changes[name]?.length);
  const names = named.map((name) => h("details", { class: "names" }, h("summary", `${counted(changes[name].length, "test", "tests")} ${name}`), list(changes[name].map((each) => h("code", each)))));
  const failing = (changes.failing ?? []).map((each) => h("details", { class: "names" }, h("summary", h("code", each.id)), h("pre", each.message || "no message")));
  const trusted = seen?.trusted === false ? chip("bad", "not trusted") : null;
  const checks = (found.checks ?? []).map((each) => h("li", h("code", each.command), ` ${each.problem || `exit code ${each.exit_code}`}`));
  return section(
    "Tests",
    seen ? h("p", `${seen.passed} passed, ${seen.failed} failed${seen.error ? `, ${seen.error} errors` : ""}, ${seen.skipped} skipped `, trusted) : nothing("No test ran."),
    names,
    failing.length ? [h("h3", "Failing"), failing] : null,
    checks.length ? [h("h3", "Checks"), h("ul", { class: "plain" }, checks)] : null,
  );
}

function violations(found) {
  const shown = (found.violations ?? []).map((each) =>
    h("div", { class: "box bad" }, h("p", h("code", each.path), ` ${each.reverted ? "reverted" : "not reverted"}: `, ticked(each.rule)), each.diff ? diffBlock(each.diff) : null),
  );
  return section("Violations", shown);
}

function differences(found) {
  if (found.no_diff) return section("Changes", nothing(found.no_diff));
  const files = (found.diffs ?? []).map((each) => fileDiff(each.path, each.diff, each.truncated ? "shown in part" : ""));
  const more = found.left_out ? nothing(`${counted(found.left_out, "more file is", "more files are")} not shown.`) : null;
  return section("Changes", files.length ? files : nothing("No file changed."), more);
}

function texts(id, kind, title, found) {
  if (!found?.length) return section(title, nothing("Not kept: the files of the oldest calls are deleted."));
  const shown = found.map((part) => [h("p", { class: "quiet" }, `Call ${part.call}, ${size(part.size ?? part.text.length)}`), longText(id, kind, part)]);
  return section(title, shown);
}

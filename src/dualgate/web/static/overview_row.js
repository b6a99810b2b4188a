/** One session as a row of the overview. */

import { h } from "./dom.js";
import { agentName, cost, shortCount, when } from "./format.js";
import { sessionAddress } from "./router.js";
import { because, breakerWord, phaseStrip, standingChip, testsBar } from "./states.js";

const cell = (label, className, ...content) => h("td", { role: "cell", "data-label": label, class: className }, content);

export function sessionRow(row) {
  return h(
    "tr",
    { role: "row", "data-key": row.id, class: `session ${row.alive ? "alive" : ""} ${row.archived ? "archived" : ""}` },
    nameCell(row),
    cell("State", "state", standingChip(row.standing), reason(row)),
    cell("Phase", "phase", h("span", { class: "phase-name" }, row.phase ?? "–"), phaseStrip(row)),
    cell("Iteration", "number", iteration(row)),
    cell("Tests", "tests-cell", testsBar(row.tests)),
    cell("Breaker", "", breakerWord(row.breaker)),
    cell("Cost", "number", costOf(row)),
    cell("Agent", "agent", h("span", { title: row.agent ?? "" }, agentName(row.agent))),
    cell("Last activity", "when", when(row.last_activity)),
  );
}

function nameCell(row) {
  const name = row.project_name || row.project || row.id;
  return cell(
    "Session",
    "name",
    h("a", { class: "name-link", href: sessionAddress(row.id), "data-row": true }, name),
    h("span", { class: "spec" }, row.specification ?? ""),
    row.archived ? h("span", { class: "tag" }, "archived") : null,
    row.worktree_of ? h("span", { class: "tag", title: `a work tree of ${row.worktree_of}` }, "work tree") : null,
  );
}

function reason(row) {
  const text = because(row);
  return text ? h("span", { class: "because", title: text }, text) : null;
}

function iteration(row) {
  if (row.iteration === null || row.iteration === undefined) return "–";
  const most = row.max_iterations ? h("span", { class: "quiet" }, ` of ${row.max_iterations}`) : null;
  const title = `Iteration ${row.iteration} of ${row.phase}; ${row.iterations} in all`;
  return h("span", { title }, String(row.iteration), most);
}

function costOf(row) {
  if (row.cost_usd === null || row.cost_usd === undefined) {
    return h("span", { class: "quiet", title: "The agent reports no cost" }, row.tokens ? `${shortCount(row.tokens)} tokens` : "–");
  }
  const isPart = row.calls_without_cost > 0;
  const title = isPart ? `at least: ${row.calls_without_cost} calls reported no cost` : `${shortCount(row.tokens)} tokens`;
  return h("span", { title }, `${isPart ? "≥ " : ""}${cost(row.cost_usd)}`);
}

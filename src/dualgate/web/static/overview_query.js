/** Which rows the overview shows, in which order and groups. The query of the address holds the choice. */

import { STANDINGS } from "./states.js";

const time = (iso) => (iso ? new Date(iso).getTime() : 0);
const share = (tests) => (tests?.total ? tests.passing / tests.total : -1);

/** The columns that can be sorted by: name, head, value of a row, and whether the largest comes first. */
export const COLUMNS = [
  { name: "session", head: "Session", value: (row) => `${row.project_name ?? ""} ${row.specification ?? ""}`.toLowerCase() },
  { name: "state", head: "State", value: (row) => STANDINGS.indexOf(row.standing) },
  { name: "phase", head: "Phase", value: (row) => row.percent ?? -1, descends: true },
  { name: "iteration", head: "Iteration", value: (row) => row.iterations ?? -1, descends: true },
  { name: "tests", head: "Tests", value: (row) => share(row.tests), descends: true },
  { name: "breaker", head: "Breaker", value: (row) => ["OPEN", "HALF_OPEN", "CLOSED"].indexOf(row.breaker) },
  { name: "cost", head: "Cost", value: (row) => row.cost_usd ?? -1, descends: true },
  { name: "agent", head: "Agent", value: (row) => (row.agent ?? "").toLowerCase() },
  { name: "activity", head: "Last activity", value: (row) => time(row.last_activity), descends: true },
];

export const GROUPS = {
  project: { label: "project", of: (row) => row.project ?? "unknown project", name: (row) => row.project_name || "unknown project" },
  state: { label: "state", of: (row) => row.standing, name: (row) => row.standing },
  agent: { label: "agent", of: (row) => row.agent ?? "no agent", name: (row) => row.agent || "no agent" },
};

/** The choice that an address holds; what it does not know is left out. */
export function readChoice(query) {
  const sort = query.get("sort") ?? "";
  const column = COLUMNS.find((each) => each.name === sort.replace(/^-/, ""));
  return {
    q: query.get("q") ?? "",
    state: STANDINGS.includes(query.get("state")) ? query.get("state") : "",
    sort: column ? sort : "",
    group: Object.hasOwn(GROUPS, query.get("group") ?? "") ? query.get("group") : "",
    view: query.get("view") === "cards" ? "cards" : "",
  };
}

/** Sessions at work first, then by their last event, those in an archive last: the order of the command line. */
function byWork(one, other) {
  return (
    Number(other.alive) - Number(one.alive) ||
    Number(one.archived) - Number(other.archived) ||
    time(other.last_activity) - time(one.last_activity)
  );
}

function byColumn(sort) {
  const column = COLUMNS.find((each) => each.name === sort.replace(/^-/, ""));
  const turned = sort.startsWith("-") !== Boolean(column.descends) ? -1 : 1;
  return (one, other) => {
    const [a, b] = [column.value(one), column.value(other)];
    return (a < b ? -1 : a > b ? 1 : 0) * turned || byWork(one, other);
  };
}

function isFound(row, needles) {
  const text = [row.project, row.project_name, row.specification, row.agent, row.id, row.standing, row.halted_by, row.phase];
  const hay = text.filter(Boolean).join(" ").toLowerCase();
  return needles.every((needle) => hay.includes(needle));
}

export function chosenRows(rows, choice) {
  const needles = choice.q.toLowerCase().split(/\s+/).filter(Boolean);
  const found = rows.filter((row) => (!choice.state || row.standing === choice.state) && isFound(row, needles));
  return found.sort(choice.sort ? byColumn(choice.sort) : byWork);
}

/** The rows in groups, each in the order of its first row: `[{key, name, rows}]`; one group without a name if none. */
export function grouped(rows, group) {
  if (!group) return [{ key: "", name: "", rows }];
  const found = new Map();
  for (const row of rows) {
    const key = GROUPS[group].of(row);
    if (!found.has(key)) found.set(key, { key, name: GROUPS[group].name(row), rows: [] });
    found.get(key).rows.push(row);
  }
  return [...found.values()];
}

/** How many rows have each state. */
export function countStates(rows) {
  const counts = new Map(STANDINGS.map((standing) => [standing, 0]));
  for (const row of rows) counts.set(row.standing, (counts.get(row.standing) ?? 0) + 1);
  return counts;
}

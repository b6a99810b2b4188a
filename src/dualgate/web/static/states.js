/** The states of a session: their order, tone and words. */

import { h } from "./dom.js";
import { shortClock, words } from "./format.js";

export const STANDINGS = ["running", "waiting", "process died", "halted", "paused", "not proven", "proven", "unreadable"];

const TONES = {
  running: "info",
  waiting: "warn",
  "process died": "bad",
  halted: "bad",
  paused: "warn",
  "not proven": "warn",
  proven: "good",
  unreadable: "bad",
};

const SIGNS = { good: "✓", bad: "✕", warn: "!", info: "•" };

export const toneOf = (standing) => TONES[standing] ?? "info";

/** A word on a coloured ground. The sign and the word carry the meaning, the colour only helps. */
export const chip = (tone, text) =>
  h("span", { class: `chip ${tone}` }, h("span", { "aria-hidden": "true", class: "sign" }, SIGNS[tone] ?? ""), text);

export const standingChip = (standing) => chip(toneOf(standing), standing);

/** The reason for the state in a few words: the cause of a halt, what a wait is for, or what is wrong with the files. */
export function because(row) {
  if (row.problem) return row.problem.replaceAll(`${row.folder}/`, "");
  if (row.waits) return row.waits.until ? `until ${shortClock(row.waits.until)}: ${row.waits.reason}` : row.waits.reason;
  if (row.standing === "halted") return row.halted_by ? words(row.halted_by) : (row.halt_reason ?? "");
  if (row.standing === "paused") return words(row.pause_reason);
  if (row.standing === "process died") return "resume it to go on";
  return row.self_reviewed ? "reviewed by its author" : "";
}

const MARKS = { done: "done", now: "now", ahead: "to come", skipped: "skipped" };

/** The phases as a strip of segments, named for screen readers. */
export function phaseStrip(row) {
  const phases = row.phases ?? [];
  const label = phases.map((each) => `${each.phase} ${MARKS[each.mark] ?? each.mark}`).join(", ");
  const segments = phases.map((each) => h("span", { class: `segment ${each.mark}`, title: `${each.phase}: ${MARKS[each.mark]}` }));
  return h("span", { class: "strip", role: "img", "aria-label": label || "no phase" }, segments);
}

/** Passing and failing tests as a bar with its numbers. */
export function testsBar(tests) {
  if (!tests || !tests.total) return h("span", { class: "quiet" }, "–");
  const part = (amount) => `${(100 * amount) / tests.total}%`;
  const bar = h(
    "span",
    { class: "tests-bar", "aria-hidden": "true", vars: { "--passing": part(tests.passing), "--failing": part(tests.failing) } },
    h("span", { class: "passing" }),
    h("span", { class: "failing" }),
  );
  const title = `${tests.passing} passing, ${tests.failing} failing, ${tests.skipped} skipped`;
  return h("span", { class: "tests", title }, bar, h("span", { class: "number" }, `${tests.passing}/${tests.total}`));
}

const BREAKERS = { CLOSED: "good", HALF_OPEN: "warn", OPEN: "bad" };

export const breakerWord = (state) =>
  state ? h("span", { class: `breaker ${BREAKERS[state] ?? "warn"}` }, words(state).toLowerCase()) : "–";

/** The phases of a session over its time, with a table of each stay. */

import { h } from "./dom.js";
import { atClock, clock, counted, took } from "./format.js";
import { table } from "./parts.js";
import { chip } from "./states.js";

const TONES = { passed: "good", "proven again": "good", rejected: "bad", "back to rewrite tests": "warn", skipped: "warn", "not ended": "info" };
const seconds = (from, to) => Math.max(0, (new Date(to) - new Date(from)) / 1000);

export function phaseTimeline(report) {
  const { stays, started, ended } = report;
  const whole = seconds(started, ended) || 1;
  const least = 4; // a stay of no time stays visible
  const segments = stays.map((stay) => {
    const part = Math.max(least, (100 * seconds(stay.began, stay.ended ?? ended)) / whole);
    const title = `${stay.phase}: ${took(seconds(stay.began, stay.ended ?? ended))}, ${counted(stay.iterations, "iteration", "iterations")}, ${stay.end}`;
    return h("span", { class: `stay ${TONES[stay.end] ?? "info"}`, title, vars: { "--part": part } }, h("span", stay.phase));
  });
  const ribbon = h("div", { class: "ribbon", role: "img", "aria-label": `${stays.length} stays in phases; the table has the times` }, segments);
  const scale = h("p", { class: "scale quiet" }, h("span", clock(started)), h("span", clock(ended)));
  const rows = stays.map((stay, index) => ({
    key: String(index),
    cells: [
      h("strong", stay.phase),
      atClock(stay.began),
      took(seconds(stay.began, stay.ended ?? ended)),
      String(stay.iterations),
      String(stay.calls),
      chip(TONES[stay.end] ?? "info", stay.end),
    ],
  }));
  const details = h("details", { class: "numbers" }, h("summary", `Table of ${counted(stays.length, "stay", "stays")}`), table("Phases", ["Phase", "Began", "Took", "Iterations", "Calls", "Result"], rows));
  return h("div", ribbon, scale, details);
}

/** Keys for everything that a mouse can do; they rest while somebody types. */

import { byId, h } from "./dom.js";
import { cancelButton, openDialog } from "./dialogs.js";
import { nextTheme } from "./theme.js";
import { go } from "./router.js";

const KEYS = [
  ["/", "Search sessions, or filter the log"],
  ["j, k", "Next and previous row"],
  ["Enter", "Open the row"],
  ["1 to 7", "Parts of a session"],
  ["[, ]", "Previous and next iteration"],
  ["u", "One level up"],
  ["f", "Follow or pause the log"],
  ["← →", "Values of a chart that has the focus"],
  ["t", "Light, dark, or as the system says"],
  ["Esc", "Close a dialog, clear the search"],
  ["?", "This list"],
];

const ACTIONS = {
  "/": () => focusOn("[data-search]"),
  j: () => moveRow(1),
  k: () => moveRow(-1),
  "[": () => clickOn("[data-previous]"),
  "]": () => clickOn("[data-next]"),
  u: () => up(),
  f: () => clickOn("[data-follow]"),
  t: () => nextTheme(byId("theme")),
  "?": () => showKeys(),
};

export function startKeys() {
  byId("help").addEventListener("click", showKeys);
  document.addEventListener("keydown", pressed);
}

function pressed(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  const isTyping = event.target.matches?.("input, textarea, select");
  if (isTyping) {
    if (event.key === "Escape") leave(event.target);
    return;
  }
  const act = /^[1-9]$/.test(event.key) ? () => clickOn(`[data-part="${event.key}"]`) : ACTIONS[event.key];
  if (!act) return;
  event.preventDefault();
  act();
}

function leave(field) {
  if (field.matches("[data-search]") && field.value) {
    field.value = "";
    field.dispatchEvent(new Event("input"));
  } else {
    field.blur();
  }
}

const clickOn = (selector) => document.querySelector(selector)?.click();
const focusOn = (selector) => document.querySelector(selector)?.focus();

/** Focus the next row after the one that has the focus, or the first one. */
function moveRow(step) {
  const rows = [...document.querySelectorAll("[data-row]")].filter((row) => row.checkVisibility());
  const here = rows.findIndex((row) => row === document.activeElement || row.parentElement.contains(document.activeElement));
  const next = here < 0 ? 0 : Math.min(rows.length - 1, Math.max(0, here + step));
  rows[next]?.focus();
  rows[next]?.scrollIntoView({ block: "nearest" });
}

function up() {
  const above = [...document.querySelectorAll("#trail a")].pop();
  if (above) go(above.href);
}

function showKeys() {
  const rows = KEYS.map(([keys, text]) => h("div", h("dt", keys.split(", ").map((key) => h("kbd", key))), h("dd", text)));
  openDialog("Keys", h("div", h("dl", { class: "keys" }, rows), h("div", { class: "buttons" }, cancelButton("Close"))));
}

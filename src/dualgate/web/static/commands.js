/** Commands that a person can copy. */

import { h } from "./dom.js";
import { announce } from "./announce.js";

/** A command with a button that copies it, and its effect. */
export function commandLine(command, effect = "") {
  const on = { click: (event) => copy(command, event.currentTarget) };
  const button = h("button", { type: "button", class: "copy", "aria-label": `Copy: ${command}`, on }, "Copy");
  const line = h("div", { class: "command-line" }, h("code", command), button);
  return h("div", { class: "command", "data-key": command }, line, effect ? h("p", { class: "quiet" }, effect) : null);
}

async function copy(text, button) {
  const isCopied = await navigator.clipboard.writeText(text).then(() => true, () => false);
  button.textContent = isCopied ? "Copied" : "Select it";
  announce(isCopied ? "Copied." : "The browser does not allow copying. Select the text instead.");
  setTimeout(() => (button.textContent = "Copy"), 2000);
}

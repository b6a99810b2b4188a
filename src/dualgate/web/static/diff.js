/** Differences of files, line by line. */

import { h } from "./dom.js";

const MOST_LINES = 2000;
const KINDS = { "+": "add", "-": "del", "@": "hunk" };

export function diffBlock(text) {
  const lines = (text ?? "").replace(/\n$/, "").split("\n");
  const shown = lines.slice(0, MOST_LINES).map((line) => h("span", { class: `line ${kindOf(line)}` }, line || " "));
  const left = lines.length - shown.length;
  const rest = left > 0 ? h("span", { class: "line hunk" }, `${left} more lines`) : null;
  return h("pre", { class: "diff", tabindex: "0" }, shown, rest);
}

function kindOf(line) {
  if (line.startsWith("+++") || line.startsWith("---")) return "file";
  return KINDS[line[0]] ?? "same";
}

/** One file with its difference, folded if it is long. */
export function fileDiff(path, diff, note = "") {
  const lines = (diff ?? "").split("\n");
  const counts = { add: 0, del: 0 };
  for (const line of lines) if (kindOf(line) in counts) counts[kindOf(line)] += 1;
  const numbers = [h("span", { class: "added" }, `+${counts.add}`), " ", h("span", { class: "removed" }, `−${counts.del}`)];
  const summary = h("summary", h("code", path), " ", numbers, note ? h("span", { class: "quiet" }, ` ${note}`) : null);
  return h("details", { class: "file", "data-key": path, open: lines.length <= 200 }, summary, diffBlock(diff));
}

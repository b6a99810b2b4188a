/** A text that may be very long: its beginning at once, and more when the reader asks for it. */

import { get, sessionPath } from "./api.js";
import { problemBox } from "./dialogs.js";
import { fill, h } from "./dom.js";
import { size } from "./format.js";

const STEP = 262_144;
const bytesOf = (text) => new TextEncoder().encode(text).length;

/** `part` is `{call, size, text, truncated, next}`; `kind` is prompt, answer or output. */
export function longText(id, kind, part) {
  const parts = h("div", { class: "long-text", tabindex: "0", role: "group", "aria-label": `${kind} of call ${part.call}` });
  const under = h("div", { class: "under" });
  const state = { next: part.truncated ? (part.next ?? bytesOf(part.text)) : null, size: part.size };
  const path = (offset) => `${sessionPath(id)}/calls/${part.call}/${kind}?offset=${offset}&limit=${STEP}`;
  parts.append(h("pre", part.text || "(empty)"));
  const load = async (offset, isEnd) => {
    fill(under, h("p", { class: "quiet" }, "Loading…"));
    try {
      const found = await get(path(offset));
      if (isEnd) parts.append(h("p", { class: "cut" }, `… ${size(found.offset - state.next)} left out …`));
      parts.append(h("pre", found.text));
      state.next = found.next;
      showUnder();
    } catch (problem) {
      fill(under, problemBox(problem), h("button", { type: "button", on: { click: () => load(offset, isEnd) } }, "Try again"));
    }
  };
  const showUnder = () => {
    if (state.next === null) return void fill(under);
    const left = Math.max(0, state.size - state.next);
    const more = h("button", { type: "button", class: "show-more", on: { click: () => load(state.next, false) } }, "Show more");
    const end = h("button", { type: "button", on: { click: () => load(Math.max(state.next, state.size - STEP), true) } }, "Show the end");
    fill(under, h("span", { class: "quiet" }, `${size(left)} of ${size(state.size)} not shown. `), more, left > STEP ? end : null);
  };
  showUnder();
  return h("div", parts, under);
}

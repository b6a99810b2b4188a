/** The log of a session: it follows the run, can be paused and filtered, and loads older lines. */

import { coalesced, get, sessionPath } from "./api.js";
import { problemBox } from "./dialogs.js";
import { fill, h } from "./dom.js";
import { counted, fullTime, clock } from "./format.js";
import { iterationAddress } from "./router.js";

const STEP = 200;
const MOST = 2000;
const NEAR = 40;

export class LogPart {
  constructor(id) {
    this.id = id;
    this.events = [];
    this.last = null;
    this.hasOlder = false;
    this.isFollowing = true;
    this.waiting = 0;
    this.build();
    this.load = coalesced(() => this.loadNew());
  }

  build() {
    const filter = { input: () => this.applyFilter() };
    this.search = h("input", { type: "search", "data-search": true, "aria-label": "Filter the log", placeholder: "Filter lines…", on: filter });
    this.phase = h("select", { "aria-label": "Phase", on: { change: () => this.applyFilter() } }, h("option", { value: "" }, "all phases"));
    this.tone = h(
      "select",
      { "aria-label": "Lines", on: { change: () => this.applyFilter() } },
      h("option", { value: "" }, "all lines"),
      h("option", { value: "bad" }, "problems only"),
      h("option", { value: "good" }, "passes only"),
    );
    this.follow = h("button", { type: "button", "data-follow": true, "aria-pressed": "true", on: { click: () => this.setFollowing(!this.isFollowing) } });
    this.older = h("p", { class: "older" });
    this.lines = h("ol", { class: "log-lines" });
    this.scroll = h("div", { class: "log", role: "log", "aria-live": "off", "aria-label": "Log", tabindex: "0", on: { scroll: () => this.scrolled() } }, this.older, this.lines);
    this.told = h("p", { class: "quiet", role: "status" });
    this.problem = h("div");
    const tools = h("div", { class: "tools" }, this.search, this.phase, this.tone, this.follow);
    this.node = h("section", { class: "part" }, h("h2", "Log"), tools, this.problem, this.scroll, this.told);
    this.showFollow();
  }

  update(detail) {
    this.newest = detail.row.seq ?? 0;
    if (this.last === null || this.newest > this.last) this.load();
  }

  /** The last lines first; after that only what is new. */
  async loadNew() {
    const isFirst = this.last === null;
    const from = isFirst ? "" : `&after=${this.last}`;
    try {
      const found = await get(`${sessionPath(this.id)}/events?limit=${STEP}${from}`);
      fill(this.problem);
      if (isFirst) this.hasOlder = found.more;
      const hasMore = found.more && !isFirst;
      this.last = Math.max(this.last ?? 0, found.events.at(-1)?.seq ?? 0, hasMore ? 0 : found.last);
      this.add(found.events);
      if (hasMore) this.load();
    } catch (problem) {
      fill(this.problem, problemBox(problem));
    }
  }

  async loadOlder() {
    const first = this.events[0]?.seq ?? 0;
    const after = Math.max(0, first - STEP - 1);
    const found = await get(`${sessionPath(this.id)}/events?after=${after}&before=${first}&limit=${STEP}`);
    this.events = [...found.events, ...this.events];
    this.hasOlder = after > 0;
    const height = this.scroll.scrollHeight;
    this.lines.prepend(...found.events.map((event) => this.line(event)));
    this.scroll.scrollTop += this.scroll.scrollHeight - height; // the reader stays at the same line
    this.showAround();
  }

  add(events) {
    this.events.push(...events);
    this.lines.append(...events.map((event) => this.line(event)));
    while (this.isFollowing && this.lines.children.length > MOST) {
      this.lines.firstChild.remove();
      this.events.shift();
      this.hasOlder = true;
    }
    if (!this.isFollowing) this.waiting += events.filter((event) => event.text.length).length;
    this.showAround();
    if (this.isFollowing) this.toEnd();
  }

  line(event) {
    const place = event.phase ? `${event.phase}${event.iteration ? ` ${event.iteration}` : ""}` : "";
    const href = event.number ? iterationAddress(this.id, event.number) : null;
    return h(
      "li",
      { class: `tone-${event.tone}`, hidden: !this.isShown(event), "data-seq": String(event.seq) },
      h("time", { datetime: event.at, title: fullTime(event.at) }, clock(event.at)),
      h("span", { class: "place" }, href ? h("a", { href }, place || "iteration") : place),
      h("span", { class: "text" }, event.text.map((text) => h("span", { class: "text-line" }, bare(text, event)))),
    );
  }

  isShown(event) {
    if (!event.text.length) return false;
    const needle = this.search.value.toLowerCase();
    const isPhase = !this.phase.value || event.phase === this.phase.value;
    const isTone = !this.tone.value || event.tone === this.tone.value;
    return isPhase && isTone && (!needle || event.text.some((text) => text.toLowerCase().includes(needle)));
  }

  applyFilter() {
    const children = [...this.lines.children];
    this.events.forEach((event, index) => (children[index].hidden = !this.isShown(event)));
    this.showAround();
    if (this.isFollowing) this.toEnd();
  }

  showAround() {
    const phases = [...new Set(this.events.map((event) => event.phase).filter(Boolean))];
    const known = [...this.phase.options].map((option) => option.value);
    for (const phase of phases) if (!known.includes(phase)) this.phase.append(h("option", { value: phase }, phase));
    const load = h("button", { type: "button", on: { click: () => this.loadOlder() } }, "Load older lines");
    fill(this.older, this.hasOlder ? load : null);
    const shown = this.lines.querySelectorAll("li:not([hidden])").length;
    const told = [counted(shown, "entry", "entries"), this.waiting ? `${counted(this.waiting, "new one", "new ones")} below` : ""];
    fill(this.told, told.filter(Boolean).join(", "));
  }

  setFollowing(isFollowing) {
    this.isFollowing = isFollowing;
    this.waiting = isFollowing ? 0 : this.waiting;
    this.showFollow();
    this.showAround();
    if (isFollowing) this.toEnd();
  }

  showFollow() {
    this.follow.setAttribute("aria-pressed", String(this.isFollowing));
    this.follow.textContent = this.isFollowing ? "Following: pause" : "Paused: follow";
  }

  toEnd() {
    this.scroll.scrollTop = this.scroll.scrollHeight;
  }

  /** Scrolling up pauses the log, so that nothing moves under the reader; the end lets it follow again. */
  scrolled() {
    const isAtEnd = this.scroll.scrollHeight - this.scroll.scrollTop - this.scroll.clientHeight < NEAR;
    if (isAtEnd !== this.isFollowing) this.setFollowing(isAtEnd);
  }
}

/** A line without its time, phase and iteration, which stand in columns of their own, in the zone of the reader. */
function bare(text, event) {
  const rest = text.replace(/^\d\d:\d\d:\d\d\s+(\+\S+\s+)?/, "");
  const isPlaced = event.phase && rest.startsWith(`${event.phase} `);
  return isPlaced ? rest.slice(event.phase.length).replace(/^\s+\d+\s\s/, "").trimStart() : rest;
}

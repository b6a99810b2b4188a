/** The page of one iteration, with its address. */

import { get, sessionPath } from "./api.js";
import { problemBox } from "./dialogs.js";
import { fill, h } from "./dom.js";
import { iterationParts } from "./iteration.js";
import { iterationAddress, sessionAddress } from "./router.js";
import { facts, rowOf } from "./store.js";

export class IterationView {
  constructor(place) {
    this.id = place.id;
    this.head = h("div", { class: "iteration-head" });
    this.body = h("div");
    this.node = h("article", this.head, this.body);
  }

  title() {
    return `Iteration ${this.number} · ${rowOf(this.id)?.project_name ?? ""} · `;
  }

  async show(place) {
    this.number = place.number;
    this.place = place;
    fill(this.body, h("p", { class: "loading" }, "Loading…"));
    try {
      const found = await get(`${sessionPath(this.id)}/iterations/${place.number}`);
      if (this.number !== place.number) return; // the reader went on
      this.phase = `${found.phase} ${found.iteration}`;
      this.body.replaceChildren(iterationParts(this.id, found));
    } catch (problem) {
      this.phase = "";
      if (problem.status === 404 && facts()?.loading) return; // its session is not read yet
      fill(this.body, problemBox(problem));
    }
    this.showHead();
  }

  showHead() {
    const last = rowOf(this.id)?.iterations ?? Infinity;
    const link = (number, text, mark) =>
      number >= 1 && number <= last ? h("a", { class: "step", href: iterationAddress(this.id, number), [mark]: true }, text) : null;
    fill(
      this.head,
      h("h1", `Iteration ${this.number}`, this.phase ? h("span", { class: "quiet" }, ` ${this.phase}`) : null),
      h(
        "nav",
        { class: "steps", "aria-label": "Iterations" },
        link(this.number - 1, "← previous", "data-previous"),
        h("a", { class: "step", href: sessionAddress(this.id, "iterations") }, "all iterations"),
        link(this.number + 1, "next →", "data-next"),
      ),
    );
  }

  /** What an iteration shows is final; only the way to the next one can appear. */
  heard(change) {
    if (change.kind !== "all" && change.row?.id !== this.id) return;
    if (this.phase) this.showHead();
    else this.show(this.place);
  }

  leave() {}
}

/** The start of the page: token, theme, keys, the view of the address, and the stream. */

import { announceRow } from "./announce.js";
import { startConnection } from "./connection.js";
import { askToken, login, problemBox } from "./dialogs.js";
import { byId, fill, h } from "./dom.js";
import { keepTimes } from "./format.js";
import { IterationView } from "./iteration_view.js";
import { startKeys } from "./keys.js";
import { OverviewView } from "./overview.js";
import { onPlace, sessionAddress, startRouter } from "./router.js";
import { SessionView } from "./session.js";
import { allRows, follow, listen, rowOf } from "./store.js";
import { startTheme } from "./theme.js";
import { takeToken } from "./token.js";

const NEEDS_TOKEN = 401;
class MissingView {
  constructor() {
    const text = "This address leads nowhere.";
    this.node = h("div", { class: "empty" }, h("h1", "Not found"), h("p", text), h("p", h("a", { href: "/" }, "All sessions")));
  }
  show() {}
  heard() {}
  leave() {}
}

const VIEWS = { overview: OverviewView, session: SessionView, iteration: IterationView, missing: MissingView };

let shown = null;

/** A view has `node`, `show(place)` for a new address, `heard(change)` for news, and `leave()`. */
async function showPlace(place) {
  const { name, id, number } = place;
  const isSame = Boolean(shown && shown.name === name && shown.id === id && shown.number === number);
  if (!isSame) {
    shown?.view.leave();
    shown = { name, id, number, view: new VIEWS[name](place) };
    byId("view").replaceChildren(shown.view.node);
  }
  showTrail(place);
  await shown.view.show(place);
  showTitle();
  return isSame;
}

function showTrail(place) {
  const steps = place.name === "overview" ? [] : [h("a", { href: "/" }, "Sessions")];
  if (place.name === "iteration") steps.push(h("a", { href: sessionAddress(place.id, "iterations") }, sessionName(place.id)));
  const here = { session: () => sessionName(place.id), iteration: () => `Iteration ${place.number}` }[place.name];
  if (here) steps.push(h("span", { "aria-current": "page" }, here()));
  fill(byId("trail"), h("ol", steps.map((step) => h("li", step))));
}

function sessionName(id) {
  return rowOf(id)?.project_name || id.slice(0, 8);
}

function showTitle() {
  const running = allRows().filter((row) => row.alive).length;
  document.title = [running ? `(${running}) ` : "", shown?.view.title?.() ?? "", "dualgate"].filter(Boolean).join("");
}

/** Load and follow; where reading needs a token, ask for it first. */
async function begin() {
  await login();
  for (;;) {
    try {
      await follow();
      return true;
    } catch (problem) {
      const asked = problem.status === NEEDS_TOKEN && (await askToken("Reading this dashboard needs its token."));
      if (!asked) return tellProblem(problem);
    }
  }
}

function tellProblem(problem) {
  const again = h("button", { type: "button", on: { click: () => location.reload() } }, "Try again");
  fill(byId("view"), h("h1", "No sessions to show"), problemBox(problem), h("p", again));
  return false;
}

function heard(change) {
  if (change.kind === "row") announceRow(change);
  if (change.kind === "connection") return;
  shown?.view.heard(change);
  showTitle();
}

takeToken();
startTheme(byId("theme"));
startKeys();
startConnection(byId("connection"));
keepTimes();
begin().then((isReady) => {
  if (!isReady) return;
  onPlace(showPlace);
  listen(heard);
  startRouter();
});
addEventListener("hashchange", takeToken);

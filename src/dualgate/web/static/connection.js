/** The state of the connection, in the head of the page. */

import { fill, h } from "./dom.js";
import { announce } from "./announce.js";
import { connectionState, listen, reconnect } from "./store.js";

const WORDS = { connecting: "Connecting…", live: "Live", waiting: "Connection lost" };

export function startConnection(node) {
  let before = "connecting";
  const show = () => {
    const { state, wait } = connectionState();
    const isLost = state === "waiting" || (state === "connecting" && before === "waiting");
    node.dataset.state = isLost ? "waiting" : state;
    const again = h("button", { class: "link-button", type: "button", on: { click: reconnect } }, "Reconnect now");
    const seconds = Math.max(1, Math.round(wait / 1000));
    fill(
      node,
      h("span", { class: "dot", "aria-hidden": "true" }),
      h("span", { title: state === "waiting" ? `Next attempt in ${seconds} s` : "" }, WORDS[isLost ? "waiting" : state]),
      isLost ? again : null,
    );
    if (state === "waiting" && before === "live") announce("Connection lost. The page connects again by itself.");
    if (state === "live" && before === "waiting") announce("Connected again.");
    if (state !== "connecting") before = state;
  };
  listen((change) => {
    if (change.kind === "connection") show();
    if (change.kind === "updated") node.before(reloadButton());
  });
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden && connectionState().state === "waiting") reconnect();
  });
  show();
}

/** After the server was updated, the page is older than its answers. */
const reloadButton = () =>
  h("button", { type: "button", class: "link-button", on: { click: () => location.reload() } }, "New version: reload");

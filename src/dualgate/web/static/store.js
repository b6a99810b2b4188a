/** What the page knows about all sessions: the overview, kept right by the stream. */

import { coalesced, get } from "./api.js";
import { setServerTime } from "./format.js";
import { Stream } from "./stream.js";

const STILL_LOADING = 1500;
const rows = new Map();
const listeners = new Set();
let overview = null;
let stream = null;
let connection = { state: "connecting", wait: 0 };

export const allRows = () => [...rows.values()];
export const rowOf = (id) => rows.get(id);
export const facts = () => overview;
export const mayControl = () => Boolean(overview?.control?.allowed);
export const connectionState = () => connection;

/** Be called with `{kind: "all" | "row" | "gone" | "connection" | "updated", …}`; the result ends it. */
export function listen(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

const say = (change) => listeners.forEach((listener) => listener(change));

export const loadOverview = coalesced(async () => {
  const found = await get("/api/overview");
  const isOther = overview && overview.version !== found.version;
  overview = found;
  setServerTime(found.now);
  rows.clear();
  for (const row of found.sessions) rows.set(row.id, row);
  say({ kind: "all" });
  if (isOther) say({ kind: "updated" });
  if (found.loading) setTimeout(() => loadOverview().catch(() => {}), STILL_LOADING); // its sessions are still read
  return found;
});

/** Load the overview and follow it. */
export async function follow() {
  const found = await loadOverview();
  stream ??= new Stream("/api/stream", heard, changed);
  stream.start(found.cursor);
}

export const reconnect = () => stream?.start();

function heard(name, data) {
  if (name === "row") {
    const before = rows.get(data.row.id);
    rows.set(data.row.id, data.row);
    say({ kind: "row", row: data.row, before });
  } else if (name === "gone") {
    rows.delete(data.id);
    say({ kind: "gone", id: data.id });
  } else if (name === "reset") {
    follow().catch(() => {}); // the stream tries again by itself
  }
}

function changed(state, wait) {
  connection = { state, wait };
  say({ kind: "connection" });
}

/** Addresses and views: every view has an address, and back and forward lead to where the reader was. */

import { byId } from "./dom.js";

const listeners = new Set();

/** The address as a view: its name, the ids in its path, and its query. */
export function place() {
  const query = new URLSearchParams(location.search);
  const parts = location.pathname.split("/").filter(Boolean).map(decoded);
  if (parts.length === 0) return { name: "overview", query };
  if (parts[0] === "sessions" && parts.length === 2) return { name: "session", id: parts[1], query };
  if (parts[0] === "sessions" && parts[2] === "iterations" && /^\d+$/.test(parts[3] ?? "") && parts.length === 4) {
    return { name: "iteration", id: parts[1], number: Number(parts[3]), query };
  }
  return { name: "missing", query };
}

function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export const sessionAddress = (id, tab = "") => `/sessions/${encodeURIComponent(id)}${tab ? `?tab=${tab}` : ""}`;
export const iterationAddress = (id, number) => `/sessions/${encodeURIComponent(id)}/iterations/${number}`;
export const reportAddress = (id) => `/sessions/${encodeURIComponent(id)}/report`;

/** Be called with the new place after each change of the address; the answer is whether the view stayed the same. */
export const onPlace = (listener) => listeners.add(listener);

export function go(address) {
  rememberScroll();
  history.pushState({ y: 0 }, "", address);
  show({ isNew: true });
}

/** Change the query of the address in place: a filter is no step in the history. */
export function setQuery(changes) {
  const query = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changes)) {
    if (value) query.set(name, value);
    else query.delete(name);
  }
  const text = query.toString();
  history.replaceState(history.state, "", location.pathname + (text ? `?${text}` : ""));
}

/** Follow links of this page without loading it again, and listen to back and forward. */
export function startRouter() {
  history.scrollRestoration = "manual";
  document.addEventListener("click", followLink);
  addEventListener("popstate", () => show({ isNew: false }));
  addEventListener("pagehide", rememberScroll);
  show({ isNew: false });
}

function followLink(event) {
  const link = event.target.closest?.("a[href]");
  const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
  if (!link || !isPlain || event.defaultPrevented || link.target || link.hash || link.origin !== location.origin) return;
  if (link.dataset.page) return; // a page of its own, such as the report
  event.preventDefault();
  if (link.href !== location.href) go(link.href);
}

function rememberScroll() {
  history.replaceState({ ...history.state, y: scrollY }, "");
}

async function show({ isNew }) {
  const y = isNew ? 0 : (history.state?.y ?? 0);
  const kept = await Promise.all([...listeners].map((listener) => listener(place())));
  if (isNew && kept.includes(true)) return; // another part of the same view: the reader stays where they are
  if (isNew) byId("view").focus({ preventScroll: true });
  scrollTo(0, y);
}

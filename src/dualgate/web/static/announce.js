/** Say a change to screen readers, politely. */

import { byId } from "./dom.js";

export function announce(text) {
  byId("announcer").textContent = text;
}

/** A session that ends, halts or waits is announced; every iteration would be too much. */
export function announceRow({ row, before }) {
  if (!before || before.standing === row.standing) return;
  announce(`${row.project_name || "Session"}, ${row.specification || row.id}: ${row.standing}.`);
}

/** Ask the server: JSON in and out, errors as sentences, at most one request for the same thing at a time. */

import { token } from "./token.js";

export class Refused extends Error {
  constructor(status, message, nextStep = "") {
    super(message);
    this.status = status;
    this.nextStep = nextStep;
  }
}

export const headers = (more = {}) => (token() ? { Authorization: `Bearer ${token()}`, ...more } : more);

export async function get(path) {
  return answered(await sent(path, { headers: headers({ Accept: "application/json" }) }));
}

export async function post(path, body = {}) {
  const options = { method: "POST", headers: headers({ "Content-Type": "application/json" }), body: JSON.stringify(body) };
  return answered(await sent(path, options));
}

async function sent(path, options) {
  try {
    return await fetch(path, options);
  } catch {
    throw new Refused(0, "The server does not answer.", "Is `dualgate dashboard` still running?");
  }
}

async function answered(response) {
  const body = await response.json().catch(() => null);
  if (response.ok && body !== null) return body;
  const said = body?.error ?? {};
  throw new Refused(response.status, said.message ?? `The server answers with ${response.status}.`, said.next_step);
}

/** A loader that has one request in flight at most; calls during it lead to one more request after it. */
export function coalesced(load) {
  let running = null;
  let again = false;
  return function ask() {
    if (running) {
      again = true;
      return running;
    }
    running = load().finally(() => {
      running = null;
      if (again) {
        again = false;
        ask().catch(() => {}); // the caller of the first request has shown the problem
      }
    });
    return running;
  };
}

export const sessionPath = (id) => `/api/sessions/${encodeURIComponent(id)}`;

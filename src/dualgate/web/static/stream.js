/** One stream of server-sent events: it resumes where it ended, and waits longer after each failure. */

import { headers } from "./api.js";

const FIRST_WAIT = 500;
const LONGEST_WAIT = 30_000;
const SILENCE = 45_000; // the server sends a comment every 15 seconds

export class Stream {
  /** `heard(name, data)` gets every event, `changed(state, wait)` the state: connecting, live or waiting. */
  constructor(path, heard, changed) {
    this.path = path;
    this.heard = heard;
    this.changed = changed;
    this.cursor = "";
    this.failures = 0;
    this.timer = null;
    this.silence = null;
    this.request = null;
  }

  /** Connect from a cursor, or again from the last one that was heard. */
  start(cursor = this.cursor) {
    this.stop();
    this.cursor = cursor;
    this.request = new AbortController();
    this.changed("connecting", 0);
    this.read(this.request.signal).catch(() => {}).finally(() => this.ended(this.request));
  }

  stop() {
    clearTimeout(this.timer);
    clearTimeout(this.silence);
    const request = this.request;
    this.request = null;
    request?.abort();
  }

  async read(signal) {
    const more = this.cursor ? { "Last-Event-ID": this.cursor } : {};
    const response = await fetch(this.path, { headers: headers({ Accept: "text/event-stream", ...more }), signal });
    if (!response.ok) throw new Error(`stream: ${response.status}`);
    this.failures = 0;
    this.changed("live", 0);
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (;;) {
      this.watch();
      const { done, value } = await reader.read();
      if (done) return;
      const blocks = (rest + value).split(/\r?\n\r?\n/);
      rest = blocks.pop();
      for (const block of blocks) this.take(block);
    }
  }

  /** A connection that is silent for too long is dead: end it, so that it is made again. */
  watch() {
    clearTimeout(this.silence);
    this.silence = setTimeout(() => this.request?.abort(), SILENCE);
  }

  take(block) {
    let [name, id, data] = ["message", null, ""];
    for (const line of block.split(/\r?\n/)) {
      const [field, ...parts] = line.split(":");
      const value = parts.join(":").replace(/^ /, "");
      if (field === "event") name = value;
      if (field === "id") id = value;
      if (field === "data") data += value;
    }
    if (id) this.cursor = id;
    if (data || name !== "message") this.heard(name, data ? JSON.parse(data) : {});
  }

  ended(request) {
    clearTimeout(this.silence);
    if (!request || this.request !== request) return; // stopped or started again
    const wait = Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** this.failures) * (0.75 + Math.random() / 2);
    this.failures += 1;
    this.changed("waiting", wait);
    this.timer = setTimeout(() => this.start(), wait);
  }
}

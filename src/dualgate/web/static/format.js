/** Amounts, times and names in the words that the command line and the report use. */

import { h } from "./dom.js";

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const UNKNOWN = "–";
const NAME_LENGTH = 40;

let serverAhead = 0;

/** Take the time of the server, so that relative times are right on a machine whose clock is not. */
export function setServerTime(iso) {
  serverAhead = new Date(iso).getTime() - Date.now();
}

export const now = () => Date.now() + serverAhead;

export const cost = (dollars) => {
  if (dollars === null || dollars === undefined) return UNKNOWN;
  return dollars >= 0.01 || dollars === 0 ? `$${grouped(dollars.toFixed(2))}` : `$${dollars.toFixed(4)}`;
};

const grouped = (digits) => digits.replace(/\B(?=(\d{3})+(?!\d))/g, ",");

export const count = (number) => (number === null || number === undefined ? UNKNOWN : number.toLocaleString("en"));

export function shortCount(number) {
  if (number === null || number === undefined) return UNKNOWN;
  if (number < 1000) return String(Math.round(number));
  return number < 1e6 ? `${(number / 1000).toFixed(1)}k` : `${(number / 1e6).toFixed(1)}M`;
}

export const counted = (number, one, many) => `${count(number)} ${number === 1 ? one : many}`;

export function size(bytes) {
  if (bytes < 1024) return `${bytes} bytes`;
  const units = ["KB", "MB", "GB"];
  let amount = bytes / 1024;
  let unit = 0;
  for (; amount >= 1024 && unit < units.length - 1; unit += 1) amount /= 1024;
  return `${amount.toFixed(1)} ${units[unit]}`;
}

/** 0.4 s, 24 s, 3 min 05 s, 2 h 10 min. */
export function took(seconds) {
  if (seconds === null || seconds === undefined) return UNKNOWN;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  const [hours, minutes, rest] = [Math.floor(whole / HOUR), Math.floor((whole % HOUR) / MINUTE), whole % MINUTE];
  if (hours) return `${hours} h ${String(minutes).padStart(2, "0")} min`;
  return minutes ? `${minutes} min ${String(rest).padStart(2, "0")} s` : `${rest} s`;
}

const FULL = new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeStyle: "long" });
const CLOCK = new Intl.DateTimeFormat("en-GB", { timeStyle: "medium" });
const SHORT_DAY = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });
const LONG_DAY = new Intl.DateTimeFormat("en-GB", { weekday: "long", day: "numeric", month: "long", year: "numeric" });
const RELATIVE = new Intl.RelativeTimeFormat("en", { numeric: "auto", style: "short" });

export const fullTime = (iso) => FULL.format(new Date(iso));
export const clock = (iso) => CLOCK.format(new Date(iso));
export const shortDay = (iso) => SHORT_DAY.format(new Date(iso));
export const longDay = (iso) => LONG_DAY.format(new Date(iso));

/** 14:03, with the day if it is another one. */
export function shortClock(iso) {
  const time = clock(iso).slice(0, 5);
  return shortDay(iso) === shortDay(now()) ? time : `${shortDay(iso)} ${time}`;
}

/** `5 min. ago`, `in 2 hr.`, `yesterday`. */
export function relative(iso) {
  const seconds = (new Date(iso).getTime() - now()) / 1000;
  const far = Math.abs(seconds);
  if (far < 10) return "just now";
  if (far < MINUTE) return RELATIVE.format(Math.round(seconds), "second");
  if (far < HOUR) return RELATIVE.format(Math.round(seconds / MINUTE), "minute");
  if (far < DAY) return RELATIVE.format(Math.round(seconds / HOUR), "hour");
  return far < 30 * DAY ? RELATIVE.format(Math.round(seconds / DAY), "day") : shortDay(iso);
}

/** A relative time that stays right while the page is open, with the full time as its title. */
export const when = (iso) =>
  iso ? h("time", { datetime: iso, title: fullTime(iso), "data-relative": true }, relative(iso)) : UNKNOWN;

export const atClock = (iso) => (iso ? h("time", { datetime: iso, title: fullTime(iso) }, clock(iso)) : UNKNOWN);

/** Keep every relative time on the page right. */
export function keepTimes() {
  setInterval(() => {
    if (document.hidden) return;
    for (const node of document.querySelectorAll("time[data-relative]")) {
      const text = relative(node.dateTime);
      if (node.textContent !== text) node.textContent = text;
    }
  }, 5000);
}

/** The name of an agent without the folder of a script, as the command line shows it. */
export function agentName(name) {
  if (!name) return UNKNOWN;
  const [kind, ...parts] = name.split(":");
  const rest = parts.join(":");
  const short = rest.startsWith("/") && !rest.includes(" ") ? `${kind}:${rest.split("/").pop()}` : name;
  return short.length <= NAME_LENGTH ? short : `${short.slice(0, NAME_LENGTH)}…`;
}

export const words = (name) => (name ?? "").replaceAll("_", " ");

// The address is the state: parsing and writing the keys a timeline owns, leaving all others.

import { COLOURS } from "./shades.mjs";
import { GROUPINGS } from "./lanes.mjs";

export const PHASES = ["profiling", "warmup", "all"];
export const DEFAULTS = { phase: "profiling", by: "conversation", color: "status", q: "", req: "", open: "", from: null, to: null, range: "" };

/**
 * Returns {state, bad}: the view a query string asks for, and the keys whose value fell back.
 * `from`, `to` and `range` ("a..b") are seconds on the point's clock. `scope` picks the part of
 * `req`, `open` and `range` that belongs to one of two timelines: "a:12;b:7".
 */
export function parseState(queryString, scope = "", defaults = DEFAULTS) {
  const query = new URLSearchParams(queryString);
  const bad = [];
  const choose = (key, values) => {
    const value = query.get(key) ?? defaults[key];
    if (values.includes(value)) return value;
    bad.push(key);
    return defaults[key];
  };
  const seconds = (key) => {
    if (!query.has(key)) return null;
    const value = Number(query.get(key));
    if (Number.isFinite(value) && query.get(key) !== "") return value;
    bad.push(key);
    return null;
  };
  const mine = (key) => scoped(query.get(key) ?? "", scope);
  const open = (query.get("open") ?? "").split(",").filter((part) => part.startsWith(mark(scope)));
  const state = {
    phase: choose("phase", PHASES),
    by: choose("by", GROUPINGS),
    color: choose("color", COLOURS),
    q: query.get("q") ?? "",
    req: mine("req"),
    open: new Set(open.map((part) => decodeURIComponent(part.slice(mark(scope).length))).filter(Boolean)),
    from: seconds("from"),
    to: seconds("to"),
    range: parseRange(mine("range"), bad),
  };
  if (state.from !== null && state.to !== null && state.from >= state.to) {
    bad.push("from");
    state.from = state.to = null;
  }
  return { state, bad };
}

/** Returns the query string with this state's keys set (defaults left out), other keys kept. */
export function writeState(queryString, state, scope = "", defaults = DEFAULTS) {
  const query = new URLSearchParams(queryString);
  const texts = {
    phase: state.phase,
    by: state.by,
    color: state.color,
    q: state.q,
    req: rescoped(query.get("req"), scope, state.req),
    open: rescopedList(query.get("open"), scope, [...state.open].map(encodeURIComponent)),
    from: state.from === null ? "" : trim(state.from),
    to: state.to === null ? "" : trim(state.to),
    range: rescoped(query.get("range"), scope, state.range ? state.range.map(trim).join("..") : ""),
  };
  for (const [key, text] of Object.entries(texts)) {
    if (text === "" || text === defaults[key]) query.delete(key);
    else query.set(key, text);
  }
  return query.toString();
}

/**
 * Returns a link to this page with what changed in the address since the page was drawn. `drawn`
 * is the query the page was drawn for; what the link itself changes of it, the link decides.
 */
export function carryOver(href, drawn, live) {
  const url = new URL(href);
  const before = new URLSearchParams(drawn);
  const now = new URLSearchParams(live);
  for (const key of Object.keys(DEFAULTS)) {
    if ((url.searchParams.get(key) ?? "") !== (before.get(key) ?? "")) continue;
    if (now.has(key)) url.searchParams.set(key, now.get(key));
    else url.searchParams.delete(key);
  }
  return url.pathname + url.search + url.hash;
}

const trim = (seconds) => String(Number(seconds.toFixed(5)));

function parseRange(text, bad) {
  if (!text) return null;
  const parts = text.split("..").map(Number);
  if (parts.length === 2 && parts.every(Number.isFinite) && parts[0] < parts[1]) return parts;
  bad.push("range");
  return null;
}

/** "a:x;b:y" holds one part a scope; without scopes the text is the value. */
function scoped(text, scope) {
  if (!scope) return text;
  const part = text.split(";").find((p) => p.startsWith(`${scope}:`));
  return part ? part.slice(scope.length + 1) : "";
}

function rescoped(text, scope, value) {
  if (!scope) return value;
  const others = (text ?? "").split(";").filter((p) => p && !p.startsWith(`${scope}:`));
  return [...others, ...(value ? [`${scope}:${value}`] : [])].sort().join(";");
}

const mark = (scope) => (scope ? `${scope}:` : "");

/** Every item of a list carries its scope, so that a list may be sorted as a whole. */
function rescopedList(text, scope, items) {
  const others = scope ? (text ?? "").split(",").filter((part) => part && !part.startsWith(mark(scope))) : [];
  return [...others, ...items.map((item) => mark(scope) + item)].sort().join(",");
}

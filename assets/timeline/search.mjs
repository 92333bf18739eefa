// Search: words and conditions that must all hold, evaluated over every request.
//   trace_0254            conversation, agent, kind, status or error holds the word
//   agent:001 error:500   one field holds the word;  -word  must not hold
//   ttft>2 ttft>500ms isl>10k hit<50% turn=3        numbers: > < >= <= =

import { VALUES } from "./shades.mjs";

const FIELDS = {
  conversation: conversationText,
  conv: conversationText,
  agent: agentText,
  kind: (d) => byStream(d, (s) => d.header.kinds[d.streams.kind[s]]),
  status: (d) => ({ texts: d.header.statuses, at: (i) => d.status[i] }),
  phase: (d) => ({ texts: d.header.phases, at: (i) => d.phase[i] }),
  error: (d) => ({ texts: d.header.errors.map((e) => `${e.type ?? ""} ${e.code ?? ""}`), at: (i) => d.error[i] }),
  worker: (d) => ({ texts: d.header.workers, at: (i) => d.worker[i] }),
  engine: (d) => ({ texts: d.header.engines, at: (i) => d.engine[i] }),
};
const WORD_FIELDS = ["conversation", "agent", "kind", "status", "error"];
const UNITS = { "": 1, s: 1, ms: 1e-3, us: 1e-6, "µs": 1e-6, min: 60, k: 1e3, m: 1e6, "%": 0.01 };
const CONDITION = /^([a-z0-9]+)(>=|<=|>|<|=)([\d.]+)(s|ms|us|µs|min|k|m|%)?$/i;

/** Returns {terms, unknown}: parsed terms, and the words that are no valid condition. */
export function parse(query) {
  const terms = [];
  const unknown = [];
  for (const word of query.trim().split(/\s+/).filter(Boolean)) {
    const negated = word.length > 1 && word.startsWith("-");
    const term = parseTerm(negated ? word.slice(1) : word);
    if (term) terms.push({ ...term, negated });
    else unknown.push(word);
  }
  return { terms, unknown };
}

function parseTerm(word) {
  const condition = CONDITION.exec(word);
  if (condition) {
    const [, name, op, number, unit = ""] = condition;
    const field = name.toLowerCase();
    if (!VALUES[field] || Number.isNaN(Number(number))) return null;
    return { field, op, value: Number(number) * UNITS[unit.toLowerCase()] };
  }
  if (/[<>=]/.test(word)) return null;
  const colon = word.indexOf(":");
  const field = word.slice(0, colon).toLowerCase();
  if (colon > 0 && FIELDS[field]) return { field, text: word.slice(colon + 1).toLowerCase() };
  return { field: null, text: word.toLowerCase() };
}

/** Returns a Uint8Array of matches and their count, or null for an empty query. */
export function search(data, query) {
  const { terms, unknown } = parse(query);
  if (!terms.length) return unknown.length ? { lit: new Uint8Array(data.n), count: 0, unknown } : null;
  const tests = terms.map((term) => tester(data, term));
  const lit = new Uint8Array(data.n);
  let count = 0;
  for (let i = 0; i < data.n; i++) {
    let ok = true;
    for (let t = 0; ok && t < tests.length; t++) ok = tests[t](i) !== terms[t].negated;
    if (ok) {
      lit[i] = 1;
      count += 1;
    }
  }
  return { lit, count, unknown };
}

function tester(data, term) {
  if (term.op) return compare(VALUES[term.field], data, term);
  const fields = (term.field ? [term.field] : WORD_FIELDS).map((name) => FIELDS[name](data));
  const sets = fields.map(({ texts, at }) => {
    const hits = Uint8Array.from(texts, (text) => (String(text).toLowerCase().includes(term.text) ? 1 : 0));
    return (i) => hits[at(i)] === 1;
  });
  return sets.length === 1 ? sets[0] : (i) => sets.some((holds) => holds(i));
}

function compare(value, data, { op, value: wanted }) {
  switch (op) {
    case ">": return (i) => value(data, i) > wanted;
    case "<": return (i) => value(data, i) < wanted;
    case ">=": return (i) => value(data, i) >= wanted;
    case "<=": return (i) => value(data, i) <= wanted;
    default: return (i) => value(data, i) === wanted;
  }
}

function byStream(data, textOf) {
  return { texts: Array.from({ length: data.streams.n }, (_, s) => textOf(s)), at: (i) => data.stream[i] };
}

function conversationText(data) {
  const { conversation } = data.streams;
  return { texts: data.header.conversations, at: (i) => conversation[data.stream[i]] };
}

function agentText(data) {
  const { agent } = data.streams;
  return { texts: data.header.agents, at: (i) => agent[data.stream[i]] };
}

/** Returns the lit request after (step 1) or before (−1) `from` that is also visible; it wraps. */
export function stepLit(data, from, step, lit, visible) {
  for (let k = 1; k <= data.n; k++) {
    const i = (((from < 0 && step < 0 ? 0 : from) + step * k) % data.n + data.n) % data.n;
    if ((!lit || lit[i]) && (!visible || visible[i])) return i;
  }
  return -1;
}

// Builds packed timelines in the tests' own hand, from docs/timeline-format.md.

const zigzag = (v) => (v << 1) ^ (v >> 31);

/** Returns the bytes of planes `{name: values}` with their directory. */
export function planes(columns) {
  const directory = [];
  const parts = [];
  let offset = 0;
  for (const [name, values] of Object.entries(columns)) {
    const top = Math.max(0, ...values);
    const width = top === 0 ? 0 : top < 256 ? 1 : top < 65536 ? 2 : top < 2 ** 24 ? 3 : 4;
    const octets = new Uint8Array(width * values.length);
    for (let b = 0; b < width; b++) values.forEach((v, i) => (octets[b * values.length + i] = (v >>> (8 * b)) & 255));
    directory.push({ name, n: values.length, width, offset });
    parts.push(octets);
    offset += octets.length;
  }
  const bytes = new Uint8Array(offset);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return { directory, bytes };
}

/**
 * Packs plain requests `{stream, start, wait, ttft, rest, isl, osl, cached, turn, status, phase,
 * worker}` (units; missing = null) and streams `{parent, conversation, agent, depth, kind}`.
 */
export function pack(requests, streams, extra = {}) {
  const last = new Map();
  const before = (r, key, first) => last.get(`${r.stream} ${key}`) ?? first;
  const column = { start: [], wait: [], ttft: [], rest: [], isl: [], osl: [], uncached: [], stream: [], turn: [], flags: [], error: [], worker: [], engine: [], ordinal: [] };
  let clock = 0;
  for (const r of requests) {
    const code = (v) => (v === undefined || v === null ? 0 : v + 1);
    column.start.push(r.start - clock);
    clock = r.start;
    column.wait.push(code(r.wait));
    column.ttft.push(code(r.ttft));
    column.rest.push(code(r.rest));
    column.isl.push(r.isl === undefined ? 0 : zigzag(r.isl - before(r, "tokens", 0)) + 1);
    column.osl.push(code(r.osl));
    column.uncached.push(r.cached === undefined ? 0 : zigzag(r.isl - r.cached) + 1);
    column.stream.push(r.stream);
    column.turn.push(zigzag((r.turn ?? 0) - before(r, "turn", -1) - 1));
    column.flags.push((r.status ?? 0) | ((r.phase ?? 0) << 2));
    column.error.push(r.error ?? 0);
    column.worker.push(zigzag((r.worker ?? 0) - before(r, "worker", 0)));
    column.ordinal.push(r.skipped ?? 0);
    column.engine.push(zigzag((r.engine ?? 0) - before(r, "engine", 0)));
    last.set(`${r.stream} tokens`, (r.isl ?? 0) + (r.osl ?? 0));
    for (const key of ["turn", "worker", "engine"]) last.set(`${r.stream} ${key}`, r[key] ?? 0);
  }
  const rows = { parent: streams.map((s) => (s.parent ?? -1) + 1), conversation: streams.map((s) => (s.conversation ?? -1) + 1), agent: streams.map((s) => (s.agent ?? -1) + 1), depth: streams.map((s) => s.depth ?? 0), kind: streams.map((s) => s.kind ?? 0) };
  const [one, two] = [planes(column), planes(rows)];
  const header = { n: requests.length, streams: streams.length, origin_ns: 0, unit_ns: 10_000, significant_bits: 14, counts: {}, statuses: ["ok", "failed", "cancelled"], phases: ["profiling", "warmup"], kinds: ["main", "subagent", "aux", "placeholder"], conversations: ["trace_a", "trace_b"], agents: ["sa:agent_001", "sa:agent_002"], workers: ["w1", "w2"], engines: [], errors: [{ type: "http", code: 500 }], request_planes: one.directory, stream_planes: two.directory, request_bytes: one.bytes.length, ...extra };
  return frame(header, one.bytes, two.bytes);
}

/** Returns magic, version, header length, header and bodies as one buffer. */
export function frame(header, ...bodies) {
  const text = new TextEncoder().encode(JSON.stringify(header));
  const out = new Uint8Array(12 + text.length + bodies.reduce((n, b) => n + b.length, 0));
  out.set(new TextEncoder().encode("XTLN"));
  new DataView(out.buffer).setUint32(4, 1, true);
  new DataView(out.buffer).setUint32(8, text.length, true);
  out.set(text, 12);
  let at = 12 + text.length;
  for (const body of bodies) {
    out.set(body, at);
    at += body.length;
  }
  return out.buffer;
}

/** A root, two sub-agents that overlap it and each other, a replay, a failure of no duration. */
export function smallTree() {
  const streams = [{ conversation: 0 }, { parent: 0, conversation: 0, agent: 0, depth: 1, kind: 1 }, { parent: 0, conversation: 0, agent: 1, depth: 1, kind: 1 }, { conversation: 0 }];
  const requests = [
    { stream: 0, start: 100, wait: 10, ttft: 20, rest: 80, isl: 100, osl: 10, cached: 0, turn: 0, worker: 1 },
    { stream: 1, start: 210, wait: 0, ttft: 30, rest: 260, isl: 50, osl: 5, cached: 40, turn: 0, worker: 1 },
    { stream: 2, start: 220, wait: 5, ttft: 10, rest: 30, isl: 60, osl: 6, turn: 0, worker: 2 },
    { stream: 2, start: 300, wait: 5, ttft: 10, rest: 40, isl: 80, osl: 2, turn: 1, worker: 2 },
    { stream: 0, start: 600, wait: 0, ttft: 40, rest: 60, isl: 130, osl: 4, cached: 64, turn: 1, worker: 1 },
    { stream: 3, start: 650, wait: 0, rest: 0, turn: 0, status: 1, error: 1, worker: 1 },
  ];
  return pack(requests, streams);
}

/** Deterministic pseudo-random numbers in [0, 1). */
export function random(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Many requests over few streams, in order of start, overlapping freely. */
export function crowd(n, streams, seed = 1) {
  const next = random(seed);
  const rows = Array.from({ length: streams }, (_, s) => ({ conversation: s % 2, parent: s > 0 && s % 3 ? s - (s % 3) : -1, kind: s % 3 ? 1 : 0, depth: s % 3 ? 1 : 0 }));
  let clock = 50;
  const requests = Array.from({ length: n }, () => {
    clock += Math.floor(next() * 20);
    const failed = next() < 0.05;
    return { stream: Math.floor(next() * streams), start: clock, wait: Math.floor(next() * 40), ttft: failed ? undefined : Math.floor(next() * 60), rest: failed ? 0 : Math.floor(next() * 300), isl: 100, osl: 10, cached: 50, status: failed ? 1 : 0, worker: 1 + Math.floor(next() * 2) };
  });
  return pack(requests, rows);
}

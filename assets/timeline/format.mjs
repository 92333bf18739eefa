// Reader of the packed timeline (docs/timeline-format.md): bytes in, one typed array a column out.
// Times are whole units after the origin, nulls are -1.

export const VERSION = 1;

/** Returns the columns of a packed timeline; throws with the found and the expected version. */
export function decode(buffer) {
  const { header, body } = readFrame(buffer);
  const n = header.n;
  const plane = planeReader(body, header.request_planes, 0);
  const data = { n, header, unitS: header.unit_ns / 1e9, zero: -header.origin_ns / header.unit_ns };
  data.stream = plane("stream");
  data.ordinal = decodeOrdinals(plane("ordinal"));
  decodeTimes(data, plane, header.significant_bits);
  decodeTokens(data, plane);
  decodeSteps(data, plane);
  const flags = plane("flags");
  data.status = new Uint8Array(n);
  data.phase = new Uint8Array(n);
  for (let i = 0; i < n; i++) {
    data.status[i] = flags[i] & 3;
    data.phase[i] = flags[i] >> 2;
  }
  data.error = minusOne(plane("error"));
  data.streams = decodeStreams(header, body);
  return data;
}

function readFrame(buffer) {
  const bytes = new Uint8Array(buffer);
  const magic = String.fromCharCode(...bytes.subarray(0, 4));
  if (magic !== "XTLN") throw new Error(`not a packed timeline: starts with ${JSON.stringify(magic)}`);
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const version = view.getUint32(4, true);
  if (version !== VERSION) throw new Error(`packed timeline of version ${version}, this page reads ${VERSION}`);
  const length = view.getUint32(8, true);
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(12, 12 + length)));
  return { header, body: bytes.subarray(12 + length) };
}

function planeReader(body, directory, base) {
  const at = new Map(directory.map((p) => [p.name, p]));
  return (name) => readPlane(body, at.get(name), base);
}

/** Returns one column as Uint32Array: w runs of n bytes, least significant first. */
export function readPlane(body, { n, width, offset }, base = 0) {
  const out = new Uint32Array(n);
  let at = base + offset;
  if (width > 0) out.set(body.subarray(at, at + n));
  for (let byte = 1; byte < width; byte++) {
    at += n;
    const shift = 8 * byte;
    for (let i = 0; i < n; i++) out[i] |= body[at + i] << shift;
  }
  return out;
}

export const unzigzag = (v) => (v >>> 1) ^ -(v & 1);

/** Returns the value of a log-linear code that keeps `bits` leading bits. */
export function fromLogLinear(code, bits) {
  const half = 1 << (bits - 1);
  const shift = (code >>> (bits - 1)) - 1;
  return shift > 0 ? ((code & (half - 1)) + half) << shift : code;
}

/** Steps over requests that are not in this file; all zero where it holds every request. */
function decodeOrdinals(skipped) {
  for (let i = 0, at = -1; i < skipped.length; i++) skipped[i] = at += skipped[i] + 1;
  return skipped;
}

function decodeTimes(data, plane, bits) {
  const n = data.n;
  const start = new Int32Array(plane("start").buffer);
  for (let i = 1; i < n; i++) start[i] += start[i - 1];
  const left = new Int32Array(plane("wait").buffer);
  const first = new Int32Array(plane("ttft").buffer);
  const end = new Int32Array(plane("rest").buffer);
  const span = (code) => (code > 0 ? fromLogLinear(code - 1, bits) : 0);
  for (let i = 0; i < n; i++) {
    left[i] = start[i] - span(left[i]);
    first[i] = first[i] > 0 ? start[i] + span(first[i]) : -1;
    end[i] = Math.max(first[i], start[i]) + span(end[i]);
  }
  Object.assign(data, { left, start, first, end });
}

function decodeTokens(data, plane) {
  const n = data.n;
  const osl = minusOne(plane("osl"));
  const isl = new Int32Array(plane("isl").buffer);
  const carried = new Int32Array(data.header.streams);
  for (let i = 0; i < n; i++) {
    const s = data.stream[i];
    isl[i] = isl[i] > 0 ? carried[s] + unzigzag(isl[i] - 1) : -1;
    carried[s] = Math.max(isl[i], 0) + Math.max(osl[i], 0);
  }
  const cached = new Int32Array(plane("uncached").buffer);
  for (let i = 0; i < n; i++) cached[i] = cached[i] > 0 ? isl[i] - unzigzag(cached[i] - 1) : -1;
  Object.assign(data, { isl, osl, cached });
}

/** Turn, client worker and engine are steps within their stream. */
function decodeSteps(data, plane) {
  data.turn = walk(data, plane("turn"), -1, 1, 0);
  data.worker = walk(data, plane("worker"), 0, 0, -1);
  data.engine = walk(data, plane("engine"), 0, 0, -1);
}

function walk(data, steps, first, each, shift) {
  const last = new Int32Array(data.header.streams).fill(first);
  const out = new Int32Array(steps.buffer);
  for (let i = 0; i < data.n; i++) {
    const s = data.stream[i];
    last[s] += unzigzag(steps[i]) + each;
    out[i] = last[s] + shift;
  }
  return out;
}

function minusOne(column) {
  const out = new Int32Array(column.buffer);
  for (let i = 0; i < out.length; i++) out[i] -= 1;
  return out;
}

function decodeStreams(header, body) {
  const plane = planeReader(body, header.stream_planes, header.request_bytes);
  return {
    n: header.streams,
    parent: minusOne(plane("parent")),
    conversation: minusOne(plane("conversation")),
    agent: minusOne(plane("agent")),
    depth: plane("depth"),
    kind: plane("kind"),
  };
}

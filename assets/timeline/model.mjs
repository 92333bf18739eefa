// What the requests say together: trees of streams, replays, session slots, spawn and join.

export const MAIN = 0;
export const PLACEHOLDER = 3;

/** Returns the streams with their trees, spans, replay numbers and session slots. */
export function buildModel(data) {
  const { n: count, parent } = data.streams;
  const spans = streamSpans(data);
  const root = rootsOf(parent);
  const children = Array.from({ length: count }, () => []);
  for (let s = 0; s < count; s++) if (parent[s] >= 0) children[parent[s]].push(s);
  const model = { ...spans, root, children, roots: [] };
  treeSpans(model, count);
  for (const list of children) list.sort((a, b) => model.treeLeft[a] - model.treeLeft[b] || a - b);
  for (let s = 0; s < count; s++) if (root[s] === s) model.roots.push(s);
  model.roots.sort((a, b) => model.treeLeft[a] - model.treeLeft[b] || a - b);
  model.replay = replays(data, model);
  model.slot = slots(model, count);
  return model;
}

function streamSpans(data) {
  const count = data.streams.n;
  const left = new Float64Array(count).fill(Infinity);
  const right = new Float64Array(count).fill(-Infinity);
  const requests = new Int32Array(count);
  const firstRequest = new Int32Array(count).fill(-1);
  for (let i = 0; i < data.n; i++) {
    const s = data.stream[i];
    if (requests[s]++ === 0) firstRequest[s] = i;
    if (data.left[i] < left[s]) left[s] = data.left[i];
    if (data.end[i] > right[s]) right[s] = data.end[i];
  }
  return { left, right, requests, firstRequest };
}

function rootsOf(parent) {
  const root = Int32Array.from(parent, (p, s) => (p < 0 ? s : p));
  for (let changed = true; changed; ) {
    changed = false;
    for (let s = 0; s < root.length; s++) {
      const up = root[root[s]];
      if (up !== root[s]) {
        root[s] = up;
        changed = true;
      }
    }
  }
  return root;
}

function treeSpans(model, count) {
  model.treeLeft = Float64Array.from(model.left);
  model.treeRight = Float64Array.from(model.right);
  for (let s = 0; s < count; s++) {
    const r = model.root[s];
    if (r === s) continue;
    model.treeLeft[r] = Math.min(model.treeLeft[r], model.left[s]);
    model.treeRight[r] = Math.max(model.treeRight[r], model.right[s]);
  }
}

function replays(data, model) {
  const seen = new Map();
  const replay = new Int32Array(data.streams.n);
  for (const r of model.roots) {
    const c = data.streams.conversation[r];
    const play = (seen.get(c) || 0) + 1;
    seen.set(c, play);
    replay[r] = play;
  }
  return replay;
}

/** A tree takes the lowest session slot that is free when it begins. */
function slots(model, count) {
  const slot = new Int32Array(count).fill(-1);
  const free = new FirstFit();
  for (const r of model.roots) slot[r] = free.place(model.treeLeft[r], Math.max(model.treeRight[r], model.treeLeft[r] + 1));
  for (let s = 0; s < count; s++) slot[s] = slot[model.root[s]];
  model.slotCount = free.used;
  return slot;
}

/** Lowest free track for intervals that come in order: a tree of the earliest ends. */
export class FirstFit {
  constructor() {
    this.capacity = 8;
    this.used = 0;
    this.ends = new Float64Array(16).fill(-Infinity);
  }

  place(left, end) {
    let track = this.ends[1] <= left ? this.#lowest(left) : this.capacity;
    if (track === this.capacity) this.#grow();
    if (track >= this.used) this.used = track + 1;
    let node = this.capacity + track;
    this.ends[node] = end;
    for (node >>= 1; node >= 1; node >>= 1) {
      this.ends[node] = Math.min(this.ends[2 * node], this.ends[2 * node + 1]);
    }
    return track;
  }

  #lowest(left) {
    let node = 1;
    while (node < this.capacity) node = this.ends[2 * node] <= left ? 2 * node : 2 * node + 1;
    return node - this.capacity;
  }

  #grow() {
    const leaves = this.ends.subarray(this.capacity);
    this.capacity *= 2;
    const ends = new Float64Array(2 * this.capacity).fill(-Infinity);
    ends.set(leaves, this.capacity);
    for (let node = this.capacity - 1; node >= 1; node--) ends[node] = Math.min(ends[2 * node], ends[2 * node + 1]);
    this.ends = ends;
  }
}

/** Returns the label of a stream: conversation with its replay, or the agent below it. */
export function streamName(data, model, s) {
  const { conversations, agents } = data.header;
  const agent = data.streams.agent[s];
  if (agent >= 0) return agents[agent];
  const name = conversations[data.streams.conversation[s]] ?? `#${s}`;
  return model.replay[s] > 1 ? `${name} ·${model.replay[s]}` : name;
}

/** Returns the key of a tree in the address: its conversation, `~n` from the second replay on. */
export function treeKey(data, model, r) {
  const name = data.header.conversations[data.streams.conversation[r]] ?? `#${r}`;
  return model.replay[r] > 1 ? `${name}~${model.replay[r]}` : name;
}

/** Returns {spawn, join}: the parent's request before the stream began and the first after its end. */
export function spawnAndJoin(model, s, parent, requestsOf) {
  if (parent < 0) return { spawn: -1, join: -1 };
  let spawn = -1;
  let join = -1;
  for (const i of requestsOf.list(parent)) {
    if (requestsOf.start[i] <= model.left[s]) spawn = i;
    else if (join < 0 && requestsOf.start[i] >= model.right[s]) join = i;
  }
  return { spawn, join };
}

/** Returns requests by stream: `list(s)` in order of start. */
export function requestsByStream(data) {
  const pointer = new Int32Array(data.streams.n + 1);
  for (let i = 0; i < data.n; i++) pointer[data.stream[i] + 1]++;
  for (let s = 0; s < data.streams.n; s++) pointer[s + 1] += pointer[s];
  const at = pointer.slice();
  const order = new Int32Array(data.n);
  for (let i = 0; i < data.n; i++) order[at[data.stream[i]]++] = i;
  return { start: data.start, list: (s) => order.subarray(pointer[s], pointer[s + 1]) };
}

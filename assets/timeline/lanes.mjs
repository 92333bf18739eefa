// Lanes: which row each request is drawn in. Rows never hold two requests at one time.

import { FirstFit, MAIN, PLACEHOLDER, streamName, treeKey } from "./model.mjs";

export const GROUPINGS = ["conversation", "worker", "slot", "engine"];

/** Lanes of one request each say little: runs of single turns begin with session slots. */
export const defaultGrouping = (data) => (data.n > 20 && data.streams.n > 0.8 * data.n ? "slot" : "conversation");

const HEIGHT = { main: 16, side: 7, track: 9 };
const LANE_GAP = 6;
const LANE_MIN = 20;

/**
 * Returns the layout of all requests: lanes (label, first row, rows), the row of each request and
 * row heights. `open` holds tree keys ("*" = all). Rows are found over both phases, so that a
 * phase filter moves nothing.
 */
export function layOut(data, model, { by, open }) {
  const { lanes, bandOf } = by === "conversation" ? byConversation(data, model, open) : byKey(data, model, by);
  const { track, tracks } = assignTracks(data, bandOf, lanes.length * 2);
  const rows = placeRows(lanes, tracks, by);
  const rowOf = track;
  for (let i = 0; i < data.n; i++) rowOf[i] += rows.base[bandOf[i]];
  return { by, lanes, rowOf, ...rows, gaps: by === "conversation" || by === "slot" };
}

/** Each lane has two bands: the main line above, everything else below it. */
function byConversation(data, model, open) {
  const lanes = [];
  const laneOf = new Int32Array(data.streams.n).fill(-1);
  for (const r of model.roots) {
    const key = treeKey(data, model, r);
    const hasChildren = model.children[r].length > 0;
    const isOpen = hasChildren && (open.has(key) || open.has("*"));
    addLane(lanes, laneOf, data, model, r, 0, { key, hasChildren, isOpen });
    if (isOpen) addChildren(lanes, laneOf, data, model, r);
  }
  for (let s = 0; s < laneOf.length; s++) if (laneOf[s] < 0) laneOf[s] = laneOf[model.root[s]];
  const band = Int32Array.from(laneOf, (lane, s) => 2 * lane + (lanes[lane].stream === s || data.streams.kind[s] === MAIN ? 0 : 1));
  return { lanes, bandOf: gather(band, data.stream) };
}

function addLane(lanes, laneOf, data, model, s, level, extra) {
  laneOf[s] = lanes.length;
  lanes.push({
    stream: s,
    level,
    label: streamName(data, model, s),
    kind: data.streams.kind[s],
    placeholder: data.streams.kind[s] === PLACEHOLDER,
    colour: data.header.conversations[data.streams.conversation[s]] ?? "",
    ...extra,
  });
}

function addChildren(lanes, laneOf, data, model, root) {
  const stack = model.children[root].map((s) => [s, 1]).reverse();
  while (stack.length) {
    const [s, level] = stack.pop();
    addLane(lanes, laneOf, data, model, s, level, { key: null, hasChildren: false, isOpen: false });
    for (const child of model.children[s].toReversed()) stack.push([child, level + 1]);
  }
}

function byKey(data, model, by) {
  const { workers, engines } = data.header;
  const keyOf = { worker: () => data.worker, engine: () => data.engine, slot: () => gather(model.slot, data.stream) }[by]();
  const names = { worker: workers, engine: engines, slot: Array.from({ length: model.slotCount }, (_, k) => String(k + 1)) }[by];
  const counts = new Int32Array(names.length + 1);
  for (let i = 0; i < data.n; i++) counts[keyOf[i] < 0 ? names.length : keyOf[i]]++;
  const kept = [...names, null].map((name, k) => ({ name, k })).filter(({ k }) => counts[k] > 0);
  const laneOfKey = new Int32Array(names.length + 1);
  kept.forEach(({ k }, lane) => (laneOfKey[k] = lane));
  const lanes = kept.map(({ name, k }) => ({ stream: -1, level: 0, label: name, kind: MAIN, key: null, hasChildren: false, isOpen: false, placeholder: false, colour: String(name) }));
  const bandOf = new Int32Array(data.n);
  for (let i = 0; i < data.n; i++) bandOf[i] = 2 * laneOfKey[keyOf[i] < 0 ? names.length : keyOf[i]];
  return { lanes, bandOf };
}

function gather(table, keys) {
  const out = new Int32Array(keys.length);
  for (let i = 0; i < keys.length; i++) out[i] = table[keys[i]];
  return out;
}

/** Lowest free track of its band for each request; a request of no duration takes one unit. */
function assignTracks(data, bandOf, bands) {
  const { left, end, n } = data;
  const lastEnd = new Float64Array(bands).fill(-Infinity);
  const more = new Array(bands).fill(null);
  const track = new Int32Array(n);
  const tracks = new Int32Array(bands);
  for (let i = 0; i < n; i++) {
    const band = bandOf[i];
    const stop = end[i] > left[i] ? end[i] : left[i] + 1;
    if (lastEnd[band] <= left[i]) {
      lastEnd[band] = stop;
      if (tracks[band] === 0) tracks[band] = 1;
    } else {
      const fit = (more[band] ??= new FirstFit());
      track[i] = 1 + fit.place(left[i], stop);
      tracks[band] = 1 + fit.used;
    }
  }
  return { track, tracks };
}

function placeRows(lanes, tracks, by) {
  const base = new Int32Array(tracks.length);
  const top = [];
  const height = [];
  const laneOfRow = [];
  let y = 0;
  lanes.forEach((lane, k) => {
    lane.top = y;
    lane.firstRow = top.length;
    for (const band of [0, 1]) {
      base[2 * k + band] = top.length;
      const h = by === "worker" || by === "engine" ? HEIGHT.track : band === 1 ? HEIGHT.side : tracks[2 * k] > 2 ? HEIGHT.track : HEIGHT.main;
      for (let t = 0; t < tracks[2 * k + band]; t++) {
        top.push(y);
        height.push(h - 1);
        laneOfRow.push(k);
        y += h;
      }
    }
    lane.rows = top.length - lane.firstRow;
    y = Math.max(y, lane.top + LANE_MIN) + LANE_GAP;
    lane.height = y - lane.top;
  });
  return { base, rowCount: top.length, top: Float64Array.from(top), height: Uint8Array.from(height), laneOfRow: Int32Array.from(laneOfRow), totalHeight: y };
}

// Colour of a request: each mode maps it to a shade (1–255, 0 = no value) of one ramp.

export const COLOURS = ["status", "ttft", "e2el", "isl", "osl", "uncached", "hit", "depth", "turn"];

/** Value of one request in the mode's unit, NaN where it has none. */
export const VALUES = {
  ttft: (d, i) => (d.first[i] < 0 ? NaN : (d.first[i] - d.start[i]) * d.unitS),
  e2el: (d, i) => (d.end[i] > d.start[i] ? (d.end[i] - d.start[i]) * d.unitS : NaN),
  wait: (d, i) => (d.start[i] - d.left[i]) * d.unitS,
  itl: (d, i) => (d.osl[i] >= 2 && d.first[i] >= 0 && d.end[i] > d.first[i] ? ((d.end[i] - d.first[i]) * d.unitS) / (d.osl[i] - 1) : NaN),
  isl: (d, i) => (d.isl[i] < 0 ? NaN : d.isl[i]),
  osl: (d, i) => (d.osl[i] < 0 ? NaN : d.osl[i]),
  cached: (d, i) => (d.cached[i] < 0 ? NaN : d.cached[i]),
  uncached: (d, i) => (d.cached[i] < 0 ? NaN : d.isl[i] - d.cached[i]),
  hit: (d, i) => (d.cached[i] < 0 || d.isl[i] <= 0 ? NaN : d.cached[i] / d.isl[i]),
  depth: (d, i) => d.streams.depth[d.stream[i]],
  turn: (d, i) => d.turn[i],
};

const LINEAR = new Set(["hit", "depth", "turn"]);

/**
 * Returns {shades, low, high} of a mode: a ramp from the 1st to the 99th percentile of what is
 * there (of at most 20,000 requests, evenly taken), logarithmic but for shares, depths and turns.
 */
export function shade(data, mode) {
  const shades = new Uint8Array(data.n).fill(128);
  if (mode === "status") return { shades, low: NaN, high: NaN };
  const value = VALUES[mode];
  const [low, high] = limits(data, value);
  const scale = LINEAR.has(mode) ? (v) => v : (v) => Math.log(Math.max(v, low || 1e-9));
  const [from, to] = [scale(low), scale(high)];
  const factor = to > from ? 254 / (to - from) : 0;
  for (let i = 0; i < data.n; i++) {
    const v = value(data, i);
    shades[i] = v === v ? 1 + Math.min(254, Math.max(0, Math.round((scale(v) - from) * factor))) : 0;
  }
  return { shades, low, high };
}

function limits(data, value) {
  const step = Math.max(1, Math.floor(data.n / 20_000));
  const sample = [];
  for (let i = 0; i < data.n; i += step) {
    const v = value(data, i);
    if (v === v) sample.push(v);
  }
  if (!sample.length) return [NaN, NaN];
  sample.sort((a, b) => a - b);
  return [sample[Math.floor(sample.length * 0.01)], sample[Math.ceil(sample.length * 0.99) - 1]];
}

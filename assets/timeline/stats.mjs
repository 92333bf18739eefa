// Numbers of a set of requests, as metrics.md defines them, from the packed columns.

import { VALUES } from "./shades.mjs";

const PARTS = [0.5, 0.9, 0.99];

/** Percentile by linear interpolation at rank (n − 1)·p, NaN of none; it reorders `values`. */
export function percentile(values, p) {
  if (!values.length) return NaN;
  const rank = (values.length - 1) * p;
  const low = Math.floor(rank);
  const at = select(values, low);
  if (rank === low) return at;
  let next = Infinity;
  for (let k = low + 1; k < values.length; k++) if (values[k] < next) next = values[k];
  return at + (next - at) * (rank - low);
}

/** Moves the k-th smallest value to position k, smaller ones before it; returns it. */
function select(values, k) {
  let left = 0;
  let right = values.length - 1;
  while (left < right) {
    const pivot = middleOf(values[left], values[(left + right) >> 1], values[right]);
    let i = left;
    let j = right;
    while (i <= j) {
      while (values[i] < pivot) i += 1;
      while (values[j] > pivot) j -= 1;
      if (i <= j) {
        [values[i], values[j]] = [values[j], values[i]];
        i += 1;
        j -= 1;
      }
    }
    if (k <= j) right = j;
    else if (k >= i) left = i;
    else break;
  }
  return values[k];
}

const middleOf = (a, b, c) => Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));

/** Returns p50, p90 and p99 of a value over the ok requests of `list`, each sample finite and > 0. */
export function percentiles(data, list, value) {
  const samples = new Float64Array(list.length);
  let n = 0;
  for (let k = 0; k < list.length; k++) {
    const i = list[k];
    const v = data.status[i] === 0 ? value(data, i) : NaN;
    if (v > 0) samples[n++] = v;
  }
  return { n, parts: PARTS.map((p) => percentile(samples.subarray(0, n), p)) };
}

/** Returns the requests that start in [t0, t1] (units) and pass up to two filters (null = all). */
export function startingIn(data, t0, t1, ...filters) {
  const [one, two] = filters.filter(Boolean);
  const out = new Int32Array(data.n);
  let n = 0;
  for (let i = 0; i < data.n && data.start[i] <= t1; i++) {
    if (data.start[i] >= t0 && (!one || one[i]) && (!two || two[i])) out[n++] = i;
  }
  return out.subarray(0, n);
}

/** Returns counts by status, latency percentiles, tokens and hit share of a list of requests. */
export function summarise(data, list) {
  const status = [0, 0, 0];
  const sums = { isl: 0, osl: 0, cached: 0, cachedOf: 0 };
  for (const i of list) {
    status[data.status[i]] += 1;
    if (data.status[i] > 0) continue;
    sums.isl += Math.max(0, data.isl[i]);
    sums.osl += Math.max(0, data.osl[i]);
    if (data.cached[i] >= 0) {
      sums.cached += data.cached[i];
      sums.cachedOf += data.isl[i];
    }
  }
  return {
    n: list.length,
    ok: status[0],
    failed: status[1],
    cancelled: status[2],
    ttft: percentiles(data, list, VALUES.ttft),
    itl: percentiles(data, list, VALUES.itl),
    e2el: percentiles(data, list, VALUES.e2el),
    isl: sums.isl,
    osl: sums.osl,
    hit: sums.cachedOf > 0 ? sums.cached / sums.cachedOf : NaN,
  };
}

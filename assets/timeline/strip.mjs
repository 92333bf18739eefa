// The strip above the lanes: load over time on the same clock, from the requests and the server.

/**
 * Returns requests in flight and new tokens in flight (uncached input of requests that have sent
 * and not ended) over `bins` equal bins of [t0, t1] units: time-weighted means, all requests.
 */
export function loadOverTime(data, t0, t1, bins, visible = null) {
  const width = (t1 - t0) / bins;
  const running = new Float64Array(bins + 1);
  const tokens = new Float64Array(bins + 1);
  const runningEdge = new Float64Array(bins + 1);
  const tokensEdge = new Float64Array(bins + 1);
  for (let i = 0; i < data.n; i++) {
    if (visible && !visible[i]) continue;
    const from = Math.max(data.start[i], t0);
    const to = Math.min(data.end[i], t1);
    if (from >= to) continue;
    const fresh = data.isl[i] < 0 ? 0 : data.cached[i] < 0 ? data.isl[i] : data.isl[i] - data.cached[i];
    step((from - t0) / width, 1, fresh);
    step((to - t0) / width, -1, -fresh);
  }
  function step(at, one, fresh) {
    const bin = Math.min(bins, Math.floor(at));
    const part = bin + 1 - at;
    runningEdge[bin] += one * part;
    tokensEdge[bin] += fresh * part;
    if (bin < bins) {
      running[bin + 1] += one;
      tokens[bin + 1] += fresh;
    }
  }
  return { t0, t1, running: settle(running, runningEdge, bins), tokens: settle(tokens, tokensEdge, bins) };
}

/** Running total of whole steps plus the part of a bin that its own steps cover. */
function settle(steps, edges, bins) {
  const out = new Float32Array(bins);
  let level = 0;
  for (let b = 0; b < bins; b++) {
    level += steps[b];
    out[b] = Math.max(0, level + edges[b]);
  }
  return out;
}

/** Returns the value of a bin series at time t, NaN outside. */
export function binAt(load, values, t) {
  const bin = Math.floor(((t - load.t0) / (load.t1 - load.t0)) * values.length);
  return bin >= 0 && bin < values.length ? values[bin] : NaN;
}

/** Returns {name: {t, value, max, unit}} of the server's series summed over engines, t in units. */
export function readSeries(payload, data) {
  const out = {};
  for (const series of payload.data ?? []) {
    if (out[series.name] && series.engine !== null) continue;
    const t = Float64Array.from(series.t_s, (s) => s / data.unitS + data.zero);
    const value = Float64Array.from(series.value, (v) => v ?? NaN);
    let max = 0;
    for (const v of value) if (v > max) max = v;
    out[series.name] = { t, value, max, unit: series.unit };
  }
  return out;
}

/**
 * Draws one line into a pixel buffer: each column spans the lowest to the highest sample in it, so
 * no peak is lost, and joins its neighbour; a missing value breaks the line.
 */
export function drawLine({ pixels, width, top, bottom }, view, thick, { t, value, max }, colour) {
  const perColumn = view.span / width;
  const y = (v) => Math.round(bottom - (Math.min(v, max || 1) / (max || 1)) * (bottom - top));
  let k = Math.max(0, lowerBound(t, view.t0) - 1);
  let from = t[k] <= view.t0 ? value[k] : NaN;
  if (t[k] <= view.t0) k += 1;
  for (let x = 0; x < width && (k < t.length || from === from); x++) {
    const stop = view.t0 + (x + 1) * perColumn;
    let [low, high, last] = [from, from, from];
    for (; k < t.length && t[k] < stop; k++) {
      last = value[k];
      if (!(last >= low)) low = last;
      if (!(last <= high)) high = last;
    }
    if (k >= t.length && t[t.length - 1] < stop - perColumn) return;
    if (high === high) for (let line = y(high); line <= y(low) + thick - 1; line++) pixels.fill(colour, line * width + x, line * width + x + thick);
    from = last;
  }
}

function lowerBound(column, t) {
  let low = 0;
  let high = column.length;
  while (low < high) {
    const mid = (low + high) >> 1;
    if (column[mid] < t) low = mid + 1;
    else high = mid;
  }
  return low;
}

/** Returns the last sample at or before t, NaN before the first. */
export function sampleAt({ t, value }, at) {
  const k = lowerBound(t, at + 1e-9) - 1;
  return k >= 0 ? value[k] : NaN;
}

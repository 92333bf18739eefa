// Drawing index: requests sorted by row, with running sums that answer for any pixel at once.

/**
 * Returns the index of the requests that `visible` (Uint8Array, or null for all) lets through.
 * Sums wrap at 2^32: differences stay right because no row is busy for longer than that.
 */
export function buildIndex(data, layout, visible = null) {
  const { rowOf, rowCount } = layout;
  const pointer = new Int32Array(rowCount + 1);
  for (let i = 0; i < data.n; i++) if (!visible || visible[i]) pointer[rowOf[i] + 1]++;
  for (let r = 0; r < rowCount; r++) pointer[r + 1] += pointer[r];
  const total = pointer[rowCount];
  const at = pointer.slice(0, rowCount);
  const index = { pointer, total, order: new Int32Array(total), left: new Int32Array(total), end: new Int32Array(total) };
  for (let i = 0; i < data.n; i++) {
    if (visible && !visible[i]) continue;
    const k = at[rowOf[i]]++;
    index.order[k] = i;
    index.left[k] = data.left[i];
    index.end[k] = data.end[i];
  }
  index.busy = runningSum(total, (k) => index.end[k] - index.left[k]);
  index.bad = runningSum(total, (k) => (data.status[index.order[k]] > 0 ? 1 : 0));
  index.shade = null;
  index.lit = null;
  return index;
}

function runningSum(total, value) {
  const sum = new Uint32Array(total + 1);
  for (let k = 0; k < total; k++) sum[k + 1] = sum[k] + value(k);
  return sum;
}

/** Sets the running sum of shades (0–255 a request), so that a pixel knows its mean colour. */
export function indexShades(index, shades) {
  const { order, total } = index;
  const sum = index.shade ?? new Uint32Array(total + 1);
  for (let k = 0; k < total; k++) sum[k + 1] = sum[k] + shades[order[k]];
  index.shade = sum;
}

/** Sets or clears (null) the running sum of lit requests. */
export function indexLit(index, lit) {
  if (!lit) {
    index.lit = null;
    return;
  }
  const { order, total } = index;
  const sum = new Uint32Array(total + 1);
  for (let k = 0; k < total; k++) sum[k + 1] = sum[k] + lit[order[k]];
  index.lit = sum;
}

/** Returns the first k in [from, to) with column[k] > t, galloping from `from`. */
export function firstAbove(column, t, from, to) {
  if (from >= to || column[from] > t) return from;
  let step = 1;
  let low = from;
  while (low + step < to && column[low + step] <= t) {
    low += step;
    step *= 2;
  }
  let high = Math.min(low + step, to);
  low += 1;
  while (low < high) {
    const mid = (low + high) >> 1;
    if (column[mid] > t) high = mid;
    else low = mid + 1;
  }
  return low;
}

// Which bar lies under a point: rows by their tops, bars by their times.

/** Returns the last position whose value is ≤ x in a rising column, -1 before the first. */
export function lastAtOrBelow(column, x, from = 0, to = column.length) {
  let low = from;
  let high = to;
  while (low < high) {
    const mid = (low + high) >> 1;
    if (column[mid] <= x) low = mid + 1;
    else high = mid;
  }
  return low - 1;
}

/** Returns the row at height y, or -1 between rows. */
export function rowAt(layout, y) {
  const row = lastAtOrBelow(layout.top, y);
  return row >= 0 && y <= layout.top[row] + layout.height[row] ? row : -1;
}

/** Returns the position in a row of the bar at time t, within `slack` either side, else -1. */
export function barAt(index, row, t, slack) {
  const [from, to] = [index.pointer[row], index.pointer[row + 1]];
  const k = lastAtOrBelow(index.left, t, from, to);
  if (k >= from && index.end[k] >= t) return k;
  const before = k >= from ? t - index.end[k] : Infinity;
  const after = k + 1 < to ? index.left[k + 1] - t : Infinity;
  if (Math.min(before, after) > slack) return -1;
  return before <= after ? k : k + 1;
}

// Bars as pixels: each row is scanned once into three lines of colour, then copied to its height.
// What is wider than two pixels is drawn by its parts; what is narrower is summed up per pixel from
// running sums, so that a frame costs pixels, not requests.

import { firstAbove } from "./index.mjs";

const WIDE = 2;
const FULL = 15 << 8;
const TINT = 7 << 8;
const FAINTEST = 6;
const GAP_MIN = 6;
const LABEL_MIN = 42;
const MARKER = 3;
const SHORT = 24;

export class RowRaster {
  constructor(width) {
    this.width = width;
    this.edge = new Uint32Array(width);
    this.middle = new Uint32Array(width);
    this.centre = new Uint32Array(width);
    this.hatches = [];
    this.labels = [];
    this.dense = 0;
  }

  begin() {
    this.labels.length = 0;
    this.dense = 0;
  }

  /** Scans row `row` of the index as seen through `view` {t0, perPixel} in the colours of `style`. */
  scan(data, index, row, view, style, options) {
    this.edge.fill(style.paper);
    this.middle.fill(style.paper);
    this.centre.fill(style.paper);
    this.hatches.length = 0;
    const { left, end } = index;
    const { t0, perPixel } = view;
    const stop = t0 + this.width * perPixel;
    const to = index.pointer[row + 1];
    let k = firstAbove(end, t0 - MARKER * perPixel, index.pointer[row], to);
    let right = k > index.pointer[row] ? (end[k - 1] - t0) / perPixel : Infinity;
    while (k < to && left[k] < stop) {
      const x = (left[k] - t0) / perPixel;
      if (options.gaps && x - right >= GAP_MIN) this.#gap(right, x, style, options);
      const wide = (end[k] - left[k]) / perPixel >= WIDE;
      const next = wide ? k + 1 : this.#narrowEnd(index, k, to, t0 + (Math.floor(x) + 1) * perPixel, perPixel);
      if (wide) this.#bar(data, index, k, view, style, options);
      else this.#pixel(data, index, k, next, Math.floor(x), view, style);
      right = (end[next - 1] - t0) / perPixel;
      k = next;
    }
  }

  /** Copies the scanned row into `pixels` (lines of `width`) from line y on, `height` lines. */
  blit(pixels, y, height, lines) {
    const quarter = Math.max(1, height >> 2);
    for (let line = 0; line < height; line++) {
      if (y + line < 0 || y + line >= lines) continue;
      const from = line === height >> 1 ? this.centre : line < quarter || line >= height - quarter ? this.edge : this.middle;
      pixels.set(from, (y + line) * this.width);
      for (const h of this.hatches) hatch(pixels, (y + line) * this.width, line, h);
    }
  }

  /** Position after the bars that begin in this pixel; a wide one at their end stands for itself. */
  #narrowEnd(index, k, to, pixelEnd, perPixel) {
    const next = firstAbove(index.left, Math.ceil(pixelEnd) - 1, k + 1, to);
    const last = next - 1;
    return last > k && index.end[last] - index.left[last] >= WIDE * perPixel ? last : next;
  }

  /** Colours [x0, x1) of all three lines, or of the inner two; short spans without a call. */
  #fill(x0, x1, colour, inner = false) {
    const { edge, middle, centre } = this;
    const from = x0 > 0 ? x0 : 0;
    const to = x1 < this.width ? x1 : this.width;
    if (to - from > SHORT) {
      middle.fill(colour, from, to);
      centre.fill(colour, from, to);
      if (!inner) edge.fill(colour, from, to);
      return;
    }
    for (let x = from; x < to; x++) {
      middle[x] = colour;
      centre[x] = colour;
      if (!inner) edge[x] = colour;
    }
  }

  #bar(data, index, k, view, style, options) {
    const i = index.order[k];
    const x = (t) => Math.floor((t - view.t0) / view.perPixel);
    const x0 = x(index.left[k]);
    const xs = x(data.start[i]);
    const x1 = Math.max(x0 + 1, x(index.end[k]) - 1);
    const table = index.lit && index.lit[k + 1] === index.lit[k] ? style.dim : style.bright;
    const shade = (index.shade[k + 1] - index.shade[k]) >>> 0;
    if (x0 < xs) this.#fill(x0, xs, style.wait, true);
    const status = data.status[i];
    const xf = data.first[i] < 0 ? x1 : Math.min(Math.max(x(data.first[i]), xs), x1);
    if (status > 0) {
      const colour = style.status(status, table);
      this.#fill(xs, Math.max(x1, xs + MARKER), colour);
      this.hatches.push({ x0: Math.max(0, xs), x1: Math.min(this.width, x1), origin: xs, colour: style.paper });
    } else {
      this.#fill(xs, xf, table[TINT | shade]);
      this.#fill(xf, x1, table[FULL | shade]);
    }
    if (options.labels) this.#label(i, xs, xf, x1, options);
  }

  /** A text goes where the answer streams, else over the whole bar. */
  #label(i, xs, xf, x1, { ratio, row }) {
    const right = Math.min(this.width, x1);
    const tint = right - Math.max(0, xf) < LABEL_MIN * ratio;
    const from = Math.max(0, tint ? xs : xf);
    if (right - from >= LABEL_MIN * ratio) this.labels.push({ i, row, x0: from, x1: right, gap: 0, tint });
  }

  /** One pixel column for the bars k … next − 1 that begin in it. */
  #pixel(data, index, k, next, px, view, style) {
    const n = next - k;
    const busy = (index.busy[next] - index.busy[k]) >>> 0;
    const lit = !index.lit || index.lit[next] !== index.lit[k];
    const table = lit ? style.bright : style.dim;
    const cover = Math.min(1, busy / view.perPixel);
    const strength = FAINTEST + Math.round((15 - FAINTEST) * cover);
    const shade = Math.round(((index.shade[next] - index.shade[k]) >>> 0) / n);
    const bad = index.bad[next] !== index.bad[k];
    const colour = bad ? style.status(n === 1 ? data.status[index.order[k]] : 1, table) : table[(strength << 8) | shade];
    const spill = Math.ceil((index.end[next - 1] - view.t0) / view.perPixel);
    const least = bad && n === 1 ? px + MARKER : px + 1;
    this.#fill(px, Math.max(least, Math.min(spill, px + 3)), colour);
    if (n > 1) this.dense += n;
  }

  #gap(from, to, style, options) {
    const [x0, x1] = [Math.max(0, Math.ceil(from) + 1), Math.min(this.width, Math.floor(to) - 1)];
    for (let x = x0; x < x1; x++) if ((x - Math.ceil(from)) % 4 < 2) this.centre[x] = style.gap;
    if (options.labels && x1 - x0 >= 2 * LABEL_MIN * options.ratio) this.labels.push({ i: -1, row: options.row, x0, x1, gap: to - from, tint: true });
  }
}

function hatch(pixels, at, line, { x0, x1, origin, colour }) {
  for (let x = x0; x < x1; x++) if ((x - origin + line) % 5 < 2) pixels[at + x] = colour;
}

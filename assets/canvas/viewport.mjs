// The part of a wide plane that is in view: horizontal zoom, vertical scroll, limits, glides.

/** A window [t0, t1] over [min, max] and a scroll offset over a content height. */
export class Viewport {
  constructor({ min, max, minSpan = 1 }) {
    Object.assign(this, { min, max, minSpan, t0: min, t1: max, y: 0, width: 1, height: 1, contentHeight: 0 });
    this.listeners = new Set();
    this.glide = null;
  }

  get span() {
    return this.t1 - this.t0;
  }

  get perPixel() {
    return this.span / this.width;
  }

  onChange(listener) {
    this.listeners.add(listener);
  }

  resize(width, height) {
    this.width = Math.max(1, width);
    this.height = Math.max(1, height);
    this.scrollTo(this.y);
  }

  toTime(x) {
    return this.t0 + x * this.perPixel;
  }

  toX(t) {
    return (t - this.t0) / this.perPixel;
  }

  /** Shows [t0, t1], kept inside the limits; the span is kept where it fits. */
  show(t0, t1, source = this) {
    const whole = this.max - this.min;
    const span = Math.min(Math.max(t1 - t0, this.minSpan), whole);
    const middle = (t0 + t1) / 2;
    const start = Math.min(Math.max(middle - span / 2, this.min), this.max - span);
    if (start === this.t0 && start + span === this.t1) return;
    this.t0 = start;
    this.t1 = start + span;
    this.#changed("time", source);
  }

  /** Zooms by `factor` (< 1 = closer) and keeps the time under pixel x where it is. */
  zoomAt(x, factor) {
    const at = this.toTime(x);
    const span = Math.min(Math.max(this.span * factor, this.minSpan), this.max - this.min);
    const t0 = at - (x / this.width) * span;
    this.show(t0, t0 + span);
  }

  panBy(pixels) {
    const dt = pixels * this.perPixel;
    this.show(this.t0 + dt, this.t1 + dt);
  }

  scrollTo(y) {
    const limit = Math.max(0, this.contentHeight - this.height);
    const next = Math.min(Math.max(0, y), limit);
    if (next === this.y) return;
    this.y = next;
    this.#changed("scroll", this);
  }

  /** Moves t into view (with `margin` of the span around) and rows [top, bottom] too. */
  reveal(t0, t1, top, bottom, margin = 0.15) {
    const room = this.span * margin;
    if (t1 - t0 > this.span - 2 * room) this.show(t0 - (t1 - t0) * margin, t1 + (t1 - t0) * margin);
    else if (t0 < this.t0 + room) this.show(t0 - room, t0 - room + this.span);
    else if (t1 > this.t1 - room) this.show(t1 + room - this.span, t1 + room);
    if (top < this.y) this.scrollTo(top - 20);
    else if (bottom > this.y + this.height) this.scrollTo(bottom + 20 - this.height);
  }

  #changed(what, source) {
    for (const listener of this.listeners) listener(what, source);
  }
}

/** Runs `step(0…1)` over `ms`, at once where motion is unwanted; returns a way to stop. */
export function glide(step, ms, { now, frame, reduced }) {
  if (reduced) {
    step(1);
    return () => {};
  }
  const begin = now();
  let stopped = false;
  const tick = () => {
    if (stopped) return;
    const part = Math.min(1, (now() - begin) / ms);
    step(1 - (1 - part) ** 3);
    if (part < 1) frame(tick);
  };
  frame(tick);
  return () => (stopped = true);
}

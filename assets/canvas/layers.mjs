// Stacked canvases that are painted only when something on them changed.

/**
 * Layers share one box. `invalidate(name)` marks one dirty; the next frame paints the dirty ones
 * only. `paints` counts the paintings of each, so that a test can see that hover paints no base.
 */
export class Layers {
  constructor(painters, request = (f) => requestAnimationFrame(f)) {
    this.painters = painters;
    this.dirty = new Set();
    this.paints = Object.fromEntries(Object.keys(painters).map((name) => [name, 0]));
    this.pending = false;
    this.request = request;
  }

  invalidate(...names) {
    for (const name of names) this.dirty.add(name);
    if (this.pending) return;
    this.pending = true;
    this.request(() => this.flush());
  }

  /** Paints what is dirty now, in the order the painters were given. */
  flush() {
    this.pending = false;
    for (const name of Object.keys(this.painters)) {
      if (!this.dirty.delete(name)) continue;
      this.paints[name] += 1;
      this.painters[name]();
    }
  }
}

/** Sets a canvas to a CSS size at the screen's resolution (at most 2); returns the ratio. */
export function sizeCanvas(canvas, width, height) {
  const ratio = Math.min(globalThis.devicePixelRatio || 1, 2);
  const w = Math.max(1, Math.round(width * ratio));
  const h = Math.max(1, Math.round(height * ratio));
  if (canvas.width !== w) canvas.width = w;
  if (canvas.height !== h) canvas.height = h;
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  return ratio;
}

/** Makes a canvas with a class inside a parent. */
export function addCanvas(parent, className, options) {
  const canvas = parent.ownerDocument.createElement("canvas");
  canvas.className = className;
  canvas.setAttribute("aria-hidden", "true");
  parent.append(canvas);
  return { canvas, context: canvas.getContext("2d", options) };
}

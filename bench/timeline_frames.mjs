// Driver of bench/timeline_frames.py: opens packed files, moves the view, times every frame.

import { mount } from "/assets/timeline/mount.mjs";
import { decode } from "/assets/timeline/format.mjs";

const LAYERS = ["base", "strip", "axis", "gutter", "window", "overlay", "minimap"];

const quantile = (values, p) => [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * p))];

/** Mounts a packed file; returns milliseconds from click to drawn and of each build step. */
async function open(name) {
  const place = document.getElementById("place");
  place.replaceChildren();
  const element = document.createElement("div");
  element.dataset.src = `/packed/${name}`;
  element.dataset.strings = "{}";
  history.replaceState(null, "", "?phase=all");
  const begin = performance.now();
  place.append(element);
  await mount(element);
  flushRaster(element.timeline);
  const opened = performance.now() - begin;
  window.view = element.timeline;
  return { opened, ...window.view.build, n: window.view.data.n };
}

async function timeDecode(name) {
  const buffer = await (await fetch(`/packed/${name}`)).arrayBuffer();
  const begin = performance.now();
  decode(buffer);
  return performance.now() - begin;
}

/** Reading a pixel back makes the rasteriser finish what was recorded. */
function flushRaster(view) {
  for (const layer of LAYERS) view.canvases[layer].context.getImageData(0, 0, 1, 1);
}

/** Moves of a session: zoom in at several places, pan, scroll, zoom out again. */
function moves(view) {
  const { port } = view;
  const out = [];
  for (const x of [0.15, 0.5, 0.85]) {
    out.push(() => port.show(port.min, port.max));
    for (let k = 0; k < 24; k++) out.push(() => port.zoomAt(port.width * x, 0.8));
    for (let k = 0; k < 12; k++) out.push(() => port.panBy(40));
    for (let k = 0; k < 12; k++) out.push(() => port.scrollTo(port.y + 37));
    for (let k = 0; k < 24; k++) out.push(() => port.zoomAt(port.width * (1 - x), 1.25));
    for (let k = 0; k < 12; k++) out.push(() => port.panBy(-30));
  }
  return out;
}

/**
 * Times the frames of a grouping and colour: script plus raster flush. The same moves are made
 * `passes` times and each frame keeps its best, so that other work on the machine is left out.
 */
function frames(by, color, passes) {
  const { view } = window;
  if (view.state.by !== by) view.setGrouping(by);
  if (view.state.color !== color) view.setColour(color);
  const best = bestOf(passes, moves(view), () => {
    view.layers.flush();
    flushRaster(view);
  });
  return { ...best, rows: view.layout.rowCount };
}

function bestOf(passes, list, draw) {
  const { view } = window;
  const times = list.map(() => Infinity);
  for (let pass = 0; pass < passes; pass++) {
    view.port.scrollTo(densest(view));
    draw();
    list.forEach((move, k) => {
      const begin = performance.now();
      move();
      draw();
      times[k] = Math.min(times[k], performance.now() - begin);
    });
  }
  return { p50: quantile(times, 0.5), p95: quantile(times, 0.95), max: Math.max(...times), frames: times.length };
}

/** Scroll offset at which most requests are in view: the worst place to draw. */
function densest({ index, layout, laneHeight }) {
  let [best, most] = [0, -1];
  for (let from = 0, to = 0; from < layout.rowCount; from++) {
    while (to < layout.rowCount && layout.top[to] < layout.top[from] + laneHeight) to += 1;
    const n = index.pointer[to] - index.pointer[from];
    if (n > most) [best, most] = [layout.top[from], n];
  }
  return best;
}

/** One frame of the same moves, for a caller that reads the thread's CPU clock around it. */
function step(k) {
  const { view } = window;
  if (k === 0) {
    window.list = moves(view);
    view.port.scrollTo(densest(view));
  } else {
    window.list[k - 1]();
    view.layers.flush();
    flushRaster(view);
  }
  return window.list.length;
}

/** The naive drawing: every request in view, one rectangle each, over `count` of the same moves. */
function naive(count, passes) {
  const { view } = window;
  const canvas = document.createElement("canvas");
  canvas.width = view.port.width;
  canvas.height = view.laneHeight;
  const context = canvas.getContext("2d");
  const list = moves(view);
  const some = list.filter((_, k) => k % Math.ceil(list.length / count) === 0);
  return bestOf(passes, some, () => {
    drawNaively(view, context);
    context.getImageData(0, 0, 1, 1);
  });
}

/** Milliseconds of painting and flushing each layer alone, all of it in view; best of 20. */
function layers() {
  const { view } = window;
  view.port.show(view.port.min, view.port.max);
  view.layers.flush();
  const out = {};
  for (const name of LAYERS) {
    out[name] = Infinity;
    for (let k = 0; k < 20; k++) {
      const begin = performance.now();
      view.layers.painters[name]();
      view.canvases[name].context.getImageData(0, 0, 1, 1);
      out[name] = Math.min(out[name], performance.now() - begin);
    }
  }
  return out;
}

function drawNaively({ data, layout, port, laneHeight }, context) {
  context.clearRect(0, 0, port.width, laneHeight);
  for (let i = 0; i < data.n; i++) {
    const row = layout.rowOf[i];
    const y = layout.top[row] - port.y;
    if (y > laneHeight || y + layout.height[row] < 0 || data.end[i] < port.t0 || data.left[i] > port.t1) continue;
    context.fillStyle = data.status[i] ? "#b3261e" : "#4f86d9";
    context.fillRect(port.toX(data.left[i]), y, Math.max(1, (data.end[i] - data.left[i]) / port.perPixel), layout.height[row]);
  }
}

/** Hover along the plot: how often each layer was painted meanwhile. */
function hover() {
  const { view } = window;
  view.layers.flush();
  const before = { ...view.layers.paints };
  for (let x = 0; x < 300; x++) {
    view.hoverAt(x, 100 + x);
    view.layers.flush();
  }
  return Object.fromEntries(Object.entries(view.layers.paints).map(([name, n]) => [name, n - before[name]]));
}

window.bench = { open, timeDecode, frames, naive, step, layers, hover };

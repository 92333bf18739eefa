// What is painted on each layer. A painter reads the view and draws; it changes nothing.

import { sizeCanvas } from "../canvas/layers.mjs";
import { lastAtOrBelow } from "../canvas/hit.mjs";
import { clock, duration, ticks } from "../canvas/ticks.mjs";
import { paintGrid, windowBox } from "../canvas/minimap.mjs";
import { spawnAndJoin } from "./model.mjs";
import { RowRaster } from "./raster.mjs";
import { laneColour } from "./theme.mjs";
import { drawLine } from "./strip.mjs";

export const STRIP = 60;
export const AXIS = 24;
const FONT = 'system-ui, "Helvetica Neue", Arial, "PingFang SC", "Noto Sans CJK SC", sans-serif';
const LABELS_MOVING = 60;
const LABELS_STILL = 500;

/** Lanes and bars. */
export function paintBase(view) {
  const { canvas, context } = view.canvases.base;
  const ratio = sizeCanvas(canvas, view.port.width, view.laneHeight);
  const [width, lines] = [canvas.width, canvas.height];
  const frame = pixelsOf(view, "frame", context, width, lines);
  frame.raster ??= new RowRaster(width);
  const { style } = view.theme;
  frame.pixels.fill(style.paper);
  paintRows(view, frame, ratio, lines);
  context.putImageData(frame.image, 0, 0);
  paintLabels(view, context, frame.raster, ratio);
  paintArrows(view, context, ratio);
}

/** The pixel buffer of a layer, made anew when its size changes. */
function pixelsOf(view, name, context, width, lines) {
  let frame = view[name];
  if (!frame || frame.image.width !== width || frame.image.height !== lines) {
    const image = context.createImageData(width, lines);
    frame = view[name] = { image, pixels: new Uint32Array(image.data.buffer), raster: null };
  }
  return frame;
}

function paintRows(view, { pixels, raster }, ratio, lines) {
  const { layout, port } = view;
  const seen = { t0: port.t0, perPixel: port.perPixel / ratio };
  const options = { gaps: layout.gaps, labels: false, ratio, row: 0 };
  raster.begin();
  for (const lane of lanesInView(view)) {
    const y = Math.round((lane.top + lane.height - 3 - port.y) * ratio);
    if (y >= 0 && y < lines) pixels.fill(view.theme.packed.line, y * raster.width, (y + 1) * raster.width);
  }
  for (let row = Math.max(0, lastAtOrBelow(layout.top, port.y)); row < layout.rowCount; row++) {
    const y = Math.round((layout.top[row] - port.y) * ratio);
    if (y >= lines) break;
    const height = Math.round(layout.height[row] * ratio);
    if (y + height < 0) continue;
    options.labels = layout.height[row] >= 14;
    options.row = row;
    raster.scan(view.data, view.index, row, seen, view.theme.style, options);
    raster.blit(pixels, y, height, lines);
  }
}

export function lanesInView(view) {
  const { lanes } = view.layout;
  const out = [];
  let low = 0;
  let high = lanes.length;
  while (low < high) {
    const mid = (low + high) >> 1;
    if (lanes[mid].top + lanes[mid].height < view.port.y) low = mid + 1;
    else high = mid;
  }
  for (let k = low; k < lanes.length && lanes[k].top < view.port.y + view.laneHeight; k++) out.push(lanes[k]);
  return out;
}

function paintLabels(view, context, raster, ratio) {
  const most = view.moving ? LABELS_MOVING : LABELS_STILL;
  context.font = `${10.5 * ratio}px ${FONT}`;
  context.textBaseline = "middle";
  for (const label of raster.labels.slice(0, most)) {
    const top = view.layout.top[label.row] - view.port.y;
    const y = (top + view.layout.height[label.row] / 2 + 0.5) * ratio;
    const room = label.x1 - label.x0 - 8 * ratio;
    const text = label.i < 0 ? view.t("gap", { time: duration((label.gap / ratio) * view.port.perPixel * view.data.unitS) }) : barText(view, label.i, room / ratio);
    if (label.i < 0 || view.data.status[label.i] > 0) paintBoxedText(view, context, label, text, y, ratio);
    else {
      context.fillStyle = label.tint ? view.theme.css.ink : view.theme.textOn[view.shades.shades[label.i]];
      if (context.measureText(text).width <= room) context.fillText(text, label.x0 + 4 * ratio, y);
    }
  }
}

function barText(view, i, room) {
  const turn = view.t("turn_short", { turn: view.data.turn[i] });
  if (room < 110) return turn;
  return `${turn} · ${duration((view.data.end[i] - view.data.start[i]) * view.data.unitS)}`;
}

/** A text on a paper box in the middle: for idle time and for hatched bars. */
function paintBoxedText(view, context, label, text, y, ratio) {
  const width = context.measureText(text).width;
  const x = (label.x0 + label.x1 - width) / 2;
  if (width + 12 * ratio > label.x1 - label.x0) return;
  context.fillStyle = view.theme.css.paper;
  context.fillRect(x - 3 * ratio, y - 6 * ratio, width + 6 * ratio, 12 * ratio);
  context.fillStyle = view.theme.css.soft;
  context.fillText(text, x, y);
}

/** Spawn and join arrows of the open sub-agents in view. */
function paintArrows(view, context, ratio) {
  context.strokeStyle = context.fillStyle = view.theme.css.soft;
  context.lineWidth = ratio;
  for (const lane of lanesInView(view)) {
    if (lane.level === 0) continue;
    const { spawn, join } = linksOf(view, lane.stream);
    const list = view.byStream.list(lane.stream);
    if (!list.length) continue;
    const [first, last] = [list[0], list[list.length - 1]];
    if (spawn >= 0 && view.isShown(spawn) && view.isShown(first)) arrow(view, context, spawn, first, view.data.start[spawn], ratio);
    if (join >= 0 && view.isShown(join) && view.isShown(last)) arrow(view, context, last, join, view.model.right[lane.stream], ratio);
  }
}

function linksOf(view, s) {
  const known = view.links.get(s);
  if (known) return known;
  const found = spawnAndJoin(view.model, s, view.data.streams.parent[s], view.byStream);
  view.links.set(s, found);
  return found;
}

function arrow(view, context, from, to, leaveAt, ratio) {
  const middle = (i) => {
    const row = view.layout.rowOf[i];
    return (view.layout.top[row] + view.layout.height[row] / 2 - view.port.y) * ratio;
  };
  const x0 = view.port.toX(leaveAt) * ratio;
  const x1 = view.port.toX(view.data.left[to]) * ratio;
  const [y0, y1] = [middle(from), middle(to)];
  if (Math.max(x0, x1) < 0 || Math.min(x0, x1) > context.canvas.width) return;
  const turn = x1 - Math.min(8 * ratio, Math.abs(x1 - x0) / 2);
  context.beginPath();
  context.moveTo(x0, y0);
  context.lineTo(turn, y0);
  context.lineTo(turn, y1);
  context.lineTo(x1, y1);
  context.stroke();
  context.beginPath();
  context.moveTo(x1, y1);
  context.lineTo(x1 - 5 * ratio, y1 - 3 * ratio);
  context.lineTo(x1 - 5 * ratio, y1 + 3 * ratio);
  context.fill();
}

/** Names of the lanes, left of the bars. */
export function paintGutter(view) {
  const { canvas, context } = view.canvases.gutter;
  const ratio = sizeCanvas(canvas, view.gutterWidth, view.laneHeight);
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, view.gutterWidth, view.laneHeight);
  context.textBaseline = "middle";
  for (const lane of lanesInView(view)) paintLaneName(view, context, lane);
}

function paintLaneName(view, context, lane) {
  const y = lane.top - view.port.y + 9;
  const x = 4 + lane.level * 12;
  const { css } = view.theme;
  const count = view.num.count(view.laneCount(lane));
  context.font = `11px ${FONT}`;
  const countWidth = context.measureText(count).width;
  context.fillStyle = css.soft;
  context.fillText(count, view.gutterWidth - countWidth - 8, y);
  if (lane.hasChildren) context.fillText(lane.isOpen ? "▾" : "▸", x, y);
  context.fillStyle = laneColour(view.theme, lane.colour);
  context.fillRect(x + 12, y - 4, 3, 9);
  context.fillStyle = lane.placeholder ? css.soft : css.ink;
  context.font = `${lane.placeholder ? "italic " : ""}12px ${FONT}`;
  context.fillText(clip(context, view.laneLabel(lane), view.gutterWidth - countWidth - x - 32), x + 20, y);
}

/** Cuts a text to a width in the middle: both ends of an id tell more than its start. */
function clip(context, text, width) {
  if (context.measureText(text).width <= width) return text;
  for (let keep = text.length - 1; keep > 2; keep--) {
    const cut = `${text.slice(0, Math.ceil(keep / 2))}…${text.slice(text.length - Math.floor(keep / 2))}`;
    if (context.measureText(cut).width <= width) return cut;
  }
  return "…";
}

/** The clock below the strip. */
export function paintAxis(view) {
  const { canvas, context } = view.canvases.axis;
  const ratio = sizeCanvas(canvas, view.port.width, AXIS);
  const { port, theme } = view;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, port.width, AXIS);
  context.font = `11.5px ${FONT}`;
  context.textBaseline = "middle";
  const { step, values } = ticks(view.seconds(port.t0), view.seconds(port.t1), port.width / 100);
  for (const value of values) {
    const x = Math.round(port.toX(view.units(value))) + 0.5;
    context.fillStyle = value === 0 ? theme.css.ink : theme.css.line;
    context.fillRect(x, AXIS - 7, 1, 7);
    context.fillStyle = theme.css.soft;
    const text = clock(value, step);
    const width = context.measureText(text).width;
    if (x + 4 + width < port.width) context.fillText(text, x + 4, AXIS / 2 - 1);
  }
  context.fillStyle = theme.css.line;
  context.fillRect(0, AXIS - 1, port.width, 1);
}

/** Load of client and server above the clock: each line on its own scale, its maximum named. */
export function paintStrip(view) {
  const { canvas, context } = view.canvases.strip;
  const ratio = sizeCanvas(canvas, view.port.width, STRIP);
  const frame = pixelsOf(view, "stripFrame", context, canvas.width, canvas.height);
  frame.pixels.fill(view.theme.style.paper);
  const box = { pixels: frame.pixels, width: canvas.width, top: Math.round(6 * ratio), bottom: Math.round((STRIP - 4) * ratio) };
  const thick = Math.max(1, Math.round(ratio * 1.2));
  for (const line of view.stripLines()) drawLine(box, view.port, thick, line, view.theme.packed[line.colour]);
  context.putImageData(frame.image, 0, 0);
}

/** Everything at a small scale, and the window over it. */
export function paintMinimap(view) {
  const { canvas, context } = view.canvases.minimap;
  if (view.gridDirty) {
    canvas.width = view.grid.columns;
    canvas.height = view.grid.rows;
    paintGrid(context, view.grid.counts, view.grid.columns, view.grid.rows, view.theme.tints);
    view.gridDirty = false;
  }
}

export function paintWindow(view) {
  const { canvas, context } = view.canvases.window;
  const height = canvas.parentElement.clientHeight;
  const ratio = sizeCanvas(canvas, view.port.width, height);
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, view.port.width, height);
  const box = windowBox(view.port, view.port.width, height);
  context.strokeStyle = view.theme.css.acc;
  context.lineWidth = 1.5;
  context.strokeRect(Math.max(0.75, box.x), Math.max(0.75, box.y), Math.min(box.w, view.port.width - 1.5), Math.min(box.h, height - 1.5));
}

/** Cursor, hovered and selected bar, range: the only layer that hover touches. */
export function paintOverlay(view) {
  const { canvas, context } = view.canvases.overlay;
  const height = STRIP + AXIS + view.laneHeight;
  const ratio = sizeCanvas(canvas, view.port.width, height);
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, view.port.width, height);
  if (view.range) paintRange(view, context, height);
  if (view.box) paintBox(view, context);
  if (view.cursor !== null) {
    context.fillStyle = view.theme.css.soft;
    context.fillRect(Math.round(view.port.toX(view.cursor)), 0, 1, height);
  }
  context.save();
  context.beginPath();
  context.rect(0, STRIP + AXIS, view.port.width, view.laneHeight);
  context.clip();
  if (view.hovered >= 0) outline(view, context, view.hovered, view.theme.css.ink, 1);
  if (view.selected >= 0 && view.isShown(view.selected)) outline(view, context, view.selected, view.theme.css.ink, 2);
  context.restore();
}

function paintRange(view, context, height) {
  const [x0, x1] = view.range.map((s) => view.port.toX(view.units(s)));
  context.globalAlpha = 0.12;
  context.fillStyle = view.theme.css.acc;
  context.fillRect(x0, 0, x1 - x0, height);
  context.globalAlpha = 1;
  context.fillRect(x0, 0, 1, height);
  context.fillRect(x1 - 1, 0, 1, height);
}

function paintBox(view, context) {
  const { x0, y0, x1, y1 } = view.box;
  context.strokeStyle = view.theme.css.acc;
  context.setLineDash([4, 3]);
  context.strokeRect(x0, y0, x1 - x0, y1 - y0);
  context.setLineDash([]);
}

function outline(view, context, i, colour, width) {
  const row = view.layout.rowOf[i];
  const x0 = view.port.toX(view.data.left[i]);
  const x1 = Math.max(view.port.toX(view.data.end[i]), x0 + 3);
  const y = view.layout.top[row] - view.port.y + STRIP + AXIS;
  context.lineWidth = width;
  context.strokeStyle = colour;
  context.strokeRect(x0 - 1, y - 1, x1 - x0 + 2, view.layout.height[row] + 2);
  if (x1 - x0 < 12 && width > 1) pointer(context, (x0 + x1) / 2, y - 3, colour);
}

/** A small arrow over a selected bar that is too narrow to be seen by its outline. */
function pointer(context, x, y, colour) {
  context.fillStyle = colour;
  context.beginPath();
  context.moveTo(x, y);
  context.lineTo(x - 5, y - 8);
  context.lineTo(x + 5, y - 8);
  context.fill();
}

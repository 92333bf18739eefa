// One timeline: its data, what is chosen, what is in view. Painters read it, commands change it.

import { Layers } from "../canvas/layers.mjs";
import { Viewport } from "../canvas/viewport.mjs";
import { barAt, rowAt } from "../canvas/hit.mjs";
import { buildModel, requestsByStream, streamName, treeKey } from "./model.mjs";
import { layOut } from "./lanes.mjs";
import { buildIndex, indexLit, indexShades } from "./index.mjs";
import { shade } from "./shades.mjs";
import { search } from "./search.mjs";
import { binAt, loadOverTime, sampleAt } from "./strip.mjs";
import { readTheme } from "./theme.mjs";
import { STRIP, AXIS, lanesInView, paintAxis, paintBase, paintGutter, paintMinimap, paintOverlay, paintStrip, paintWindow } from "./paint.mjs";

const GRID = { columns: 640, rows: 40 };
const LOAD_BINS = 4096;
const SLACK_PX = 4;
const STILL_MS = 140;

export class View {
  constructor({ data, canvases, state, t, num, element, lang }) {
    Object.assign(this, { data, canvases, state, t, num, element, lang });
    Object.assign(this, { hovered: -1, selected: -1, cursor: null, box: null, range: state.range, moving: false, series: {}, links: new Map(), frame: null, stripFrame: null });
    this.listeners = new Set();
    this.laneHeight = 1;
    this.gutterWidth = 1;
    this.build = { model: timed(() => (this.model = buildModel(data))) };
    this.byStream = requestsByStream(data);
    this.port = new Viewport(clockLimits(data));
    this.port.onChange((what, source) => this.#moved(what, source));
    this.layers = new Layers({ minimap: () => paintMinimap(this), base: () => paintBase(this), gutter: () => paintGutter(this), strip: () => paintStrip(this), axis: () => paintAxis(this), window: () => paintWindow(this), overlay: () => paintOverlay(this) });
    this.relayout();
    this.readColours();
    this.setQuery(state.q);
    this.overview = loadOverTime(data, this.port.min, this.port.max, LOAD_BINS);
    this.load = this.overview;
  }

  seconds = (t) => (t - this.data.zero) * this.data.unitS;
  units = (s) => s / this.data.unitS + this.data.zero;
  onChange = (listener) => this.listeners.add(listener);
  tell = (what, detail) => this.listeners.forEach((listener) => listener(what, detail));

  /** Rows and index anew: after a change of grouping, of open lanes or of phase. */
  relayout() {
    this.build.layout = timed(() => (this.layout = layOut(this.data, this.model, this.state)));
    this.refilter();
    this.tell("layout");
  }

  /** Index anew over the rows as they are: after a change of phase. */
  refilter() {
    const { data, state } = this;
    const wanted = data.header.phases.indexOf(state.phase);
    this.visible = wanted < 0 ? null : equalTo(data.phase, wanted);
    this.build.index = timed(() => (this.index = buildIndex(data, this.layout, this.visible)));
    if (this.shades) this.build.shades = timed(() => indexShades(this.index, this.shades.shades));
    if (this.found !== undefined) indexLit(this.index, this.found?.lit);
    this.port.contentHeight = this.layout.totalHeight;
    this.#goHome();
    this.grid = overviewGrid(this);
    this.gridDirty = true;
    this.port.scrollTo(this.port.y);
    this.layers.invalidate(...Object.keys(this.layers.painters));
  }

  /** The home window holds what the phase shows; a view that was at home stays at home. */
  #goHome() {
    const { port } = this;
    const was = this.home === undefined || this.atHome;
    this.home = homeOf(this.data, this.visible, port);
    if (was) port.show(...this.home);
  }

  get atHome() {
    const slack = this.port.span * 1e-6;
    return Math.abs(this.port.t0 - this.home[0]) <= slack && Math.abs(this.port.t1 - this.home[1]) <= slack;
  }

  readColours() {
    this.theme = readTheme(this.element, this.state.color);
    this.shades = shade(this.data, this.state.color);
    indexShades(this.index, this.shades.shades);
    this.gridDirty = true;
    this.layers.invalidate(...Object.keys(this.layers.painters));
  }

  setQuery(query) {
    this.state.q = query;
    this.found = search(this.data, query);
    indexLit(this.index, this.found?.lit);
    this.matches = this.found ? countBoth(this.found.lit, this.visible) : 0;
    this.layers.invalidate("base");
    this.tell("search");
  }

  setPhase(phase) {
    this.state.phase = phase;
    this.refilter();
    this.setQuery(this.state.q);
    this.tell("state");
  }

  setGrouping(by) {
    this.state.by = by;
    this.relayout();
    this.revealSelected();
    this.tell("state");
  }

  setColour(color) {
    this.state.color = color;
    this.readColours();
    this.tell("state");
  }

  toggleLane(lane) {
    if (!lane?.hasChildren) return;
    const { open } = this.state;
    if (open.has("*")) {
      open.delete("*");
      for (const other of this.layout.lanes) if (other.hasChildren) open.add(other.key);
    }
    if (!open.delete(lane.key)) open.add(lane.key);
    this.relayout();
    this.tell("state");
  }

  toggleAll() {
    const all = this.state.open.has("*");
    this.state.open.clear();
    if (!all) this.state.open.add("*");
    this.relayout();
    this.tell("state");
  }

  /** Opens the lane of a request's tree, so that its sub-agent has a row of its own. */
  openTreeOf(i) {
    const root = this.model.root[this.data.stream[i]];
    if (this.state.by !== "conversation" || root === this.data.stream[i] || this.state.open.has("*")) return;
    const key = treeKey(this.data, this.model, root);
    if (this.state.open.has(key)) return;
    this.state.open.add(key);
    this.relayout();
  }

  select(i, { reveal = true } = {}) {
    if (i === this.selected) return;
    this.selected = i;
    if (i >= 0 && !this.isShown(i)) this.setPhase("all");
    if (i >= 0 && reveal) {
      this.openTreeOf(i);
      this.revealSelected();
    }
    this.layers.invalidate("overlay");
    this.tell("select");
    this.tell("state");
  }

  revealSelected() {
    const i = this.selected;
    if (i < 0) return;
    const row = this.layout.rowOf[i];
    const top = this.layout.top[row];
    this.port.reveal(this.data.left[i], this.data.end[i], top, top + this.layout.height[row]);
  }

  setRange(range) {
    this.range = this.state.range = range;
    this.layers.invalidate("overlay");
    this.tell("range");
    this.tell("state");
  }

  setCursor(t) {
    if (t === this.cursor) return;
    this.cursor = t;
    this.layers.invalidate("overlay");
    this.tell("cursor");
  }

  /** Hover at a point of the plot: paints the overlay and nothing else. */
  hoverAt(x, y) {
    const hit = this.hit(x, y);
    if (hit !== this.hovered) {
      this.hovered = hit;
      this.layers.invalidate("overlay");
    }
    this.setCursor(x === null ? null : this.port.toTime(x));
  }

  /** Returns the request under a point of the plot, or -1. */
  hit(x, y) {
    if (x === null || y < STRIP + AXIS) return -1;
    const row = rowAt(this.layout, y - STRIP - AXIS + this.port.y);
    if (row < 0) return -1;
    const k = barAt(this.index, row, this.port.toTime(x), SLACK_PX * this.port.perPixel);
    return k < 0 ? -1 : this.index.order[k];
  }

  laneAt(y) {
    return lanesInView(this).find((lane) => y + this.port.y < lane.top + lane.height - 3) ?? null;
  }

  /** Requests of a lane that are shown now. */
  laneCount(lane) {
    const { pointer } = this.index;
    return pointer[lane.firstRow + lane.rows] - pointer[lane.firstRow];
  }

  laneOf(i) {
    return this.layout.lanes[this.layout.laneOfRow[this.layout.rowOf[i]]];
  }

  laneLabel(lane) {
    if (lane.placeholder) return this.t("lane_placeholder", { name: lane.label });
    if (lane.label === null) return this.t(`lane_unknown_${this.state.by}`);
    if (lane.stream >= 0 || this.state.by === "engine") return lane.label;
    return this.t(`lane_${this.state.by}`, { name: lane.label.replace(/^worker_/, "") });
  }

  /** Conversation, agent and turn of a request in one line. */
  requestName(i) {
    const s = this.data.stream[i];
    const root = streamName(this.data, this.model, this.model.root[s]);
    const name = root === streamName(this.data, this.model, s) ? root : `${root} › ${streamName(this.data, this.model, s)}`;
    return `${name} · ${this.t("turn_short", { turn: this.data.turn[i] })}`;
  }

  isShown = (i) => !this.visible || this.visible[i] === 1;

  resize(width, laneHeight, gutterWidth) {
    this.laneHeight = laneHeight;
    this.gutterWidth = gutterWidth;
    this.port.resize(width, laneHeight);
    this.layers.invalidate(...Object.keys(this.layers.painters));
  }

  setSeries(series) {
    this.series = series;
    this.layers.invalidate("strip");
    this.tell("series");
  }

  /** Lines of the strip: what the client has in flight, then the server's own word. */
  stripLines() {
    const { load } = this;
    const bins = load.running.length;
    this.binTimes = this.binTimes?.load === load ? this.binTimes : { load, t: Float64Array.from({ length: bins }, (_, b) => load.t0 + ((b + 0.5) / bins) * (load.t1 - load.t0)) };
    const client = (name, colour) => ({ name, colour, t: this.binTimes.t, value: load[name], max: maximum(this.overview[name]) });
    const server = (name, colour, max) => (this.series[name] ? [{ name, colour, ...this.series[name], ...(max ? { max } : {}) }] : []);
    const queues = Math.max(this.series.requests_running?.max ?? 0, this.series.requests_waiting?.max ?? 0);
    const running = server("requests_running", "running", queues);
    return [client("tokens", "tokens"), ...(running.length ? running : [client("running", "running")]), ...server("requests_waiting", "waiting", queues), ...server("kv_usage_ratio", "kv", 1)];
  }

  /** Values of the strip's lines at the cursor. */
  stripAt(t) {
    return this.stripLines().map((line) => ({ name: line.name, max: line.max, colour: line.colour, value: line.value === this.load[line.name] ? binAt(this.load, line.value, t) : sampleAt(line, t) }));
  }

  #moved(what, source) {
    this.moving = true;
    clearTimeout(this.stillTimer);
    this.stillTimer = setTimeout(() => this.#still(), STILL_MS);
    this.layers.invalidate(...(what === "time" ? ["base", "strip", "axis", "window", "overlay"] : ["base", "gutter", "window", "overlay"]));
    if (what === "time") this.tell("window", source);
  }

  /** The hand rests: full labels, the strip as fine as the screen, the address. */
  #still() {
    this.moving = false;
    const { port, data } = this;
    const whole = this.overview.t1 - this.overview.t0;
    this.load = port.span < whole / 3 ? loadOverTime(data, port.t0, port.t1, Math.min(LOAD_BINS, 2 * Math.ceil(port.width))) : this.overview;
    this.layers.invalidate("base", "strip");
    this.state.from = this.atHome ? null : this.seconds(port.t0);
    this.state.to = this.atHome ? null : this.seconds(port.t1);
    this.tell("state");
    this.tell("still");
  }
}

function clockLimits(data) {
  let max = 1;
  for (let i = 0; i < data.n; i++) if (data.end[i] > max) max = data.end[i];
  const margin = max * 0.01;
  return { min: -margin, max: max + margin, minSpan: 5 };
}

function homeOf(data, visible, port) {
  let [from, to] = [Infinity, -Infinity];
  for (let i = 0; i < data.n; i++) {
    if (visible && !visible[i]) continue;
    if (data.left[i] < from) from = data.left[i];
    if (data.end[i] > to) to = data.end[i];
  }
  if (from > to) return [port.min, port.max];
  const margin = Math.max(1, (to - from) * 0.01);
  return [Math.max(port.min, from - margin), Math.min(port.max, to + margin)];
}

function timed(work) {
  const begin = performance.now();
  work();
  return performance.now() - begin;
}

function maximum(values) {
  let most = 0;
  for (const v of values) if (v > most) most = v;
  return most;
}

function equalTo(column, value) {
  const out = new Uint8Array(column.length);
  for (let i = 0; i < column.length; i++) out[i] = column[i] === value ? 1 : 0;
  return out;
}

function countBoth(lit, visible) {
  let n = 0;
  for (let i = 0; i < lit.length; i++) if (lit[i] && (!visible || visible[i])) n += 1;
  return n;
}

/** Counts of running requests on a small grid of time × lanes: the minimap's picture. */
function overviewGrid({ data, layout, port, visible }) {
  const { columns, rows } = GRID;
  const edges = new Int32Array(rows * (columns + 1));
  const perColumn = (port.max - port.min) / columns;
  const gridRow = Int32Array.from(layout.top, (y) => Math.floor((y / layout.totalHeight) * rows));
  for (let i = 0; i < data.n; i++) {
    if (visible && !visible[i]) continue;
    const base = gridRow[layout.rowOf[i]] * (columns + 1);
    edges[base + Math.floor((data.left[i] - port.min) / perColumn)] += 1;
    edges[base + Math.floor((data.end[i] - port.min) / perColumn) + 1] -= 1;
  }
  const counts = new Float64Array(rows * columns);
  for (let r = 0; r < rows; r++) {
    let level = 0;
    for (let c = 0; c < columns; c++) counts[r * columns + c] = level += edges[r * (columns + 1) + c];
  }
  return { counts, columns, rows };
}

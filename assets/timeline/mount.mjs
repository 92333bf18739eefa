// Puts a timeline on `<div data-testid="timeline" data-src=…>`: loads, builds, wires, keeps the address.

import { addCanvas } from "../canvas/layers.mjs";
import { listen } from "../canvas/gestures.mjs";
import { lastAtOrBelow } from "../canvas/hit.mjs";
import { activates, commandOf } from "../canvas/keyboard.mjs";
import { listenMinimap } from "../canvas/minimap.mjs";
import { commands, KEYS } from "./commands.mjs";
import { commandButton, fillLegend, helpDialog, nextChoice, searchText, statusText, toolbar } from "./controls.mjs";
import { copyText, el, numbers, translator } from "./dom.mjs";
import { exportMenu } from "./exports.mjs";
import { decode } from "./format.mjs";
import { join } from "./group.mjs";
import { defaultGrouping } from "./lanes.mjs";
import { AXIS, STRIP } from "./paint.mjs";
import { Panel } from "./panel.mjs";
import { carryOver, DEFAULTS, parseState, writeState } from "./state.mjs";
import { readSeries } from "./strip.mjs";
import { fillRange, fillReadout, fillTable, summaryText } from "./tables.mjs";
import { onThemeChange } from "./theme.mjs";
import { View } from "./view.mjs";

const SERIES = "requests_running,requests_waiting,kv_usage_ratio";
const PIXELS = { alpha: false, willReadFrequently: true };
const mounted = new WeakSet();
let active = null;
let known = null; // the query as the page's timelines know it: another came from another hand

/**
 * Mounts once; resolves to the view when the first picture is drawn, to null when there is none:
 * the data cannot be had, or the reader left before it came. `asked`: its data's fetch.
 */
export async function mount(element, asked) {
  if (mounted.has(element)) return null;
  mounted.add(element);
  known = shownAddress().search;
  const options = { ...element.dataset };
  const lang = element.closest("[lang]")?.lang || "en";
  const t = translator(JSON.parse(options.strings ?? "{}"));
  element.classList.add("tl");
  const message = el("p", { class: "tl-status", role: "status" }, t("loading"));
  element.replaceChildren(message);
  try {
    const bytes = await fetchBytes(options.src, asked);
    if (!element.isConnected) return leave(element); // off the page it has no colours
    return build(element, decode(bytes), options, t, lang);
  } catch (error) {
    message.setAttribute("role", "alert");
    console.error(error);
    message.textContent = t("failed_to_load", { reason: error.message });
    element.dataset.ready = "failed";
    return null;
  }
}

function leave(element) {
  element.dataset.ready = "left";
  return null;
}

/** An address, or "#id" of a script element that holds the bytes as base64 (offline page). */
async function fetchBytes(source, asked) {
  if (source.startsWith("#")) return Uint8Array.from(atob(document.querySelector(source).textContent.trim()), (c) => c.charCodeAt(0)).buffer;
  const answer = await (asked ?? fetch(source));
  if (!answer.ok) throw new Error(`${answer.status} ${answer.statusText}`);
  return answer.arrayBuffer();
}

/** Asks an address with parameters added; "#id" is a script element that holds the answer. */
async function fetchJson(address, parameters = {}) {
  if (address.startsWith("#")) return JSON.parse(document.querySelector(address).textContent);
  const url = new URL(address, location.href);
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${answer.status} ${answer.statusText}`);
  return answer.json();
}

function build(element, data, options, t, lang) {
  const num = numbers(lang);
  const scope = options.scope ?? "";
  const defaults = { ...DEFAULTS, by: defaultGrouping(data) };
  const { search } = location.pathname === shownAddress().pathname ? location : shownAddress();
  const { state, bad } = parseState(search, scope, defaults);
  const stage = stageOf(t);
  element.replaceChildren(stage.frame);
  const view = new View({ data, canvases: stage.canvases, state, t, num, element, lang });
  const parts = { stage, status: el("p", { class: "tl-status", role: "status" }), readout: el("p", { class: "tl-readout" }), legend: el("div", { class: "tl-legend" }), range: el("section", { class: "tl-range", "aria-label": t("range"), hidden: true }), table: el("section", { class: "tl-table", "aria-label": t("table"), hidden: true }), live: el("p", { class: "tl-offscreen", "aria-live": "polite" }), summary: el("p", { class: "tl-offscreen" }), help: helpDialog(t) };
  parts.status.dataset.testid = "timeline-status";
  const page = { view, parts, options, scope, defaults, bad, drawnFor: options.query, tableState: { page: 0 }, boxMode: false };
  const run = (command) => page.commands[command]();
  page.panel = new Panel(view, { requestsUrl: options.requests, turnUrl: options.turnUrl, fetchJson, actions: ["copy_link", "lane_previous", "lane_next", "focus"].map((name) => commandButton(t, run, name)) });
  const menu = exportMenu(view, JSON.parse(options.exports ?? "{}"), () => parts.status.textContent);
  parts.bar = toolbar(t, state, { set: (key, value) => choose(page, key, value), run, exports: menu });
  page.commands = commands(view, interfaceOf(page));
  assemble(element, page);
  wire(element, page);
  restore(page);
  view.layers.flush();
  refreshWords(page);
  element.dataset.ready = "true";
  element.timeline = view;
  loadSeries(page);
  return view;
}

function stageOf(t) {
  const plot = el("div", { class: "tl-plot", tabindex: "0", role: "application", "aria-label": t("stage"), "aria-roledescription": t("stage_role") });
  const gutter = el("div", { class: "tl-gutter" });
  const map = el("div", { class: "tl-map" });
  const canvases = { strip: addCanvas(plot, "tl-strip", PIXELS), axis: addCanvas(plot, "tl-axis"), base: addCanvas(plot, "tl-base", PIXELS), overlay: addCanvas(plot, "tl-overlay"), gutter: addCanvas(gutter, "tl-names"), minimap: addCanvas(map, "tl-minimap"), window: addCanvas(map, "tl-window") };
  const stripKey = el("div", { class: "tl-strip-key" });
  gutter.prepend(stripKey);
  return { frame: el("div", { class: "tl-stage" }, gutter, plot, map), plot, gutter, map, canvases, stripKey };
}

function assemble(element, page) {
  const { parts, panel } = page;
  parts.summary.id = `tl-summary-${Math.random().toString(36).slice(2, 8)}`;
  parts.stage.plot.setAttribute("aria-describedby", parts.summary.id);
  const body = el("div", { class: "tl-body" }, el("div", { class: "tl-main" }, parts.stage.frame, parts.readout, parts.legend, parts.range, parts.table), panel.node);
  element.replaceChildren(parts.bar.node, parts.status, parts.summary, body, parts.live, parts.help);
  fit(page);
}

function fit({ view, parts: { stage } }) {
  stage.frame.style.setProperty("--tl-lanes", `${view.layout.totalHeight}px`);
  const plotWidth = stage.plot.clientWidth;
  const laneHeight = Math.max(60, stage.plot.clientHeight - STRIP - AXIS);
  view.resize(plotWidth, laneHeight, stage.gutter.clientWidth);
}

function wire(element, page) {
  const { view, parts } = page;
  const { plot, gutter, map } = parts.stage;
  const laneY = (y) => y - STRIP - AXIS;
  listen(plot, {
    zoom: (x, factor) => view.port.zoomAt(x, factor),
    pan: (dx, dy) => {
      if (dx) view.port.panBy(dx);
      if (dy) view.port.scrollTo(view.port.y + dy);
    },
    scroll: (dy) => view.port.scrollTo(view.port.y + dy),
    hover: (x, y) => view.hoverAt(x, y),
    leave: () => view.hoverAt(null, 0),
    click: (x, y) => view.select(view.hit(x, y), { reveal: false }),
    box: (box, done, event) => drawBox(page, box, done, event),
  }, () => page.boxMode);
  gutter.addEventListener("click", (event) => view.toggleLane(view.laneAt(laneY(event.clientY - gutter.getBoundingClientRect().top))));
  gutter.addEventListener("wheel", (event) => {
    event.preventDefault();
    view.port.scrollTo(view.port.y + event.deltaY);
  }, { passive: false });
  listenMinimap(map, view.port);
  element.addEventListener("pointerdown", () => (active = page));
  element.addEventListener("focusin", () => (active = page));
  if (!active?.view.element.isConnected) active = page;
  whileConnected(element, "keydown", (event) => onKey(element, page, event));
  whileConnected(element, "click", (event) => onLink(page, event), true);
  new ResizeObserver(() => fit(page)).observe(plot);
  onThemeChange(element, () => {
    view.readColours();
    fillLegend(parts.legend, view);
  });
  view.onChange((what, detail) => onViewChange(page, what, detail));
  join(page.options.group, view);
}

/** Listens on the document until the element has left it. */
function whileConnected(element, name, act, capture = false) {
  const listener = (event) => (element.isConnected ? act(event) : document.removeEventListener(name, listener, capture));
  document.addEventListener(name, listener, capture);
}

/**
 * The page's own links to a phase and to a request choose it here. Another link to this page keeps
 * what the timeline wrote into the address since the page was drawn.
 */
function onLink(page, event) {
  const link = event.target.closest?.("a[data-nav]");
  if (!link || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return;
  const { request } = link.closest("tr[data-request]")?.dataset ?? {};
  const here = page.drawnFor !== undefined && new URL(link.href).pathname === location.pathname;
  if (link.dataset.phase) {
    event.preventDefault();
    choose(page, "phase", link.dataset.phase);
  } else if (here && request) {
    event.preventDefault();
    findRequest(page, request);
    page.parts.stage.frame.scrollIntoView({ block: "nearest" });
  }
  if (here) link.setAttribute("href", carryOver(link.href, page.drawnFor, ownsAddress(page) ? location.search : known));
}

/** Whether a key pressed on a target is the timeline's: on it, on nothing, on the page's header. */
function hears(element, target) {
  return target === document.body || element.contains(target) || Boolean(target.closest?.("header.top"));
}

function onKey(element, page, event) {
  if (active !== page) return;
  if (document.querySelector("dialog[open]") || !hears(element, event.target)) return;
  if (event.target === page.parts.bar.input && (event.key === "Escape" || event.key === "Enter")) {
    page.parts.stage.plot.focus();
    if (event.key === "Enter") page.commands.next();
    return;
  }
  if (event.key === "Enter" && activates(event.target)) return;
  const command = commandOf(event, KEYS);
  if (!command) return;
  event.preventDefault();
  page.commands[command]();
}

/** A box marks a range; in box mode without Shift it zooms. */
function drawBox(page, box, done, event) {
  const { view } = page;
  view.box = done ? null : box;
  const zoom = page.boxMode && !event?.shiftKey;
  if (done && zoom) {
    const { port } = view;
    const y = box.y0 - STRIP - AXIS + port.y;
    port.show(port.toTime(box.x0), port.toTime(box.x1));
    if (box.y1 - box.y0 > 12) port.scrollTo(y);
    setBoxMode(page, false);
  } else if (done && box.x1 - box.x0 > 2) view.setRange([box.x0, box.x1].map((x) => Number(view.seconds(view.port.toTime(x)).toFixed(5))));
  view.layers.invalidate("overlay");
}

function setBoxMode(page, on) {
  page.boxMode = on;
  page.parts.stage.plot.classList.toggle("tl-boxing", on);
  page.parts.bar.node.querySelector('[data-command="box"]').setAttribute("aria-pressed", String(on));
}

/** What commands ask of the page around the canvas. */
function interfaceOf(page) {
  const { view, parts } = page;
  return {
    setQuery: (q) => {
      parts.bar.input.value = q;
      choose(page, "q", q);
      say(page, searchText(view));
    },
    cycle: (key) => {
      const value = nextChoice(key, view.state[key]);
      choose(page, key, value);
      say(page, `${view.t(`choice_${key}`)}: ${view.t(`${key}_${value}`)}`);
    },
    search: () => {
      parts.bar.input.focus();
      parts.bar.input.select();
    },
    details: () => page.panel.title.focus(),
    open_turn: async () => {
      if (view.selected < 0) return;
      page.panel.link((await page.panel.record(view.selected))?.dataset_ref);
      if (page.panel.turnLink.hidden) say(page, view.t("no_turn"));
      else page.panel.turnLink.click();
    },
    copy_link: async () => say(page, view.t((await copyText(await linkOf(page))) ? "copied" : "copy_failed")),
    box: () => setBoxMode(page, !page.boxMode),
    table: () => {
      parts.table.hidden = !parts.table.hidden;
      fillTable(parts.table, view, page.tableState);
    },
    help: () => parts.help.showModal(),
    escape: () => {
      if (page.boxMode) setBoxMode(page, false);
      else if (view.selected >= 0) view.select(-1);
      else if (view.range) view.setRange(null);
      else if (view.state.q) interfaceOf(page).setQuery("");
      parts.stage.plot.focus();
    },
  };
}

/** The address of this view with the selected request by its own id where that is known. */
async function linkOf(page) {
  const { view } = page;
  const record = view.selected >= 0 ? await page.panel.record(view.selected) : null;
  if (record) page.requestId = { i: view.selected, id: record.request_id };
  writeAddress(page);
  return location.href;
}

function say(page, text) {
  page.parts.live.textContent = text;
  page.parts.readout.textContent = text;
}

function choose(page, key, value) {
  const { view, parts } = page;
  if (key === "q") view.setQuery(value);
  else ({ phase: () => view.setPhase(value), by: () => view.setGrouping(value), color: () => view.setColour(value) })[key]();
  if (parts.bar.selects[key]) parts.bar.selects[key].value = value;
  writeAddress(page);
  refreshWords(page);
}

function onViewChange(page, what) {
  const { view, parts } = page;
  if (what === "cursor") fillReadout(parts.readout, view);
  if (what === "range") fillRange(parts.range, view, () => view.setRange(null));
  if (what === "search") {
    parts.bar.count.textContent = searchText(view);
    fillRange(parts.range, view, () => view.setRange(null));
  }
  if (what === "select") {
    page.panel.show(view.selected).then(() => rememberId(page));
    if (view.selected >= 0) page.parts.live.textContent = view.requestName(view.selected);
    parts.bar.selects.phase.value = view.state.phase;
  }
  if (what === "layout") fit(page);
  if (what === "state") writeAddress(page);
  if (what === "still") {
    refreshStatus(page);
    fillTable(parts.table, view, page.tableState);
  }
  if (what === "series") fillStripKey(page);
}

async function rememberId(page) {
  const i = page.view.selected;
  const record = i >= 0 ? await page.panel.record(i) : null;
  if (!record || page.view.selected !== i) return;
  page.requestId = { i, id: record.request_id };
  writeAddress(page);
}

/** The address that the page on the screen was drawn for: a link may have changed it since. */
function shownAddress() {
  const shown = document.querySelector("#react-entry-point #page-root")?.dataset.shown;
  return shown ? new URL(shown, location.href) : location;
}

/** Whether the address is this page's still. */
function ownsAddress({ view }) {
  const { pathname, search } = shownAddress();
  return view.element.isConnected && location.pathname === pathname && [known, search].includes(location.search);
}

function writeAddress(page) {
  if (!ownsAddress(page)) return;
  const { view, scope, defaults, requestId } = page;
  for (const link of document.querySelectorAll("a[data-phase]")) {
    const chosen = link.dataset.phase === view.state.phase;
    link.classList.toggle("on", chosen);
    if (chosen) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
  const { selected, state } = view;
  state.req = selected < 0 ? "" : requestId?.i === selected ? requestId.id : String(view.data.ordinal[selected]);
  const query = writeState(location.search, state, scope, defaults);
  const next = `${location.pathname}${query ? `?${query}` : ""}${location.hash}`;
  if (next !== location.pathname + location.search + location.hash) history.replaceState(history.state, "", next);
  known = location.search;
}

function refreshWords(page) {
  const { view, parts } = page;
  fillLegend(parts.legend, view);
  fillReadout(parts.readout, view);
  if (page.summaryOf !== view.state.phase) setTimeout(() => (parts.summary.textContent = summaryText(view)), 0);
  page.summaryOf = view.state.phase;
  parts.bar.count.textContent = searchText(view);
  fillRange(parts.range, view, () => view.setRange(null));
  fillTable(parts.table, view, page.tableState);
  fillStripKey(page);
  refreshStatus(page);
}

function refreshStatus({ parts, view, bad }) {
  const text = statusText(view, bad);
  if (parts.status.textContent !== text) parts.status.textContent = text;
}

function fillStripKey({ view, parts }) {
  const names = view.stripLines().map((line) => {
    const value = line.name === "kv_usage_ratio" ? view.num.share(line.max) : view.num.short(line.max);
    return el("span", { class: `tl-line tl-line-${line.colour}` }, `${view.t(`line_${line.name}`)} ≤ ${value}`);
  });
  parts.stage.stripKey.replaceChildren(...names);
}

/** The window and the selection that the address asks for. */
function restore(page) {
  const { view } = page;
  const { from, to, req } = view.state;
  const request = req;
  if (from !== null || to !== null) view.port.show(from === null ? view.port.min : view.units(from), to === null ? view.port.max : view.units(to));
  if (request) findRequest(page, request);
}

async function findRequest(page, request) {
  const { view, options } = page;
  page.wanted = request;
  const byId = options.requests ? await fetchJson(options.requests, { phase: "all", request_id: request }).catch(() => null) : null;
  if (page.wanted !== request) return; // another was asked for meanwhile
  const ordinal = byId?.data?.[0]?.ordinal ?? (/^\d+$/.test(request) ? Number(request) : -1);
  const i = ordinal < 0 ? -1 : lastAtOrBelow(view.data.ordinal, ordinal);
  if (i >= 0 && view.data.ordinal[i] === ordinal) view.select(i);
  else {
    page.bad.push("req");
    refreshStatus(page);
  }
}

async function loadSeries({ view, options }) {
  if (!options.series) return;
  const answer = await fetchJson(options.series, { names: SERIES, phase: "all" }).catch(() => null);
  if (answer) view.setSeries(readSeries(answer, view.data));
}

// The toolbar, the legend, the help and the status line: all that is words around the canvas.

import { css } from "../canvas/colour.mjs";
import { duration } from "../canvas/ticks.mjs";
import { el } from "./dom.mjs";
import { KEYS } from "./commands.mjs";
import { GROUPINGS } from "./lanes.mjs";
import { COLOURS } from "./shades.mjs";
import { PHASES } from "./state.mjs";

const CHOICES = { phase: PHASES, by: GROUPINGS, color: COLOURS };
const NAVIGATION = ["zoom_in", "zoom_out", "fit", "focus", "left", "right", "up", "down"];
const STEPS = ["previous", "next", "slowest"];
const TOOLS = ["range", "box", "expand_all", "table", "help"];
const GLYPHS = { zoom_in: "+", zoom_out: "−", left: "←", right: "→", up: "↑", down: "↓", previous: "‹", next: "›" };
const KEY_NAMES = { ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓", Escape: "Esc", Enter: "⏎", PageUp: "PgUp", PageDown: "PgDn" };

/** Returns a command's keys as people read them. */
export const keyNames = (command) => KEYS[command].filter((key) => key !== "=").map((key) => KEY_NAMES[key] ?? key);

/** A button of a command; its title names the key. */
export function commandButton(t, run, command) {
  const label = t(command);
  return el("button", { type: "button", class: "tl-button", "data-command": command, title: `${label} (${keyNames(command).join(", ")})`, "aria-label": label, onclick: () => run(command) }, GLYPHS[command] ?? label);
}

/** Builds the toolbar; `set(key, value)` is called for the choices, `run(command)` for buttons. */
export function toolbar(t, state, { set, run, exports }) {
  const selects = Object.fromEntries(Object.keys(CHOICES).map((key) => [key, choice(t, key, state[key], set)]));
  const input = el("input", { type: "search", class: "tl-search", placeholder: t("search_hint"), "aria-label": t("search"), spellcheck: "false", autocomplete: "off", value: state.q });
  input.value = state.q;
  input.addEventListener("input", () => set("q", input.value));
  const count = el("output", { class: "tl-count" });
  const group = (names) => el("span", { class: "tl-group", role: "group" }, ...names.map((name) => commandButton(t, run, name)));
  const node = el(
    "div",
    { class: "tl-bar", role: "toolbar", "aria-label": t("toolbar") },
    ...Object.entries(selects).map(([key, select]) => el("label", { class: "tl-choice" }, t(`choice_${key}`), select)),
    el("span", { class: "tl-group tl-find" }, input, count, ...STEPS.map((name) => commandButton(t, run, name))),
    group(NAVIGATION),
    group(TOOLS),
    exports,
  );
  return { node, selects, input, count };
}

function choice(t, key, value, set) {
  const select = el("select", { "data-choice": key, onchange: () => set(key, select.value) }, ...CHOICES[key].map((name) => el("option", { value: name, selected: name === value }, t(`${key}_${name}`))));
  return select;
}

/** Returns the choice after the present one, round and round. */
export function nextChoice(key, value) {
  const list = CHOICES[key];
  return list[(list.indexOf(value) + 1) % list.length];
}

/** The keys, by command, as a dialog. */
export function helpDialog(t) {
  const rows = Object.keys(KEYS).map((command) => el("tr", {}, el("th", { scope: "row" }, ...keyNames(command).map((key) => el("kbd", {}, key))), el("td", {}, t(command))));
  const close = el("button", { type: "button", class: "tl-button" }, t("close"));
  const dialog = el("dialog", { class: "tl-help", "aria-label": t("help") }, el("h2", {}, t("help")), el("table", {}, el("tbody", {}, ...rows)), el("p", {}, t("help_mouse")), el("p", {}, t("help_search")), close);
  close.addEventListener("click", () => dialog.close());
  return dialog;
}

/** What the marks and colours mean now. */
export function fillLegend(node, view) {
  const { t, theme, state, shades } = view;
  const sample = (part, label) => el("span", { class: "tl-key" }, swatch(theme, part), label);
  const parts = ["wait", "prefill", "decode", "failed", "cancelled", "gap"].map((part) => sample(part, t(`part_${part}`)));
  node.replaceChildren(...parts, ...(state.color === "status" ? [] : [scaleOf(view, shades)]));
}

function swatch(theme, part) {
  const canvas = el("canvas", { class: "tl-swatch", width: 22, height: 10, "aria-hidden": "true" });
  const context = canvas.getContext("2d");
  const middle = css(theme.scale[128]);
  const colour = { wait: theme.css.wait, prefill: middle, decode: middle, failed: theme.css.failed, cancelled: theme.css.cancelled, gap: theme.css.soft }[part];
  context.fillStyle = colour;
  context.globalAlpha = part === "prefill" ? 7 / 15 : 1;
  if (part === "gap") for (let x = 0; x < 22; x += 4) context.fillRect(x, 5, 2, 1);
  else if (part === "wait") context.fillRect(0, 3, 22, 4);
  else context.fillRect(0, 0, 22, 10);
  if (part === "failed" || part === "cancelled") {
    context.fillStyle = theme.css.paper;
    for (let y = 0; y < 10; y++) for (let x = 0; x < 22; x++) if ((x + y) % 5 < 2) context.fillRect(x, y, 1, 1);
  }
  return canvas;
}

function scaleOf({ t, theme, state, num }, { low, high }) {
  const canvas = el("canvas", { class: "tl-scale", width: 254, height: 1, "aria-hidden": "true" });
  const context = canvas.getContext("2d");
  for (let x = 0; x < 254; x++) {
    context.fillStyle = css(theme.scale[x + 1]);
    context.fillRect(x, 0, 1, 1);
  }
  const text = valueText(state.color, num);
  if (!Number.isFinite(low)) return el("span", { class: "tl-key" }, t("scale_none", { name: t(`color_${state.color}`) }));
  return el("span", { class: "tl-key" }, t(`color_${state.color}`), ` ${text(low)} `, canvas, ` ${text(high)}`);
}

/** Returns how a mode's value is written. */
export function valueText(mode, num) {
  if (mode === "ttft" || mode === "e2el") return duration;
  return mode === "hit" ? num.share : num.count;
}

/** The status line: what is shown of what, what left no record, and how it is drawn. */
export function statusText(view, bad) {
  const { t, num, data, index } = view;
  const { counts } = data.header;
  const shown = index.total;
  const sum = (status) => ["profiling", "warmup"].reduce((n, phase) => n + (view.state.phase === "all" || view.state.phase === phase ? counts[`${phase}_${status}`] : 0), 0);
  const parts = [t("showing", { shown: num.count(shown), total: num.count(data.n) })];
  if (shown < data.n) parts.push(t("hidden_phase", { n: num.count(data.n - shown) }));
  parts.push(t("by_status", { ok: num.count(sum("ok")), failed: num.count(sum("failed")), cancelled: num.count(sum("cancelled")) }));
  if (counts.skipped_overflow) parts.push(t("overflow", { n: num.count(counts.skipped_overflow) }));
  const dense = view.frame?.raster.dense ?? 0;
  if (dense) parts.push(t("density", { n: num.count(dense) }));
  if (bad.length) parts.push(t("bad_keys", { keys: bad.join(", ") }));
  return parts.join(" · ");
}

/** The line beside the search field. */
export function searchText(view) {
  const { t, found, matches, num } = view;
  if (!found) return "";
  if (found.unknown.length) return t("search_unknown", { words: found.unknown.join(" ") });
  return t("search_count", { n: num.count(matches), total: num.count(view.index.total) });
}

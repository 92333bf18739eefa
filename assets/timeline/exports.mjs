// Exports: CSV of a selection and a picture here; Perfetto, Parquet and the rest by the API's links.

import { STRIP, AXIS } from "./paint.mjs";
import { download, el } from "./dom.mjs";
import { VALUES } from "./shades.mjs";
import { startingIn } from "./stats.mjs";

const NUMBERS = ["wait", "ttft", "e2el", "itl"];

/** Returns the CSV of requests: the lake's column names, seconds after zero, empty = unknown. */
export function toCsv(data, list) {
  const { header } = data;
  const heads = ["ordinal", "conversation", "agent", "turn", "depth", "kind", "phase", "status", "error_type", "error_code", "client_worker", "engine", "credit_s", "start_s", "first_token_s", "end_s", "queue_wait_s", "ttft_s", "e2el_s", "itl_s", "isl_tokens", "osl_tokens", "cached_tokens"];
  const lines = [heads.join(",")];
  const time = (t) => (t < 0 ? "" : ((t - data.zero) * data.unitS).toFixed(5));
  const number = (v) => (Number.isFinite(v) ? String(Number(v.toPrecision(9))) : "");
  for (const i of list) {
    const s = data.stream[i];
    const error = header.errors[data.error[i]];
    const row = [data.ordinal[i], header.conversations[data.streams.conversation[s]], header.agents[data.streams.agent[s]], data.turn[i], data.streams.depth[s], header.kinds[data.streams.kind[s]], header.phases[data.phase[i]], header.statuses[data.status[i]], error?.type, error?.code, header.workers[data.worker[i]], header.engines[data.engine[i]], time(data.left[i]), time(data.start[i]), time(data.first[i]), time(data.end[i]), ...NUMBERS.map((name) => number(VALUES[name](data, i))), ...["isl", "osl", "cached"].map((name) => number(VALUES[name](data, i)))];
    lines.push(row.map(quote).join(","));
  }
  return `${lines.join("\r\n")}\r\n`;
}

function quote(value) {
  const text = value === undefined || value === null ? "" : String(value);
  const safe = /^[=+@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Returns the requests an export takes: the range, else the window; lit ones during a search. */
export function selection(view) {
  const span = view.range ? view.range.map(view.units) : [view.port.t0, view.port.t1];
  return startingIn(view.data, ...span, view.visible, view.found?.lit);
}

/** Returns a canvas with strip, clock, names and bars as they are on screen, and a caption. */
export function picture(view, caption) {
  const { canvases, theme, gutterWidth, port, laneHeight } = view;
  const ratio = canvases.base.canvas.width / port.width;
  const foot = 26;
  const canvas = el("canvas");
  canvas.width = Math.round((gutterWidth + port.width) * ratio);
  canvas.height = Math.round((STRIP + AXIS + laneHeight + foot) * ratio);
  const context = canvas.getContext("2d");
  context.fillStyle = theme.css.paper;
  context.fillRect(0, 0, canvas.width, canvas.height);
  const x = gutterWidth * ratio;
  context.drawImage(canvases.strip.canvas, x, 0);
  context.drawImage(canvases.axis.canvas, x, STRIP * ratio);
  context.drawImage(canvases.gutter.canvas, 0, (STRIP + AXIS) * ratio);
  context.drawImage(canvases.base.canvas, x, (STRIP + AXIS) * ratio);
  context.drawImage(canvases.overlay.canvas, x, 0);
  context.fillStyle = theme.css.soft;
  context.font = `${12 * ratio}px system-ui, sans-serif`;
  context.fillText(caption, 8 * ratio, canvas.height - 9 * ratio);
  return canvas;
}

/** The export menu: `links` {name: url} come from the page and get the selection's range. */
export function exportMenu(view, links, caption) {
  const { t } = view;
  const name = (extension) => `timeline.${extension}`;
  const csv = () => download(name("csv"), new Blob([toCsv(view.data, selection(view))], { type: "text/csv" }));
  const png = () => picture(view, caption()).toBlob((blob) => download(name("png"), blob));
  const button = (key, act) => el("button", { type: "button", class: "tl-button", "data-export": key, onclick: act }, t(`export_${key}`));
  const anchors = Object.entries(links).map(([key, url]) => {
    const link = el("a", { class: "tl-button", "data-export": key, href: url, download: "" }, t(`export_${key}`));
    const aim = () => (link.href = withRange(url, view));
    link.addEventListener("pointerdown", aim);
    link.addEventListener("focus", aim);
    return link;
  });
  return el("details", { class: "tl-menu" }, el("summary", { class: "tl-button" }, t("export")), el("div", { class: "tl-menu-list" }, button("csv", csv), button("png", png), ...anchors));
}

/** The export's address for the selected range, else the window; the offline page holds all. */
export function withRange(url, view) {
  const out = new URL(url, location.href);
  if (out.searchParams.get("format") === "html") return out.href;
  const whole = !view.range && view.atHome;
  const span = whole ? [] : (view.range ?? [view.port.t0, view.port.t1].map(view.seconds));
  ["from", "to"].forEach((key, k) => (whole ? out.searchParams.delete(key) : out.searchParams.set(key, Number(span[k].toFixed(5)))));
  out.searchParams.set("phase", view.state.phase);
  return out.href;
}

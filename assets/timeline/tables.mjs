// Text twins of the picture: the range's statistics, the read-out, the table of requests.

import { clock, duration } from "../canvas/ticks.mjs";
import { el } from "./dom.mjs";
import { VALUES } from "./shades.mjs";
import { startingIn, summarise } from "./stats.mjs";

const PAGE = 50;

/** Fills the statistics of the selected range; hides them without one. */
export function fillRange(node, view, clear) {
  node.hidden = !view.range;
  if (!view.range) return;
  const { t, num, data } = view;
  const list = startingIn(data, ...view.range.map(view.units), view.visible, view.found?.lit);
  const s = summarise(data, list);
  const [a, b] = view.range;
  const facts = [t("range_of", { from: `${a.toFixed(3)} s`, to: `${b.toFixed(3)} s`, span: duration(b - a) }), t("range_n", { n: num.count(s.n), ok: num.count(s.ok), failed: num.count(s.failed), cancelled: num.count(s.cancelled) }), t("range_tokens", { isl: num.count(s.isl), osl: num.count(s.osl), hit: num.share(s.hit) })];
  const row = (name) => el("tr", {}, el("th", { scope: "row" }, t(`field_${name}`)), el("td", {}, num.count(s[name].n)), ...s[name].parts.map((v) => el("td", {}, duration(v))));
  const head = el("tr", {}, el("td"), ...["n", "p50", "p90", "p99"].map((text) => el("th", { scope: "col" }, text)));
  node.replaceChildren(el("p", {}, facts.join(" · ")), el("table", {}, el("thead", {}, head), el("tbody", {}, row("ttft"), row("itl"), row("e2el"))), el("button", { type: "button", class: "tl-button", onclick: clear }, t("range_clear")));
}

/** Fills the read-out of cursor and hovered request. */
export function fillReadout(node, view) {
  const { t, data, num, cursor, hovered } = view;
  if (cursor === null) {
    node.textContent = t("readout_idle");
    return;
  }
  const text = [clock(view.seconds(cursor), view.port.perPixel * data.unitS)];
  for (const line of view.stripAt(cursor)) text.push(`${t(`line_${line.name}`)} ${line.name === "kv_usage_ratio" ? num.share(line.value) : num.count(line.value)}`);
  if (hovered >= 0) text.push(`${view.requestName(hovered)} · ${t("field_ttft")} ${duration(VALUES.ttft(data, hovered))} · ${t("field_e2el")} ${duration(VALUES.e2el(data, hovered))} · ${t("field_isl")} ${num.count(VALUES.isl(data, hovered))} · ${t("field_osl")} ${num.count(VALUES.osl(data, hovered))}`);
  node.textContent = text.join("  ·  ");
}

/** A page of the requests in view (or lit), as a table whose rows select. */
export function fillTable(node, view, state) {
  if (node.hidden) return;
  const { t, data, num, port } = view;
  const list = startingIn(data, port.t0, port.t1, view.visible, view.found?.lit);
  state.page = Math.min(state.page, Math.max(0, Math.ceil(list.length / PAGE) - 1));
  const shown = list.subarray(state.page * PAGE, (state.page + 1) * PAGE);
  const turn = (step) => () => {
    state.page = Math.max(0, state.page + step);
    fillTable(node, view, state);
  };
  const button = (key, step, off) => el("button", { type: "button", class: "tl-button", disabled: off, onclick: turn(step) }, t(key));
  const heads = ["request", "status", "start", "ttft", "e2el", "isl", "cached", "osl"];
  const caption = t("table_caption", { from: num.count(list.length ? state.page * PAGE + 1 : 0), to: num.count(state.page * PAGE + shown.length), n: num.count(list.length) });
  const table = el("table", {}, el("caption", {}, caption), el("thead", {}, el("tr", {}, ...heads.map((h) => el("th", { scope: "col" }, t(`field_${h}`))))), el("tbody", {}, ...Array.from(shown, (i) => tableRow(view, i))));
  node.replaceChildren(table, button("table_previous", -1, state.page === 0), button("table_next", 1, (state.page + 1) * PAGE >= list.length));
}

function tableRow(view, i) {
  const { t, data, num } = view;
  const pick = el("button", { type: "button", class: "tl-link", onclick: () => view.select(i) }, view.requestName(i));
  const cells = [`${view.seconds(data.start[i]).toFixed(3)} s`, duration(VALUES.ttft(data, i)), duration(VALUES.e2el(data, i)), num.count(VALUES.isl(data, i)), num.count(VALUES.cached(data, i)), num.count(VALUES.osl(data, i))];
  return el("tr", {}, el("td", {}, pick), el("td", {}, t(`status_${data.header.statuses[data.status[i]]}`)), ...cells.map((text) => el("td", { class: "tl-num" }, text)));
}

/** One paragraph for readers who hear the page. */
export function summaryText(view) {
  const { t, num, data, model } = view;
  const s = summarise(data, startingIn(data, -Infinity, Infinity, view.visible));
  return t("summary", { n: num.count(s.n), trees: num.count(model.roots.length), streams: num.count(data.streams.n), failed: num.count(s.failed), cancelled: num.count(s.cancelled), span: duration((view.port.max - view.port.min) * data.unitS), ttft: duration(s.ttft.parts[0]), e2el: duration(s.e2el.parts[1]) });
}

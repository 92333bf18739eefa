// Details of one request: the packed columns at once, the exact values when the API has answered.

import { duration } from "../canvas/ticks.mjs";
import { el } from "./dom.mjs";
import { VALUES } from "./shades.mjs";

/** Returns a name as one segment of a path: one with a slash is quoted twice, as the server reads it. */
const segment = (name) => (name.includes("/") ? encodeURIComponent(encodeURIComponent(name)) : encodeURIComponent(name));

/** Fills an address's {places}; a query key whose place has no value is left out. */
export function fillAddress(template, values) {
  const [path, query = ""] = template.split("?");
  const fill = (text, quoted = encodeURIComponent) => text.replace(/\{(\w+)\}/g, (_, name) => quoted(String(values[name] ?? "")));
  const known = (pair) => [...pair.matchAll(/\{(\w+)\}/g)].every(([, name]) => values[name] !== null && values[name] !== undefined);
  const kept = query.split("&").filter((pair) => pair && known(pair)).map((pair) => fill(pair));
  return fill(path, segment) + (kept.length ? `?${kept.join("&")}` : "");
}

/** A panel that shows a request, fetches its record by ordinal and knows its links. */
export class Panel {
  constructor(view, { requestsUrl, turnUrl, fetchJson, actions }) {
    Object.assign(this, { view, requestsUrl, turnUrl, fetchJson });
    this.records = new Map();
    this.title = el("h2", { class: "tl-panel-title", tabindex: "-1" });
    this.facts = el("dl", { class: "tl-facts" });
    this.note = el("p", { class: "tl-note" });
    this.turnLink = el("a", { class: "tl-button", hidden: true, "data-nav": "1" }, view.t("open_turn"));
    this.node = el("aside", { class: "tl-panel", hidden: true, "aria-label": view.t("details") }, this.title, el("p", { class: "tl-actions" }, this.turnLink, ...actions), this.facts, this.note);
    this.node.dataset.testid = "timeline-details";
  }

  /** Shows request i (-1 hides the panel). */
  async show(i) {
    this.node.hidden = i < 0;
    this.turnLink.hidden = true;
    if (i < 0) return;
    this.title.textContent = this.view.requestName(i);
    this.fill(i, null);
    const record = await this.record(i);
    if (this.view.selected === i) this.fill(i, record);
  }

  /** Resolves to the API's record of a request, null when it cannot be had. */
  record(i) {
    if (!this.records.has(i)) this.records.set(i, this.#fetch(i));
    return this.records.get(i);
  }

  async #fetch(i) {
    if (!this.requestsUrl) return null;
    const answer = await this.fetchJson(this.requestsUrl, { phase: "all", ordinal: this.view.data.ordinal[i] }).catch(() => null);
    return answer?.data?.[0] ?? null;
  }

  fill(i, record) {
    const { t } = this.view;
    this.facts.replaceChildren(...this.rows(i, record).flatMap(([label, value]) => [el("dt", {}, label), el("dd", {}, value)]));
    const unit = duration(this.view.data.unitS);
    this.note.textContent = record ? t("details_exact") : t("details_packed", { unit });
    this.link(record?.dataset_ref);
    if (record) this.node.dataset.requestId = record.request_id;
  }

  link(reference) {
    this.turnLink.hidden = !(reference && this.turnUrl);
    if (this.turnLink.hidden) return;
    this.turnLink.setAttribute("href", fillAddress(this.turnUrl, reference));
  }

  /** Label and text of every field, from the record where it is there. */
  rows(i, record) {
    const { data, model, t, num, seconds } = this.view;
    const s = data.stream[i];
    const { header } = data;
    const time = (key, packed) => duration(record?.[key] ?? packed);
    const at = (key, packed) => `${(record?.[key] ?? seconds(packed)).toFixed(record ? 6 : 5)} s`;
    const error = data.error[i] < 0 ? null : header.errors[data.error[i]];
    const value = (name) => VALUES[name](data, i);
    return [
      [t("field_conversation"), header.conversations[data.streams.conversation[s]] ?? "–"],
      [t("field_replay"), String(model.replay[model.root[s]])],
      [t("field_agent"), header.agents[data.streams.agent[s]] ?? "–"],
      [t("field_turn"), String(data.turn[i])],
      [t("field_kind"), t(`kind_${header.kinds[data.streams.kind[s]]}`)],
      [t("field_depth"), String(data.streams.depth[s])],
      [t("field_phase"), t(`phase_${header.phases[data.phase[i]]}`)],
      [t("field_status"), t(`status_${header.statuses[data.status[i]]}`)],
      ...(error ? [[t("field_error"), [error.type, error.code].filter((p) => p !== null).join(" ")]] : []),
      [t("field_credit"), record?.credit_s === null ? "–" : at("credit_s", data.left[i])],
      [t("field_start"), at("start_s", data.start[i])],
      [t("field_first_token"), data.first[i] < 0 ? "–" : at("first_token_s", data.first[i])],
      [t("field_end"), at("end_s", data.end[i])],
      [t("field_wait"), duration(value("wait"))],
      [t("field_ttft"), time("ttft_s", value("ttft"))],
      [t("field_e2el"), time("e2el_s", value("e2el"))],
      [t("field_itl"), time("itl_s", value("itl"))],
      [t("field_isl"), num.count(value("isl"))],
      [t("field_cached"), num.count(value("cached"))],
      [t("field_uncached"), num.count(value("uncached"))],
      [t("field_hit"), num.share(value("hit"))],
      [t("field_osl"), num.count(value("osl"))],
      [t("field_worker"), header.workers[data.worker[i]] ?? "–"],
      [t("field_slot"), String(model.slot[s] + 1)],
      [t("field_engine"), header.engines[data.engine[i]] ?? "–"],
      [t("field_ordinal"), String(data.ordinal[i])],
      [t("field_request_id"), record?.request_id ?? "…"],
    ];
  }
}

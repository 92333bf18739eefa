import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import test from "node:test";

import { commandOf } from "../../assets/canvas/keyboard.mjs";
import { Layers } from "../../assets/canvas/layers.mjs";
import { moveTo, windowBox } from "../../assets/canvas/minimap.mjs";
import { clock, duration, ticks, tickStep } from "../../assets/canvas/ticks.mjs";
import { glide, Viewport } from "../../assets/canvas/viewport.mjs";
import { inLane, KEYS, nextKind, nextSlowest } from "../../assets/timeline/commands.mjs";
import { toCsv, withRange } from "../../assets/timeline/exports.mjs";
import { decode } from "../../assets/timeline/format.mjs";
import { buildIndex } from "../../assets/timeline/index.mjs";
import { defaultGrouping, layOut } from "../../assets/timeline/lanes.mjs";
import { buildModel } from "../../assets/timeline/model.mjs";
import { parse, search, stepLit } from "../../assets/timeline/search.mjs";
import { COLOURS, shade, VALUES } from "../../assets/timeline/shades.mjs";
import { fillAddress } from "../../assets/timeline/panel.mjs";
import { carryOver, DEFAULTS, parseState, writeState } from "../../assets/timeline/state.mjs";
import { percentile, startingIn, summarise } from "../../assets/timeline/stats.mjs";
import { random, smallTree } from "./sample.mjs";

const ordinals = (lit) => [...lit.keys()].filter((i) => lit[i]);

test("zoom keeps the time under the cursor, and stops at the limits", () => {
  const port = new Viewport({ min: 0, max: 1000, minSpan: 10 });
  port.resize(500, 300);
  port.zoomAt(100, 0.5);
  assert.equal(port.toTime(100), 200);
  assert.equal(port.span, 500);
  for (let k = 0; k < 50; k++) port.zoomAt(100, 0.5);
  assert.equal(port.span, 10);
  for (let k = 0; k < 50; k++) port.zoomAt(100, 2);
  assert.deepEqual([port.t0, port.t1], [0, 1000]);
});

test("panning stops at the ends and keeps the span", () => {
  const port = new Viewport({ min: 0, max: 1000 });
  port.resize(100, 100);
  port.show(400, 600);
  port.panBy(-1e6);
  assert.deepEqual([port.t0, port.t1], [0, 200]);
  port.panBy(1e6);
  assert.deepEqual([port.t0, port.t1], [800, 1000]);
});

test("reveal moves as little as it can", () => {
  const port = new Viewport({ min: 0, max: 1000 });
  port.contentHeight = 1000;
  port.resize(100, 100);
  port.show(0, 100);
  port.reveal(40, 50, 10, 20);
  assert.deepEqual([port.t0, port.y], [0, 0]);
  port.reveal(500, 510, 400, 410);
  assert.ok(port.t0 < 500 && port.t1 > 510 && port.span === 100);
  assert.ok(port.y <= 400 && port.y + 100 >= 410);
});

test("a glide ends where it should, at once where motion is unwanted", () => {
  const parts = [];
  glide((part) => parts.push(part), 100, { reduced: true });
  assert.deepEqual(parts, [1]);
  let time = 0;
  const frames = [];
  glide((part) => parts.push(part), 100, { now: () => time, frame: (f) => frames.push(f), reduced: false });
  while (frames.length) {
    time += 40;
    frames.shift()();
  }
  assert.equal(parts.at(-1), 1);
});

test("the minimap's window and click agree", () => {
  const port = new Viewport({ min: 0, max: 1000 });
  port.contentHeight = 400;
  port.resize(100, 100);
  port.show(200, 300);
  assert.deepEqual(windowBox(port, 200, 40), { x: 40, y: 0, w: 20, h: 10 });
  moveTo(port, 100, 20, 200, 40);
  assert.deepEqual([port.t0, port.t1, port.y], [450, 550, 150]);
});

test("layers paint what is dirty, once, and nothing else", () => {
  const calls = [];
  const frames = [];
  const layers = new Layers({ base: () => calls.push("base"), overlay: () => calls.push("overlay") }, (f) => frames.push(f));
  layers.invalidate("overlay");
  layers.invalidate("overlay");
  assert.equal(frames.length, 1);
  frames.shift()();
  assert.deepEqual(calls, ["overlay"]);
  assert.deepEqual(layers.paints, { base: 0, overlay: 1 });
});

test("every key names one command; fields and chords are left alone", () => {
  const keys = Object.values(KEYS).flat();
  assert.equal(new Set(keys).size, keys.length);
  const event = (key, more = {}) => ({ key, target: { tagName: "DIV" }, ...more });
  assert.equal(commandOf(event("w"), KEYS), "zoom_in");
  assert.equal(commandOf(event("W"), KEYS), "zoom_in");
  assert.equal(commandOf(event("E"), KEYS), "expand_all");
  assert.equal(commandOf(event("e"), KEYS), "expand");
  assert.equal(commandOf(event("w", { ctrlKey: true }), KEYS), null);
  assert.equal(commandOf(event("w", { target: { tagName: "INPUT" } }), KEYS), null);
});

test("ticks are round, and clocks read as fine as the step", () => {
  assert.equal(tickStep(10, 10), 1);
  assert.equal(tickStep(3600, 8), 600);
  assert.equal(tickStep(0.001, 5).toPrecision(2), "0.00020");
  assert.deepEqual(ticks(-1, 4, 5).values.map((v) => v + 0), [-1, 0, 1, 2, 3, 4]);
  assert.equal(clock(3723, 1), "1:02:03");
  assert.equal(clock(-65, 5), "−1:05");
  assert.equal(clock(1.2345, 0.01), "1.23 s");
  assert.deepEqual([0.00025, 0.0123, 4.5678, 125, NaN].map(duration), ["250 µs", "12.3 ms", "4.57 s", "2 min 5 s", "–"]);
});

test("percentiles interpolate at rank (n − 1)·p as the metrics do", () => {
  assert.equal(percentile(Float64Array.from([4, 1, 3, 2]), 0.5), 2.5);
  assert.equal(percentile(Float64Array.from([7]), 0.99), 7);
  assert.ok(Number.isNaN(percentile(new Float64Array(0), 0.5)));
  const next = random(5);
  for (let n = 1; n < 60; n++) {
    const values = Array.from({ length: n }, () => Math.floor(next() * 20));
    const sorted = [...values].sort((a, b) => a - b);
    for (const p of [0, 0.5, 0.9, 0.99, 1]) {
      const rank = (n - 1) * p;
      const low = Math.floor(rank);
      const want = sorted[low] + (sorted[Math.min(low + 1, n - 1)] - sorted[low]) * (rank - low);
      assert.ok(Math.abs(percentile(Float64Array.from(values), p) - want) < 1e-12);
    }
  }
});

test("a range counts every status and takes latencies of ok requests only", () => {
  const data = decode(smallTree());
  const list = startingIn(data, 0, 1000);
  const s = summarise(data, list);
  assert.deepEqual([s.n, s.ok, s.failed, s.cancelled], [6, 5, 1, 0]);
  assert.equal(s.ttft.n, 5);
  assert.ok(Math.abs(s.ttft.parts[0] - 20e-5) < 1e-12);
  assert.deepEqual([s.isl, s.osl], [420, 27]);
  assert.ok(Math.abs(s.hit - 104 / 280) < 1e-12);
  assert.deepEqual([...startingIn(data, 210, 300)], [1, 2, 3]);
  assert.deepEqual([...startingIn(data, 0, 1000, null, Uint8Array.from([0, 1, 0, 0, 1, 0]))], [1, 4]);
});

test("values are null where a request has none", () => {
  const data = decode(smallTree());
  assert.ok(Number.isNaN(VALUES.ttft(data, 5)));
  assert.ok(Number.isNaN(VALUES.hit(data, 2)));
  assert.ok(Math.abs(VALUES.itl(data, 0) - (80e-5 / 9)) < 1e-12);
  assert.equal(VALUES.uncached(data, 4), 66);
});

test("every colour shades every request; no value is shade 0", () => {
  const data = decode(smallTree());
  for (const mode of COLOURS) assert.equal(shade(data, mode).shades.length, 6);
  const { shades, low, high } = shade(data, "isl");
  assert.equal(shades[5], 0);
  assert.deepEqual([low, high], [50, 130]);
  assert.ok(shades[4] === 255 && shades[1] === 1);
});

test("search by word, field, number with unit, and without", () => {
  const data = decode(smallTree());
  const found = (query) => ordinals(search(data, query).lit);
  assert.deepEqual(found("agent_001"), [1]);
  assert.deepEqual(found("kind:subagent"), [1, 2, 3]);
  assert.deepEqual(found("kind:subagent -agent:002"), [1]);
  assert.deepEqual(found("error:500"), [5]);
  assert.deepEqual(found("status:failed"), [5]);
  assert.deepEqual(found("ttft>0.25ms"), [1, 4]);
  assert.deepEqual(found("isl>0.1k"), [4]);
  assert.deepEqual(found("hit>=49% turn=1"), [4]);
  assert.equal(search(data, "  "), null);
});

test("a condition that cannot be read is named, not guessed", () => {
  assert.deepEqual(parse("foo>3 isl>x ttft>1").unknown, ["foo>3", "isl>x"]);
  const result = search(decode(smallTree()), "foo>3");
  assert.deepEqual([result.count, result.unknown], [0, ["foo>3"]]);
});

test("stepping over matches goes round and skips what is hidden", () => {
  const data = decode(smallTree());
  const lit = Uint8Array.from([0, 1, 0, 1, 0, 1]);
  assert.equal(stepLit(data, 1, 1, lit, null), 3);
  assert.equal(stepLit(data, 5, 1, lit, null), 1);
  assert.equal(stepLit(data, -1, 1, lit, null), 1);
  assert.equal(stepLit(data, -1, -1, lit, null), 5);
  assert.equal(stepLit(data, 1, 1, lit, Uint8Array.from([1, 1, 1, 0, 1, 1])), 5);
  assert.equal(stepLit(data, 1, 1, new Uint8Array(6), null), -1);
});

test("slowest goes down from the slowest lit request", () => {
  const data = decode(smallTree());
  const view = { data, selected: -1, found: search(data, "kind:subagent"), visible: null };
  const order = [];
  for (let k = 0; k < 3; k++) order.push((view.selected = nextSlowest(view)));
  assert.deepEqual(order, [1, 3, 2]);
  assert.equal(nextSlowest(view), -1);
});

test("the kind of a query turns round and keeps its other words", () => {
  const seen = ["isl>5"];
  for (let k = 0; k < 4; k++) seen.push(nextKind(seen.at(-1)));
  assert.deepEqual(seen, ["isl>5", "isl>5 kind:subagent", "isl>5 kind:aux", "isl>5 kind:main", "isl>5"]);
});

test("previous and next in a lane follow the lane, not the row", () => {
  const data = decode(smallTree());
  const layout = layOut(data, buildModel(data), { by: "conversation", open: new Set() });
  const view = { data, layout, selected: 1, index: buildIndex(data, layout), found: null, visible: null, laneOf: (i) => layout.lanes[layout.laneOfRow[layout.rowOf[i]]] };
  assert.equal(inLane(view, 1), 2);
  assert.equal(inLane(view, -1), 0);
  assert.equal(inLane({ ...view, selected: 4 }, 1), -1);
});

test("the address round-trips and leaves other keys alone", () => {
  const query = "lang=zh&by=slot&color=ttft&q=ttft%3E2&req=abc&open=trace_a%2Ctrace_b~2&from=1.5&to=9&phase=all&range=2..3.5";
  const { state, bad } = parseState(query);
  assert.deepEqual(bad, []);
  assert.deepEqual([...state.open], ["trace_a", "trace_b~2"]);
  assert.deepEqual([state.from, state.to, state.range], [1.5, 9, [2, 3.5]]);
  const again = parseState(writeState("lang=zh", state)).state;
  assert.deepEqual(again, state);
  assert.match(writeState("lang=zh", state), /^lang=zh&/);
});

test("defaults are left out of the address", () => {
  assert.equal(writeState("", parseState("").state), "");
  assert.equal(writeState("by=slot&q=x&point=p", parseState("").state), "point=p");
});

test("a run of single turns begins with session slots, and its address says so only when changed", () => {
  const data = { n: 100, streams: { n: 95 } };
  assert.equal(defaultGrouping(data), "slot");
  assert.equal(defaultGrouping({ n: 100, streams: { n: 20 } }), "conversation");
  const defaults = { ...DEFAULTS, by: "slot" };
  assert.equal(parseState("", "", defaults).state.by, "slot");
  assert.equal(writeState("", parseState("", "", defaults).state, "", defaults), "");
  assert.equal(writeState("", parseState("by=conversation", "", defaults).state, "", defaults), "by=conversation");
});

test("bad values fall back and are named", () => {
  const { state, bad } = parseState("by=moon&color=ttft&from=x&range=5..2");
  assert.deepEqual([state.by, state.color, state.from, state.range], ["conversation", "ttft", null, null]);
  assert.deepEqual(bad, ["by", "from", "range"]);
  assert.deepEqual(parseState("from=9&to=3").bad, ["from"]);
});

test("two timelines share the address, each with its own selection", () => {
  const a = { ...parseState("").state, req: "7", open: new Set(["trace_a"]) };
  const b = { ...parseState("").state, req: "id-9" };
  const query = writeState(writeState("", a, "a"), b, "b");
  assert.equal(parseState(query, "a").state.req, "7");
  assert.equal(parseState(query, "b").state.req, "id-9");
  assert.deepEqual([...parseState(query, "a").state.open], ["trace_a"]);
  assert.equal(parseState(query, "b").state.open.size, 0);
});

test("a list of open lanes keeps each timeline's own items in any order", () => {
  const query = "open=a:x,b:x,a:z%252C1,b:w";
  assert.deepEqual([...parseState(query, "a").state.open].sort(), ["x", "z,1"]);
  const moved = writeState(query, { ...parseState(query, "b").state, open: new Set(["y"]) }, "b");
  assert.deepEqual([...parseState(moved, "a").state.open].sort(), ["x", "z,1"]);
  assert.deepEqual([...parseState(moved, "b").state.open], ["y"]);
});

test("a link to the same page carries what changed since it was drawn, and keeps its own change", () => {
  const link = "http://h/points/p/timeline?lang=zh&phase=all&q=old#x";
  assert.equal(carryOver(link, "phase=all&q=old", "phase=warmup&range=1..2"), "/points/p/timeline?lang=zh&phase=warmup&range=1..2#x");
  assert.equal(carryOver("http://h/p?phase=all", "", "phase=warmup&by=slot"), "/p?phase=all&by=slot");
});

test("a turn's address leaves out what the reference does not know", () => {
  const template = "/datasets/{dataset}/conversations/{conversation}?turn={turn}&agent={agent}&point=p";
  assert.equal(fillAddress(template, { dataset: "d", conversation: "a/b", turn: 0, agent: null }), "/datasets/d/conversations/a%252Fb?turn=0&point=p");
  assert.equal(fillAddress(template, { dataset: "d", conversation: "c", turn: null, agent: "x y" }), "/datasets/d/conversations/c?agent=x%20y&point=p");
});

test("an export takes the range, else the window, else everything", () => {
  globalThis.location = { href: "http://h/points/p/timeline" };
  const view = { range: null, atHome: true, seconds: (t) => t / 10, port: { t0: 20, t1: 55 }, state: { phase: "all" } };
  const link = "/api/v1/points/p/timeline?from=1&to=2&format=parquet";
  assert.equal(withRange(link, view), "http://h/api/v1/points/p/timeline?format=parquet&phase=all");
  assert.equal(withRange(link, { ...view, atHome: false }), "http://h/api/v1/points/p/timeline?from=2&to=5.5&format=parquet&phase=all");
  assert.match(withRange(link, { ...view, range: [3, 4.123456789] }), /from=3&to=4.12346&format=parquet&phase=all$/);
  assert.equal(withRange("/t?format=html", { ...view, range: [3, 4] }), "http://h/t?format=html");
  delete globalThis.location;
});

test("CSV holds one line a request, empty where unknown, and disarms formulas", () => {
  const data = decode(smallTree());
  data.header.conversations[0] = '=cmd("x")';
  const lines = toCsv(data, [0, 5]).trimEnd().split("\r\n");
  assert.equal(lines.length, 3);
  assert.match(lines[1], /^0,"'=cmd\(""x""\)",,0,0,main,profiling,ok,,,w1,,0\.00090,0\.00100,0\.00120,0\.00200,/);
  assert.match(lines[2], /,failed,http,500,/);
  assert.ok(lines[2].endsWith(",,,,"));
});

const folder = new URL("../../assets/timeline/", import.meta.url);
const sources = readdirSync(folder).map((name) => readFileSync(new URL(name, folder), "utf8")).join("\n");
const catalogue = (lang) => {
  const text = readFileSync(new URL(`../../explorer/i18n/${lang}/timeline.toml`, import.meta.url), "utf8");
  return Object.fromEntries([...text.matchAll(/^(\w+) = "(.*)"$/gm)].map(([, key, value]) => [key, value]));
};

test("every string the scripts ask for is in the catalogue, and every string there is used", () => {
  const strings = catalogue("en");
  const asked = [...sources.matchAll(/\bt\("(\w+)"/g)].map((m) => m[1]);
  assert.deepEqual(asked.filter((key) => !(key in strings)), []);
  for (const command of Object.keys(KEYS)) assert.ok(command in strings, command);
  for (const mode of COLOURS) assert.ok(`color_${mode}` in strings, mode);
  const families = [...sources.matchAll(/\bt\(`(\w+_)\$/g)].map((m) => m[1]).concat(["phase_", "by_", "color_"]);
  const unused = Object.keys(strings).filter((key) => !asked.includes(key) && !(key in KEYS) && !families.some((f) => key.startsWith(f)) && !sources.includes(`"${key}"`));
  assert.deepEqual(unused, []);
});

test("both languages fill the same places", () => {
  const [en, zh] = [catalogue("en"), catalogue("zh")];
  assert.deepEqual(Object.keys(zh), Object.keys(en));
  const places = (text) => [...text.matchAll(/\{(\w+)\}/g)].map((m) => m[1]).sort();
  for (const key of Object.keys(en)) assert.deepEqual(places(zh[key]), places(en[key]), key);
});

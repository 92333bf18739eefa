// Read-outs of a point's charts: nearest sample, bins, gaps, stacked heights, clock.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import vm from "node:vm";

const source = readFileSync(new URL("../../assets/point.js", import.meta.url), "utf8");
const window = {};
const document = { addEventListener() {}, querySelectorAll: () => [] };
vm.runInNewContext(source, { window, document, location: {}, URLSearchParams });
const { reading, nearest, clock, bins, rangeText, joined } = window.explorer.charts;

const axis = (unit, low, high, log = false) => ({ unit, low, high, log });
const line = (label, x, y, kind = "line") => ({ label, kind, x, y });

test("the nearest sample is read, on even and uneven grids", () => {
  const even = line("a", { from: 0, step: 10, n: 11 }, []);
  assert.equal(nearest(even, 44), 4);
  assert.equal(nearest(even, 46), 5);
  assert.equal(nearest(even, 1e9), 10);
  assert.equal(nearest(line("a", [0, 1, 50, 51], []), 20), 1);
});

test("a bin is read by the edges around it", () => {
  const bars = line("n", [1, 10, 100, 1000], [3, 4, 5], "bar");
  assert.equal(nearest(bars, 50), 1);
  const chart = { x: axis("tokens", 1, 1000, true), y: axis("requests", 0, 5), traces: [bars] };
  assert.equal(reading(chart, 0.5).text, "10–100   4");
});

test("one line says the time and each trace", () => {
  const chart = {
    x: axis("time", 0, 100),
    y: axis("s", 0, 9),
    traces: [line("p90", [0, 50, 100], [1, 2.5, 3]), line("p50", [0, 50, 100], [0.5, null, 1])],
  };
  const read = reading(chart, 0.52);
  assert.equal(read.text, "52.0 s   p90 2.5   p50 –");
  assert.equal(read.share, 0.5);
});

test("ratios are percentages and large counts have their thousands apart", () => {
  const x = axis("time", 0, 1);
  const kv = { x, y: axis("ratio", 0, 1), traces: [line("kv", [0, 1], [0.123, 0.9])] };
  assert.match(reading(kv, 0).text, /12\.3 %$/);
  const tokens = { x, y: axis("tokens", 0, 1e7), traces: [line("t", [0, 1], [1234567, 0])] };
  assert.match(reading(tokens, 0).text, /1,234,567$/);
});

test("the clock has minutes, hours and a true minus", () => {
  assert.equal(clock(5.25), "5.3 s");
  assert.equal(clock(61), "1:01");
  assert.equal(clock(3725), "1:02:05");
  assert.equal(clock(-61), "−1:01");
});

test("a brush on bars takes whole bins, whole tokens inside them, six digits elsewhere", () => {
  const bars = line("n", [512, 724.0773, 1024, 1448.1547], [3, 4, 5], "bar");
  assert.deepEqual([...bins(bars, 600, 900)], [512, 1024]);
  assert.deepEqual([...bins(bars, 1, 1e9)], [512, 1448.1547]);
  assert.equal(rangeText("isl_tokens", 512, 1448.1547), "isl_tokens:513..1448");
  assert.equal(rangeText("ttft_s", 0.0883883476, 0.25), "ttft_s:0.0883883..0.25");
});

test("a range joins those of other quantities and replaces its own", () => {
  assert.equal(joined(null, "ttft_s:1..2"), "ttft_s:1..2");
  assert.equal(joined("isl_tokens:5..;ttft_s:0..1", "ttft_s:1..2"), "isl_tokens:5..;ttft_s:1..2");
});

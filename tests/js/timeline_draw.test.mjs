import assert from "node:assert/strict";
import test from "node:test";

import { decode } from "../../assets/timeline/format.mjs";
import { buildIndex, indexLit, indexShades } from "../../assets/timeline/index.mjs";
import { layOut } from "../../assets/timeline/lanes.mjs";
import { buildModel } from "../../assets/timeline/model.mjs";
import { RowRaster } from "../../assets/timeline/raster.mjs";
import { drawLine, loadOverTime } from "../../assets/timeline/strip.mjs";
import { hashText, mix, pack as packColour, parseColour, strengthTable } from "../../assets/canvas/colour.mjs";
import { crowd, pack, smallTree } from "./sample.mjs";

const PAPER = 0xffffffff;
const WAIT = 0xff111111;
const BAD = 0xff0000ff;
const GAP = 0xff222222;
const table = strengthTable(Array.from({ length: 256 }, (_, i) => [i, 100, 0]), [255, 255, 255]);
const dim = strengthTable(Array.from({ length: 256 }, (_, i) => [i, 0, 100]), [255, 255, 255]);
const style = { paper: PAPER, wait: WAIT, gap: GAP, bright: table, dim, status: () => BAD };

function scanned(buffer, view, { shade = 128, lit = null, row = 0, gaps = false, width = 100 } = {}) {
  const data = decode(buffer);
  const layout = layOut(data, buildModel(data), { by: "conversation", open: new Set() });
  const index = buildIndex(data, layout);
  indexShades(index, new Uint8Array(data.n).fill(shade));
  indexLit(index, lit);
  const raster = new RowRaster(width);
  raster.begin();
  raster.scan(data, index, row, view, style, { gaps, labels: true, ratio: 1, row });
  return raster;
}

test("a wide bar shows wait, prefill and decode in their places", () => {
  const raster = scanned(smallTree(), { t0: 80, perPixel: 2 });
  assert.equal(raster.middle[4], PAPER);
  assert.equal(raster.middle[5], WAIT);
  assert.equal(raster.edge[5], PAPER);
  assert.equal(raster.edge[10], table[(7 << 8) | 128]);
  assert.equal(raster.edge[20], table[(15 << 8) | 128]);
  assert.equal(raster.edge[58], table[(15 << 8) | 128]);
  assert.equal(raster.edge[59], PAPER);
  assert.equal(raster.dense, 0);
});

test("bars narrower than two pixels are summed per pixel and counted as density", () => {
  const requests = Array.from({ length: 10 }, (_, k) => ({ stream: 0, start: 10 * k, ttft: 1, rest: 4, turn: k }));
  const raster = scanned(pack(requests, [{ conversation: 0 }]), { t0: 0, perPixel: 50 });
  assert.equal(raster.dense, 10);
  assert.equal(raster.edge[0], table[(11 << 8) | 128]);
  assert.equal(raster.edge[1], table[(11 << 8) | 128]);
  assert.equal(raster.edge[2], PAPER);
});

test("one narrow bar keeps a pixel however far away one looks", () => {
  const raster = scanned(pack([{ stream: 0, start: 500_000, ttft: 0, rest: 1 }], [{ conversation: 0 }]), { t0: 0, perPixel: 10_000 });
  assert.equal(raster.edge.filter((c) => c !== PAPER).length, 1);
  assert.notEqual(raster.edge[50], PAPER);
});

test("a failure of no duration is a marker of three pixels, and is hatched when it lasts", () => {
  const marker = scanned(pack([{ stream: 0, start: 500, rest: 0, status: 1 }], [{ conversation: 0 }]), { t0: 0, perPixel: 10 });
  assert.deepEqual([...marker.edge.subarray(49, 54)], [PAPER, BAD, BAD, BAD, PAPER]);
  const long = scanned(pack([{ stream: 0, start: 100, rest: 400, status: 2 }], [{ conversation: 0 }]), { t0: 0, perPixel: 10 });
  assert.deepEqual(long.hatches.map((h) => [h.x0, h.x1]), [[10, 49]]);
});

test("one failure among many in a pixel colours that pixel", () => {
  const requests = Array.from({ length: 10 }, (_, k) => ({ stream: 0, start: 3 * k, ttft: 0, rest: 1, status: k === 4 ? 1 : 0, turn: k }));
  assert.equal(scanned(pack(requests, [{ conversation: 0 }]), { t0: 0, perPixel: 50 }).edge[0], BAD);
});

test("what a search leaves unlit is dimmed", () => {
  const lit = new Uint8Array(6);
  lit[4] = 1;
  const raster = scanned(smallTree(), { t0: 80, perPixel: 8 }, { lit });
  assert.equal(raster.edge[8], dim[(15 << 8) | 128]);
  assert.equal(raster.edge[72], table[(15 << 8) | 128]);
});

test("idle time between bars is dotted on the middle line only", () => {
  const raster = scanned(smallTree(), { t0: 80, perPixel: 8 }, { gaps: true });
  assert.ok(raster.centre.includes(GAP));
  assert.ok(!raster.edge.includes(GAP));
});

test("every shown request leaves a mark at every zoom", () => {
  const data = decode(crowd(400, 6, 4));
  const layout = layOut(data, buildModel(data), { by: "conversation", open: new Set() });
  const index = buildIndex(data, layout);
  indexShades(index, new Uint8Array(data.n).fill(200));
  const raster = new RowRaster(120);
  for (const perPixel of [0.7, 9, 60, 400]) {
    for (let row = 0; row < layout.rowCount; row++) {
      const view = { t0: 0, perPixel };
      raster.begin();
      raster.scan(data, index, row, view, style, { gaps: false, labels: false, ratio: 1, row });
      for (let k = index.pointer[row]; k < index.pointer[row + 1]; k++) {
        const x = Math.floor(index.left[k] / perPixel);
        if (x < 120) assert.notEqual(raster.middle[x], PAPER, `request ${index.order[k]} at ${perPixel}`);
      }
    }
  }
});

test("a row is copied to its height and clipped to the picture", () => {
  const raster = scanned(smallTree(), { t0: 80, perPixel: 2 });
  const pixels = new Uint32Array(100 * 10).fill(7);
  raster.blit(pixels, -3, 8, 10);
  assert.equal(pixels[20], table[(15 << 8) | 128]);
  assert.equal(pixels[5 * 100 + 20], 7);
});

test("load over time is the mean in each bin, new tokens without what was cached", () => {
  const data = decode(pack([{ stream: 0, start: 10, ttft: 0, rest: 15, isl: 100, cached: 60 }, { stream: 0, start: 20, ttft: 0, rest: 10, isl: 10 }], [{ conversation: 0 }]));
  const load = loadOverTime(data, 0, 40, 4);
  assert.deepEqual([...load.running], [0, 1, 1.5, 0]);
  assert.deepEqual([...load.tokens], [0, 40, 30, 0]);
});

test("load outside of the window is left out, inside it is whole", () => {
  const data = decode(crowd(200, 4, 8));
  const [t0, t1, bins] = [300, 900, 60];
  let busy = 0;
  for (let i = 0; i < data.n; i++) busy += Math.max(0, Math.min(data.end[i], t1) - Math.max(data.start[i], t0));
  const sum = loadOverTime(data, t0, t1, bins).running.reduce((a, b) => a + b, 0) * ((t1 - t0) / bins);
  assert.ok(Math.abs(sum - busy) < busy * 1e-5);
});

test("a strip line keeps every peak and breaks where a value is missing", () => {
  const pixels = new Uint32Array(20 * 11);
  const line = { t: [0, 1, 1.2, 1.4, 2, 3, 4], value: [0, 0, 10, 0, 0, NaN, 0], max: 10 };
  drawLine({ pixels, width: 20, top: 0, bottom: 10 }, { t0: 0, t1: 20, span: 20 }, 1, line, 5);
  assert.equal(pixels[1], 5);
  assert.equal(pixels[10 * 20 + 3], 0);
  assert.equal(pixels[10 * 20 + 4], 5);
});

test("colours parse, mix and hash the same way always", () => {
  assert.deepEqual(parseColour(" #1f5fd0"), [31, 95, 208]);
  assert.deepEqual(parseColour("#fff"), [255, 255, 255]);
  assert.deepEqual(parseColour("rgb(1, 2, 3)"), [1, 2, 3]);
  assert.throws(() => parseColour("light-dark(red, blue)"), /not a colour/);
  assert.equal(packColour([1, 2, 3]), 0xff030201);
  assert.deepEqual(mix([0, 0, 0], [100, 200, 50], 0.5), [50, 100, 25]);
  assert.equal(hashText("trace_0254"), hashText("trace_0254"));
  assert.notEqual(hashText("trace_0254"), hashText("trace_0255"));
});

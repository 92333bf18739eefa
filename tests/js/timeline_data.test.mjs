import assert from "node:assert/strict";
import test from "node:test";

import { decode, fromLogLinear, readPlane, unzigzag } from "../../assets/timeline/format.mjs";
import { buildIndex, firstAbove, indexLit, indexShades } from "../../assets/timeline/index.mjs";
import { GROUPINGS, layOut } from "../../assets/timeline/lanes.mjs";
import { buildModel, FirstFit, requestsByStream, spawnAndJoin, streamName, treeKey } from "../../assets/timeline/model.mjs";
import { barAt, rowAt } from "../../assets/canvas/hit.mjs";
import { crowd, frame, pack, planes, random, smallTree } from "./sample.mjs";

const shown = (data, open = [], by = "conversation") => layOut(data, buildModel(data), { by, open: new Set(open) });

test("a packed timeline decodes to the requests it was made of", () => {
  const data = decode(smallTree());
  assert.equal(data.n, 6);
  assert.deepEqual([...data.start], [100, 210, 220, 300, 600, 650]);
  assert.deepEqual([...data.left], [90, 210, 215, 295, 600, 650]);
  assert.deepEqual([...data.first], [120, 240, 230, 310, 640, -1]);
  assert.deepEqual([...data.end], [200, 500, 260, 350, 700, 650]);
  assert.deepEqual([...data.isl], [100, 50, 60, 80, 130, -1]);
  assert.deepEqual([...data.cached], [0, 40, -1, -1, 64, -1]);
  assert.deepEqual([...data.turn], [0, 0, 0, 1, 1, 0]);
  assert.deepEqual([...data.worker], [0, 0, 1, 1, 0, 0]);
  assert.deepEqual([...data.streams.parent], [-1, 0, 0, -1]);
});

test("a part of the requests keeps their ordinals", () => {
  const requests = [3, 0, 895].map((skipped, k) => ({ stream: 0, start: 10 * k, skipped }));
  assert.deepEqual([...decode(pack(requests, [{}])).ordinal], [3, 4, 900]);
  assert.deepEqual([...decode(smallTree()).ordinal], [0, 1, 2, 3, 4, 5]);
});

test("planes of one to four bytes read back", () => {
  const values = { none: [0, 0], one: [0, 255], two: [256, 65535], three: [65536, 2 ** 24 - 1], four: [2 ** 24, 2 ** 32 - 1] };
  const { directory, bytes } = planes(values);
  for (const p of directory) assert.deepEqual([...readPlane(bytes, p)], values[p.name]);
});

test("zigzag and log-linear codes", () => {
  assert.deepEqual([0, 1, 2, 3].map(unzigzag), [0, -1, 1, -2]);
  assert.equal(fromLogLinear(16383, 14), 16383);
  assert.equal(fromLogLinear(16384, 14), 16384);
  assert.equal(fromLogLinear(16385, 14), 16386);
  assert.equal(fromLogLinear(3 * 8192, 14), 32768);
});

test("another magic and another version are refused by name", () => {
  assert.throws(() => decode(new TextEncoder().encode("JUNKxxxxxxxxxxxx").buffer), /starts with "JUNK"/);
  const bytes = new Uint8Array(frame({ n: 0 }));
  bytes[4] = 9;
  assert.throws(() => decode(bytes.buffer), /version 9, this page reads 1/);
});

test("trees: replays apart, names, keys and slots", () => {
  const data = decode(smallTree());
  const model = buildModel(data);
  assert.deepEqual(model.roots, [0, 3]);
  assert.deepEqual(model.children[0], [1, 2]);
  assert.equal(streamName(data, model, 3), "trace_a ·2");
  assert.equal(treeKey(data, model, 3), "trace_a~2");
  assert.equal(streamName(data, model, 1), "sa:agent_001");
  assert.deepEqual([...model.slot], [0, 0, 0, 1]);
});

test("a parent without a record is a lane of its own above its child", () => {
  const data = decode(pack([{ stream: 0, start: 5, rest: 3 }], [{ parent: 1, conversation: 0, agent: 0, kind: 1 }, { conversation: 0, kind: 3 }]));
  const { lanes } = shown(data, ["*"]);
  assert.deepEqual(lanes.map((lane) => [lane.placeholder, lane.level]), [[true, 0], [false, 1]]);
});

test("spawn is the parent's last request before, join the first after the end", () => {
  const data = decode(smallTree());
  const model = buildModel(data);
  assert.deepEqual(spawnAndJoin(model, 1, 0, requestsByStream(data)), { spawn: 0, join: 4 });
});

test("first fit takes the lowest free track and reuses it", () => {
  const fit = new FirstFit();
  assert.deepEqual([fit.place(0, 10), fit.place(1, 5), fit.place(2, 20), fit.place(6, 8), fit.place(10, 11)], [0, 1, 2, 1, 0]);
  assert.equal(fit.used, 3);
});

test("first fit agrees with trying every track in turn", () => {
  const next = random(3);
  const fit = new FirstFit();
  const ends = [];
  for (let k = 0, left = 0; k < 2000; k++) {
    left += next() * 3;
    const end = left + next() * 200;
    let want = ends.findIndex((e) => e <= left);
    if (want < 0) want = ends.push(0) - 1;
    ends[want] = end;
    assert.equal(fit.place(left, end), want);
  }
});

for (const by of GROUPINGS) {
  test(`lanes by ${by} hold every request once and never two at a time`, () => {
    for (const [seed, open] of [[1, []], [2, ["*"]], [3, []]]) {
      const data = decode(crowd(600, 12, seed));
      const layout = shown(data, open, by);
      const index = buildIndex(data, layout);
      assert.deepEqual([...index.order].sort((a, b) => a - b), Array.from({ length: data.n }, (_, i) => i));
      for (let row = 0; row < layout.rowCount; row++) {
        for (let k = index.pointer[row] + 1; k < index.pointer[row + 1]; k++) assert.ok(index.left[k] >= index.end[k - 1]);
      }
      for (let row = 1; row < layout.rowCount; row++) assert.ok(layout.top[row] >= layout.top[row - 1] + layout.height[row - 1]);
    }
  });
}

test("an open lane gives each sub-agent a row of its own; a closed one keeps the main line above", () => {
  const data = decode(smallTree());
  const closed = shown(data);
  assert.deepEqual(closed.lanes.map((lane) => lane.label), ["trace_a", "trace_a ·2"]);
  assert.ok(closed.rowOf[1] > closed.rowOf[0]);
  assert.equal(closed.rowOf[0], closed.rowOf[4]);
  const open = shown(data, ["trace_a"]);
  assert.deepEqual(open.lanes.map((lane) => lane.label), ["trace_a", "sa:agent_001", "sa:agent_002", "trace_a ·2"]);
});

test("a phase filter moves no row", () => {
  const data = decode(crowd(300, 9, 5));
  const layout = shown(data);
  const visible = Uint8Array.from({ length: data.n }, (_, i) => i % 2);
  const [all, half] = [buildIndex(data, layout), buildIndex(data, layout, visible)];
  assert.equal(half.total, 150);
  assert.equal(all.total, 300);
  for (let row = 0; row < layout.rowCount; row++) {
    for (let k = half.pointer[row]; k < half.pointer[row + 1]; k++) assert.equal(layout.rowOf[half.order[k]], row);
  }
});

test("lanes of a key nobody stated are one lane without a name", () => {
  const data = decode(smallTree());
  assert.deepEqual(shown(data, [], "engine").lanes.map((lane) => lane.label), [null]);
  assert.deepEqual(shown(data, [], "worker").lanes.map((lane) => lane.label), ["w1", "w2"]);
});

test("running sums answer for any stretch of a row", () => {
  const data = decode(crowd(500, 6, 9));
  const index = buildIndex(data, shown(data));
  const shades = Uint8Array.from({ length: data.n }, (_, i) => i % 256);
  const lit = Uint8Array.from({ length: data.n }, (_, i) => (i % 7 === 0 ? 1 : 0));
  indexShades(index, shades);
  indexLit(index, lit);
  const [from, to] = [40, 400];
  let [busy, bad, shade, count] = [0, 0, 0, 0];
  for (let k = from; k < to; k++) {
    const i = index.order[k];
    busy += data.end[i] - data.left[i];
    bad += data.status[i] > 0 ? 1 : 0;
    shade += shades[i];
    count += lit[i];
  }
  assert.equal((index.busy[to] - index.busy[from]) >>> 0, busy);
  assert.equal(index.bad[to] - index.bad[from], bad);
  assert.equal((index.shade[to] - index.shade[from]) >>> 0, shade);
  assert.equal(index.lit[to] - index.lit[from], count);
});

test("galloping finds what a scan finds", () => {
  const next = random(11);
  const column = Int32Array.from({ length: 300 }, () => Math.floor(next() * 1000)).sort();
  for (let k = 0; k < 500; k++) {
    const [from, t] = [Math.floor(next() * 300), Math.floor(next() * 1100) - 50];
    let want = from;
    while (want < 300 && column[want] <= t) want += 1;
    assert.equal(firstAbove(column, t, from, 300), want);
  }
});

test("the hit test finds the bar under the point, or the nearest within the slack", () => {
  const data = decode(smallTree());
  const layout = shown(data);
  const index = buildIndex(data, layout);
  const row = layout.rowOf[0];
  const at = (t, slack) => {
    const k = barAt(index, row, t, slack);
    return k < 0 ? -1 : index.order[k];
  };
  assert.deepEqual([at(150, 0), at(90, 0), at(200, 0), at(650, 0)], [0, 0, 0, 4]);
  assert.deepEqual([at(205, 0), at(205, 10), at(595, 10), at(400, 10)], [-1, 0, 4, -1]);
  assert.equal(rowAt(layout, layout.top[row] + 3), row);
  assert.equal(rowAt(layout, -5), -1);
});

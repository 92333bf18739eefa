// Where the rows of a scrolled table stand: every row reachable, few drawn, no height over the top.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import vm from "node:vm";

const source = readFileSync(new URL("../../assets/point_rows.js", import.meta.url), "utf8");
const window = {};
vm.runInNewContext(source, { window, document: { addEventListener() {} } });
const { layout, topOf } = window.explorer.rows;

const ROW = 29;
const VIEW = 580;
const TALLEST = 16000000;

for (const total of [1, 20, 88, 150000, 551724, 1000000, 10000000]) {
  test(`every row of ${total} can be brought into view`, () => {
    const step = Math.max(Math.floor(total / 997), 1);
    for (let index = 0; index < total; index += step) {
      const top = topOf(index, total, ROW, VIEW);
      const most = Math.max(Math.min(total * ROW, TALLEST) - VIEW, 0);
      const place = layout(total, ROW, VIEW, Math.min(top, most));
      assert.ok(place.from <= index && index < place.to, `${index}: ${JSON.stringify(place)}`);
      assert.ok(place.to - place.from <= VIEW / ROW + 26);
    }
  });

  test(`the height of ${total} is that of all rows, or the tallest there is`, () => {
    const body = Math.min(total * ROW, TALLEST);
    for (const share of [0, 0.25, 0.5, 0.99]) {
      const top = share * Math.max(body - VIEW, 0);
      const { from, to, above, below } = layout(total, ROW, VIEW, top);
      assert.ok(Math.abs(above + (to - from) * ROW + below - body) < ROW * 30);
    }
  });
}

test("rows in view are drawn where one looks, to the pixel, also beyond the tallest height", () => {
  for (const total of [150000, 5000000]) {
    const top = 7654321 % (Math.min(total * ROW, TALLEST) - VIEW);
    const { first, from, above } = layout(total, ROW, VIEW, top);
    const y = above + (first - from) * ROW - top;
    assert.ok(y <= 0 && y > -ROW, `${total}: ${y}`);
  }
});

test("the last row is reached at the bottom", () => {
  for (const total of [88, 150000, 5000000]) {
    const body = Math.min(total * ROW, TALLEST);
    assert.equal(layout(total, ROW, VIEW, body - VIEW).to, total);
  }
});

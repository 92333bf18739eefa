// Charts over a point: a read-out under pointer or keys, a brush that writes into the address: from
// and to on a clock, a range of the quantity on a distribution. Works on any svg.chart with
// data-chart; knows nothing of what is drawn.
(function () {
  "use strict";

  const CHART = "svg.chart[data-chart]";
  const SHORTEST = 0.01; // of the plot's width: less is a click, not a brush
  const cache = new WeakMap();
  let cursor = null; // {svg, share} of the chart read last
  let drag = null;

  function model(svg) {
    if (!cache.has(svg)) cache.set(svg, JSON.parse(svg.getAttribute("data-chart")));
    return cache.get(svg);
  }

  const live = () => Boolean(window.explorer?.live?.()); // a published site has no live page

  function at(svg, event) {
    const box = svg.getBoundingClientRect();
    return Math.min(Math.max((event.clientX - box.left) / box.width, 0), 1);
  }

  function valueOf(axis, share) {
    if (!axis.log) return axis.low + share * (axis.high - axis.low);
    return axis.low * Math.pow(axis.high / axis.low, share);
  }

  function shareOf(axis, value) {
    if (!axis.log) return (value - axis.low) / (axis.high - axis.low);
    return Math.log(value / axis.low) / Math.log(axis.high / axis.low);
  }

  const xAt = (x, index) => (Array.isArray(x) ? x[index] : x.from + index * x.step);
  const length = (x) => (Array.isArray(x) ? x.length : x.n);

  /** The index of the x nearest to a value; of a bar's edges, the bin that holds it. */
  function nearest(trace, value) {
    const n = length(trace.x);
    let low = 0;
    let high = n - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (xAt(trace.x, middle) < value) low = middle + 1;
      else high = middle;
    }
    if (trace.kind === "bar") return Math.min(Math.max(low - 1, 0), n - 2);
    const before = low > 0 && value - xAt(trace.x, low - 1) < xAt(trace.x, low) - value;
    return before ? low - 1 : low;
  }

  function clock(seconds) {
    const sign = seconds < 0 ? "−" : "";
    const value = Math.abs(seconds);
    const two = (number) => String(number).padStart(2, "0");
    if (value < 60) return sign + value.toFixed(1) + " s";
    if (value < 3600) return sign + Math.floor(value / 60) + ":" + two(Math.floor(value % 60));
    const minutes = Math.floor((value % 3600) / 60);
    return sign + Math.floor(value / 3600) + ":" + two(minutes) + ":" + two(Math.floor(value % 60));
  }

  function text(value, unit) {
    if (value === null || value === undefined) return "–";
    if (unit === "time") return clock(value);
    if (unit === "ratio") return (value * 100).toFixed(1) + " %";
    if (value === 0) return "0";
    const whole = (unit === "requests" || unit === "tokens") && Math.abs(value) >= 100;
    const digits = whole ? 0 : Math.min(Math.max(2 - Math.floor(Math.log10(Math.abs(value))), 0), 8);
    const options = { minimumFractionDigits: 0, maximumFractionDigits: digits };
    return value.toLocaleString("en-US", options);
  }

  /** What a chart says at a share of its width: the x and each trace's own value there. */
  function reading(chart, share) {
    const wanted = valueOf(chart.x, share);
    const parts = [];
    let place = text(wanted, chart.x.unit);
    let snapped = share;
    for (const trace of chart.traces) {
      const index = nearest(trace, wanted);
      if (trace.kind === "bar") {
        const ends = [xAt(trace.x, index), xAt(trace.x, index + 1)];
        const whole = chart.x.unit === "tokens";
        place = ends.map((end) => text(whole ? Math.round(end) : end, chart.x.unit)).join("–");
      } else {
        snapped = shareOf(chart.x, xAt(trace.x, index));
      }
      const label = chart.traces.length > 1 ? trace.label + " " : "";
      parts.push(label + text(trace.y[index], chart.y.unit));
    }
    return { text: place + "   " + parts.join("   "), share: Math.min(Math.max(snapped, 0), 1) };
  }

  function part(plot, name) {
    let node = plot.querySelector("." + name);
    if (!node) {
      node = document.createElement(name === "chart-readout" ? "output" : "span");
      node.className = name;
      plot.append(node);
    }
    return node;
  }

  function show(svg, share) {
    const chart = model(svg);
    if (!chart.traces.length) return;
    const read = reading(chart, share);
    const plot = svg.closest(".chart-plot");
    const line = part(plot, "cursor-line");
    line.style.left = read.share * svg.clientWidth + "px";
    line.style.height = svg.clientHeight + "px";
    part(plot, "chart-readout").textContent = read.text;
    cursor = { svg, share };
    if (chart.x.unit === "time") follow(svg, read.share, chart.x);
  }

  /** The same moment on every other chart over time: a line, no words. */
  function follow(svg, share, axis) {
    for (const other of document.querySelectorAll(".timed " + CHART)) {
      if (other === svg || model(other).x.low !== axis.low || model(other).x.high !== axis.high) continue;
      const line = part(other.closest(".chart-plot"), "cursor-line");
      line.style.left = share * other.clientWidth + "px";
      line.style.height = other.clientHeight + "px";
    }
  }

  function hide() {
    for (const node of document.querySelectorAll(".cursor-line, .chart-readout")) node.remove();
    cursor = null;
  }

  /** Whether a range can be chosen on a chart: of time, or of the quantity of its bars. */
  const brushable = (svg) => model(svg).x.unit === "time" || Boolean(model(svg).column);

  /** The edges of the bins that hold two values and all between. */
  function bins(trace, low, high) {
    return [xAt(trace.x, nearest(trace, low)), xAt(trace.x, nearest(trace, high) + 1)];
  }

  /** A brush's ends as shares of the width: on bars whole bins. */
  function ends(svg, from, to) {
    const [low, high] = [Math.min(from, to), Math.max(from, to)];
    const { x, column, traces } = model(svg);
    if (!column) return [low, high];
    return bins(traces[0], valueOf(x, low), valueOf(x, high)).map((edge) => {
      return Math.min(Math.max(shareOf(x, edge), 0), 1);
    });
  }

  function paint() {
    const timed = model(drag.svg).x.unit === "time";
    const [low, high] = ends(drag.svg, drag.from, drag.to);
    for (const svg of timed ? document.querySelectorAll(".timed " + CHART) : [drag.svg]) {
      const band = part(svg.closest(".chart-plot"), "brush");
      band.style.left = low * svg.clientWidth + "px";
      band.style.width = (high - low) * svg.clientWidth + "px";
      band.style.height = svg.clientHeight + "px";
    }
  }

  function unpaint() {
    for (const node of document.querySelectorAll(".brush")) node.remove();
  }

  /** Shows the window at once: marks are stretched to it, ticks fade until the server's drawing. */
  function zoom(from, to) {
    const [low, high] = [Math.min(from, to), Math.max(from, to)];
    for (const svg of document.querySelectorAll(".timed " + CHART)) {
      const marks = svg.querySelector(".marks");
      const [, y, wide, tall] = marks.getAttribute("viewBox").split(" ").map(Number);
      marks.setAttribute("viewBox", [low * wide, y, (high - low) * wide, tall].join(" "));
      svg.classList.add("stale");
    }
  }

  /** The address, but for what lies open: while it stays, what was chosen on it holds. */
  function place() {
    const query = new URLSearchParams(location.search);
    query.delete("open");
    return location.pathname + "?" + query;
  }

  /** The page of an address, or the part of it that a view names, as a document. */
  async function partOf(query, view, open) {
    const here = place();
    const asked = new URLSearchParams(query);
    asked.set("view", view);
    if (open) asked.set("open", open);
    const answer = await fetch(location.pathname + "?" + asked);
    if (!answer.ok) throw new Error(String(answer.status));
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (place() !== here) throw new Error("the reader went on");
    return page;
  }

  function put(page, selector) {
    const [here, there] = [document.querySelector(selector), page.querySelector(selector)];
    if (here && there) here.innerHTML = there.innerHTML;
  }

  const seen = (name) => document.dispatchEvent(new CustomEvent("explorer:" + name));

  /** Puts the numbers of an address in place before its charts are drawn. */
  async function numbersFirst(query) {
    const page = await partOf(query, "numbers");
    for (const one of [".key-figures", ".statistics > .def", ".statistics .scroll"]) put(page, one);
    seen("numbers");
  }

  /** The names of the charts in sight. */
  function inSight() {
    const found = [...document.querySelectorAll("figure.chart")].filter((figure) => {
      const box = figure.getBoundingClientRect();
      return box.bottom > 0 && box.top < window.innerHeight;
    });
    return found.map((figure) => figure.id.replace("chart-", ""));
  }

  /** Puts the charts in sight in place before the others. */
  async function sightFirst(query) {
    const names = inSight();
    if (!names.length) return;
    const page = await partOf(query, "charts", names.join(","));
    for (const name of names) put(page, "#chart-" + name + " .chart-plot");
    seen("sight");
  }

  /** A range as the address writes it: whole tokens inside the bins, else six digits. */
  function rangeText(column, low, high) {
    const tokens = column.endsWith("_tokens");
    const inside = tokens
      ? [Math.floor(low) + 1, Math.floor(high)]
      : [low, high].map((end) => Number(end.toPrecision(6)));
    return column + ":" + inside.join("..");
  }

  /** The ranges of an address with another, in place of one of the same quantity. */
  function joined(where, range) {
    const column = range.split(":")[0] + ":";
    const others = (where || "").split(";").filter((one) => one && !one.startsWith(column));
    return [...others, range].join(";");
  }

  async function choose(svg, from, to) {
    const { x, column, traces } = model(svg);
    const [low, high] = [from, to].sort((one, other) => one - other).map((at) => valueOf(x, at));
    const query = new URLSearchParams(location.search);
    if (column) {
      query.set("where", joined(query.get("where"), rangeText(column, ...bins(traces[0], low, high))));
    } else {
      const digits = x.high - x.low > 600 ? 1 : 3;
      query.set("from", String(Number(low.toFixed(digits))));
      query.set("to", String(Number(high.toFixed(digits))));
      unpaint();
      zoom(from, to);
    }
    query.delete("open");
    if (document.querySelector("[data-parts]")) {
      const here = place();
      await numbersFirst(query).then(() => sightFirst(query)).catch(() => {});
      if (place() !== here) return;
    }
    const text = query.toString().replaceAll("%2C", ",").replaceAll("%3A", ":");
    window.explorer.go(location.pathname + "?" + text);
  }

  document.addEventListener("pointermove", (event) => {
    if (drag) {
      drag.to = at(drag.svg, event);
      paint();
      show(drag.svg, drag.to);
      return;
    }
    const svg = event.target.closest && event.target.closest(CHART);
    if (svg) show(svg, at(svg, event));
    else if (cursor && !cursor.keys) hide();
  });

  document.addEventListener("pointerdown", (event) => {
    const svg = event.target.closest && event.target.closest(CHART);
    if (!svg || event.button !== 0 || event.pointerType === "touch" || !live()) return;
    if (!brushable(svg)) return;
    const share = at(svg, event);
    drag = { svg, from: share, to: share };
    event.preventDefault();
  });

  document.addEventListener("pointerup", () => {
    if (!drag) return;
    const { svg, from, to } = drag;
    drag = null;
    if (Math.abs(to - from) < SHORTEST) unpaint();
    else choose(svg, from, to);
  });

  // Keys on a focused chart: arrows read, Shift with them marks a window, Enter takes it,
  // Escape lets go.
  document.addEventListener("keydown", (event) => {
    const svg = event.target.closest && event.target.closest(CHART);
    if (!svg) return;
    const steps = { ArrowLeft: -0.01, ArrowRight: 0.01, PageUp: -0.1, PageDown: 0.1 };
    const here = cursor && cursor.svg === svg ? cursor.share : 0.5;
    if (event.key in steps || event.key === "Home" || event.key === "End") {
      const jump = { Home: 0, End: 1 };
      const share = event.key in jump ? jump[event.key] : here + steps[event.key];
      move(svg, here, Math.min(Math.max(share, 0), 1), event.shiftKey);
      event.preventDefault();
    } else if (event.key === "Enter" && svg.marked && live()) {
      const { from, to } = svg.marked;
      svg.marked = null;
      marked = svg.closest("figure").id;
      choose(svg, from, to);
    } else if (event.key === "Escape") {
      svg.marked = null;
      unpaint();
      hide();
    }
  });

  function move(svg, here, share, marking) {
    if (marking && brushable(svg)) {
      svg.marked = { svg, from: svg.marked ? svg.marked.from : here, to: share };
      drag = svg.marked;
      paint();
      drag = null;
    }
    show(svg, share);
    cursor.keys = true;
  }

  document.addEventListener("focusin", (event) => {
    const svg = event.target.closest && event.target.closest(CHART);
    if (svg) {
      show(svg, 0.5);
      cursor.keys = true;
    }
  });
  document.addEventListener("focusout", (event) => {
    if (event.target.closest && event.target.closest(CHART)) hide();
  });

  // The page is drawn anew after each change of the address: what was marked is gone, tables that
  // were open stay open, and who marked a range by key is back on its chart.
  const open = new Set();
  let marked = "";

  document.addEventListener(
    "toggle",
    (event) => {
      const figure = event.target.matches(".twin-table") && event.target.closest("figure[id]");
      if (figure) open[event.target.open ? "add" : "delete"](figure.id);
    },
    true
  );

  document.addEventListener("explorer:mounted", (event) => {
    unpaint();
    for (const id of open) {
      const table = event.target.querySelector("#" + id + " .twin-table");
      if (table) table.open = true;
    }
    const svg = marked && event.target.querySelector("#" + marked + " " + CHART);
    if (svg && document.activeElement === document.body) svg.focus({ preventScroll: true });
  });

  window.explorer = Object.assign(window.explorer || {}, {
    charts: { reading, nearest, clock, bins, rangeText, joined },
  });
})();

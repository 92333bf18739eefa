// An embed's hands: tooltips for pointer, touch and keys, one tab stop for all marks of a picture,
// read-outs of charts, and its height for the page around it. The picture needs none of it.
(function () {
  "use strict";

  document.documentElement.classList.add("live");
  const main = document.querySelector("main");
  const PICTURES = ".marks-of, svg.curves, [data-flame]";
  const clamp = (value, low, high) => Math.max(low, Math.min(value, high));

  // ---- height for the host (docs/embeds.md) ----------------------------------------------------

  const id = named(location.hash.slice(1));
  let told = 0;

  /** The frame's name as its address says it; one that is no encoding is taken as it stands. */
  function named(text) {
    try {
      return decodeURIComponent(text);
    } catch {
      return text;
    }
  }

  function tell() {
    if (innerWidth < 100) return; // a frame of another process has no size yet at first
    const height = Math.ceil(main.getBoundingClientRect().height);
    if (height === told) return;
    told = height;
    parent.postMessage({ type: "explorer:resize", version: 1, id, height }, "*");
  }

  if (parent !== window) {
    tell();
    let waiting = false;
    new ResizeObserver(() => {
      if (waiting) return;
      waiting = true;
      requestAnimationFrame(() => {
        waiting = false;
        tell();
      });
    }).observe(main);
    addEventListener("message", (event) => {
      if (!event.data || event.data.type !== "explorer:measure") return;
      told = 0;
      tell();
    });
  }

  // ---- tooltips --------------------------------------------------------------------------------

  const tip = document.createElement("div");
  tip.className = "tip";
  tip.hidden = true;
  tip.setAttribute("aria-hidden", "true"); // the mark's own label says the same
  main.append(tip);
  let tipped = null;

  const markAt = (target) => (target.closest ? target.closest(".marks-of a, svg.curves a, .bars a") : null);

  function centre(mark) {
    const box = (mark.querySelector(".hit") || mark).getBoundingClientRect();
    return { x: box.x + box.width / 2, y: box.y + box.height / 2, top: box.top, bottom: box.bottom };
  }

  /** A flame graph says its turns on a line of its own; all else has a tooltip. */
  function show(mark) {
    const flame = mark.closest("[data-flame]");
    if (flame) {
      flame.querySelector(".flame-readout").textContent = mark.querySelector("title").textContent;
      return;
    }
    const text = mark.getAttribute("aria-label");
    if (!text) return;
    const [first, ...rest] = text.split(" · ");
    const head = document.createElement("b");
    head.textContent = first;
    tip.replaceChildren(head, rest.join(" · "));
    tip.hidden = false;
    tipped = mark;
    const frame = main.getBoundingClientRect();
    const at = centre(mark);
    const above = at.top - frame.top - tip.offsetHeight - 6;
    const top = above >= 0 ? above : at.bottom - frame.top + 6;
    tip.style.left = clamp(at.x - frame.left - tip.offsetWidth / 2, 8, frame.width - tip.offsetWidth - 8) + "px";
    tip.style.top = clamp(top, 0, frame.height - tip.offsetHeight) + "px";
  }

  function hide() {
    tip.hidden = true;
    tipped = null;
  }

  document.addEventListener("pointerover", (event) => {
    if (event.pointerType === "touch") return;
    const mark = markAt(event.target);
    if (mark) show(mark);
    else if (tipped !== document.activeElement) hide();
  });
  document.addEventListener("pointerleave", hide);
  document.addEventListener("focusin", (event) => {
    const mark = markAt(event.target);
    if (mark) show(mark);
    else hide();
  });
  document.addEventListener("focusout", hide);

  // A finger reads first and follows the link with the second tap.
  let touched = false;
  document.addEventListener("pointerdown", (event) => {
    const mark = markAt(event.target);
    touched = event.pointerType === "touch" && mark && mark !== tipped && !mark.closest(".bars");
    if (event.pointerType === "touch" && !mark) hide();
  });
  document.addEventListener("click", (event) => {
    const mark = touched && markAt(event.target);
    touched = false;
    if (!mark) return;
    event.preventDefault();
    show(mark);
  });

  // ---- one tab stop a picture, arrows between its marks ----------------------------------------

  const open = (mark) => !mark.closest("details:not([open])");
  const marksOf = (root) => [...root.querySelectorAll("a")].filter(open);

  for (const root of document.querySelectorAll(PICTURES)) {
    const marks = marksOf(root);
    const first = root.querySelector("a.chosen, a[aria-current]") || marks[0];
    for (const mark of marks) if (mark !== first) mark.setAttribute("tabindex", "-1");
  }

  function focus(from, mark) {
    if (!mark) return;
    from.setAttribute("tabindex", "-1");
    mark.removeAttribute("tabindex");
    mark.focus({ preventScroll: true });
    const rows = mark.closest(".flame-rows");
    if (rows) within(rows, mark);
  }

  /** Scrolls a picture's own window, never the page around the frame. */
  function within(rows, mark) {
    const [frame, box] = [rows.getBoundingClientRect(), mark.getBoundingClientRect()];
    if (box.top < frame.top + 30 || box.bottom > frame.bottom - 30) {
      rows.scrollTop += box.top - frame.top - frame.height / 2;
    }
  }

  for (const rows of document.querySelectorAll(".flame-rows")) {
    const chosen = rows.querySelector("a[aria-current]");
    if (chosen) within(rows, chosen);
  }

  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-flame-open], [data-flame-close]");
    if (!button) return;
    for (const agent of button.closest("[data-flame]").querySelectorAll("details")) {
      agent.open = button.hasAttribute("data-flame-open");
    }
  });

  const byX = (a, b) => centre(a).x - centre(b).x || centre(a).y - centre(b).y;

  /** The next mark along a curve, or the nearest of the next curve. */
  function onCurves(mark, key) {
    const group = mark.closest("[data-curve]");
    const forward = key === "ArrowRight" || key === "ArrowDown" ? 1 : -1;
    if (key === "ArrowLeft" || key === "ArrowRight") {
      const marks = marksOf(group).sort(byX);
      return marks[marks.indexOf(mark) + forward];
    }
    const groups = [...group.parentElement.querySelectorAll("[data-curve]")].filter((one) => one.querySelector("a"));
    const next = groups[(groups.indexOf(group) + forward + groups.length) % groups.length];
    const here = centre(mark);
    const far = (other) => Math.hypot(centre(other).x - here.x, centre(other).y - here.y);
    return marksOf(next).sort((a, b) => far(a) - far(b))[0];
  }

  const STEPS = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1, PageDown: 12, PageUp: -12 };

  function inList(mark, key) {
    const marks = marksOf(mark.closest(PICTURES));
    if (key === "Home") return marks[0];
    if (key === "End") return marks[marks.length - 1];
    return marks[clamp(marks.indexOf(mark) + STEPS[key], 0, marks.length - 1)];
  }

  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") return hide();
    const mark = markAt(event.target);
    const known = event.key in STEPS || event.key === "Home" || event.key === "End";
    if (!mark || !known || event.metaKey || event.ctrlKey || event.altKey) return;
    const arrow = event.key.startsWith("Arrow");
    event.preventDefault();
    focus(mark, arrow && mark.closest("[data-curve]") ? onCurves(mark, event.key) : inList(mark, event.key));
  });

  // ---- charts: the values under the pointer, or at the place that arrow keys move -------------

  const models = new WeakMap();

  function model(svg) {
    if (!models.has(svg)) models.set(svg, JSON.parse(svg.dataset.chart));
    return models.get(svg);
  }

  const valueOf = ({ log, low, high }, share) => (log ? low * Math.pow(high / low, share) : low + share * (high - low));
  const xAt = (x, index) => (Array.isArray(x) ? x[index] : x.from + index * x.step);

  /** The index of the last x that is not beyond a value; of a bar's edges, its bin. */
  function indexAt(x, value, bins) {
    const n = (Array.isArray(x) ? x.length : x.n) - (bins ? 1 : 0);
    let index = 0;
    while (index + 1 < n && xAt(x, index + 1) <= value) index++;
    const after = index + 1 < n && xAt(x, index + 1) - value < value - xAt(x, index);
    return !bins && after ? index + 1 : index;
  }

  function said(value, unit) {
    if (value === null || value === undefined) return "–";
    if (unit === "ratio") return (value * 100).toFixed(1) + " %";
    if (unit === "time") {
      const seconds = Math.abs(value);
      const two = (number) => String(Math.floor(number)).padStart(2, "0");
      const text = seconds < 60 ? seconds.toFixed(1) + " s" : Math.floor(seconds / 60) + ":" + two(seconds % 60) + " min";
      return (value < 0 ? "−" : "") + text;
    }
    return Number(value.toPrecision(3)).toLocaleString("en-US", { maximumFractionDigits: 8 });
  }

  function read(svg, share) {
    const { x, y, traces } = model(svg);
    if (!traces.length) return;
    const value = valueOf(x, share);
    const rows = traces.map((trace) => {
      const at = said(trace.y[indexAt(trace.x, value, trace.kind === "bar" || trace.kind === "step")], y.unit);
      return traces.length > 1 ? trace.label + " " + at : at;
    });
    svg.dataset.at = share;
    const plot = svg.parentElement;
    let line = plot.querySelector(".cursor-line");
    if (!line) {
      line = document.createElement("span");
      line.className = "cursor-line";
      line.setAttribute("aria-hidden", "true");
      plot.append(line);
    }
    line.style.left = share * svg.clientWidth + "px";
    line.style.height = svg.clientHeight + "px";
    let output = plot.querySelector("output");
    if (!output) {
      output = document.createElement("output");
      output.className = "chart-readout";
      plot.append(output);
    }
    output.textContent = said(value, x.unit) + "   " + rows.join("   ");
  }

  for (const svg of document.querySelectorAll("svg.chart[data-chart]")) {
    const away = () => svg.parentElement.querySelectorAll(".cursor-line, output").forEach((node) => node.remove());
    svg.addEventListener("pointermove", (event) => {
      const box = svg.getBoundingClientRect();
      read(svg, clamp((event.clientX - box.left) / box.width, 0, 1));
    });
    svg.addEventListener("pointerleave", away);
    svg.addEventListener("blur", away);
    svg.addEventListener("focus", () => read(svg, Number(svg.dataset.at || 0.5)));
    svg.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: -0.01, ArrowRight: 0.01, PageDown: 0.1, PageUp: -0.1, Home: -1, End: 1 }[event.key];
      if (!step || event.metaKey || event.ctrlKey || event.altKey) return;
      event.preventDefault();
      read(svg, clamp(Number(svg.dataset.at || 0.5) + step, 0, 1));
    });
  }
})();

// Curves: a read-out line for the mark next to the pointer or in focus, the card for the one
// clicked, arrow keys from mark to mark, a drag that zooms, saved pictures, a box that searches a
// menu. Works on any chart whose marks are a[data-point-id]. In a crowd many points are dots of a
// path: their links are made when they are pointed at or walked to, from columns in the order of
// the dots, asked for (data-dots) when a reader comes near the chart.
(function () {
  "use strict";

  const marksOf = (root) => [...root.querySelectorAll("a[data-point-id]")];

  // In a published site there is no server to ask and no live page: marks are links there.
  const live = () => Boolean(window.explorer?.live?.());

  // A click that ends a drag is none.
  let drag = null;
  let dragged = false;

  // The line over a chart, where the page has one: it takes no room of its own when it speaks.
  function readOut(svg, words) {
    const line = svg.closest(".plot").previousElementSibling;
    if (line && line.classList.contains("readout")) line.textContent = words;
  }

  // ---- where marks stand: percent across and pixels down, read once per drawing ----------------

  const drawn = new WeakMap();

  // Mark → place. A mark is a link, or a dot that has none yet: its group and its row of words.
  function placesOf(svg) {
    if (!drawn.has(svg)) drawn.set(svg, measure(svg));
    return drawn.get(svg);
  }

  function measure(svg) {
    const places = new Map();
    for (const group of svg.querySelectorAll("g.crowd")) {
      const paths = [...group.querySelectorAll(".dots")].map((path) => path.getAttribute("d"));
      const links = group.querySelectorAll(":scope > a"); // in a file each dot has its link
      paths.join("").split("h0").slice(0, -1).forEach((dot, i) => {
        const [x, y] = dot.slice(1).split(" ");
        places.set(links[i] || { group, row: places.size }, { x: x / 100, y: y / 10 });
      });
    }
    for (const mark of marksOf(svg)) {
      if (places.has(mark)) continue;
      const body = mark.firstElementChild;
      const at = (name) => parseFloat(body.getAttribute(`c${name}`) ?? body.getAttribute(name));
      places.set(mark, { x: at("x"), y: at("y") });
    }
    return places;
  }

  const curveOf = (mark) => (mark.group || mark).closest("[data-curve]");

  // ---- the links of dots -------------------------------------------------------------------------

  const said = new WeakMap(); // chart → { rows, … }, at first without rows, and `ready`, a promise

  function saidOf(svg) {
    if (!said.has(svg)) {
      const found = { rows: null };
      const lost = () => said.delete(svg); // asked for again at the next move
      found.ready = ask(svg.closest("[data-dots]").dataset.dots, found).catch(lost);
      said.set(svg, found);
    }
    return said.get(svg);
  }

  async function ask(address, found) {
    const answer = await fetch(address);
    if (answer.status === 204) return window.explorer.again(); // there are newer results
    const columns = await answer.json();
    Object.assign(found, columns, { rows: columns.rows.split("\n") });
  }

  const hasDots = (svg) => Boolean(svg.closest("[data-dots]"));

  // Gives a mark's link, for a dot once its words are there; while the chart is still the one shown.
  function withLink(svg, mark, use) {
    if (!mark) return;
    if (!mark.group) return use(mark);
    const { rows, ready } = saidOf(svg);
    if (rows) return use(linkOf(svg, mark));
    ready.then(() => svg.isConnected && said.get(svg)?.rows && use(linkOf(svg, mark)));
  }

  function linkOf(svg, dot) {
    if (dot.link) return dot.link;
    const { rows, between, texts, href } = saidOf(svg);
    const [id, settings, x, y, ttft, cautions] = rows[dot.row].split(";");
    const [a, b, c, d] = between;
    const link = document.createElementNS("http://www.w3.org/2000/svg", "a");
    link.dataset.pointId = id;
    link.setAttribute("href", href[0] + id + href[1]);
    link.setAttribute("tabindex", "-1");
    link.setAttribute("aria-label", texts[settings] + a + x + b + y + c + ttft + d + texts[cautions]);
    dot.group.append(link);
    const places = placesOf(svg);
    places.set(link, places.get(dot));
    places.delete(dot);
    return (dot.link = link);
  }

  function box(mark) {
    const svg = mark.closest("svg.curves");
    const frame = svg.getBoundingClientRect();
    const place = placesOf(svg).get(mark);
    return { x: frame.x + (frame.width * place.x) / 100, y: frame.y + place.y };
  }

  const REACH = 14; // px around a mark that count as it

  function nearest(svg, event) {
    const frame = svg.getBoundingClientRect();
    let best = null;
    let least = REACH * REACH;
    for (const [mark, place] of placesOf(svg)) {
      const dx = frame.x + (frame.width * place.x) / 100 - event.clientX;
      const dy = frame.y + place.y - event.clientY;
      const far = dx * dx + dy * dy;
      if (far < least) [best, least] = [mark, far];
    }
    return best;
  }

  // ---- the mark that is read out ---------------------------------------------------------------

  function say(mark) {
    const svg = mark.closest("svg.curves");
    const crowd = mark.closest("g.crowd");
    const words = mark.getAttribute("aria-label");
    readOut(svg, crowd ? `${crowd.getAttribute("aria-label")} · ${words}` : words);
    spot(svg, placesOf(svg).get(mark));
    for (const row of document.querySelectorAll("tr[data-row].lit")) row.classList.remove("lit");
    const id = CSS.escape(mark.dataset.pointId);
    for (const row of document.querySelectorAll(`tr[data-row="${id}"]`)) row.classList.add("lit");
  }

  function spot(svg, place) {
    let circle = svg.querySelector(".spot");
    if (!circle) {
      circle = document.createElementNS("http://www.w3.org/2000/svg", "circle");
      circle.setAttribute("class", "spot");
      circle.setAttribute("r", 11);
      svg.append(circle);
    }
    circle.setAttribute("cx", `${place.x}%`);
    circle.setAttribute("cy", place.y);
  }

  const plotAt = (target) => target.closest && target.closest(".plot svg.curves");

  function markAt(target) {
    const mark = target.closest && target.closest("a[data-point-id]");
    return mark && plotAt(mark) ? mark : null;
  }

  let walked = null; // the id of the dot in focus: a chart drawn anew has no link for it yet
  document.addEventListener("focusin", (event) => {
    const mark = markAt(event.target);
    walked = mark && mark.closest("g.crowd") ? mark.dataset.pointId : null;
    if (mark) say(mark);
  });

  async function focusAgain(svg, id) {
    await saidOf(svg).ready;
    const row = said.get(svg)?.rows?.findIndex((one) => one.startsWith(`${id};`)) ?? -1;
    const dot = [...placesOf(svg).keys()].find((mark) => mark.row === row);
    const { activeElement } = document;
    if (!dot || !(activeElement === document.body || svg.contains(activeElement))) return;
    const link = linkOf(svg, dot);
    for (const mark of marksOf(svg)) mark.setAttribute("tabindex", "-1");
    link.removeAttribute("tabindex");
    link.focus({ preventScroll: true });
  }

  let pointed = null; // the mark under the pointer
  document.addEventListener("pointermove", (event) => {
    const svg = event.pointerType !== "touch" && !drag && plotAt(event.target);
    const mark = svg ? markAt(event.target) || nearest(svg, event) : null;
    if (svg) svg.style.cursor = mark ? "pointer" : "";
    if (svg && hasDots(svg)) saidOf(svg);
    if (mark === pointed) return;
    pointed = mark;
    withLink(svg, mark, (link) => pointed === mark && say(link));
  });

  function goWith(changes) {
    const query = new URLSearchParams(location.search);
    for (const [key, value] of Object.entries(changes)) query.set(key, value);
    window.explorer.go("/?" + query.toString().replaceAll("%2C", ","));
  }

  // A click shows the card first; the card's link opens the page. Without scripts, or with a
  // modifier, the link leads straight to the point.
  document.addEventListener(
    "click",
    (event) => {
      const svg = !dragged && plotAt(event.target);
      if (!svg) return;
      const mark = markAt(event.target);
      const plain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey;
      if (!mark) return withLink(svg, nearest(svg, event), plain ? choose : beside);
      if (!plain || !live() || location.pathname !== "/") return;
      event.preventDefault();
      choose(mark);
    },
    true,
  );
  document.addEventListener("auxclick", (event) => {
    const svg = event.button === 1 && plotAt(event.target);
    if (svg && !markAt(event.target)) withLink(svg, nearest(svg, event), beside);
  });

  // A dot's link has no body that a browser could follow by itself.
  const beside = (link) => link.hasAttribute("href") && window.open(link.getAttribute("href"), "_blank", "noopener");

  function choose(mark) {
    if (!live()) return mark.hasAttribute("href") && location.assign(mark.getAttribute("href"));
    const id = mark.dataset.pointId;
    const chosen = new URLSearchParams(location.search).get("point") === id;
    if (location.pathname !== "/" || chosen) return window.explorer.go(mark.getAttribute("href"));
    mark.focus({ preventScroll: true }); // the page drawn anew gives it back
    goWith({ point: id });
  }

  // One mark of a chart takes part in the order of Tab; arrows reach the others.
  document.addEventListener("explorer:mounted", (event) => {
    const svg = event.target.querySelector(".plot svg.curves");
    if (!svg) return;
    const marks = marksOf(svg);
    const first = marks.find((mark) => mark.classList.contains("chosen")) || marks[0];
    for (const mark of marks) if (mark !== first) mark.setAttribute("tabindex", "-1");
    const isMark = marks.some((mark) => mark.dataset.pointId === walked);
    if (walked && !isMark && hasDots(svg)) focusAgain(svg, walked);
    if (first || !hasDots(svg)) return;
    withLink(svg, placesOf(svg).keys().next().value, (link) => link.removeAttribute("tabindex"));
  });

  // Arrow keys: left and right along a curve by x, up and down to the nearest mark of the next.
  document.addEventListener("keydown", (event) => {
    const mark = markAt(event.target);
    if (!mark || event.metaKey || event.ctrlKey || event.altKey) return;
    if (event.key === "r") return rulerAt(mark);
    if (!event.key.startsWith("Arrow")) return;
    event.preventDefault();
    const svg = mark.closest("svg.curves");
    const group = curveOf(mark);
    const sideways = event.key === "ArrowLeft" || event.key === "ArrowRight";
    const forward = event.key === "ArrowRight" || event.key === "ArrowDown";
    withLink(svg, (sideways ? along : across)(svg, mark, group, forward), (target) => {
      mark.setAttribute("tabindex", "-1");
      target.removeAttribute("tabindex");
      target.focus({ preventScroll: true });
    });
  });

  const marksIn = (svg, group) => [...placesOf(svg).keys()].filter((one) => curveOf(one) === group);

  function along(svg, mark, group, forward) {
    const places = placesOf(svg);
    const at = (one) => places.get(one);
    const marks = marksIn(svg, group).sort((a, b) => at(a).x - at(b).x || at(a).y - at(b).y);
    return marks[marks.indexOf(mark) + (forward ? 1 : -1)];
  }

  function across(svg, mark, group, forward) {
    const groups = [...group.parentElement.querySelectorAll("[data-curve]")];
    const next = groups[(groups.indexOf(group) + (forward ? 1 : groups.length - 1)) % groups.length];
    const width = svg.getBoundingClientRect().width / 100;
    const places = placesOf(svg);
    const here = places.get(mark);
    const far = (other) => {
      const there = places.get(other);
      return Math.hypot((there.x - here.x) * width, there.y - here.y);
    };
    return marksIn(svg, next).reduce((best, one) => (!best || far(one) < far(best) ? one : best), null);
  }

  // ---- the chart's own coordinates -------------------------------------------------------------

  function ranges(svg) {
    const [x0, x1, logX, y0, y1, logY] = svg.dataset.ranges.split(",").map(Number);
    return { x: [x0, x1, logX], y: [y0, y1, logY] };
  }

  function valueAt([low, high, log], share) {
    return log ? low * Math.pow(high / low, share) : low + (high - low) * share;
  }

  const short = (value, digits = 4) => String(Number(value.toPrecision(Math.min(digits, 15))));
  const magnitude = (value) => (value ? Math.floor(Math.log10(Math.abs(value))) : 0);

  // Four digits of each end, or of what lies between where that is less, as figures/scales.py.
  function shortened(axis, from, to) {
    const ends = [valueAt(axis, from), valueAt(axis, to)];
    const between = magnitude(ends[1] - ends[0]);
    return ends.map((end) => short(end, Math.max(4, 4 + magnitude(end) - between)));
  }

  function rulerAt(mark) {
    if (!live() || location.pathname !== "/") return;
    const svg = mark.closest("svg.curves");
    const frame = svg.getBoundingClientRect();
    const share = (box(mark).x - frame.x) / frame.width;
    goWith({ at: short(valueAt(ranges(svg).x, share)) });
  }

  // ---- drag to zoom ----------------------------------------------------------------------------

  document.addEventListener("pointerdown", (event) => {
    const svg = event.target.closest && event.target.closest(".plot svg.curves[data-ranges]");
    dragged = false;
    if (!live() || !svg || event.button !== 0 || event.pointerType === "touch" || markAt(event.target)) return;
    drag = { svg, frame: svg.getBoundingClientRect(), x: event.clientX, y: event.clientY };
  });

  function span() {
    const { frame, x, y, toX, toY } = drag;
    const part = (a, size) => Math.min(Math.max(a, 0), size);
    const xs = [part(x - frame.x, frame.width), part(toX - frame.x, frame.width)];
    const ys = [part(y - frame.y, frame.height), part(toY - frame.y, frame.height)];
    return { xs: xs.sort((a, b) => a - b), ys: ys.sort((a, b) => a - b) };
  }

  document.addEventListener("pointermove", (event) => {
    if (!drag) return;
    drag.toX = event.clientX;
    drag.toY = event.clientY;
    if (!drag.rect && Math.hypot(drag.toX - drag.x, drag.toY - drag.y) < 6) return;
    if (!drag.rect) {
      drag.rect = document.createElementNS("http://www.w3.org/2000/svg", "rect");
      drag.rect.setAttribute("class", "box");
      drag.svg.append(drag.rect);
    }
    event.preventDefault();
    const { xs, ys } = span();
    drag.rect.setAttribute("x", xs[0]);
    drag.rect.setAttribute("y", ys[0]);
    drag.rect.setAttribute("width", xs[1] - xs[0]);
    drag.rect.setAttribute("height", ys[1] - ys[0]);
  });

  document.addEventListener("pointerup", () => {
    if (!drag) return;
    const { svg, frame, rect } = drag;
    const { xs, ys } = rect ? span() : { xs: [0, 0], ys: [0, 0] };
    drag = null;
    if (!rect) return;
    dragged = true;
    rect.remove();
    if (xs[1] - xs[0] < 8 || ys[1] - ys[0] < 8 || location.pathname !== "/") return;
    const { x, y } = ranges(svg);
    const [x_from, x_to] = shortened(x, xs[0] / frame.width, xs[1] / frame.width);
    const [y_from, y_to] = shortened(y, 1 - ys[1] / frame.height, 1 - ys[0] / frame.height);
    goWith({ x_from, x_to, y_from, y_to });
  });

  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !drag) return;
    if (drag.rect) drag.rect.remove();
    drag = null;
  });

  // ---- save the picture ------------------------------------------------------------------------

  const KEPT = [
    "fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray",
    "stroke-linecap", "stroke-linejoin", "opacity", "paint-order", "font-size", "font-weight",
    "font-family", "font-variant-numeric", "text-anchor", "transform", "transform-box",
    "transform-origin",
  ];
  const WIDTH = 1200;
  const NS = "http://www.w3.org/2000/svg";

  function inline(from, to) {
    const style = getComputedStyle(from);
    const bare = ["DEFS", "TITLE", "DESC"].includes(from.tagName.toUpperCase());
    if (!bare) {
      const text = KEPT.map((name) => [name, style.getPropertyValue(name)])
        .filter(([, value]) => value && value !== "none" && value !== "normal" && value !== "auto")
        .map(([name, value]) => `${name}:${value}`);
      if (style.fill === "none") text.push("fill:none");
      to.setAttribute("style", text.join(";"));
    }
    for (let i = 0; i < from.children.length; i++) inline(from.children[i], to.children[i]);
  }

  function text(x, y, size, weight, colour, words) {
    const node = document.createElementNS(NS, "text");
    node.setAttribute("x", x);
    node.setAttribute("y", y);
    node.setAttribute("font-size", size);
    node.setAttribute("font-weight", weight);
    node.setAttribute("fill", colour);
    node.textContent = words;
    return node;
  }

  // The key as rows of swatch and words, as the page shows it.
  function keyRows(page, ink, top) {
    const group = document.createElementNS(NS, "g");
    let x = 70;
    let y = top;
    for (const item of page.querySelectorAll(".legend li:not(.gone), .key:not(.notes) li")) {
      const swatch = item.querySelector(".swatch svg");
      const name = item.querySelector(".name");
      const words = (name || item).textContent.replace(/^!/, "! ").trim();
      if (!swatch && item.closest(".legend")) continue;
      const width = 40 + words.length * 7.2;
      if (x + width > WIDTH - 20) [x, y] = [70, y + 22];
      if (swatch) {
        const copy = swatch.cloneNode(true);
        inline(swatch, copy);
        copy.setAttribute("x", x);
        copy.setAttribute("y", y - 12);
        group.append(copy);
      }
      group.append(text(x + (swatch ? 40 : 0), y, 12.5, 400, ink, words));
      x += width + 18;
    }
    return { group, bottom: y };
  }

  function standalone(plot) {
    const svg = plot.querySelector("svg.curves");
    const root = getComputedStyle(document.documentElement);
    const colour = (name) => root.getPropertyValue(name).trim();
    const inner = svg.cloneNode(true);
    inline(svg, inner);
    for (const gone of inner.querySelectorAll(".spot")) gone.remove();
    for (const link of inner.querySelectorAll("a")) link.setAttribute("href", new URL(link.getAttribute("href"), location.href));
    inner.setAttribute("x", 70);
    inner.setAttribute("y", 90);
    inner.setAttribute("width", WIDTH - 130);
    inner.setAttribute("overflow", "visible");
    const out = document.createElementNS(NS, "svg");
    const key = keyRows(plot.closest(".lead") || document, colour("--soft"), 600);
    const height = key.bottom + 60;
    out.setAttribute("xmlns", NS);
    out.setAttribute("width", WIDTH);
    out.setAttribute("height", height);
    out.setAttribute("viewBox", `0 0 ${WIDTH} ${height}`);
    out.setAttribute("font-family", getComputedStyle(document.body).fontFamily);
    const paper = document.createElementNS(NS, "rect");
    paper.setAttribute("width", "100%");
    paper.setAttribute("height", "100%");
    paper.setAttribute("fill", colour("--paper"));
    const title = text(20, 40, 21, 650, colour("--ink"), plot.dataset.heading);
    const source = `${plot.dataset.provenance} · ${location.href}`;
    out.append(paper, title, inner, key.group);
    out.append(text(20, height - 18, 11, 400, colour("--soft"), source));
    return { markup: new XMLSerializer().serializeToString(out), height };
  }

  function download(url, name) {
    const link = document.createElement("a");
    link.href = url;
    link.download = name;
    link.click();
  }

  function savePng(markup, height) {
    const image = new Image();
    image.onload = () => {
      const canvas = document.createElement("canvas");
      canvas.width = WIDTH * 2;
      canvas.height = height * 2;
      canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
      canvas.toBlob((blob) => {
        const url = URL.createObjectURL(blob);
        download(url, "curves.png");
        setTimeout(() => URL.revokeObjectURL(url), 10000);
      });
    };
    image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(markup);
  }

  document.addEventListener("click", (event) => {
    const button = event.target.closest && event.target.closest("[data-save]");
    const plot = button && document.querySelector(".plot[data-provenance]");
    if (!plot) return;
    const { markup, height } = standalone(plot);
    if (button.dataset.save === "png") return savePng(markup, height);
    const url = URL.createObjectURL(new Blob([markup], { type: "image/svg+xml" }));
    download(url, "curves.svg");
    setTimeout(() => URL.revokeObjectURL(url), 10000);
  });

  // ---- search a menu ---------------------------------------------------------------------------

  document.addEventListener(
    "toggle",
    (event) => {
      const menu = event.target.matches("details[data-menu][open]") && event.target.querySelector("[data-search]");
      if (!menu) return;
      const input = menu.querySelector(".find input") || addSearch(menu);
      input.value = "";
      filter(menu, "");
      input.focus();
    },
    true,
  );

  function addSearch(menu) {
    const line = document.createElement("div");
    line.className = "find";
    const input = document.createElement("input");
    input.type = "search";
    input.placeholder = menu.dataset.search;
    input.setAttribute("aria-label", menu.dataset.search);
    input.addEventListener("input", () => filter(menu, input.value));
    input.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault(); // the chip that gets the focus would open its menu again
      const first = [...menu.querySelectorAll(".option")].find((option) => !option.hidden);
      if (first) first.click();
    });
    line.append(input);
    menu.prepend(line);
    return input;
  }

  function filter(menu, words) {
    const wanted = words.trim().toLowerCase();
    for (const option of menu.querySelectorAll(".option")) {
      option.hidden = !option.textContent.toLowerCase().includes(wanted);
    }
  }
})();

// Flame graph: arrow keys between turns, one tab stop, the line that says a turn, open and close
// all sub-agents. Works on any element with [data-flame]; without it links and <details> remain.
(function () {
  "use strict";

  let chosen = false; // a bar was followed: the page that comes keeps the focus on it

  const bars = (flame) => [...flame.querySelectorAll(".bars a")];
  const shown = (bar) => {
    const agent = bar.closest("details");
    return !agent || agent.open;
  };

  function say(flame, bar) {
    const readout = flame.querySelector(".flame-readout");
    const title = bar.querySelector("title");
    if (readout && title) readout.textContent = title.textContent;
  }

  function stop(flame, bar) {
    const before = flame.querySelector('.bars a[tabindex="0"]');
    if (before && before !== bar) before.setAttribute("tabindex", "-1");
    bar.setAttribute("tabindex", "0");
  }

  /** Bring a bar in view: of the graph's own window where it has one, else of the page. */
  function show(flame, bar, margin) {
    const rows = flame.querySelector(".flame-rows");
    const own = rows.scrollHeight > rows.clientHeight + 1;
    const frame = own ? rows.getBoundingClientRect() : { top: 0, bottom: window.innerHeight };
    const box = bar.getBoundingClientRect();
    if (box.top < frame.top + margin || box.bottom > frame.bottom - margin) {
      const from = frame.top + (frame.bottom - frame.top) / 2;
      (own ? rows : window).scrollBy(0, box.top - from);
    }
    if (own && margin) rows.scrollIntoView({ block: "nearest" });
  }

  function focus(flame, bar) {
    if (!bar) return;
    stop(flame, bar);
    bar.focus({ preventScroll: true });
    show(flame, bar, 60);
  }

  const STEPS = { ArrowDown: 1, ArrowUp: -1, PageDown: 12, PageUp: -12 };

  function target(all, at, key) {
    if (key === "Home") return all[0];
    if (key === "End") return all[all.length - 1];
    if (key in STEPS) return all[Math.min(Math.max(at + STEPS[key], 0), all.length - 1)];
    return null;
  }

  function onKey(event) {
    const flame = event.target.closest && event.target.closest("[data-flame]");
    if (!flame || event.altKey || event.ctrlKey || event.metaKey) return;
    const agent = event.target.closest("details.flame-agent");
    const bar = event.target.closest(".bars a");
    if (event.key === "ArrowLeft" && agent && bar) {
      agent.open = false;
      agent.querySelector("summary").focus();
    } else if (event.key === "ArrowRight" && agent && !bar) {
      agent.open = true;
      focus(flame, agent.querySelector(".bars a"));
    } else if (bar) {
      const all = bars(flame).filter(shown);
      const next = target(all, all.indexOf(bar), event.key);
      if (!next) return;
      focus(flame, next);
    } else return;
    event.preventDefault();
  }

  function onPoint(event) {
    const bar = event.target.closest && event.target.closest("[data-flame] .bars a");
    if (bar) say(bar.closest("[data-flame]"), bar);
  }

  function onFocus(event) {
    const bar = event.target.closest && event.target.closest("[data-flame] .bars a");
    if (!bar) return;
    const flame = bar.closest("[data-flame]");
    stop(flame, bar);
    say(flame, bar);
  }

  /** Draw the picture behind a link on a canvas, twice as dense, and hand it over as a PNG. */
  async function png(link) {
    const text = await (await fetch(link.href)).text();
    const image = new Image();
    image.src = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
    await image.decode();
    const most = 16384; // browsers refuse larger canvases
    const density = Math.min(2, most / image.height, most / image.width);
    const canvas = document.createElement("canvas");
    canvas.width = Math.round(image.width * density);
    canvas.height = Math.round(image.height * density);
    const context = canvas.getContext("2d");
    context.fillStyle = "#fff";
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.drawImage(image, 0, 0, canvas.width, canvas.height);
    URL.revokeObjectURL(image.src);
    const blob = await new Promise((done) => canvas.toBlob(done, "image/png"));
    const file = document.createElement("a");
    file.href = URL.createObjectURL(blob);
    file.download = link.dataset.png;
    file.click();
    URL.revokeObjectURL(file.href);
  }

  function onClick(event) {
    const picture = event.target.closest && event.target.closest("a[data-png]");
    if (picture) {
      event.preventDefault();
      png(picture);
      return;
    }
    chosen = Boolean(event.target.closest && event.target.closest("[data-flame] .bars a"));
    const button = event.target.closest && event.target.closest("[data-flame-open],[data-flame-close]");
    if (!button) return;
    const open = button.hasAttribute("data-flame-open");
    for (const agent of button.closest("[data-flame]").querySelectorAll(".flame-agent")) {
      agent.open = open;
    }
  }

  /** One tab stop for all bars: the selected one, else the first; the selected one comes in view. */
  function mount(root) {
    const found = root.querySelectorAll ? [...root.querySelectorAll("[data-flame]")] : [];
    if (root.matches && root.matches("[data-flame]")) found.push(root);
    for (const flame of found) {
      if (flame.dataset.mounted || !flame.offsetParent) continue; // hidden: mounted when shown
      flame.dataset.mounted = "true";
      const all = bars(flame);
      for (const bar of all) bar.setAttribute("tabindex", "-1");
      const selected = flame.querySelector(".bars a[aria-current]");
      if (all.length) (selected || all[0]).setAttribute("tabindex", "0");
      if (selected) {
        say(flame, selected);
        show(flame, selected, 0);
        if (chosen) selected.focus({ preventScroll: true });
        chosen = false;
      }
    }
  }

  document.addEventListener("keydown", onKey);
  document.addEventListener("mouseover", onPoint, { passive: true });
  document.addEventListener("focusin", onFocus);
  document.addEventListener("click", onClick);
  document.addEventListener("explorer:mounted", (event) => mount(event.target));
  document.addEventListener("explorer:ready", () => mount(document));
  if (document.readyState === "loading") {
    document.addEventListener("DOMContentLoaded", () => mount(document));
  } else mount(document);
})();

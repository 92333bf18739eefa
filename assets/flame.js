// Flame graph: arrow keys between turns, one tab stop, the line that says a turn, open and close
// all sub-agents. Works on any element with [data-flame]; without it links and <details> remain.
(function () {
  "use strict";

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

  function focus(flame, bar) {
    if (!bar) return;
    stop(flame, bar);
    bar.focus({ preventScroll: true });
    const box = bar.getBoundingClientRect();
    const out = box.top < 60 || box.bottom > window.innerHeight - 60;
    if (out) bar.scrollIntoView({ block: "center" });
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

  function onClick(event) {
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
      if (flame.dataset.mounted) continue;
      flame.dataset.mounted = "true";
      const all = bars(flame);
      for (const bar of all) bar.setAttribute("tabindex", "-1");
      const selected = flame.querySelector(".bars a[aria-current]");
      if (all.length) (selected || all[0]).setAttribute("tabindex", "0");
      if (selected) {
        say(flame, selected);
        const box = selected.getBoundingClientRect();
        if (box.top < 0 || box.bottom > window.innerHeight) {
          selected.scrollIntoView({ block: "center" });
        }
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

// An embed's hands: tooltips for pointer, touch and keys, one tab stop for all marks of a picture,
// read-outs of charts, and its height for the page around it. The picture needs none of it.
(function () {
  "use strict";

  const main = document.querySelector("main");
  const clamp = (value, low, high) => Math.max(low, Math.min(value, high));

  // ---- height for the host (docs/embeds.md) ----------------------------------------------------

  const id = decodeURIComponent(location.hash.slice(1));
  let told = 0;

  function tell() {
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

  const markAt = (target) => (target.closest ? target.closest(".marks-of a, svg.curves a") : null);

  function centre(mark) {
    const box = (mark.querySelector(".hit") || mark).getBoundingClientRect();
    return { x: box.x + box.width / 2, y: box.y + box.height / 2, top: box.top, bottom: box.bottom };
  }

  function show(mark) {
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
    touched = event.pointerType === "touch" && mark && mark !== tipped;
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

  const picture = (mark) => mark.closest(".marks-of, svg.curves");
  const marksOf = (root) => [...root.querySelectorAll("a")];

  for (const root of document.querySelectorAll(".marks-of, svg.curves")) {
    const marks = marksOf(root);
    const first = root.querySelector("a.chosen, a[aria-current]") || marks[0];
    for (const mark of marks) if (mark !== first) mark.setAttribute("tabindex", "-1");
  }

  function focus(from, mark) {
    if (!mark) return;
    from.setAttribute("tabindex", "-1");
    mark.removeAttribute("tabindex");
    mark.focus();
  }

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
    const marks = marksOf(picture(mark));
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
})();

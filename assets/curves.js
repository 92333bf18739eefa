// Curves: a read-out line for the mark under the pointer or focus, the card for the one clicked,
// arrow keys from mark to mark. Works on any chart whose marks are a[data-point-id].
(function () {
  "use strict";

  const marksOf = (svg) => [...svg.querySelectorAll("a[data-point-id]")];

  function readout(svg) {
    const plot = svg.closest(".plot");
    let line = plot.previousElementSibling;
    if (!line || !line.classList.contains("readout")) {
      line = document.createElement("p");
      line.className = "readout";
      line.setAttribute("aria-hidden", "true"); // the mark's own label says the same
      plot.before(line);
    }
    return line;
  }

  function say(mark) {
    const svg = mark.closest("svg.curves");
    readout(svg).textContent = mark.getAttribute("aria-label");
    const id = mark.dataset.pointId;
    for (const row of document.querySelectorAll("tr[data-row]")) {
      row.classList.toggle("lit", row.dataset.row === id);
    }
  }

  function markAt(target) {
    const mark = target.closest && target.closest("a[data-point-id]");
    return mark && mark.closest("svg.curves") && mark.closest(".plot") ? mark : null;
  }

  for (const kind of ["pointerover", "focusin"]) {
    document.addEventListener(kind, (event) => {
      const mark = markAt(event.target);
      if (mark) say(mark);
    });
  }

  // A click shows the card first; the card's link opens the page. Without scripts, or with a
  // modifier, the link leads straight to the point.
  document.addEventListener(
    "click",
    (event) => {
      const mark = markAt(event.target);
      const plain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey;
      if (!mark || !plain || !window.explorer.live() || location.pathname !== "/") return;
      event.preventDefault();
      const query = new URLSearchParams(location.search);
      const id = mark.dataset.pointId;
      if (query.get("point") === id) return window.explorer.go(mark.getAttribute("href"));
      query.set("point", id);
      window.explorer.go("/?" + query.toString().replaceAll("%2C", ","));
      keepFocus(id);
    },
    true,
  );

  // The chart is drawn anew after each change of the address: give the focus back.
  function keepFocus(id) {
    document.addEventListener(
      "explorer:mounted",
      (event) => {
        const mark = event.target.querySelector(`a[data-point-id="${CSS.escape(id)}"]`);
        if (mark) mark.focus({ preventScroll: true });
      },
      { once: true },
    );
  }

  function box(mark) {
    const rect = mark.querySelector(".hit").getBoundingClientRect();
    return { x: rect.x + rect.width / 2, y: rect.y + rect.height / 2 };
  }

  // Arrow keys: left and right along a curve by x, up and down to the nearest mark of the next.
  document.addEventListener("keydown", (event) => {
    const mark = markAt(event.target);
    if (!mark || !event.key.startsWith("Arrow")) return;
    event.preventDefault();
    const group = mark.closest("[data-curve]");
    const sideways = event.key === "ArrowLeft" || event.key === "ArrowRight";
    const forward = event.key === "ArrowRight" || event.key === "ArrowDown";
    const target = sideways ? along(mark, group, forward) : across(mark, group, forward);
    if (target) target.focus({ preventScroll: true });
  });

  function along(mark, group, forward) {
    const marks = marksOf(group).sort((a, b) => box(a).x - box(b).x || box(a).y - box(b).y);
    return marks[marks.indexOf(mark) + (forward ? 1 : -1)];
  }

  function across(mark, group, forward) {
    const groups = [...group.parentElement.querySelectorAll("[data-curve]")];
    const next = groups[(groups.indexOf(group) + (forward ? 1 : groups.length - 1)) % groups.length];
    const here = box(mark);
    const far = (other) => Math.hypot(box(other).x - here.x, box(other).y - here.y);
    return marksOf(next).sort((a, b) => far(a) - far(b))[0];
  }
})();

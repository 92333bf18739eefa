// Puts server-made HTML in place, swaps the first paint for the live page, and follows links
// inside the product without a reload. Loaded on every page; knows no page in particular.
(function () {
  "use strict";

  // What a reader types must survive a redraw that was asked for before: form and name → text.
  const typed = new Map();
  const TEXT = "form[data-nav] input:not([type=hidden], [type=checkbox], [type=radio])";

  function nameOf(input) {
    return `${input.form.getAttribute("action")} ${input.name}`;
  }

  function restoreTyped(root) {
    for (const input of root.querySelectorAll(TEXT)) {
      const text = typed.get(nameOf(input));
      if (text === undefined) continue;
      input.value = text;
      if (document.activeElement === document.body) input.focus({ preventScroll: true });
    }
  }

  document.addEventListener("input", (event) => {
    if (event.target.matches(TEXT)) typed.set(nameOf(event.target), event.target.value);
  });

  // A redraw makes the page's elements anew. Parts that a reader opened stay open, and the focus
  // goes to the element that reads the same in the same part, else to the one in its place.
  const PARTS = "[data-menu], [data-testid], ul, header, nav, table";
  const FOCUSED = "a[href], button, input:not([type=hidden]), summary, [tabindex]";
  const opened = new Set();
  let focused = null;

  const nameOfPart = (part) => part.dataset.menu || part.dataset.testid || part.className || part.tagName;
  const readsAs = (element) =>
    element.dataset.pointId || element.name || element.getAttribute("aria-label") || element.textContent;
  const partOf = (element) => element.parentElement.closest(PARTS) || document.body;

  document.addEventListener("focusin", ({ target }) => {
    const part = partOf(target);
    const place = [...part.querySelectorAll(FOCUSED)].indexOf(target);
    const inside = target.closest("#page-root");
    focused = inside && { part: nameOfPart(part), words: readsAs(target), place };
  });
  document.addEventListener("pointerdown", () => (focused = null), true);

  document.addEventListener(
    "toggle",
    ({ target }) => {
      if (!target.matches("details:is([data-menu], [data-testid])")) return;
      if (target.open) opened.add(nameOfPart(target));
      else opened.delete(nameOfPart(target));
    },
    true,
  );

  function reopen(root) {
    for (const part of root.querySelectorAll("details:is([data-menu], [data-testid])")) {
      if (opened.has(nameOfPart(part))) part.open = true;
    }
  }

  function refocus(root) {
    if (!focused || document.activeElement !== document.body) return;
    const { part, words, place } = focused;
    const parts = [...root.querySelectorAll(PARTS), root].filter((one) => nameOfPart(one) === part);
    const found = parts.flatMap((one) => [...one.querySelectorAll(FOCUSED)]);
    const same = found.find((element) => readsAs(element) === words) || found[place];
    if (!same) return;
    const closed = same.closest("details:not([open])");
    (closed ? closed.querySelector("summary") : same).focus({ preventScroll: true });
  }

  function mountRaw(root) {
    const found = root.querySelectorAll ? root.querySelectorAll("[data-html]") : [];
    const nodes = root.matches && root.matches("[data-html]") ? [root, ...found] : [...found];
    for (const node of nodes) {
      node.innerHTML = node.getAttribute("data-html");
      node.removeAttribute("data-html"); // React sets it again only when the text changes
      if (typed.size) restoreTyped(node);
      node.dispatchEvent(new CustomEvent("explorer:mounted", { bubbles: true }));
    }
    return nodes.length > 0;
  }

  function restore(root) {
    if (!root) return;
    if (opened.size) reopen(root);
    refocus(root);
  }

  function followRoot() {
    const root = document.querySelector("#react-entry-point #page-root");
    if (!root) return;
    // Only what changed: writing the same again would restyle the whole page at every mutation.
    const { title, lang, theme } = root.dataset;
    const page = document.documentElement;
    if (document.title !== title) document.title = title;
    if (page.lang !== lang) page.lang = lang;
    if (page.dataset.theme !== theme) page.dataset.theme = theme;
    if (document.documentElement.dataset.ready !== "true") {
      const y = window.scrollY;
      const first = document.getElementById("first-paint");
      if (first) first.remove();
      document.documentElement.dataset.ready = "true";
      window.scrollTo(0, y);
      document.dispatchEvent(new CustomEvent("explorer:ready"));
    }
  }

  function watch() {
    const entry = document.getElementById("react-entry-point");
    if (!entry) return;
    new MutationObserver((changes) => {
      let mounted = false;
      for (const change of changes) {
        if (change.type === "attributes" && change.target.hasAttribute("data-html")) {
          mounted = mountRaw(change.target) || mounted;
        }
        for (const node of change.addedNodes) {
          if (node.nodeType === 1) mounted = mountRaw(node) || mounted;
        }
      }
      if (mounted) restore(entry.querySelector("#page-root"));
      followRoot();
    }).observe(entry, {
      childList: true,
      subtree: true,
      attributes: true,
      attributeFilter: ["data-html", "data-title", "data-lang", "data-theme"],
    });
    mountRaw(entry);
    followRoot();
  }

  const live = () => document.documentElement.dataset.ready === "true";

  function go(href) {
    typed.clear();
    history.pushState({}, "", href);
    window.dispatchEvent(new CustomEvent("_dashprivate_pushstate"));
  }
  window.explorer = Object.assign(window.explorer || {}, { go, live });

  document.addEventListener("click", (event) => {
    const link = event.target.closest && event.target.closest("a[data-nav], a[data-point-id]");
    const plain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey;
    if (!link || !plain || !live() || event.defaultPrevented) return;
    event.preventDefault();
    const from = location.pathname;
    go(link.getAttribute("href"));
    if (location.pathname !== from) {
      window.scrollTo(0, 0);
      opened.clear();
      focused = null;
      return;
    }
    shut(link.closest("details[data-menu]"));
  });

  // Who made a choice in a menu goes on from its chip.
  function shut(menu) {
    if (!menu) return;
    menu.open = false;
    menu.querySelector("summary").focus({ preventScroll: true });
  }

  document.addEventListener("submit", (event) => {
    const form = event.target.closest("form[data-nav]");
    if (!form || !live()) return;
    event.preventDefault();
    const query = new URLSearchParams();
    for (const [key, value] of new FormData(form)) if (value !== "") query.append(key, value);
    const text = query.toString();
    go(form.getAttribute("action") + (text ? "?" + text : ""));
    shut(form.closest("details[data-menu]"));
  });

  // Menus: one open at a time, Escape and a click elsewhere close them.
  document.addEventListener("click", (event) => {
    for (const menu of document.querySelectorAll("details[data-menu][open]")) {
      if (!menu.contains(event.target)) menu.open = false;
    }
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    for (const menu of document.querySelectorAll("details[data-menu][open]")) {
      menu.open = false;
      menu.querySelector("summary").focus();
    }
  });

  watch();
})();

// Loads the timeline's modules when, and only when, a timeline stands on the page, and asks for
// its data meanwhile. A timeline already drawn in the first paint moves into the live page.
(function () {
  "use strict";
  const base = document.currentScript ? document.currentScript.src : new URL("assets/timeline.js", document.baseURI).href;
  const query = '[data-testid="timeline"][data-src]';
  const same = ["src", "scope", "group", "turnUrl", "exports", "strings"];
  const seen = new WeakSet();

  function start(element) {
    if (seen.has(element)) return;
    seen.add(element);
    const { src, module } = element.dataset;
    const data = src.startsWith("#") ? undefined : fetch(src);
    if (data) data.catch(() => {}); // said by mount, which waits for it
    import(new URL(module ?? "timeline/mount.mjs", base).href).then(({ mount }) => mount(element, data));
  }

  /** Puts the first paint's timeline in the place of its twin in the live page. */
  function adopt(twin) {
    const drawn = [...document.querySelectorAll(`#first-paint ${query}`)].find((one) => same.every((key) => one.dataset[key] === twin.dataset[key]));
    if (drawn && seen.has(drawn)) twin.replaceWith(drawn);
  }

  const look = () => document.querySelectorAll(query).forEach(start);
  document.addEventListener("explorer:mounted", ({ target }) => target.querySelectorAll(query).forEach(adopt));
  new MutationObserver(look).observe(document.documentElement, { childList: true, subtree: true });
  look();
})();

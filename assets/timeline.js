// Loads the timeline's modules when, and only when, a timeline stands on the page.
(function () {
  "use strict";
  const base = document.currentScript ? document.currentScript.src : new URL("assets/timeline.js", document.baseURI).href;
  const query = '[data-testid="timeline"][data-src]';
  let module = null;
  function look() {
    for (const element of document.querySelectorAll(query)) {
      module ??= import(new URL("timeline/mount.mjs", base).href);
      module.then(({ mount }) => mount(element));
    }
  }
  new MutationObserver(look).observe(document.documentElement, { childList: true, subtree: true });
  look();
})();

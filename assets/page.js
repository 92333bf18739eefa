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
      if (!opened.has(nameOfPart(part))) continue;
      if (part.matches(FOLDED)) unfold(part.closest("[data-part]"));
      else part.open = true;
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

  function parsed(inside) {
    const holder = document.createElement("div");
    holder.innerHTML = inside;
    const nodes = document.createDocumentFragment();
    nodes.append(...holder.childNodes);
    return nodes;
  }

  function put(node, nodes) {
    node.replaceChildren(nodes);
    if (typed.size) restoreTyped(node);
    node.dispatchEvent(new CustomEvent("explorer:mounted", { bubbles: true }));
  }

  const given = new WeakMap(); // element of a part → what React gave it

  function mountRaw(root) {
    const found = root.querySelectorAll ? root.querySelectorAll("[data-html]") : [];
    const nodes = root.matches && root.matches("[data-html]") ? [root, ...found] : [...found];
    for (const node of nodes) {
      const inside = node.getAttribute("data-html");
      if (node.dataset.part) given.set(node, inside);
      replaced.delete(node);
      put(node, parsed(inside));
      node.removeAttribute("data-html"); // React sets it again only when the text changes
    }
    return nodes.length > 0;
  }

  function restore(root) {
    if (!root) return;
    if (opened.size) reopen(root);
    refocus(root);
  }

  const rootOf = () => document.querySelector("#react-entry-point #page-root");
  const here = () => location.pathname + location.search;

  // Only what changed: writing the same again would restyle the whole page at every mutation.
  function follow({ title, lang, theme }) {
    const page = document.documentElement;
    if (document.title !== title) document.title = title;
    if (page.lang !== lang) page.lang = lang;
    if (page.dataset.theme !== theme) page.dataset.theme = theme;
  }

  function followRoot(root) {
    follow(root.dataset);
    if (document.documentElement.dataset.ready !== "true") {
      const y = window.scrollY;
      const first = document.getElementById("first-paint");
      if (first) first.remove();
      document.documentElement.dataset.ready = "true";
      window.scrollTo(0, y);
      document.dispatchEvent(new CustomEvent("explorer:ready"));
    }
  }

  let seen = null; // the observer of what React does

  function watch() {
    const entry = document.getElementById("react-entry-point");
    if (!entry) return;
    seen = new MutationObserver((changes) => {
      let mounted = false;
      let anew = false;
      for (const change of changes) {
        anew = anew || change.target.id === "page-root" || change.target.id === "page";
        if (change.type === "attributes" && change.target.hasAttribute("data-html")) {
          mounted = mountRaw(change.target) || mounted;
        }
        for (const node of change.addedNodes) {
          if (node.nodeType === 1) mounted = mountRaw(node) || mounted;
        }
      }
      if (anew) afterReact();
      if (mounted) restore(rootOf());
    });
    seen.observe(entry, {
      childList: true,
      subtree: true,
      attributes: true,
      attributeFilter: ["data-html", "data-shown", "data-title", "data-lang", "data-theme"],
    });
    mountRaw(entry);
    afterReact();
  }

  // ---- a page drawn anew in place ----------------------------------------------------------------
  // A page of parts asks for them itself: they come as they are drawn, and no component is
  // compared. React does not know of it, so what it left alone is put back after it.

  const replaced = new Set(); // parts that hold something else than React gave them
  let reactShows = null; // the address that React drew last
  let asked = null; // the redraw under way

  function afterReact() {
    for (const node of replaced) if (node.isConnected && given.has(node)) put(node, parsed(given.get(node)));
    replaced.clear();
    const root = rootOf();
    if (!root) return;
    reactShows = root.dataset.shown;
    followRoot(root);
    if (reactShows !== here()) viaReact(); // an older question's answer came last
  }

  function stop() {
    if (asked) asked.control.abort();
    asked = null;
  }

  function viaReact() {
    stop();
    window.dispatchEvent(new CustomEvent("_dashprivate_pushstate"));
  }

  function inPlace() {
    const root = rootOf();
    const shown = root && root.dataset.parts && root.dataset.shown;
    return shown && new URL(shown, location.href).pathname === location.pathname;
  }

  function asking(address) {
    const control = new AbortController();
    const answer = fetch(`/_redraw${address}`, { signal: control.signal });
    answer.catch(() => {}); // who waits for it hears of it
    return { address, control, answer };
  }

  // A choice is asked for when the pointer goes down on it: most of a click is the way up again.
  let early = null;

  document.addEventListener("pointerdown", (event) => {
    const link = choiceOf(event);
    const touch = event.pointerType === "touch"; // it may become a scroll
    forget();
    if (!link || touch || !(link instanceof HTMLAnchorElement) || !inPlace()) return;
    if (link.pathname === location.pathname) early = asking(link.pathname + link.search);
  });
  for (const type of ["pointerup", "pointercancel"]) {
    document.addEventListener(type, () => setTimeout(forget)); // after the click, if there is one
  }

  function forget() {
    if (early) early.control.abort();
    early = null;
  }

  async function redraw() {
    stop();
    const address = here();
    const mine = (asked = early?.address === address ? early : asking(address));
    early = null;
    try {
      await drawParts(mine, address, mine.control.signal);
      if (asked === mine) asked = null;
    } catch (error) {
      if (mine.control.signal.aborted) return;
      if (reactShows === address) location.reload();
      else viaReact();
    }
  }

  async function drawParts(mine, address, signal) {
    const answer = await mine.answer;
    if (answer.status !== 200) throw new Error(`status ${answer.status}`);
    let about = null;
    let whole = false;
    let parts = [];
    let onScreen = null;
    for await (const line of linesOf(answer.body)) {
      if (signal.aborted) return;
      if ((whole = line === null)) continue; // read to the end, or the browser thinks it open
      if (!about) {
        about = line;
        continue;
      }
      await onScreen;
      const [name, inside] = line;
      const { snap } = about;
      parts.push({ name, nodes: parsed(inside), snap, address: `/_part/${snap}/${name}${address}` });
      if (onScreen || parts.length < about.together) continue;
      const first = parts;
      parts = [];
      await Promise.all(first.map(heldOpen));
      if (signal.aborted) return;
      quietly(() => follow(about));
      place(first);
      onScreen = painted(address);
    }
    if (!whole) throw new Error("the answer ended early");
    await Promise.all(parts.map(heldOpen));
    if (signal.aborted) return;
    place(parts);
    quietly(() => (rootOf().dataset.shown = address));
  }

  async function* linesOf(body) {
    const reader = body.getReader();
    const decoder = new TextDecoder();
    let rest = "";
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      const lines = (rest + decoder.decode(value, { stream: true })).split("\n");
      rest = lines.pop();
      for (const line of lines) yield JSON.parse(line);
    }
  }

  function place(parts) {
    quietly(() => {
      for (const part of parts) {
        const node = rootOf().querySelector(`[data-part="${part.name}"]`);
        placed.set(part.name, part);
        put(node, part.nodes);
        replaced.add(node);
      }
      restore(rootOf());
    });
  }

  // What this script does itself is nothing that React did.
  function quietly(work) {
    work();
    seen.takeRecords();
  }

  const FRAME_MS = 16;

  // What is placed together is on the screen before the rest is put in place; `data-seen` says so.
  function painted(address) {
    quietly(() => (rootOf().dataset.seen = address));
    return new Promise((done) => {
      setTimeout(done, 100); // a page in the background paints nothing
      requestAnimationFrame(() => setTimeout(done, FRAME_MS));
    });
  }

  // ---- what closed menus and tables of a page drawn in place hold -------------------------------
  // Hundreds of links and rows: the part they are in is asked for once when a reader comes near one.
  // One that is folded opens when what it holds is there; what is open comes whole.

  const FOLDED = "details[data-folded]";
  const placed = new Map(); // name → part as it was placed, with where it is had whole
  let refused = ""; // the snapshot that is no longer the newest, as the server said

  function insideOf(part) {
    part.inside ??= ask(part).catch(() => (part.inside = null)); // asked for again at the next move
    return part.inside;
  }

  async function ask(part) {
    const answer = await fetch(part.address);
    if (answer.status === 200) return answer.text();
    const { snap } = part;
    if (answer.status === 204 && !asked && placed.get(part.name) === part && snap !== refused) {
      refused = snap;
      again(); // there are newer results
    }
    throw new Error(`status ${answer.status}`);
  }

  const waitedFor = (nodes) => [...nodes.querySelectorAll(FOLDED)].filter((one) => opened.has(nameOfPart(one)));

  async function heldOpen(part) {
    const inside = waitedFor(part.nodes).length && (await insideOf(part));
    if (inside) part.nodes = parsed(inside);
  }

  async function unfold(node) {
    const part = placed.get(node.dataset.part);
    const inside = await insideOf(part);
    if (placed.get(part.name) !== part || !node.isConnected) return;
    if (inside) quietly(() => fill(node, parsed(inside)));
    else if (!asked) for (const one of waitedFor(node)) opened.delete(nameOfPart(one)); // nothing comes
    refocus(rootOf());
  }

  function fill(node, whole) {
    const given = new Map([...whole.querySelectorAll("details")].map((one) => [nameOfPart(one), one]));
    for (const one of node.querySelectorAll(FOLDED)) {
      one.append(...[...(given.get(nameOfPart(one))?.childNodes ?? [])].slice(1));
      one.removeAttribute("data-folded");
      one.open = opened.has(nameOfPart(one));
    }
    restoreTyped(node);
  }

  // A reader who went on does not wait for the others any more.
  function waitOnlyFor(details) {
    for (const one of waitedFor(document)) if (one !== details) opened.delete(nameOfPart(one));
  }

  document.addEventListener(
    "click",
    (event) => {
      const details = event.target.closest?.("summary")?.parentElement;
      waitOnlyFor(details);
      if (!details?.matches(FOLDED)) return;
      event.preventDefault();
      const name = nameOfPart(details);
      if (opened.delete(name)) return;
      opened.add(name);
      unfold(details.closest("[data-part]"));
    },
    true,
  );
  document.addEventListener("keydown", ({ key }) => key === "Escape" && waitOnlyFor(null), true);
  document.addEventListener("focusin", ({ target }) => waitOnlyFor(target.closest("details")), true);

  for (const [type, near] of [["pointerover", FOLDED], ["focusin", `${FOLDED} > summary:focus-visible`]]) {
    const come = ({ target }) => target.closest?.(near) && unfold(target.closest("[data-part]"));
    document.addEventListener(type, come, true);
  }

  const live = () => document.documentElement.dataset.ready === "true";

  function go(href) {
    typed.clear();
    history.pushState({}, "", href);
    again();
  }

  // The same address with the newest results.
  function again() {
    if (inPlace()) redraw();
    else viaReact();
  }
  window.explorer = Object.assign(window.explorer || {}, { go, again, live });

  window.addEventListener(
    "popstate",
    (event) => {
      if (!live()) return;
      if (!inPlace()) return stop(); // its header must not come into the page that follows
      event.stopImmediatePropagation();
      redraw();
    },
    true,
  );

  // The link of the product that an event of the pointer means to follow in place.
  function choiceOf(event) {
    const plain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey;
    if (!plain || !live() || event.defaultPrevented || !event.target.closest) return null;
    return event.target.closest("a[data-nav], a[data-point-id]");
  }

  document.addEventListener("click", (event) => {
    const link = choiceOf(event);
    if (!link) return;
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

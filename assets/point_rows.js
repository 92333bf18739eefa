// A table of requests that scrolls over all of them: rows are asked for in parts as they come into
// view, a bounded number is in the document. Works on any [data-rows-total]; without it the table
// stays the one page that the server drew.
(function () {
  "use strict";

  const PART = 100; // rows that one answer brings
  const OVER = 12; // rows drawn beyond each edge
  const KEPT = 40; // parts kept
  const TALLEST = 16000000; // px; browsers stop at 33 million

  /** Where things stand at a scroll position: rows from–to are drawn, `above` px over them.
   *  Below the tallest height a row has its own px; beyond it the bar moves several rows a px. */
  function layout(total, row, view, top) {
    const body = Math.min(total * row, TALLEST);
    const fit = Math.max(Math.floor(view / row), 1);
    const most = Math.max(body - view, 0);
    const last = Math.max(total - view / row, 0);
    const exact = body === total * row;
    const at = exact ? top / row : most ? (Math.min(top, most) / most) * last : 0;
    const first = Math.min(Math.max(Math.floor(at), 0), Math.max(total - 1, 0));
    const from = Math.max(first - OVER, 0);
    const to = Math.min(first + fit + 1 + OVER, total);
    const above = exact ? from * row : Math.max(top - (at - from) * row, 0);
    const until = Math.min(Math.max(Math.round(at + view / row), 1), total); // the last in view
    return { first, until, fit, from, to, above, below: Math.max(body - above - (to - from) * row, 0) };
  }

  /** The scroll position at which a row is the first in view. */
  function topOf(index, total, row, view) {
    const body = Math.min(total * row, TALLEST);
    if (body === total * row) return index * row;
    const last = Math.max(total - view / row, 1);
    return Math.min(index / last, 1) * (body - view);
  }

  class Rows {
    constructor(part) {
      this.part = part;
      this.region = part.querySelector(".rows");
      this.table = part.querySelector("table");
      this.body = part.querySelector("tbody");
      this.seen = part.querySelector(".rows-seen");
      this.total = Number(part.dataset.rowsTotal);
      this.href = part.dataset.rowsHref;
      this.parts = new Map(); // number of a part → its rows
      this.asked = new Map(); // number of a part → AbortController
      this.start(Number(part.dataset.rowsOffset));
    }

    start(offset) {
      part(this.part);
      const shown = [...this.body.rows];
      this.columns = this.table.tHead.rows[0].cells.length;
      this.row = shown[0].getBoundingClientRect().height;
      this.above = pad(this.columns);
      this.below = pad(this.columns);
      this.held = shown.map((row, index) => [offset + index, row]);
      this.region.addEventListener("scroll", () => this.soon(), { passive: true });
      this.region.addEventListener("keydown", (event) => this.key(event));
      if (offset) {
        this.below.cells[0].style.height = Math.min(this.total * this.row, TALLEST) + "px";
        this.body.append(this.below);
        this.region.scrollTop = topOf(offset, this.total, this.row, this.view());
      }
      this.draw();
    }

    view() {
      return this.region.clientHeight - this.table.tHead.offsetHeight;
    }

    soon() {
      if (this.frame) return;
      this.frame = requestAnimationFrame(() => {
        this.frame = 0;
        if (this.region.isConnected) this.draw();
      });
    }

    /** The row of an index: as asked for, as the server drew it first, or one that waits. */
    at(index) {
      const found = this.parts.get(Math.floor(index / PART));
      if (found && found[index % PART]) return found[index % PART];
      const first = this.held.find(([held]) => held === index);
      return first ? first[1] : this.waiting(index);
    }

    waiting(index) {
      const row = document.createElement("tr");
      row.className = "wait";
      row.setAttribute("aria-rowindex", index + 2);
      row.setAttribute("aria-busy", "true");
      row.append(document.createElement("td"));
      row.cells[0].colSpan = this.columns;
      row.cells[0].textContent = "…";
      return row;
    }

    draw() {
      const place = layout(this.total, this.row, this.view(), this.region.scrollTop);
      const focused = document.activeElement;
      const inside = this.body.contains(focused);
      const rows = [];
      for (let index = place.from; index < place.to; index += 1) rows.push(this.at(index));
      this.above.cells[0].style.height = place.above + "px";
      this.below.cells[0].style.height = place.below + "px";
      this.body.replaceChildren(this.above, ...rows, this.below);
      this.steady();
      if (inside && focused.isConnected) focused.focus({ preventScroll: true });
      else if (inside) this.region.focus({ preventScroll: true });
      const ends = [place.first + 1, place.until].map((row) => row.toLocaleString("en-US"));
      this.seen.textContent = ends.join("–");
      this.ask(place);
      this.remember(place.first);
    }

    /** Columns only grow, so that they do not jump as rows come and go. Read first, then write. */
    steady() {
      const cells = [...this.table.tHead.rows[0].cells];
      const wide = cells.map((cell) => Math.ceil(cell.getBoundingClientRect().width));
      cells.forEach((cell, index) => {
        if (wide[index] > (parseInt(cell.style.minWidth, 10) || 0)) cell.style.minWidth = wide[index] + "px";
      });
    }

    ask(place) {
      const [low, high] = [Math.floor(place.from / PART), Math.floor((place.to - 1) / PART)];
      for (const [number, asked] of this.asked) {
        if (number >= low && number <= high) continue;
        asked.abort();
        this.asked.delete(number);
      }
      for (let number = low; number <= high; number += 1) {
        if (!this.parts.has(number) && !this.asked.has(number)) this.fetch(number);
      }
    }

    async fetch(number) {
      const control = new AbortController();
      this.asked.set(number, control);
      try {
        const href = this.href.replace("{n}", String(number * PART));
        const answer = await fetch(href, { signal: control.signal });
        if (!answer.ok) throw new Error(String(answer.status));
        const page = new DOMParser().parseFromString(await answer.text(), "text/html");
        this.keep(number, [...page.querySelectorAll("[data-rows-total] tbody tr")]);
      } catch (error) {
        if (error.name !== "AbortError") this.part.dataset.rowsFailed = String(number);
      } finally {
        if (this.asked.get(number) === control) this.asked.delete(number);
      }
      if (this.region.isConnected && this.parts.has(number)) this.draw();
    }

    keep(number, rows) {
      this.parts.set(number, rows.map((row) => document.adoptNode(row)));
      for (const old of this.parts.keys()) {
        if (this.parts.size <= KEPT) break;
        this.parts.delete(old);
      }
    }

    /** Writes the first row in view into the address, once scrolling rests; draws nothing anew. */
    remember(first) {
      clearTimeout(this.resting);
      if (this.last === undefined) {
        this.last = first;
        return;
      }
      if (first === this.last) return;
      const { href } = location;
      this.resting = setTimeout(() => {
        if (!this.region.isConnected || location.href !== href) return; // a link is being followed
        this.last = first;
        const query = new URLSearchParams(location.search);
        const open = (query.get("open") || "").split(",").filter((one) => one && !one.startsWith("rows-"));
        if (first) open.push("rows-" + first);
        if (open.length) query.set("open", open.sort().join(","));
        else query.delete("open");
        const text = query.toString().replaceAll("%2C", ",");
        history.replaceState(history.state, "", location.pathname + (text ? "?" + text : "") + location.hash);
      }, 300);
    }

    // Keys: on the region itself they scroll, as the browser does; on a link in a row they move
    // to the same link of another row, however far it is.
    key(event) {
      const row = event.target.closest("tbody tr[aria-rowindex]");
      if (!row || event.ctrlKey || event.metaKey || event.altKey) return;
      const here = Number(row.getAttribute("aria-rowindex")) - 2;
      const page = Math.max(layout(this.total, this.row, this.view(), 0).fit - 1, 1);
      const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -here, End: this.total - 1 - here };
      if (!(event.key in steps)) return;
      event.preventDefault();
      const link = [...row.querySelectorAll("a")].indexOf(event.target.closest("a"));
      this.go(Math.min(Math.max(here + steps[event.key], 0), this.total - 1), Math.max(link, 0));
    }

    /** Brings a row into view and, once it is there, focuses its link. */
    async go(index, link) {
      const place = layout(this.total, this.row, this.view(), this.region.scrollTop);
      const row = this.row;
      if (index <= place.first) this.region.scrollTop = topOf(index, this.total, row, this.view());
      else if (index >= place.first + place.fit - 1) {
        this.region.scrollTop = topOf(Math.max(index - place.fit + 2, 0), this.total, row, this.view());
      }
      this.goal = index;
      const number = Math.floor(index / PART);
      this.draw();
      while (!this.linkOf(index, link) && this.asked.has(number)) await this.next();
      if (this.goal === index) (this.linkOf(index, link) || this.region).focus({ preventScroll: true });
    }

    linkOf(index, link) {
      const row = this.body.querySelector(`tr[aria-rowindex="${index + 2}"]:not(.wait)`);
      const links = row ? row.querySelectorAll("a") : [];
      return links[link] || links[0];
    }

    next() {
      return new Promise((resolve) => requestAnimationFrame(resolve));
    }
  }

  function part(node) {
    node.classList.add("virtual");
    node.querySelector(".rows").scrollTop = 0;
  }

  /** A row that only takes room: nothing to read, nothing to focus. */
  function pad(columns) {
    const row = document.createElement("tr");
    row.className = "pad";
    row.setAttribute("aria-hidden", "true");
    row.append(document.createElement("td"));
    row.cells[0].colSpan = columns;
    return row;
  }

  // Before the live page is swapped in nothing has a size yet.
  const live = () => document.documentElement.dataset.ready === "true";

  function begin(root) {
    for (const node of root.querySelectorAll("[data-rows-total]:not(.virtual)")) {
      if (node.querySelector("tbody tr")) new Rows(node);
    }
  }

  document.addEventListener("explorer:mounted", (event) => live() && begin(event.target));
  document.addEventListener("explorer:ready", () => begin(document));

  window.explorer = Object.assign(window.explorer || {}, { rows: { layout, topOf } });
})();

// Commands: everything the timeline does by key or button, by name.

import { glide } from "../canvas/viewport.mjs";
import { stepLit } from "./search.mjs";

/** Command → keys. The help, the buttons' titles and the listener read this one table. */
export const KEYS = {
  zoom_in: ["w", "+", "="],
  zoom_out: ["s", "-"],
  left: ["a", "ArrowLeft"],
  right: ["d", "ArrowRight"],
  up: ["ArrowUp"],
  down: ["ArrowDown"],
  page_up: ["PageUp"],
  page_down: ["PageDown"],
  fit: ["0"],
  focus: ["f"],
  lane_previous: ["["],
  lane_next: ["]"],
  previous: [","],
  next: ["."],
  slowest: ["x"],
  kind: ["k"],
  search: ["/"],
  details: ["Enter"],
  open_turn: ["o"],
  copy_link: ["c"],
  expand_all: ["E"],
  expand: ["e"],
  range: ["r"],
  box: ["b"],
  phase: ["p"],
  grouping: ["g"],
  colour: ["v"],
  table: ["t"],
  help: ["?"],
  escape: ["Escape"],
};

const GLIDE_MS = 140;
const KINDS = ["", "kind:subagent", "kind:aux", "kind:main"];

/** Returns {command: () => void} over a view; `ui` carries what is outside of the canvas. */
export function commands(view, ui) {
  const { port } = view;
  const motion = () => ({ now: () => performance.now(), frame: (f) => requestAnimationFrame(f), reduced: matchMedia("(prefers-reduced-motion: reduce)").matches });
  let stop = () => {};
  const move = (change) => {
    stop();
    let done = 0;
    stop = glide((part) => {
      change(part - done, part);
      done = part;
    }, GLIDE_MS, motion());
  };
  const show = (t0, t1) => {
    const [a, b] = [port.t0, port.t1];
    move((_, part) => port.show(a + (t0 - a) * part, b + (t1 - b) * part));
  };
  const zoom = (factor) => {
    const x = view.cursor === null ? port.width / 2 : port.toX(view.cursor);
    move((step) => port.zoomAt(Math.min(Math.max(x, 0), port.width), factor ** step));
  };
  const pick = (i) => i >= 0 && view.select(i);
  return {
    zoom_in: () => zoom(0.6),
    zoom_out: () => zoom(1 / 0.6),
    left: () => move((step) => port.panBy(-port.width * 0.2 * step)),
    right: () => move((step) => port.panBy(port.width * 0.2 * step)),
    up: () => port.scrollTo(port.y - 60),
    down: () => port.scrollTo(port.y + 60),
    page_up: () => port.scrollTo(port.y - port.height * 0.9),
    page_down: () => port.scrollTo(port.y + port.height * 0.9),
    fit: () => show(...view.home),
    focus: () => focusOn(view, show),
    lane_previous: () => pick(inLane(view, -1)),
    lane_next: () => pick(inLane(view, 1)),
    previous: () => pick(stepLit(view.data, view.selected, -1, view.found?.lit, view.visible)),
    next: () => pick(stepLit(view.data, view.selected, 1, view.found?.lit, view.visible)),
    slowest: () => pick(nextSlowest(view)),
    kind: () => ui.setQuery(nextKind(view.state.q)),
    range: () => view.setRange(view.range ? null : [view.seconds(port.t0), view.seconds(port.t1)]),
    expand: () => view.toggleLane(view.selected >= 0 ? rootLane(view, view.selected) : null),
    expand_all: () => view.toggleAll(),
    phase: () => ui.cycle("phase"),
    grouping: () => ui.cycle("by"),
    colour: () => ui.cycle("color"),
    ...Object.fromEntries(["search", "details", "open_turn", "copy_link", "box", "table", "help", "escape"].map((name) => [name, () => ui[name]()])),
  };
}

/** The selected request, else the range, fills two thirds of the width. */
function focusOn(view, show) {
  const { data, selected, range } = view;
  if (selected < 0 && !range) return;
  const [a, b] = selected >= 0 ? [data.left[selected], data.end[selected]] : range.map(view.units);
  const pad = Math.max(2, (b - a) * 0.25);
  show(a - pad, b + pad);
}

function rootLane(view, i) {
  const root = view.model.root[view.data.stream[i]];
  return view.layout.lanes.find((lane) => lane.stream === root);
}

/** The request before or after the selected one in its lane, by start, over the lane's rows. */
export function inLane(view, step) {
  const { layout, data, selected, index } = view;
  if (selected < 0) return stepLit(data, -1, 1, view.found?.lit, view.visible);
  const lane = view.laneOf(selected);
  let best = -1;
  for (let row = lane.firstRow; row < lane.firstRow + lane.rows; row++) {
    for (let k = index.pointer[row]; k < index.pointer[row + 1]; k++) {
      const i = index.order[k];
      if (step > 0 ? i > selected && (best < 0 || i < best) : i < selected && i > best) best = i;
    }
  }
  return best;
}

/** The slowest lit request; when it is the selected one, the next slowest. Ties go by ordinal. */
export function nextSlowest({ data, selected, found, visible }) {
  const span = (i) => data.end[i] - data.start[i];
  const limit = selected >= 0 && (!found || found.lit[selected]) ? span(selected) : Infinity;
  let best = -1;
  for (let i = 0; i < data.n; i++) {
    if (i === selected || (found && !found.lit[i]) || (visible && !visible[i])) continue;
    const s = span(i);
    if (s > limit || (s === limit && i < selected)) continue;
    if (best < 0 || s > span(best)) best = i;
  }
  return best;
}

/** The query with its kind term turned to the next kind: all, sub-agents, side requests, main. */
export function nextKind(query) {
  const words = query.split(/\s+/).filter(Boolean);
  const now = KINDS.indexOf(words.find((word) => KINDS.includes(word)) ?? "");
  const rest = words.filter((word) => !KINDS.includes(word));
  return [...rest, KINDS[(now + 1) % KINDS.length]].filter(Boolean).join(" ");
}

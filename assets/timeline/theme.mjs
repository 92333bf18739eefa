// Colours of the canvas, read from CSS custom properties, so that themes are one place.

import { contrast, css, hashText, mix, pack, parseColour, ramp, strengthTable } from "../canvas/colour.mjs";

const NAMES = ["ink", "soft", "line", "paper", "wash", "acc", "ok", "failed", "cancelled", "wait", "low", "mid", "high", "missing", "running", "waiting", "tokens", "kv"];

/** Returns {css: texts, style: packed tables for the raster} of an element's theme and a mode. */
export function readTheme(element, mode) {
  const resolve = resolver(element);
  const rgb = Object.fromEntries(NAMES.map((name) => [name, parseColour(resolve(`--tl-${name}`))]));
  const colours = mode === "status" ? Array.from({ length: 256 }, () => rgb.ok) : [rgb.missing, ...ramp([rgb.low, rgb.mid, rgb.high]).slice(1)];
  const bright = strengthTable(colours, rgb.paper);
  const dim = strengthTable(colours, rgb.paper, 0.22);
  const bad = [rgb.ok, rgb.failed, rgb.cancelled].map((c) => ({ full: pack(c), faint: pack(mix(rgb.paper, c, 0.35)) }));
  return {
    css: Object.fromEntries(NAMES.map((name) => [name, css(rgb[name])])),
    packed: Object.fromEntries(NAMES.map((name) => [name, pack(rgb[name])])),
    lanes: [0, 1, 2, 3, 4, 5, 6, 7].map((k) => resolve(`--tl-lane-${k}`)),
    scale: colours,
    textOn: colours.map((c) => css(contrast(c, rgb.ink) >= contrast(c, rgb.paper) ? rgb.ink : rgb.paper)),
    tints: Uint32Array.from({ length: 256 }, (_, i) => pack(mix(rgb.wash, rgb.soft, i / 255))),
    style: {
      paper: pack(rgb.paper),
      wait: pack(rgb.wait),
      gap: pack(mix(rgb.paper, rgb.soft, 0.55)),
      bright,
      dim,
      status: (status, table) => (table === dim ? bad[status].faint : bad[status].full),
    },
  };
}

/** Returns a function that resolves a custom property (var(), light-dark()) to "rgb(r, g, b)". */
function resolver(element) {
  const probe = element.ownerDocument.createElement("i");
  probe.hidden = true;
  element.append(probe);
  queueMicrotask(() => probe.remove());
  const computed = getComputedStyle(probe);
  return (name) => {
    probe.style.color = `var(${name})`;
    return computed.color;
  };
}

/** Returns the colour of a lane's name: the same name has the same colour everywhere. */
export function laneColour(theme, name) {
  return theme.lanes[hashText(name) % theme.lanes.length];
}

/** Calls back when the reader's or the page's theme changes, while the element is on the page. */
export function onThemeChange(element, callback) {
  const { dataset } = document.documentElement;
  let theme = dataset.theme;
  const done = new AbortController();
  const act = () => (element.isConnected ? callback() : done.abort());
  // The page writes the same theme again at every change of its content: that is none of the theme.
  const observer = new MutationObserver(() => {
    if (theme === dataset.theme) return;
    theme = dataset.theme;
    act();
  });
  observer.observe(document.documentElement, { attributeFilter: ["data-theme"] });
  done.signal.addEventListener("abort", () => observer.disconnect());
  for (const query of ["(prefers-color-scheme: dark)", "(forced-colors: active)"]) matchMedia(query).addEventListener("change", act, { signal: done.signal });
}

// Colours as the four bytes a pixel buffer holds (little-endian: 0xAABBGGRR).

/** Returns [r, g, b] of "#rgb", "#rrggbb" or "rgb(r, g, b)"; throws on anything else. */
export function parseColour(text) {
  const value = text.trim();
  const hex = /^#([0-9a-f]{3}|[0-9a-f]{6})$/i.exec(value)?.[1];
  if (hex) {
    const full = hex.length === 3 ? [...hex].map((c) => c + c).join("") : hex;
    return [0, 2, 4].map((at) => parseInt(full.slice(at, at + 2), 16));
  }
  const parts = /^rgba?\(\s*(\d+)[\s,]+(\d+)[\s,]+(\d+)/.exec(value);
  if (!parts) throw new Error(`not a colour: ${text}`);
  return parts.slice(1, 4).map(Number);
}

export const pack = ([r, g, b]) => ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0;

export const css = ([r, g, b]) => `rgb(${r}, ${g}, ${b})`;

/** Returns a + (b − a)·part, channel by channel. */
export function mix(a, b, part) {
  return a.map((channel, i) => Math.round(channel + (b[i] - channel) * part));
}

/** Returns 256 colours through the given stops, evenly spaced. */
export function ramp(stops) {
  const last = stops.length - 1;
  return Array.from({ length: 256 }, (_, i) => {
    const at = (i / 255) * last;
    const k = Math.min(Math.floor(at), last - 1);
    return mix(stops[k], stops[k + 1], at - k);
  });
}

export const STRENGTHS = 16;

/** Returns packed `table[strength << 8 | shade]`: each shade laid over paper at 16 strengths. */
export function strengthTable(shades, paper, most = 1) {
  const table = new Uint32Array(STRENGTHS * 256);
  for (let a = 0; a < STRENGTHS; a++) {
    for (let s = 0; s < 256; s++) table[(a << 8) | s] = pack(mix(paper, shades[s], (a / (STRENGTHS - 1)) * most));
  }
  return table;
}

/** Returns a small stable number of a text (FNV-1a), to pick the same colour for a name always. */
export function hashText(text) {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}

function luminance(rgb) {
  const [r, g, b] = rgb.map((c) => (c <= 10 ? c / 3295 : ((c / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** Returns the contrast ratio of two colours, 1 to 21. */
export function contrast(a, b) {
  const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}

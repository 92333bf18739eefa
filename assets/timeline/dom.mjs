// Small helpers for building elements and texts. No inline style, no inline handler: strict CSP.

/** Makes an element: attributes, `on…` listeners as functions, children as nodes or texts. */
export function el(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

/** Returns t(key, params): the text of a key with {names} filled in. */
export function translator(strings) {
  return (key, params = {}) => {
    const text = strings[key] ?? key;
    return text.replace(/\{(\w+)\}/g, (whole, name) => (name in params ? String(params[name]) : whole));
  };
}

/** Returns functions that write counts and shares as the page's language does. */
export function numbers(lang) {
  const whole = new Intl.NumberFormat(lang, { maximumFractionDigits: 0 });
  const share = new Intl.NumberFormat(lang, { style: "percent", maximumFractionDigits: 1 });
  const short = new Intl.NumberFormat(lang, { notation: "compact", maximumSignificantDigits: 3 });
  const finite = (format) => (value) => (Number.isFinite(value) ? format.format(value) : "–");
  return { count: finite(whole), share: finite(share), short: finite(short) };
}

/** Copies a text; also where the clipboard API is closed (plain HTTP). Resolves to success. */
export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const box = el("textarea", { class: "tl-offscreen", readonly: true });
    box.value = text;
    document.body.append(box);
    box.select();
    const done = document.execCommand("copy");
    box.remove();
    return done;
  }
}

/** Offers bytes or text as a download. */
export function download(name, blob) {
  const url = URL.createObjectURL(blob);
  const link = el("a", { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

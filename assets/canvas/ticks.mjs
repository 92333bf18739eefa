// Round ticks on a clock of seconds, and times as people read them.

const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 21600, 43200, 86400];

/** Returns the tick step in seconds for a span with at most `count` ticks. */
export function tickStep(spanS, count) {
  const raw = spanS / Math.max(1, count);
  if (raw > 1) return STEPS.find((step) => step >= raw) ?? Math.ceil(raw / 86400) * 86400;
  const power = 10 ** Math.floor(Math.log10(raw));
  return [1, 2, 5, 10].map((m) => m * power).find((step) => step >= raw * 0.999999);
}

/** Returns tick times in [t0, t1] seconds. */
export function ticks(t0, t1, count) {
  const step = tickStep(t1 - t0, count);
  const out = [];
  for (let k = Math.ceil(t0 / step); k * step <= t1; k++) out.push(k * step);
  return { step, values: out };
}

/** Returns a clock reading as fine as `step`: 1:02:03, 12:30, 4.5 s, 250 µs. */
export function clock(seconds, step) {
  const sign = seconds < 0 ? "−" : "";
  const value = Math.abs(seconds);
  if (step >= 1 && value >= 60) {
    const whole = Math.round(value);
    const pad = (v) => String(v).padStart(2, "0");
    const [h, m, s] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
    return sign + (h ? `${h}:${pad(m)}:${pad(s)}` : `${m}:${pad(s)}`);
  }
  const digits = Math.min(6, Math.max(0, Math.ceil(-Math.log10(step) - 1e-9)));
  return `${sign}${value.toFixed(digits)} s`;
}

/** Returns a span with three leading digits: 12.3 ms, 4.56 s, 2 min 5 s. */
export function duration(seconds) {
  if (!Number.isFinite(seconds)) return "–";
  const value = Math.abs(seconds);
  if (value >= 120) return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
  if (value >= 1) return `${seconds.toPrecision(3)} s`;
  if (value >= 1e-3) return `${(seconds * 1e3).toPrecision(3)} ms`;
  return `${Math.round(seconds * 1e6)} µs`;
}

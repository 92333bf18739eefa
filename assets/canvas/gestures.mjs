// Pointer, wheel and touch on a stage: what the hand did, in words a view understands.

const CLICK_SLOP = 4;

/**
 * Calls `on.zoom(x, factor)`, `on.pan(dx, dy)`, `on.scroll(dy)`, `on.hover(x, y)`, `on.leave()`,
 * `on.click(x, y, event)`, `on.box({x0, y0, x1, y1}, done)`. `boxMode()` says whether a plain drag
 * draws a box; Shift always does. Two fingers pan and zoom at their middle.
 */
export function listen(stage, on, boxMode) {
  const pointers = new Map();
  const drag = { box: null, moved: false, x: 0, y: 0 };
  const place = (event) => {
    const box = stage.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };

  const down = (event) => {
    if (event.button > 0) return;
    const at = place(event);
    pointers.set(event.pointerId, at);
    stage.setPointerCapture(event.pointerId);
    Object.assign(drag, { moved: false, x: at.x, y: at.y, box: pointers.size === 1 && (event.shiftKey || boxMode()) ? at : null });
  };

  const move = (event) => {
    const at = place(event);
    const last = pointers.get(event.pointerId);
    if (!last) return on.hover(at.x, at.y);
    if (pointers.size === 2) return pinch(event.pointerId, last, at);
    if (!drag.moved && Math.hypot(at.x - drag.x, at.y - drag.y) < CLICK_SLOP) return;
    drag.moved = true;
    if (drag.box) on.box(boxOf(drag.box, at), false);
    else on.pan(last.x - at.x, last.y - at.y);
    pointers.set(event.pointerId, at);
  };

  const pinch = (id, last, at) => {
    drag.moved = true;
    const other = [...pointers].find(([key]) => key !== id)[1];
    const before = Math.max(10, Math.hypot(last.x - other.x, last.y - other.y));
    const after = Math.max(10, Math.hypot(at.x - other.x, at.y - other.y));
    on.zoom((at.x + other.x) / 2, before / after);
    on.pan((last.x - at.x) / 2, (last.y - at.y) / 2);
    pointers.set(id, at);
  };

  const up = (event) => {
    if (!pointers.delete(event.pointerId)) return;
    const at = place(event);
    if (event.type === "pointercancel") return;
    if (drag.moved && drag.box) on.box(boxOf(drag.box, at), true, event);
    else if (!drag.moved && pointers.size === 0) on.click(at.x, at.y, event);
  };

  const wheel = (event) => {
    event.preventDefault();
    const scale = event.deltaMode === 1 ? 16 : event.deltaMode === 2 ? 400 : 1;
    if (event.shiftKey) on.scroll((event.deltaY || event.deltaX) * scale);
    else if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) on.pan(event.deltaX * scale, 0);
    else on.zoom(place(event).x, Math.exp(event.deltaY * scale * (event.ctrlKey ? 0.01 : 0.0018)));
  };

  stage.addEventListener("pointerdown", down);
  stage.addEventListener("pointermove", move);
  stage.addEventListener("pointerup", up);
  stage.addEventListener("pointercancel", up);
  stage.addEventListener("pointerleave", () => pointers.size === 0 && on.leave());
  stage.addEventListener("wheel", wheel, { passive: false });
}

function boxOf(a, b) {
  return { x0: Math.min(a.x, b.x), y0: Math.min(a.y, b.y), x1: Math.max(a.x, b.x), y1: Math.max(a.y, b.y) };
}

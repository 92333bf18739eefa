// A small picture of everything, with the window that is in view; drag, click or wheel moves it.

/** Paints a grid of counts (columns × rows, 0 … max) as tints between paper and ink. */
export function paintGrid(context, grid, columns, rows, tints) {
  const image = context.createImageData(columns, rows);
  const pixels = new Uint32Array(image.data.buffer);
  let most = 0;
  for (const count of grid) if (count > most) most = count;
  const scale = most > 0 ? 255 / Math.log1p(most) : 0;
  for (let i = 0; i < grid.length; i++) pixels[i] = tints[Math.round(Math.log1p(grid[i]) * scale)];
  context.putImageData(image, 0, 0);
}

/** Returns the window in view as a rectangle of the map's size. */
export function windowBox(view, width, height) {
  const scale = width / (view.max - view.min);
  const part = view.contentHeight > 0 ? height / view.contentHeight : 1;
  const h = view.contentHeight > view.height ? view.height * part : height;
  return { x: (view.t0 - view.min) * scale, y: view.contentHeight > view.height ? view.y * part : 0, w: Math.max(2, view.span * scale), h: Math.max(2, h) };
}

/** Centres the view on a point of the map. */
export function moveTo(view, x, y, width, height) {
  const t = view.min + (x / width) * (view.max - view.min);
  view.show(t - view.span / 2, t + view.span / 2);
  if (view.contentHeight > view.height) view.scrollTo((y / height) * view.contentHeight - view.height / 2);
}

/** Lets a pointer drag the window about. */
export function listenMinimap(canvas, view) {
  const go = (event) => {
    const box = canvas.getBoundingClientRect();
    moveTo(view, event.clientX - box.left, event.clientY - box.top, box.width, box.height);
  };
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    go(event);
  });
  canvas.addEventListener("pointermove", (event) => event.buttons && go(event));
}

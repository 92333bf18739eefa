"""SVG files as PNG: no browser, the product's own fonts, bounded in size, number and time."""

from __future__ import annotations

import math
import re
import subprocess
import sys
from pathlib import Path
from threading import BoundedSemaphore

from explorer.errors import BusyError, UsageError
from explorer.fonts import FAMILY, FILES

MOST_BYTES = 8_000_000
MOST_PIXELS = 24_000_000
_SECONDS = 20.0
_WAIT = 15.0
_DRAWING = BoundedSemaphore(1)
"""One picture at a time in a process: as many at once as there are web workers."""
_CHILD = Path(__file__).with_name("render_child.py")
_SIZE = re.compile(r'<svg [^>]*?width="([\d.]+)" height="([\d.]+)"')


def png(svg: str, zoom: float = 2.0) -> bytes:
    """Return a standalone SVG (exports/standalone.py) as PNG, `zoom` pixels per px.

    UsageError when it is larger than MOST_BYTES or MOST_PIXELS; BusyError when the renderer does
    not come free, or does not finish, in time.
    """
    width = _width(svg, zoom)
    if not _DRAWING.acquire(timeout=_WAIT):
        raise BusyError("The renderer has too much to draw.", hint="Ask again in a minute.")
    try:
        return _drawn(svg, width)
    finally:
        _DRAWING.release()


def _width(svg: str, zoom: float) -> int:
    found = _SIZE.match(svg)
    if found is None:
        raise ValueError("Expected an SVG that starts with its width and height.")
    width, height = (math.ceil(float(side) * zoom) for side in found.groups())
    if len(svg.encode()) > MOST_BYTES or width * height > MOST_PIXELS:
        raise UsageError(
            f"A picture of {width} × {height} pixels from {len(svg):,} bytes is too large: at "
            f"most {MOST_PIXELS:,} pixels and {MOST_BYTES:,} bytes.",
            hint="Ask for SVG, or for a smaller part of the view.",
        )
    return width


def _drawn(svg: str, width: int) -> bytes:
    call = [sys.executable, "-I", str(_CHILD), FAMILY, str(width), *FILES]
    try:
        done = subprocess.run(call, input=svg.encode(), capture_output=True, timeout=_SECONDS)
    except subprocess.TimeoutExpired as error:
        raise BusyError(
            f"The picture was not drawn in {_SECONDS:g} s.", hint="Ask for SVG instead."
        ) from error
    if done.returncode:
        raise RuntimeError(f"The renderer failed: {done.stderr.decode(errors='replace')[-400:]}")
    return done.stdout

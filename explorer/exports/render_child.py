"""SVG in, PNG out, in a process of its own: `render_child.py WIDTH FONT…`; imports nothing of us.

Drawing foreign-sized pictures is the one thing here that can take long or much memory, and a
thread cannot be stopped. A process can, and starts in a tenth of a second.
"""

from __future__ import annotations

import resource
import sys

import resvg_py

MEMORY = 2 << 30
SECONDS = 20


def main() -> None:
    """Draw what comes on standard input to standard output."""
    family, width, *fonts = sys.argv[1:]
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    drawn = resvg_py.svg_to_bytes(
        svg_string=sys.stdin.buffer.read().decode(),
        width=int(width),
        skip_system_fonts=True,
        font_files=fonts,
        font_family=family,
        sans_serif_family=family,
    )
    sys.stdout.buffer.write(bytes(drawn))


if __name__ == "__main__":
    main()

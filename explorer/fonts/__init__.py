"""Fonts that pictures are drawn with where no browser is: the same glyphs on every machine.

Subsets of Noto Sans CJK SC under the SIL Open Font License (OFL.txt beside this file); made by
`python -m explorer.fonts.subset`.
"""

from __future__ import annotations

from pathlib import Path

FAMILY = "Noto Sans CJK SC"
FOLDER = Path(__file__).parent
FILES = tuple(str(FOLDER / f"NotoSansCJKsc-{weight}.subset.otf") for weight in ("Regular", "Bold"))

"""Cut the product's fonts out of Noto Sans CJK (Debian's package fonts-noto-cjk).

    python -m explorer.fonts.subset /usr/share/fonts/opentype/noto

Regular holds the characters of every string and name of the product, Latin, and the 3,755 of
GB 2312's first level, which names in Chinese are written with; Bold holds the former alone: a
glyph that it lacks is taken from Regular. Needs `fonttools`, which only tests install.
"""

from __future__ import annotations

import sys
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTCollection, TTFont

from explorer import i18n
from explorer.fonts import FAMILY, FILES

_SIGNS = (
    "·•…–—‘’“”−×÷±≤≥≈≠∞√←↑→↓↔⇤△▲▼◆■●○★✓✗§¶†‡°µΔΣσρλαβγ²³¹₀₁₂½¼¾€£¥"
    "、。〈〉《》「」『』【】〔〕！（），．：；？～￥％＋－＝"
)
_TABLES = Path(__file__).parent.parent / "tables"
_NARROW_DOT = ("Noto Sans CJK JP", 0xB7)
"""The middle dot joins names here, in Latin text too: the narrow one, not the square SC has."""


def written() -> set[str]:
    """Return every character of the product's own words, Latin-1, and the signs it draws."""
    texts = [text for lang in i18n.LANGUAGES for text in i18n.catalogue(lang).values()]
    texts += [path.read_text(encoding="utf-8") for path in _TABLES.glob("*.toml")]
    latin = [chr(code) for code in (*range(0x20, 0x7F), *range(0xA0, 0x180))]
    return {letter for text in (*texts, *latin, _SIGNS) for letter in text if letter.isprintable()}


def common() -> set[str]:
    """Return the Chinese characters of GB 2312's first level."""
    cells = [(high, low) for high in range(0xB0, 0xD8) for low in range(0xA1, 0xFF)]
    return set("".join(bytes(cell).decode("gb2312", "ignore") for cell in cells))


def cut(source: Path, letters: set[str], out: Path) -> None:
    """Write the glyphs of these characters as a font of its own."""
    fonts = {font["name"].getDebugName(4): font for font in TTCollection(source).fonts}
    names = {name.removesuffix(" Bold"): font for name, font in fonts.items()}
    font: TTFont = names[FAMILY]
    other, dot = _NARROW_DOT
    for table in font["cmap"].tables:
        if dot in getattr(table, "cmap", {}):
            table.cmap[dot] = names[other].getBestCmap()[dot]
    options = subset.Options(layout_features=["kern"], hinting=False, desubroutinize=True)
    cutter = subset.Subsetter(options)
    cutter.populate(unicodes={ord(letter) for letter in letters})
    cutter.subset(font)
    font["head"].modified = font["head"].created
    font.recalcTimestamp = False
    font.save(out)


def main(folder: Path) -> None:
    """Write both subsets beside this file."""
    regular, bold = (Path(file) for file in FILES)
    cut(folder / "NotoSansCJK-Regular.ttc", written() | common(), regular)
    cut(folder / "NotoSansCJK-Bold.ttc", written(), bold)


if __name__ == "__main__":
    main(Path(sys.argv[1]))

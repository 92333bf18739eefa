"""The fonts that travel with the product hold every character it writes."""

from __future__ import annotations

from pathlib import Path

from fontTools.ttLib import TTFont

from explorer.fonts import FAMILY, FILES, FOLDER
from explorer.fonts.subset import common, written

_SIZE = 1_500_000


def letters(file: str) -> set[str]:
    return {chr(code) for code in TTFont(file).getBestCmap()}


def test_every_character_of_the_product_has_a_glyph() -> None:
    """When a new string brings a new character, cut the fonts again: explorer/fonts/subset.py."""
    han = {chr(code) for code in range(0x4E00, 0xA000)}
    ascii_ = {chr(code) for code in range(0x20, 0x7F)}
    missing = written() - letters(FILES[0])
    assert not missing & (han | ascii_ | set("·…–—“”−×±≤≥≈→←↑↓，。：；（）"))
    assert ascii_ <= letters(FILES[1])


def test_both_weights_are_one_family_so_that_bold_falls_back_to_regular() -> None:
    assert {TTFont(file)["name"].getDebugName(1).removesuffix(" Bold") for file in FILES} == {
        FAMILY
    }


def test_the_middle_dot_between_names_is_narrow() -> None:
    font = TTFont(FILES[0])
    assert font["hmtx"][font.getBestCmap()[0xB7]][0] < 600


def test_names_in_chinese_have_glyphs() -> None:
    assert len(common()) == 3_755
    assert common() <= letters(FILES[0])


def test_the_fonts_are_small_and_come_with_their_licence() -> None:
    assert sum(Path(file).stat().st_size for file in FILES) < _SIZE
    assert "SIL OPEN FONT LICENSE Version 1.1" in (FOLDER / "OFL.txt").read_text()

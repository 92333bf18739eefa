"""PNG from SVG: the product's own fonts, bounds on size and time."""

from __future__ import annotations

import struct
import zlib
from threading import Thread

import pytest

from explorer.errors import BusyError, UsageError
from explorer.exports import png as module
from explorer.exports.png import png


def svg(inner: str, width: float = 40, height: float = 40) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}"><rect width="100%" height="100%" fill="#ffffff"/>'
        f"{inner}</svg>"
    )


def size(data: bytes) -> tuple[int, int]:
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    return struct.unpack(">II", data[16:24])  # type: ignore[return-value]


def ink(data: bytes) -> int:
    """Return how many bytes of the picture's rows are not plain white: what was drawn on it."""
    at, packed = 8, b""
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at : at + 8])
        packed += data[at + 8 : at + 8 + length] if kind == b"IDAT" else b""
        at += 12 + length
    return sum(byte not in (0, 255) for byte in zlib.decompress(packed))


def glyph(letter: str, weight: int = 400) -> bytes:
    style = f'font-family="sans-serif" font-weight="{weight}" font-size="30"'
    return png(svg(f'<text x="5" y="32" {style}>{letter}</text>'), 1)


def test_a_picture_has_the_size_asked_for() -> None:
    assert size(png(svg("", 120, 63), 2)) == (240, 126)


def test_chinese_is_drawn_with_real_glyphs_in_both_weights() -> None:
    nothing = ink(glyph(" "))  # row filters of the format, no ink
    drawn = {ink(glyph(letter, weight)) for letter in "吞每" for weight in (400, 700)}
    assert min(drawn) > nothing + 100
    assert len(drawn) == 4, "two letters in two weights look different"


def test_two_letters_without_a_glyph_look_the_same_and_ours_do_not() -> None:
    assert glyph("\U00013000") == glyph("\U00013001")  # hieroglyphs: no font of ours has them
    assert glyph("吞") != glyph("每")


def test_a_picture_beyond_the_bounds_is_refused_with_the_bound() -> None:
    with pytest.raises(UsageError, match="too large"):
        png(svg("", 10_000, 10_000), 2)
    with pytest.raises(UsageError, match="8,000,000 bytes"):
        png(svg("<!--" + "x" * 8_000_001 + "-->"), 1)


def test_a_picture_that_takes_too_long_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_SECONDS", 0.001)
    with pytest.raises(BusyError, match="not drawn in"):
        png(svg(""), 1)
    monkeypatch.undo()
    assert size(png(svg(""), 1)) == (40, 40), "the renderer is free again"


def test_who_waits_too_long_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_WAIT", 0.001)
    with module._DRAWING, pytest.raises(BusyError, match="too much to draw"):
        png(svg(""), 1)


def test_threads_draw_one_after_another_and_all_get_theirs() -> None:
    drawn: dict[int, bytes] = {}
    threads = [
        Thread(target=lambda n=n: drawn.update({n: png(svg("", 10 + n, 10), 1)})) for n in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {n: size(data) for n, data in drawn.items()} == {n: (10 + n, 10) for n in range(4)}
